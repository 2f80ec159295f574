//! Why trades were refused, or could not be stored or read.

use std::time::Duration;

use rpc::failure::{Failure, Kind, Violation};

use crate::trade::violation;

/// Why a call was not answered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request breaks rules, each named with its field.
    #[error("the request is invalid: {0:?}")]
    Invalid(Vec<Violation>),
    /// The stream of an import broke off or paused for too long, or held another number of trades than it said.
    #[error("the import broke off after {received} trades")]
    BrokenOff {
        /// Trades received until then.
        received: i64,
    },
    /// No such trade of the account.
    #[error("there is no such trade")]
    NoTrade,
    /// No such change of the account.
    #[error("there is no such change")]
    NoChange,
    /// No such preview of the account, or its time is over.
    #[error("there is no such preview")]
    NoPreview,
    /// It was taken back before.
    #[error("the change was undone before")]
    ChangeUndone,
    /// Other changes would go with it than the trader was told.
    #[error("other newer changes of the book stand")]
    ChangesMoved,
    /// What it took away is not kept any more.
    #[error("the change is too old to be undone")]
    ChangeTooOld,
    /// The idempotency key came with another request before.
    #[error("the idempotency key belongs to another request")]
    KeyReused,
    /// A write with an idempotency key waited too long for another write of the account, maybe its own first sending.
    #[error("another write of the account goes on")]
    InProgress(#[source] sqlx::Error),
    /// The trades changed while the whole list was being read.
    #[error("the trades changed while they were read")]
    Changed,
    /// Another write of this account, or too many of all accounts, hold what this one needs.
    #[error("too much at once")]
    Busy(#[source] sqlx::Error),
    /// The database failed, or holds what it must not.
    #[error("the trades could not be stored or read")]
    Store(#[source] sqlx::Error),
    /// The task that imports ended without a result.
    #[error("the import was lost")]
    Lost(#[from] tokio::task::JoinError),
}

impl Error {
    /// One field that breaks one rule.
    pub(crate) fn field(field: &'static str, message: &str) -> Self {
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
            Self::Invalid(_) | Self::BrokenOff { .. } | Self::KeyReused => Kind::Invalid,
            Self::NoTrade | Self::NoChange | Self::NoPreview => Kind::NotFound,
            Self::ChangeUndone | Self::ChangesMoved | Self::ChangeTooOld | Self::InProgress(_) => Kind::Conflict,
            Self::Changed | Self::Busy(_) => Kind::Busy,
            Self::Store(error) if db::classify(error) == db::Failure::DiskFull => Kind::Full,
            Self::Store(_) | Self::Lost(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::BrokenOff { .. } => "BROKEN_OFF",
            Self::NoTrade => "NO_TRADE",
            Self::NoChange => "NO_CHANGE",
            Self::NoPreview => "NO_PREVIEW",
            Self::ChangeUndone => "CHANGE_UNDONE",
            Self::ChangesMoved => "CHANGES_MOVED",
            Self::ChangeTooOld => "CHANGE_TOO_OLD",
            Self::KeyReused => "KEY_REUSED",
            Self::InProgress(_) => "IN_PROGRESS",
            Self::Changed => "CHANGED",
            Self::Busy(_) => "BUSY",
            Self::Store(_) | Self::Lost(_) => "INTERNAL",
        }
    }

    fn message(&self) -> String {
        let sentence = match self {
            Self::Invalid(violations) => match violations.as_slice() {
                [one] => &one.message,
                _ => "Some fields are wrong.",
            },
            Self::BrokenOff { .. } => "The trades did not arrive whole. Nothing was stored.",
            Self::NoTrade => "There is no such trade.",
            Self::NoChange => "There is no such change.",
            Self::NoPreview => "This preview is no longer there. Upload the file again.",
            Self::ChangeUndone => "This change was undone before.",
            Self::ChangesMoved => "Your trades changed since. Look again at what would be undone.",
            Self::ChangeTooOld => "A change can be undone for 30 days. This one is older.",
            Self::KeyReused => "This Idempotency-Key was sent with another request before.",
            Self::Changed => "Your trades changed while they were being read. Try again.",
            Self::Busy(_) | Self::InProgress(_) => {
                "Another change of your trades is still running. Try again in a moment."
            }
            Self::Store(_) | Self::Lost(_) => "",
        };
        sentence.to_owned()
    }

    fn violations(&self) -> Vec<Violation> {
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::KeyReused => vec![violation("Idempotency-Key", self.reason(), &self.message())],
            Self::BrokenOff { .. }
            | Self::NoTrade
            | Self::NoChange
            | Self::NoPreview
            | Self::ChangeUndone
            | Self::ChangesMoved
            | Self::ChangeTooOld
            | Self::InProgress(_)
            | Self::Changed
            | Self::Busy(_)
            | Self::Store(_)
            | Self::Lost(_) => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Changed | Self::Busy(_) | Self::InProgress(_) => Some(Duration::from_secs(1)),
            Self::Invalid(_)
            | Self::BrokenOff { .. }
            | Self::NoTrade
            | Self::NoChange
            | Self::NoPreview
            | Self::ChangeUndone
            | Self::ChangesMoved
            | Self::ChangeTooOld
            | Self::KeyReused
            | Self::Store(_)
            | Self::Lost(_) => None,
        }
    }
}
