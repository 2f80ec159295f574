//! Rules of the crate: which applications are accepted, and who may see and change them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use file_store::{FileStore, Location};
use futures_util::TryStreamExt as _;
use queue::{JobQueue, Place};
use rpc::careers::v1::{self as wire, ApplicationView};
use rpc::failure::{Failure as _, Kind, Violation};
use tonic::Streaming;
use uuid::Uuid;

use crate::answers::{Answers, Consents, parse_email};
use crate::application::{
    AccessKey, Application, NewApplication, Resume, Step, generate_application_id, parse_idempotency_key,
    sanitize_file_name,
};
use crate::error::Error;
use crate::opening::{Opening, load_openings, today};
use crate::resume_check::{self, Format};
use crate::resume_scanner;
use crate::settings::Settings;
use crate::store::Store;
use crate::store::access_log::Access;
use crate::store::queries::{Filter, PageToken};
use crate::store::step_history::StepRecord;
use crate::store::submission::{StoredApplication, SubmissionLimits};
use crate::store::updates::StepChange;
use crate::upload::{self, TemporaryResume, Upload};

/// Age at which a resume without an application is deleted; longer than the submission of an application takes.
const ORPHANED_RESUME_TTL: Duration = Duration::from_hours(1);
/// Timeout for checking and storing an uploaded application. By then the candidate has seen a timeout.
const SUBMISSION_TIMEOUT: Duration = Duration::from_mins(1);
/// Number of resume ids per database query.
const RESUME_ID_BATCH: usize = 500;
const MAX_NOTE_CHARS: usize = 1_000;
const DEFAULT_PAGE_SIZE: i32 = 50;
const MAX_PAGE_SIZE: i32 = 100;

/// Receives applications, and returns them to candidates and to the company.
#[derive(Clone)]
pub(crate) struct Service {
    store: Store,
    resumes: FileStore,
    settings: Settings,
    openings: Arc<[Opening]>,
    /// Limits the applications that are being received or wait for their check.
    application_queue: JobQueue,
    /// Limits the running resume checks.
    check_queue: JobQueue,
}

/// Result of a submission.
pub(crate) struct Receipt {
    pub(crate) stored: StoredApplication,
    pub(crate) file_name: String,
    pub(crate) bytes: i64,
    pub(crate) sha256: [u8; 32],
    /// Token with which the email address can be corrected, while that is possible.
    pub(crate) email_correction_token: Option<AccessKey>,
}

/// Page of applications.
pub(crate) struct Page {
    pub(crate) applications: Vec<Application>,
    pub(crate) next: Option<PageToken>,
    pub(crate) total_size: i64,
}

impl Service {
    pub(crate) fn new(store: Store, settings: Settings) -> Result<Self, Error> {
        Self::with_openings(store, settings, load_openings().map_err(Error::OpeningFile)?)
    }

    pub(crate) fn with_openings(store: Store, settings: Settings, openings: Vec<Opening>) -> Result<Self, Error> {
        Ok(Self {
            resumes: FileStore::open(&Location::Dir(settings.resume_dir()))?,
            store,
            openings: openings.into(),
            application_queue: JobQueue::new(settings.max_pending_applications, 0),
            check_queue: JobQueue::new(settings.max_concurrent_checks, settings.max_pending_applications),
            settings,
        })
    }

    /// Returns the openings that accept applications today.
    pub(crate) fn list_openings(&self) -> impl Iterator<Item = &Opening> {
        let today = today();
        self.openings.iter().filter(move |opening| opening.is_open(today))
    }

    /// Returns an opening that accepts applications today.
    pub(crate) fn find_opening(&self, job_id: &str) -> Result<&Opening, Error> {
        let opening = self.openings.iter().find(|opening| opening.id == job_id).ok_or(Error::OpeningNotFound)?;
        if opening.is_open(today()) { Ok(opening) } else { Err(Error::OpeningClosed) }
    }

    /// Receives and stores an application. A complete upload is processed even if the caller disconnects.
    pub(crate) async fn submit(&self, parts: Streaming<wire::SubmitApplicationRequest>) -> Result<Receipt, Error> {
        let place = self.application_queue.try_enqueue().map_err(|_| Error::Busy)?;
        let upload = upload::receive(self.resumes.upload_dir(), parts).await?;
        let service = self.clone();
        let submission = async move { service.check_and_store(upload, place).await };
        let receipt = db::run_to_completion(SUBMISSION_TIMEOUT, submission).await;
        if let Err(error) = &receipt {
            tracing::info!(code = error.reason(), "application_rejected");
        }
        receipt
    }

    async fn check_and_store(&self, upload: Upload, _place: Place) -> Result<Receipt, Error> {
        let (new, format) = self.validate(&upload)?;
        let TemporaryResume { file, bytes, sha256 } = upload.resume;
        let receipt = |stored: StoredApplication, new: NewApplication| Receipt {
            email_correction_token: stored.is_email_correctable.then_some(new.email_correction_token),
            stored,
            file_name: new.resume.file_name,
            bytes,
            sha256,
        };
        if let Some(stored) = self.store.find_submission(&new).await? {
            return Ok(receipt(stored, new));
        }
        self.check_resume(format, &file).await?;
        self.scan_resume(&file).await?;
        if self.store.is_daily_limit_reached(self.submission_limits()).await? {
            return Err(Error::DailyLimitReached);
        }
        let resume_id = new.resume.resume_id;
        self.resumes.put(resume_id, file).await?;
        let notify_company = self.settings.careers_inbox.is_some();
        let stored = self.store.add_application(&new, self.submission_limits(), notify_company).await;
        // After other errors the row may have been committed. Then the cleanup job decides about the resume.
        let is_unused = match &stored {
            Ok(stored) => stored.replayed,
            Err(Error::DailyLimitReached | Error::IdempotencyKeyReused | Error::InProgress(_)) => true,
            Err(error) => error.kind() == Kind::StorageFull,
        };
        if is_unused {
            self.delete_resume(resume_id).await;
        }
        let stored = stored?;
        self.settings.email_queued.notify_one();
        tracing::info!(application_id = stored.application_id, job_id = new.job_id, bytes, "application_received");
        Ok(receipt(stored, new))
    }

    /// Validates the form and the file name of an upload.
    fn validate(&self, upload: &Upload) -> Result<(NewApplication, Format), Error> {
        let wire::ApplicationForm { job_id, answers, file_name, consents, idempotency_key } = upload.form.clone();
        let opening = self.find_opening(&job_id)?;
        let idempotency_key = parse_idempotency_key(idempotency_key)?;
        let answers = Answers::parse(&answers.unwrap_or_default(), today());
        let consents = consents.map(Consents::parse).transpose();
        let format = resume_format(&file_name, upload.resume.bytes);
        match (answers, consents, format) {
            (Ok(answers), Ok(consents), Ok(format)) => {
                let resume = Resume {
                    resume_id: Uuid::new_v4(),
                    file_name: sanitize_file_name(&file_name),
                    bytes: upload.resume.bytes,
                    sha256: upload.resume.sha256.to_vec(),
                };
                let (job_id, job_title) = (opening.id.clone(), opening.title.clone());
                let application_id = generate_application_id()?;
                let email_correction_token = AccessKey::generate()?;
                let new = NewApplication {
                    application_id,
                    job_id,
                    job_title,
                    answers,
                    consents,
                    resume,
                    idempotency_key,
                    email_correction_token,
                };
                Ok((new, format))
            }
            (answers, consents, format) => {
                let in_form =
                    |violation: Violation| Violation { field: format!("form.{}", violation.field).into(), ..violation };
                let answers = answers.err().unwrap_or_default().into_iter().map(in_form);
                Err(Error::Invalid(answers.chain(format.err()).chain(consents.err().unwrap_or_default()).collect()))
            }
        }
    }

    async fn check_resume(&self, format: Format, file: &std::fs::File) -> Result<(), Error> {
        let permit = self.check_queue.acquire(self.settings.check_queue_timeout).await;
        let _permit = permit.map_err(|_| Error::Busy)?;
        let file = file.try_clone().map_err(Error::io("failed to duplicate the handle of a resume"))?;
        resume_check::check(&self.settings.parser_program, self.settings.check_timeout, format, file).await
    }

    /// Scans a resume for malware if a scanner is set.
    async fn scan_resume(&self, file: &std::fs::File) -> Result<(), Error> {
        let Some(scanner) = &self.settings.resume_scanner else { return Ok(()) };
        let file = file.try_clone().map_err(Error::io("failed to duplicate the handle of a resume"))?;
        let scanned = resume_scanner::scan(scanner, self.settings.scan_timeout, file).await;
        if let Err(error @ Error::ScannerUnavailable(_)) = &scanned {
            tracing::error!(error = %rpc::failure::error_chain(error), "failed to scan a resume");
        }
        scanned
    }

    /// Returns the candidate's application.
    pub(crate) async fn find_own(&self, key: &AccessKey) -> Result<Application, Error> {
        self.store.find_by_key(key).await
    }

    /// Changes the candidate's answers; `mask` names the fields of `changes`.
    pub(crate) async fn update_answers(
        &self,
        key: &AccessKey,
        changes: wire::Answers,
        mask: &[String],
    ) -> Result<Application, Error> {
        let change = |stored: Answers| {
            let answers = stored.with_changes(changes, mask).map_err(|violation| vec![violation])?;
            Answers::parse(&answers, today())
        };
        self.notify_email_queued(self.store.update_answers(key, change).await)
    }

    pub(crate) async fn withdraw(&self, key: &AccessKey) -> Result<Application, Error> {
        let withdrawn = self.notify_email_queued(self.store.withdraw(key, self.settings.retention).await)?;
        tracing::info!(application_id = withdrawn.application_id, "application_withdrawn");
        Ok(withdrawn)
    }

    pub(crate) async fn set_later_roles(&self, key: &AccessKey, agreed: bool) -> Result<Application, Error> {
        let application = self.store.set_later_roles(key, agreed, self.settings.retention).await?;
        tracing::info!(application_id = application.application_id, agreed, "later_roles_set");
        Ok(application)
    }

    /// Replaces a mistyped email address, and sends the receipt to the new one.
    pub(crate) async fn correct_email(&self, token: &AccessKey, email: &str) -> Result<(), Error> {
        let email = parse_email("email", email).map_err(|violation| Error::Invalid(vec![violation]))?;
        let application = self.notify_email_queued(self.store.correct_email(token, &email).await)?;
        tracing::info!(application_id = application.application_id, "application_email_corrected");
        Ok(())
    }

    /// Revokes the links to the candidate's application, and sends a new one.
    pub(crate) async fn replace_link(&self, key: &AccessKey) -> Result<(), Error> {
        let application_id = self.notify_email_queued(self.store.replace_link(key).await)?;
        tracing::info!(application_id, "application_link_replaced");
        Ok(())
    }

    /// Sends links to all applications of an email address to it, if there are any.
    pub(crate) async fn request_links(&self, email: &str) -> Result<(), Error> {
        let email = parse_email("email", email).map_err(|violation| Error::Invalid(vec![violation]))?;
        self.notify_email_queued(self.store.request_links(&email).await)
    }

    /// Deletes the candidate's application and resume.
    pub(crate) async fn delete(&self, key: &AccessKey) -> Result<(), Error> {
        let (application_id, resume_id) = self.notify_email_queued(self.store.delete_application(key).await)?;
        self.delete_resume(resume_id).await;
        tracing::info!(application_id, "application_deleted");
        Ok(())
    }

    /// Returns an application to the company, and records the access.
    pub(crate) async fn find_for_company(
        &self,
        application_id: &str,
        caller: &str,
        action: &str,
    ) -> Result<Application, Error> {
        self.store.find_for_company(application_id, caller, action).await
    }

    /// Lists the steps of an application that the company set, with their notes, oldest first.
    pub(crate) async fn list_steps(&self, application_id: &str) -> Result<Vec<StepRecord>, Error> {
        self.store.list_steps(application_id).await
    }

    /// Returns a page of applications to the company, and records the access.
    pub(crate) async fn list(
        &self,
        request: &wire::ListApplicationsRequest,
        step: Option<Step>,
        caller: &str,
    ) -> Result<Page, Error> {
        let page_size = if request.page_size == 0 { DEFAULT_PAGE_SIZE } else { request.page_size };
        if !(1..=MAX_PAGE_SIZE).contains(&page_size) {
            return Err(Error::Invalid(vec![Violation::new("page_size", "INVALID").with("max", MAX_PAGE_SIZE)]));
        }
        let invalid_token = || Error::Invalid(vec![Violation::new("page_token", "INVALID")]);
        let after = match request.page_token.as_str() {
            "" => None,
            text => Some(PageToken::decode(text).ok_or_else(invalid_token)?),
        };
        // Removes NUL characters, which Postgres does not accept in text.
        let non_empty = |text: &str| Some(text.trim().replace('\0', "")).filter(|text| !text.is_empty());
        let filter = Filter {
            job_id: non_empty(&request.job_id),
            step,
            text: non_empty(&request.text).map(|text| text.to_lowercase()),
            with_withdrawn: request.with_withdrawn,
        };
        let page_size = usize::try_from(page_size).unwrap_or_default();
        let action = match request.view() {
            ApplicationView::Basic => "list",
            ApplicationView::Full | ApplicationView::Unspecified => "export",
        };
        let (applications, has_more) = self.store.list(&filter, after.as_ref(), page_size, caller, action).await?;
        let next = applications.last().filter(|_| has_more).map(PageToken::after);
        Ok(Page { total_size: self.store.count(&filter).await?, applications, next })
    }

    /// Lists the accesses to an application, newest first.
    pub(crate) async fn list_accesses(&self, application_id: &str) -> Result<Vec<Access>, Error> {
        self.store.list_accesses(application_id).await
    }

    /// Moves an application to another step, for the company.
    pub(crate) async fn set_step(
        &self,
        application_id: &str,
        step: Option<Step>,
        note: &str,
        caller: &str,
    ) -> Result<StepChange, Error> {
        let step = step.ok_or_else(|| Error::Invalid(vec![Violation::new("step", "INVALID")]))?;
        let note = note.trim().replace("\r\n", "\n");
        let is_plain_text = !note.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
        if note.chars().count() > MAX_NOTE_CHARS || !is_plain_text {
            return Err(Error::Invalid(vec![Violation::new("note", "INVALID").with("max_chars", MAX_NOTE_CHARS)]));
        }
        self.notify_email_queued(
            self.store.set_step(application_id, step, &note, caller, self.settings.retention).await,
        )
    }

    /// Returns the content of a resume.
    pub(crate) async fn resume(
        &self,
        resume_id: Uuid,
    ) -> Result<impl futures_util::Stream<Item = Result<Vec<u8>, Error>> + Send + use<>, Error> {
        let chunks = self.resumes.get(resume_id).await?;
        Ok(chunks.map_ok(|chunk| chunk.to_vec()).map_err(Error::from))
    }

    /// Deletes expired applications, resumes without an application, and expired bookkeeping rows. A failed step does
    /// not prevent the others.
    pub(crate) async fn clean_up(&self) -> Result<(), Error> {
        let steps = [
            self.delete_expired_applications().await,
            self.delete_orphaned_resumes().await,
            self.store.delete_expired_rows().await,
        ];
        steps.into_iter().collect()
    }

    async fn delete_expired_applications(&self) -> Result<(), Error> {
        loop {
            let resumes = self.store.delete_expired_applications().await?;
            if resumes.is_empty() {
                return Ok(());
            }
            tracing::info!(applications = resumes.len(), "applications_deleted");
            for resume_id in resumes {
                self.delete_resume(resume_id).await;
            }
        }
    }

    async fn delete_orphaned_resumes(&self) -> Result<(), Error> {
        let old = self.resumes.list_older_than(ORPHANED_RESUME_TTL).await?;
        let mut used = HashSet::new();
        for batch in old.chunks(RESUME_ID_BATCH) {
            used.extend(self.store.filter_used_resumes(batch).await?);
        }
        // If the database knows none of the resumes, the directory probably belongs to another database.
        if used.is_empty() && !old.is_empty() {
            tracing::warn!(resumes = old.len(), "kept all resumes because no application refers to any of them");
            return Ok(());
        }
        for resume_id in old.iter().filter(|resume_id| !used.contains(resume_id)) {
            self.delete_resume(*resume_id).await;
        }
        Ok(())
    }

    fn submission_limits(&self) -> SubmissionLimits {
        SubmissionLimits { max_bytes_per_day: self.settings.max_bytes_per_day, retention: self.settings.retention }
    }

    /// Wakes the email sender after a successful write.
    fn notify_email_queued<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        if outcome.is_ok() {
            self.settings.email_queued.notify_one();
        }
        outcome
    }

    /// Deletes a resume. On failure it stays until the cleanup job deletes it.
    async fn delete_resume(&self, resume_id: Uuid) {
        if let Err(error) = self.resumes.delete(resume_id).await {
            tracing::warn!(error = %rpc::failure::error_chain(&error), "failed to delete a resume; it is retried");
        }
    }
}

/// Returns the format that the file name claims.
fn resume_format(file_name: &str, bytes: i64) -> Result<Format, Violation> {
    if bytes == 0 {
        return Err(match file_name {
            "" => Violation::new("form.file_name", "REQUIRED"),
            _ => Violation::new("chunk", "EMPTY"),
        });
    }
    Format::from_file_name(file_name).ok_or_else(|| Violation::new("form.file_name", "UNKNOWN"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn distinguishes_a_closed_opening_from_an_unknown_one() {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings { resume_dir: Some(dir.path().to_owned()), ..Settings::default() };
        let mut openings = load_openings().unwrap();
        openings[0].last_date = today().previous_day().unwrap();
        let store = Store::new(sqlx::PgPool::connect_lazy("postgres://nowhere").unwrap());
        let service = Service::with_openings(store, settings, openings).unwrap();
        assert!(matches!(service.find_opening("FE101"), Err(Error::OpeningClosed)));
        assert!(matches!(service.find_opening("XX101"), Err(Error::OpeningNotFound)));
        assert!(service.find_opening("BE101").is_ok());
        assert_eq!(service.list_openings().count(), 7);
    }
}
