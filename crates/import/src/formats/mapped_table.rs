//! Reader of a table with the columns that a trader mapped.

use instrument::{Contract, Kind};
use rpc::column_mapping::{normalise_column_name, parse_lot_size};
use rpc::trades::v1::{Broker, ColumnField, ColumnMapping, Exchange, Segment, Side, TimePrecision};
use rust_decimal::Decimal;
use time::Date;

use super::date_order;
use super::file_state::FileState;
use super::format::{Format, ParsedRow, RowReader};
use super::header::Header;
use super::issue::Issue;
use super::mapping_checks::MappingChecks;
use super::row_position::RowPosition;
use super::trade_fields;
use super::trade_row::{Instrument, TradeRow};
use crate::cell_value::{self, Moment};
use crate::sheet::{Cell, Row};

/// Format of tables that a column mapping describes. Its header is that of the mapping.
pub(crate) static FORMAT: MappedTable = MappedTable;

/// Name of the format.
pub(crate) const NAME: &str = "column-mapping";

pub(crate) struct MappedTable;

impl Format for MappedTable {
    fn name(&self) -> &'static str {
        NAME
    }

    fn broker(&self) -> Broker {
        Broker::Unspecified
    }

    fn match_header(&self, _header: &Header<'_>) -> Option<Box<dyn RowReader>> {
        None
    }
}

/// Returns true if `row` has the names of the header of `mapping`.
pub(crate) fn is_header(row: &Row<'_>, mapping: &ColumnMapping) -> bool {
    let mut names: Vec<_> = row.cells().map(|cell| normalise_column_name(&header_name(cell))).collect();
    while names.last().is_some_and(String::is_empty) {
        names.pop();
    }
    let expected = mapping.header.iter().map(|name| normalise_column_name(name));
    !names.is_empty() && names.len() == mapping.header.len() && names.into_iter().eq(expected)
}

/// Returns the text of a cell in a header, as mappings store it.
pub(crate) fn header_name(cell: Cell<'_>) -> String {
    cell_value::display_text(cell, 100)
}

/// Reader of the rows below the header of a mapping.
pub(crate) struct MappedReader {
    mapping: ColumnMapping,
    columns: Columns,
    lot_size: Option<Decimal>,
    checks: MappingChecks,
}

/// Column of each field.
struct Columns {
    symbol: Option<usize>,
    isin: Option<usize>,
    side: Option<usize>,
    quantity: usize,
    prices: Prices,
    value: Option<usize>,
    date: usize,
    time: Option<usize>,
    exchange: Option<usize>,
    order_id: Option<usize>,
    trade_id: Option<usize>,
    underlying: Option<usize>,
    expiry: Option<usize>,
    strike: Option<usize>,
    option_type: Option<usize>,
    lot_size: Option<usize>,
}

enum Prices {
    One(usize),
    BySide { buy: usize, sell: usize },
}

impl Columns {
    /// Returns none if a required field has no column.
    fn from_mapping(mapping: &ColumnMapping) -> Option<Self> {
        let column = |field| {
            let mapped = mapping.columns.iter().find(|mapped| mapped.field() == field)?;
            usize::try_from(mapped.column).ok()
        };
        let by_side = column(ColumnField::BuyPrice).zip(column(ColumnField::SellPrice));
        let by_side = by_side.map(|(buy, sell)| Prices::BySide { buy, sell });
        Some(Self {
            symbol: column(ColumnField::Symbol),
            isin: column(ColumnField::Isin),
            side: column(ColumnField::Side),
            quantity: column(ColumnField::Quantity)?,
            prices: by_side.or_else(|| column(ColumnField::Price).map(Prices::One))?,
            value: column(ColumnField::Value),
            date: column(ColumnField::Date)?,
            time: column(ColumnField::Time),
            exchange: column(ColumnField::Exchange),
            order_id: column(ColumnField::OrderId),
            trade_id: column(ColumnField::TradeId),
            underlying: column(ColumnField::Underlying),
            expiry: column(ColumnField::Expiry),
            strike: column(ColumnField::Strike),
            option_type: column(ColumnField::OptionType),
            lot_size: column(ColumnField::LotSize),
        })
    }
}

impl MappedReader {
    /// Creates a reader; none if the mapping lacks a required column.
    pub fn new(mapping: &ColumnMapping) -> Option<Self> {
        Some(Self {
            columns: Columns::from_mapping(mapping)?,
            lot_size: parse_lot_size(&mapping.lot_size).map(Decimal::from),
            checks: MappingChecks::new(mapping.segment()),
            mapping: mapping.clone(),
        })
    }

    fn read_moment(&self, row: &Row<'_>, column: usize) -> Option<Moment> {
        date_order::parse_moment(row, row.cell(column), self.mapping.month_first)
    }

    fn read_time(&self, row: &Row<'_>, file: &FileState) -> Result<Moment, Issue> {
        let date = self.columns.date;
        let moment = self.read_moment(row, date).ok_or(Issue::in_cell(date, "date_invalid"))?;
        let Some(column) = self.columns.time.filter(|column| !row.cell(*column).is_blank()) else {
            trade_fields::check_not_in_future(moment, date, file)?;
            return Ok(moment);
        };
        let time = cell_value::parse_time_of_day(row.cell(column))
            .or_else(|| self.read_moment(row, column).and_then(|moment| moment.time))
            .ok_or(Issue::in_cell(column, "time_invalid"))?;
        let moment = Moment { day: moment.day, time: Some(time) };
        trade_fields::check_not_in_future(moment, date, file)?;
        Ok(moment)
    }

    /// Reads the side, and returns it with the column of the price.
    fn read_side(&self, row: &Row<'_>) -> Result<(Side, usize), Issue> {
        let side = self.columns.side.map(|column| self.parse_side(row, column)).transpose()?;
        let has_price = |column: usize| {
            let number = cell_value::parse_decimal(row.cell(column));
            number.map_or_else(|| !row.cell(column).is_blank(), |number| !number.is_zero())
        };
        match (&self.columns.prices, side) {
            (Prices::One(price), Some(side)) => Ok((side, *price)),
            (Prices::BySide { buy, .. }, Some(Side::Buy)) => Ok((Side::Buy, *buy)),
            (Prices::BySide { sell, .. }, Some(side)) => Ok((side, *sell)),
            (Prices::BySide { buy, sell }, None) => match (has_price(*buy), has_price(*sell)) {
                (true, false) => Ok((Side::Buy, *buy)),
                (false, true) => Ok((Side::Sell, *sell)),
                (true, true) | (false, false) => Err(Issue::in_cell(*buy, "side_unknown")),
            },
            (Prices::One(price), None) => Err(Issue::in_cell(*price, "side_unknown")),
        }
    }

    fn parse_side(&self, row: &Row<'_>, column: usize) -> Result<Side, Issue> {
        let text = cell_value::parse_text(row.cell(column)).unwrap_or_default().to_lowercase();
        let is_in = |labels: &[String], own: [&str; 2]| {
            own.contains(&&*text) || labels.iter().any(|label| label.trim().to_lowercase() == text)
        };
        match (is_in(&self.mapping.buy_labels, ["buy", "b"]), is_in(&self.mapping.sell_labels, ["sell", "s"])) {
            (true, false) => Ok(Side::Buy),
            (false, true) => Ok(Side::Sell),
            (true, true) | (false, false) => Err(Issue::in_cell(column, "side_unknown")),
        }
    }

    /// Reads the quantity in units.
    fn read_quantity(&self, row: &Row<'_>) -> Result<Decimal, Issue> {
        let column = self.columns.quantity;
        let quantity = trade_fields::read_quantity(row, column)?;
        if !self.mapping.quantity_in_lots {
            return Ok(quantity);
        }
        let lot_size = match self.columns.lot_size {
            Some(lot_column) => trade_fields::read_quantity(row, lot_column)?,
            None => self.lot_size.ok_or(Issue::in_cell(column, "quantity_not_a_number"))?,
        };
        let units = quantity.checked_mul(lot_size).filter(|units| *units < trade_fields::QUANTITY_LIMIT);
        units.ok_or(Issue::in_cell(column, "quantity_too_large"))
    }

    fn read_exchange(&self, row: &Row<'_>) -> Result<Exchange, Issue> {
        match self.columns.exchange {
            Some(column) => trade_fields::read_exchange(row, Some(column)),
            None => Ok(self.mapping.exchange()),
        }
    }

    /// Reads the instrument, and returns it with the column of its name.
    fn read_instrument(&self, row: &Row<'_>, day: Date) -> Result<(Instrument, usize), Issue> {
        if self.mapping.segment() == Segment::Fno
            && let Some((underlying, expiry)) = self.columns.underlying.zip(self.columns.expiry)
        {
            let name = trade_fields::read_symbol(row, underlying)?;
            let contract = self.read_contract(row, &name, expiry)?;
            return Ok((Instrument::contract(&name, Some(contract)), underlying));
        }
        let Some(column) = self.columns.symbol else {
            return Err(Issue::in_row("symbol_missing"));
        };
        let name = trade_fields::read_symbol(row, column)?;
        if self.mapping.segment() == Segment::Fno {
            let contract = instrument::parse_contract(&name, day).ok_or(Issue::in_cell(column, "contract_invalid"))?;
            return Ok((Instrument::contract(&name, Some(contract)), column));
        }
        let isin = trade_fields::read_isin(row, self.columns.isin)?;
        if instrument::parse_contract(&name, day).is_some() {
            return Err(Issue::in_cell(column, "contract_in_equity"));
        }
        let symbol = strip_series(&name);
        let instrument = if is_symbol(symbol) && isin.is_empty() {
            Instrument::symbol(symbol.to_owned())
        } else {
            Instrument::share(symbol, isin, day)
        };
        Ok((instrument, column))
    }

    fn read_contract(&self, row: &Row<'_>, underlying: &str, expiry: usize) -> Result<Contract, Issue> {
        let text = |column: Option<usize>| {
            let text = column.and_then(|column| cell_value::parse_text(row.cell(column)));
            text.unwrap_or_default().to_ascii_uppercase()
        };
        let kind = match text(self.columns.option_type).as_str() {
            "CE" | "CALL" | "C" => Kind::Call,
            "PE" | "PUT" | "P" => Kind::Put,
            "" | "-" | "XX" | "FUT" | "FUTURE" | "FUTURES" => Kind::Future,
            _ => return Err(Issue::in_optional_cell(self.columns.option_type, "contract_invalid")),
        };
        let day = self.read_moment(row, expiry).ok_or(Issue::in_cell(expiry, "contract_invalid"))?.day;
        let strike = match kind {
            Kind::Future => None,
            Kind::Call | Kind::Put => {
                let invalid = Issue::in_optional_cell(self.columns.strike, "contract_invalid");
                let strike = self.columns.strike.and_then(|column| cell_value::parse_decimal(row.cell(column)));
                Some(strike.filter(|strike| instrument::is_strike(*strike)).ok_or(invalid)?.normalize())
            }
        };
        Ok(Contract { underlying: underlying.to_ascii_uppercase(), expiry: day.to_string(), kind, strike })
    }
}

/// Removes the exchange before a symbol and the series after it, as in `NSE:SBIN-EQ`.
fn strip_series(name: &str) -> &str {
    let name = ["NSE:", "BSE:"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    let series = ["-EQ", "-BE", "-BZ", "-SM", "-ST"];
    series.iter().find_map(|series| name.strip_suffix(series)).filter(|rest| !rest.is_empty()).unwrap_or(name)
}

/// Returns true for a text that can be a symbol of a share.
fn is_symbol(text: &str) -> bool {
    let is_symbol_char = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'&' | b'-');
    text.len() <= 20 && text.bytes().all(is_symbol_char) && text.bytes().any(|byte| byte.is_ascii_uppercase())
}

impl RowReader for MappedReader {
    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue> {
        if is_header(row, &self.mapping) || row.only_text().is_some() {
            return Ok(None);
        }
        // A total or a note.
        if row.cell(self.columns.date).is_blank() {
            return Err(Issue::skipped(self.columns.date, "row_without_day"));
        }
        let executed_at = self.read_time(row, file)?;
        let (side, price_column) = self.read_side(row)?;
        let quantity = self.read_quantity(row)?;
        let price = trade_fields::read_price(row, price_column, quantity)?;
        if let Some(column) = self.columns.value {
            check_value(row, column, quantity, price)?;
        }
        let (instrument, name_column) = self.read_instrument(row, executed_at.day)?;
        let trade = TradeRow {
            instrument,
            name_column,
            side,
            quantity,
            price,
            executed_at,
            precision: TimePrecision::Second,
            exchange: self.read_exchange(row)?,
            order_id: trade_fields::read_order_id(row, self.columns.order_id)?,
        };
        let mut parsed = match self.columns.trade_id {
            Some(column) => trade.with_id_in(column, row, file)?,
            None => {
                let order_id = trade.order_id.clone();
                trade.without_id(&order_id, file)?
            }
        };
        let time_column = self.columns.time.unwrap_or(self.columns.date);
        let other_order = date_order::parse_moment(row, row.cell(self.columns.date), !self.mapping.month_first);
        self.checks.record_day(executed_at.day, other_order.map(|moment| moment.day), file.position(row));
        let is_contract = self.mapping.segment() == Segment::Fno;
        parsed.warning = parsed
            .warning
            .or_else(|| self.checks.check_time(executed_at, self.columns.date, time_column))
            .or_else(|| MappingChecks::check_price(price, is_contract, price_column));
        Ok(Some(parsed))
    }

    fn finish(&mut self) -> Vec<(RowPosition, Issue)> {
        self.checks.finish(self.columns.date)
    }

    fn is_date_order_open(&self) -> bool {
        self.checks.is_date_order_open()
    }
}

/// Compares quantity times price with the value that the file states. Brokers round the value, and some state it for the
/// average of an order whose price they round.
fn check_value(row: &Row<'_>, column: usize, quantity: Decimal, price: Decimal) -> Result<(), Issue> {
    if row.cell(column).is_blank() {
        return Ok(());
    }
    let Some(stated) = cell_value::parse_decimal(row.cell(column)) else {
        return Err(Issue::in_cell(column, "value_not_a_number"));
    };
    let value = quantity.checked_mul(price).unwrap_or_default();
    // One rupee, or 0.1 percent.
    let tolerance = value.checked_mul(Decimal::new(1, 3)).unwrap_or_default().max(Decimal::ONE);
    if stated.abs().checked_sub(value).is_some_and(|difference| difference.abs() <= tolerance) {
        return Ok(());
    }
    Err(Issue::in_cell(column, "value_implausible"))
}
