//! The client record as JSON. Trades are written by hand: their decimals go from the core's text to the client's
//! without ever being a float, and page by page without the list ever being whole.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use http::StatusCode;
use prost_types::Timestamp;
use rpc::auth::v1::GetAccountResponse;
use rpc::trades::v1::list_trades_response::Part;
use rpc::trades::v1::{Book, Contract, ListTradesResponse, Trade, TradesHead};
use serde::Serialize;
use serde_json::value::RawValue;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::time::timeout;
use tonic::Streaming;

use crate::problem::Problem;
use crate::trades::answer::Outcome;
use crate::words::{self, Wordless};

/// What the core sent cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unwritable {
    #[error(transparent)]
    Word(#[from] Wordless),
    #[error("the core sent a number that is none: {0:?}")]
    Number(String),
    #[error("the core sent a time that is none")]
    Time,
    #[error("the core sent a trade without a book")]
    NoBook,
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
}

/// Everything but the trades.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Top<'a> {
    name: &'a str,
    client_id: &'a str,
    email: &'a str,
    phone_number: &'a str,
    tradetype: Option<&'static str>,
    total: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<&'a str>,
    #[serde(flatten)]
    outcome: Option<&'a Outcome>,
}

/// The record without its trades.
pub(crate) fn minimal(
    account: &GetAccountResponse,
    head: &TradesHead,
    next_cursor: Option<&str>,
    outcome: Option<&Outcome>,
) -> Result<Vec<u8>, Unwritable> {
    let top = Top {
        name: &account.name,
        client_id: &account.client_id,
        email: &account.email,
        phone_number: &account.phone,
        tradetype: head.last_book.as_ref().map(|book| words::of_segment(book.segment())).transpose()?,
        total: head.total,
        next_cursor,
        outcome,
    };
    Ok(serde_json::to_vec(&top)?)
}

/// One trade by itself.
pub(crate) fn trade(trade: &Trade) -> Result<Box<RawValue>, Unwritable> {
    let mut out = Vec::with_capacity(256);
    push_trade(&mut out, trade)?;
    Ok(serde_json::from_slice(&out)?)
}

/// A record with all of its trades at hand.
pub(crate) fn with_trades(minimal: Vec<u8>, trades: &[Trade]) -> Result<Vec<u8>, Unwritable> {
    let mut out = opened(minimal);
    push_trades(&mut out, trades, true)?;
    out.extend_from_slice(b"]}");
    Ok(out)
}

/// The record up to its first trade.
fn opened(mut minimal: Vec<u8>) -> Vec<u8> {
    minimal.pop();
    minimal.extend_from_slice(b",\"trades\":[");
    minimal
}

/// Why a list ends in the middle. The client sees that it did: the connection breaks off.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Broken {
    #[error("the core broke off")]
    Core(#[from] tonic::Status),
    #[error("the core fell silent")]
    Silent(#[from] tokio::time::error::Elapsed),
    #[error("the core sent something else than a page")]
    NoPage,
    #[error("the core refused a page: {0:?}")]
    Page(Problem),
    #[error("the trades changed")]
    Changed,
    #[error("cannot write CSV")]
    Csv(#[from] csv::Error),
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
}

impl From<Broken> for Problem {
    /// What a client is told that has got nothing of the list yet.
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Core(status) => status.into(),
            Broken::Page(problem) => problem,
            Broken::Silent(_) => Self::timeout(),
            Broken::Changed => {
                let detail = "Your trades changed while they were being read. Try again.";
                Self::of_status(StatusCode::SERVICE_UNAVAILABLE).saying("changed", detail)
            }
            Broken::Unwritable(error) => error.into(),
            Broken::NoPage | Broken::Csv(_) => Self::internal(),
        }
    }
}

/// A list under way.
struct List {
    pages: Streaming<ListTradesResponse>,
    idle: Duration,
    next: Next,
}

enum Next {
    Top(Vec<u8>),
    Page { first: bool },
    Nothing,
}

/// A record whose trades follow as the core sends them: at no time is more than a page of them held.
pub(crate) fn streamed(minimal: Vec<u8>, pages: Streaming<ListTradesResponse>, idle: Duration) -> Body {
    let list = List { pages, idle, next: Next::Top(opened(minimal)) };
    Body::from_stream(stream::try_unfold(list, |list| async {
        list.advance().await.inspect_err(|error| {
            tracing::error!(error = %rpc::failure::chain(error), "a list of trades ended in the middle");
        })
    }))
}

impl List {
    async fn advance(mut self) -> Result<Option<(Bytes, Self)>, Broken> {
        let first = match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Top(top) => {
                self.next = Next::Page { first: true };
                return Ok(Some((top.into(), self)));
            }
            Next::Page { first } => first,
            Next::Nothing => return Ok(None),
        };
        loop {
            let Some(message) = timeout(self.idle, self.pages.message()).await?? else {
                return Ok(Some((Bytes::from_static(b"]}"), self)));
            };
            let Some(Part::Page(page)) = message.part else { return Err(Broken::NoPage) };
            if page.trades.is_empty() {
                continue;
            }
            // About what a trade takes.
            let mut out = Vec::with_capacity(page.trades.len() * 224);
            push_trades(&mut out, &page.trades, first)?;
            self.next = Next::Page { first: false };
            return Ok(Some((out.into(), self)));
        }
    }
}

fn push_trades(out: &mut Vec<u8>, trades: &[Trade], mut first: bool) -> Result<(), Unwritable> {
    for trade in trades {
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        push_trade(out, trade)?;
    }
    Ok(())
}

fn push_trade(out: &mut Vec<u8>, trade: &Trade) -> Result<(), Unwritable> {
    let book = trade.book.as_ref().ok_or(Unwritable::NoBook)?;
    push(out, &["{\"_id\":\"", &trade.id.to_string(), "\",\"type\":\"", words::of_side(trade.side())?]);
    push(out, &["\",\"symbol\":"]);
    serde_json::to_writer(&mut *out, &trade.symbol)?;
    push(out, &[",\"quantity\":", number(&trade.quantity)?, ",\"price\":", number(&trade.price)?]);
    push(out, &[",\"value\":", number(&trade.value)?, ",\"timestamp\":\""]);
    let at = trade.executed_at.as_ref().ok_or(Unwritable::Time)?;
    moment(at)?.format_into(out, &Rfc3339).map_err(|_| Unwritable::Time)?;
    push(out, &["\",\"timePrecision\":\"", words::of_precision(trade.time_precision())?]);
    push(out, &["\",\"broker\":\"", words::of_broker(book.broker())?]);
    push(out, &["\",\"tradetype\":\"", words::of_segment(book.segment())?]);
    push(out, &["\",\"exchange\":\"", words::of_exchange(trade.exchange())?, "\""]);
    let notes = trade.notes.as_ref();
    let texts = [
        (",\"stockName\":", notes.map(|notes| &notes.stock_name)),
        (",\"notes\":", notes.map(|notes| &notes.notes)),
        (",\"psychology\":", notes.map(|notes| &notes.psychology)),
        (",\"marketOutlook\":", notes.map(|notes| &notes.market_outlook)),
        (",\"pairId\":", Some(&trade.pair_id)),
    ];
    for (name, text) in texts {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            push(out, &[name]);
            serde_json::to_writer(&mut *out, text)?;
        }
    }
    if let Some(stop_loss) = notes.map(|notes| &notes.stop_loss).filter(|stop_loss| !stop_loss.is_empty()) {
        push(out, &[",\"stopLoss\":", number(stop_loss)?]);
    }
    if trade.imported {
        push(out, &[",\"imported\":true"]);
    }
    if trade.edited {
        push(out, &[",\"edited\":true"]);
    }
    if let Some(contract) = &trade.contract {
        push(out, &[",\"contract\":"]);
        serde_json::to_writer(&mut *out, &ContractRecord::of(contract.clone())?)?;
    }
    push(out, &["}"]);
    Ok(())
}

/// What a symbol of futures or options stands for.
#[derive(Debug, Serialize)]
pub(crate) struct ContractRecord {
    underlying: String,
    expiry: String,
    kind: &'static str,
    strike: Option<Box<RawValue>>,
}

impl ContractRecord {
    pub fn of(contract: Contract) -> Result<Self, Unwritable> {
        Ok(Self {
            kind: words::of_contract(contract.kind())?,
            strike: Some(contract.strike).filter(|strike| !strike.is_empty()).map(raw_number).transpose()?,
            underlying: contract.underlying,
            expiry: contract.expiry,
        })
    }
}

fn push(out: &mut Vec<u8>, texts: &[&str]) {
    for text in texts {
        out.extend_from_slice(text.as_bytes());
    }
}

/// `text` if it is a decimal as JSON writes one.
pub(crate) fn number(text: &str) -> Result<&str, Unwritable> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').map_or((unsigned, None), |(whole, rest)| (whole, Some(rest)));
    let well_formed = digits(whole) && (whole.len() == 1 || !whole.starts_with('0')) && fraction.is_none_or(digits);
    if well_formed { Ok(text) } else { Err(Unwritable::Number(text.to_owned())) }
}

/// A decimal as it stands in JSON.
pub(crate) fn raw_number(text: String) -> Result<Box<RawValue>, Unwritable> {
    number(&text)?;
    Ok(RawValue::from_string(text)?)
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The moment that the core means.
pub(crate) fn moment(at: &Timestamp) -> Result<OffsetDateTime, Unwritable> {
    let nanos = u32::try_from(at.nanos).map_err(|_| Unwritable::Time)?;
    let whole = OffsetDateTime::from_unix_timestamp(at.seconds).map_err(|_| Unwritable::Time)?;
    whole.replace_nanosecond(nanos).map_err(|_| Unwritable::Time)
}

/// A time as the wire has it: RFC 3339, in UTC.
pub(crate) fn time_text(at: &Timestamp) -> Result<String, Unwritable> {
    moment(at)?.format(&Rfc3339).map_err(|_| Unwritable::Time)
}

/// The same for a time that the core always sends.
pub(crate) fn time_of(at: Option<&Timestamp>) -> Result<String, Unwritable> {
    time_text(at.ok_or(Unwritable::Time)?)
}

/// The words for a book.
pub(crate) fn book_words(book: &Book) -> Result<(&'static str, &'static str), Wordless> {
    Ok((words::of_broker(book.broker())?, words::of_segment(book.segment())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_passed_on_only_as_json_writes_them() {
        for good in ["0", "1", "10", "82.1", "82.0999", "-5.25", "99999999999.9999", "0.0001", "5.0000"] {
            assert_eq!(number(good).unwrap(), good);
            assert!(serde_json::from_str::<serde_json::Number>(good).is_ok());
        }
        for bad in ["", "-", ".5", "5.", "01", "1e5", "+1", "NaN", "1,000", " 1", "0x1", "1.2.3", "१"] {
            assert!(number(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_are_in_utc() {
        let text = |seconds, nanos| time_text(&Timestamp { seconds, nanos }).unwrap();
        assert_eq!(text(1_774_981_800, 0), "2026-03-31T18:30:00Z");
        assert_eq!(text(1_774_981_800, 500_000_000), "2026-03-31T18:30:00.5Z");
        assert!(time_text(&Timestamp { seconds: i64::MAX, nanos: 0 }).is_err());
        assert!(time_text(&Timestamp { seconds: 0, nanos: -1 }).is_err());
    }
}
