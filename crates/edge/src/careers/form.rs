//! The form of an application. Its fields come in any order, the resume among them, and each of them once.
//!
//! What the answers must be like, the core says. Here it is only seen that the form can be read at all.

use std::collections::BTreeMap;

use http::StatusCode;
use rpc::careers::v1::submit_application_request::Part as Message;
use rpc::careers::v1::{
    Answers, ApplicationEnd, ApplicationForm, Consents, SubmitApplicationRequest, SubmitApplicationResponse,
};

use crate::input::unknown;
use crate::parts::{Part, Parts};
use crate::problem::{FieldError, Problem};
use crate::transfer::Transfer;

/// The resume and everything around it.
pub(crate) const LARGEST_FORM: usize = 5 * 1024 * 1024 + 256 * 1024;
/// Bytes of a field that is not the resume. The longest that means anything is a motivation of 5,000 characters.
const LONGEST_FIELD: usize = 24 * 1024;
/// The fields that are not the resume.
const TEXTS: [&str; 14] = [
    "name",
    "email",
    "mobile",
    "college",
    "degree",
    "passingYear",
    "role",
    "experience",
    "linkedin",
    "motivation",
    "jobid",
    "consentApplication",
    "consentLaterRoles",
    "noticeVersion",
];

/// The application on its way.
type Submission = Transfer<SubmitApplicationRequest, SubmitApplicationResponse>;

/// What the form says so far.
#[derive(Default)]
struct Form {
    texts: BTreeMap<&'static str, String>,
    file_name: Option<String>,
    bytes: i64,
    errors: Vec<FieldError>,
}

/// Hands the resume among `parts` to `transfer` as it comes, and returns what the core is told once all is read.
pub(super) async fn read(
    mut parts: Parts,
    job_id: String,
    idempotency_key: String,
    transfer: &mut Submission,
) -> Result<Vec<SubmitApplicationRequest>, Problem> {
    let mut form = Form::default();
    while let Some(field) = parts.next().await? {
        form.take(field, transfer).await?;
    }
    form.finish(job_id, idempotency_key)
}

impl Form {
    async fn take(&mut self, field: Part<'_>, transfer: &mut Submission) -> Result<(), Problem> {
        let name = field.name();
        if name == "resume" {
            return self.resume(field, transfer).await;
        }
        let Some(name) = TEXTS.into_iter().find(|known| *known == name) else {
            self.errors.push(unknown(name.to_owned()));
            return Ok(());
        };
        match field.text(LONGEST_FIELD).await? {
            Some(text) => {
                if self.texts.insert(name, text).is_some() {
                    self.repeated(name);
                }
            }
            None => self.errors.push(FieldError::new(name, "too_long", "This field is too long.")),
        }
        Ok(())
    }

    async fn resume(&mut self, mut field: Part<'_>, transfer: &mut Submission) -> Result<(), Problem> {
        let name = field.file_name().rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        if self.file_name.replace(name).is_some() {
            self.repeated("resume");
        }
        while let Some(chunk) = field.chunk().await? {
            // Nothing of a form that is refused already needs to travel on.
            if self.errors.is_empty() {
                self.bytes = self.bytes.saturating_add(i64::try_from(chunk.len()).unwrap_or(i64::MAX));
                transfer.push(chunk).await;
            }
        }
        Ok(())
    }

    fn repeated(&mut self, field: &'static str) {
        self.errors.push(FieldError::new(field, "repeated", "This field was sent more than once."));
    }

    fn finish(mut self, job_id: String, idempotency_key: String) -> Result<Vec<SubmitApplicationRequest>, Problem> {
        if self.texts.get("jobid").is_some_and(|said| *said != job_id) {
            self.errors.push(FieldError::new("jobid", "invalid", "This is not the opening in the address."));
        }
        let consents = self.consents();
        if !self.errors.is_empty() {
            return Err(Problem::fields(self.errors));
        }
        let answers = Some(self.answers());
        let file_name = self.file_name.unwrap_or_default();
        let form = ApplicationForm { job_id, answers, file_name, consents, idempotency_key };
        let end = ApplicationEnd { bytes: self.bytes };
        let message = |part| SubmitApplicationRequest { part: Some(part) };
        Ok(vec![message(Message::Form(form)), message(Message::End(end))])
    }

    fn answers(&mut self) -> Answers {
        let mut said = |name| self.texts.remove(name).unwrap_or_default();
        let year = said("passingYear");
        Answers {
            name: said("name"),
            email: said("email"),
            mobile: said("mobile"),
            college: said("college"),
            degree: said("degree"),
            // Nothing is no year, and what is no number a wrong one; the core tells both.
            passing_year: if year.trim().is_empty() { 0 } else { year.trim().parse().unwrap_or(-1) },
            role: said("role"),
            experience: said("experience"),
            linkedin: said("linkedin"),
            motivation: said("motivation"),
        }
    }

    /// None where the client asks for none: it sends none of the three fields.
    fn consents(&mut self) -> Option<Consents> {
        let asked = ["consentApplication", "consentLaterRoles", "noticeVersion"];
        if !asked.iter().any(|name| self.texts.contains_key(name)) {
            return None;
        }
        Some(Consents {
            application: self.flag("consentApplication"),
            later_roles: self.flag("consentLaterRoles"),
            notice_version: self.texts.remove("noticeVersion").unwrap_or_default(),
        })
    }

    fn flag(&mut self, name: &'static str) -> bool {
        match self.texts.get(name).map(String::as_str) {
            Some("true") => true,
            None | Some("false") => false,
            Some(_) => {
                self.errors.push(FieldError::new(name, "invalid", "Say true or false."));
                false
            }
        }
    }
}

pub(crate) fn too_large() -> Problem {
    let detail = "File size must be less than 5MB.";
    Problem::of_status(StatusCode::PAYLOAD_TOO_LARGE).saying("resume_too_large", detail).at(FieldError::new(
        "resume",
        "resume_too_large",
        detail,
    ))
}
