//! Format of Groww's profit and loss report for futures and options, with one row per buy matched with its sell.
//!
//! Groww has no order history for them. A row is two trades with dates but no times, so the order of the two within a
//! day is unknown.

use rpc::trades::v1::{Broker, Contract, ImportedTrade, Segment, Side, TimePrecision};
use rust_decimal::Decimal;

use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::trade_fields;
use crate::cell_value::{self, Moment};
use crate::sheet::Row;

/// Allowed difference between the stated price and value divided by quantity: 0.01 rupees or 1 %, whichever is larger.
/// The stated price is rounded to paise, or is that of the last fill.
const PRICE_TOLERANCE: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

pub(super) struct GrowwFnoPnl;

impl Format for GrowwFnoPnl {
    fn name(&self) -> &'static str {
        "groww-fno-pnl"
    }

    fn broker(&self) -> Broker {
        Broker::Groww
    }

    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        // Only the sheet of trades has date columns; the sheet of contracts has none.
        let columns = Columns::from_header(header)?;
        Some(Box::new(TradeSheet { columns, section: Section::from_titles(header) }))
    }
}

/// Columns of a section. Each section repeats the header.
struct Columns {
    scrip: usize,
    quantity: usize,
    buy: LegColumns,
    sell: LegColumns,
}

/// Columns of the buy or the sell.
struct LegColumns {
    date: usize,
    price: Option<usize>,
    value: usize,
}

impl Columns {
    fn from_header(header: &Header<'_>) -> Option<Self> {
        let leg = |side: &str| {
            Some(LegColumns {
                date: header.column(&format!("{side}date"))?,
                price: header.column(&format!("{side}price")),
                value: header.column(&format!("{side}value"))?,
            })
        };
        Some(Self {
            scrip: header.column("scripname")?,
            quantity: header.column("quantity")?,
            buy: leg("buy")?,
            sell: leg("sell")?,
        })
    }
}

/// Reader of the sheet of trades: sections of closed futures and options, sometimes of open ones, and a disclaimer.
struct TradeSheet {
    columns: Columns,
    section: Section,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Realised,
    Unrealised,
    Disclaimer,
}

impl Section {
    fn from_titles(header: &Header<'_>) -> Self {
        let is_open = header.has_title("unrealised trades") && !header.has_title("realised trades");
        if is_open { Self::Unrealised } else { Self::Realised }
    }

    /// Returns the section that a heading starts.
    fn from_heading(heading: &str) -> Option<Self> {
        let heading = heading.to_lowercase();
        let sections = [
            ("unrealised", Self::Unrealised),
            ("unrealized", Self::Unrealised),
            ("realised", Self::Realised),
            ("realized", Self::Realised),
            ("disclaimer", Self::Disclaimer),
        ];
        sections.into_iter().find_map(|(prefix, section)| heading.starts_with(prefix).then_some(section))
    }
}

impl RowReader for TradeSheet {
    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        if let Some(columns) = Columns::from_header(&Header::from_row(row, &[])) {
            self.columns = columns;
            return Ok(None);
        }
        if let Some(heading) = row.only_text() {
            self.section = Section::from_heading(heading).unwrap_or(self.section);
            return Ok(None);
        }
        let first = row.cells().find_map(cell_value::parse_text).unwrap_or_default().to_lowercase();
        match self.section {
            Section::Disclaimer => Ok(None),
            // The header of a section with other columns, or the total of a section, which has no dates.
            _ if first == "scrip name" || first.starts_with("total") && self.columns.has_no_dates(row) => Ok(None),
            Section::Unrealised => Err(Issue::skipped(self.columns.scrip, "position_open")),
            Section::Realised => self.columns.read_pair(row, file).map(Some),
        }
    }
}

impl Columns {
    fn has_no_dates(&self, row: &Row<'_>) -> bool {
        row.cell(self.buy.date).is_blank() && row.cell(self.sell.date).is_blank()
    }

    fn read_pair(&self, row: &Row<'_>, file: &mut FileState) -> Result<ParsedRow, Issue> {
        let scrip = trade_fields::read_symbol(row, self.scrip)?.split_whitespace().collect::<Vec<_>>().join(" ");
        let contract = instrument::parse_description(&scrip).map(trade_fields::to_proto_contract);
        let quantity = trade_fields::read_quantity(row, self.quantity)?;
        let bought = self.buy.read(row, quantity, file)?;
        let sold = self.sell.read(row, quantity, file)?;
        // There are no ids: equal rows differ only in their number.
        let contents = format!(
            "{}/{}/{}/{}/{}/{}",
            scrip.to_uppercase(),
            cell_value::format_decimal(quantity),
            bought.date.day,
            cell_value::format_decimal(bought.value),
            sold.date.day,
            cell_value::format_decimal(sold.value)
        );
        let key = file.number_key(contents);
        let pair = Pair { scrip, contract, quantity, key };
        let warning = pair.contract.is_none().then(|| Issue::in_cell(self.scrip, "contract_unknown"));
        let expired = |leg: &LegColumns| Some(Issue::expected(leg.value, "expired_without_value"));
        let legs = (pair.to_trade(Side::Buy, &bought)?, pair.to_trade(Side::Sell, &sold)?);
        let (trade, other_leg, warning) = match legs {
            (Some(buy), Some(sell)) => (buy, Some(Box::new(sell)), warning),
            (Some(buy), None) => (buy, None, warning.or_else(|| expired(&self.sell))),
            (None, Some(sell)) => (sell, None, warning.or_else(|| expired(&self.buy))),
            (None, None) => {
                return Err(Issue::in_cell(self.buy.value, "value_not_positive"));
            }
        };
        Ok(ParsedRow { segment: Segment::Fno, trade, other_leg, warning })
    }
}

/// Values of the buy or the sell.
struct Leg {
    date: Moment,
    value: Decimal,
    /// None if the value is 0: the option expired worthless.
    price: Option<Decimal>,
}

impl LegColumns {
    fn read(&self, row: &Row<'_>, quantity: Decimal, file: &FileState) -> Result<Leg, Issue> {
        let date = trade_fields::read_moment(row, self.date, file)?;
        let value = trade_fields::read_value(row, self.value)?;
        if value.is_zero() {
            return Ok(Leg { date, value, price: None });
        }
        let price = trade_fields::unit_price(value, quantity, self.value)?;
        if let Some(stated) = self.price.and_then(|column| cell_value::parse_decimal(row.cell(column))) {
            let tolerance = PRICE_TOLERANCE.max(price * PRICE_TOLERANCE);
            if stated.checked_sub(price).is_none_or(|difference| difference.abs() > tolerance) {
                return Err(Issue::in_cell(self.value, "value_implausible"));
            }
        }
        Ok(Leg { date, value, price: Some(price) })
    }
}

/// Values that the buy and the sell of a row share.
struct Pair {
    scrip: String,
    contract: Option<Contract>,
    quantity: Decimal,
    /// Start of the source keys.
    key: String,
}

impl Pair {
    /// Returns the trade of one leg; none if the option expired worthless.
    fn to_trade(&self, side: Side, leg: &Leg) -> Result<Option<ImportedTrade>, Issue> {
        let Some(price) = leg.price else {
            return Ok(None);
        };
        let date = Moment { day: leg.date.day, time: None };
        let (executed_at, precision) = trade_fields::to_timestamp(date, TimePrecision::Day);
        Ok(Some(ImportedTrade {
            side: side.into(),
            symbol: self.scrip.clone(),
            quantity: cell_value::format_decimal(self.quantity),
            price: cell_value::format_decimal(price),
            value: cell_value::format_decimal(leg.value),
            executed_at,
            time_precision: precision.into(),
            exchange: trade_fields::exchange_of_underlying(&self.scrip).into(),
            source_key: trade_fields::check_key(format!("{}/{}", self.key, trade_fields::side_name(side)))?,
            contract: self.contract.clone(),
            ..ImportedTrade::default()
        }))
    }
}
