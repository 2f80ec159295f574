//! Groups of entries with the figures of their positions: the journal groups the entries, and the analytics compute the
//! figures.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::Uri;
use http_server::problem::Problem;
use rpc::analytics::v1::{Figures, GetPositionFiguresRequest, GetPositionFiguresResponse, PositionGroup};
use rpc::trader_journal::v1::GroupEntriesResponse;
use serde::Serialize;

use crate::api::trader_journal::query::parse_groups;
use crate::api::trader_journal::routes::{Client, read};
use crate::call;
use crate::caller::Trader;
use crate::state::Shared;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Groups {
    groups: Vec<Group>,
    too_many_positions: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    name: String,
    entries: i64,
    rules_kept: i64,
    rules_broken: i64,
    /// Figures of its closed positions, if requested; none if it has no closed position, or there are too many.
    figures: Option<Figures>,
}

/// `GET /journal/groups`
pub(super) async fn group_entries(State(app): State<Shared>, trader: Trader, uri: Uri) -> Result<Response, Problem> {
    let rpc = |mut core: Client, request| async move { core.group_entries(request).await };
    let mut response: GroupEntriesResponse = read(&app, &trader, parse_groups(&uri)?, rpc).await?;
    let mut figures = get_figures(&app, &trader, &mut response).await?.into_iter();
    let too_many_positions = response.too_many_positions;
    let groups = response.groups.into_iter().map(|group| Group {
        figures: figures.next().filter(|figures| figures.closed_trades > 0),
        name: group.name,
        entries: group.entries,
        rules_kept: group.rules_kept,
        rules_broken: group.rules_broken,
    });
    Ok(Json(Groups { groups: groups.collect(), too_many_positions }).into_response())
}

/// Returns the figures of each group; nothing if no group has a position. Takes the keys out of the response.
async fn get_figures(
    app: &Shared,
    trader: &Trader,
    response: &mut GroupEntriesResponse,
) -> Result<Vec<Figures>, Problem> {
    let ids = std::mem::take(&mut response.position_keys);
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let to_indices = |group: &mut rpc::trader_journal::v1::Group| std::mem::take(&mut group.positions);
    let groups = response.groups.iter_mut().map(|group| PositionGroup { indices: to_indices(group) }).collect();
    let message = GetPositionFiguresRequest { ids, groups };
    let deadline = app.settings.core_timeouts.call;
    let figures: GetPositionFiguresResponse = call::read(deadline, &app.retry_budget, || {
        let (mut core, request) = (app.clients.analytics.clone(), trader.context.request(message.clone(), deadline));
        async move { core.get_position_figures(request).await }
    })
    .await?;
    Ok(figures.figures)
}
