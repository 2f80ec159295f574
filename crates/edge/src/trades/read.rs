//! What there is beside the trades: books, symbols, and what was done to the books.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::Uri;
use rpc::trades::v1::{Change, ListBooksRequest, ListChangesRequest, ListSymbolsRequest};
use serde::Serialize;
use serde_json::json;

use crate::Shared;
use crate::auth::{Reader, Trader};
use crate::call;
use crate::problem::Problem;
use crate::query;
use crate::record::{self, Unwritable};
use crate::words;

/// Symbols that are suggested.
const SYMBOLS: i32 = 20;

/// `GET /trades/books`
pub(crate) async fn books(State(app): State<Shared>, Reader(trader): Reader) -> Result<Response, Problem> {
    Ok(Json(json!({ "books": own_books(&app, &trader).await? })).into_response())
}

/// A book, and how much it holds.
#[derive(Serialize)]
pub(crate) struct BookRecord {
    broker: &'static str,
    tradetype: &'static str,
    trades: i64,
}

/// The books of the account.
pub(crate) async fn own_books(app: &Shared, trader: &Trader) -> Result<Vec<BookRecord>, Problem> {
    let deadline = app.settings.times.core;
    let answer = call::read(deadline, &app.retries, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(ListBooksRequest {}, deadline);
        async move { trades.list_books(request).await }
    });
    let books = answer.await?.books.into_iter().map(|summary| {
        let (broker, tradetype) = record::book_words(&summary.book.unwrap_or_default())?;
        Ok(BookRecord { broker, tradetype, trades: summary.trades })
    });
    books.collect::<Result<_, Unwritable>>().map_err(Problem::from)
}

/// `GET /trades/symbols`
pub(crate) async fn symbols(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let text = query::part_of_symbol(&uri)?;
    let deadline = app.settings.times.core;
    let answer = call::read(deadline, &app.retries, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(ListSymbolsRequest { text: text.clone(), limit: SYMBOLS }, deadline);
        async move { trades.list_symbols(request).await }
    });
    Ok(Json(json!({ "symbols": answer.await?.symbols })).into_response())
}

/// `GET /trades/changes`
pub(crate) async fn changes(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let page = page_of_changes(&app, &trader, query::changes(&uri)?).await?;
    Ok(Json(page).into_response())
}

/// A page of changes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangesPage {
    pub changes: Vec<ChangeRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The changes that `page` asks for.
pub(crate) async fn page_of_changes(
    app: &Shared,
    trader: &Trader,
    page: ListChangesRequest,
) -> Result<ChangesPage, Problem> {
    let deadline = app.settings.times.core;
    let answer = call::read(deadline, &app.retries, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(page.clone(), deadline);
        async move { trades.list_changes(request).await }
    });
    let answer = answer.await?;
    let changes = answer.changes.into_iter().map(ChangeRecord::of).collect::<Result<_, Unwritable>>()?;
    let next_cursor = Some(answer.next_cursor).filter(|cursor| !cursor.is_empty());
    Ok(ChangesPage { changes, next_cursor })
}

/// What was done to a book.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeRecord {
    id: String,
    broker: &'static str,
    tradetype: &'static str,
    kind: &'static str,
    made_at: String,
    added: i64,
    removed: i64,
    #[serde(skip_serializing_if = "String::is_empty")]
    symbol: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    import: Option<ImportRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undone_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo_until: Option<String>,
    newer: i64,
}

/// The file behind a change.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ImportRecord {
    id: String,
    file_name: String,
    sha256: String,
    format: String,
    duplicates: i64,
    conflicts: i64,
    corrected: i64,
    warnings: i64,
    rejected: Option<i64>,
    rows: Option<i64>,
    duration_ms: Option<i64>,
    from: Option<String>,
    to: Option<String>,
}

impl ChangeRecord {
    fn of(change: Change) -> Result<Self, Unwritable> {
        let kind = words::of_change(change.kind())?;
        let (broker, tradetype) = record::book_words(&change.book.unwrap_or_default())?;
        let time = |at: Option<prost_types::Timestamp>| at.as_ref().map(record::time_text).transpose();
        let import = change.import.filter(|_| kind == "import").map(|import| {
            Ok::<_, Unwritable>(ImportRecord {
                id: import.import_id.to_string(),
                file_name: import.file_name,
                sha256: record::hex(&import.file_sha256),
                format: import.format,
                duplicates: import.duplicates,
                conflicts: import.conflicts,
                corrected: import.corrected,
                warnings: import.warnings,
                rejected: import.problems,
                rows: import.rows,
                duration_ms: import.duration_ms,
                from: time(import.first_executed_at)?,
                to: time(import.last_executed_at)?,
            })
        });
        Ok(Self {
            id: change.id.to_string(),
            broker,
            tradetype,
            kind,
            made_at: time(change.made_at)?.ok_or(Unwritable::Time)?,
            added: change.added,
            removed: change.removed,
            symbol: change.symbol,
            import: import.transpose()?,
            undone_at: time(change.undone_at)?,
            undo_until: time(change.undo_until)?,
            newer: change.newer,
        })
    }
}
