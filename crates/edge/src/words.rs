//! The words that stand for the core's enumerations in JSON, forms and queries.

use rpc::careers::v1::Step;
use rpc::journals::v1::Kind;
use rpc::trades::v1::{
    Broker, ChangeKind, ContractKind, Exchange, PreviewOutcome, Resolution, Segment, Side, TimePrecision,
};

/// The core said something that has no word here.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the core sent {0} that is not known")]
pub(crate) struct Wordless(pub &'static str);

/// A broker that a client named.
pub(crate) fn broker(word: &str) -> Option<Broker> {
    match word {
        "zerodha" => Some(Broker::Zerodha),
        "groww" => Some(Broker::Groww),
        _ => None,
    }
}

/// A trade type that a client named.
pub(crate) fn segment(word: &str) -> Option<Segment> {
    match word {
        "equity" => Some(Segment::Equity),
        "fno" => Some(Segment::Fno),
        _ => None,
    }
}

/// A side that a client named.
pub(crate) fn side(word: &str) -> Option<Side> {
    match word {
        "buy" => Some(Side::Buy),
        "sell" => Some(Side::Sell),
        _ => None,
    }
}

/// The word for a broker.
pub(crate) fn of_broker(broker: Broker) -> Result<&'static str, Wordless> {
    match broker {
        Broker::Zerodha => Ok("zerodha"),
        Broker::Groww => Ok("groww"),
        Broker::Unspecified => Err(Wordless("a broker")),
    }
}

/// The word for a trade type.
pub(crate) fn of_segment(segment: Segment) -> Result<&'static str, Wordless> {
    match segment {
        Segment::Equity => Ok("equity"),
        Segment::Fno => Ok("fno"),
        Segment::Unspecified => Err(Wordless("a segment")),
    }
}

/// The word for a side.
pub(crate) fn of_side(side: Side) -> Result<&'static str, Wordless> {
    match side {
        Side::Buy => Ok("buy"),
        Side::Sell => Ok("sell"),
        Side::Unspecified => Err(Wordless("a side")),
    }
}

/// The word for an exchange.
pub(crate) fn of_exchange(exchange: Exchange) -> Result<&'static str, Wordless> {
    match exchange {
        Exchange::Nse => Ok("NSE"),
        Exchange::Bse => Ok("BSE"),
        Exchange::Unspecified => Err(Wordless("an exchange")),
    }
}

/// The word for how exactly a time is known.
pub(crate) fn of_precision(precision: TimePrecision) -> Result<&'static str, Wordless> {
    match precision {
        TimePrecision::Second => Ok("second"),
        TimePrecision::Minute => Ok("minute"),
        TimePrecision::Day => Ok("day"),
        TimePrecision::Unspecified => Err(Wordless("a precision")),
    }
}

/// An exchange that a client named.
pub(crate) fn exchange(word: &str) -> Option<Exchange> {
    match word {
        "NSE" => Some(Exchange::Nse),
        "BSE" => Some(Exchange::Bse),
        _ => None,
    }
}

/// The word for what was done to a book.
pub(crate) fn of_change(kind: ChangeKind) -> Result<&'static str, Wordless> {
    match kind {
        ChangeKind::Import => Ok("import"),
        ChangeKind::Entry => Ok("entry"),
        ChangeKind::Replace => Ok("replace"),
        ChangeKind::Edit => Ok("edit"),
        ChangeKind::Delete => Ok("delete"),
        ChangeKind::Unspecified => Err(Wordless("a change")),
    }
}

/// The word for a kind of contract.
pub(crate) fn of_contract(kind: ContractKind) -> Result<&'static str, Wordless> {
    match kind {
        ContractKind::Future => Ok("FUT"),
        ContractKind::Call => Ok("CE"),
        ContractKind::Put => Ok("PE"),
        ContractKind::Unspecified => Err(Wordless("a kind of contract")),
    }
}

/// The word for what would become of a trade.
pub(crate) fn of_outcome(outcome: PreviewOutcome) -> Result<&'static str, Wordless> {
    match outcome {
        PreviewOutcome::Added => Ok("added"),
        PreviewOutcome::Duplicate => Ok("duplicate"),
        PreviewOutcome::Conflict => Ok("conflict"),
        PreviewOutcome::Unspecified => Err(Wordless("an outcome")),
    }
}

/// What a client decided about a conflict.
pub(crate) fn resolution(word: &str) -> Option<Resolution> {
    match word {
        "keep" => Some(Resolution::Keep),
        "take" => Some(Resolution::Take),
        _ => None,
    }
}

/// A page of the journal that a client named.
pub(crate) fn kind(word: &str) -> Option<Kind> {
    match word {
        "intraday" => Some(Kind::Intraday),
        "equity" => Some(Kind::Equity),
        _ => None,
    }
}

/// The word for a page of the journal.
pub(crate) fn of_kind(kind: Kind) -> Result<&'static str, Wordless> {
    match kind {
        Kind::Intraday => Ok("intraday"),
        Kind::Equity => Ok("equity"),
        Kind::Unspecified => Err(Wordless("a kind of entry")),
    }
}

/// The word for a step of recruitment.
pub(crate) fn of_step(step: Step) -> Result<&'static str, Wordless> {
    match step {
        Step::Received => Ok("received"),
        Step::InitialDiscussion => Ok("initial-discussion"),
        Step::TechnicalRound => Ok("technical-round"),
        Step::TeamRound => Ok("team-round"),
        Step::FinalDiscussion => Ok("final-discussion"),
        Step::Offered => Ok("offered"),
        Step::Rejected => Ok("rejected"),
        Step::Unspecified => Err(Wordless("a step")),
    }
}

/// Whether a client says that an entry won.
pub(crate) fn win(word: &str) -> Option<bool> {
    match word {
        "WIN" => Some(true),
        "LOSS" => Some(false),
        _ => None,
    }
}

/// The word for whether it did.
pub(crate) fn of_win(win: bool) -> &'static str {
    if win { "WIN" } else { "LOSS" }
}
