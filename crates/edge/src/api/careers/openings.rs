//! Handlers of `/api/job-description`: openings and their job descriptions.

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;
use http_server::problem::Problem;
use rpc::careers::v1 as wire;
use serde_json::json;
use tokio::time::timeout;

use crate::api::careers::openings_json::{JobDescriptionJson, OpeningJson};
use crate::call::{self, Context};
use crate::error_texts::problem;
use crate::state::Shared;

/// Id of an opening in a path; rejects invalid UTF-8 with 404.
pub(crate) struct JobId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for JobId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let not_found = |_| problem(StatusCode::NOT_FOUND, "careers", "opening_not_found");
        let Path(job_id) = Path::<String>::from_request_parts(parts, state).await.map_err(not_found)?;
        Ok(Self(job_id))
    }
}

/// `GET /api/job-description`
pub(crate) async fn list_openings(State(app): State<Shared>, context: Context) -> Result<Response, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut careers = app.clients.careers.clone();
        let request = context.request(wire::ListOpeningsRequest {}, deadline);
        async move { careers.list_openings(request).await }
    });
    let openings: Vec<OpeningJson> = response.await?.openings.into_iter().map(OpeningJson::from).collect();
    Ok(Json(json!({ "openings": openings })).into_response())
}

/// `GET /api/job-description/{jobid}`
pub(crate) async fn show_opening(
    State(app): State<Shared>,
    context: Context,
    JobId(job_id): JobId,
) -> Result<Response, Problem> {
    let description = get_job_description(&app, &context, &job_id).await?;
    Ok(Json(JobDescriptionJson::from(description)).into_response())
}

/// Returns true if the opening does not exist or is closed; false if the core does not respond in time.
pub(crate) async fn is_closed(app: &Shared, context: &Context, job_id: &str) -> bool {
    let description = get_job_description(app, context, job_id);
    let description = timeout(app.settings.core_timeouts.health_check, description).await;
    description.is_ok_and(|description| {
        description.is_err_and(|problem| matches!(problem.code(), "opening_not_found" | "opening_closed"))
    })
}

async fn get_job_description(
    app: &Shared,
    context: &Context,
    job_id: &str,
) -> Result<wire::GetJobDescriptionResponse, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let request = wire::GetJobDescriptionRequest { job_id: job_id.to_owned() };
    call::read(deadline, &app.retry_budget, || {
        let mut careers = app.clients.careers.clone();
        let request = context.request(request.clone(), deadline);
        async move { careers.get_job_description(request).await }
    })
    .await
}
