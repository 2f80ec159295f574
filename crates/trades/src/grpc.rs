//! Wire to domain and back.

use std::pin::Pin;

use futures_util::{Stream, StreamExt};
use prost_types::Timestamp;
use rpc::caller::Caller;
use rpc::failure;
use rpc::trades::v1 as wire;
use rpc::trades::v1::trades_service_server::TradesService;
use rust_decimal::Decimal;
use time::OffsetDateTime;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

use crate::cursor::{self, Cursor};
use crate::error::Error;
use crate::service::{ImportPart, Query, Service, Sort};
use crate::store::{Filter, Head, ImportRecord, Imported, LoggedTrade, SortColumn};
use crate::trade::{self, Book, Broker, Exchange, LONGEST_SYMBOL, Segment, Side, TimePrecision, Trade};

/// Pages of a list that are read ahead of the receiver.
const READ_AHEAD: usize = 2;
const LARGEST_BATCH: usize = 2_000;
const LONGEST_FILE_NAME: usize = 150;
const LONGEST_FORMAT: usize = 40;

/// The service on the wire.
pub struct Trades {
    service: Service,
}

impl Trades {
    pub fn new(service: Service) -> Self {
        Self { service }
    }
}

#[tonic::async_trait]
impl TradesService for Trades {
    type ListTradesStream = Pin<Box<dyn Stream<Item = Result<wire::ListTradesResponse, Status>> + Send>>;

    async fn list_trades(
        &self,
        request: Request<wire::ListTradesRequest>,
    ) -> Result<Response<Self::ListTradesStream>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let known = request.into_inner().known_version;
        let head = self.service.head(account_id).await.map_err(refused)?;
        let unchanged = known == Some(head.version);
        let first =
            wire::ListTradesResponse { part: Some(wire::list_trades_response::Part::Head(wire_head(head, unchanged))) };
        let (pages, read) = mpsc::channel(READ_AHEAD);
        if !unchanged {
            let service = self.service.clone();
            tokio::spawn(async move { service.list(account_id, head, pages).await });
        }
        let rest = ReceiverStream::new(read).map(|page| {
            let trades = page.map_err(refused)?.into_iter().map(wire_trade).collect();
            let page = wire::list_trades_response::Part::Page(wire::TradesPage { trades });
            Ok(wire::ListTradesResponse { part: Some(page) })
        });
        Ok(Response::new(Box::pin(tokio_stream::once(Ok(first)).chain(rest))))
    }

    async fn query_trades(
        &self,
        request: Request<wire::QueryTradesRequest>,
    ) -> Result<Response<wire::QueryTradesResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let query = read_query(request.into_inner()).map_err(refused)?;
        let known = query.known_version;
        let page = self.service.query(account_id, query).await.map_err(refused)?;
        Ok(Response::new(wire::QueryTradesResponse {
            head: Some(wire_head(page.head, known == Some(page.head.version))),
            trades: page.trades.into_iter().map(wire_trade).collect(),
            next_cursor: page.next.map(|cursor| cursor.encode()).unwrap_or_default(),
        }))
    }

    async fn import_trades(
        &self,
        request: Request<Streaming<wire::ImportTradesRequest>>,
    ) -> Result<Response<wire::ImportTradesResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let mut stream = request.into_inner();
        let Some(wire::import_trades_request::Part::Head(head)) = stream.message().await?.and_then(|first| first.part)
        else {
            return Err(refused(Error::field("head", "An import begins with its head.")));
        };
        let (book, record) = read_import_head(head).map_err(refused)?;
        let service = self.service.clone();
        // The import goes on to its commit or its end when the caller hangs up.
        let import = tokio::spawn(async move {
            let parts = stream.map(|message| match message {
                Ok(message) => read_import_part(message),
                Err(_) => Err(Error::BrokenOff { received: 0 }),
            });
            service.import(account_id, book, record, parts).await
        });
        let imported = import.await.map_err(|died| refused(died.into()))?.map_err(refused)?;
        Ok(Response::new(wire_imported(&imported)))
    }
}

fn refused(error: Error) -> Status {
    failure::status(&error)
}

fn read_query(request: wire::QueryTradesRequest) -> Result<Query, Error> {
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
        .filter(|limit| (1..=500).contains(limit))
        .ok_or_else(|| Error::field("limit", "A page has 1 to 500 trades."))?;
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
    })
}

fn read_import_head(head: wire::ImportHead) -> Result<(Book, ImportRecord), Error> {
    let book = head.book.unwrap_or_default();
    let book = Book {
        broker: read_broker(book.broker()).ok_or_else(|| Error::field("broker", "Choose a broker."))?,
        segment: read_segment(book.segment()).ok_or_else(|| Error::field("tradetype", "Choose a trade type."))?,
    };
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
    let record = ImportRecord { file_name: head.file_name, file_sha256: head.file_sha256, format: head.format };
    Ok((book, record))
}

fn read_import_part(message: wire::ImportTradesRequest) -> Result<ImportPart, Error> {
    match message.part {
        Some(wire::import_trades_request::Part::Batch(batch)) if batch.trades.len() <= LARGEST_BATCH => {
            let now = OffsetDateTime::now_utc();
            let trades = batch.trades.into_iter().map(|trade| read_imported(trade, now)).collect::<Result<_, _>>()?;
            Ok(ImportPart::Batch(trades))
        }
        Some(wire::import_trades_request::Part::Batch(_)) => {
            Err(Error::field("batch", "A batch has at most 2,000 trades."))
        }
        Some(wire::import_trades_request::Part::End(end)) => Ok(ImportPart::End(end.trades)),
        Some(wire::import_trades_request::Part::Head(_)) | None => {
            Err(Error::field("part", "After the head come batches and the end."))
        }
    }
}

fn read_imported(trade: wire::ImportedTrade, now: OffsetDateTime) -> Result<Trade, Error> {
    let (side, precision, exchange) = (trade.side(), trade.time_precision(), trade.exchange());
    let quantity = read_decimal(&trade.quantity, "quantity")?;
    let price = read_decimal(&trade.price, "price")?;
    let value = match trade.value.as_str() {
        "" => quantity.checked_mul(price).ok_or_else(|| Error::field("value", "The value is too large."))?.round_dp(4),
        text => read_decimal(text, "value")?,
    };
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
        exchange: match exchange {
            wire::Exchange::Nse => Exchange::Nse,
            wire::Exchange::Bse => Exchange::Bse,
            wire::Exchange::Unspecified => return Err(Error::field("exchange", "A trade has an exchange.")),
        },
        order_id: Some(trade.order_id).filter(|id| !id.is_empty()),
        source_key: Some(trade.source_key),
    }
    .checked(now)
    .map_err(Error::Invalid)
}

fn read_decimal(text: &str, field: &'static str) -> Result<Decimal, Error> {
    Decimal::from_str_exact(text).map_err(|_| Error::field(field, "This is not a number."))
}

fn read_time(at: Timestamp, field: &'static str) -> Result<OffsetDateTime, Error> {
    let nanos = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
    OffsetDateTime::from_unix_timestamp_nanos(nanos).map_err(|_| not_a_time(field))
}

fn not_a_time(field: &'static str) -> Error {
    Error::field(field, "This is not a time.")
}

const fn read_side(side: wire::Side) -> Option<Side> {
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

fn wire_head(head: Head, unchanged: bool) -> wire::TradesHead {
    wire::TradesHead { version: head.version, unchanged, total: head.total, last_book: head.last_book.map(wire_book) }
}

fn wire_book(book: Book) -> wire::Book {
    let broker = match book.broker {
        Broker::Zerodha => wire::Broker::Zerodha,
        Broker::Groww => wire::Broker::Groww,
    };
    let segment = match book.segment {
        Segment::Equity => wire::Segment::Equity,
        Segment::Fno => wire::Segment::Fno,
    };
    wire::Book { broker: broker.into(), segment: segment.into() }
}

fn wire_trade(trade: LoggedTrade) -> wire::Trade {
    let side = match trade.side {
        Side::Buy => wire::Side::Buy,
        Side::Sell => wire::Side::Sell,
    };
    let time_precision = match trade.time_precision {
        TimePrecision::Second => wire::TimePrecision::Second,
        TimePrecision::Minute => wire::TimePrecision::Minute,
        TimePrecision::Day => wire::TimePrecision::Day,
    };
    let exchange = match trade.exchange {
        Exchange::Nse => wire::Exchange::Nse,
        Exchange::Bse => wire::Exchange::Bse,
    };
    wire::Trade {
        id: trade.trade_id,
        book: Some(wire_book(trade.book)),
        side: side.into(),
        symbol: trade.symbol,
        quantity: trade.quantity.normalize().to_string(),
        price: trade.price.normalize().to_string(),
        value: trade.value.normalize().to_string(),
        executed_at: Some(wire_time(trade.executed_at)),
        time_precision: time_precision.into(),
        exchange: exchange.into(),
    }
}

fn wire_imported(imported: &Imported) -> wire::ImportTradesResponse {
    wire::ImportTradesResponse {
        import_id: imported.import_id,
        added: imported.added,
        duplicates: imported.duplicates,
        head: Some(wire_head(imported.head, false)),
        first_executed_at: imported.first_executed_at.map(wire_time),
        last_executed_at: imported.last_executed_at.map(wire_time),
    }
}

fn wire_time(at: OffsetDateTime) -> Timestamp {
    Timestamp { seconds: at.unix_timestamp(), nanos: at.nanosecond().cast_signed() }
}
