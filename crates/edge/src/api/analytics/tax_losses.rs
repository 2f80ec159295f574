//! Handlers of `/analytics/tax/losses`: losses of the years before the log.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use rpc::analytics::v1::{
    BroughtForwardLoss, ListBroughtForwardLossesRequest, ReplaceBroughtForwardLossesRequest, TaxHead,
};
use rpc::json::JsonName as _;
use rpc::trades::v1::Broker;
use serde_json::json;

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::broker_account::parse_broker_account;
use crate::call;
use crate::caller::{Reader, Trader};
use crate::error_texts::invalid_text;
use crate::state::Shared;

/// Returns the losses that the trader entered.
pub(crate) async fn list_losses(app: &Shared, trader: &Trader) -> Result<Vec<BroughtForwardLoss>, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_brought_forward_losses(request).await };
    Ok(call_analytics(app, trader, ListBroughtForwardLossesRequest {}, rpc).await?.losses)
}

/// `GET /analytics/tax/losses`
pub(crate) async fn show_losses(State(app): State<Shared>, Reader(trader): Reader) -> Result<Response, Problem> {
    Ok(Json(json!({ "losses": list_losses(&app, &trader).await? })).into_response())
}

/// `PUT /analytics/tax/losses`
pub(crate) async fn replace_losses(
    State(app): State<Shared>,
    trader: Trader,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    fields.require(&["losses"]);
    let losses = fields.list("losses", parse_loss).unwrap_or_default();
    fields.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(ReplaceBroughtForwardLossesRequest { losses }, deadline);
    let mut core = app.clients.analytics.clone();
    let response = call::write(deadline, async move { core.replace_brought_forward_losses(request).await }).await?;
    Ok(Json(response).into_response())
}

fn parse_loss(fields: &mut JsonFields) -> BroughtForwardLoss {
    fields.require(&["kind", "year", "broker", "amount"]);
    let invalid_value = |field: &str| invalid_text("analytics", &format!("losses[].{field}"));
    BroughtForwardLoss {
        kind: fields.parsed("kind", TaxHead::from_json_name, invalid_value).unwrap_or_default().into(),
        year: fields.text("year").unwrap_or_default(),
        broker: fields.parsed("broker", Broker::from_json_name, invalid_value).unwrap_or_default().into(),
        broker_account: parse_broker_account(fields).unwrap_or_default(),
        amount: fields.number("amount").unwrap_or_default(),
    }
}
