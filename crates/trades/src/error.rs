//! Why trades were refused, or could not be stored or read.

use std::time::Duration;

use rpc::failure::{Failure, Kind, Violation};

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
        Self::Invalid(vec![Violation { field, reason: "INVALID", message: message.to_owned() }])
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        // 55P03 is lock_not_available: the lock timeout ran out.
        let locked = error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "55P03");
        if locked || matches!(error, sqlx::Error::PoolTimedOut) { Self::Busy(error) } else { Self::Store(error) }
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Invalid(_) | Self::BrokenOff { .. } => Kind::Invalid,
            Self::Changed | Self::Busy(_) => Kind::Busy,
            Self::Store(_) | Self::Lost(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::BrokenOff { .. } => "BROKEN_OFF",
            Self::Changed => "CHANGED",
            Self::Busy(_) => "BUSY",
            Self::Store(_) | Self::Lost(_) => "INTERNAL",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Invalid(violations) => match violations.as_slice() {
                [one] => one.message.clone(),
                _ => "Some fields are wrong.".to_owned(),
            },
            Self::BrokenOff { .. } => "The file did not arrive whole. Nothing was stored.".to_owned(),
            Self::Changed => "Your trades changed while they were being read. Try again.".to_owned(),
            Self::Busy(_) => "Another change of your trades is still running. Try again in a moment.".to_owned(),
            Self::Store(_) | Self::Lost(_) => String::new(),
        }
    }

    fn violations(&self) -> Vec<Violation> {
        match self {
            Self::Invalid(violations) => violations.clone(),
            Self::BrokenOff { .. } | Self::Changed | Self::Busy(_) | Self::Store(_) | Self::Lost(_) => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Changed | Self::Busy(_) => Some(Duration::from_secs(1)),
            Self::Invalid(_) | Self::BrokenOff { .. } | Self::Store(_) | Self::Lost(_) => None,
        }
    }
}
