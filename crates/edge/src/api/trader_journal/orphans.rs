//! Entries whose position or strategy does not exist any longer: the journal lists the entries, and the analytics find the
//! positions and strategies.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http_server::problem::Problem;
use rpc::analytics::v1::{ResolvePositionsRequest, ResolveStrategiesRequest};
use rpc::trader_journal::v1::{Entry, EntryKind, ListEntriesRequest, Subject};
use serde::Serialize;

use crate::api::trader_journal::routes::{Client, read};
use crate::call;
use crate::caller::Trader;
use crate::state::Shared;

/// Maximum number of ids that the core resolves at once.
const MAX_RESOLVED_IDS: usize = 10_000;
/// Maximum number of returned entries.
const MAX_ORPHANS: usize = 100;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Orphans {
    orphans: Vec<Orphan>,
    total: usize,
}

/// Entry whose key is not that of a position or strategy.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Orphan {
    entry: Entry,
    /// Position or strategy that has the first trade of the former one.
    current_key: Option<String>,
}

/// `GET /journal/orphans`
pub(super) async fn list_orphans(State(app): State<Shared>, trader: Trader) -> Result<Response, Problem> {
    let (mut orphans, mut total) = (Vec::new(), 0);
    for (kind, entries) in list_entries(&app, &trader).await? {
        for entries in entries.chunks(MAX_RESOLVED_IDS) {
            let ids = entries.iter().map(|entry| key(entry).to_owned()).collect();
            let current_ids = resolve(&app, &trader, kind, ids).await?;
            for (entry, current_id) in entries.iter().zip(current_ids) {
                if current_id == key(entry) {
                    continue;
                }
                total += 1;
                if orphans.len() < MAX_ORPHANS {
                    let current_key = Some(current_id).filter(|key| !key.is_empty());
                    orphans.push(Orphan { entry: entry.clone(), current_key });
                }
            }
        }
    }
    Ok(Json(Orphans { orphans, total }).into_response())
}

/// Returns the current id of each position or strategy; empty if there is none.
async fn resolve(app: &Shared, trader: &Trader, kind: EntryKind, ids: Vec<String>) -> Result<Vec<String>, Problem> {
    let deadline = app.settings.core_timeouts.call;
    if kind == EntryKind::Strategy {
        let resolved = call::read(deadline, &app.retry_budget, || {
            let mut core = app.clients.analytics.clone();
            let request = trader.context.request(ResolveStrategiesRequest { ids: ids.clone() }, deadline);
            async move { core.resolve_strategies(request).await }
        });
        return Ok(resolved.await?.strategies.into_iter().map(|strategy| strategy.current_id).collect());
    }
    let resolved = call::read(deadline, &app.retry_budget, || {
        let mut core = app.clients.analytics.clone();
        let request = trader.context.request(ResolvePositionsRequest { ids: ids.clone() }, deadline);
        async move { core.resolve_positions(request).await }
    });
    Ok(resolved.await?.positions.into_iter().map(|position| position.current_id).collect())
}

/// Returns the entries of all positions and of all strategies, without notes and plans.
async fn list_entries(app: &Shared, trader: &Trader) -> Result<[(EntryKind, Vec<Entry>); 2], Problem> {
    let mut lists = [(EntryKind::Position, Vec::new()), (EntryKind::Strategy, Vec::new())];
    let mut page_token = String::new();
    loop {
        let request = ListEntriesRequest { page_size: 0, page_token, without_text: true };
        let rpc = |mut core: Client, request| async move { core.list_entries(request).await };
        let page = read(app, trader, request, rpc).await?;
        for entry in page.entries {
            let kind = entry.subject.as_ref().map(Subject::kind);
            if let Some((_, entries)) = lists.iter_mut().find(|(listed, _)| Some(*listed) == kind) {
                entries.push(entry);
            }
        }
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(lists);
        }
    }
}

fn key(entry: &Entry) -> &str {
    entry.subject.as_ref().map(|subject| subject.key.as_str()).unwrap_or_default()
}
