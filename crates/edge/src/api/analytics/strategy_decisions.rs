//! Routes that confirm and change strategies.

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;
use http_server::json_fields::JsonFields;
use http_server::path_id::parse_path_id;
use http_server::problem::Problem;
use rpc::analytics::v1::decide_strategy_request::Decision;
use rpc::analytics::v1::{
    ChooseStrategyCandidate, ConfirmStrategy, ConfirmedStrategy, DecideStrategyRequest, JoinStrategies,
    ReleaseStrategy, SplitStrategy, SplitStrategyLeg, StreamConfirmedStrategiesRequest, UndoStrategyDecisionRequest,
};

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::api::analytics::query::MAX_STRATEGY_ID_BYTES;
use crate::call;
use crate::caller::Trader;
use crate::error_texts::{invalid_text, problem};
use crate::state::Shared;
use crate::status::problem_from_status;

/// `POST /analytics/strategies/{id}/decisions`
pub(crate) async fn decide(
    State(app): State<Shared>,
    trader: Trader,
    Path(id): Path<String>,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    if id.len() > MAX_STRATEGY_ID_BYTES {
        return Err(problem(StatusCode::NOT_FOUND, "analytics", "strategy_not_found"));
    }
    fields.require(&["action"]);
    let decision = parse_decision(&mut fields);
    let grouping_id = fields.text("groupingId").unwrap_or_default();
    fields.finish()?;
    // The core may have to read the whole log first.
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(DecideStrategyRequest { id, grouping_id, decision }, deadline);
    let mut core = app.clients.analytics.clone();
    let response = call::write(deadline, async move { core.decide_strategy(request).await }).await?;
    Ok((StatusCode::CREATED, Json(response)).into_response())
}

/// Parses an action with its fields; fields of other actions are rejected.
fn parse_decision(fields: &mut JsonFields) -> Option<Decision> {
    let action = fields.text("action")?;
    Some(match action.as_str() {
        "confirm" => Decision::Confirm(ConfirmStrategy { name: fields.text("name").unwrap_or_default() }),
        "choose" => {
            fields.require(&["candidateId"]);
            Decision::Choose(ChooseStrategyCandidate { candidate_id: fields.text("candidateId").unwrap_or_default() })
        }
        "join" => Decision::Join(JoinStrategies {
            strategy_ids: fields.texts("strategyIds").unwrap_or_default(),
            position_ids: fields.texts("positionIds").unwrap_or_default(),
        }),
        "split" => {
            fields.require(&["legs"]);
            let legs = fields.list("legs", |leg| {
                leg.require(&["positionId", "quantity"]);
                SplitStrategyLeg {
                    position_id: leg.text("positionId").unwrap_or_default(),
                    quantity: leg.number("quantity").unwrap_or_default(),
                }
            });
            Decision::Split(SplitStrategy { legs: legs.unwrap_or_default() })
        }
        "release" => Decision::Release(ReleaseStrategy {}),
        _ => {
            fields.add_error("action", "invalid", invalid_text("analytics", "decision"));
            return None;
        }
    })
}

/// `DELETE /analytics/strategy-decisions/{id}`
pub(crate) async fn undo(
    State(app): State<Shared>,
    trader: Trader,
    DecisionId(change_id): DecisionId,
) -> Result<StatusCode, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(UndoStrategyDecisionRequest { change_id }, deadline);
    let mut core = app.clients.analytics.clone();
    call::write(deadline, async move { core.undo_strategy_decision(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the confirmed strategies of the trader.
pub(crate) async fn list_confirmed(app: &Shared, trader: &Trader) -> Result<Vec<ConfirmedStrategy>, Problem> {
    let rpc = |mut core: Client, request| async move { core.stream_confirmed_strategies(request).await };
    let mut pages = call_analytics(app, trader, StreamConfirmedStrategiesRequest {}, rpc).await?;
    let mut strategies = Vec::new();
    while let Some(page) = pages.message().await.map_err(problem_from_status)? {
        strategies.extend(page.strategies);
    }
    Ok(strategies)
}

/// Id of a decision in a path. A malformed id is rejected with 404.
pub(crate) struct DecisionId(i64);

impl<S: Send + Sync> FromRequestParts<S> for DecisionId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let not_found = || problem(StatusCode::NOT_FOUND, "analytics", "strategy_change_not_found");
        parse_path_id(parts, state).await.map(Self).ok_or_else(not_found)
    }
}
