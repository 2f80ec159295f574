//! JSON of applications.

use http_server::problem::Problem;
use rpc::careers::v1 as wire;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::json::{JsonError, enum_name, raw_decimal, to_hex};
use crate::timestamps::{format_optional_timestamp, format_required_timestamp};

/// Stored resume.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResumeJson {
    file_name: String,
    bytes: i64,
    sha256: String,
}

impl ResumeJson {
    pub(crate) fn new(file_name: String, bytes: i64, sha256: &[u8]) -> Self {
        Self { file_name, bytes, sha256: to_hex(sha256) }
    }
}

/// Application as its candidate sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApplicationJson {
    application_id: String,
    job_id: String,
    job_title: String,
    answers: AnswersJson,
    received_at: String,
    step: &'static str,
    step_since: String,
    past_steps: Vec<&'static str>,
    resume: ResumeJson,
    consents: Option<ConsentsJson>,
    withdrawn_at: Option<String>,
    expires_at: String,
    last_viewed_at: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AnswersJson {
    name: String,
    email: String,
    mobile: String,
    college: String,
    degree: String,
    passing_year: i32,
    role: Option<String>,
    experience: Box<RawValue>,
    linkedin: Option<String>,
    motivation: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConsentsJson {
    this_application: bool,
    later_roles: bool,
    notice_version: String,
}

impl ApplicationJson {
    /// Converts the application of a core response; `None` is an internal error.
    pub(crate) fn from_response(application: Option<wire::Application>) -> Result<Self, Problem> {
        let application = application.ok_or_else(missing_application)?;
        let step = enum_name(application.step())?;
        let past_steps = application.past_steps().map(enum_name).collect::<Result<_, _>>()?;
        Ok(Self {
            answers: AnswersJson::from_answers(application.answers.unwrap_or_default())?,
            received_at: format_required_timestamp(application.received_at.as_ref())?,
            step,
            step_since: format_required_timestamp(application.step_since.as_ref())?,
            past_steps,
            resume: ResumeJson::new(application.file_name, application.resume_bytes, &application.resume_sha256),
            consents: application.consents.map(ConsentsJson::from),
            withdrawn_at: format_optional_timestamp(application.withdrawn_at.as_ref())?,
            expires_at: format_required_timestamp(application.expires_at.as_ref())?,
            last_viewed_at: format_optional_timestamp(application.last_viewed_at.as_ref())?,
            application_id: application.application_id,
            job_id: application.job_id,
            job_title: application.job_title,
        })
    }
}

impl AnswersJson {
    fn from_answers(answers: wire::Answers) -> Result<Self, JsonError> {
        let non_empty = |text: String| Some(text).filter(|text| !text.is_empty());
        Ok(Self {
            name: answers.name,
            email: answers.email,
            mobile: answers.mobile,
            college: answers.college,
            degree: answers.degree,
            passing_year: answers.passing_year,
            role: non_empty(answers.role),
            experience: raw_decimal(answers.experience)?,
            linkedin: non_empty(answers.linkedin),
            motivation: answers.motivation,
        })
    }
}

impl From<wire::Consents> for ConsentsJson {
    fn from(consents: wire::Consents) -> Self {
        let wire::Consents { this_application, later_roles, notice_version } = consents;
        Self { this_application, later_roles, notice_version }
    }
}

/// Logs a core response without an application and returns an internal error.
pub(crate) fn missing_application() -> Problem {
    tracing::error!("response of the core without the application");
    Problem::internal()
}
