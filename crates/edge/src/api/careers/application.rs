//! Handlers of `/api/application`: own application of a candidate.

use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use futures_util::TryStreamExt;
use http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode};
use http_server::json_body::{NoBody, not_an_object};
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use prost_types::FieldMask;
use rpc::careers::v1 as wire;
use rpc::careers::v1::download_own_resume_response::Part;

use crate::api::careers::json::{ApplicationJson, missing_application};
use crate::call::{self, Context};
use crate::download::{content_disposition, first_message, stream_chunks};
use crate::error_texts::{error_text, problem};
use crate::state::Shared;

/// Secret in a request header, of which there must be exactly one.
fn read_secret(parts: &Parts, header: &str) -> Option<String> {
    let mut values = parts.headers.get_all(header).iter();
    let (value, second) = (values.next().and_then(|value| value.to_str().ok()), values.next());
    value.filter(|value| second.is_none() && (1..=MAX_KEY_CHARS).contains(&value.len())).map(str::to_owned)
}

/// Candidate with the key of an application, which the core verifies.
pub(crate) struct Candidate {
    key: String,
    context: Context,
}

/// Maximum length of an application key.
const MAX_KEY_CHARS: usize = 64;

impl FromRequestParts<Shared> for Candidate {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Self::Rejection> {
        let Ok(context) = Context::from_request_parts(parts, app).await;
        let not_found = || problem(StatusCode::NOT_FOUND, "careers", "application_not_found");
        Ok(Self { key: read_secret(parts, "application-key").ok_or_else(not_found)?, context })
    }
}

impl Candidate {
    async fn get_application(&self, app: &Shared) -> Result<Option<wire::Application>, Problem> {
        let deadline = app.settings.core_timeouts.call;
        let response = call::read(deadline, &app.retry_budget, || {
            let mut careers = app.clients.careers.clone();
            let request = self.context.request(wire::GetOwnApplicationRequest { key: self.key.clone() }, deadline);
            async move { careers.get_own_application(request).await }
        });
        Ok(response.await?.application)
    }
}

/// `GET /api/application`
pub(crate) async fn show_application(State(app): State<Shared>, candidate: Candidate) -> Result<Response, Problem> {
    Ok(Json(ApplicationJson::from_response(candidate.get_application(&app).await?)?).into_response())
}

/// `PATCH /api/application`
pub(crate) async fn update_application(
    State(app): State<Shared>,
    candidate: Candidate,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    if fields.is_empty() {
        return Err(not_an_object().with_detail("invalid", error_text("edge", "INVALID.NOTHING_TO_CORRECT", &[])));
    }
    app.respond_in_time(async {
        let (answers, mask) = take_changes(&mut fields);
        if let Err(problem) = fields.finish() {
            // An invalid key gets 404, not field errors.
            candidate.get_application(&app).await?;
            return Err(problem);
        }
        let deadline = app.settings.core_timeouts.call;
        let mut careers = app.clients.careers.clone();
        let request = wire::UpdateOwnApplicationRequest {
            key: candidate.key.clone(),
            answers: Some(answers),
            update_mask: Some(mask),
        };
        let request = candidate.context.request(request, deadline);
        let response = call::write(deadline, async move { careers.update_own_application(request).await }).await?;
        Ok(Json(ApplicationJson::from_response(response.application)?).into_response())
    })
    .await
}

/// Takes the changed answers, and an update mask of their names in the core.
fn take_changes(fields: &mut JsonFields) -> (wire::Answers, FieldMask) {
    let (mut answers, mut mask) = (wire::Answers::default(), FieldMask::default());
    for (name, answer) in [
        ("name", &mut answers.name),
        ("mobile", &mut answers.mobile),
        ("college", &mut answers.college),
        ("degree", &mut answers.degree),
        ("role", &mut answers.role),
        ("linkedin", &mut answers.linkedin),
        ("motivation", &mut answers.motivation),
    ] {
        if let Some(text) = fields.text(name) {
            *answer = text;
            mask.paths.push(name.to_owned());
        }
    }
    if let Some(year) = fields.whole_number("passingYear") {
        // The core rejects years out of range.
        answers.passing_year = year.try_into().unwrap_or(i32::MAX);
        mask.paths.push("passing_year".to_owned());
    }
    if let Some(years) = fields.number("experience") {
        answers.experience = years;
        mask.paths.push("experience".to_owned());
    }
    (answers, mask)
}

/// `POST /api/application/withdraw`
pub(crate) async fn withdraw_application(
    State(app): State<Shared>,
    candidate: Candidate,
    _: NoBody,
) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let mut careers = app.clients.careers.clone();
    let request = wire::WithdrawOwnApplicationRequest { key: candidate.key };
    let request = candidate.context.request(request, deadline);
    let response = call::write(deadline, async move { careers.withdraw_own_application(request).await }).await?;
    Ok(Json(ApplicationJson::from_response(response.application)?).into_response())
}

/// `PUT` and `DELETE /api/application/later-roles`
pub(crate) async fn set_later_roles(
    State(app): State<Shared>,
    method: Method,
    candidate: Candidate,
    _: NoBody,
) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let mut careers = app.clients.careers.clone();
    let request = wire::SetOwnLaterRolesConsentRequest { key: candidate.key, later_roles: method == Method::PUT };
    let request = candidate.context.request(request, deadline);
    let response = call::write(deadline, async move { careers.set_own_later_roles_consent(request).await }).await?;
    Ok(Json(ApplicationJson::from_response(response.application)?).into_response())
}

/// `DELETE /api/application`
pub(crate) async fn delete_application(
    State(app): State<Shared>,
    candidate: Candidate,
    _: NoBody,
) -> Result<StatusCode, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let mut careers = app.clients.careers.clone();
    let request = candidate.context.request(wire::DeleteOwnApplicationRequest { key: candidate.key }, deadline);
    call::write(deadline, async move { careers.delete_own_application(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Browser that applied, with the token of its receipt, which the core verifies.
pub(crate) struct Applicant {
    token: String,
    context: Context,
}

impl FromRequestParts<Shared> for Applicant {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Self::Rejection> {
        let Ok(context) = Context::from_request_parts(parts, app).await;
        let closed = || problem(StatusCode::NOT_FOUND, "careers", "email_correction_closed");
        Ok(Self { token: read_secret(parts, "email-correction-token").ok_or_else(closed)?, context })
    }
}

/// `PUT /api/application/email`
pub(crate) async fn correct_email(
    State(app): State<Shared>,
    Applicant { token, context }: Applicant,
    mut fields: JsonFields,
) -> Result<StatusCode, Problem> {
    let email = fields.text("email").unwrap_or_default();
    fields.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let mut careers = app.clients.careers.clone();
    let request = context.request(wire::CorrectOwnEmailRequest { token, email }, deadline);
    call::write(deadline, async move { careers.correct_own_email(request).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/application/link`
pub(crate) async fn replace_link(
    State(app): State<Shared>,
    candidate: Candidate,
    _: NoBody,
) -> Result<StatusCode, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let mut careers = app.clients.careers.clone();
    let request = candidate.context.request(wire::ReplaceOwnKeyRequest { key: candidate.key }, deadline);
    call::write(deadline, async move { careers.replace_own_key(request).await }).await?;
    Ok(StatusCode::ACCEPTED)
}

/// `POST /api/application/links`
pub(crate) async fn request_links(
    State(app): State<Shared>,
    context: Context,
    mut fields: JsonFields,
) -> Result<StatusCode, Problem> {
    let email = fields.text("email").unwrap_or_default();
    fields.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let mut careers = app.clients.careers.clone();
    let request = context.request(wire::RequestOwnKeysRequest { email }, deadline);
    call::write(deadline, async move { careers.request_own_keys(request).await }).await?;
    Ok(StatusCode::ACCEPTED)
}

/// `GET /api/application/resume`
pub(crate) async fn download_resume(State(app): State<Shared>, candidate: Candidate) -> Result<Response, Problem> {
    let idle_timeout = app.settings.core_timeouts.call;
    let mut parts = call::read(idle_timeout, &app.retry_budget, || {
        let mut careers = app.clients.careers.clone();
        let request = wire::DownloadOwnResumeRequest { key: candidate.key.clone() };
        let request = candidate.context.request(request, idle_timeout);
        async move { careers.download_own_resume(request).await }
    })
    .await?;
    let first = first_message(&mut parts, idle_timeout).await?;
    let Some(Part::Head(head)) = first.and_then(|message| message.part) else { return Err(missing_application()) };
    let chunks = stream_chunks(parts, idle_timeout, |message: wire::DownloadOwnResumeResponse| match message.part {
        Some(Part::Chunk(chunk)) => Some(chunk),
        Some(Part::Head(_)) | None => None,
    });
    let mut response = Response::new(Body::from_stream(chunks.inspect_err(|error| {
        tracing::error!(error = %rpc::failure::error_chain(error), "resume download interrupted");
    })));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(CONTENT_LENGTH, head.bytes.into());
    headers.insert(CONTENT_DISPOSITION, content_disposition(&head.file_name)?);
    Ok(response)
}
