//! Format of HDFC Securities' trade report for shares, with one row per fill: a web page that is named .xls.

use rpc::trades::v1::{Broker, TimePrecision};

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::trade_fields;
use super::trade_row::{Instrument, TradeRow};
use crate::cell_value::Moment;
use crate::sheet::Row;

pub(super) struct HdfcSecuritiesTrades;

impl Format for HdfcSecuritiesTrades {
    fn name(&self) -> &'static str {
        "hdfcsecurities-trades"
    }

    fn broker(&self) -> Broker {
        Broker::HdfcSecurities
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        header.column("netrate")?;
        Some(Box::new(Columns {
            date: header.column("tradedate")?,
            order_id: header.column("orderno")?,
            trade_id: header.column("tradeno")?,
            name: header.column("securityname")?,
            isin: header.column("isin")?,
            exchange: header.column("exchange")?,
            side: header.column("buy/sell")?,
            quantity: header.column("quantity")?,
            price: header.column("rate")?,
        }))
    }
}

/// Columns of the file. Its `Net Rate` includes the brokerage.
struct Columns {
    date: usize,
    order_id: usize,
    trade_id: usize,
    name: usize,
    isin: usize,
    exchange: usize,
    side: usize,
    quantity: usize,
    price: usize,
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
        let name = trade_fields::read_symbol(row, self.name)?;
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let trade = TradeRow {
            instrument: Instrument::share(&name, trade_fields::read_isin(row, Some(self.isin))?, day),
            name_column: self.name,
            side: trade_fields::read_side(row, self.side)?,
            quantity,
            price: trade_fields::read_price(row, self.price, quantity)?,
            executed_at: Moment { day, time: None },
            precision: TimePrecision::Day,
            exchange: trade_fields::read_exchange(row, Some(self.exchange))?,
            order_id: trade_fields::read_order_id(row, Some(self.order_id))?,
        };
        trade.with_id_in(self.trade_id, row, file).map(Some)
    }
}
