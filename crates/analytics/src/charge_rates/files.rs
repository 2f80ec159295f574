//! Parsing of the rate files.

use std::str::FromStr;

use rust_decimal::Decimal;
use serde::Deserialize;
use time::Date;
use time::macros::format_description;

use super::{BrokerPrice, ChargeEvent, ChargeRates, Levy, LevyRate, percent_of};
use crate::exchange::Exchange;
use crate::fill::{Broker, Side};
use crate::instrument::SecurityKind;

/// Reason why a rate file cannot be parsed.
#[derive(Debug, thiserror::Error)]
pub enum RatesError {
    #[error("invalid CSV")]
    Csv(#[from] csv::Error),
    #[error("unknown value: {0}")]
    UnknownValue(String),
    #[error("invalid day")]
    Day(#[from] time::error::Parse),
    #[error("invalid number")]
    Number(#[from] rust_decimal::Error),
}

/// Parses all files.
pub(super) fn parse_files() -> Result<ChargeRates, RatesError> {
    Ok(ChargeRates {
        stt: parse_levy(include_str!("../../rates/stt.csv"))?,
        exchange: parse_levy(include_str!("../../rates/exchange.csv"))?,
        sebi: parse_levy(include_str!("../../rates/sebi.csv"))?,
        ipft: parse_levy(include_str!("../../rates/ipft.csv"))?,
        stamp_duty: parse_levy(include_str!("../../rates/stamp-duty.csv"))?,
        gst: parse_levy(include_str!("../../rates/gst.csv"))?,
        broker_prices: [
            (Broker::Zerodha, parse_broker_prices(include_str!("../../rates/broker-zerodha.csv"))?),
            (Broker::Groww, parse_broker_prices(include_str!("../../rates/broker-groww.csv"))?),
        ],
    })
}

fn parse_levy(file: &str) -> Result<Levy, RatesError> {
    #[derive(Deserialize)]
    struct Row {
        from: String,
        exchange: String,
        event: String,
        side: String,
        underlying: String,
        /// Only in files with rates that depend on it.
        #[serde(default)]
        security: String,
        #[serde(default)]
        series: String,
        #[serde(default)]
        max_days_to_expiry: String,
        percent: String,
        source: String,
    }
    let mut rates = Vec::new();
    for row in csv::Reader::from_reader(file.as_bytes()).deserialize() {
        let row: Row = row?;
        let percent = parse_number(&row.percent)?;
        rates.push(LevyRate {
            from: parse_day(&row.from)?,
            exchange: parse_optional(&row.exchange, Exchange::from_name)?,
            event: parse_optional(&row.event, ChargeEvent::from_name)?,
            side: parse_optional(&row.side, |name| match name {
                "buy" => Some(Side::Buy),
                "sell" => Some(Side::Sell),
                _ => None,
            })?,
            underlying: Some(row.underlying).filter(|name| !name.is_empty()),
            security: parse_optional(&row.security, SecurityKind::from_name)?,
            series: row.series.split_whitespace().map(str::to_owned).collect(),
            max_days_to_expiry: parse_optional(&row.max_days_to_expiry, |days| days.parse().ok())?,
            percent,
            fraction: percent_of(Decimal::ONE, percent),
            source: row.source,
        });
    }
    rates.sort_by_key(|rate| {
        let is_for =
            (rate.underlying.is_some(), !rate.series.is_empty(), rate.security.is_some(), rate.event.is_some());
        std::cmp::Reverse((rate.from, rate.max_days_to_expiry.is_some(), is_for))
    });
    Ok(Levy::new(rates))
}

fn parse_broker_prices(file: &str) -> Result<Vec<BrokerPrice>, RatesError> {
    #[derive(Deserialize)]
    struct Row {
        from: String,
        event: String,
        flat: String,
        /// Only in files with prices that depend on it.
        #[serde(default)]
        flat_below_100: String,
        percent: String,
        max: String,
        min: String,
        max_percent: String,
        source: String,
    }
    let optional = |text: &str| (!text.is_empty()).then(|| parse_number(text)).transpose();
    let mut prices = Vec::new();
    for row in csv::Reader::from_reader(file.as_bytes()).deserialize() {
        let row: Row = row?;
        let event = parse_optional(&row.event, ChargeEvent::from_name)?;
        prices.push(BrokerPrice {
            from: parse_day(&row.from)?,
            event: event.ok_or_else(|| RatesError::UnknownValue(row.event.clone()))?,
            flat: optional(&row.flat)?,
            flat_below_100: optional(&row.flat_below_100)?,
            percent: optional(&row.percent)?.unwrap_or_default(),
            max: optional(&row.max)?,
            min: optional(&row.min)?.unwrap_or_default(),
            max_percent: optional(&row.max_percent)?,
            source: row.source,
        });
    }
    prices.sort_by_key(|price| std::cmp::Reverse(price.from));
    Ok(prices)
}

/// Parses a cell that may be empty. An empty cell means that the rate applies to all values.
fn parse_optional<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, RatesError> {
    if text.is_empty() {
        return Ok(None);
    }
    parse(text).map(Some).ok_or_else(|| RatesError::UnknownValue(text.to_owned()))
}

fn parse_day(text: &str) -> Result<Date, RatesError> {
    Ok(Date::parse(text, format_description!("[year]-[month]-[day]"))?)
}

fn parse_number(text: &str) -> Result<Decimal, RatesError> {
    Ok(Decimal::from_str(text)?)
}
