//! Cells that every broker's report has, as the trade log takes them.

use instrument::{Contract, Kind};
use prost_types::Timestamp;
use rpc::trades::v1::{self as wire, Exchange, Side, TimePrecision};
use rust_decimal::{Decimal, RoundingStrategy};

use super::{Fault, FileSoFar};
use crate::field::{self, Id, Moment};
use crate::sheet::{Cell, Row};

/// What the trade log takes; a trade beyond would refuse the whole file.
const LONGEST_SYMBOL: usize = 64;
const LONGEST_KEY: usize = 120;
/// Above every price and value.
pub(crate) const LIMIT: Decimal = Decimal::from_parts(0x4876_E800, 0x17, 0, false, 0);
/// Above every quantity.
const QUANTITY_LIMIT: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);

pub(super) fn side(row: &Row<'_>, column: usize) -> Result<Side, Fault> {
    match row.cell(column) {
        Cell::Text(text) if text.trim().eq_ignore_ascii_case("buy") => Ok(Side::Buy),
        Cell::Text(text) if text.trim().eq_ignore_ascii_case("sell") => Ok(Side::Sell),
        _ => Err(Fault::at(column, "side_unknown", "The side is neither buy nor sell.")),
    }
}

pub(super) fn exchange(row: &Row<'_>, column: Option<usize>) -> Result<Exchange, Fault> {
    let Some(column) = column else {
        return Err(Fault::row("exchange_unknown", "The file does not say which exchange."));
    };
    match field::text(row.cell(column)).unwrap_or_default().to_ascii_uppercase().as_str() {
        "NSE" | "NFO" => Ok(Exchange::Nse),
        "BSE" | "BFO" => Ok(Exchange::Bse),
        _ => Err(Fault::at(column, "exchange_unknown", "The exchange is neither NSE nor BSE.")),
    }
}

pub(super) fn exchange_name(exchange: Exchange) -> &'static str {
    match exchange {
        Exchange::Nse | Exchange::Unspecified => "NSE",
        Exchange::Bse => "BSE",
    }
}

pub(crate) fn symbol(row: &Row<'_>, column: usize) -> Result<String, Fault> {
    let Some(symbol) = field::text(row.cell(column)) else {
        return Err(Fault::at(column, "symbol_missing", "There is no symbol."));
    };
    let unseen = |c| matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    if symbol.chars().count() > LONGEST_SYMBOL || symbol.contains(|c: char| c.is_control() || unseen(c)) {
        return Err(Fault::at(column, "symbol_invalid", "The symbol is longer than 64 characters, or not one."));
    }
    Ok(symbol.into_owned())
}

/// Blank where the file has none.
pub(crate) fn isin(row: &Row<'_>, column: Option<usize>) -> Result<String, Fault> {
    let Some(column) = column else {
        return Ok(String::new());
    };
    match field::id(row.cell(column)) {
        Id::Missing => Ok(String::new()),
        Id::Known(isin) if isin.len() == 12 && isin.bytes().all(|c| c.is_ascii_alphanumeric()) => Ok(isin.into_owned()),
        Id::Known(_) | Id::Odd => Err(Fault::at(column, "isin_invalid", "The ISIN has not 12 letters and digits.")),
    }
}

/// Blank where the file has none, or has lost it.
pub(super) fn order_id(row: &Row<'_>, column: Option<usize>) -> Result<String, Fault> {
    let Some(column) = column else {
        return Ok(String::new());
    };
    match field::id(row.cell(column)) {
        Id::Missing => Ok(String::new()),
        Id::Known(id) => Ok(id.into_owned()),
        Id::Odd => Err(Fault::at(column, "order_id_invalid", "The order id is not one.")),
    }
}

pub(super) fn quantity(row: &Row<'_>, column: usize) -> Result<Decimal, Fault> {
    let cell = row.cell(column);
    let Some(quantity) = field::decimal(cell) else {
        return Err(Fault::at(column, "quantity_not_a_number", "The quantity is not a number."));
    };
    let quantity = quantity.round_dp(6);
    if quantity <= Decimal::ZERO {
        return Err(Fault::at(column, "quantity_not_positive", "The quantity is not above 0."));
    }
    if !quantity.fract().is_zero() {
        return Err(Fault::at(column, "quantity_not_whole", "The quantity is not a whole number."));
    }
    if quantity >= QUANTITY_LIMIT {
        return Err(Fault::at(column, "quantity_too_large", "The quantity is too large."));
    }
    Ok(quantity)
}

/// The rupees for all of a trade, where the broker tells those.
pub(crate) fn value(row: &Row<'_>, column: usize) -> Result<Decimal, Fault> {
    let Some(value) = field::decimal(row.cell(column)) else {
        return Err(Fault::at(column, "value_not_a_number", "The value is not a number."));
    };
    let value = value.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero);
    if value < Decimal::ZERO {
        return Err(Fault::at(column, "value_not_positive", "The value is not above 0."));
    }
    if value >= LIMIT {
        return Err(Fault::at(column, "amount_too_large", "The amount is too large."));
    }
    Ok(value)
}

/// What one costs, where the broker tells what all cost.
pub(super) fn price_of(value: Decimal, quantity: Decimal, column: usize) -> Result<Decimal, Fault> {
    value
        .checked_div(quantity)
        .map(|price| price.round_dp_with_strategy(4, RoundingStrategy::MidpointAwayFromZero))
        .filter(|price| *price > Decimal::ZERO)
        .ok_or(Fault::at(column, "price_not_positive", "The price is not above 0."))
}

/// The moment in a cell, which is not ahead of us.
pub(super) fn moment(row: &Row<'_>, column: usize, file: &FileSoFar) -> Result<Moment, Fault> {
    let moment = field::moment(row, row.cell(column)).ok_or(Fault::at(
        column,
        "date_invalid",
        "The date is not a date of 1990 to 2100.",
    ))?;
    not_ahead(moment, column, file)?;
    Ok(moment)
}

/// `BUY` or `SELL`, for keys.
pub(super) fn side_name(side: Side) -> &'static str {
    side.as_str_name().trim_start_matches("SIDE_")
}

/// A trade is not from the future.
pub(super) fn not_ahead(moment: Moment, column: usize, file: &FileSoFar) -> Result<(), Fault> {
    if moment.instant() > file.latest {
        return Err(Fault::at(column, "date_in_future", "The date is in the future."));
    }
    Ok(())
}

pub(super) fn wire_time(moment: Moment, exact: TimePrecision) -> (Option<Timestamp>, TimePrecision) {
    let at = Timestamp { seconds: moment.instant().unix_timestamp(), nanos: 0 };
    (Some(at), if moment.time.is_some() { exact } else { TimePrecision::Day })
}

pub(super) fn wire_contract(contract: Contract) -> wire::Contract {
    let Contract { underlying, expiry, kind, strike } = contract;
    let kind = match kind {
        Kind::Future => wire::ContractKind::Future,
        Kind::Call => wire::ContractKind::Call,
        Kind::Put => wire::ContractKind::Put,
    };
    wire::Contract { underlying, expiry, kind: kind.into(), strike: strike.map(field::plain).unwrap_or_default() }
}

/// A key that the trade log takes.
pub(super) fn key(text: String) -> Result<String, Fault> {
    if text.len() > LONGEST_KEY {
        return Err(Fault::row("too_long", "The names and numbers in this row are longer than any broker's."));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_as_long_as_the_trade_log_takes() {
        assert_eq!(key("k".repeat(120)).ok().map(|key| key.len()), Some(120));
        assert_eq!(key("k".repeat(121)).err().map(|fault| fault.code), Some("too_long"));
    }

    #[test]
    fn a_price_that_rounds_to_nothing_is_none() {
        let price = |value: &str| price_of(value.parse().unwrap(), Decimal::from(3), 0).map_err(|fault| fault.code);
        assert_eq!(price("0.0002"), Ok("0.0001".parse().unwrap()));
        assert_eq!(price("0.0001"), Err("price_not_positive"));
    }
}
