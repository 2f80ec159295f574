//! Format of Fyers' tradebook, with one row per fill and further rows for positions that are carried over a night.

use rpc::trades::v1::{Broker, Exchange, Segment, TimePrecision};
use time::{Date, Time};

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::trade_fields::{self, MarketSegment};
use super::trade_row::{Instrument, TradeRow};
use crate::cell_value;
use crate::sheet::Row;

pub(super) struct FyersTradebook;

impl Format for FyersTradebook {
    fn name(&self) -> &'static str {
        "fyers-tradebook"
    }

    fn broker(&self) -> Broker {
        Broker::Fyers
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        // The file does not contain the name of the broker.
        Some(Box::new(Columns {
            name: header.column("symbolname").or_else(|| header.column("name"))?,
            code: header.column("symbolcode"),
            executed_at: header.column("date&time")?,
            side: header.column("side")?,
            product: header.column("producttype")?,
            quantity: header.column("qty")?,
            price: header.column("tradedprice")?,
            segment: header.column("segment")?,
            order_ids: [header.column("exchangeorderid")?, header.column("omsorderid")?],
        }))
    }
}

struct Columns {
    name: usize,
    /// Symbol such as `NSE:SBIN-EQ`. A layout without it was never seen in a real file.
    code: Option<usize>,
    executed_at: usize,
    side: usize,
    product: usize,
    quantity: usize,
    price: usize,
    segment: usize,
    /// Columns of ids, which spreadsheet programs damage: they only show which rows are not trades.
    order_ids: [usize; 2],
}

impl Columns {
    /// Returns true for a position carried over a night, which is printed again with the opposite side: at midnight,
    /// without a product, and with an id that starts with `NDIR`.
    fn is_carried_position(&self, row: &Row<'_>) -> bool {
        let text = |column: usize| cell_value::parse_text(row.cell(column)).unwrap_or_default();
        let moment = cell_value::parse_moment(row, row.cell(self.executed_at));
        moment.is_some_and(|moment| moment.time.is_none_or(|time| time == Time::MIDNIGHT))
            && text(self.product) == "-"
            && self.order_ids.iter().any(|column| text(*column).starts_with("NDIR"))
    }

    /// Splits the code into exchange and symbol.
    fn read_code<'r>(&self, row: &Row<'r>) -> Option<(String, String)> {
        let code = cell_value::parse_text(row.cell(self.code?))?;
        code.split_once(':').map(|(exchange, symbol)| (exchange.to_ascii_uppercase(), symbol.to_owned()))
    }

    fn read_instrument(&self, row: &Row<'_>, is_fno: bool, day: Date) -> Result<(Instrument, Exchange), Issue> {
        let name = trade_fields::read_symbol(row, self.name)?;
        let code = self.read_code(row);
        let exchange = match code.as_ref().map(|(exchange, _)| exchange.as_str()) {
            Some("BSE") => Exchange::Bse,
            Some("MCX") => return Err(Issue::skipped(self.name, "commodity_segment")),
            Some(_) | None => trade_fields::exchange_of_underlying(&name),
        };
        let symbol = code.map(|(_, symbol)| symbol);
        if is_fno {
            let contract =
                instrument::parse_contract(&name, day).or_else(|| instrument::parse_contract(symbol.as_deref()?, day));
            return Ok((Instrument::contract(&name, contract), exchange));
        }
        // Shares have the suffix of their series.
        let symbol = symbol.as_deref().and_then(|symbol| symbol.rsplit_once('-')).map(|(symbol, _)| symbol.to_owned());
        Ok((
            match symbol {
                Some(symbol) => Instrument::symbol(symbol),
                None => Instrument::share(&name, String::new(), day),
            },
            exchange,
        ))
    }
}

impl RowReader for Columns {
    fn is_verified(&self) -> bool {
        self.code.is_some()
    }

    fn segment(&self, row: &Row<'_>) -> Option<Segment> {
        MarketSegment::read(row, self.segment)?.book_segment()
    }

    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        if row.only_text().is_some() {
            return Ok(None);
        }
        if self.is_carried_position(row) {
            return Err(Issue::skipped(self.product, "carried_position"));
        }
        let is_fno = trade_fields::read_segment(row, self.segment)? == Segment::Fno;
        let executed_at = trade_fields::read_moment(row, self.executed_at, file)?;
        let (instrument, exchange) = self.read_instrument(row, is_fno, executed_at.day)?;
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let trade = TradeRow {
            instrument,
            name_column: self.name,
            side: trade_fields::read_side(row, self.side)?,
            quantity,
            price: trade_fields::read_price(row, self.price, quantity)?,
            executed_at,
            precision: TimePrecision::Second,
            exchange,
            order_id: String::new(),
        };
        trade.without_id("", file).map(Some)
    }
}
