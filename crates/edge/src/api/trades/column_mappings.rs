//! Saved column mappings: `/trades/column-mappings`.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use rpc::trades::v1::{DeleteColumnMappingRequest, ListColumnMappingsRequest, SaveColumnMappingRequest};
use serde_json::json;

use crate::call;
use crate::caller::Trader;
use crate::column_mapping_json::{SavedMappingJson, parse_mapping};
use crate::state::Shared;

/// `GET /trades/column-mappings`
pub(crate) async fn show_column_mappings(State(app): State<Shared>, trader: Trader) -> Result<Response, Problem> {
    Ok(Json(json!({ "mappings": list_column_mappings(&app, &trader).await? })).into_response())
}

/// Returns the saved column mappings of the trader.
pub(crate) async fn list_column_mappings(app: &Shared, trader: &Trader) -> Result<Vec<SavedMappingJson>, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(ListColumnMappingsRequest {}, deadline);
        async move { trades.list_column_mappings(request).await }
    });
    let mappings = response.await?.mappings.into_iter().map(SavedMappingJson::try_from);
    Ok(mappings.collect::<Result<_, _>>()?)
}

/// `POST /trades/column-mappings`
pub(crate) async fn save_column_mapping(
    State(app): State<Shared>,
    trader: Trader,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    fields.require(&["mapping"]);
    let request = SaveColumnMappingRequest {
        name: fields.text("name").unwrap_or_default(),
        mapping: fields.nested("mapping", parse_mapping),
    };
    fields.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(request, deadline);
    let mut trades = app.clients.trades.clone();
    let response = call::write(deadline, async move { trades.save_column_mapping(request).await }).await?;
    Ok(Json(SavedMappingJson::try_from(response.mapping.unwrap_or_default())?).into_response())
}

/// `DELETE /trades/column-mappings/{digest}`
pub(crate) async fn delete_column_mapping(
    State(app): State<Shared>,
    trader: Trader,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let header_digest = hex::decode(id).ok().filter(|digest| digest.len() == 32);
    let header_digest = header_digest.ok_or_else(|| Problem::from_status(StatusCode::NOT_FOUND))?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(DeleteColumnMappingRequest { header_digest }, deadline);
    let mut trades = app.clients.trades.clone();
    call::write(deadline, async move { trades.delete_column_mapping(request).await }).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
