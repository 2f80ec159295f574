//! Format of 5paisa's transaction report, with one row per transaction and company names only.

use rpc::trades::v1::{Broker, TimePrecision};

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::trade_fields;
use super::trade_row::{Instrument, TradeRow};
use crate::cell_value::Moment;
use crate::sheet::Row;

pub(super) struct FivePaisaTransactions;

impl Format for FivePaisaTransactions {
    fn name(&self) -> &'static str {
        "5paisa-transactions"
    }

    fn broker(&self) -> Broker {
        Broker::FivePaisa
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        header.column("tax/charges")?;
        Some(Box::new(Columns {
            date: header.column("transactiondate")?,
            name: header.column("companyname")?,
            exchange: header.column("exchange")?,
            side: header.column("type")?,
            quantity: header.column("quantity")?,
            price: header.column("price")?,
        }))
    }
}

struct Columns {
    date: usize,
    name: usize,
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
            instrument: Instrument::share(&name, String::new(), day),
            name_column: self.name,
            side: trade_fields::read_side(row, self.side)?,
            quantity,
            price: trade_fields::read_price(row, self.price, quantity)?,
            executed_at: Moment { day, time: None },
            precision: TimePrecision::Day,
            exchange: trade_fields::read_exchange(row, Some(self.exchange))?,
            order_id: String::new(),
        };
        trade.without_id("", file).map(Some)
    }
}
