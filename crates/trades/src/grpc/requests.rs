//! Parsing of requests.

use prost_types::Timestamp;
use rpc::broker_account::{MAX_BROKER_ACCOUNTS, parse_account_number};
use rpc::failure::Violation;
use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::OffsetDateTime;

use crate::contract::{Contract, ContractKind};
use crate::contract_note::parse_notes;
use crate::cursor::{self, Cursor};
use crate::error::Error;
use crate::search::Search;
use crate::service::{ImportPart, Query, Sort};
use crate::store::{FileCounts, FileOwner, Filter, IdempotencyKey, ImportRecord, SortColumn};
use crate::trade::{Book, Broker, BrokerAccount, Exchange, Notes, Segment, SelectedBook, Side, TimePrecision, Trade};
use crate::validation::{MAX_SYMBOL_CHARS, is_plain_text};

/// Maximum number of trades in one message of a stream.
pub(super) const MAX_BATCH_TRADES: usize = 2_000;
const MAX_CLIENT_CODE_CHARS: usize = 20;
const MAX_HOLDER_CHARS: usize = 100;
/// Default and maximum number of trades on a page.
const TRADES_PAGE: PageSizes = PageSizes { default: 100, max: 5_000 };
/// Default and maximum number of suggested symbols.
const SYMBOLS_PAGE: PageSizes = PageSizes { default: 20, max: 50 };
/// Default and maximum number of changes on a page.
const CHANGES_PAGE: PageSizes = PageSizes { default: 50, max: 100 };
const MAX_FILE_NAME_CHARS: usize = 150;
const MAX_FORMAT_BYTES: usize = 40;
const MAX_IDEMPOTENCY_KEY_CHARS: usize = 64;

/// Allowed page sizes of a list.
struct PageSizes {
    default: u16,
    max: u16,
}

impl PageSizes {
    /// Parses a `page_size`; 0 gives the default (AIP-158).
    fn parse(&self, page_size: i32) -> Result<u16, Violation> {
        match u16::try_from(page_size) {
            Ok(0) => Ok(self.default),
            Ok(size) if size <= self.max => Ok(size),
            _ => Err(Violation::new("page_size", "INVALID").with("max", self.max)),
        }
    }
}

pub(super) fn parse_query(request: wire::ListTradesRequest) -> Result<Query, Error> {
    let sort = match request.sort() {
        wire::SortKey::Unspecified | wire::SortKey::Time => Sort::Time,
        wire::SortKey::Symbol => Sort::Column(SortColumn::Symbol),
        wire::SortKey::Quantity => Sort::Column(SortColumn::Quantity),
        wire::SortKey::Price => Sort::Column(SortColumn::Price),
        wire::SortKey::Side => Sort::Column(SortColumn::Side),
        wire::SortKey::Broker => Sort::Column(SortColumn::Broker),
    };
    let page_size = TRADES_PAGE.parse(request.page_size)?;
    let after = match request.page_token.as_str() {
        "" => None,
        text => Some(Cursor::decode(text).ok_or_else(|| Violation::new("page_token", "INVALID"))?),
    };
    Ok(Query {
        sort,
        ascending: request.ascending,
        page_size,
        after,
        known_version: request.known_version,
        filter: parse_filter(request.filter.unwrap_or_default())?,
    })
}

fn parse_filter(filter: wire::Filter) -> Result<Filter, Error> {
    let (side, segment) = (filter.side(), filter.segment());
    if !filter.symbol.is_empty() && !is_plain_text(&filter.symbol, MAX_SYMBOL_CHARS) {
        return Err(Violation::new("filter.symbol", "INVALID").with("max_chars", MAX_SYMBOL_CHARS).into());
    }
    let broker_account_keys = parse_broker_account_keys(&filter)?;
    let parse_bound = |at: Option<Timestamp>, field| {
        let parse =
            |at| parse_time(at).filter(cursor::is_in_time_range).ok_or_else(|| Violation::new(field, "INVALID"));
        at.map(parse).transpose()
    };
    Ok(Filter {
        symbol: Some(filter.symbol).filter(|symbol| !symbol.is_empty()),
        search: Search::parse(&filter.search)?,
        side: parse_side(side),
        broker_account_keys,
        segment: parse_segment(segment),
        from: parse_bound(filter.from, "filter.from")?,
        to: parse_bound(filter.to, "filter.to")?,
        manual_only: filter.manual_only,
        noted_only: filter.noted_only,
        with_source_keys: false,
    })
}

/// Returns the keys of the accounts that a filter selects; none if all.
fn parse_broker_account_keys(filter: &wire::Filter) -> Result<Option<Vec<String>>, Error> {
    let broker = Broker::from_wire(filter.broker());
    if broker.is_none() && filter.broker_account == 0 {
        return Ok(None);
    }
    let numbers = match filter.broker_account {
        0 => 1..=MAX_BROKER_ACCOUNTS,
        number => {
            let invalid = || Violation::new("filter.broker_account", "INVALID").with("max", MAX_BROKER_ACCOUNTS);
            parse_account_number(number).map(|number| number..=number).ok_or_else(invalid)?
        }
    };
    let brokers = broker.map_or(Broker::ALL.to_vec(), |broker| vec![broker]);
    let keys = |broker| numbers.clone().map(move |number| BrokerAccount { broker, number }.key());
    Ok(Some(brokers.into_iter().flat_map(keys).collect()))
}

pub(super) fn parse_symbol_query(request: wire::ListSymbolsRequest) -> Result<(String, i64), Error> {
    let text = request.text.trim().to_owned();
    if !text.is_empty() && !is_plain_text(&text, MAX_SYMBOL_CHARS) {
        return Err(Violation::new("text", "INVALID").with("max_chars", MAX_SYMBOL_CHARS).into());
    }
    Ok((text, SYMBOLS_PAGE.parse(request.page_size)?.into()))
}

/// Returns the book, the exclusive upper bound of the change numbers, and the page size.
pub(super) fn parse_change_query(request: wire::ListChangesRequest) -> Result<(Option<Book>, i64, i64), Error> {
    let before = match request.page_token.as_str() {
        "" => i64::MAX,
        text => text.parse().map_err(|_| Violation::new("page_token", "INVALID"))?,
    };
    let page_size = CHANGES_PAGE.parse(request.page_size)?;
    let book = request.book.map(|book| parse_book(Some(book))).transpose()?;
    Ok((book, before, page_size.into()))
}

pub(super) fn parse_book(book: Option<wire::Book>) -> Result<Book, Error> {
    let book = book.unwrap_or_default();
    let broker = Broker::from_wire(book.broker()).ok_or_else(|| Violation::new("book.broker", "INVALID"))?;
    let number = parse_account_number(book.broker_account);
    let number =
        number.ok_or_else(|| Violation::new("book.broker_account", "INVALID").with("max", MAX_BROKER_ACCOUNTS))?;
    Ok(Book {
        broker_account: BrokerAccount { broker, number },
        segment: parse_segment(book.segment()).ok_or_else(|| Violation::new("book.segment", "INVALID"))?,
    })
}

pub(super) fn parse_idempotency_key(key: String) -> Result<Option<IdempotencyKey>, Error> {
    match key.as_str() {
        "" => Ok(None),
        text if is_plain_text(text, MAX_IDEMPOTENCY_KEY_CHARS) => Ok(Some(IdempotencyKey(key))),
        _ => Err(Violation::new("idempotency_key", "INVALID").with("max_chars", MAX_IDEMPOTENCY_KEY_CHARS).into()),
    }
}

pub(super) fn parse_import_head(
    head: wire::ImportHead,
) -> Result<(SelectedBook, ImportRecord, Option<IdempotencyKey>), Error> {
    let account_number = head.book.filter(|book| book.broker_account != 0).is_some();
    let Book { broker_account, segment } = parse_book(head.book)?;
    let account_number = account_number.then_some(broker_account.number);
    let book = SelectedBook { broker: broker_account.broker, account_number, segment };
    let file_name = parse_file_name(head.file_name)?;
    if head.file_sha256.len() != 32 {
        return Err(Violation::new("file_sha256", "INVALID").into());
    }
    let format = parse_format(head.format)?;
    let key = parse_idempotency_key(head.idempotency_key)?;
    let record = ImportRecord {
        file_name,
        file_sha256: head.file_sha256,
        format,
        file_counts: None,
        owner: FileOwner { client_code: parse_client_code(&head.client_code)?, holder: parse_holder(&head.holder)? },
    };
    Ok((book, record, key))
}

pub(super) fn parse_file_name(name: String) -> Result<String, Violation> {
    let is_valid = name.chars().count() <= MAX_FILE_NAME_CHARS && !name.chars().any(char::is_control);
    is_valid
        .then_some(name)
        .ok_or_else(|| Violation::new("file_name", "INVALID").with("max_chars", MAX_FILE_NAME_CHARS))
}

pub(super) fn parse_format(format: String) -> Result<String, Violation> {
    let is_allowed = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    let is_valid = (1..=MAX_FORMAT_BYTES).contains(&format.len()) && format.bytes().all(is_allowed);
    is_valid.then_some(format).ok_or_else(|| Violation::new("format", "INVALID").with("max_chars", MAX_FORMAT_BYTES))
}

pub(super) fn parse_client_code(code: &str) -> Result<String, Violation> {
    let is_valid = code.len() <= MAX_CLIENT_CODE_CHARS && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let invalid = || Violation::new("client_code", "INVALID").with("max_chars", MAX_CLIENT_CODE_CHARS);
    is_valid.then(|| code.to_ascii_uppercase()).ok_or_else(invalid)
}

pub(super) fn parse_holder(holder: &str) -> Result<String, Violation> {
    parse_optional_text("holder", holder, MAX_HOLDER_CHARS)
}

pub(super) fn parse_optional_text(field: &'static str, text: &str, max_chars: usize) -> Result<String, Violation> {
    let text = text.trim();
    let is_valid = text.is_empty() || is_plain_text(text, max_chars);
    is_valid.then(|| text.to_owned()).ok_or_else(|| Violation::new(field, "INVALID").with("max_chars", max_chars))
}

pub(super) fn parse_import_part(message: wire::ImportTradesRequest) -> Result<ImportPart, Error> {
    match message.part {
        Some(wire::import_trades_request::Part::Batch(batch)) if batch.trades.len() <= MAX_BATCH_TRADES => {
            let now = OffsetDateTime::now_utc();
            let trades = batch.trades.into_iter().enumerate();
            let trades = trades.map(|(index, trade)| parse_imported_trade(trade, index, now));
            Ok(ImportPart::Batch(trades.collect::<Result<_, _>>()?))
        }
        Some(wire::import_trades_request::Part::Batch(_)) => {
            Err(Violation::new("batch.trades", "TOO_MANY").with("max", MAX_BATCH_TRADES).into())
        }
        Some(wire::import_trades_request::Part::End(end)) => {
            let file_counts = end.issues.as_ref().map(parse_file_counts).transpose()?;
            let notes = parse_notes(&end.notes)?;
            Ok(ImportPart::End { trade_count: end.trades, file_counts, notes })
        }
        Some(wire::import_trades_request::Part::Head(_)) | None => Err(Violation::new("part", "INVALID").into()),
    }
}

/// Parses the trade at `index` of a batch.
pub(super) fn parse_imported_trade(
    trade: wire::ImportedTrade,
    index: usize,
    now: OffsetDateTime,
) -> Result<Trade, Error> {
    let trade = parse_trade_of_file(trade).and_then(|trade| trade.validate(now).map_err(Error::Invalid));
    trade.map_err(|error| error.within(&format!("batch.trades[{index}]")))
}

fn parse_trade_of_file(trade: wire::ImportedTrade) -> Result<Trade, Error> {
    let (side, precision, exchange) = (trade.side(), trade.time_precision(), trade.exchange());
    let quantity = parse_decimal(&trade.quantity, "quantity", "QUANTITY_NOT_A_NUMBER")?;
    let price = parse_decimal(&trade.price, "price", "PRICE_NOT_A_NUMBER")?;
    let value = match trade.value.as_str() {
        "" => quantity.checked_mul(price).ok_or_else(|| Violation::new("value", "VALUE_OUT_OF_RANGE"))?.round_dp(4),
        text => parse_decimal(text, "value", "VALUE_NOT_A_NUMBER")?,
    };
    let contract = trade.contract.map(parse_contract).transpose()?;
    let executed_at = trade.executed_at.and_then(parse_time);
    Ok(Trade {
        side: parse_side(side).ok_or_else(|| Violation::new("side", "TYPE_MISSING"))?,
        symbol: trade.symbol,
        isin: Some(trade.isin).filter(|isin| !isin.is_empty()),
        series: Some(trade.series).filter(|series| !series.is_empty()),
        auction: trade.auction,
        quantity,
        price,
        value,
        executed_at: executed_at.ok_or_else(|| Violation::new("executed_at", "TIME_MISSING"))?,
        time_precision: match precision {
            wire::TimePrecision::Second => TimePrecision::Second,
            wire::TimePrecision::Minute => TimePrecision::Minute,
            wire::TimePrecision::Day => TimePrecision::Day,
            wire::TimePrecision::Unspecified => {
                return Err(Violation::new("time_precision", "INVALID").into());
            }
        },
        exchange: parse_exchange(exchange).ok_or_else(|| Violation::new("exchange", "EXCHANGE_MISSING"))?,
        order_id: Some(trade.order_id).filter(|id| !id.is_empty()),
        source_key: Some(trade.source_key),
        notes: Notes::default(),
        pair_id: None,
        contract,
    })
}

fn parse_contract(contract: wire::Contract) -> Result<Contract, Error> {
    let kind = match contract.kind() {
        wire::ContractKind::Unspecified => {
            return Err(Violation::new("contract.kind", "INVALID").into());
        }
        wire::ContractKind::Future => ContractKind::Future,
        wire::ContractKind::Call => ContractKind::Call,
        wire::ContractKind::Put => ContractKind::Put,
    };
    let strike = match contract.strike.as_str() {
        "" => None,
        text => Some(parse_decimal(text, "contract.strike", "STRIKE_INVALID")?),
    };
    Ok(Contract { underlying: contract.underlying, expiry: contract.expiry, kind, strike })
}

/// Parses the counts of a file's parser.
pub(super) fn parse_file_counts(issues: &wire::FileIssues) -> Result<FileCounts, Error> {
    let wire::FileIssues { rows, error_count: errors, warning_count: warnings, .. } = *issues;
    if rows < 0 || errors < 0 || warnings < 0 {
        return Err(Violation::new("end.issues", "NEGATIVE").into());
    }
    Ok(FileCounts { rows, errors, warnings })
}

pub(super) fn parse_decimal(text: &str, field: &'static str, reason: &'static str) -> Result<Decimal, Violation> {
    Decimal::from_str_exact(text).map_err(|_| Violation::new(field, reason))
}

pub(super) fn parse_time(at: Timestamp) -> Option<OffsetDateTime> {
    let nanos = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
    OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()
}

pub(super) const fn parse_side(side: wire::Side) -> Option<Side> {
    match side {
        wire::Side::Unspecified => None,
        wire::Side::Buy => Some(Side::Buy),
        wire::Side::Sell => Some(Side::Sell),
    }
}

const fn parse_segment(segment: wire::Segment) -> Option<Segment> {
    match segment {
        wire::Segment::Unspecified => None,
        wire::Segment::Equity => Some(Segment::Equity),
        wire::Segment::Fno => Some(Segment::Fno),
    }
}

pub(super) const fn parse_exchange(exchange: wire::Exchange) -> Option<Exchange> {
    match exchange {
        wire::Exchange::Unspecified => None,
        wire::Exchange::Nse => Some(Exchange::Nse),
        wire::Exchange::Bse => Some(Exchange::Bse),
    }
}
