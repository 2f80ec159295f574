//! `POST /api/apply/{jobid}`: an application on its way from the form to the core, its resume piece by piece.

use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::response::{IntoResponse, Response};
use http::header::HeaderName;
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use rpc::careers::v1::SubmitApplicationResponse;
use serde::Serialize;

use crate::Shared;
use crate::call::Context;
use crate::careers::form;
use crate::careers::record::ResumeFacts;
use crate::imports::form_of;
use crate::problem::Problem;
use crate::record::{Unwritable, time_of};
use crate::trades::answer;
use crate::transfer::Transfer;

/// The code of an opening in the path. What is no text is no code of ours.
pub(crate) struct JobId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for JobId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let none = |_| Problem::new(StatusCode::NOT_FOUND, "no_opening", "There is no such opening.");
        let Path(job_id) = Path::<String>::from_request_parts(parts, state).await.map_err(none)?;
        Ok(Self(job_id))
    }
}

pub(crate) async fn apply(
    State(app): State<Shared>,
    context: Context,
    JobId(job_id): JobId,
    request: Request,
) -> Result<Response, Problem> {
    // Of the places for uploads, applicants get half.
    let permit = (Arc::clone(&app.applications).try_acquire_owned(), Arc::clone(&app.uploads).try_acquire_owned());
    let (Ok(_application), Ok(_upload)) = permit else { return Err(Problem::busy()) };
    let key = answer::key(request.headers())?;
    let multipart = form_of(&app, request).await?;
    let mut transfer = Transfer::apply(&app, &context);
    let said = form::read(multipart, job_id, key, &mut transfer).await?;
    let answer = transfer.finish(said).await?;
    let replayed = answer.replayed;
    let mut response = (StatusCode::CREATED, Json(Receipt::of(answer)?)).into_response();
    if replayed {
        let headers = response.headers_mut();
        headers.insert(HeaderName::from_static("idempotency-replayed"), HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// What a candidate holds in hands.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Receipt {
    application_id: String,
    received_at: String,
    resume: ResumeFacts,
}

impl Receipt {
    fn of(answer: SubmitApplicationResponse) -> Result<Self, Unwritable> {
        Ok(Self {
            application_id: answer.application_id,
            received_at: time_of(answer.received_at.as_ref())?,
            resume: ResumeFacts::new(answer.file_name, answer.resume_bytes, &answer.resume_sha256),
        })
    }
}
