//! Errors of careers, with their kinds and reason codes.

use std::io;
use std::time::Duration;

use rpc::failure::{self, Failure, Kind, Violation};
use tonic::Status;

use crate::resume_check::rejection::Rejection;

/// Retry delay while too many resumes are being checked.
const BUSY_RETRY_AFTER: Duration = Duration::from_secs(5);
/// Retry delay while the malware scanner is unavailable.
const SCANNER_RETRY_AFTER: Duration = Duration::from_mins(1);
/// Retry delay after the daily limit is reached. Shorter than the rest of the day, but long enough to avoid useless
/// requests.
const DAILY_LIMIT_RETRY_AFTER: Duration = Duration::from_hours(1);

/// Rejection of a request, or failure of the service.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields of the request are invalid.
    #[error("invalid fields")]
    Invalid(Vec<Violation>),
    /// No opening has this job id.
    #[error("opening not found")]
    OpeningNotFound,
    /// The opening's last date has passed.
    #[error("opening closed")]
    OpeningClosed,
    /// The upload ended early, or its size differs from the stated size.
    #[error("incomplete upload")]
    IncompleteUpload,
    /// The caller aborted the upload.
    #[error("upload aborted")]
    UploadAborted(#[source] Status),
    /// The resume exceeds the size limit.
    #[error("resume too large")]
    ResumeTooLarge,
    /// The file is not accepted as a resume.
    #[error("resume rejected: {0:?}")]
    ResumeRejected(Rejection),
    /// The scanner reported malware in the resume.
    #[error("malware in the resume")]
    ResumeInfected,
    /// The scanner is unreachable, too slow, or did not scan the resume.
    #[error("resume scanner unavailable")]
    ScannerUnavailable(#[source] io::Error),
    /// Today's limit of resume bytes is reached; protects the disk against a flood of applications.
    #[error("daily limit of resume bytes reached")]
    DailyLimitReached,
    /// Too many applications are being received or checked.
    #[error("too many applications at once")]
    Busy,
    /// No database connection or lock became free in time.
    #[error("no database connection or lock in time")]
    DatabaseBusy(#[source] sqlx::Error),
    /// The idempotency key was used for another request.
    #[error("idempotency key reused for another request")]
    IdempotencyKeyReused,
    /// Another request with the same idempotency key is still in progress.
    #[error("request with the same idempotency key in progress")]
    InProgress(#[source] sqlx::Error),
    /// No application has this id or access key.
    #[error("application not found")]
    ApplicationNotFound,
    /// The email address can no longer be corrected, or the token is wrong.
    #[error("email correction closed")]
    EmailCorrectionClosed,
    /// The recipient was sent too many emails today.
    #[error("daily limit of emails to the recipient reached")]
    EmailLimitReached,
    /// The company has started to review the application.
    #[error("application already in review")]
    AlreadyInReview,
    /// The candidate withdrew the application.
    #[error("application withdrawn")]
    Withdrawn,
    /// The application was sent without consents, so none can be changed.
    #[error("consents not requested")]
    ConsentsNotRequested,
    /// An email was not sent.
    #[error(transparent)]
    Mail(#[from] mail::Error),
    /// A date cannot be formatted.
    #[error("failed to format a date")]
    Date(#[source] time::error::Format),
    /// A file in `openings/` is invalid.
    #[error("invalid opening file")]
    OpeningFile(#[source] serde_json::Error),
    /// The resume store failed.
    #[error("resume store failed")]
    ResumeStore(#[from] file_store::Error),
    /// A file operation failed.
    #[error("{action}")]
    Io {
        /// The failed operation.
        action: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The database's disk is full.
    #[error("database disk full")]
    DatabaseFull(#[source] sqlx::Error),
    /// The database failed, or contains an invalid value.
    #[error("database failed")]
    Database(#[source] sqlx::Error),
    /// The operating system returned no random bytes.
    #[error("no random bytes")]
    Random(#[source] getrandom::Error),
    /// A background task panicked or was cancelled.
    #[error("task failed")]
    Task(#[from] tokio::task::JoinError),
}

impl Failure for Error {
    fn service(&self) -> &'static str {
        "careers"
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Invalid(_)
            | Self::IncompleteUpload
            | Self::UploadAborted(_)
            | Self::ResumeRejected(_)
            | Self::ResumeInfected => Kind::Invalid,
            Self::OpeningNotFound | Self::OpeningClosed | Self::ApplicationNotFound | Self::EmailCorrectionClosed => {
                Kind::NotFound
            }
            Self::IdempotencyKeyReused => Kind::AlreadyExists,
            Self::AlreadyInReview | Self::Withdrawn | Self::ConsentsNotRequested => Kind::FailedPrecondition,
            Self::InProgress(_) => Kind::Aborted,
            Self::ResumeTooLarge => Kind::TooLarge,
            Self::DailyLimitReached
            | Self::EmailLimitReached
            | Self::ScannerUnavailable(_)
            | Self::Busy
            | Self::DatabaseBusy(_) => Kind::Busy,
            Self::DatabaseFull(_) => Kind::StorageFull,
            Self::ResumeStore(_) | Self::Io { .. } if failure::is_storage_full(self) => Kind::StorageFull,
            Self::Mail(_)
            | Self::Date(_)
            | Self::OpeningFile(_)
            | Self::ResumeStore(_)
            | Self::Io { .. }
            | Self::Database(_)
            | Self::Random(_)
            | Self::Task(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::OpeningNotFound => "OPENING_NOT_FOUND",
            Self::OpeningClosed => "OPENING_CLOSED",
            Self::IncompleteUpload | Self::UploadAborted(_) => "INCOMPLETE_UPLOAD",
            Self::ResumeTooLarge => "RESUME_TOO_LARGE",
            Self::ResumeRejected(Rejection::Unreadable) => "RESUME_UNREADABLE",
            Self::ResumeRejected(Rejection::Mislabelled) => "RESUME_MISLABELLED",
            Self::ResumeRejected(Rejection::Encrypted) => "RESUME_ENCRYPTED",
            Self::ResumeRejected(Rejection::Macros) => "RESUME_HAS_MACROS",
            Self::ResumeInfected => "RESUME_INFECTED",
            Self::ScannerUnavailable(_) => "SCANNER_UNAVAILABLE",
            Self::DailyLimitReached => "DAILY_LIMIT_REACHED",
            Self::Busy | Self::DatabaseBusy(_) => "BUSY",
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
            Self::InProgress(_) => "IN_PROGRESS",
            Self::ApplicationNotFound => "APPLICATION_NOT_FOUND",
            Self::EmailCorrectionClosed => "EMAIL_CORRECTION_CLOSED",
            Self::EmailLimitReached => "EMAIL_LIMIT_REACHED",
            Self::AlreadyInReview => "ALREADY_IN_REVIEW",
            Self::Withdrawn => "WITHDRAWN",
            Self::ConsentsNotRequested => "CONSENTS_NOT_REQUESTED",
            Self::DatabaseFull(_) => failure::STORAGE_FULL_REASON,
            Self::ResumeStore(_) | Self::Io { .. } if failure::is_storage_full(self) => failure::STORAGE_FULL_REASON,
            Self::Mail(_)
            | Self::Date(_)
            | Self::OpeningFile(_)
            | Self::ResumeStore(_)
            | Self::Io { .. }
            | Self::Database(_)
            | Self::Random(_)
            | Self::Task(_) => "INTERNAL",
        }
    }

    fn violations(&self) -> Vec<Violation> {
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::ResumeTooLarge | Self::ResumeRejected(_) | Self::ResumeInfected => {
                vec![Violation::new("chunk", self.reason())]
            }
            Self::IdempotencyKeyReused => vec![Violation::new("form.idempotency_key", self.reason())],
            Self::OpeningNotFound
            | Self::OpeningClosed
            | Self::IncompleteUpload
            | Self::UploadAborted(_)
            | Self::ScannerUnavailable(_)
            | Self::DailyLimitReached
            | Self::Busy
            | Self::DatabaseBusy(_)
            | Self::InProgress(_)
            | Self::ApplicationNotFound
            | Self::EmailCorrectionClosed
            | Self::EmailLimitReached
            | Self::AlreadyInReview
            | Self::Withdrawn
            | Self::ConsentsNotRequested
            | Self::Mail(_)
            | Self::Date(_)
            | Self::OpeningFile(_)
            | Self::ResumeStore(_)
            | Self::Io { .. }
            | Self::DatabaseFull(_)
            | Self::Database(_)
            | Self::Random(_)
            | Self::Task(_) => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        if matches!(self, Self::DailyLimitReached | Self::EmailLimitReached) {
            return Some(DAILY_LIMIT_RETRY_AFTER);
        }
        if matches!(self, Self::ScannerUnavailable(_)) {
            return Some(SCANNER_RETRY_AFTER);
        }
        (self.kind() == Kind::Busy || matches!(self, Self::InProgress(_))).then_some(BUSY_RETRY_AFTER)
    }
}

impl Error {
    /// Returns a converter of I/O errors; `action` says what failed.
    pub(crate) fn io(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, source }
    }
}

impl From<Error> for mail::OutboxFailure {
    fn from(error: Error) -> Self {
        let is_permanent = matches!(error, Error::Mail(mail::Error::Address(_)));
        Self { message: failure::error_chain(&error), is_permanent }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match db::classify(&error) {
            db::Failure::LockTimeout | db::Failure::Unavailable => Self::DatabaseBusy(error),
            db::Failure::DiskFull => Self::DatabaseFull(error),
            db::Failure::Other => Self::Database(error),
        }
    }
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        failure::to_status(&error)
    }
}

#[cfg(test)]
mod tests {
    use sqlx::PgPool;

    use super::*;

    #[sqlx::test(migrations = false)]
    async fn a_full_database_disk_is_not_an_internal_error(pool: PgPool) {
        for (name, kind) in [("disk_full", Kind::StorageFull), ("division_by_zero", Kind::Internal)] {
            let raise = format!("do $$ begin raise exception using errcode = '{name}'; end $$");
            let error = sqlx::raw_sql(sqlx::AssertSqlSafe(raise)).execute(&pool).await.unwrap_err();
            assert_eq!(Error::from(error).kind(), kind, "{name}");
        }
    }

    #[test]
    fn every_reason_has_a_text() {
        let database = || sqlx::Error::PoolTimedOut;
        let rejections = Rejection::ALL.map(Error::ResumeRejected);
        let errors = [
            Error::Invalid(Vec::new()),
            Error::OpeningNotFound,
            Error::OpeningClosed,
            Error::IncompleteUpload,
            Error::UploadAborted(Status::cancelled("")),
            Error::ResumeTooLarge,
            Error::DailyLimitReached,
            Error::Busy,
            Error::DatabaseBusy(database()),
            Error::IdempotencyKeyReused,
            Error::InProgress(database()),
            Error::ApplicationNotFound,
            Error::EmailCorrectionClosed,
            Error::EmailLimitReached,
            Error::AlreadyInReview,
            Error::Withdrawn,
            Error::ConsentsNotRequested,
            Error::ResumeInfected,
            Error::ScannerUnavailable(io::ErrorKind::TimedOut.into()),
            Error::DatabaseFull(database()),
            Error::Database(database()),
        ];
        for error in errors.into_iter().chain(rejections) {
            // A new variant does not compile here; add it to the list, too.
            match error {
                Error::Invalid(_)
                | Error::OpeningNotFound
                | Error::OpeningClosed
                | Error::IncompleteUpload
                | Error::UploadAborted(_)
                | Error::ResumeTooLarge
                | Error::ResumeRejected(_)
                | Error::ResumeInfected
                | Error::ScannerUnavailable(_)
                | Error::DailyLimitReached
                | Error::Busy
                | Error::DatabaseBusy(_)
                | Error::IdempotencyKeyReused
                | Error::InProgress(_)
                | Error::ApplicationNotFound
                | Error::EmailCorrectionClosed
                | Error::EmailLimitReached
                | Error::AlreadyInReview
                | Error::Withdrawn
                | Error::ConsentsNotRequested
                | Error::Mail(_)
                | Error::Date(_)
                | Error::OpeningFile(_)
                | Error::ResumeStore(_)
                | Error::Io { .. }
                | Error::DatabaseFull(_)
                | Error::Database(_)
                | Error::Random(_)
                | Error::Task(_) => (),
            }
            assert!(texts::error("careers", error.reason(), &texts::Params::new()).is_some(), "{error:?}");
            for violation in error.violations() {
                let text = texts::field_error("careers", &violation.field, violation.reason, &texts::Params::new());
                assert!(text.is_some(), "{violation:?}");
            }
        }
    }

    #[test]
    fn a_full_disk_is_recognised_at_any_depth_of_the_error_chain() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let wrapped = file_store::Error::Io { action: "failed to write", source: full() };
        let other = file_store::Error::Io { action: "failed to write", source: io::ErrorKind::NotFound.into() };
        for (error, kind) in [
            (Error::io("failed to write")(full()), Kind::StorageFull),
            (wrapped.into(), Kind::StorageFull),
            (other.into(), Kind::Internal),
            (Error::io("failed to write")(io::ErrorKind::NotFound.into()), Kind::Internal),
        ] {
            assert_eq!(error.kind(), kind, "{error:?}");
        }
    }
}
