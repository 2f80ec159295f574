//! Conversion of basic values to proto values.

use prost_types::Timestamp;
use rpc::analytics::v1 as wire;
use rpc::broker_account::to_wire_account_number;
use rpc::trades::v1 as trades;
use rust_decimal::Decimal;
use time::{Date, OffsetDateTime};

use crate::data_issues::IssueKind;
use crate::fill::{BrokerAccount, TradeKind};
use crate::instrument::{Class, Expiry, Instrument};

pub fn to_count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

/// Formats a decimal with at most 4 decimals, without trailing zeros.
pub fn format_decimal(amount: Decimal) -> String {
    amount.round_dp(4).normalize().to_string()
}

/// Formats a decimal; empty if absent.
pub fn format_optional(amount: Option<Decimal>) -> String {
    amount.map(format_decimal).unwrap_or_default()
}

/// Formats a day, such as 2026-03-31.
pub fn format_day(day: Date) -> String {
    format!("{:04}-{:02}-{:02}", day.year(), u8::from(day.month()), day.day())
}

/// Formats a day; empty if absent.
pub fn format_optional_day(day: Option<Date>) -> String {
    day.map(format_day).unwrap_or_default()
}

pub fn to_timestamp(at: OffsetDateTime) -> Timestamp {
    Timestamp { seconds: at.unix_timestamp(), nanos: 0 }
}

/// Returns the book of an account for futures and options, or for shares.
pub fn to_book(account: BrokerAccount, contracts: bool) -> trades::Book {
    let segment = if contracts { trades::Segment::Fno } else { trades::Segment::Equity };
    trades::Book {
        broker: account.broker.to_wire().into(),
        segment: segment.into(),
        broker_account: to_wire_account_number(account.number),
    }
}

/// Formats an expiry; only the month if the day is unknown.
pub fn format_expiry(Expiry { day, exact }: Expiry) -> String {
    if exact { format_day(day) } else { format!("{:04}-{:02}", day.year(), u8::from(day.month())) }
}

/// Returns the contract that was parsed from the symbol; none for a share and an unparsed symbol.
pub fn to_contract(instrument: &Instrument) -> Option<trades::Contract> {
    let kind = match instrument.class {
        Class::Equity => return None,
        Class::Future => trades::ContractKind::Future,
        Class::Call => trades::ContractKind::Call,
        Class::Put => trades::ContractKind::Put,
    };
    Some(trades::Contract {
        underlying: instrument.underlying.clone(),
        expiry: format_expiry(instrument.expiry?),
        kind: kind.into(),
        strike: format_optional(instrument.strike),
    })
}

pub fn to_instrument(class: Class) -> wire::Instrument {
    match class {
        Class::Equity => wire::Instrument::Equity,
        Class::Future => wire::Instrument::Future,
        Class::Call => wire::Instrument::Call,
        Class::Put => wire::Instrument::Put,
    }
}

pub fn to_trade_kind(kind: TradeKind) -> wire::TradeKind {
    match kind {
        TradeKind::Intraday => wire::TradeKind::Intraday,
        TradeKind::Delivery => wire::TradeKind::Delivery,
        TradeKind::Futures => wire::TradeKind::Futures,
        TradeKind::Options => wire::TradeKind::Options,
    }
}

pub fn to_direction(long: bool) -> wire::Direction {
    if long { wire::Direction::Long } else { wire::Direction::Short }
}

pub fn to_issue_kind(kind: IssueKind) -> wire::DataIssueKind {
    match kind {
        IssueKind::MissingCost => wire::DataIssueKind::MissingCost,
        IssueKind::Settlement => wire::DataIssueKind::Settlement,
        IssueKind::CorporateAction => wire::DataIssueKind::CorporateAction,
        IssueKind::UnknownInstrument => wire::DataIssueKind::UnknownInstrument,
        IssueKind::UnknownRates => wire::DataIssueKind::UnknownRates,
        IssueKind::FileGap => wire::DataIssueKind::FileGap,
        IssueKind::OddPrice => wire::DataIssueKind::OddPrice,
        IssueKind::FairValue => wire::DataIssueKind::FairValue,
    }
}
