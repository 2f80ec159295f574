//! Openings and their job descriptions.

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;
use rpc::careers::v1 as wire;
use serde::{Serialize, Serializer};
use serde_json::json;
use tokio::time::timeout;

use crate::Shared;
use crate::call::{self, Context};
use crate::problem::Problem;

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

/// `GET /api/job-description`
pub(crate) async fn list(State(app): State<Shared>, context: Context) -> Result<Response, Problem> {
    let deadline = app.settings.times.core;
    let answer = call::read(deadline, &app.retries, || {
        let mut careers = app.clients.careers.clone();
        let request = context.request(wire::ListOpeningsRequest {}, deadline);
        async move { careers.list_openings(request).await }
    });
    let openings: Vec<Opening> = answer.await?.openings.into_iter().map(Opening::from).collect();
    Ok(Json(json!({ "openings": openings })).into_response())
}

/// `GET /api/job-description/{jobid}`
pub(crate) async fn describe(
    State(app): State<Shared>,
    context: Context,
    JobId(job_id): JobId,
) -> Result<Response, Problem> {
    let description = described(&app, &context, &job_id).await?;
    Ok(Json(JobDescription::from(description)).into_response())
}

/// Whether nobody can apply for this opening: it never was, or is closed. Where the core does not say, it is not gone.
pub(crate) async fn is_gone(app: &Shared, context: &Context, job_id: &str) -> bool {
    let described = timeout(app.settings.times.health, described(app, context, job_id)).await;
    described.is_ok_and(|described| {
        described.is_err_and(|problem| matches!(problem.code(), "no_opening" | "opening_closed"))
    })
}

async fn described(app: &Shared, context: &Context, job_id: &str) -> Result<wire::GetJobDescriptionResponse, Problem> {
    let deadline = app.settings.times.core;
    let asked = wire::GetJobDescriptionRequest { job_id: job_id.to_owned() };
    call::read(deadline, &app.retries, || {
        let mut careers = app.clients.careers.clone();
        let request = context.request(asked.clone(), deadline);
        async move { careers.get_job_description(request).await }
    })
    .await
}

/// What a card shows of an opening.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Opening {
    id: String,
    title: String,
    department: String,
    skills: Vec<String>,
    location: String,
    duration: String,
    stipend: String,
    posted_on: String,
    last_date: String,
}

impl From<wire::Opening> for Opening {
    fn from(opening: wire::Opening) -> Self {
        let wire::Opening { id, title, department, skills, location, duration, stipend, posted_on, last_date } =
            opening;
        Self { id, title, department, skills, location, duration, stipend, posted_on, last_date }
    }
}

/// An opening in full, under the names that its readers know.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct JobDescription {
    title: String,
    #[serde(rename = "JobID")]
    job_id: String,
    location: String,
    duration: String,
    #[serde(rename = "Posting_Date")]
    posted_on: String,
    #[serde(rename = "Aboutus")]
    about_us: String,
    tech_stack: Vec<String>,
    experience: String,
    #[serde(rename = "KeySkillsandRequirements")]
    skills: Skills,
    key_responsibilities: Responsibilities,
    #[serde(rename = "PerksandBenefits")]
    perks_and_benefits: Vec<String>,
    department: String,
    stipend: String,
    work_mode: String,
    seats: i32,
    last_date: String,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Skills {
    technical: Vec<String>,
}

/// A map whose order is that of the text.
struct Responsibilities(Vec<wire::Responsibilities>);

impl Serialize for Responsibilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|part| (&part.heading, &part.items)))
    }
}

impl From<wire::GetJobDescriptionResponse> for JobDescription {
    fn from(described: wire::GetJobDescriptionResponse) -> Self {
        let opening = described.opening.unwrap_or_default();
        Self {
            title: opening.title,
            job_id: opening.id,
            location: opening.location,
            duration: opening.duration,
            posted_on: opening.posted_on,
            about_us: described.about_us,
            tech_stack: described.tech_stack,
            experience: described.experience,
            skills: Skills { technical: described.technical_skills },
            key_responsibilities: Responsibilities(described.responsibilities),
            perks_and_benefits: described.perks_and_benefits,
            department: opening.department,
            stipend: opening.stipend,
            work_mode: described.work_mode,
            seats: described.seats,
            last_date: opening.last_date,
        }
    }
}
