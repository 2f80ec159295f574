//! Conversion of proto messages to domain types and back.

use prost_types::Timestamp;
use rpc::failure::Violation;
use rpc::journals::v1 as wire;
use rust_decimal::Decimal;
use time::OffsetDateTime;

use crate::entry::{Entry, Kind, is_plain_text, violation};
use crate::error::Error;
use crate::store::{IdempotencyKey, StoredEntry};

pub(super) const KIND_MESSAGE: &str = "A trade is intraday or equity.";

const MAX_IDEMPOTENCY_KEY_CHARS: usize = 64;
/// Maximum number of digits before the decimal point, and after it: half of the 28 digits of a decimal.
const MAX_DIGITS: usize = 14;

/// Parses an entry; reports every invalid field, including those that cannot be parsed.
pub(super) fn parse_entry(new: wire::NewEntry, now: OffsetDateTime) -> Result<Entry, Vec<Violation>> {
    let mut unreadable = Vec::new();
    let kind = parse_kind(new.kind());
    if kind.is_none() {
        unreadable.push(violation("type", "KIND_MISSING", KIND_MESSAGE));
    }
    // A field that cannot be parsed gets a valid placeholder, so that the other fields are still validated.
    let mut parse = |field: &'static str, text: &str, describe: DescribeAmount| {
        parse_amount(text).unwrap_or_else(|error| {
            let (reason, message) = describe(error);
            unreadable.push(violation(field, reason, message));
            Decimal::ONE
        })
    };
    let quantity = parse("quantity", &new.quantity, describe_quantity);
    let buy_price = parse("buyPrice", &new.buy_price, describe_price);
    let sell_price = parse("sellPrice", &new.sell_price, describe_price);
    let target_price = parse("targetPrice", &new.target_price, describe_price);
    let stop_loss = parse("stopLoss", &new.stop_loss, describe_price);
    let mut parse_at = |field, at: Option<Timestamp>| {
        at.and_then(parse_time).unwrap_or_else(|| {
            unreadable.push(violation(field, "TIME_MISSING", "A trade has a time."));
            now
        })
    };
    let (bought_at, sold_at) = (parse_at("buyDateTime", new.bought_at), parse_at("sellDateTime", new.sold_at));
    let validated = Entry {
        kind: kind.unwrap_or(Kind::Intraday),
        symbol: new.symbol.trim().to_uppercase(),
        quantity,
        buy_price,
        sell_price,
        target_price,
        stop_loss,
        bought_at: truncate_to_micros(bought_at),
        sold_at: truncate_to_micros(sold_at),
    }
    .validate(now);
    match validated {
        Ok(entry) if unreadable.is_empty() => Ok(entry),
        Ok(_) => Err(unreadable),
        Err(violations) => {
            unreadable.extend(violations);
            Err(unreadable)
        }
    }
}

pub(super) fn parse_stated_pnl(pnl: Option<String>) -> Result<Option<Decimal>, Vec<Violation>> {
    let not_a_number = |_| vec![violation("pnl", "PNL_NOT_A_NUMBER", "The profit must be a number.")];
    pnl.map(|pnl| pnl.parse().map_err(not_a_number)).transpose()
}

pub(super) fn parse_idempotency_key(key: String) -> Result<Option<IdempotencyKey>, Error> {
    match key.as_str() {
        "" => Ok(None),
        text if is_plain_text(text, MAX_IDEMPOTENCY_KEY_CHARS) => Ok(Some(IdempotencyKey(key))),
        _ => Err(Error::invalid_field("Idempotency-Key", "An Idempotency-Key has at most 64 characters.")),
    }
}

pub(super) const fn parse_kind(kind: wire::Kind) -> Option<Kind> {
    match kind {
        wire::Kind::Unspecified => None,
        wire::Kind::Intraday => Some(Kind::Intraday),
        wire::Kind::Equity => Some(Kind::Equity),
    }
}

pub(super) fn to_wire_entry(StoredEntry { entry_id, entry }: StoredEntry) -> wire::Entry {
    let (pnl, win) = (entry.pnl().to_string(), entry.is_win());
    let kind = match entry.kind {
        Kind::Intraday => wire::Kind::Intraday,
        Kind::Equity => wire::Kind::Equity,
    };
    let plain = |amount: Decimal| amount.normalize().to_string();
    let entry = wire::NewEntry {
        kind: kind.into(),
        symbol: entry.symbol,
        quantity: plain(entry.quantity),
        buy_price: plain(entry.buy_price),
        sell_price: plain(entry.sell_price),
        target_price: plain(entry.target_price),
        stop_loss: plain(entry.stop_loss),
        bought_at: Some(to_timestamp(entry.bought_at)),
        sold_at: Some(to_timestamp(entry.sold_at)),
    };
    wire::Entry { id: entry_id, entry: Some(entry), pnl, win }
}

/// Error of [`parse_amount`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AmountError {
    NotANumber,
    /// Too many digits before the decimal point.
    TooLarge,
    /// Too many digits after the decimal point.
    TooPrecise,
}

/// Returns the reason code and the message of an invalid amount.
type DescribeAmount = fn(AmountError) -> (&'static str, &'static str);

const fn describe_quantity(error: AmountError) -> (&'static str, &'static str) {
    match error {
        AmountError::NotANumber => ("QUANTITY_NOT_A_NUMBER", "Quantity must be a number."),
        AmountError::TooLarge => ("QUANTITY_OUT_OF_RANGE", "Quantity must be above 0 and below 1,00,00,00,000."),
        AmountError::TooPrecise => ("QUANTITY_TOO_PRECISE", "Quantity has at most 6 decimals."),
    }
}

const fn describe_price(error: AmountError) -> (&'static str, &'static str) {
    match error {
        AmountError::NotANumber => ("PRICE_NOT_A_NUMBER", "Price must be a number."),
        AmountError::TooLarge => ("PRICE_OUT_OF_RANGE", "Price must be above 0 and below 1,00,00,00,00,000."),
        AmountError::TooPrecise => ("PRICE_TOO_PRECISE", "Price has at most 4 decimals."),
    }
}

/// Parses digits with an optional fraction and an optional leading minus; no exponent, no plus sign.
fn parse_amount(text: &str) -> Result<Decimal, AmountError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return Err(AmountError::NotANumber);
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    if whole.len() > MAX_DIGITS {
        return Err(AmountError::TooLarge);
    }
    if fraction.len() > MAX_DIGITS {
        return Err(AmountError::TooPrecise);
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    Decimal::from_str_exact(&format!("{sign}0{whole}.{fraction}0")).map_err(|_| AmountError::NotANumber)
}

fn parse_time(at: Timestamp) -> Option<OffsetDateTime> {
    let nanos = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
    OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()
}

/// Truncates to the precision of Postgres.
fn truncate_to_micros(at: OffsetDateTime) -> OffsetDateTime {
    at.replace_nanosecond(at.microsecond() * 1_000).unwrap_or(at)
}

fn to_timestamp(at: OffsetDateTime) -> Timestamp {
    Timestamp { seconds: at.unix_timestamp(), nanos: at.nanosecond().cast_signed() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_plain_decimals_only() {
        for (text, want) in [("1", "1"), ("-1.50", "-1.5"), ("007", "7"), ("0.000001", "0.000001"), ("-0", "0")] {
            assert_eq!(parse_amount(text).unwrap(), want.parse().unwrap(), "{text}");
        }
        for text in ["", "-", "1.", ".5", "+1", "1e3", "1,000", "NaN", "1_0"] {
            assert_eq!(parse_amount(text), Err(AmountError::NotANumber), "{text}");
        }
        assert_eq!(parse_amount(&"9".repeat(15)), Err(AmountError::TooLarge));
        assert_eq!(parse_amount(&format!("1.{}", "1".repeat(15))), Err(AmountError::TooPrecise));
    }
}
