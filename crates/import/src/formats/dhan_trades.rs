//! Format of Dhan's trade history, with one row per fill. Two layouts are known from programs that read it.

use rpc::trades::v1::{Broker, Segment, TimePrecision};

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::trade_fields::{self, MarketSegment};
use super::trade_row::{Instrument, TradeRow};
use crate::cell_value;
use crate::sheet::Row;

pub(super) struct DhanTrades;

impl Format for DhanTrades {
    fn name(&self) -> &'static str {
        "dhan-trades"
    }

    fn broker(&self) -> Broker {
        Broker::Dhan
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        let has_status = header.has_all(&["name", "order", "tradevalue", "status"]);
        let has_ids = header.has_all(&["securityname", "orderno", "tradeno"]);
        if !has_status && !has_ids {
            return None;
        }
        Some(Box::new(Columns {
            name: header.column("name").or_else(|| header.column("securityname"))?,
            date: header.column("date")?,
            time: header.column("time")?,
            side: header.column("buy/sell")?,
            exchange: header.column("exchange")?,
            segment: header.column("segment")?,
            quantity: header.column("quantity")?,
            price: header.column("tradeprice")?,
            status: header.column("status"),
            order_id: header.column("orderno"),
            trade_id: header.column("tradeno"),
        }))
    }
}

struct Columns {
    name: usize,
    date: usize,
    time: usize,
    side: usize,
    exchange: usize,
    segment: usize,
    quantity: usize,
    price: usize,
    status: Option<usize>,
    order_id: Option<usize>,
    trade_id: Option<usize>,
}

impl RowReader for Columns {
    fn is_verified(&self) -> bool {
        false
    }

    fn segment(&self, row: &Row<'_>) -> Option<Segment> {
        MarketSegment::read(row, self.segment)?.book_segment()
    }

    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        if row.only_text().is_some() {
            return Ok(None);
        }
        if let Some(column) = self.status
            && let Some(status) = cell_value::parse_text(row.cell(column))
            && !["traded", "executed", "complete", "completed"].contains(&status.to_lowercase().as_str())
        {
            return Err(Issue::skipped(column, "order_not_executed"));
        }
        let is_fno = trade_fields::read_segment(row, self.segment)? == Segment::Fno;
        let executed_at = trade_fields::read_day_and_time(row, self.date, Some(self.time), file)?;
        let name = trade_fields::read_symbol(row, self.name)?;
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let trade = TradeRow {
            instrument: if is_fno {
                Instrument::contract(&name, instrument::parse_contract(&name, executed_at.day))
            } else {
                Instrument::share(&name, String::new(), executed_at.day)
            },
            name_column: self.name,
            side: trade_fields::read_side(row, self.side)?,
            quantity,
            price: trade_fields::read_price(row, self.price, quantity)?,
            executed_at,
            precision: TimePrecision::Second,
            exchange: trade_fields::read_exchange(row, Some(self.exchange))?,
            order_id: trade_fields::read_order_id(row, self.order_id)?,
        };
        match self.trade_id {
            Some(column) => trade.with_id_in(column, row, file),
            None => trade.without_id("", file),
        }
        .map(Some)
    }
}
