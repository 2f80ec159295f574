//! Routes of `/uploadexcel` and `/upload`: imports and inspections. A file is streamed to the core while it arrives.

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http_server::limiter::Client;
use http_server::multipart::Multipart;
use http_server::problem::Problem;
use rpc::imports::v1::{
    ImportFileRequest, ImportFileResponse, ImportOptions, InspectFileRequest, InspectFileResponse, import_file_request,
};
use serde_json::value::to_raw_value;

use crate::api::imports::import_form::{ImportSource, read_file_or_preview};
use crate::api::imports::json::{FileReportJson, ImportJson, to_committed_preview};
use crate::api::imports::{ledger, map_columns, previews, redact_layout};
use crate::call::Context;
use crate::caller::Trader;
use crate::change_response::{ChangeHeaders, ChangeResponse, Outcome};
use crate::client_record::get_account;
use crate::json::JsonError;
use crate::limits::upload_too_large;
use crate::state::Shared;
use crate::upload::read_file;
use crate::upload_call::UploadCall;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/uploadexcel", post(import_file))
        .route("/uploadexcel/preview", post(previews::create_preview))
        .route("/uploadexcel/preview/{id}", get(previews::show_preview))
        .route("/uploadexcel/columns", post(map_columns::map_columns))
        .route("/uploadexcel/layout", post(redact_layout::redact_layout))
        .route("/uploadexcel/ledger", post(ledger::import_ledger))
        .route("/upload", post(inspect_file))
}

/// `POST /uploadexcel`
async fn import_file(State(app): State<Shared>, trader: Trader, request: Request) -> Result<Response, Problem> {
    let _permit = app.limiter.uploads.try_acquire(Client::from_request(&request))?;
    let headers = ChangeHeaders::read(request.headers())?;
    let form = Multipart::from_request(request, upload_too_large).await?;
    // Read before the import, so that an error here leaves the trades unchanged.
    let account = get_account(&app, &trader).await?;
    let mut call = start_import(&app, &trader.context);
    let committed = match read_file_or_preview(form, &trader, &mut call).await? {
        ImportSource::File(options) => {
            let options = ImportOptions { idempotency_key: headers.idempotency_key.clone(), ..options };
            let file_name = options.file_name.clone();
            let message = ImportFileRequest { part: Some(import_file_request::Part::Options(options)) };
            to_committed_preview(call.finish(Some(message)).await?, file_name)
        }
        ImportSource::Preview(commit) => {
            drop(call);
            previews::commit_preview(&app, &trader, commit).await?
        }
    };
    let replayed = committed.result.as_ref().is_some_and(|result| result.replayed);
    let (import, head) = ImportJson::from_committed_preview(committed)?;
    let outcome = Outcome::Import { import: to_raw_value(&import).map_err(JsonError::from)? };
    let change = ChangeResponse { account: &account, head, replayed, outcome };
    change.respond(&app, &trader, &headers).await
}

/// `POST /upload`
async fn inspect_file(State(app): State<Shared>, context: Context, request: Request) -> Result<Response, Problem> {
    // Needs no token, so it may use only a part of the concurrent uploads.
    let client = Client::from_request(&request);
    let _permits = (app.limiter.inspections.try_acquire(client)?, app.limiter.uploads.try_acquire(client)?);
    let form = Multipart::from_request(request, upload_too_large).await?;
    let mut call = start_inspection(&app, &context);
    read_file(form, &mut call).await?;
    let report = FileReportJson::try_from(call.finish(None).await?)?;
    Ok(Json(report).into_response())
}

fn start_import(app: &Shared, context: &Context) -> UploadCall<ImportFileRequest, ImportFileResponse> {
    let mut imports = app.clients.imports.clone();
    let to_message = |chunk| ImportFileRequest { part: Some(import_file_request::Part::Chunk(chunk)) };
    UploadCall::start(app, context, to_message, |request| async move { imports.import_file(request).await })
}

fn start_inspection(app: &Shared, context: &Context) -> UploadCall<InspectFileRequest, InspectFileResponse> {
    let mut imports = app.clients.imports.clone();
    let to_message = |chunk| InspectFileRequest { chunk };
    UploadCall::start(app, context, to_message, |request| async move { imports.inspect_file(request).await })
}
