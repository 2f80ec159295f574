//! Why the analytics did not answer.

use std::time::Duration;

use rpc::failure::{DISK_FULL, Failure, Kind, Violation};
use tonic::Status;

use crate::fill::Broker;
use crate::tariff::Unreadable;

/// Why a call was not answered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request breaks rules, each named with its field.
    #[error("the request is invalid: {0:?}")]
    Invalid(Vec<Violation>),
    /// No such entry of the account.
    #[error("there is no such adjustment")]
    NoAdjustment,
    /// The account has one of this kind, symbol, day and broker.
    #[error("there is such an adjustment already")]
    AdjustmentExists(#[source] sqlx::Error),
    /// An account has no more than [`crate::store::MOST_ADJUSTMENTS`].
    #[error("the account has too many adjustments")]
    TooManyAdjustments,
    /// The account has more trades than are analysed.
    #[error("the account has too many trades")]
    TooManyTrades,
    /// There is nothing to set a report against.
    #[error("the account has no trade of the report's broker and segment")]
    NoTradesOfOurs {
        /// Whose report it is.
        broker: Broker,
        /// Futures and options, or shares.
        contracts: bool,
    },
    /// No turn came in time.
    #[error("too much at once")]
    Busy,
    /// The trade log refused, or could not be reached.
    #[error("the trade log did not answer")]
    Trades(#[source] Box<Status>),
    /// The trade log sent what cannot be.
    #[error("the trade log sent a trade without its {0}")]
    NoTrade(&'static str),
    /// The database failed.
    #[error("the adjustments could not be stored or read")]
    Store(#[source] sqlx::Error),
    /// A table of rates in this program cannot be read.
    #[error("the rates cannot be read")]
    Rates(#[from] &'static Unreadable),
    /// The task that worked it out, or wrote it, ended without a result.
    #[error("the work was lost")]
    Lost(#[from] tokio::task::JoinError),
}

impl Error {
    /// One field that breaks one rule.
    pub(crate) fn field(field: &'static str, message: &str) -> Self {
        Self::Invalid(vec![violation(field, message)])
    }
}

pub(crate) fn violation(field: &'static str, message: &str) -> Violation {
    Violation { field: field.into(), reason: "INVALID", message: message.to_owned() }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        Self::Trades(Box::new(status))
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error)
    }
}

/// Whether the database refused for this reason.
fn refused_for(error: &sqlx::Error, sqlstate: &str) -> bool {
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).is_some_and(|code| code == sqlstate)
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Invalid(_) | Self::NoTradesOfOurs { .. } => Kind::Invalid,
            Self::NoAdjustment => Kind::NotFound,
            Self::AdjustmentExists(_) | Self::TooManyAdjustments => Kind::Conflict,
            Self::TooManyTrades => Kind::TooLarge,
            Self::Busy | Self::Store(sqlx::Error::PoolTimedOut) => Kind::Busy,
            Self::Store(error) if refused_for(error, DISK_FULL) => Kind::Full,
            Self::Trades(_) | Self::NoTrade(_) | Self::Store(_) | Self::Rates(_) | Self::Lost(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::NoAdjustment => "NO_ADJUSTMENT",
            Self::AdjustmentExists(_) => "ADJUSTMENT_EXISTS",
            Self::TooManyAdjustments => "TOO_MANY_ADJUSTMENTS",
            Self::TooManyTrades => "TOO_MANY_TRADES",
            Self::NoTradesOfOurs { .. } => "NO_TRADES_OF_OURS",
            Self::Busy | Self::Store(sqlx::Error::PoolTimedOut) => "BUSY",
            Self::Trades(_) | Self::NoTrade(_) | Self::Store(_) | Self::Rates(_) | Self::Lost(_) => "INTERNAL",
        }
    }

    fn message(&self) -> String {
        let sentence = match self {
            Self::Invalid(violations) => match violations.as_slice() {
                [one] => &one.message,
                _ => "Some fields are wrong.",
            },
            Self::NoAdjustment => "There is no such entry.",
            Self::AdjustmentExists(_) => "You entered this kind for this symbol and day before.",
            Self::TooManyAdjustments => "An account holds 1,000 entries. Take back one first.",
            Self::NoTradesOfOurs { broker: Broker::Zerodha, contracts: false } => {
                "The log has no shares traded with Zerodha. Upload the equity tradebook first, then the report."
            }
            Self::NoTradesOfOurs { broker: Broker::Zerodha, contracts: true } => {
                "The log has no futures and options with Zerodha. Upload the F&O tradebook first, then the report."
            }
            Self::NoTradesOfOurs { broker: Broker::Groww, .. } => {
                "The log has no shares traded with Groww. Upload the order history for stocks first, then the report."
            }
            Self::TooManyTrades => "Analytics take up to 10,00,000 trades. This account has more.",
            Self::Busy | Self::Store(sqlx::Error::PoolTimedOut) => "Too much at once. Try again in a moment.",
            Self::Trades(_) | Self::NoTrade(_) | Self::Store(_) | Self::Rates(_) | Self::Lost(_) => "",
        };
        sentence.to_owned()
    }

    fn violations(&self) -> Vec<Violation> {
        if let Self::Invalid(violations) = self { violations.clone() } else { Vec::new() }
    }

    fn retry_after(&self) -> Option<Duration> {
        (self.kind() == Kind::Busy).then(|| Duration::from_secs(1))
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
}
