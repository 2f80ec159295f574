//! Handlers of `/journal/playbooks` and `/journal/templates`.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use rpc::trader_journal::v1::{
    DeletePlaybookRequest, DeleteTemplateRequest, ListPlaybooksRequest, ListTemplatesRequest, Playbook,
    SavePlaybookRequest, SaveTemplateRequest, Template,
};

use crate::api::trader_journal::query::{PlaybookId, TemplateId};
use crate::api::trader_journal::request::{take_playbook, take_template};
use crate::api::trader_journal::routes::{Client, read, write};
use crate::caller::Trader;
use crate::state::Shared;

/// `GET /journal/playbooks`
pub(super) async fn list_playbooks(State(app): State<Shared>, trader: Trader) -> Result<Response, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_playbooks(request).await };
    Ok(Json(read(&app, &trader, ListPlaybooksRequest {}, rpc).await?).into_response())
}

/// `POST /journal/playbooks`
pub(super) async fn add_playbook(
    State(app): State<Shared>,
    trader: Trader,
    fields: JsonFields,
) -> Result<Response, Problem> {
    Ok((StatusCode::CREATED, Json(store_playbook(&app, &trader, 0, fields).await?)).into_response())
}

/// `PUT /journal/playbooks/{id}`
pub(super) async fn save_playbook(
    State(app): State<Shared>,
    trader: Trader,
    PlaybookId(id): PlaybookId,
    fields: JsonFields,
) -> Result<Response, Problem> {
    Ok(Json(store_playbook(&app, &trader, id, fields).await?).into_response())
}

async fn store_playbook(app: &Shared, trader: &Trader, id: i64, mut fields: JsonFields) -> Result<Playbook, Problem> {
    let request = SavePlaybookRequest { playbook: Some(take_playbook(&mut fields, id)) };
    fields.finish()?;
    let rpc = |mut core: Client, request| async move { core.save_playbook(request).await };
    Ok(write(app, trader, request, rpc).await?.playbook.unwrap_or_default())
}

/// `DELETE /journal/playbooks/{id}`
pub(super) async fn delete_playbook(
    State(app): State<Shared>,
    trader: Trader,
    PlaybookId(id): PlaybookId,
) -> Result<Response, Problem> {
    let rpc = |mut core: Client, request| async move { core.delete_playbook(request).await };
    write(&app, &trader, DeletePlaybookRequest { id }, rpc).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `GET /journal/templates`
pub(super) async fn list_templates(State(app): State<Shared>, trader: Trader) -> Result<Response, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_templates(request).await };
    Ok(Json(read(&app, &trader, ListTemplatesRequest {}, rpc).await?).into_response())
}

/// `POST /journal/templates`
pub(super) async fn add_template(
    State(app): State<Shared>,
    trader: Trader,
    fields: JsonFields,
) -> Result<Response, Problem> {
    Ok((StatusCode::CREATED, Json(store_template(&app, &trader, 0, fields).await?)).into_response())
}

/// `PUT /journal/templates/{id}`
pub(super) async fn save_template(
    State(app): State<Shared>,
    trader: Trader,
    TemplateId(id): TemplateId,
    fields: JsonFields,
) -> Result<Response, Problem> {
    Ok(Json(store_template(&app, &trader, id, fields).await?).into_response())
}

async fn store_template(app: &Shared, trader: &Trader, id: i64, mut fields: JsonFields) -> Result<Template, Problem> {
    let request = SaveTemplateRequest { template: Some(take_template(&mut fields, id)) };
    fields.finish()?;
    let rpc = |mut core: Client, request| async move { core.save_template(request).await };
    Ok(write(app, trader, request, rpc).await?.template.unwrap_or_default())
}

/// `DELETE /journal/templates/{id}`
pub(super) async fn delete_template(
    State(app): State<Shared>,
    trader: Trader,
    TemplateId(id): TemplateId,
) -> Result<Response, Problem> {
    let rpc = |mut core: Client, request| async move { core.delete_template(request).await };
    write(&app, &trader, DeleteTemplateRequest { id }, rpc).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
