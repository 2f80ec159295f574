//! From the wire.

use prost_types::Timestamp;
use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::OffsetDateTime;

use crate::contract::{Contract, ContractKind};
use crate::cursor::{self, Cursor};
use crate::error::Error;
use crate::service::{ImportPart, Query, Sort};
use crate::store::{Filter, IdempotencyKey, ImportRecord, ReadCounts, SortColumn};
use crate::trade::{self, Book, Broker, Exchange, LONGEST_SYMBOL, Notes, Segment, Side, TimePrecision, Trade};

pub(super) const LARGEST_BATCH: usize = 2_000;
const LONGEST_FILE_NAME: usize = 150;
const LONGEST_FORMAT: usize = 40;
const LONGEST_KEY: usize = 64;

pub(super) fn read_query(request: wire::QueryTradesRequest) -> Result<Query, Error> {
    let sort = match request.sort() {
        wire::SortKey::Unspecified | wire::SortKey::Time => Sort::Time,
        wire::SortKey::Symbol => Sort::Column(SortColumn::Symbol),
        wire::SortKey::Quantity => Sort::Column(SortColumn::Quantity),
        wire::SortKey::Price => Sort::Column(SortColumn::Price),
        wire::SortKey::Side => Sort::Column(SortColumn::Side),
        wire::SortKey::Broker => Sort::Column(SortColumn::Broker),
    };
    let limit = u16::try_from(request.limit)
        .ok()
        .filter(|limit| (1..=5_000).contains(limit))
        .ok_or_else(|| Error::field("limit", "A page has 1 to 5,000 trades."))?;
    let after = match request.cursor.as_str() {
        "" => None,
        text => Some(Cursor::decode(text).ok_or_else(|| Error::field("cursor", "This is not a cursor of ours."))?),
    };
    Ok(Query {
        sort,
        ascending: request.ascending,
        limit,
        after,
        known_version: request.known_version,
        filter: read_filter(request.filter.unwrap_or_default())?,
    })
}

fn read_filter(filter: wire::Filter) -> Result<Filter, Error> {
    let (side, broker, segment) = (filter.side(), filter.broker(), filter.segment());
    if !filter.symbol.is_empty() && !trade::plain_text(&filter.symbol, LONGEST_SYMBOL) {
        return Err(Error::field("symbol", "A symbol has at most 64 characters."));
    }
    let instant = |at: Option<Timestamp>, field| {
        let at = at.map(|at| read_time(at, field)).transpose()?;
        if at.is_none_or(|at| cursor::in_range(&at)) { Ok(at) } else { Err(not_a_time(field)) }
    };
    Ok(Filter {
        symbol: Some(filter.symbol).filter(|symbol| !symbol.is_empty()),
        side: read_side(side),
        broker: read_broker(broker),
        segment: read_segment(segment),
        from: instant(filter.from, "from")?,
        to: instant(filter.to, "to")?,
        manual: filter.manual,
    })
}

pub(super) fn read_symbols(request: wire::ListSymbolsRequest) -> Result<(String, i64), Error> {
    let text = request.text.trim().to_owned();
    if !text.is_empty() && !trade::plain_text(&text, LONGEST_SYMBOL) {
        return Err(Error::field("q", "A symbol has at most 64 characters."));
    }
    if !(1..=50).contains(&request.limit) {
        return Err(Error::field("limit", "A list of symbols has 1 to 50."));
    }
    Ok((text, request.limit.into()))
}

/// The book, the change that the page begins after, and how many changes it has.
pub(super) fn read_changes(request: wire::ListChangesRequest) -> Result<(Option<Book>, i64, i64), Error> {
    let before = match request.cursor.as_str() {
        "" => i64::MAX,
        text => text.parse().map_err(|_| Error::field("cursor", "This is not a cursor of ours."))?,
    };
    if !(1..=100).contains(&request.limit) {
        return Err(Error::field("limit", "A page has 1 to 100 changes."));
    }
    let book = request.book.map(|book| read_book(Some(book))).transpose()?;
    Ok((book, before, request.limit.into()))
}

pub(super) fn read_book(book: Option<wire::Book>) -> Result<Book, Error> {
    let book = book.unwrap_or_default();
    Ok(Book {
        broker: read_broker(book.broker()).ok_or_else(|| Error::field("broker", "Choose a broker."))?,
        segment: read_segment(book.segment()).ok_or_else(|| Error::field("tradetype", "Choose a trade type."))?,
    })
}

pub(super) fn read_key(key: String) -> Result<Option<IdempotencyKey>, Error> {
    match key.as_str() {
        "" => Ok(None),
        text if trade::plain_text(text, LONGEST_KEY) => Ok(Some(IdempotencyKey(key))),
        _ => Err(Error::field("Idempotency-Key", "An Idempotency-Key has at most 64 characters.")),
    }
}

pub(super) fn read_import_head(head: wire::ImportHead) -> Result<(Book, ImportRecord, Option<IdempotencyKey>), Error> {
    let book = read_book(head.book)?;
    if head.file_name.chars().count() > LONGEST_FILE_NAME || head.file_name.chars().any(char::is_control) {
        return Err(Error::field("file_name", "A file name has at most 150 characters."));
    }
    if head.file_sha256.len() != 32 {
        return Err(Error::field("file_sha256", "A SHA-256 has 32 bytes."));
    }
    let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    if !(1..=LONGEST_FORMAT).contains(&head.format.len()) || !head.format.bytes().all(plain) {
        return Err(Error::field("format", "A format has 1 to 40 small letters, digits and hyphens."));
    }
    let key = read_key(head.idempotency_key)?;
    let record =
        ImportRecord { file_name: head.file_name, file_sha256: head.file_sha256, format: head.format, read: None };
    Ok((book, record, key))
}

pub(super) fn read_import_part(message: wire::ImportTradesRequest) -> Result<ImportPart, Error> {
    match message.part {
        Some(wire::import_trades_request::Part::Batch(batch)) if batch.trades.len() <= LARGEST_BATCH => {
            let now = OffsetDateTime::now_utc();
            let trades = batch.trades.into_iter().map(|trade| read_imported(trade, now)).collect::<Result<_, _>>()?;
            Ok(ImportPart::Batch(trades))
        }
        Some(wire::import_trades_request::Part::Batch(_)) => {
            Err(Error::field("batch", "A batch has at most 2,000 trades."))
        }
        Some(wire::import_trades_request::Part::End(end)) => {
            let read = end.findings.as_ref().map(read_counts).transpose()?;
            Ok(ImportPart::End { trades: end.trades, read })
        }
        Some(wire::import_trades_request::Part::Head(_)) | None => {
            Err(Error::field("part", "After the head come batches and the end."))
        }
    }
}

pub(super) fn read_imported(trade: wire::ImportedTrade, now: OffsetDateTime) -> Result<Trade, Error> {
    let (side, precision, exchange) = (trade.side(), trade.time_precision(), trade.exchange());
    let quantity = read_decimal(&trade.quantity, "quantity")?;
    let price = read_decimal(&trade.price, "price")?;
    let value = match trade.value.as_str() {
        "" => quantity.checked_mul(price).ok_or_else(|| Error::field("value", "The value is too large."))?.round_dp(4),
        text => read_decimal(text, "value")?,
    };
    let contract = trade.contract.map(read_contract).transpose()?;
    if trade.source_key.is_empty() {
        return Err(Error::field("source_key", "An imported trade has a source key."));
    }
    let executed_at = trade.executed_at.ok_or_else(|| Error::field("timestamp", "A trade has a time."))?;
    Trade {
        side: read_side(side).ok_or_else(|| Error::field("type", "A trade is a buy or a sell."))?,
        symbol: trade.symbol,
        isin: Some(trade.isin).filter(|isin| !isin.is_empty()),
        quantity,
        price,
        value,
        executed_at: read_time(executed_at, "timestamp")?,
        time_precision: match precision {
            wire::TimePrecision::Second => TimePrecision::Second,
            wire::TimePrecision::Minute => TimePrecision::Minute,
            wire::TimePrecision::Day => TimePrecision::Day,
            wire::TimePrecision::Unspecified => {
                return Err(Error::field("timePrecision", "Say how exactly the time is known."));
            }
        },
        exchange: read_exchange(exchange).ok_or_else(|| Error::field("exchange", "A trade has an exchange."))?,
        order_id: Some(trade.order_id).filter(|id| !id.is_empty()),
        source_key: Some(trade.source_key),
        notes: Notes::default(),
        pair_id: None,
        contract,
    }
    .checked(now)
    .map_err(Error::Invalid)
}

fn read_contract(contract: wire::Contract) -> Result<Contract, Error> {
    let kind = match contract.kind() {
        wire::ContractKind::Unspecified => return Err(Error::field("contract", "Say what kind of contract it is.")),
        wire::ContractKind::Future => ContractKind::Future,
        wire::ContractKind::Call => ContractKind::Call,
        wire::ContractKind::Put => ContractKind::Put,
    };
    let strike = match contract.strike.as_str() {
        "" => None,
        text => Some(read_decimal(text, "contract")?),
    };
    Ok(Contract { underlying: contract.underlying, expiry: contract.expiry, kind, strike })
}

/// What the reader of a file counted beside its trades.
pub(super) fn read_counts(findings: &wire::FileIssues) -> Result<ReadCounts, Error> {
    let wire::FileIssues { rows, problem_count: problems, warning_count: warnings, .. } = *findings;
    if rows < 0 || problems < 0 || warnings < 0 {
        return Err(Error::field("findings", "There are not fewer than none."));
    }
    Ok(ReadCounts { rows, problems, warnings })
}

fn read_decimal(text: &str, field: &'static str) -> Result<Decimal, Error> {
    Decimal::from_str_exact(text).map_err(|_| Error::field(field, "This is not a number."))
}

pub(super) fn read_time(at: Timestamp, field: &'static str) -> Result<OffsetDateTime, Error> {
    let nanos = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
    OffsetDateTime::from_unix_timestamp_nanos(nanos).map_err(|_| not_a_time(field))
}

fn not_a_time(field: &'static str) -> Error {
    Error::field(field, "This is not a time.")
}

pub(super) const fn read_side(side: wire::Side) -> Option<Side> {
    match side {
        wire::Side::Unspecified => None,
        wire::Side::Buy => Some(Side::Buy),
        wire::Side::Sell => Some(Side::Sell),
    }
}

const fn read_broker(broker: wire::Broker) -> Option<Broker> {
    match broker {
        wire::Broker::Unspecified => None,
        wire::Broker::Zerodha => Some(Broker::Zerodha),
        wire::Broker::Groww => Some(Broker::Groww),
    }
}

const fn read_segment(segment: wire::Segment) -> Option<Segment> {
    match segment {
        wire::Segment::Unspecified => None,
        wire::Segment::Equity => Some(Segment::Equity),
        wire::Segment::Fno => Some(Segment::Fno),
    }
}

pub(super) const fn read_exchange(exchange: wire::Exchange) -> Option<Exchange> {
    match exchange {
        wire::Exchange::Unspecified => None,
        wire::Exchange::Nse => Some(Exchange::Nse),
        wire::Exchange::Bse => Some(Exchange::Bse),
    }
}
