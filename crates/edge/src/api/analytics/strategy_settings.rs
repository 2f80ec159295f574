//! Routes of the settings for grouping strategies.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use rpc::analytics::v1::{
    GetStrategySettingsRequest, GetStrategySettingsResponse, SaveStrategySettingsRequest, StrategySettings,
};

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::call;
use crate::caller::{Reader, Trader};
use crate::error_texts::invalid_text;
use crate::json::respond;
use crate::state::Shared;

/// `GET /analytics/strategy-settings`
pub(crate) async fn show(State(app): State<Shared>, Reader(trader): Reader) -> Result<Response, Problem> {
    respond(&get_settings(&app, &trader).await?)
}

/// `PUT /analytics/strategy-settings`
pub(crate) async fn save(
    State(app): State<Shared>,
    trader: Trader,
    mut fields: JsonFields,
) -> Result<StatusCode, Problem> {
    fields.require(&["windowMinutes", "acrossAccounts"]);
    let invalid = || invalid_text("analytics", "window_minutes");
    let window_minutes = fields.whole_number("windowMinutes").map(u32::try_from).transpose().unwrap_or_else(|_| {
        fields.add_error("windowMinutes", "invalid", invalid());
        None
    });
    let across_accounts = fields.flag("acrossAccounts", || invalid_text("edge", "flag")).unwrap_or_default();
    fields.finish()?;
    let settings = StrategySettings { window_minutes: window_minutes.unwrap_or_default(), across_accounts };
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(SaveStrategySettingsRequest { settings: Some(settings) }, deadline);
    let mut core = app.clients.analytics.clone();
    call::write(deadline, async move { core.save_strategy_settings(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the settings of the trader and the last decision that can be undone.
pub(crate) async fn get_settings(app: &Shared, trader: &Trader) -> Result<GetStrategySettingsResponse, Problem> {
    let rpc = |mut core: Client, request| async move { core.get_strategy_settings(request).await };
    call_analytics(app, trader, GetStrategySettingsRequest {}, rpc).await
}
