//! Imported ledgers: `/trades/ledgers`, and their entries.

use axum::extract::{Path, State};
use axum::response::Response;
use http_server::problem::Problem;
use rpc::trades::v1::{DeleteLedgerRequest, LedgerEntry, ListLedgersRequest, StreamLedgerEntriesRequest};

use crate::call;
use crate::caller::Trader;
use crate::json::respond;
use crate::state::Shared;
use crate::status::problem_from_status;

/// `GET /trades/ledgers`
pub(crate) async fn show_ledgers(State(app): State<Shared>, trader: Trader) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(ListLedgersRequest {}, deadline);
        async move { trades.list_ledgers(request).await }
    });
    respond(&response.await?)
}

/// `DELETE /trades/ledgers/{id}`
pub(crate) async fn delete_ledger(
    State(app): State<Shared>,
    trader: Trader,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(DeleteLedgerRequest { id }, deadline);
    let mut trades = app.clients.trades.clone();
    respond(&call::write(deadline, async move { trades.delete_ledger(request).await }).await?)
}

/// Returns all entries of ledgers.
pub(crate) async fn list_ledger_entries(app: &Shared, trader: &Trader) -> Result<Vec<LedgerEntry>, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let mut pages = call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(StreamLedgerEntriesRequest {}, deadline);
        async move { trades.stream_ledger_entries(request).await }
    })
    .await?;
    let mut entries = Vec::new();
    while let Some(page) = pages.message().await.map_err(problem_from_status)? {
        entries.extend(page.entries);
    }
    Ok(entries)
}
