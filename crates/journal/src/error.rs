//! Errors of the journal service.

use std::time::Duration;

use rpc::failure::{Failure, Kind, Violation};

use crate::entry::violation;

/// Error of a journal rpc or of the cleanup.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Invalid fields of the request.
    #[error("invalid request: {0:?}")]
    Invalid(Vec<Violation>),
    /// No journal has the key, and the caller has none.
    #[error("journal not found")]
    JournalNotFound,
    /// The journal would exceed its maximum number of entries.
    #[error("journal is full")]
    JournalFull,
    /// The idempotency key was used for another request.
    #[error("idempotency key was used for another request")]
    IdempotencyKeyReused,
    /// A write with an idempotency key waited too long for another write of the journal, possibly an earlier attempt of
    /// the same request.
    #[error("another write of the journal is in progress")]
    InProgress(#[source] sqlx::Error),
    /// No lock or no database connection became available in time.
    #[error("database is busy")]
    Busy(#[source] sqlx::Error),
    /// The database failed, or a stored value is invalid.
    #[error("failed to read or store the journal")]
    Store(#[source] sqlx::Error),
    /// The operating system returned no random bytes.
    #[error("failed to generate a journal key")]
    KeyGeneration(#[source] rpc::secret::Error),
    /// The task of a write panicked.
    #[error("write task failed")]
    TaskFailed(#[from] tokio::task::JoinError),
}

impl Error {
    /// Returns an error for one invalid field.
    pub(crate) fn invalid_field(field: &'static str, message: &str) -> Self {
        Self::Invalid(vec![violation(field, "INVALID", message)])
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match db::classify(&error) {
            db::Failure::LockTimeout | db::Failure::PoolTimeout => Self::Busy(error),
            db::Failure::DiskFull | db::Failure::Other => Self::Store(error),
        }
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Invalid(_) | Self::IdempotencyKeyReused => Kind::Invalid,
            Self::JournalNotFound => Kind::NotFound,
            Self::JournalFull | Self::InProgress(_) => Kind::FailedPrecondition,
            Self::Busy(_) => Kind::Busy,
            Self::Store(error) if db::classify(error) == db::Failure::DiskFull => Kind::StorageFull,
            Self::Store(_) | Self::KeyGeneration(_) | Self::TaskFailed(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::JournalNotFound => "NO_JOURNAL",
            Self::JournalFull => "JOURNAL_FULL",
            Self::IdempotencyKeyReused => "KEY_REUSED",
            Self::InProgress(_) => "IN_PROGRESS",
            Self::Busy(_) => "BUSY",
            Self::Store(_) | Self::KeyGeneration(_) | Self::TaskFailed(_) => "INTERNAL",
        }
    }

    fn message(&self) -> String {
        let sentence = match self {
            Self::Invalid(violations) => match violations.as_slice() {
                [one] => &one.message,
                _ => "Some fields are wrong.",
            },
            Self::JournalNotFound => "There is no journal in this browser.",
            Self::JournalFull => "A journal holds 10,000 trades. This one is full.",
            Self::IdempotencyKeyReused => "This Idempotency-Key was sent with another request before.",
            Self::Busy(_) | Self::InProgress(_) => {
                "Another change of your trades is still running. Try again in a moment."
            }
            Self::Store(_) | Self::KeyGeneration(_) | Self::TaskFailed(_) => "",
        };
        sentence.to_owned()
    }

    fn violations(&self) -> Vec<Violation> {
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::IdempotencyKeyReused => vec![violation("Idempotency-Key", self.reason(), &self.message())],
            Self::JournalNotFound
            | Self::JournalFull
            | Self::InProgress(_)
            | Self::Busy(_)
            | Self::Store(_)
            | Self::KeyGeneration(_)
            | Self::TaskFailed(_) => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy(_) | Self::InProgress(_) => Some(Duration::from_secs(1)),
            Self::Invalid(_)
            | Self::JournalNotFound
            | Self::JournalFull
            | Self::IdempotencyKeyReused
            | Self::Store(_)
            | Self::KeyGeneration(_)
            | Self::TaskFailed(_) => None,
        }
    }
}
