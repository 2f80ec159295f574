//! What the crate decides: which applications are taken, and who may see and change them.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use rpc::careers::v1 as wire;
use rpc::failure::{Failure as _, Kind};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tonic::Streaming;
use tracing::Instrument as _;
use uuid::Uuid;

use crate::Settings;
use crate::answers::{Answers, Consents, violation};
use crate::application::{Application, Key, NewApplication, Resume, Step, draw_id, idempotency_key, tidy_file_name};
use crate::check::{self, Format};
use crate::error::Error;
use crate::opening::{Opening, openings, today};
use crate::resumes::Resumes;
use crate::store::{Cursor, Filter, Limits, Store, Stored};
use crate::upload::{self, Spooled, Upload};

/// How long a resume without an application is kept: longer than an application takes to be stored.
const ORPHANED_AFTER: Duration = Duration::from_hours(1);
/// The longest that an application is looked at and stored; who sent it has long been told that it takes too long.
const LONGEST_TAKING: Duration = Duration::from_mins(1);
/// How many resumes are looked up at once.
const LOOK_UP: usize = 500;
const LONGEST_NOTE: usize = 1_000;
const MOST_LISTED: i32 = 100;

/// Takes applications and gives them out.
#[derive(Clone)]
pub(crate) struct Service {
    store: Store,
    resumes: Resumes,
    settings: Settings,
    openings: Arc<[Opening]>,
    /// One for each application that arrives or waits.
    places: Arc<Semaphore>,
    /// One for each resume that is looked at.
    turns: Arc<Semaphore>,
}

/// An application that was taken.
pub(crate) struct Receipt {
    pub(crate) stored: Stored,
    pub(crate) file_name: String,
    pub(crate) bytes: i64,
    pub(crate) sha256: [u8; 32],
}

/// Some applications.
pub(crate) struct Page {
    pub(crate) applications: Vec<Application>,
    pub(crate) next: Option<Cursor>,
    pub(crate) total: i64,
}

impl Service {
    pub(crate) fn new(store: Store, settings: Settings) -> Result<Self, Error> {
        Self::with_openings(store, settings, openings().map_err(Error::Opening)?)
    }

    pub(crate) fn with_openings(store: Store, settings: Settings, openings: Vec<Opening>) -> Result<Self, Error> {
        Ok(Self {
            resumes: Resumes::open(&settings.resumes())?,
            store,
            openings: openings.into(),
            places: Arc::new(Semaphore::new(settings.places)),
            turns: Arc::new(Semaphore::new(settings.parallel)),
            settings,
        })
    }

    /// The openings for which one can apply today.
    pub(crate) fn openings(&self) -> impl Iterator<Item = &Opening> {
        let today = today();
        self.openings.iter().filter(move |opening| opening.is_open(today))
    }

    /// An opening for which one can apply today.
    pub(crate) fn opening(&self, job_id: &str) -> Result<&Opening, Error> {
        let opening = self.openings.iter().find(|opening| opening.id == job_id).ok_or(Error::NoOpening)?;
        if opening.is_open(today()) { Ok(opening) } else { Err(Error::OpeningClosed) }
    }

    /// Receives an application and takes it, or says why not. What has arrived whole is brought to its end, even where
    /// the caller goes away.
    pub(crate) async fn submit(&self, parts: Streaming<wire::SubmitApplicationRequest>) -> Result<Receipt, Error> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| Error::Busy)?;
        let upload = upload::receive(self.resumes.spool_dir(), parts).await?;
        let service = self.clone();
        let take = async move { service.take(upload, place).await };
        let silent = |_| Err(sqlx::Error::from(std::io::Error::from(ErrorKind::TimedOut)).into());
        let taken = tokio::spawn(timeout(LONGEST_TAKING, take.in_current_span())).await?.unwrap_or_else(silent);
        if let Err(error) = &taken {
            tracing::info!(code = error.reason(), "application_refused");
        }
        taken
    }

    async fn take(&self, upload: Upload, _place: OwnedSemaphorePermit) -> Result<Receipt, Error> {
        let (new, format) = self.checked(&upload)?;
        let Spooled { file, bytes, sha256 } = upload.resume;
        let receipt = |stored| Receipt { stored, file_name: new.resume.file_name.clone(), bytes, sha256 };
        if let Some(stored) = self.store.answered(&new).await? {
            return Ok(receipt(stored));
        }
        self.check_resume(format, &file).await?;
        if self.store.is_day_full(self.limits()).await? {
            return Err(Error::DayFull);
        }
        let resume_id = new.resume.resume_id;
        self.resumes.put(resume_id, file).await?;
        let stored = self.store.add(&new, self.limits(), self.settings.careers_inbox.is_some()).await;
        // Where nobody knows whether it was stored, the resume stays: the sweeper finds out.
        let unused = match &stored {
            Ok(stored) => stored.replayed,
            Err(Error::DayFull | Error::KeyReused | Error::InProgress(_)) => true,
            Err(error) => error.kind() == Kind::Full,
        };
        if unused {
            self.delete_resume(resume_id).await;
        }
        let stored = stored?;
        self.settings.bell.notify_one();
        tracing::info!(application_id = stored.application_id, job_id = new.job_id, bytes, "application_received");
        Ok(receipt(stored))
    }

    /// The application that has arrived, where it keeps all rules.
    fn checked(&self, upload: &Upload) -> Result<(NewApplication, Format), Error> {
        let wire::ApplicationForm { job_id, answers, file_name, consents, idempotency_key: key } = upload.form.clone();
        let opening = self.opening(&job_id)?;
        let idempotency_key = idempotency_key(key)?;
        let answers = Answers::check(&answers.unwrap_or_default(), today());
        let consents = consents.map(Consents::check).transpose();
        let format = resume_format(&file_name, upload.resume.bytes);
        match (answers, consents, format) {
            (Ok(answers), Ok(consents), Ok(format)) => {
                let resume = Resume {
                    resume_id: Uuid::new_v4(),
                    file_name: tidy_file_name(&file_name),
                    bytes: upload.resume.bytes,
                    sha256: upload.resume.sha256.to_vec(),
                };
                let (job_id, job_title) = (opening.id.clone(), opening.title.clone());
                let application_id = draw_id()?;
                let new =
                    NewApplication { application_id, job_id, job_title, answers, consents, resume, idempotency_key };
                Ok((new, format))
            }
            (answers, consents, format) => {
                let broken = [answers.err(), format.err().map(|violation| vec![violation]), consents.err()];
                Err(Error::Invalid(broken.into_iter().flatten().flatten().collect()))
            }
        }
    }

    async fn check_resume(&self, format: Format, file: &std::fs::File) -> Result<(), Error> {
        let turn = tokio::time::timeout(self.settings.wait, self.turns.acquire()).await;
        let _turn = turn.map_err(|_| Error::Busy)?.map_err(|_| Error::Busy)?;
        let file = file.try_clone().map_err(Error::io("handing on a resume failed"))?;
        check::check(&self.settings.child, self.settings.wall_clock, format, file).await
    }

    /// The application that the key opens.
    pub(crate) async fn own(&self, key: &Key) -> Result<Application, Error> {
        self.store.by_key(key).await
    }

    pub(crate) async fn correct(&self, key: &Key, answers: &wire::Answers) -> Result<Application, Error> {
        // Whose key opens nothing learns nothing of the rules.
        self.own(key).await?;
        let answers = Answers::check(answers, today()).map_err(Error::Invalid)?;
        self.written(self.store.correct(key, &answers).await)
    }

    pub(crate) async fn withdraw(&self, key: &Key) -> Result<Application, Error> {
        let withdrawn = self.written(self.store.withdraw(key).await)?;
        tracing::info!(application_id = withdrawn.application_id, "application_withdrawn");
        Ok(withdrawn)
    }

    pub(crate) async fn set_later_roles(&self, key: &Key, agreed: bool) -> Result<Application, Error> {
        let application = self.store.set_later_roles(key, agreed).await?;
        tracing::info!(application_id = application.application_id, agreed, "later_roles_set");
        Ok(application)
    }

    pub(crate) async fn erase(&self, key: &Key) -> Result<(), Error> {
        let (application_id, resume_id) = self.written(self.store.erase(key).await)?;
        self.delete_resume(resume_id).await;
        tracing::info!(application_id, "application_erased");
        Ok(())
    }

    /// An application, for somebody of the company.
    pub(crate) async fn read(&self, application_id: &str, who: &str, what: &str) -> Result<Application, Error> {
        self.store.read(application_id, who, what).await
    }

    pub(crate) async fn list(
        &self,
        request: &wire::ListApplicationsRequest,
        step: Option<Step>,
        who: &str,
    ) -> Result<Page, Error> {
        let refused = |field, message: &str| Error::Invalid(vec![violation(field, "INVALID", message)]);
        if !(1..=MOST_LISTED).contains(&request.limit) {
            return Err(refused("limit", "A page has 1 to 100 applications."));
        }
        let after = match request.cursor.as_str() {
            "" => None,
            text => Some(Cursor::decode(text).ok_or_else(|| refused("cursor", "This is not a cursor of ours."))?),
        };
        // No name has a NUL, and Postgres takes none.
        let some = |text: &str| Some(text.trim().replace('\0', "")).filter(|text| !text.is_empty());
        let filter = Filter {
            job_id: some(&request.job_id),
            step,
            text: some(&request.text).map(|text| text.to_lowercase()),
            with_withdrawn: request.with_withdrawn,
        };
        let limit = usize::try_from(request.limit).unwrap_or_default();
        let (applications, more) = self.store.list(&filter, after.as_ref(), limit, who).await?;
        let next = applications.last().filter(|_| more).map(Cursor::after);
        Ok(Page { total: self.store.count(&filter).await?, applications, next })
    }

    pub(crate) async fn set_step(
        &self,
        application_id: &str,
        step: Option<Step>,
        note: &str,
        who: &str,
    ) -> Result<Application, Error> {
        let refused = |field, message: &str| Error::Invalid(vec![violation(field, "INVALID", message)]);
        let step = step.ok_or_else(|| refused("step", "Choose a step."))?;
        let note = note.trim().replace("\r\n", "\n");
        let plain = !note.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
        if note.chars().count() > LONGEST_NOTE || !plain {
            return Err(refused("note", "A note is plain text of at most 1,000 characters."));
        }
        self.written(self.store.set_step(application_id, step, &note, who).await)
    }

    /// The bytes of a resume.
    pub(crate) async fn resume(
        &self,
        resume_id: Uuid,
    ) -> Result<impl futures_util::Stream<Item = Result<Vec<u8>, Error>> + Send + use<>, Error> {
        self.resumes.get(resume_id).await
    }

    /// Erases the applications whose time is over, the resumes that belong to none, and what else is of no use. What
    /// fails keeps nothing else from being erased.
    pub(crate) async fn sweep(&self) -> Result<(), Error> {
        let parts = [self.sweep_expired().await, self.sweep_resumes().await, self.store.sweep().await];
        parts.into_iter().collect()
    }

    async fn sweep_expired(&self) -> Result<(), Error> {
        loop {
            let expired = self.store.erase_expired().await?;
            if expired.is_empty() {
                return Ok(());
            }
            tracing::info!(applications = expired.len(), "applications_expired");
            for resume_id in expired {
                self.delete_resume(resume_id).await;
            }
        }
    }

    async fn sweep_resumes(&self) -> Result<(), Error> {
        let old = self.resumes.older_than(ORPHANED_AFTER).await?;
        let mut known = HashSet::new();
        for some in old.chunks(LOOK_UP) {
            known.extend(self.store.known_resumes(some).await?);
        }
        // A folder of which this database knows nothing is another database's.
        if known.is_empty() && !old.is_empty() {
            tracing::warn!(resumes = old.len(), "no application has any of these resumes; they stay");
            return Ok(());
        }
        for resume_id in old.iter().filter(|resume_id| !known.contains(resume_id)) {
            self.delete_resume(*resume_id).await;
        }
        Ok(())
    }

    fn limits(&self) -> Limits {
        Limits { bytes_a_day: self.settings.bytes_a_day, keep: self.settings.keep() }
    }

    /// Rings for the letter that a write asked for.
    fn written<T>(&self, outcome: Result<T, Error>) -> Result<T, Error> {
        if outcome.is_ok() {
            self.settings.bell.notify_one();
        }
        outcome
    }

    /// One that stays is swept away later.
    async fn delete_resume(&self, resume_id: Uuid) {
        if let Err(error) = self.resumes.delete(resume_id).await {
            tracing::warn!(error = %rpc::failure::chain(&error), "a resume is deleted later");
        }
    }
}

/// What the resume says that it is.
fn resume_format(file_name: &str, bytes: i64) -> Result<Format, rpc::failure::Violation> {
    if bytes == 0 {
        return Err(match file_name {
            "" => violation("resume", "REQUIRED", "Attach your resume."),
            _ => violation("resume", "EMPTY", "This file is empty. Attach your resume."),
        });
    }
    let wrong = || violation("resume", "UNKNOWN", "Attach your resume as a .pdf, .doc or .docx file.");
    Format::of(file_name).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_closed_opening_is_told_from_one_that_never_was() {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings { resume_dir: Some(dir.path().to_owned()), ..Settings::default() };
        let mut all = openings().unwrap();
        all[0].last_date = today().previous_day().unwrap();
        let store = Store::new(sqlx::PgPool::connect_lazy("postgres://nowhere").unwrap());
        let service = Service::with_openings(store, settings, all).unwrap();
        assert!(matches!(service.opening("FE101"), Err(Error::OpeningClosed)));
        assert!(matches!(service.opening("XX101"), Err(Error::NoOpening)));
        assert!(service.opening("BE101").is_ok());
        assert_eq!(service.openings().count(), 7);
    }
}
