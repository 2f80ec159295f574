//! Errors of the trade log.

use std::time::Duration;

use rpc::failure::{Failure, Kind, Violation};

use crate::trade_limit::MAX_TRADES;

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
    /// The account has no such ledger.
    #[error("ledger not found")]
    LedgerNotFound,
    /// The change was undone before.
    #[error("change is already undone")]
    ChangeUndone,
    /// The number of newer changes that would be undone as well differs from the expected one.
    #[error("unexpected number of newer changes")]
    NewerChangesMismatch,
    /// The trades that the change removed are no longer kept.
    #[error("change is too old to be undone")]
    ChangeTooOld,
    /// The account with a broker has trades or ledgers.
    #[error("the broker account has trades or ledgers")]
    BrokerAccountHasTrades,
    /// Another account with the broker has the client code.
    #[error("another broker account has the client code")]
    ClientCodeTaken,
    /// The selected account with the broker has another client code than the file.
    #[error("the file has another client code")]
    OtherClientCode,
    /// No account is selected, and only other client codes than the file's are known.
    #[error("the file has an unknown client code")]
    UnknownClientCode {
        /// First account number without trades; none if all are used.
        unused_number: Option<u8>,
    },
    /// The account would have more trades than it may.
    #[error("the account would have more than {max} trades")]
    TooManyTrades {
        /// Maximum number of trades.
        max: i64,
    },
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
    /// Puts `path` in front of the paths of the invalid fields.
    pub(crate) fn within(self, path: &str) -> Self {
        match self {
            Self::Invalid(violations) => Self::Invalid(prefix_fields(path, violations)),
            other => other,
        }
    }
}

/// Puts `path` in front of the paths of the fields.
pub(crate) fn prefix_fields(path: &str, violations: Vec<Violation>) -> Vec<Violation> {
    violations.into_iter().map(|rule| Violation { field: format!("{path}.{}", rule.field).into(), ..rule }).collect()
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
            Self::Invalid(_) | Self::IncompleteStream { .. } | Self::IdempotencyKeyReused => Kind::Invalid,
            Self::TradeNotFound | Self::ChangeNotFound | Self::PreviewNotFound | Self::LedgerNotFound => Kind::NotFound,
            Self::ChangeUndone
            | Self::ChangeTooOld
            | Self::BrokerAccountHasTrades
            | Self::OtherClientCode
            | Self::UnknownClientCode { .. }
            | Self::TooManyTrades { .. } => Kind::FailedPrecondition,
            Self::ClientCodeTaken => Kind::AlreadyExists,
            Self::NewerChangesMismatch | Self::InProgress(_) => Kind::Aborted,
            Self::ChangedDuringRead | Self::Busy(_) => Kind::Busy,
            Self::Store(error) if db::classify(error) == db::Failure::DiskFull => Kind::StorageFull,
            Self::Store(_) | Self::TaskFailed(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::IncompleteStream { .. } => "INCOMPLETE_STREAM",
            Self::TradeNotFound => "TRADE_NOT_FOUND",
            Self::ChangeNotFound => "CHANGE_NOT_FOUND",
            Self::PreviewNotFound => "PREVIEW_NOT_FOUND",
            Self::LedgerNotFound => "LEDGER_NOT_FOUND",
            Self::ChangeUndone => "CHANGE_UNDONE",
            Self::NewerChangesMismatch => "NEWER_CHANGES_MISMATCH",
            Self::ChangeTooOld => "CHANGE_TOO_OLD",
            Self::BrokerAccountHasTrades => "BROKER_ACCOUNT_HAS_TRADES",
            Self::ClientCodeTaken => "CLIENT_CODE_TAKEN",
            Self::OtherClientCode => "OTHER_CLIENT_CODE",
            Self::UnknownClientCode { .. } => "UNKNOWN_CLIENT_CODE",
            Self::TooManyTrades { max } if *max < MAX_TRADES => "TOO_MANY_UNCONFIRMED_TRADES",
            Self::TooManyTrades { .. } => "TOO_MANY_TRADES",
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
            Self::InProgress(_) => "IN_PROGRESS",
            Self::ChangedDuringRead => "CHANGED_DURING_READ",
            Self::Busy(_) => "BUSY",
            Self::Store(_) | Self::TaskFailed(_) => "INTERNAL",
        }
    }

    fn service(&self) -> &'static str {
        "trades"
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        if let Self::TooManyTrades { max } = self { vec![("max", max.to_string())] } else { Vec::new() }
    }

    fn violations(&self) -> Vec<Violation> {
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::IdempotencyKeyReused => vec![Violation::new("idempotency_key", self.reason())],
            Self::IncompleteStream { .. }
            | Self::TradeNotFound
            | Self::ChangeNotFound
            | Self::PreviewNotFound
            | Self::LedgerNotFound
            | Self::ChangeUndone
            | Self::NewerChangesMismatch
            | Self::ChangeTooOld
            | Self::BrokerAccountHasTrades
            | Self::ClientCodeTaken
            | Self::OtherClientCode
            | Self::UnknownClientCode { .. }
            | Self::TooManyTrades { .. }
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
            | Self::LedgerNotFound
            | Self::ChangeUndone
            | Self::NewerChangesMismatch
            | Self::ChangeTooOld
            | Self::BrokerAccountHasTrades
            | Self::ClientCodeTaken
            | Self::OtherClientCode
            | Self::UnknownClientCode { .. }
            | Self::TooManyTrades { .. }
            | Self::IdempotencyKeyReused
            | Self::Store(_)
            | Self::TaskFailed(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlx::Error::PoolTimedOut;
    use sqlx::PgPool;

    use super::*;
    use crate::trade_limit::MAX_UNCONFIRMED_TRADES;

    #[test]
    fn every_reason_has_a_text() {
        let errors = [
            Error::Invalid(Vec::new()),
            Error::IncompleteStream { received: 0 },
            Error::TradeNotFound,
            Error::ChangeNotFound,
            Error::PreviewNotFound,
            Error::LedgerNotFound,
            Error::ChangeUndone,
            Error::NewerChangesMismatch,
            Error::ChangeTooOld,
            Error::BrokerAccountHasTrades,
            Error::ClientCodeTaken,
            Error::OtherClientCode,
            Error::UnknownClientCode { unused_number: None },
            Error::TooManyTrades { max: MAX_TRADES },
            Error::TooManyTrades { max: MAX_UNCONFIRMED_TRADES },
            Error::IdempotencyKeyReused,
            Error::InProgress(PoolTimedOut),
            Error::ChangedDuringRead,
            Error::Busy(PoolTimedOut),
            Error::Store(PoolTimedOut),
        ];
        for error in errors {
            // A new variant does not compile here; add it to the list, too.
            match error {
                Error::Invalid(_)
                | Error::IncompleteStream { .. }
                | Error::TradeNotFound
                | Error::ChangeNotFound
                | Error::PreviewNotFound
                | Error::LedgerNotFound
                | Error::ChangeUndone
                | Error::NewerChangesMismatch
                | Error::ChangeTooOld
                | Error::BrokerAccountHasTrades
                | Error::ClientCodeTaken
                | Error::OtherClientCode
                | Error::UnknownClientCode { .. }
                | Error::TooManyTrades { .. }
                | Error::IdempotencyKeyReused
                | Error::InProgress(_)
                | Error::ChangedDuringRead
                | Error::Busy(_)
                | Error::Store(_)
                | Error::TaskFailed(_) => (),
            }
            assert!(texts::error("trades", error.reason(), &texts::Params::new()).is_some(), "{error:?}");
        }
    }

    /// Violations that no other test causes; the tests check the texts of those that they cause.
    #[test]
    fn every_violation_has_a_text() {
        let violations = [
            ("head", "INVALID"),
            ("part", "INVALID"),
            ("head.book.segment", "INVALID"),
            ("head.book.broker_account", "INVALID"),
            ("head.file_name", "INVALID"),
            ("head.file_sha256", "INVALID"),
            ("batch.trades", "TOO_MANY"),
            ("trades", "TOO_MANY"),
            ("end.trades", "INVALID"),
            ("end.issues", "NEGATIVE"),
            ("end.issues", "TOO_LARGE"),
            ("state", "INVALID"),
            ("idempotency_key", "IDEMPOTENCY_KEY_REUSED"),
            ("batch.trades[0].side", "TYPE_MISSING"),
            ("batch.trades[0].exchange", "EXCHANGE_MISSING"),
            ("batch.trades[0].executed_at", "TIME_MISSING"),
            ("batch.trades[0].time_precision", "INVALID"),
            ("batch.trades[0].value", "VALUE_NOT_A_NUMBER"),
            ("batch.trades[0].value", "VALUE_OUT_OF_RANGE"),
            ("batch.trades[0].value", "VALUE_TOO_PRECISE"),
            ("batch.trades[0].source_key", "SOURCE_KEY_INVALID"),
            ("batch.trades[0].contract.kind", "INVALID"),
            ("batch.trades[0].contract.underlying", "UNDERLYING_INVALID"),
            ("batch.trades[0].contract.expiry", "EXPIRY_INVALID"),
            ("batch.trades[0].contract.strike", "STRIKE_INVALID"),
            ("batch.trades[0].contract.strike", "STRIKE_UNEXPECTED"),
            ("trade.notes.notes", "NOTES_INVALID"),
            ("trade.notes.market_outlook", "MARKET_OUTLOOK_INVALID"),
        ];
        for (path, reason) in violations {
            let text = texts::field_error("trades", path, reason, &texts::Params::new());
            assert!(text.is_some(), "{path} {reason}");
        }
    }

    #[sqlx::test(migrations = false)]
    async fn a_full_disk_is_not_an_internal_error(pool: PgPool) {
        for (name, kind) in [("disk_full", Kind::StorageFull), ("division_by_zero", Kind::Internal)] {
            let raise = format!("do $$ begin raise exception using errcode = '{name}'; end $$");
            let error = sqlx::raw_sql(sqlx::AssertSqlSafe(raise)).execute(&pool).await.unwrap_err();
            assert_eq!(Error::from(error).kind(), kind, "{name}");
        }
    }
}
