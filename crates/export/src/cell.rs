//! Cells of a table, by the type a spreadsheet should give them.

use std::borrow::Cow;

use prost_types::Timestamp;
use rpc::trades::v1::TimePrecision;
use rust_decimal::Decimal;
use time::macros::{format_description, offset};
use time::{Date, OffsetDateTime, PrimitiveDateTime};

use crate::error::Error;

/// Value of a cell.
pub enum Cell<'a> {
    /// Text of a trader or broker, or a label.
    Text(Cow<'a, str>),
    /// Decimal in plain notation.
    Number(&'a str),
    /// Calculated amount.
    Decimal(Decimal),
    /// Formula of a workbook with its result; other files have the result.
    Formula(String, Decimal),
    /// Whole number.
    Count(i64),
    /// Time in India with its precision.
    Time(PrimitiveDateTime, TimePrecision),
}

impl<'a> Cell<'a> {
    /// Creates a number cell; fails if `text` is not written as JSON writes decimals.
    pub fn number(text: &'a str) -> Result<Self, Error> {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = unsigned.split_once('.').map_or((unsigned, None), |(whole, rest)| (whole, Some(rest)));
        let is_valid = digits(whole) && (whole.len() == 1 || !whole.starts_with('0')) && fraction.is_none_or(digits);
        if is_valid { Ok(Self::Number(text)) } else { Err(Error::InvalidDecimal(text.to_owned())) }
    }

    /// Creates a formula whose result is written as JSON writes decimals.
    pub fn formula(formula: String, result: &str) -> Result<Self, Error> {
        let result = result.parse().map_err(|_| Error::InvalidDecimal(result.to_owned()))?;
        Ok(Self::Formula(formula, result))
    }

    /// Returns the amount of a number, decimal or formula; 0 for other cells.
    pub fn amount(&self) -> Decimal {
        match self {
            Self::Number(text) => text.parse().unwrap_or_default(),
            Self::Decimal(amount) | Self::Formula(_, amount) => *amount,
            Self::Text(_) | Self::Count(_) | Self::Time(..) => Decimal::ZERO,
        }
    }

    /// Creates a number cell, or an empty one if `text` is empty.
    pub fn optional_number(text: &'a str) -> Result<Self, Error> {
        if text.is_empty() { Ok(Self::Text("".into())) } else { Self::number(text) }
    }

    /// Creates a cell with a day such as `2025-06-03`.
    pub fn day(text: &str) -> Result<Self, Error> {
        let day = Date::parse(text, format_description!("[year]-[month]-[day]")).map_err(|_| Error::InvalidTime)?;
        Ok(Self::Time(day.midnight(), TimePrecision::Day))
    }

    /// Creates a time cell.
    pub fn time(at: Option<&Timestamp>, precision: TimePrecision) -> Result<Self, Error> {
        let at = at.ok_or(Error::InvalidTime)?;
        let nanos = u32::try_from(at.nanos).map_err(|_| Error::InvalidTime)?;
        let seconds = OffsetDateTime::from_unix_timestamp(at.seconds).map_err(|_| Error::InvalidTime)?;
        let at = seconds.replace_nanosecond(nanos).map_err(|_| Error::InvalidTime)?.to_offset(offset!(+5:30));
        Ok(Self::Time(PrimitiveDateTime::new(at.date(), at.time()), precision))
    }
}
