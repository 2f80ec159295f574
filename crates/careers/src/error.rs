//! Why careers refused or failed.

use std::io;
use std::time::Duration;

use rpc::failure::{self, DISK_FULL, Failure, Kind, LOCK_NOT_AVAILABLE, Violation};
use tonic::Status;

use crate::answers::violation;
use crate::check::Fault;

/// How long a caller waits when too many resumes are looked at.
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(5);
/// How long where today's are enough: nobody waits until midnight, but to ask every few seconds is of no use.
const ANOTHER_DAY: Duration = Duration::from_hours(1);

/// Why careers refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields break rules.
    #[error("the fields break rules")]
    Invalid(Vec<Violation>),
    /// No opening has this code.
    #[error("no such opening")]
    NoOpening,
    /// Its last date is over.
    #[error("the opening is closed")]
    OpeningClosed,
    /// The stream ended before its end, or holds another number of bytes than it says.
    #[error("the application broke off")]
    BrokenOff,
    /// The caller went away.
    #[error("the call broke off")]
    Call(#[source] Status),
    /// The resume has more bytes than we take.
    #[error("the resume is too large")]
    ResumeTooLarge,
    /// The resume is not one that we take.
    #[error("the resume is refused: {0:?}")]
    Resume(Fault),
    /// So much came in today that somebody must be filling the store.
    #[error("too much came in today")]
    DayFull,
    /// Too many resumes are looked at.
    #[error("too many resumes at once")]
    Busy,
    /// No connection to the database became free in time.
    #[error("no database connection in time")]
    NoConnection(#[source] sqlx::Error),
    /// The idempotency key came with another request before.
    #[error("the idempotency key belongs to another request")]
    KeyReused,
    /// The first sending of this request is still under way.
    #[error("the request is under way")]
    InProgress(#[source] sqlx::Error),
    /// No application has this id, or is opened by this key.
    #[error("no such application")]
    NoApplication,
    /// Somebody has looked at the application.
    #[error("the application is past its first step")]
    TooLate,
    /// The candidate withdrew it.
    #[error("the application is withdrawn")]
    Withdrawn,
    /// The candidate's client asked for no consent.
    #[error("no consent was asked for")]
    NotAsked,
    /// A letter did not leave.
    #[error(transparent)]
    Mail(#[from] mail::Error),
    /// A date could not be written.
    #[error("a date cannot be written")]
    Date(#[source] time::error::Format),
    /// An opening's file is not one.
    #[error("an opening cannot be read")]
    Opening(#[source] serde_json::Error),
    /// The store of resumes failed.
    #[error("the store of resumes failed")]
    Files(#[source] object_store::Error),
    /// The system failed us.
    #[error("{doing}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// The database failed, or holds what it must not.
    #[error("the database failed")]
    Database(#[source] sqlx::Error),
    /// The system gave no random bytes.
    #[error("no random bytes")]
    Random(#[source] getrandom::Error),
    /// A task of ours died.
    #[error("a task died")]
    Interrupted(#[from] tokio::task::JoinError),
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Invalid(_) | Self::BrokenOff | Self::Call(_) | Self::Resume(_) => Kind::Invalid,
            Self::NoOpening | Self::OpeningClosed | Self::NoApplication => Kind::NotFound,
            Self::TooLate | Self::Withdrawn | Self::NotAsked | Self::KeyReused | Self::InProgress(_) => Kind::Conflict,
            Self::ResumeTooLarge => Kind::TooLarge,
            Self::DayFull | Self::Busy | Self::NoConnection(_) => Kind::Busy,
            Self::Files(_) | Self::Io { .. } if failure::is_full(self) => Kind::Full,
            Self::Database(error) if refused_for(error, DISK_FULL) => Kind::Full,
            Self::Mail(_)
            | Self::Date(_)
            | Self::Opening(_)
            | Self::Files(_)
            | Self::Io { .. }
            | Self::Database(_)
            | Self::Random(_)
            | Self::Interrupted(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::NoOpening => "NO_OPENING",
            Self::OpeningClosed => "OPENING_CLOSED",
            Self::BrokenOff | Self::Call(_) => "BROKEN_OFF",
            Self::ResumeTooLarge => "RESUME_TOO_LARGE",
            Self::Resume(Fault::Unreadable) => "RESUME_UNREADABLE",
            Self::Resume(Fault::Mislabelled) => "RESUME_MISLABELLED",
            Self::Resume(Fault::Encrypted) => "RESUME_ENCRYPTED",
            Self::Resume(Fault::Macros) => "RESUME_HAS_MACROS",
            Self::DayFull => "DAY_FULL",
            Self::Busy | Self::NoConnection(_) => "BUSY",
            Self::KeyReused => "KEY_REUSED",
            Self::InProgress(_) => "IN_PROGRESS",
            Self::NoApplication => "NO_APPLICATION",
            Self::TooLate => "TOO_LATE",
            Self::Withdrawn => "WITHDRAWN",
            Self::NotAsked => "NOT_ASKED",
            Self::Files(_) | Self::Io { .. } if failure::is_full(self) => failure::STORE_FULL,
            Self::Mail(_)
            | Self::Date(_)
            | Self::Opening(_)
            | Self::Files(_)
            | Self::Io { .. }
            | Self::Database(_)
            | Self::Random(_)
            | Self::Interrupted(_) => "INTERNAL",
        }
    }

    fn message(&self) -> String {
        let sentence = match self {
            // One field: say it. More: the form shows them one by one.
            Self::Invalid(violations) => match violations.as_slice() {
                [only] => &only.message,
                _ => "Some of the details need correcting.",
            },
            Self::NoOpening => "There is no such opening.",
            Self::OpeningClosed => "This opening is closed. See the others.",
            Self::BrokenOff | Self::Call(_) => "The application did not arrive whole. Nothing was stored.",
            Self::ResumeTooLarge => "File size must be less than 5MB.",
            Self::Resume(Fault::Unreadable) => {
                "This file is damaged or incomplete. Save your resume again, best as a PDF, and attach that."
            }
            Self::Resume(Fault::Mislabelled) => {
                "This file is not what its name says. Save your resume as PDF, DOC or DOCX and attach that."
            }
            Self::Resume(Fault::Encrypted) => "This file has a password. Save your resume without one and attach that.",
            Self::Resume(Fault::Macros) => {
                "This file has macros, or loads parts of it from elsewhere. Save your resume as a PDF and attach that."
            }
            Self::DayFull => "We received too many resumes today. Nothing was stored. Try again tomorrow.",
            Self::Busy | Self::NoConnection(_) => "Many people are applying right now. Try again in a moment.",
            Self::KeyReused => "This Idempotency-Key was sent with another application before.",
            Self::InProgress(_) => "This application is being stored. Try again in a moment.",
            Self::NoApplication => "There is no such application. It may have been erased.",
            Self::TooLate => "Our team is looking at this application already, so it cannot be changed any more.",
            Self::Withdrawn => "This application was withdrawn.",
            Self::NotAsked => "This application came without a word on later roles, so that it is not kept for them.",
            Self::Mail(_)
            | Self::Date(_)
            | Self::Opening(_)
            | Self::Files(_)
            | Self::Io { .. }
            | Self::Database(_)
            | Self::Random(_)
            | Self::Interrupted(_) => "Something went wrong on our side.",
        };
        sentence.to_owned()
    }

    fn violations(&self) -> Vec<Violation> {
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::ResumeTooLarge | Self::Resume(_) => vec![violation("resume", self.reason(), &self.message())],
            Self::KeyReused => vec![violation("Idempotency-Key", self.reason(), &self.message())],
            Self::NoOpening
            | Self::OpeningClosed
            | Self::BrokenOff
            | Self::Call(_)
            | Self::DayFull
            | Self::Busy
            | Self::NoConnection(_)
            | Self::InProgress(_)
            | Self::NoApplication
            | Self::TooLate
            | Self::Withdrawn
            | Self::NotAsked
            | Self::Mail(_)
            | Self::Date(_)
            | Self::Opening(_)
            | Self::Files(_)
            | Self::Io { .. }
            | Self::Database(_)
            | Self::Random(_)
            | Self::Interrupted(_) => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        if matches!(self, Self::DayFull) {
            return Some(ANOTHER_DAY);
        }
        (self.kind() == Kind::Busy || matches!(self, Self::InProgress(_))).then_some(TRY_AGAIN_AFTER)
    }
}

impl Error {
    /// What the system says about a file of ours.
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

impl From<Error> for mail::Failure {
    fn from(error: Error) -> Self {
        let is_final = matches!(error, Error::Mail(mail::Error::Address(_)));
        Self { why: failure::chain(&error), is_final }
    }
}

impl From<object_store::Error> for Error {
    fn from(error: object_store::Error) -> Self {
        Self::Files(error)
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        if lock_timed_out(&error) || matches!(error, sqlx::Error::PoolTimedOut) {
            Self::NoConnection(error)
        } else {
            Self::Database(error)
        }
    }
}

/// Whether the lock timeout ran out.
pub(crate) fn lock_timed_out(error: &sqlx::Error) -> bool {
    refused_for(error, LOCK_NOT_AVAILABLE)
}

/// Whether the database refused for this reason.
fn refused_for(error: &sqlx::Error, sqlstate: &str) -> bool {
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).is_some_and(|code| code == sqlstate)
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        failure::status(&error)
    }
}

#[cfg(test)]
mod tests {
    use sqlx::PgPool;

    use super::*;

    #[sqlx::test(migrations = false)]
    async fn a_database_without_room_is_told_from_a_fault(pool: PgPool) {
        for (name, kind) in [("disk_full", Kind::Full), ("division_by_zero", Kind::Internal)] {
            let raise = format!("do $$ begin raise exception using errcode = '{name}'; end $$");
            let error = sqlx::raw_sql(sqlx::AssertSqlSafe(raise)).execute(&pool).await.unwrap_err();
            assert_eq!(Error::from(error).kind(), kind, "{name}");
        }
    }

    #[test]
    fn a_full_volume_is_said_so_however_deep_it_is_said() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let wrapped = object_store::Error::Generic { store: "LocalFileSystem", source: Box::new(full()) };
        let other = object_store::Error::Generic { store: "LocalFileSystem", source: "no".into() };
        for (error, kind) in [
            (Error::io("writing")(full()), Kind::Full),
            (wrapped.into(), Kind::Full),
            (other.into(), Kind::Internal),
            (Error::io("writing")(io::ErrorKind::NotFound.into()), Kind::Internal),
        ] {
            assert_eq!(error.kind(), kind, "{error:?}");
        }
    }
}
