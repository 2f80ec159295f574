//! Reads the fields of a trade that every broker's file has, within the limits of the trade log.

use instrument::{Contract, Kind};
use prost_types::Timestamp;
use rpc::trades::v1::{self as wire, Exchange, Segment, Side, TimePrecision};
use rust_decimal::{Decimal, RoundingStrategy};

use super::file_state::FileState;
use super::issue::Issue;
use crate::cell_value::{self, Id, Moment};
use crate::sheet::{Cell, Row};

/// Characters of a symbol. The trade log rejects a whole file with a longer one.
const MAX_SYMBOL_CHARS: usize = 64;
/// Bytes of a source key. The trade log rejects a whole file with a longer one.
const MAX_KEY_BYTES: usize = 120;
/// Exclusive limit of prices and values in rupees, 10^11.
pub(crate) const AMOUNT_LIMIT: Decimal = Decimal::from_parts(0x4876_E800, 0x17, 0, false, 0);
/// Exclusive limit of quantities, 10^9.
pub(super) const QUANTITY_LIMIT: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);

/// Reads `buy`, `B`, `sell` or `S`, in any case.
pub(super) fn read_side(row: &Row<'_>, column: usize) -> Result<Side, Issue> {
    let is_one_of = |text: &str, names: [&str; 2]| names.iter().any(|name| text.trim().eq_ignore_ascii_case(name));
    match row.cell(column) {
        Cell::Text(text) if is_one_of(text, ["buy", "b"]) => Ok(Side::Buy),
        Cell::Text(text) if is_one_of(text, ["sell", "s"]) => Ok(Side::Sell),
        _ => Err(Issue::in_cell(column, "side_unknown")),
    }
}

pub(super) fn read_exchange(row: &Row<'_>, column: Option<usize>) -> Result<Exchange, Issue> {
    let Some(column) = column else {
        return Err(Issue::in_row("exchange_missing"));
    };
    match cell_value::parse_text(row.cell(column)).unwrap_or_default().to_ascii_uppercase().as_str() {
        "NSE" | "NFO" | "FON" => Ok(Exchange::Nse),
        "BSE" | "BFO" | "FOB" => Ok(Exchange::Bse),
        _ => Err(Issue::in_cell(column, "exchange_unknown")),
    }
}

pub(super) fn exchange_name(exchange: Exchange) -> &'static str {
    match exchange {
        Exchange::Nse | Exchange::Unspecified => "NSE",
        Exchange::Bse => "BSE",
    }
}

pub(crate) fn read_symbol(row: &Row<'_>, column: usize) -> Result<String, Issue> {
    let Some(symbol) = cell_value::parse_text(row.cell(column)) else {
        return Err(Issue::in_cell(column, "symbol_missing"));
    };
    let is_invisible = |c| matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    if symbol.chars().count() > MAX_SYMBOL_CHARS || symbol.contains(|c: char| c.is_control() || is_invisible(c)) {
        return Err(Issue::in_cell(column, "symbol_invalid"));
    }
    Ok(symbol.into_owned())
}

/// Reads the ISIN; empty if there is none.
pub(crate) fn read_isin(row: &Row<'_>, column: Option<usize>) -> Result<String, Issue> {
    let Some(column) = column else {
        return Ok(String::new());
    };
    match cell_value::parse_id(row.cell(column)) {
        Id::Missing => Ok(String::new()),
        Id::Valid(isin) if isin.len() == 12 && isin.bytes().all(|c| c.is_ascii_alphanumeric()) => Ok(isin.into_owned()),
        Id::Valid(_) | Id::Invalid => Err(Issue::in_cell(column, "isin_invalid")),
    }
}

/// Reads the order id; empty if there is none or a spreadsheet program rounded it.
pub(super) fn read_order_id(row: &Row<'_>, column: Option<usize>) -> Result<String, Issue> {
    let Some(column) = column else {
        return Ok(String::new());
    };
    match cell_value::parse_id(row.cell(column)) {
        Id::Missing => Ok(String::new()),
        Id::Valid(id) => Ok(id.into_owned()),
        Id::Invalid => Err(Issue::in_cell(column, "order_id_invalid")),
    }
}

pub(super) fn read_quantity(row: &Row<'_>, column: usize) -> Result<Decimal, Issue> {
    let cell = row.cell(column);
    let Some(quantity) = cell_value::parse_decimal(cell) else {
        return Err(Issue::in_cell(column, "quantity_not_a_number"));
    };
    let quantity = quantity.round_dp(6);
    if quantity <= Decimal::ZERO {
        return Err(Issue::in_cell(column, "quantity_not_positive"));
    }
    if !quantity.fract().is_zero() {
        return Err(Issue::in_cell(column, "quantity_not_whole"));
    }
    if quantity >= QUANTITY_LIMIT {
        return Err(Issue::in_cell(column, "quantity_too_large"));
    }
    Ok(quantity)
}

/// Segment of a market, as brokers name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarketSegment {
    Equity,
    Fno,
    Currency,
    Commodity,
    MutualFund,
}

impl MarketSegment {
    /// Reads a segment; none if its name is unknown.
    pub fn read(row: &Row<'_>, column: usize) -> Option<Self> {
        let text = cell_value::parse_text(row.cell(column))?;
        let name: String = text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_uppercase();
        match name.strip_prefix("NSE").or_else(|| name.strip_prefix("BSE")).unwrap_or(&name) {
            "EQ" | "EQUITY" | "CASH" | "CAPITAL" | "CM" => Some(Self::Equity),
            "FO" | "FNO" | "FUTURES" | "OPTIONS" | "FUT" | "OPT" | "DERIVATIVE" | "DERIVATIVES" | "DRV" => {
                Some(Self::Fno)
            }
            "CD" | "CDS" | "CUR" | "CURRENCY" => Some(Self::Currency),
            "COM" | "COMM" | "COMMODITY" | "COMMODITIES" | "MCX" | "NCDEX" => Some(Self::Commodity),
            "MF" | "MUTUALFUND" | "MUTUALFUNDS" => Some(Self::MutualFund),
            _ => None,
        }
    }

    /// Returns the segment of the book that the row would belong to. Rows that are not imported are reported with those
    /// that are most like them.
    pub fn book_segment(self) -> Option<Segment> {
        match self {
            Self::Equity | Self::MutualFund => Some(Segment::Equity),
            Self::Fno | Self::Currency | Self::Commodity => Some(Segment::Fno),
        }
    }
}

/// Reads the segment of a row of shares, futures or options. Skips other rows.
pub(super) fn read_segment(row: &Row<'_>, column: usize) -> Result<Segment, Issue> {
    match MarketSegment::read(row, column) {
        Some(MarketSegment::Equity) => Ok(Segment::Equity),
        Some(MarketSegment::Fno) => Ok(Segment::Fno),
        Some(MarketSegment::Currency) => Err(Issue::skipped(column, "currency_segment")),
        Some(MarketSegment::Commodity) => Err(Issue::skipped(column, "commodity_segment")),
        Some(MarketSegment::MutualFund) => Err(Issue::skipped(column, "mutual_fund")),
        None => Err(Issue::in_cell(column, "segment_unknown")),
    }
}

/// Skips a row of an exchange or a segment of it for commodities or currency, in files without a column for the segment.
pub(super) fn check_exchange_segment(row: &Row<'_>, column: usize) -> Result<(), Issue> {
    match MarketSegment::read(row, column) {
        Some(MarketSegment::Commodity) => Err(Issue::skipped(column, "commodity_segment")),
        Some(MarketSegment::Currency) => Err(Issue::skipped(column, "currency_segment")),
        Some(MarketSegment::Equity | MarketSegment::Fno | MarketSegment::MutualFund) | None => Ok(()),
    }
}

/// Returns the exchange of a contract or share in files that do not state it: BSE for its indices, otherwise NSE.
pub(super) fn exchange_of_underlying(name: &str) -> Exchange {
    let is_of_bse = |word: &str| ["SENSEX", "BANKEX", "SENSEX50"].iter().any(|index| word.eq_ignore_ascii_case(index));
    if name.split_whitespace().next().is_some_and(is_of_bse) { Exchange::Bse } else { Exchange::Nse }
}

/// Reads the price of one unit, which the trade log accepts together with `quantity`.
pub(super) fn read_price(row: &Row<'_>, column: usize, quantity: Decimal) -> Result<Decimal, Issue> {
    let Some(price) = cell_value::parse_decimal(row.cell(column)) else {
        return Err(Issue::in_cell(column, "price_not_a_number"));
    };
    let price = cell_value::round_price(price);
    if price <= Decimal::ZERO {
        return Err(Issue::in_cell(column, "price_not_positive"));
    }
    if price.checked_mul(quantity).is_none_or(|value| price >= AMOUNT_LIMIT || value >= AMOUNT_LIMIT) {
        return Err(Issue::in_cell(column, "amount_too_large"));
    }
    Ok(price)
}

/// Reads the value of a trade in rupees, in files that have it.
pub(crate) fn read_value(row: &Row<'_>, column: usize) -> Result<Decimal, Issue> {
    let Some(value) = cell_value::parse_decimal(row.cell(column)) else {
        return Err(Issue::in_cell(column, "value_not_a_number"));
    };
    let value = value.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero);
    if value < Decimal::ZERO {
        return Err(Issue::in_cell(column, "value_not_positive"));
    }
    if value >= AMOUNT_LIMIT {
        return Err(Issue::in_cell(column, "amount_too_large"));
    }
    Ok(value)
}

/// Calculates the price of one unit, in files that have the value only.
pub(super) fn unit_price(value: Decimal, quantity: Decimal, column: usize) -> Result<Decimal, Issue> {
    value
        .checked_div(quantity)
        .map(|price| price.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero))
        .filter(|price| *price > Decimal::ZERO)
        .ok_or(Issue::in_cell(column, "price_not_positive"))
}

/// Reads a date with an optional time, which must not be in the future.
pub(super) fn read_moment(row: &Row<'_>, column: usize, file: &FileState) -> Result<Moment, Issue> {
    let moment = cell_value::parse_moment(row, row.cell(column)).ok_or(Issue::in_cell(column, "date_invalid"))?;
    check_not_in_future(moment, column, file)?;
    Ok(moment)
}

/// Reads a date in one column and a time of day in another, which may be blank.
pub(super) fn read_day_and_time(
    row: &Row<'_>,
    day_column: usize,
    time_column: Option<usize>,
    file: &FileState,
) -> Result<Moment, Issue> {
    let Moment { day, .. } = read_moment(row, day_column, file)?;
    let Some(column) = time_column.filter(|column| !row.cell(*column).is_blank()) else {
        return Ok(Moment { day, time: None });
    };
    let cell = row.cell(column);
    let time = cell_value::parse_time_of_day(cell)
        .or_else(|| cell_value::parse_moment(row, cell).and_then(|moment| moment.time))
        .ok_or(Issue::in_cell(column, "time_invalid"))?;
    let moment = Moment { day, time: Some(time) };
    check_not_in_future(moment, column, file)?;
    Ok(moment)
}

/// Returns `BUY` or `SELL`, for source keys.
pub(super) fn side_name(side: Side) -> &'static str {
    side.as_str_name().trim_start_matches("SIDE_")
}

/// Returns an error if the time is in the future.
pub(super) fn check_not_in_future(moment: Moment, column: usize, file: &FileState) -> Result<(), Issue> {
    if moment.instant() > file.latest {
        return Err(Issue::in_cell(column, "date_in_future"));
    }
    Ok(())
}

/// Converts a time, with the precision `exact` if it has a time of day.
pub(super) fn to_timestamp(moment: Moment, exact: TimePrecision) -> (Option<Timestamp>, TimePrecision) {
    let at = Timestamp { seconds: moment.instant().unix_timestamp(), nanos: 0 };
    (Some(at), if moment.time.is_some() { exact } else { TimePrecision::Day })
}

pub(super) fn to_proto_contract(contract: Contract) -> wire::Contract {
    let Contract { underlying, expiry, kind, strike } = contract;
    let kind = match kind {
        Kind::Future => wire::ContractKind::Future,
        Kind::Call => wire::ContractKind::Call,
        Kind::Put => wire::ContractKind::Put,
    };
    wire::Contract {
        underlying,
        expiry,
        kind: kind.into(),
        strike: strike.map(cell_value::format_decimal).unwrap_or_default(),
    }
}

/// Returns the source key, or an error if it is longer than the trade log accepts.
pub(super) fn check_key(text: String) -> Result<String, Issue> {
    if text.len() > MAX_KEY_BYTES {
        return Err(Issue::in_row("too_long"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_key_above_the_limit_of_the_trade_log() {
        assert_eq!(check_key("k".repeat(120)).ok().map(|key| key.len()), Some(120));
        assert_eq!(check_key("k".repeat(121)).err().map(|issue| issue.code), Some("too_long"));
    }

    #[test]
    fn rejects_a_price_that_rounds_to_zero() {
        let price = |value: &str| unit_price(value.parse().unwrap(), Decimal::from(3), 0).map_err(|issue| issue.code);
        assert_eq!(price("0.0002"), Ok("0.0001".parse().unwrap()));
        assert_eq!(price("0.0001"), Err("price_not_positive"));
    }
}
