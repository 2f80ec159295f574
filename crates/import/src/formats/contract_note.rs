//! Formats of the brokers' contract notes, whose fills are read to a table by `crate::contract_note`.

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

/// Characters of a company name; the trade log accepts no longer symbol.
const MAX_NAME_CHARS: usize = 64;

/// Format of one broker's contract notes.
pub(super) struct ContractNote {
    pub name: &'static str,
    pub broker: Broker,
}

impl Format for ContractNote {
    fn name(&self) -> &'static str {
        self.name
    }

    fn broker(&self) -> Broker {
        self.broker
    }

    fn is_contract_note(&self) -> bool {
        true
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        header.column(self.name)?;
        Some(Box::new(Columns {
            day: header.column("tradedate")?,
            time: header.column("time")?,
            order_id: header.column("order")?,
            trade_id: header.column("trade")?,
            exchange: header.column("exchange")?,
            segment: header.column("segment")?,
            description: header.column("description")?,
            isin: header.column("isin")?,
            side: header.column("side")?,
            quantity: header.column("quantity")?,
            price: header.column("price")?,
            value: header.column("value")?,
            broker: self.broker,
        }))
    }
}

struct Columns {
    day: usize,
    time: usize,
    order_id: usize,
    trade_id: usize,
    exchange: usize,
    segment: usize,
    description: usize,
    isin: usize,
    side: usize,
    quantity: usize,
    price: usize,
    value: usize,
    broker: Broker,
}

impl Columns {
    fn read_instrument(&self, row: &Row<'_>, day: Date) -> Result<Instrument, Issue> {
        let description = cell_value::parse_text(row.cell(self.description)).unwrap_or_default();
        let isin = trade_fields::read_isin(row, Some(self.isin))?;
        if trade_fields::read_segment(row, self.segment)? == Segment::Fno {
            let name = description.trim_end_matches("- NSE").trim_end_matches("- BSE").trim();
            let contract = instrument::parse_contract(name, day);
            // Zerodha's tradebook has the exchange's symbol.
            return Ok(match self.broker {
                Broker::Zerodha => Instrument::exchange_contract(name, contract),
                _ => Instrument::contract(name, contract),
            });
        }
        Ok(match self.broker {
            // Such as `SYMBOL-EQ/ISIN` or `SYMBOL - EQ / ISIN`; the series may be missing, and a symbol may contain a hyphen.
            Broker::Zerodha => {
                let name = description.split('/').next().unwrap_or_default().trim();
                let is_series = |series: &str| (1..=2).contains(&series.trim().len());
                let symbol =
                    name.rsplit_once('-').filter(|(_, series)| is_series(series)).map_or(name, |(name, _)| name);
                Instrument::symbol_with_isin(symbol.trim_end().to_owned(), isin)
            }
            _ => {
                let name: String =
                    description.split('[').next().unwrap_or_default().chars().take(MAX_NAME_CHARS).collect();
                Instrument::share(name.trim(), isin, day)
            }
        })
    }
}

impl RowReader for Columns {
    fn is_verified(&self) -> bool {
        matches!(self.broker, Broker::Groww | Broker::Upstox)
    }

    fn segment(&self, row: &Row<'_>) -> Option<Segment> {
        MarketSegment::read(row, self.segment)?.book_segment()
    }

    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        let executed_at = trade_fields::read_day_and_time(row, self.day, Some(self.time), file)?;
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let order_value =
            if row.cell(self.value).is_blank() { None } else { Some(trade_fields::read_value(row, self.value)?) };
        let price = match order_value {
            Some(value) => trade_fields::unit_price(value, quantity, self.value)?,
            None => trade_fields::read_price(row, self.price, quantity)?,
        };
        let trade = TradeRow {
            instrument: self.read_instrument(row, executed_at.day)?,
            name_column: self.description,
            side: trade_fields::read_side(row, self.side)?,
            quantity,
            price,
            executed_at,
            precision: TimePrecision::Second,
            exchange: trade_fields::read_exchange(row, Some(self.exchange))?,
            order_id: trade_fields::read_order_id(row, Some(self.order_id))?,
        };
        match order_value {
            Some(value) => trade.order_of_groww(value, file),
            None => trade.with_id_in(self.trade_id, row, file),
        }
        .map(Some)
    }
}
