//! Trades that changed since a version.

use std::collections::HashSet;

use uuid::Uuid;

use super::columns::to_count;
use super::connections::Store;
use super::log_head::{LogHead, fetch_log_head};
use super::log_reader::{MAX_PAGE_BYTES, fetch_trades};
use super::logged_trade::LoggedTrade;
use super::write::MAX_CHANGED_TRADES;
use crate::error::Error;

/// Trades that changed since a version.
pub struct ChangedTrades {
    pub head: LogHead,
    /// Absent if too many trades changed or the changes are unknown; then the caller reads all trades again.
    pub delta: Option<TradeDelta>,
}

/// Difference between two versions of the log.
#[derive(Default)]
pub struct TradeDelta {
    /// Added and changed trades, in their current state.
    pub changed: Vec<LoggedTrade>,
    /// Numbers of the trades that no longer exist.
    pub deleted_ids: Vec<i64>,
}

impl Store {
    /// Returns the trades that changed since the version `since`.
    pub async fn list_changed_trades(&self, account_id: Uuid, since: i64) -> Result<ChangedTrades, Error> {
        let mut connection = self.requests().acquire().await?;
        let row = sqlx::query!(
            r#"
            with later as (select changed_trade_ids from trades.change where account_id = $1 and version > $2)
            select version, trade_count, last_broker_account, last_segment, broker_accounts_version,
                   version < $2 or exists (select from later where changed_trade_ids is null) as "is_unknown!",
                   array(
                       select distinct generate_series(lower(numbers), upper(numbers) - 1)
                       from later, unnest(changed_trade_ids) numbers
                       limit $3
                   ) as "changed_trade_ids!"
            from trades.account
            where account_id = $1
            "#,
            account_id,
            since,
            MAX_CHANGED_TRADES + 1,
        )
        .fetch_optional(&mut *connection)
        .await?;
        let Some(row) = row else {
            return Ok(ChangedTrades { head: LogHead::default(), delta: (since == 0).then(TradeDelta::default) });
        };
        let head = LogHead::from_columns(row.version, row.trade_count, row.last_broker_account, row.last_segment)?
            .with_broker_accounts_version(row.broker_accounts_version);
        if row.is_unknown || to_count(row.changed_trade_ids.len()) > MAX_CHANGED_TRADES {
            return Ok(ChangedTrades { head, delta: None });
        }
        let trades = fetch_trades(&mut connection, account_id, &row.changed_trade_ids).await?;
        // If the version moved between the two statements, these trades may belong to different versions.
        let bytes: usize = trades.iter().map(LoggedTrade::approximate_bytes).sum();
        let version = fetch_log_head(&mut *connection, account_id).await?.version;
        if version != head.version || bytes > MAX_PAGE_BYTES {
            return Ok(ChangedTrades { head, delta: None });
        }
        let existing_ids: HashSet<i64> = trades.iter().map(|trade| trade.trade_id).collect();
        let deleted_ids = row.changed_trade_ids.into_iter().filter(|id| !existing_ids.contains(id)).collect();
        Ok(ChangedTrades { head, delta: Some(TradeDelta { changed: trades, deleted_ids }) })
    }
}
