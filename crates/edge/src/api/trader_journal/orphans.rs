//! Entries whose position does not exist any longer: the journal lists the entries, and the analytics find the positions.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http_server::problem::Problem;
use rpc::analytics::v1::{ResolvePositionsRequest, ResolvePositionsResponse};
use rpc::trader_journal::v1::{Entry, EntryKind, ListEntriesRequest};
use serde::Serialize;

use crate::api::trader_journal::routes::{Client, read};
use crate::call;
use crate::caller::Trader;
use crate::state::Shared;

/// Maximum number of positions that the core finds at once.
const MAX_RESOLVED_POSITIONS: usize = 10_000;
/// Maximum number of returned entries.
const MAX_ORPHANS: usize = 100;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Orphans {
    orphans: Vec<Orphan>,
    total: usize,
}

/// Entry whose key is not that of a position.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Orphan {
    entry: Entry,
    /// Position that has the first trade of the former position.
    current_key: Option<String>,
}

/// `GET /journal/orphans`
pub(super) async fn list_orphans(State(app): State<Shared>, trader: Trader) -> Result<Response, Problem> {
    let entries = list_position_entries(&app, &trader).await?;
    let (mut orphans, mut total) = (Vec::new(), 0);
    for entries in entries.chunks(MAX_RESOLVED_POSITIONS) {
        let request = ResolvePositionsRequest { ids: entries.iter().map(|entry| key(entry).to_owned()).collect() };
        let resolved = resolve_positions(&app, &trader, request).await?.positions;
        for (entry, position) in entries.iter().zip(resolved) {
            if position.current_id == key(entry) {
                continue;
            }
            total += 1;
            if orphans.len() < MAX_ORPHANS {
                let current_key = Some(position.current_id).filter(|key| !key.is_empty());
                orphans.push(Orphan { entry: entry.clone(), current_key });
            }
        }
    }
    Ok(Json(Orphans { orphans, total }).into_response())
}

async fn resolve_positions(
    app: &Shared,
    trader: &Trader,
    request: ResolvePositionsRequest,
) -> Result<ResolvePositionsResponse, Problem> {
    let deadline = app.settings.core_timeouts.call;
    call::read(deadline, &app.retry_budget, || {
        let (mut core, request) = (app.clients.analytics.clone(), trader.context.request(request.clone(), deadline));
        async move { core.resolve_positions(request).await }
    })
    .await
}

/// Returns the entries of all positions, without notes and plans.
async fn list_position_entries(app: &Shared, trader: &Trader) -> Result<Vec<Entry>, Problem> {
    let mut entries = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = ListEntriesRequest { page_size: 0, page_token, without_text: true };
        let rpc = |mut core: Client, request| async move { core.list_entries(request).await };
        let page = read(app, trader, request, rpc).await?;
        let is_position = |entry: &Entry| entry.subject.as_ref().is_some_and(|it| it.kind() == EntryKind::Position);
        entries.extend(page.entries.into_iter().filter(is_position));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(entries);
        }
    }
}

fn key(entry: &Entry) -> &str {
    entry.subject.as_ref().map(|subject| subject.key.as_str()).unwrap_or_default()
}
