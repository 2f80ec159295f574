//! Which trades changed since a version.

use std::collections::HashSet;

use uuid::Uuid;

use super::{Head, LoggedTrade, Store, count, head, head_of, pages};
use crate::error::Error;

/// Trades that are told one by one; where more changed, who holds them reads all of them again.
pub(super) const MOST_TOUCHED: i64 = 1_000;

/// What is different about the trades since a version.
pub struct Changed {
    pub head: Head,
    /// The trades that were added or changed, as they are now, and the numbers of those that are gone; absent where they
    /// are too many, or are not known.
    pub touched: Option<(Vec<LoggedTrade>, Vec<i64>)>,
}

impl Store {
    /// What changed since the version `since`.
    pub async fn changed(&self, account_id: Uuid, since: i64) -> Result<Changed, Error> {
        let mut connection = self.requests().acquire().await?;
        let row = sqlx::query!(
            r#"
            with later as (select touched from trades.change where account_id = $1 and version > $2)
            select version, trade_count, last_broker, last_segment,
                   version < $2 or exists (select from later where touched is null) as "unknown!",
                   array(
                       select distinct generate_series(lower(numbers), upper(numbers) - 1)
                       from later, unnest(touched) numbers
                       limit $3
                   ) as "touched!"
            from trades.account
            where account_id = $1
            "#,
            account_id,
            since,
            MOST_TOUCHED + 1,
        )
        .fetch_optional(&mut *connection)
        .await?;
        let Some(row) = row else {
            let nothing = (Vec::new(), Vec::new());
            return Ok(Changed { head: Head::default(), touched: (since == 0).then_some(nothing) });
        };
        let now = head_of(row.version, row.trade_count, row.last_broker, row.last_segment)?;
        if row.unknown || count(row.touched.len()) > MOST_TOUCHED {
            return Ok(Changed { head: now, touched: None });
        }
        let trades = pages::trades(&mut connection, account_id, &row.touched).await?;
        // Where a write came between, these trades belong to no version.
        let weight: usize = trades.iter().map(LoggedTrade::weight).sum();
        if head(&mut *connection, account_id).await?.version != now.version || weight > pages::HEAVIEST_PAGE {
            return Ok(Changed { head: now, touched: None });
        }
        let there: HashSet<i64> = trades.iter().map(|trade| trade.trade_id).collect();
        let gone = row.touched.into_iter().filter(|id| !there.contains(id)).collect();
        Ok(Changed { head: now, touched: Some((trades, gone)) })
    }
}
