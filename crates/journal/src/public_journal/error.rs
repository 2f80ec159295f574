//! Errors of the journal service.

use std::time::Duration;

use rpc::failure::{Failure, Kind, Violation};

use crate::public_journal::entry::MAX_ENTRIES;

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

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Self::Invalid(vec![violation])
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match db::classify(&error) {
            db::Failure::LockTimeout | db::Failure::Unavailable => Self::Busy(error),
            db::Failure::DiskFull | db::Failure::Other => Self::Store(error),
        }
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Invalid(_) | Self::IdempotencyKeyReused => Kind::Invalid,
            Self::JournalNotFound => Kind::NotFound,
            Self::JournalFull => Kind::FailedPrecondition,
            Self::InProgress(_) => Kind::Aborted,
            Self::Busy(_) => Kind::Busy,
            Self::Store(error) if db::classify(error) == db::Failure::DiskFull => Kind::StorageFull,
            Self::Store(_) | Self::KeyGeneration(_) | Self::TaskFailed(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::JournalNotFound => "JOURNAL_NOT_FOUND",
            Self::JournalFull => "JOURNAL_FULL",
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
            Self::InProgress(_) => "IN_PROGRESS",
            Self::Busy(_) => "BUSY",
            Self::Store(_) | Self::KeyGeneration(_) | Self::TaskFailed(_) => "INTERNAL",
        }
    }

    fn service(&self) -> &'static str {
        "journal"
    }

    fn violations(&self) -> Vec<Violation> {
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::IdempotencyKeyReused => vec![Violation::new("idempotency_key", self.reason())],
            Self::JournalNotFound
            | Self::JournalFull
            | Self::InProgress(_)
            | Self::Busy(_)
            | Self::Store(_)
            | Self::KeyGeneration(_)
            | Self::TaskFailed(_) => Vec::new(),
        }
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::JournalFull => vec![("max", MAX_ENTRIES.to_string())],
            _ => Vec::new(),
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

#[cfg(test)]
mod tests {
    use sqlx::Error::PoolTimedOut;

    use super::*;

    #[test]
    fn every_reason_has_a_text() {
        let errors = [
            Error::Invalid(Vec::new()),
            Error::JournalNotFound,
            Error::JournalFull,
            Error::IdempotencyKeyReused,
            Error::InProgress(PoolTimedOut),
            Error::Busy(PoolTimedOut),
            Error::Store(PoolTimedOut),
        ];
        for error in errors {
            // A new variant does not compile here; add it to the list, too.
            match error {
                Error::Invalid(_)
                | Error::JournalNotFound
                | Error::JournalFull
                | Error::IdempotencyKeyReused
                | Error::InProgress(_)
                | Error::Busy(_)
                | Error::Store(_)
                | Error::KeyGeneration(_)
                | Error::TaskFailed(_) => (),
            }
            assert!(texts::error("journal", error.reason(), &texts::Params::new()).is_some(), "{error:?}");
        }
    }

    #[test]
    fn every_violation_has_a_text() {
        let violations = [
            ("kind", "KIND_MISSING"),
            ("page_size", "INVALID"),
            ("page_token", "INVALID"),
            ("idempotency_key", "INVALID"),
            ("idempotency_key", "IDEMPOTENCY_KEY_REUSED"),
            ("pnl", "PNL_NOT_A_NUMBER"),
            ("pnl", "PNL_DIFFERS"),
            ("win", "STATUS_DIFFERS"),
            ("entry.kind", "KIND_MISSING"),
            ("entry.symbol", "SYMBOL_INVALID"),
            ("entry.quantity", "QUANTITY_NOT_A_NUMBER"),
            ("entry.quantity", "QUANTITY_OUT_OF_RANGE"),
            ("entry.quantity", "QUANTITY_TOO_PRECISE"),
            ("entry.quantity", "VALUE_OUT_OF_RANGE"),
            ("entry.stop_loss", "PRICE_NOT_A_NUMBER"),
            ("entry.stop_loss", "PRICE_OUT_OF_RANGE"),
            ("entry.stop_loss", "PRICE_TOO_PRECISE"),
            ("entry.sold_at", "TIME_MISSING"),
            ("entry.sold_at", "TIME_OUT_OF_RANGE"),
        ];
        for (path, reason) in violations {
            let text = texts::field_error("journal", path, reason, &texts::Params::new());
            assert!(text.is_some(), "{path} {reason}");
        }
    }
}
