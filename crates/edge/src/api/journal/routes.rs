//! Routes and handlers of the journals of the public pages.
//!
//! An entry is a whole trade. It is added to the journal of the account, or without an account to the journal whose key
//! is in the cookie of the browser. The cookie of a journal that does not exist is ignored. [`crate::rate_limits`] limits
//! new journals per address and requests per journal.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::header::SET_COOKIE;
use http::{HeaderMap, StatusCode, Uri};
use http_server::json_body::NoBody;
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use http_server::query::{parse_limit, read_query};
use rpc::journal::v1::{AddEntryRequest, AddEntryResponse, ClaimJournalRequest, Kind, ListEntriesRequest};
use serde_json::json;

use crate::api::journal::entry::{list_entries, take_entry};
use crate::api::journal::json::{EntriesPageJson, EntryJson};
use crate::api::journal::visitor::Visitor;
use crate::call;
use crate::caller::Trader;
use crate::cookies::Cookie;
use crate::error_texts::invalid_field;
use crate::idempotency::{mark_replayed, read_idempotency_key};
use crate::state::Shared;

/// Lifetime of the journal cookie in seconds; the core keeps a journal equally long after its last entry.
const JOURNAL_COOKIE_TTL_SECS: i64 = 90 * 86_400;
/// Default and maximum number of entries per page.
const MAX_PAGE_SIZE: i32 = 500;
/// Length of the longest entry id with a sign.
const MAX_CURSOR_BYTES: usize = 20;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/trades", post(add_entry))
        .route("/trades/intraday", get(list_intraday))
        .route("/trades/equity", get(list_equity))
        .route("/journal/take-over", post(take_over))
}

/// `GET /trades/intraday`
async fn list_intraday(State(app): State<Shared>, visitor: Visitor, uri: Uri) -> Result<Response, Problem> {
    list_entries_of_kind(&app, &visitor, &uri, Kind::Intraday).await
}

/// `GET /trades/equity`
async fn list_equity(State(app): State<Shared>, visitor: Visitor, uri: Uri) -> Result<Response, Problem> {
    list_entries_of_kind(&app, &visitor, &uri, Kind::Equity).await
}

async fn list_entries_of_kind(app: &Shared, visitor: &Visitor, uri: &Uri, kind: Kind) -> Result<Response, Problem> {
    let (page_size, page_token) = parse_entries_query(uri)?;
    let request = ListEntriesRequest { key: visitor.key.clone(), kind: kind.into(), page_size, page_token };
    Ok(Json(EntriesPageJson::try_from(list_entries(app, &visitor.context, request).await?)?).into_response())
}

/// `POST /trades`
async fn add_entry(
    State(app): State<Shared>,
    visitor: Visitor,
    headers: HeaderMap,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    let idempotency_key = read_idempotency_key(&headers)?;
    let (entry, pnl, win) = take_entry(&mut fields);
    fields.finish()?;
    let request = AddEntryRequest {
        key: visitor.key.clone(),
        entry: Some(entry),
        idempotency_key,
        pnl,
        win,
        create_if_missing: false,
    };
    let response = app.respond_in_time(store_entry(&app, &visitor, request)).await?;
    let entry = response.entry.ok_or_else(|| {
        tracing::error!("response of the core without the added entry");
        Problem::internal()
    })?;
    let body = json!({ "data": EntryJson::try_from(entry)? });
    let mut created = (StatusCode::CREATED, Json(body)).into_response();
    let headers = created.headers_mut();
    if !response.key.is_empty() {
        headers.insert(SET_COOKIE, app.cookies.set(Cookie::Journal, &response.key, JOURNAL_COOKIE_TTL_SECS)?);
    }
    if response.replayed {
        mark_replayed(headers);
    }
    Ok(created)
}

/// Adds the entry to the existing journal, or to a new one if there is none. New journals are limited per address.
async fn store_entry(app: &Shared, visitor: &Visitor, request: AddEntryRequest) -> Result<AddEntryResponse, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let send = |request: AddEntryRequest| {
        let mut journals = app.clients.journals.clone();
        let request = visitor.context.request(request, deadline);
        call::write(deadline, async move { journals.add_entry(request).await })
    };
    if visitor.has_account || !visitor.key.is_empty() {
        match send(request.clone()).await {
            Err(problem) if problem.code() == "journal_not_found" => {}
            result => return result,
        }
    }
    app.rate_limits.count_new_journal(visitor.address)?;
    send(AddEntryRequest { create_if_missing: true, ..request }).await
}

/// `POST /journal/take-over`: assigns the journal of the browser to the account.
async fn take_over(
    State(app): State<Shared>,
    trader: Trader,
    headers: HeaderMap,
    _: NoBody,
) -> Result<Response, Problem> {
    let key = app.cookies.find(Cookie::Journal, &headers).unwrap_or_default();
    let deadline = app.settings.core_timeouts.call;
    let mut journals = app.clients.journals.clone();
    let request = trader.context.request(ClaimJournalRequest { key }, deadline);
    let response = call::write(deadline, async move { journals.claim_journal(request).await }).await?;
    let remove_cookie = [(SET_COOKIE, app.cookies.remove(Cookie::Journal)?)];
    Ok((remove_cookie, Json(json!({ "entries": response.entries }))).into_response())
}

/// Parses the query of a list into the page size and the cursor, which is empty for the first page.
fn parse_entries_query(uri: &Uri) -> Result<(i32, String), Problem> {
    let (mut limit, mut cursor) = (MAX_PAGE_SIZE, String::new());
    read_query(uri, |name, value| match name {
        "limit" => Some(parse_limit(value, MAX_PAGE_SIZE).map(|parsed| limit = parsed).err()),
        "cursor" => {
            value.clone_into(&mut cursor);
            let is_invalid = value.is_empty() || value.len() > MAX_CURSOR_BYTES;
            Some(is_invalid.then(|| invalid_field("edge", "cursor")))
        }
        _ => None,
    })?;
    Ok((limit, cursor))
}
