//! Format of Paytm Money's tradebook for shares, with one row per fill.

use rpc::trades::v1::{Broker, TimePrecision};
use time::Date;

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::stated_charges::{Charge, ChargeColumns, ChargeReader, Charges};
use super::trade_fields;
use super::trade_row::{Instrument, TradeRow};
use crate::cell_value;
use crate::sheet::Row;

/// Columns of charges. STT and stamp duty of a share and day are in one of its rows.
const CHARGES: [(&str, Charge); 6] = [
    ("brokerage", |charges| &mut charges.brokerage),
    ("ett", |charges| &mut charges.exchange),
    ("gst", |charges| &mut charges.gst),
    ("stt", |charges| &mut charges.stt),
    ("sebi", |charges| &mut charges.sebi),
    ("stampduty", |charges| &mut charges.stamp_duty),
];

pub(super) struct PaytmMoneyTradebook;

impl Format for PaytmMoneyTradebook {
    fn name(&self) -> &'static str {
        "paytmmoney-tradebook"
    }

    fn broker(&self) -> Broker {
        Broker::PaytmMoney
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        // The file does not contain the name of the broker. These are its own names of columns.
        if !header.has_all(&["script", "ett"]) {
            return None;
        }
        Some(Box::new(Columns {
            date: header.column("date")?,
            isin: header.column("isin")?,
            exchange: header.column("exchange")?,
            side: header.column("type")?,
            quantity: header.column("quantity")?,
            price: header.column("price")?,
            order_id: header.column("ordernumber")?,
            trade_id: header.column("tradenumber")?,
            time: header.column("tradetime")?,
            charges: ChargeColumns::find(header, &CHARGES),
        }))
    }
}

/// Columns of the file. Its `Script` is a number or, in older months, a symbol, so that only the ISIN identifies a share.
struct Columns {
    date: usize,
    isin: usize,
    exchange: usize,
    side: usize,
    quantity: usize,
    price: usize,
    order_id: usize,
    /// 0 in rows without a time.
    trade_id: usize,
    time: usize,
    charges: Option<ChargeColumns>,
}

impl RowReader for Columns {
    fn charges(&self) -> Option<&dyn ChargeReader> {
        self.charges.is_some().then_some(self)
    }

    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        if row.only_text().is_some() {
            return Ok(None);
        }
        let executed_at = trade_fields::read_day_and_time(row, self.date, Some(self.time), file)?;
        let isin = trade_fields::read_isin(row, Some(self.isin))?;
        if isin.is_empty() {
            return Err(Issue::in_cell(self.isin, "isin_missing"));
        }
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let order_id = trade_fields::read_order_id(row, Some(self.order_id))?;
        let trade = TradeRow {
            instrument: Instrument::isin(isin, executed_at.day),
            name_column: self.isin,
            side: trade_fields::read_side(row, self.side)?,
            quantity,
            price: trade_fields::read_price(row, self.price, quantity)?,
            executed_at,
            precision: TimePrecision::Second,
            exchange: trade_fields::read_exchange(row, Some(self.exchange))?,
            order_id: order_id.clone(),
        };
        if cell_value::parse_text(row.cell(self.trade_id)).is_some_and(|id| id == "0") {
            return trade.without_id(&order_id, file).map(Some);
        }
        trade.with_id_in(self.trade_id, row, file).map(Some)
    }
}

impl ChargeReader for Columns {
    fn day(&self, row: &Row<'_>) -> Option<Date> {
        cell_value::parse_moment(row, row.cell(self.date)).map(|moment| moment.day)
    }

    fn read(&self, row: &Row<'_>) -> Result<Charges, Issue> {
        self.charges.as_ref().map(|columns| columns.read(row)).transpose().map(Option::unwrap_or_default)
    }
}
