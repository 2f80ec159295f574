//! Entries whose position or strategy does not exist any longer: the journal lists the entries, and the analytics find the
//! positions and strategies.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http_server::problem::Problem;
use rpc::analytics::v1::{ResolvePositionsRequest, ResolveStrategiesRequest};
use rpc::trader_journal::v1::{Entry, EntryKind, ListKeysRequest, LookUpEntriesRequest};
use serde::Serialize;

use crate::api::trader_journal::routes::{Client, read};
use crate::call;
use crate::caller::Trader;
use crate::state::Shared;

/// Maximum number of returned entries, which the core looks up at once.
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
    for kind in [EntryKind::Position, EntryKind::Strategy] {
        let mut current_keys = HashMap::new();
        let mut page_token = String::new();
        loop {
            let request = ListKeysRequest { kind: kind.into(), page_size: 0, page_token };
            let rpc = |mut core: Client, request| async move { core.list_keys(request).await };
            let page = read(&app, &trader, request, rpc).await?;
            let current_ids = resolve(&app, &trader, kind, page.keys.clone()).await?;
            for (key, current_id) in page.keys.into_iter().zip(current_ids) {
                if current_id == key {
                    continue;
                }
                total += 1;
                if orphans.len() + current_keys.len() < MAX_ORPHANS {
                    current_keys.insert(key, current_id);
                }
            }
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        orphans.extend(look_up(&app, &trader, kind, current_keys).await?);
    }
    Ok(Json(Orphans { orphans, total }).into_response())
}

/// Returns the entries with the given keys, and the key that each has now, if any.
async fn look_up(
    app: &Shared,
    trader: &Trader,
    kind: EntryKind,
    mut current_keys: HashMap<String, String>,
) -> Result<Vec<Orphan>, Problem> {
    if current_keys.is_empty() {
        return Ok(Vec::new());
    }
    let keys = current_keys.keys().cloned().collect();
    let request = LookUpEntriesRequest { kind: kind.into(), keys, without_text: true };
    let rpc = |mut core: Client, request| async move { core.look_up_entries(request).await };
    let mut entries = read(app, trader, request, rpc).await?.entries;
    entries.sort_by_key(|entry| entry.id);
    let orphan = |entry: Entry| {
        let key = entry.subject.as_ref().map(|subject| subject.key.as_str()).unwrap_or_default();
        let current_key = current_keys.remove(key).filter(|key| !key.is_empty());
        Orphan { entry, current_key }
    };
    Ok(entries.into_iter().map(orphan).collect())
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
