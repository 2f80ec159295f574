//! Format of Upstox's trade report, with one row per fill. It contains shares, contracts and mutual funds.

use instrument::{Contract, Kind};
use rpc::trades::v1::{Broker, Segment, TimePrecision};
use time::Date;

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::trade_fields::{self, MarketSegment};
use super::trade_row::{Instrument, TradeRow};
use crate::cell_value;
use crate::sheet::Row;

pub(super) struct UpstoxTrades;

impl Format for UpstoxTrades {
    fn name(&self) -> &'static str {
        "upstox-trades"
    }

    fn broker(&self) -> Broker {
        Broker::Upstox
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        // A code of BSE, also of trades at NSE, next to an instrument type: no other broker's list of trades has both.
        header.column("scripcode")?;
        let columns = Columns {
            date: header.column("date")?,
            company: header.column("company")?,
            exchange: header.column("exchange")?,
            segment: header.column("segment")?,
            kind: header.column("instrumenttype")?,
            strike: header.column("strikeprice")?,
            expiry: header.column("expiry")?,
            trade_id: header.column("tradenum")?,
            time: header.column("tradetime")?,
            side: header.column("side")?,
            quantity: header.column("quantity")?,
            price: header.column("price")?,
        };
        Some(Box::new(columns))
    }
}

/// Columns of the file. Its `Amount` is rounded, so that it may differ from quantity times price by paise.
struct Columns {
    date: usize,
    company: usize,
    exchange: usize,
    segment: usize,
    kind: usize,
    strike: usize,
    expiry: usize,
    trade_id: usize,
    time: usize,
    side: usize,
    quantity: usize,
    price: usize,
}

impl Columns {
    fn read_contract(&self, row: &Row<'_>, underlying: &str) -> Result<Contract, Issue> {
        let kind = match cell_value::parse_text(row.cell(self.kind)).unwrap_or_default().to_ascii_lowercase() {
            name if name.ends_with("call") => Kind::Call,
            name if name.ends_with("put") => Kind::Put,
            name if name.starts_with("fut") || name.ends_with("future") || name.ends_with("futures") => Kind::Future,
            _ => return Err(Issue::in_cell(self.kind, "contract_invalid")),
        };
        let expiry = cell_value::parse_moment(row, row.cell(self.expiry));
        let expiry = expiry.ok_or(Issue::in_cell(self.expiry, "contract_invalid"))?;
        let strike = match kind {
            Kind::Future => None,
            Kind::Call | Kind::Put => {
                let strike = cell_value::parse_decimal(row.cell(self.strike));
                let strike = strike.filter(|strike| instrument::is_strike(*strike));
                Some(strike.ok_or(Issue::in_cell(self.strike, "contract_invalid"))?.normalize())
            }
        };
        Ok(Contract { underlying: underlying.to_owned(), expiry: expiry.day.to_string(), kind, strike })
    }

    fn read_instrument(&self, row: &Row<'_>, day: Date) -> Result<Instrument, Issue> {
        let name = trade_fields::read_symbol(row, self.company)?;
        if trade_fields::read_segment(row, self.segment)? == Segment::Fno {
            let contract = self.read_contract(row, &name.to_ascii_uppercase())?;
            return Ok(Instrument::contract(&name, Some(contract)));
        }
        Ok(Instrument::share(&name, String::new(), day))
    }
}

impl RowReader for Columns {
    fn segment(&self, row: &Row<'_>) -> Option<Segment> {
        MarketSegment::read(row, self.segment)?.book_segment()
    }

    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        // The note at the end.
        if row.only_text().is_some() {
            return Ok(None);
        }
        trade_fields::read_segment(row, self.segment)?;
        let executed_at = trade_fields::read_day_and_time(row, self.date, Some(self.time), file)?;
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let trade = TradeRow {
            instrument: self.read_instrument(row, executed_at.day)?,
            name_column: self.company,
            side: trade_fields::read_side(row, self.side)?,
            quantity,
            price: trade_fields::read_price(row, self.price, quantity)?,
            executed_at,
            precision: TimePrecision::Second,
            exchange: trade_fields::read_exchange(row, Some(self.exchange))?,
            order_id: String::new(),
        };
        // Shares of an issue or a corporate action have no id.
        trade.with_id_in(self.trade_id, row, file).map(Some)
    }
}
