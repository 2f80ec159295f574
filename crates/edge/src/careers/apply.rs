//! `POST /api/apply/{jobid}`: an application on its way from the form to the core, its resume piece by piece.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::header::HeaderName;
use http::{HeaderValue, StatusCode};
use rpc::careers::v1::SubmitApplicationResponse;
use serde::Serialize;

use crate::Shared;
use crate::call::Context;
use crate::careers::form;
use crate::careers::openings::JobId;
use crate::careers::record::ResumeFacts;
use crate::parts::Parts;
use crate::problem::Problem;
use crate::record::{Unwritable, time_of};
use crate::trades::answer;
use crate::transfer::Transfer;

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
    let parts = Parts::of(&app, request, form::too_large).await?;
    let mut transfer = Transfer::apply(&app, &context);
    let said = form::read(parts, job_id, key, &mut transfer).await?;
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
