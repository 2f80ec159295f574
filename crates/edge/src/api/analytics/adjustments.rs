//! Handlers of `/analytics/adjustments`: corporate actions, settlements and opening holdings.

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{StatusCode, Uri};
use http_server::json_fields::JsonFields;
use http_server::path_id::parse_path_id;
use http_server::problem::Problem;
use rpc::analytics::v1::{
    AddAdjustmentRequest, Adjustment, AdjustmentKind, DeleteAdjustmentRequest, ListAdjustmentsRequest,
};
use rpc::json::JsonName as _;
use rpc::trades::v1::Broker;
use serde_json::json;

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::api::analytics::query;
use crate::broker_account::parse_broker_account;
use crate::call;
use crate::caller::{Reader, Trader};
use crate::error_texts::{invalid_text, problem};
use crate::state::Shared;

/// Returns the adjustments of the trader, newest first.
pub(crate) async fn list_adjustments(app: &Shared, trader: &Trader) -> Result<Vec<Adjustment>, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_adjustments(request).await };
    Ok(call_analytics(app, trader, ListAdjustmentsRequest {}, rpc).await?.adjustments)
}

/// `GET /analytics/adjustments`
pub(crate) async fn show_adjustments(State(app): State<Shared>, Reader(trader): Reader) -> Result<Response, Problem> {
    Ok(Json(json!({ "adjustments": list_adjustments(&app, &trader).await? })).into_response())
}

/// `POST /analytics/adjustments`
pub(crate) async fn add_adjustment(
    State(app): State<Shared>,
    trader: Trader,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    fields.require(&["kind", "symbol", "date"]);
    let invalid_value = |field: &str| invalid_text("analytics", field);
    let mut parse_shares =
        |name: &str| fields.whole_number(name).map_or(0, |shares| i32::try_from(shares).unwrap_or(i32::MAX));
    let (new_shares, old_shares) = (parse_shares("newShares"), parse_shares("oldShares"));
    let adjustment = Adjustment {
        kind: fields.parsed("kind", AdjustmentKind::from_json_name, invalid_value).unwrap_or_default().into(),
        symbol: fields.text("symbol").unwrap_or_default(),
        date: fields.text("date").unwrap_or_default(),
        broker: fields.parsed("broker", Broker::from_json_name, invalid_value).unwrap_or_default().into(),
        broker_account: parse_broker_account(&mut fields).unwrap_or_default(),
        new_shares,
        old_shares,
        new_symbol: fields.text("newSymbol").unwrap_or_default(),
        quantity: fields.number("quantity").unwrap_or_default(),
        price: fields.number("price").unwrap_or_default(),
        allotted_on: fields.text("allottedOn").unwrap_or_default(),
        cost_percent: fields.number("costPercent").unwrap_or_default(),
        ..Adjustment::default()
    };
    fields.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(AddAdjustmentRequest { adjustment: Some(adjustment) }, deadline);
    let mut core = app.clients.analytics.clone();
    let response = call::write(deadline, async move { core.add_adjustment(request).await }).await?;
    let adjustment = response.adjustment.unwrap_or_default();
    Ok((StatusCode::CREATED, Json(adjustment)).into_response())
}

/// `DELETE /analytics/adjustments/{id}`
pub(crate) async fn delete_adjustment(
    State(app): State<Shared>,
    trader: Trader,
    AdjustmentId(id): AdjustmentId,
    uri: Uri,
) -> Result<Response, Problem> {
    let last_id = query::parse_last_id(&uri)?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(DeleteAdjustmentRequest { id, last_id }, deadline);
    let mut core = app.clients.analytics.clone();
    call::write(deadline, async move { core.delete_adjustment(request).await }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Id of an adjustment in a path. A malformed id is rejected with 404.
pub(crate) struct AdjustmentId(i64);

impl<S: Send + Sync> FromRequestParts<S> for AdjustmentId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let not_found = || problem(StatusCode::NOT_FOUND, "analytics", "adjustment_not_found");
        parse_path_id(parts, state).await.map(Self).ok_or_else(not_found)
    }
}
