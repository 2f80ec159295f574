//! Handlers of `/journal/entries`, `/journal/search`, `/journal/days` and `/journal/changes`.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, Uri};
use http_server::json_body::NoBody;
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use rpc::trader_journal::v1::{
    AddToEntriesRequest, AttachEntryRequest, DeleteEntryRequest, EditEntriesRequest, Entry, EntryKind,
    ListChangesRequest, LookUpEntriesRequest, SaveEntryRequest, SaveEntryResponse, Subject, UndoChangeRequest,
};
use serde_json::json;
use serde_json::value::to_raw_value;

use crate::api::trader_journal::query::{ChangeId, DayPath, EntryId, parse_search, parse_version};
use crate::api::trader_journal::request::{
    take_additions, take_content, take_edit, take_flag, take_kind, take_subject, take_subjects, take_version,
};
use crate::api::trader_journal::routes::{Client, read, write};
use crate::caller::Trader;
use crate::error_texts::problem;
use crate::json::JsonError;
use crate::state::Shared;

/// `PUT /journal/entries`
pub(super) async fn save_entry(
    State(app): State<Shared>,
    trader: Trader,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    let subject = take_subject(&mut fields);
    save(&app, &trader, subject, fields).await
}

/// Saves the entry of a subject. A conflict with the stored version is a problem with both versions.
async fn save(app: &Shared, trader: &Trader, subject: Subject, mut fields: JsonFields) -> Result<Response, Problem> {
    let (content, version) = (take_content(&mut fields), take_version(&mut fields));
    fields.finish()?;
    let request = SaveEntryRequest { subject: Some(subject), content: Some(content.clone()), version };
    let response: SaveEntryResponse =
        write(app, trader, request, |mut core: Client, request| async move { core.save_entry(request).await }).await?;
    let entry = response.entry.unwrap_or_default();
    if !response.conflict {
        return Ok(Json(entry).into_response());
    }
    let conflict = problem(StatusCode::CONFLICT, "journal", "entry_conflict");
    let (stored, sent) = (to_raw_value(&entry), to_raw_value(&content));
    Err(conflict
        .with_extension("stored", stored.map_err(JsonError::from)?)
        .with_extension("sent", sent.map_err(JsonError::from)?))
}

/// `POST /journal/entries/lookup`
pub(super) async fn look_up_entries(
    State(app): State<Shared>,
    trader: Trader,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    fields.require(&["kind", "keys"]);
    let request = LookUpEntriesRequest {
        kind: take_kind(&mut fields),
        keys: fields.texts("keys").unwrap_or_default(),
        without_text: take_flag(&mut fields, "withoutText").unwrap_or_default(),
    };
    fields.finish()?;
    let rpc = |mut core: Client, request| async move { core.look_up_entries(request).await };
    Ok(Json(read(&app, &trader, request, rpc).await?).into_response())
}

/// `POST /journal/entries/edit`
pub(super) async fn edit_entries(
    State(app): State<Shared>,
    trader: Trader,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    fields.require(&["subjects"]);
    let request = EditEntriesRequest { subjects: take_subjects(&mut fields), edit: Some(take_edit(&mut fields)) };
    fields.finish()?;
    let rpc = |mut core: Client, request| async move { core.edit_entries(request).await };
    Ok(Json(write(&app, &trader, request, rpc).await?).into_response())
}

/// `POST /journal/entries/add`
pub(super) async fn add_to_entries(
    State(app): State<Shared>,
    trader: Trader,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    fields.require(&["additions"]);
    let request = AddToEntriesRequest { additions: take_additions(&mut fields) };
    fields.finish()?;
    let rpc = |mut core: Client, request| async move { core.add_to_entries(request).await };
    Ok(Json(write(&app, &trader, request, rpc).await?).into_response())
}

/// `DELETE /journal/entries/{id}`
pub(super) async fn delete_entry(
    State(app): State<Shared>,
    trader: Trader,
    EntryId(id): EntryId,
    uri: Uri,
) -> Result<Response, Problem> {
    let request = DeleteEntryRequest { id, version: parse_version(&uri)? };
    let rpc = |mut core: Client, request| async move { core.delete_entry(request).await };
    write(&app, &trader, request, rpc).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `POST /journal/entries/{id}/attach`
pub(super) async fn attach_entry(
    State(app): State<Shared>,
    trader: Trader,
    EntryId(id): EntryId,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    fields.require(&["version"]);
    let version = take_version(&mut fields);
    let request = AttachEntryRequest { id, version, subject: Some(take_subject(&mut fields)) };
    fields.finish()?;
    let rpc = |mut core: Client, request| async move { core.attach_entry(request).await };
    Ok(Json(write(&app, &trader, request, rpc).await?.entry.unwrap_or_default()).into_response())
}

/// `GET /journal/search`
pub(super) async fn search_entries(State(app): State<Shared>, trader: Trader, uri: Uri) -> Result<Response, Problem> {
    let rpc = |mut core: Client, request| async move { core.search_entries(request).await };
    Ok(Json(read(&app, &trader, parse_search(&uri)?, rpc).await?).into_response())
}

/// `GET /journal/days/{date}`
pub(super) async fn show_day(
    State(app): State<Shared>,
    trader: Trader,
    DayPath(day): DayPath,
) -> Result<Response, Problem> {
    let request = LookUpEntriesRequest { kind: EntryKind::Day.into(), keys: vec![day], without_text: false };
    let rpc = |mut core: Client, request| async move { core.look_up_entries(request).await };
    let entry: Option<Entry> = read(&app, &trader, request, rpc).await?.entries.pop();
    Ok(Json(json!({ "entry": entry })).into_response())
}

/// `PUT /journal/days/{date}`
pub(super) async fn save_day(
    State(app): State<Shared>,
    trader: Trader,
    DayPath(day): DayPath,
    fields: JsonFields,
) -> Result<Response, Problem> {
    save(&app, &trader, day_subject(day), fields).await
}

fn day_subject(day: String) -> Subject {
    Subject { kind: EntryKind::Day.into(), key: day.clone(), day, ..Default::default() }
}

/// `GET /journal/changes`
pub(super) async fn list_changes(State(app): State<Shared>, trader: Trader) -> Result<Response, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_changes(request).await };
    Ok(Json(read(&app, &trader, ListChangesRequest {}, rpc).await?).into_response())
}

/// `POST /journal/changes/{id}/undo`
pub(super) async fn undo_change(
    State(app): State<Shared>,
    trader: Trader,
    ChangeId(id): ChangeId,
    _: NoBody,
) -> Result<Response, Problem> {
    let rpc = |mut core: Client, request| async move { core.undo_change(request).await };
    Ok(Json(write(&app, &trader, UndoChangeRequest { id }, rpc).await?).into_response())
}
