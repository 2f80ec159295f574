//! Previews of imports: the handlers of `/uploadexcel/preview`, and the call that commits a preview.

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use http::{StatusCode, Uri};
use http_server::limiter::Client;
use http_server::multipart::Multipart;
use http_server::problem::Problem;
use http_server::query::read_query;
use rpc::imports::v1::{PreviewFileRequest, PreviewFileResponse, preview_file_request};
use rpc::trades::v1::commit_preview_response::Outcome;
use rpc::trades::v1::{CommitPreviewRequest, CommittedPreview, GetPreviewRequest};
use serde_json::value::to_raw_value;

use crate::api::imports::import_form::read_import_form;
use crate::api::imports::preview_json::PreviewJson;
use crate::call::{self, Context};
use crate::caller::Trader;
use crate::error_texts::{invalid_field, problem};
use crate::json::JsonError;
use crate::limits::upload_too_large;
use crate::state::Shared;
use crate::upload_call::UploadCall;

/// Maximum number of other previews in a batch; a batch has at most twelve files, each with shares and contracts.
const MAX_BATCH_PREVIEWS: usize = 23;
/// Maximum length of the list of a batch; an id has 36 characters.
const MAX_BATCH_BYTES: usize = 37 * MAX_BATCH_PREVIEWS;

/// `POST /uploadexcel/preview`
pub(crate) async fn create_preview(
    State(app): State<Shared>,
    trader: Trader,
    request: Request,
) -> Result<Response, Problem> {
    let _permit = app.limiter.uploads.try_acquire(Client::from_request(&request))?;
    let form = Multipart::from_request(request, upload_too_large).await?;
    let mut call = start_preview(&app, &trader.context);
    let options = read_import_form(form, &trader, &mut call).await?;
    let message = PreviewFileRequest { part: Some(preview_file_request::Part::Options(options)) };
    let response = call.finish(Some(message)).await?;
    let preview = PreviewJson::try_from(response.preview.ok_or_else(missing_preview)?)?;
    Ok(Json(preview).into_response())
}

/// `GET /uploadexcel/preview/{id}`
pub(crate) async fn show_preview(
    State(app): State<Shared>,
    trader: Trader,
    Path(preview_id): Path<String>,
    uri: Uri,
) -> Result<Response, Problem> {
    let batch_preview_ids = parse_batch_query(&uri)?;
    // As long as the upload that made the preview: the core compares the file again if the log has changed.
    let deadline = app.settings.core_timeouts.upload;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let message =
            GetPreviewRequest { preview_id: preview_id.clone(), batch_preview_ids: batch_preview_ids.clone() };
        let request = trader.context.request(message, deadline);
        async move { trades.get_preview(request).await }
    });
    let preview = PreviewJson::try_from(response.await?.preview.ok_or_else(missing_preview)?)?;
    Ok(Json(preview).into_response())
}

/// Parses the query of a preview: the ids of the other previews of its batch, separated by commas.
fn parse_batch_query(uri: &Uri) -> Result<Vec<String>, Problem> {
    let mut batch = Vec::new();
    read_query(uri, |name, value| {
        (name == "batch").then(|| {
            batch = value.split(',').filter(|id| !id.is_empty()).map(str::to_owned).collect();
            let is_valid = value.len() <= MAX_BATCH_BYTES && batch.len() <= MAX_BATCH_PREVIEWS;
            (!is_valid).then(|| invalid_field("edge", "batch"))
        })
    })?;
    Ok(batch)
}

/// Commits a preview: imports the trades that it showed.
///
/// # Errors
/// 409 with a new preview if the import would now have another result.
pub(crate) async fn commit_preview(
    app: &Shared,
    trader: &Trader,
    request: CommitPreviewRequest,
) -> Result<CommittedPreview, Problem> {
    let deadline = app.settings.core_timeouts.upload;
    let request = trader.context.request(request, deadline);
    let mut trades = app.clients.trades.clone();
    let response = call::write(deadline, async move { trades.commit_preview(request).await }).await?;
    match response.outcome.ok_or_else(missing_preview)? {
        Outcome::Committed(committed) => Ok(committed),
        Outcome::Changed(preview) => {
            let preview = to_raw_value(&PreviewJson::try_from(preview)?).map_err(JsonError::from)?;
            let problem = problem(StatusCode::CONFLICT, "edge", "preview_changed");
            Err(problem.with_extension("preview", preview))
        }
    }
}

fn missing_preview() -> Problem {
    tracing::error!("the core sent no preview");
    Problem::internal()
}

fn start_preview(app: &Shared, context: &Context) -> UploadCall<PreviewFileRequest, PreviewFileResponse> {
    let mut imports = app.clients.imports.clone();
    let to_message = |chunk| PreviewFileRequest { part: Some(preview_file_request::Part::Chunk(chunk)) };
    UploadCall::start(app, context, to_message, |request| async move { imports.preview_file(request).await })
}
