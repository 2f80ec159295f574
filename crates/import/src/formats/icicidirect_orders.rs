//! Format of ICICI Direct's order book and trade book for shares, with one row per fill.

use rpc::trades::v1::{Broker, TimePrecision};

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::trade_fields;
use super::trade_row::{Instrument, TradeRow};
use crate::cell_value::Moment;
use crate::sheet::Row;

pub(super) struct IciciDirectOrders;

impl Format for IciciDirectOrders {
    fn name(&self) -> &'static str {
        "icicidirect-orders"
    }

    fn broker(&self) -> Broker {
        Broker::IciciDirect
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        header.column("settlement")?;
        Some(Box::new(Columns {
            date: header.column("date")?,
            code: header.column("stock")?,
            side: header.column("action")?,
            quantity: header.column("qty")?,
            price: header.column("price")?,
            order_id: header.column("orderref")?,
            exchange: header.column("exchange")?,
            isin: header.column("isin"),
        }))
    }
}

struct Columns {
    date: usize,
    /// Code of the broker, which is not the symbol at an exchange.
    code: usize,
    side: usize,
    quantity: usize,
    price: usize,
    /// Shared by the fills of an order. The file has no trade ids.
    order_id: usize,
    exchange: usize,
    isin: Option<usize>,
}

impl RowReader for Columns {
    fn is_verified(&self) -> bool {
        false
    }

    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        if row.only_text().is_some() {
            return Ok(None);
        }
        let Moment { day, .. } = trade_fields::read_moment(row, self.date, file)?;
        let code = trade_fields::read_symbol(row, self.code)?;
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let order_id = trade_fields::read_order_id(row, Some(self.order_id))?;
        let trade = TradeRow {
            instrument: Instrument::own_code(&code, trade_fields::read_isin(row, self.isin)?, day),
            name_column: self.code,
            side: trade_fields::read_side(row, self.side)?,
            quantity,
            price: trade_fields::read_price(row, self.price, quantity)?,
            executed_at: Moment { day, time: None },
            precision: TimePrecision::Day,
            exchange: trade_fields::read_exchange(row, Some(self.exchange))?,
            order_id: order_id.clone(),
        };
        trade.without_id(&order_id, file).map(Some)
    }
}
