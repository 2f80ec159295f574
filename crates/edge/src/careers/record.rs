//! An application on the wire.

use rpc::careers::v1 as wire;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::problem::Problem;
use crate::record::{Unwritable, hex, raw_number, time_of, time_text};
use crate::words;

/// A resume as it is stored.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResumeFacts {
    file_name: String,
    bytes: i64,
    sha256: String,
}

impl ResumeFacts {
    pub(super) fn new(file_name: String, bytes: i64, sha256: &[u8]) -> Self {
        Self { file_name, bytes, sha256: hex(sha256) }
    }
}

/// An application as its candidate sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Application {
    application_id: String,
    job_id: String,
    job_title: String,
    answers: Answers,
    received_at: String,
    step: &'static str,
    step_since: String,
    resume: ResumeFacts,
    consents: Option<Consents>,
    withdrawn_at: Option<String>,
    kept_until: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answers {
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
struct Consents {
    application: bool,
    later_roles: bool,
    notice_version: String,
}

impl Application {
    /// What the core answered, which is always an application.
    pub(super) fn of(application: Option<wire::Application>) -> Result<Self, Problem> {
        let application = application.ok_or_else(without)?;
        let step = words::of_step(application.step()).map_err(Unwritable::from)?;
        Ok(Self {
            answers: Answers::of(application.answers.unwrap_or_default())?,
            received_at: time_of(application.received_at.as_ref())?,
            step,
            step_since: time_of(application.step_since.as_ref())?,
            resume: ResumeFacts::new(application.file_name, application.resume_bytes, &application.resume_sha256),
            consents: application.consents.map(Consents::from),
            withdrawn_at: application.withdrawn_at.as_ref().map(time_text).transpose()?,
            kept_until: time_of(application.kept_until.as_ref())?,
            application_id: application.application_id,
            job_id: application.job_id,
            job_title: application.job_title,
        })
    }
}

impl Answers {
    fn of(answers: wire::Answers) -> Result<Self, Unwritable> {
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Ok(Self {
            name: answers.name,
            email: answers.email,
            mobile: answers.mobile,
            college: answers.college,
            degree: answers.degree,
            passing_year: answers.passing_year,
            role: some(answers.role),
            experience: raw_number(answers.experience)?,
            linkedin: some(answers.linkedin),
            motivation: answers.motivation,
        })
    }
}

impl From<wire::Consents> for Consents {
    fn from(consents: wire::Consents) -> Self {
        let wire::Consents { application, later_roles, notice_version } = consents;
        Self { application, later_roles, notice_version }
    }
}

/// The core answered without what it was asked for.
pub(super) fn without() -> Problem {
    tracing::error!("the core sent an answer about an application without one");
    Problem::internal()
}
