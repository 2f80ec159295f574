//! Errors of the analytics service.

use std::time::Duration;

use rpc::failure::{Failure, Kind, Violation};
use tonic::Status;

use crate::charge_rates::RatesError;
use crate::fill::Broker;

const BUSY: &str = "BUSY";
const BUSY_MESSAGE: &str = "Too much at once. Try again in a moment.";

/// Error of the analytics service.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Invalid fields of the request.
    #[error("invalid request: {0:?}")]
    Invalid(Vec<Violation>),
    /// Adjustment that the account does not have.
    #[error("adjustment not found")]
    AdjustmentNotFound,
    /// Adjustment of the same kind, symbol, day and broker as an existing one.
    #[error("adjustment already exists")]
    AdjustmentExists(#[source] sqlx::Error),
    /// More than [`crate::store::MAX_ADJUSTMENTS`] adjustments of an account.
    #[error("too many adjustments")]
    TooManyAdjustments,
    /// More trades than the limit of an analysis.
    #[error("too many trades")]
    TooManyTrades,
    /// Report of a broker and segment of which the account has no trades.
    #[error("no trades of the report's broker and segment")]
    NoTradesToReconcile {
        /// Broker of the report.
        broker: Broker,
        /// True for futures and options, false for shares.
        contracts: bool,
    },
    /// Limit on concurrent work that stayed reached for too long.
    #[error("too many concurrent requests")]
    Busy,
    /// Failed call of the trade log.
    #[error("call of the trade log failed")]
    TradeLog(#[source] Box<Status>),
    /// Response of the trade log without a valid value of this field.
    #[error("invalid response of the trade log: {0}")]
    InvalidTradeLog(&'static str),
    /// Failed access to the database.
    #[error("database access failed")]
    Store(#[source] sqlx::Error),
    /// Rate file of this program that cannot be parsed.
    #[error("invalid rate file")]
    Rates(#[from] &'static RatesError),
    /// Task that panicked or was cancelled.
    #[error("task failed")]
    Task(#[from] tokio::task::JoinError),
}

impl Error {
    /// Returns the error of one invalid field.
    pub(crate) fn field(field: &'static str, message: &str) -> Self {
        Self::Invalid(vec![violation(field, message)])
    }
}

pub(crate) fn violation(field: &'static str, message: &str) -> Violation {
    Violation { field: field.into(), reason: "INVALID", params: Vec::new(), message: message.to_owned() }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        Self::TradeLog(Box::new(status))
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error)
    }
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Invalid(_) | Self::NoTradesToReconcile { .. } => Kind::Invalid,
            Self::AdjustmentNotFound => Kind::NotFound,
            Self::AdjustmentExists(_) | Self::TooManyAdjustments => Kind::FailedPrecondition,
            Self::TooManyTrades => Kind::TooLarge,
            Self::Busy => Kind::Busy,
            Self::Store(error) => match db::classify(error) {
                db::Failure::LockTimeout | db::Failure::PoolTimeout => Kind::Busy,
                db::Failure::DiskFull => Kind::StorageFull,
                db::Failure::Other => Kind::Internal,
            },
            Self::TradeLog(_) | Self::InvalidTradeLog(_) | Self::Rates(_) | Self::Task(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "INVALID",
            Self::AdjustmentNotFound => "NO_ADJUSTMENT",
            Self::AdjustmentExists(_) => "ADJUSTMENT_EXISTS",
            Self::TooManyAdjustments => "TOO_MANY_ADJUSTMENTS",
            Self::TooManyTrades => "TOO_MANY_TRADES",
            Self::NoTradesToReconcile { .. } => "NO_TRADES_OF_OURS",
            Self::Busy => BUSY,
            Self::Store(_) if self.kind() == Kind::Busy => BUSY,
            Self::TradeLog(_) | Self::InvalidTradeLog(_) | Self::Store(_) | Self::Rates(_) | Self::Task(_) => {
                "INTERNAL"
            }
        }
    }

    fn message(&self) -> String {
        let sentence = match self {
            Self::Invalid(violations) => match violations.as_slice() {
                [one] => &one.message,
                _ => "Some fields are wrong.",
            },
            Self::AdjustmentNotFound => "There is no such entry.",
            Self::AdjustmentExists(_) => "You entered this kind for this symbol and day before.",
            Self::TooManyAdjustments => "An account holds 1,000 entries. Remove one first.",
            Self::NoTradesToReconcile { broker: Broker::Zerodha, contracts: false } => {
                "The log has no shares traded with Zerodha. Upload the equity tradebook first, then the report."
            }
            Self::NoTradesToReconcile { broker: Broker::Zerodha, contracts: true } => {
                "The log has no futures and options with Zerodha. Upload the F&O tradebook first, then the report."
            }
            Self::NoTradesToReconcile { broker: Broker::Groww, .. } => {
                "The log has no shares traded with Groww. Upload the order history for stocks first, then the report."
            }
            Self::TooManyTrades => "Analytics take up to 10,00,000 trades. This account has more.",
            Self::Busy => BUSY_MESSAGE,
            Self::Store(_) if self.kind() == Kind::Busy => BUSY_MESSAGE,
            Self::TradeLog(_) | Self::InvalidTradeLog(_) | Self::Store(_) | Self::Rates(_) | Self::Task(_) => "",
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
    async fn classifies_errors_of_the_database(pool: PgPool) {
        for (name, kind) in
            [("disk_full", Kind::StorageFull), ("lock_not_available", Kind::Busy), ("division_by_zero", Kind::Internal)]
        {
            let raise = format!("do $$ begin raise exception using errcode = '{name}'; end $$");
            let error = sqlx::raw_sql(sqlx::AssertSqlSafe(raise)).execute(&pool).await.unwrap_err();
            assert_eq!(Error::from(error).kind(), kind, "{name}");
        }
    }
}
