//! Names of the core's enum values in JSON, forms and queries.

use rpc::careers::v1::Step;
use rpc::journals::v1::Kind;
use rpc::trades::v1::{
    Book, Broker, ChangeKind, ContractKind, Exchange, PreviewOutcome, Resolution, Segment, Side, TimePrecision,
};

/// The core sent an enum value without a name; contains what it should be, such as "a side".
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the core sent {0} that is not known")]
pub(crate) struct UnknownValue(pub &'static str);

/// Parses the name of a broker.
pub(crate) fn parse_broker(name: &str) -> Option<Broker> {
    match name {
        "zerodha" => Some(Broker::Zerodha),
        "groww" => Some(Broker::Groww),
        _ => None,
    }
}

/// Parses the name of a segment (trade type).
pub(crate) fn parse_segment(name: &str) -> Option<Segment> {
    match name {
        "equity" => Some(Segment::Equity),
        "fno" => Some(Segment::Fno),
        _ => None,
    }
}

/// Parses the name of a side.
pub(crate) fn parse_side(name: &str) -> Option<Side> {
    match name {
        "buy" => Some(Side::Buy),
        "sell" => Some(Side::Sell),
        _ => None,
    }
}

/// Returns the name of a broker.
pub(crate) fn broker_name(broker: Broker) -> Result<&'static str, UnknownValue> {
    match broker {
        Broker::Zerodha => Ok("zerodha"),
        Broker::Groww => Ok("groww"),
        Broker::Unspecified => Err(UnknownValue("a broker")),
    }
}

/// Returns the name of a segment (trade type).
pub(crate) fn segment_name(segment: Segment) -> Result<&'static str, UnknownValue> {
    match segment {
        Segment::Equity => Ok("equity"),
        Segment::Fno => Ok("fno"),
        Segment::Unspecified => Err(UnknownValue("a segment")),
    }
}

/// Returns the name of a side.
pub(crate) fn side_name(side: Side) -> Result<&'static str, UnknownValue> {
    match side {
        Side::Buy => Ok("buy"),
        Side::Sell => Ok("sell"),
        Side::Unspecified => Err(UnknownValue("a side")),
    }
}

/// Returns the name of an exchange.
pub(crate) fn exchange_name(exchange: Exchange) -> Result<&'static str, UnknownValue> {
    match exchange {
        Exchange::Nse => Ok("NSE"),
        Exchange::Bse => Ok("BSE"),
        Exchange::Unspecified => Err(UnknownValue("an exchange")),
    }
}

/// Returns the name of a time precision.
pub(crate) fn precision_name(precision: TimePrecision) -> Result<&'static str, UnknownValue> {
    match precision {
        TimePrecision::Second => Ok("second"),
        TimePrecision::Minute => Ok("minute"),
        TimePrecision::Day => Ok("day"),
        TimePrecision::Unspecified => Err(UnknownValue("a precision")),
    }
}

/// Parses the name of an exchange.
pub(crate) fn parse_exchange(name: &str) -> Option<Exchange> {
    match name {
        "NSE" => Some(Exchange::Nse),
        "BSE" => Some(Exchange::Bse),
        _ => None,
    }
}

/// Returns the name of a kind of change to a book.
pub(crate) fn change_kind_name(kind: ChangeKind) -> Result<&'static str, UnknownValue> {
    match kind {
        ChangeKind::Import => Ok("import"),
        ChangeKind::Entry => Ok("entry"),
        ChangeKind::Replace => Ok("replace"),
        ChangeKind::Edit => Ok("edit"),
        ChangeKind::Delete => Ok("delete"),
        ChangeKind::Unspecified => Err(UnknownValue("a change")),
    }
}

/// Returns the name of a kind of contract.
pub(crate) fn contract_kind_name(kind: ContractKind) -> Result<&'static str, UnknownValue> {
    match kind {
        ContractKind::Future => Ok("FUT"),
        ContractKind::Call => Ok("CE"),
        ContractKind::Put => Ok("PE"),
        ContractKind::Unspecified => Err(UnknownValue("a kind of contract")),
    }
}

/// Returns the name of the outcome of a previewed trade.
pub(crate) fn preview_outcome_name(outcome: PreviewOutcome) -> Result<&'static str, UnknownValue> {
    match outcome {
        PreviewOutcome::Added => Ok("added"),
        PreviewOutcome::Duplicate => Ok("duplicate"),
        PreviewOutcome::Conflict => Ok("conflict"),
        PreviewOutcome::Unspecified => Err(UnknownValue("an outcome")),
    }
}

/// Parses the resolution of a conflict.
pub(crate) fn parse_resolution(name: &str) -> Option<Resolution> {
    match name {
        "keep" => Some(Resolution::Keep),
        "take" => Some(Resolution::Take),
        _ => None,
    }
}

/// Parses the name of a journal page.
pub(crate) fn parse_journal_kind(name: &str) -> Option<Kind> {
    match name {
        "intraday" => Some(Kind::Intraday),
        "equity" => Some(Kind::Equity),
        _ => None,
    }
}

/// Returns the name of a journal page.
pub(crate) fn journal_kind_name(kind: Kind) -> Result<&'static str, UnknownValue> {
    match kind {
        Kind::Intraday => Ok("intraday"),
        Kind::Equity => Ok("equity"),
        Kind::Unspecified => Err(UnknownValue("a kind of entry")),
    }
}

/// Returns the name of a recruitment step.
pub(crate) fn step_name(step: Step) -> Result<&'static str, UnknownValue> {
    match step {
        Step::Received => Ok("received"),
        Step::InitialDiscussion => Ok("initial-discussion"),
        Step::TechnicalRound => Ok("technical-round"),
        Step::TeamRound => Ok("team-round"),
        Step::FinalDiscussion => Ok("final-discussion"),
        Step::Offered => Ok("offered"),
        Step::Rejected => Ok("rejected"),
        Step::Unspecified => Err(UnknownValue("a step")),
    }
}

/// Parses the result of a journal entry; true for a win.
pub(crate) fn parse_win(name: &str) -> Option<bool> {
    match name {
        "WIN" => Some(true),
        "LOSS" => Some(false),
        _ => None,
    }
}

/// Returns the result of a journal entry.
pub(crate) fn win_name(win: bool) -> &'static str {
    if win { "WIN" } else { "LOSS" }
}

/// Returns the names of a book's broker and segment.
pub(crate) fn book_names(book: &Book) -> Result<(&'static str, &'static str), UnknownValue> {
    Ok((broker_name(book.broker())?, segment_name(book.segment())?))
}
