//! Errors of the trade log.

use std::time::Duration;

use rpc::failure::{Failure, Kind, Violation};

use crate::validation::violation;

/// Error of a trades rpc, of the cleanup or of the deletion of an account.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Invalid fields of the request.
    #[error("invalid request: {0:?}")]
    Invalid(Vec<Violation>),
    /// The stream of a write ended early, paused for too long, or contained another number of trades than stated.
    #[error("stream ended after {received} trades")]
    IncompleteStream {
        /// Number of trades received.
        received: i64,
    },
    /// The account has no such trade.
    #[error("trade not found")]
    TradeNotFound,
    /// The account has no such change.
    #[error("change not found")]
    ChangeNotFound,
    /// The account has no such preview, or it expired.
    #[error("preview not found")]
    PreviewNotFound,
    /// The change was undone before.
    #[error("change is already undone")]
    ChangeUndone,
    /// The number of newer changes that would be undone as well differs from the expected one.
    #[error("unexpected number of newer changes")]
    NewerChangesMismatch,
    /// The trades that the change removed are no longer kept.
    #[error("change is too old to be undone")]
    ChangeTooOld,
    /// The idempotency key was used for another request.
    #[error("idempotency key was used for another request")]
    IdempotencyKeyReused,
    /// A write with an idempotency key waited too long for another write of the account, possibly an earlier attempt of
    /// the same request.
    #[error("another write of the account is in progress")]
    InProgress(#[source] sqlx::Error),
    /// The trades changed while the whole list was read.
    #[error("trades changed during the read")]
    ChangedDuringRead,
    /// No lock or no database connection became available in time.
    #[error("database is busy")]
    Busy(#[source] sqlx::Error),
    /// The database failed, or a stored value is invalid.
    #[error("failed to read or store trades")]
    Store(#[source] sqlx::Error),
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
            Self::Invalid(_) | Self::IncompleteStream { .. } | Self::IdempotencyKeyReused => Kind::Invalid,
            Self::TradeNotFound | Self::ChangeNotFound | Self::PreviewNotFound => Kind::NotFound,
            Self::ChangeUndone | Self::NewerChangesMismatch | Self::ChangeTooOld | Self::InProgress(_) => {
                Kind::FailedPrecondition
            }
            Self::ChangedDuringRead | Self::Busy(_) => Kind::Busy,
            Self::Store(error) if db::classify(error) == db::Failure::DiskFull => Kind::StorageFull,
            Self::Store(_) | Self::TaskFailed(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::IncompleteStream { .. } => "BROKEN_OFF",
            Self::TradeNotFound => "NO_TRADE",
            Self::ChangeNotFound => "NO_CHANGE",
            Self::PreviewNotFound => "NO_PREVIEW",
            Self::ChangeUndone => "CHANGE_UNDONE",
            Self::NewerChangesMismatch => "CHANGES_MOVED",
            Self::ChangeTooOld => "CHANGE_TOO_OLD",
            Self::IdempotencyKeyReused => "KEY_REUSED",
            Self::InProgress(_) => "IN_PROGRESS",
            Self::ChangedDuringRead => "CHANGED",
            Self::Busy(_) => "BUSY",
            Self::Store(_) | Self::TaskFailed(_) => "INTERNAL",
        }
    }

    fn message(&self) -> String {
        let sentence = match self {
            Self::Invalid(violations) => match violations.as_slice() {
                [one] => &one.message,
                _ => "Some fields are wrong.",
            },
            Self::IncompleteStream { .. } => "The trades arrived incomplete. Nothing was stored.",
            Self::TradeNotFound => "There is no such trade.",
            Self::ChangeNotFound => "There is no such change.",
            Self::PreviewNotFound => "This preview is no longer available. Upload the file again.",
            Self::ChangeUndone => "This change is already undone.",
            Self::NewerChangesMismatch => "Your trades have changed. Check again what would be undone.",
            Self::ChangeTooOld => "A change can be undone for 30 days. This one is older.",
            Self::IdempotencyKeyReused => "This Idempotency-Key was sent with another request before.",
            Self::ChangedDuringRead => "Your trades changed while they were being read. Try again.",
            Self::Busy(_) | Self::InProgress(_) => {
                "Another change of your trades is still running. Try again in a moment."
            }
            Self::Store(_) | Self::TaskFailed(_) => "",
        };
        sentence.to_owned()
    }

    fn violations(&self) -> Vec<Violation> {
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::IdempotencyKeyReused => vec![violation("Idempotency-Key", self.reason(), &self.message())],
            Self::IncompleteStream { .. }
            | Self::TradeNotFound
            | Self::ChangeNotFound
            | Self::PreviewNotFound
            | Self::ChangeUndone
            | Self::NewerChangesMismatch
            | Self::ChangeTooOld
            | Self::InProgress(_)
            | Self::ChangedDuringRead
            | Self::Busy(_)
            | Self::Store(_)
            | Self::TaskFailed(_) => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::ChangedDuringRead | Self::Busy(_) | Self::InProgress(_) => Some(Duration::from_secs(1)),
            Self::Invalid(_)
            | Self::IncompleteStream { .. }
            | Self::TradeNotFound
            | Self::ChangeNotFound
            | Self::PreviewNotFound
            | Self::ChangeUndone
            | Self::NewerChangesMismatch
            | Self::ChangeTooOld
            | Self::IdempotencyKeyReused
            | Self::Store(_)
            | Self::TaskFailed(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlx::PgPool;

    use super::*;

    #[sqlx::test(migrations = false)]
    async fn a_full_disk_is_not_an_internal_error(pool: PgPool) {
        for (name, kind) in [("disk_full", Kind::StorageFull), ("division_by_zero", Kind::Internal)] {
            let raise = format!("do $$ begin raise exception using errcode = '{name}'; end $$");
            let error = sqlx::raw_sql(sqlx::AssertSqlSafe(raise)).execute(&pool).await.unwrap_err();
            assert_eq!(Error::from(error).kind(), kind, "{name}");
        }
    }
}
