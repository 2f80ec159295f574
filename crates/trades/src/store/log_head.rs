//! Version and total of an account's trade log.

use sqlx::PgExecutor;
use uuid::Uuid;

use super::columns::parse_book;
use super::connections::Store;
use crate::error::Error;
use crate::trade::Book;

/// Version and total of an account's trade log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogHead {
    /// Version; increases with every change of the trades.
    pub version: i64,
    /// Number of trades.
    pub total: i64,
    /// Book that changed last; absent if there are no trades.
    pub last_book: Option<Book>,
    /// Version of the settings of the broker accounts; 0 after a write, which does not change them.
    pub broker_accounts_version: i64,
}

impl LogHead {
    /// Builds the head from the columns of `trades.account`.
    pub(super) fn from_columns(
        version: i64,
        total: i64,
        broker_account: Option<String>,
        segment: Option<String>,
    ) -> Result<Self, Error> {
        let last_book = match (broker_account, segment) {
            (Some(account), Some(segment)) if total > 0 => Some(parse_book(&account, &segment)?),
            (None | Some(_), _) => None,
        };
        Ok(Self { version, total, last_book, broker_accounts_version: 0 })
    }

    /// Returns the head with the version of the settings of the broker accounts.
    pub(super) fn with_broker_accounts_version(self, broker_accounts_version: i64) -> Self {
        Self { broker_accounts_version, ..self }
    }
}

impl Store {
    pub async fn get_log_head(&self, account_id: Uuid) -> Result<LogHead, Error> {
        let mut connection = self.pools.reads.acquire().await?;
        let head = fetch_log_head(&mut *connection, account_id).await?;
        connection.release();
        Ok(head)
    }
}

pub(super) async fn fetch_log_head(executor: impl PgExecutor<'_>, account_id: Uuid) -> Result<LogHead, Error> {
    let row = sqlx::query!(
        "
        select version, trade_count, last_broker_account, last_segment, broker_accounts_version
        from trades.account where account_id = $1
        ",
        account_id
    )
    .fetch_optional(executor)
    .await?;
    row.map_or(Ok(LogHead::default()), |row| {
        let head = LogHead::from_columns(row.version, row.trade_count, row.last_broker_account, row.last_segment)?;
        Ok(head.with_broker_accounts_version(row.broker_accounts_version))
    })
}
