//! Conversion of proto messages to domain types and back.

use prost_types::Timestamp;
use rpc::failure::Violation;
use rpc::journal::v1 as wire;
use rust_decimal::Decimal;
use time::OffsetDateTime;

use crate::amount::{AmountError, parse_amount, price_reason, quantity_reason};
use crate::public_journal::entry::{Entry, Kind, is_plain_text};
use crate::public_journal::error::Error;
use crate::public_journal::store::{IdempotencyKey, StoredEntry};

const MAX_IDEMPOTENCY_KEY_CHARS: usize = 64;

/// Parses an entry; reports every invalid field, including those that cannot be parsed.
pub(super) fn parse_entry(new: wire::NewEntry, now: OffsetDateTime) -> Result<Entry, Vec<Violation>> {
    let mut unreadable = Vec::new();
    let kind = parse_kind(new.kind());
    if kind.is_none() {
        unreadable.push(Violation::new("entry.kind", "KIND_MISSING"));
    }
    // A field that cannot be parsed gets a valid placeholder, so that the other fields are still validated.
    let mut parse = |field: &'static str, text: &str, to_reason: fn(AmountError) -> &'static str| {
        parse_amount(text).unwrap_or_else(|error| {
            unreadable.push(Violation::new(field, to_reason(error)));
            Decimal::ONE
        })
    };
    let quantity = parse("entry.quantity", &new.quantity, quantity_reason);
    let buy_price = parse("entry.buy_price", &new.buy_price, price_reason);
    let sell_price = parse("entry.sell_price", &new.sell_price, price_reason);
    let target_price = parse("entry.target_price", &new.target_price, price_reason);
    let stop_loss = parse("entry.stop_loss", &new.stop_loss, price_reason);
    let mut parse_at = |field, at: Option<Timestamp>| {
        at.and_then(parse_time).unwrap_or_else(|| {
            unreadable.push(Violation::new(field, "TIME_MISSING"));
            now
        })
    };
    let (bought_at, sold_at) = (parse_at("entry.bought_at", new.bought_at), parse_at("entry.sold_at", new.sold_at));
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
    let not_a_number = |_| vec![Violation::new("pnl", "PNL_NOT_A_NUMBER")];
    pnl.map(|pnl| pnl.parse().map_err(not_a_number)).transpose()
}

pub(super) fn parse_idempotency_key(key: String) -> Result<Option<IdempotencyKey>, Error> {
    match key.as_str() {
        "" => Ok(None),
        text if is_plain_text(text, MAX_IDEMPOTENCY_KEY_CHARS) => Ok(Some(IdempotencyKey(key))),
        _ => Err(Violation::new("idempotency_key", "INVALID").with("max_chars", MAX_IDEMPOTENCY_KEY_CHARS).into()),
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
