//! The client record: the trader's account data with the list of trades.
//!
//! The list is streamed page by page, so that at most one page is in memory.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::{Stream, stream};
use http_server::problem::Problem;
use rpc::auth::v1::{GetAccountRequest, GetAccountResponse};
use rpc::trades::v1::stream_trades_response::Part;
use rpc::trades::v1::{
    ListTradesRequest, ListTradesResponse, StreamTradesRequest, StreamTradesResponse, Trade, TradesHead,
};
use serde::Serialize;
use tokio::time::timeout;
use tonic::{Response, Status, Streaming};

use crate::call;
use crate::caller::Trader;
use crate::json::{JsonError, enum_name};
use crate::state::Shared;
use crate::stream_error::StreamError;
use crate::trade_json::trades_to_json;

/// Client record without its trades. `M` are further members of the object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RecordHead<'a, M> {
    name: &'a str,
    client_id: &'a str,
    email: &'a str,
    phone_number: &'a str,
    tradetype: Option<&'static str>,
    total: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<&'a str>,
    #[serde(flatten)]
    members: Option<M>,
}

/// Returns the record without its trades; `next_cursor` is that of the next page, and `members` are added to the object.
pub(crate) fn record_head<M: Serialize>(
    account: &GetAccountResponse,
    head: &TradesHead,
    next_cursor: Option<&str>,
    members: Option<M>,
) -> Result<Vec<u8>, JsonError> {
    let record = RecordHead {
        name: &account.name,
        client_id: &account.client_id,
        email: &account.email,
        phone_number: &account.phone,
        tradetype: head.last_book.as_ref().map(|book| enum_name(book.segment())).transpose()?,
        total: head.total,
        next_cursor,
        members,
    };
    Ok(serde_json::to_vec(&record)?)
}

/// Returns a record with one page of trades.
pub(crate) fn record_with_trades(record_head: Vec<u8>, trades: &[Trade]) -> Result<Vec<u8>, JsonError> {
    let mut record = open_trades(record_head);
    record.extend(trades_to_json(trades, true)?);
    record.extend_from_slice(b"]}");
    Ok(record)
}

/// Returns the record up to its first trade.
fn open_trades(mut record_head: Vec<u8>) -> Vec<u8> {
    record_head.pop();
    record_head.extend_from_slice(b",\"trades\":[");
    record_head
}

/// Returns a record whose trades are streamed as the core sends them. `idle_timeout` limits the time between two pages.
pub(crate) fn stream_record(
    record_head: Vec<u8>,
    pages: Streaming<StreamTradesResponse>,
    idle_timeout: Duration,
) -> Body {
    Body::from_stream(record_parts(record_head, pages, idle_timeout))
}

/// Returns the parts of a record whose trades are streamed as the core sends them.
pub(crate) fn record_parts(
    record_head: Vec<u8>,
    pages: Streaming<StreamTradesResponse>,
    idle_timeout: Duration,
) -> impl Stream<Item = Result<Bytes, StreamError>> + Send + use<> {
    let stream = TradesStream { pages, idle_timeout, next: NextPart::Head(open_trades(record_head)) };
    stream::try_unfold(stream, |stream| async {
        stream.advance().await.inspect_err(|error| {
            tracing::error!(error = %rpc::failure::error_chain(error), "a list of trades ended in the middle");
        })
    })
}

/// Record that is being streamed.
struct TradesStream {
    pages: Streaming<StreamTradesResponse>,
    idle_timeout: Duration,
    next: NextPart,
}

enum NextPart {
    Head(Vec<u8>),
    Page { is_first: bool },
    End,
}

impl TradesStream {
    async fn advance(mut self) -> Result<Option<(Bytes, Self)>, StreamError> {
        let is_first = match std::mem::replace(&mut self.next, NextPart::End) {
            NextPart::Head(head) => {
                self.next = NextPart::Page { is_first: true };
                return Ok(Some((head.into(), self)));
            }
            NextPart::Page { is_first } => is_first,
            NextPart::End => return Ok(None),
        };
        loop {
            let Some(message) = timeout(self.idle_timeout, self.pages.message()).await?? else {
                return Ok(Some((Bytes::from_static(b"]}"), self)));
            };
            let Some(Part::Page(page)) = message.part else { return Err(StreamError::UnexpectedMessage) };
            if page.trades.is_empty() {
                continue;
            }
            let trades = trades_to_json(&page.trades, is_first)?;
            self.next = NextPart::Page { is_first: false };
            return Ok(Some((trades.into(), self)));
        }
    }
}

/// Returns the trader's account.
pub(crate) async fn get_account(app: &Shared, trader: &Trader) -> Result<GetAccountResponse, Problem> {
    let deadline = app.settings.core_timeouts.call;
    call::read(deadline, &app.retry_budget, || {
        let mut auth = app.clients.auth.clone();
        let request = trader.context.request(GetAccountRequest {}, deadline);
        async move { auth.get_account(request).await }
    })
    .await
}

/// Returns all trades: the head, and the stream of pages that follows it. There are no pages if the log still has the
/// version `known_version`.
pub(crate) async fn stream_trades(
    app: &Shared,
    trader: &Trader,
    known_version: Option<i64>,
) -> Result<(TradesHead, Streaming<StreamTradesResponse>), Problem> {
    let deadline = app.settings.core_timeouts.call;
    call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request =
            trader.context.request(StreamTradesRequest { known_version, ..StreamTradesRequest::default() }, deadline);
        async move {
            let mut pages = trades.stream_trades(request).await?.into_inner();
            match pages.message().await?.and_then(|message| message.part) {
                Some(Part::Head(head)) => Ok(Response::new((head, pages))),
                Some(Part::Page(_)) | None => Err(Status::internal("a list of trades without a head")),
            }
        }
    })
    .await
}

/// Returns one page of trades.
pub(crate) async fn list_trades(
    app: &Shared,
    trader: &Trader,
    query: ListTradesRequest,
) -> Result<ListTradesResponse, Problem> {
    let deadline = app.settings.core_timeouts.call;
    call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(query.clone(), deadline);
        async move { trades.list_trades(request).await }
    })
    .await
}

/// Reports that the core omitted a required part of its response.
pub(crate) fn missing_head() -> Problem {
    tracing::error!("the core sent an answer about trades without its head or its trade");
    Problem::internal()
}
