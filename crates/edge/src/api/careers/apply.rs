//! `POST /api/apply/{jobid}`: submission of an application. The resume is streamed to the core while it is received.

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http_server::limiter::Client;
use http_server::multipart::Multipart;
use http_server::problem::Problem;
use rpc::careers::v1::SubmitApplicationResponse;
use serde::Serialize;

use crate::api::careers::application_form::{read_application_form, start_submission};
use crate::api::careers::json::ResumeJson;
use crate::api::careers::openings::JobId;
use crate::call::Context;
use crate::idempotency::{mark_replayed, read_idempotency_key};
use crate::json::JsonError;
use crate::limits::resume_too_large;
use crate::state::Shared;
use crate::timestamps::format_required_timestamp;

/// `POST /api/apply/{jobid}`
pub(crate) async fn apply(
    State(app): State<Shared>,
    context: Context,
    JobId(job_id): JobId,
    request: Request,
) -> Result<Response, Problem> {
    // Applications have their own limit, so that they take only half of the concurrent uploads.
    let client = Client::from_request(&request);
    let _permits = (app.limiter.applications.try_acquire(client)?, app.limiter.uploads.try_acquire(client)?);
    let key = read_idempotency_key(request.headers())?;
    let form = Multipart::from_request(request, resume_too_large).await?;
    let mut call = start_submission(&app, &context);
    let messages = read_application_form(form, job_id, key, &mut call).await?;
    let submitted = call.finish(messages).await?;
    let replayed = submitted.replayed;
    let mut response = (StatusCode::CREATED, Json(ReceiptJson::try_from(submitted)?)).into_response();
    if replayed {
        mark_replayed(response.headers_mut());
    }
    Ok(response)
}

/// Receipt of a submitted application.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReceiptJson {
    application_id: String,
    received_at: String,
    resume: ResumeJson,
    /// Token for the correction of the email address; null if that is no longer possible.
    email_correction_token: Option<String>,
    /// False if no receipt is sent by email, because the mailbox got five today.
    receipt_queued: bool,
}

impl TryFrom<SubmitApplicationResponse> for ReceiptJson {
    type Error = JsonError;

    fn try_from(submitted: SubmitApplicationResponse) -> Result<Self, JsonError> {
        Ok(Self {
            receipt_queued: submitted.receipt_queued,
            application_id: submitted.application_id,
            received_at: format_required_timestamp(submitted.received_at.as_ref())?,
            email_correction_token: Some(submitted.email_correction_token).filter(|token| !token.is_empty()),
            resume: ResumeJson::new(submitted.file_name, submitted.resume_bytes, &submitted.resume_sha256),
        })
    }
}
