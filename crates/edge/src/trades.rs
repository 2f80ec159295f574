//! `/trades/…`: the trade log. The client record with its trades, joined from what auth and trades know, stands here;
//! what changes the trades in [`write`] and [`replace`], what else is read in [`read`].

pub(crate) mod answer;
mod document;
pub(crate) mod entry;
pub(crate) mod fields;
pub(crate) mod path;
pub(crate) mod read;
mod replace;
mod spool;
mod write;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use rpc::auth::v1::{GetAccountRequest, GetAccountResponse};
use rpc::trades::v1::list_trades_response::Part;
use rpc::trades::v1::{ListTradesRequest, ListTradesResponse, QueryTradesRequest, QueryTradesResponse, TradesHead};
use sha2::{Digest, Sha256};
use tokio::time::timeout;
use tonic::{Response as Answer, Status, Streaming};

use crate::Shared;
use crate::auth::{Reader, Trader};
use crate::call;
use crate::layers::Compressible;
use crate::problem::Problem;
use crate::query::Query;
use crate::record::{self, Unwritable};

pub(crate) use self::replace::LARGEST as LARGEST_LIST;

/// A body with one trade: the longest texts that it may hold, however they are written.
pub(crate) const TRADE_BYTES: usize = 64 * 1024;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/trades/client", get(client))
        .route("/trades/add", post(write::add))
        .route("/trades/{id}", get(write::show).patch(write::edit).delete(write::delete))
        .route("/trades/books", get(read::books))
        .route("/trades/symbols", get(read::symbols))
        .route("/trades/changes", get(read::changes))
        .route("/trades/changes/{id}/undo", post(write::undo))
}

/// What takes as much as an upload.
pub(crate) fn long_routes() -> Router<Shared> {
    Router::new().route("/trades/replace", post(replace::replace))
}

async fn client(
    State(app): State<Shared>,
    Reader(trader): Reader,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let query = Query::parse(&uri)?;
    trader.is(query.email.as_deref())?;
    let held = Tag::held(&headers);
    in_time(&app, async {
        match query.page {
            Some(page) => paged(&app, &trader, &query.identity, page, held).await,
            None => whole(&app, &trader, &query.identity, held).await,
        }
    })
    .await
}

/// An answer that takes more than one call to the core, each of which has its own deadline.
pub(crate) async fn in_time<T>(app: &Shared, answer: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    timeout(app.settings.times.answer, answer).await.unwrap_or_else(|_| Err(Problem::timeout()))
}

async fn whole(app: &Shared, trader: &Trader, identity: &str, held: Option<Tag>) -> Result<Response, Problem> {
    let known = held.as_ref().map(|tag| tag.version);
    let (account, (mut head, mut pages)) = tokio::try_join!(account(app, trader), list(app, trader, known))?;
    let tag = Tag::new(head.version, identity, &account);
    if head.unchanged {
        if held.as_ref() == Some(&tag) {
            return Ok(tag.unchanged());
        }
        // The trades are the same, but the tag was of another question, or the account was renamed.
        (head, pages) = list(app, trader, None).await?;
    }
    let tag = Tag { version: head.version, ..tag };
    let minimal = record::minimal(&account, &head, None, None)?;
    Ok(tag.seal(json(record::streamed(minimal, pages, app.settings.times.core))))
}

async fn paged(
    app: &Shared,
    trader: &Trader,
    identity: &str,
    page: QueryTradesRequest,
    held: Option<Tag>,
) -> Result<Response, Problem> {
    let known = QueryTradesRequest { known_version: held.as_ref().map(|tag| tag.version), ..page.clone() };
    let (account, mut answer) = tokio::try_join!(account(app, trader), query(app, trader, known))?;
    let mut head = answer.head.take().ok_or_else(headless)?;
    let tag = Tag::new(head.version, identity, &account);
    if head.unchanged {
        if held.as_ref() == Some(&tag) {
            return Ok(tag.unchanged());
        }
        answer = query(app, trader, page).await?;
        head = answer.head.take().ok_or_else(headless)?;
    }
    let tag = Tag { version: head.version, ..tag };
    let next_cursor = Some(answer.next_cursor.as_str()).filter(|cursor| !cursor.is_empty());
    let minimal = record::minimal(&account, &head, next_cursor, None)?;
    Ok(tag.seal(json(Body::from(record::with_trades(minimal, &answer.trades)?))))
}

/// Who the trader is, by auth.
pub(crate) async fn account(app: &Shared, trader: &Trader) -> Result<GetAccountResponse, Problem> {
    let deadline = app.settings.times.core;
    call::read(deadline, &app.retries, || {
        let mut auth = app.clients.auth.clone();
        let request = trader.context.request(GetAccountRequest {}, deadline);
        async move { auth.get_account(request).await }
    })
    .await
}

/// All trades, as a head and the pages that follow it.
pub(crate) async fn list(
    app: &Shared,
    trader: &Trader,
    known_version: Option<i64>,
) -> Result<(TradesHead, Streaming<ListTradesResponse>), Problem> {
    let deadline = app.settings.times.core;
    call::read(deadline, &app.retries, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(ListTradesRequest { known_version }, deadline);
        async move {
            let mut pages = trades.list_trades(request).await?.into_inner();
            match pages.message().await?.and_then(|message| message.part) {
                Some(Part::Head(head)) => Ok(Answer::new((head, pages))),
                Some(Part::Page(_)) | None => Err(Status::internal("a list of trades without a head")),
            }
        }
    })
    .await
}

/// One page of trades.
pub(crate) async fn query(
    app: &Shared,
    trader: &Trader,
    page: QueryTradesRequest,
) -> Result<QueryTradesResponse, Problem> {
    let deadline = app.settings.times.core;
    call::read(deadline, &app.retries, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(page.clone(), deadline);
        async move { trades.query_trades(request).await }
    })
    .await
}

/// The core left out what it must say.
pub(crate) fn headless() -> Problem {
    tracing::error!("the core sent an answer about trades without its head or its trade");
    Problem::internal()
}

impl From<Unwritable> for Problem {
    fn from(error: Unwritable) -> Self {
        tracing::error!(error = %rpc::failure::chain(&error), "a record cannot be written");
        Self::internal()
    }
}

/// `body` as JSON that is worth compressing.
pub(crate) fn json(body: Body) -> Response {
    let mut response = ([(CONTENT_TYPE, "application/json")], body).into_response();
    response.extensions_mut().insert(Compressible);
    response
}

/// The version of the account's trades, for one question by one trader.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tag {
    version: i64,
    /// A short hash of everything else that the answer depends on.
    rest: String,
}

impl Tag {
    fn new(version: i64, identity: &str, account: &GetAccountResponse) -> Self {
        let mut hash = Sha256::new();
        for part in [identity, &account.account_id, &account.client_id, &account.name, &account.email, &account.phone] {
            hash.update(part.len().to_be_bytes());
            hash.update(part);
        }
        let rest = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { version, rest }
    }

    /// The tag that the client holds, if it is one of ours.
    fn held(headers: &HeaderMap) -> Option<Self> {
        let tags = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        tags.flat_map(|value| value.split(',')).find_map(|tag| {
            let tag = tag.trim().trim_start_matches("W/").strip_prefix('"')?.strip_suffix('"')?;
            let (version, rest) = tag.split_once('-')?;
            Some(Self { version: version.parse().ok()?, rest: rest.to_owned() })
        })
    }

    /// Weak: the same record may travel compressed or plain.
    fn seal(&self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&format!("W/\"{}-{}\"", self.version, self.rest)) {
            headers.insert(ETAG, tag);
        }
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        headers.append(VARY, HeaderValue::from_static("authorization, accept-encoding"));
        response
    }

    fn unchanged(&self) -> Response {
        self.seal(StatusCode::NOT_MODIFIED.into_response())
    }
}
