//! Conversion of column values to domain values and back.

use rust_decimal::Decimal;

use crate::contract::{Contract, ContractKind};
use crate::error::Error;
use crate::trade::{Book, BrokerAccount, Segment};

/// Parses a stored name. An unknown name is a fault of the server, not of the caller.
pub(super) fn parse_name<T>(name: &str, parse: fn(&str) -> Option<T>) -> Result<T, Error> {
    parse(name)
        .ok_or_else(|| Error::Store(sqlx::Error::Decode(format!("unknown name {name:?} in trades.trade").into())))
}

pub(super) fn parse_book(broker_account: &str, segment: &str) -> Result<Book, Error> {
    Ok(Book {
        broker_account: parse_name(broker_account, BrokerAccount::from_key)?,
        segment: parse_name(segment, Segment::from_name)?,
    })
}

/// Parses the four columns of a contract; all are null for other trades.
pub(super) fn parse_contract(
    underlying: Option<String>,
    expiry: Option<String>,
    kind: Option<String>,
    strike: Option<Decimal>,
) -> Result<Option<Contract>, Error> {
    let (Some(underlying), Some(expiry), Some(kind)) = (underlying, expiry, kind) else { return Ok(None) };
    Ok(Some(Contract { underlying, expiry, kind: parse_name(&kind, ContractKind::from_name)?, strike }))
}

/// Returns null for an empty text, which the tables do not store.
pub(super) fn null_if_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// Converts a length to the integer type of the tables.
pub(super) fn to_count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

/// Converts a number of affected rows to the integer type of the tables.
pub(super) fn to_row_count(rows: u64) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
