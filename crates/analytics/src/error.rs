//! Errors of the analytics service.

use std::time::Duration;

use rpc::failure::{Failure, Kind, Violation};
use tonic::Status;

use crate::charge_rates::RatesError;
use crate::fill::Broker;
use crate::limits::{MAX_ADJUSTMENTS, MAX_CONFIRMED_STRATEGIES, MAX_TRADES};

/// Reason code of a field with an invalid value, and of a request with invalid fields.
pub(crate) const INVALID: &str = "INVALID";

/// Error of the analytics service.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Invalid fields of the request.
    #[error("invalid request: {0:?}")]
    Invalid(Vec<Violation>),
    /// Adjustment that the account does not have.
    #[error("adjustment not found")]
    AdjustmentNotFound,
    /// Position that the account does not have, or no longer.
    #[error("position not found")]
    PositionNotFound,
    /// Strategy that the account does not have, or no longer.
    #[error("strategy not found")]
    StrategyNotFound,
    /// Decision about a strategy that the trader did not confirm.
    #[error("strategy not confirmed")]
    StrategyNotConfirmed,
    /// Decision about a strategy that is grouped in another way than the trader saw.
    #[error("strategy changed")]
    StrategyChanged,
    /// Change of strategies that the account does not have.
    #[error("strategy change not found")]
    StrategyChangeNotFound,
    /// Change of strategies that a later one changed again.
    #[error("strategies changed again")]
    StrategiesChangedAgain,
    /// Confirmed strategy with too many trades.
    #[error("strategy too large")]
    StrategyTooLarge,
    /// More than [`MAX_CONFIRMED_STRATEGIES`] confirmed strategies of an account.
    #[error("too many confirmed strategies")]
    TooManyConfirmedStrategies,
    /// Adjustment of the same kind, symbol, day and broker as an existing one.
    #[error("adjustment already exists")]
    AdjustmentExists(#[source] sqlx::Error),
    /// Data issue that the account does not have.
    #[error("data issue not found")]
    DataIssueNotFound,
    /// More than [`MAX_ADJUSTMENTS`] adjustments of an account.
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
    /// Returns the error of one field with an invalid value.
    pub(crate) fn invalid(field: &'static str) -> Self {
        Violation::new(field, INVALID).into()
    }
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Self::Invalid(vec![violation])
    }
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
            Self::AdjustmentNotFound
            | Self::DataIssueNotFound
            | Self::PositionNotFound
            | Self::StrategyNotFound
            | Self::StrategyChangeNotFound => Kind::NotFound,
            Self::AdjustmentExists(_) => Kind::AlreadyExists,
            Self::TooManyAdjustments
            | Self::TooManyConfirmedStrategies
            | Self::StrategyNotConfirmed
            | Self::StrategyTooLarge
            | Self::StrategyChanged
            | Self::StrategiesChangedAgain => Kind::FailedPrecondition,
            Self::TooManyTrades => Kind::TooLarge,
            Self::Busy => Kind::Busy,
            Self::Store(error) => match db::classify(error) {
                db::Failure::LockTimeout | db::Failure::Unavailable => Kind::Busy,
                db::Failure::DiskFull => Kind::StorageFull,
                db::Failure::Other => Kind::Internal,
            },
            Self::TradeLog(_) | Self::InvalidTradeLog(_) | Self::Rates(_) | Self::Task(_) => Kind::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(_) => INVALID,
            Self::AdjustmentNotFound => "ADJUSTMENT_NOT_FOUND",
            Self::DataIssueNotFound => "DATA_ISSUE_NOT_FOUND",
            Self::PositionNotFound => "POSITION_NOT_FOUND",
            Self::StrategyNotFound => "STRATEGY_NOT_FOUND",
            Self::StrategyNotConfirmed => "STRATEGY_NOT_CONFIRMED",
            Self::StrategyChanged => "STRATEGY_CHANGED",
            Self::StrategyTooLarge => "STRATEGY_TOO_LARGE",
            Self::StrategyChangeNotFound => "STRATEGY_CHANGE_NOT_FOUND",
            Self::StrategiesChangedAgain => "STRATEGIES_CHANGED_AGAIN",
            Self::TooManyConfirmedStrategies => "TOO_MANY_CONFIRMED_STRATEGIES",
            Self::AdjustmentExists(_) => "ADJUSTMENT_EXISTS",
            Self::TooManyAdjustments => "TOO_MANY_ADJUSTMENTS",
            Self::TooManyTrades => "TOO_MANY_TRADES",
            Self::NoTradesToReconcile { .. } => "NO_TRADES_TO_RECONCILE",
            Self::Busy => "BUSY",
            Self::Store(_) if self.kind() == Kind::Busy => "BUSY",
            Self::TradeLog(_) | Self::InvalidTradeLog(_) | Self::Store(_) | Self::Rates(_) | Self::Task(_) => {
                "INTERNAL"
            }
        }
    }

    fn service(&self) -> &'static str {
        "analytics"
    }

    fn violations(&self) -> Vec<Violation> {
        if let Self::Invalid(violations) = self { violations.clone() } else { Vec::new() }
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::TooManyAdjustments => vec![("max", MAX_ADJUSTMENTS.to_string())],
            Self::TooManyConfirmedStrategies => vec![("max", MAX_CONFIRMED_STRATEGIES.to_string())],
            Self::TooManyTrades => vec![("max", MAX_TRADES.to_string())],
            Self::NoTradesToReconcile { broker, contracts } => {
                let cause = match (broker, contracts) {
                    (Broker::Zerodha, false) => "ZERODHA_EQUITY",
                    (Broker::Zerodha, true) => "ZERODHA_FNO",
                    (Broker::Groww, false) => "GROWW_EQUITY",
                    (Broker::Groww, true) => "GROWW_FNO",
                    _ => "OTHER",
                };
                vec![("cause", cause.to_owned())]
            }
            Self::Invalid(_)
            | Self::AdjustmentNotFound
            | Self::DataIssueNotFound
            | Self::PositionNotFound
            | Self::StrategyNotFound
            | Self::StrategyNotConfirmed
            | Self::StrategyTooLarge
            | Self::StrategyChanged
            | Self::StrategyChangeNotFound
            | Self::StrategiesChangedAgain
            | Self::AdjustmentExists(_)
            | Self::Busy
            | Self::TradeLog(_)
            | Self::InvalidTradeLog(_)
            | Self::Store(_)
            | Self::Rates(_)
            | Self::Task(_) => Vec::new(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        (self.kind() == Kind::Busy).then(|| Duration::from_secs(1))
    }
}

#[cfg(test)]
mod tests {
    use sqlx::PgPool;

    use super::*;

    #[test]
    fn every_reason_has_a_text() {
        let no_trades = Broker::ALL
            .iter()
            .flat_map(|&broker| [false, true].map(|contracts| Error::NoTradesToReconcile { broker, contracts }));
        let errors = [
            Error::Invalid(Vec::new()),
            Error::AdjustmentNotFound,
            Error::DataIssueNotFound,
            Error::PositionNotFound,
            Error::StrategyNotFound,
            Error::StrategyNotConfirmed,
            Error::StrategyTooLarge,
            Error::StrategyChanged,
            Error::StrategyChangeNotFound,
            Error::StrategiesChangedAgain,
            Error::TooManyConfirmedStrategies,
            Error::AdjustmentExists(sqlx::Error::RowNotFound),
            Error::TooManyAdjustments,
            Error::TooManyTrades,
            Error::Busy,
            Error::Store(sqlx::Error::PoolTimedOut),
            Error::InvalidTradeLog("head"),
        ];
        for error in errors.into_iter().chain(no_trades) {
            // A new variant does not compile here; add it to the list, too.
            match error {
                Error::Invalid(_)
                | Error::AdjustmentNotFound
                | Error::DataIssueNotFound
                | Error::PositionNotFound
                | Error::StrategyNotFound
                | Error::StrategyNotConfirmed
                | Error::StrategyTooLarge
                | Error::StrategyChanged
                | Error::StrategyChangeNotFound
                | Error::StrategiesChangedAgain
                | Error::TooManyConfirmedStrategies
                | Error::AdjustmentExists(_)
                | Error::TooManyAdjustments
                | Error::TooManyTrades
                | Error::NoTradesToReconcile { .. }
                | Error::Busy
                | Error::TradeLog(_)
                | Error::InvalidTradeLog(_)
                | Error::Store(_)
                | Error::Rates(_)
                | Error::Task(_) => (),
            }
            let params = error.metadata().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            let text = texts::error("analytics", error.reason(), &params);
            assert!(text.is_some_and(|text| !text.contains('…')), "{error:?}");
        }
    }

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
