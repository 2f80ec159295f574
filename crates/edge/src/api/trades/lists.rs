//! Handlers that list the books, symbols and changes of an account.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::Uri;
use http_server::problem::Problem;
use rpc::trades::v1::{ListBooksRequest, ListChangesRequest, ListSymbolsRequest};
use serde_json::json;

use crate::api::trades::json::{BookJson, ChangeJson, ChangesPageJson};
use crate::api::trades::query::{parse_changes_query, parse_symbol_query};
use crate::call;
use crate::caller::{Reader, Trader};
use crate::state::Shared;

/// Maximum number of symbols in a list of suggestions.
const MAX_SYMBOLS: i32 = 20;

/// `GET /trades/books`
pub(crate) async fn show_books(State(app): State<Shared>, Reader(trader): Reader) -> Result<Response, Problem> {
    Ok(Json(json!({ "books": list_books(&app, &trader).await? })).into_response())
}

/// Returns the books of the account.
pub(crate) async fn list_books(app: &Shared, trader: &Trader) -> Result<Vec<BookJson>, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(ListBooksRequest {}, deadline);
        async move { trades.list_books(request).await }
    });
    let books = response.await?.books.into_iter().map(BookJson::try_from);
    Ok(books.collect::<Result<_, _>>()?)
}

/// `GET /trades/symbols`
pub(crate) async fn show_symbols(
    State(app): State<Shared>,
    Reader(trader): Reader,
    uri: Uri,
) -> Result<Response, Problem> {
    let text = parse_symbol_query(&uri)?;
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request =
            trader.context.request(ListSymbolsRequest { text: text.clone(), page_size: MAX_SYMBOLS }, deadline);
        async move { trades.list_symbols(request).await }
    });
    Ok(Json(json!({ "symbols": response.await?.symbols })).into_response())
}

/// `GET /trades/changes`
pub(crate) async fn show_changes(
    State(app): State<Shared>,
    Reader(trader): Reader,
    uri: Uri,
) -> Result<Response, Problem> {
    let page = list_changes(&app, &trader, parse_changes_query(&uri)?).await?;
    Ok(Json(page).into_response())
}

/// Returns one page of the changes.
pub(crate) async fn list_changes(
    app: &Shared,
    trader: &Trader,
    query: ListChangesRequest,
) -> Result<ChangesPageJson, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(query.clone(), deadline);
        async move { trades.list_changes(request).await }
    });
    let response = response.await?;
    let changes = response.changes.into_iter().map(ChangeJson::try_from).collect::<Result<_, _>>()?;
    let next_cursor = Some(response.next_page_token).filter(|cursor| !cursor.is_empty());
    Ok(ChangesPageJson { changes, next_cursor })
}
