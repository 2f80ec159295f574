//! Multipart form of an application. Fields, including the resume, come in any order and at most once each.
//!
//! Rejects unknown, repeated and oversized fields only; the core validates the answers.

use http_server::multipart::{Multipart, Part};
use http_server::problem::{FieldError, Problem};
use rpc::careers::v1::submit_application_request::Part as Message;
use rpc::careers::v1::{
    Answers, ApplicationEnd, ApplicationForm, Consents, SubmitApplicationRequest, SubmitApplicationResponse,
};

use crate::call::Context;
use crate::error_texts::{invalid_field, invalid_flag};
use crate::form_texts::FormTexts;
use crate::state::Shared;
use crate::upload_call::UploadCall;

/// Maximum size of a text field; the longest valid one is a motivation of 5,000 characters.
const MAX_FIELD_BYTES: usize = 24 * 1024;
/// Names of the fields other than the resume.
const TEXT_FIELDS: [&str; 14] = [
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

/// Call that submits an application.
type SubmissionCall = UploadCall<SubmitApplicationRequest, SubmitApplicationResponse>;

/// Fields read so far.
#[derive(Default)]
struct FormFields {
    texts: FormTexts,
    file_name: Option<String>,
    resume_bytes: i64,
}

/// Reads the form, streams the resume to `call`, and returns the messages that follow the resume.
pub(crate) async fn read_application_form(
    mut form: Multipart,
    job_id: String,
    idempotency_key: String,
    call: &mut SubmissionCall,
) -> Result<Vec<SubmitApplicationRequest>, Problem> {
    let mut fields = FormFields::default();
    while let Some(part) = form.next_part().await? {
        fields.read_part(part, call).await?;
    }
    fields.finish(job_id, idempotency_key)
}

impl FormFields {
    async fn read_part(&mut self, part: Part<'_>, call: &mut SubmissionCall) -> Result<(), Problem> {
        match part.name() {
            "resume" => self.read_resume(part, call).await,
            _ => self.texts.read(part, &TEXT_FIELDS, MAX_FIELD_BYTES).await,
        }
    }

    async fn read_resume(&mut self, mut part: Part<'_>, call: &mut SubmissionCall) -> Result<(), Problem> {
        let name = part.file_name().rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        if self.file_name.replace(name).is_some() {
            self.texts.errors.push(FieldError::repeated("resume"));
        }
        while let Some(chunk) = part.chunk().await? {
            // A form with errors will be rejected; its resume need not be sent.
            if self.texts.errors.is_empty() {
                self.resume_bytes = self.resume_bytes.saturating_add(i64::try_from(chunk.len()).unwrap_or(i64::MAX));
                call.push(chunk).await;
            }
        }
        Ok(())
    }

    fn finish(mut self, job_id: String, idempotency_key: String) -> Result<Vec<SubmitApplicationRequest>, Problem> {
        if self.texts.get("jobid").is_some_and(|text| text != job_id) {
            self.texts.errors.push(invalid_field("edge", "jobid"));
        }
        let consents = self.take_consents();
        if !self.texts.errors.is_empty() {
            return Err(Problem::from_field_errors(self.texts.errors));
        }
        let answers = Some(self.take_answers());
        let file_name = self.file_name.unwrap_or_default();
        let form = ApplicationForm { job_id, answers, file_name, consents, idempotency_key };
        let end = ApplicationEnd { bytes: self.resume_bytes };
        let to_message = |part| SubmitApplicationRequest { part: Some(part) };
        Ok(vec![to_message(Message::Form(form)), to_message(Message::End(end))])
    }

    fn take_answers(&mut self) -> Answers {
        let mut take_text = |name| self.texts.take(name);
        let year = take_text("passingYear");
        Answers {
            name: take_text("name"),
            email: take_text("email"),
            mobile: take_text("mobile"),
            college: take_text("college"),
            degree: take_text("degree"),
            // 0 for a missing year and -1 for an invalid one; the core rejects both.
            passing_year: if year.trim().is_empty() { 0 } else { year.trim().parse().unwrap_or(-1) },
            role: take_text("role"),
            experience: take_text("experience"),
            linkedin: take_text("linkedin"),
            motivation: take_text("motivation"),
        }
    }

    /// Returns `None` if none of the three fields was sent: the client does not ask for consent.
    fn take_consents(&mut self) -> Option<Consents> {
        let names = ["consentApplication", "consentLaterRoles", "noticeVersion"];
        if !names.iter().any(|name| self.texts.get(name).is_some()) {
            return None;
        }
        Some(Consents {
            this_application: self.take_flag("consentApplication"),
            later_roles: self.take_flag("consentLaterRoles"),
            notice_version: self.texts.take("noticeVersion"),
        })
    }

    fn take_flag(&mut self, name: &'static str) -> bool {
        match self.texts.get(name) {
            Some("true") => true,
            None | Some("false") => false,
            Some(_) => {
                self.texts.errors.push(invalid_flag(name));
                false
            }
        }
    }
}

/// Starts the core call that submits an application.
pub(crate) fn start_submission(app: &Shared, context: &Context) -> SubmissionCall {
    let mut careers = app.clients.careers.clone();
    let to_message = |chunk| SubmitApplicationRequest { part: Some(Message::Chunk(chunk)) };
    UploadCall::start(app, context, to_message, |request| async move { careers.submit_application(request).await })
}
