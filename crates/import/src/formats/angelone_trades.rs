//! Format of Angel One's trades history, with one row per fill and further rows for the brokerage of orders.

use rpc::trades::v1::{Broker, Segment, Side, TimePrecision};
use time::Date;

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::stated_charges::{Charge, ChargeColumns, ChargeReader, Charges};
use super::trade_fields::{self, MarketSegment};
use super::trade_row::{Instrument, TradeRow};
use crate::cell_value::{self, Id, Moment};
use crate::sheet::Row;

/// Columns of charges. It is not known which charges "Other Charges" has: they count as those of the exchange.
const CHARGES: [(&str, Charge); 8] = [
    ("brokerage", |charges| &mut charges.brokerage),
    ("gst", |charges| &mut charges.gst),
    ("stt", |charges| &mut charges.stt),
    ("sebitax", |charges| &mut charges.sebi),
    ("exchangeturnovercharges", |charges| &mut charges.exchange),
    ("stampduty", |charges| &mut charges.stamp_duty),
    ("othercharges", |charges| &mut charges.exchange),
    ("ipftcharges", |charges| &mut charges.ipft),
];

pub(super) struct AngelOneTrades;

impl Format for AngelOneTrades {
    fn name(&self) -> &'static str {
        "angelone-trades"
    }

    fn broker(&self) -> Broker {
        Broker::AngelOne
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        // The file does not contain the name of the broker.
        header.column("ipftcharges")?;
        Some(Box::new(Columns {
            name: header.column("scrip/contract")?,
            side: header.column("buy/sell")?,
            buy_price: header.column("buyprice")?,
            sell_price: header.column("sellprice")?,
            quantity: header.column("quantity")?,
            segment: header.column("segment")?,
            exchange: header.column("exchange")?,
            order_id: header.column("orderid")?,
            trade_id: header.column("tradeid")?,
            date: header.column("date")?,
            charges: ChargeColumns::find(header, &CHARGES),
        }))
    }
}

struct Columns {
    name: usize,
    side: usize,
    buy_price: usize,
    sell_price: usize,
    quantity: usize,
    segment: usize,
    exchange: usize,
    order_id: usize,
    trade_id: usize,
    /// Day of the trade; the file has no times.
    date: usize,
    charges: Option<ChargeColumns>,
}

impl Columns {
    /// Returns true for the brokerage of an order, which is not a trade.
    fn is_brokerage(&self, row: &Row<'_>) -> bool {
        cell_value::parse_decimal(row.cell(self.quantity)).is_some_and(|quantity| quantity.is_zero())
            && cell_value::parse_id(row.cell(self.trade_id)) == Id::Missing
    }
}

impl RowReader for Columns {
    fn segment(&self, row: &Row<'_>) -> Option<Segment> {
        MarketSegment::read(row, self.segment)?.book_segment()
    }

    fn charges(&self) -> Option<&dyn ChargeReader> {
        self.charges.is_some().then_some(self)
    }

    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        if row.only_text().is_some() {
            return Ok(None);
        }
        if self.is_brokerage(row) {
            return Err(Issue::skipped(self.quantity, "brokerage_row"));
        }
        let is_fno = trade_fields::read_segment(row, self.segment)? == Segment::Fno;
        let day = self.day(row).ok_or(Issue::in_cell(self.date, "date_invalid"))?;
        let executed_at = Moment { day, time: None };
        trade_fields::check_not_in_future(executed_at, self.date, file)?;
        let name = trade_fields::read_symbol(row, self.name)?;
        let side = trade_fields::read_side(row, self.side)?;
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let price_column = if side == Side::Buy { self.buy_price } else { self.sell_price };
        let trade = TradeRow {
            instrument: if is_fno {
                Instrument::contract(&name, instrument::parse_contract(&name, day))
            } else {
                Instrument::share(&name, String::new(), day)
            },
            name_column: self.name,
            side,
            quantity,
            price: trade_fields::read_price(row, price_column, quantity)?,
            executed_at,
            precision: TimePrecision::Day,
            exchange: trade_fields::read_exchange(row, Some(self.exchange))?,
            order_id: trade_fields::read_order_id(row, Some(self.order_id))?,
        };
        trade.with_id_in(self.trade_id, row, file).map(Some)
    }
}

impl ChargeReader for Columns {
    fn day(&self, row: &Row<'_>) -> Option<Date> {
        // The cell is a date. A text is one that a spreadsheet program with American settings saved.
        cell_value::parse_american_moment(row, row.cell(self.date)).map(|moment| moment.day)
    }

    fn has_only_charges(&self, row: &Row<'_>) -> bool {
        self.is_brokerage(row)
            && !trade_fields::read_segment(row, self.segment).is_err_and(|of_other_segment| of_other_segment.is_skipped)
    }

    fn read(&self, row: &Row<'_>) -> Result<Charges, Issue> {
        trade_fields::read_segment(row, self.segment)?;
        self.charges.as_ref().map(|columns| columns.read(row)).transpose().map(Option::unwrap_or_default)
    }
}
