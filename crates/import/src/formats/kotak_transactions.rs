//! Format of Kotak Securities' transaction statement for shares and contracts, with one row per fill.

use rpc::trades::v1::{Broker, Segment, TimePrecision};
use time::Date;

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::trade_fields;
use super::trade_row::{Instrument, TradeRow};
use crate::sheet::Row;

pub(super) struct KotakTransactions;

impl Format for KotakTransactions {
    fn name(&self) -> &'static str {
        "kotak-transactions"
    }

    fn broker(&self) -> Broker {
        Broker::Kotak
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        header.column("ordersource")?;
        Some(Box::new(Columns {
            date: header.column("tradedate")?,
            time: header.column("tradetime")?,
            name: header.column("securityname")?,
            isin: header.column("isin")?,
            exchange: header.column("exchange")?,
            side: header.column("transactiontype")?,
            quantity: header.column("quantity")?,
            price: header.column("marketrate")?,
        }))
    }
}

struct Columns {
    date: usize,
    time: usize,
    name: usize,
    isin: usize,
    exchange: usize,
    side: usize,
    quantity: usize,
    price: usize,
}

impl Columns {
    fn read_instrument(&self, row: &Row<'_>, day: Date) -> Result<Instrument, Issue> {
        let name = trade_fields::read_symbol(row, self.name)?;
        let isin = trade_fields::read_isin(row, Some(self.isin))?;
        if !isin.is_empty() {
            return Ok(Instrument::share(&name, isin, day));
        }
        // The statement has no column for the segment, and shares have an ISIN.
        let contract = instrument::parse_contract(&name, day).ok_or(Issue::in_cell(self.name, "contract_invalid"))?;
        Ok(Instrument::contract(&name, Some(contract)))
    }
}

impl RowReader for Columns {
    fn segment(&self, row: &Row<'_>) -> Option<Segment> {
        Some(if row.cell(self.isin).is_blank() { Segment::Fno } else { Segment::Equity })
            .filter(|_| row.only_text().is_none())
    }

    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        if row.only_text().is_some() {
            return Ok(None);
        }
        trade_fields::check_exchange_segment(row, self.exchange)?;
        let executed_at = trade_fields::read_day_and_time(row, self.date, Some(self.time), file)?;
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let trade = TradeRow {
            instrument: self.read_instrument(row, executed_at.day)?,
            name_column: self.name,
            side: trade_fields::read_side(row, self.side)?,
            quantity,
            price: trade_fields::read_price(row, self.price, quantity)?,
            executed_at,
            precision: TimePrecision::Second,
            exchange: trade_fields::read_exchange(row, Some(self.exchange))?,
            order_id: String::new(),
        };
        trade.without_id("", file).map(Some)
    }
}
