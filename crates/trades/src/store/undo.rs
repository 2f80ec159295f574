//! Taking changes back, the newest first.

use uuid::Uuid;

use super::write::{Pace, Write};
use super::{Head, Store, book_of};
use crate::error::Error;

/// What taking back did.
pub struct Undone {
    pub head: Head,
    /// Trades that went.
    pub removed: i64,
    /// Trades that came back, or are again what they were.
    pub restored: i64,
    /// Changes.
    pub undone: i64,
}

impl Store {
    /// Takes a change back, and every newer one of its book that stands: `expected_newer` of them.
    ///
    /// As all newer ones go with it, the book is afterwards what it was before.
    pub async fn undo(&self, account_id: Uuid, change_id: i64, expected_newer: i64) -> Result<Undone, Error> {
        let mut write = self.begin(account_id, Pace::Whole, false).await?;
        let change = sqlx::query!(
            r#"
            select broker, segment, undone_at is not null as "undone!",
                   made_at > now() - interval '30 days' and (kept or removed_count = 0) as "young!"
            from trades.change
            where account_id = $1 and change_id = $2
            "#,
            account_id,
            change_id,
        )
        .fetch_optional(write.on())
        .await?
        .ok_or(Error::NoChange)?;
        if change.undone {
            return Err(Error::ChangeUndone);
        }
        if !change.young {
            return Err(Error::ChangeTooOld);
        }
        let book = book_of(&change.broker, &change.segment)?;
        let changes = sqlx::query_scalar!(
            "
            select change_id from trades.change
            where account_id = $1 and broker = $2 and segment = $3 and change_id >= $4 and undone_at is null
            ",
            account_id,
            change.broker,
            change.segment,
            change_id,
        )
        .fetch_all(write.on())
        .await?;
        let undone = super::count(changes.len());
        if undone - 1 != expected_newer {
            return Err(Error::ChangesMoved);
        }
        let removed = write.remove_added(&changes).await?;
        let rewritten = write.remove_kept(&changes).await?;
        let restored = write.restore(&changes).await?;
        write.forget(&changes).await?;
        let head = write.finish(book, restored - rewritten - removed, true).await?;
        Ok(Undone { head, removed, restored, undone })
    }
}

impl Write {
    /// Deletes what `changes` added and is still there. From the first number to the last it goes along the index, and
    /// however many changes there are, each trade is looked at once.
    async fn remove_added(&mut self, changes: &[i64]) -> Result<i64, Error> {
        let account_id = self.account_id;
        let gone = sqlx::query!(
            "
            delete from trades.trade t
            using (
                select range_agg(added) as numbers from trades.change where account_id = $1 and change_id = any($2)
            ) gone
            where t.account_id = $1 and t.trade_id <@ gone.numbers
              and t.trade_id >= lower(gone.numbers) and t.trade_id < upper(gone.numbers)
            ",
            account_id,
            changes,
        )
        .execute(self.on())
        .await?;
        Ok(i64::try_from(gone.rows_affected()).unwrap_or(i64::MAX))
    }

    /// Deletes what `changes` wrote anew, to be put back as it was.
    async fn remove_kept(&mut self, changes: &[i64]) -> Result<i64, Error> {
        let account_id = self.account_id;
        let gone = sqlx::query!(
            "
            delete from trades.trade t
            using (
                select distinct trade_id from trades.kept_trade where account_id = $1 and change_id = any($2)
            ) kept
            where t.account_id = $1 and t.trade_id = kept.trade_id
            ",
            account_id,
            changes,
        )
        .execute(self.on())
        .await?;
        Ok(i64::try_from(gone.rows_affected()).unwrap_or(i64::MAX))
    }

    /// Puts back what `changes` took away, as the oldest of them found it; not what they had added themselves.
    async fn restore(&mut self, changes: &[i64]) -> Result<i64, Error> {
        let account_id = self.account_id;
        let back = sqlx::query!(
            "
            insert into trades.trade (
                account_id, trade_id, broker, segment, side, symbol, isin, quantity, price, value, executed_at,
                time_precision, exchange, order_id, source_key, stock_name, notes, psychology, market_outlook,
                pair_id, edited, underlying, expiry, contract_kind, strike, stop_loss
            )
            select distinct on (trade_id)
                   account_id, trade_id, broker, segment, side, symbol, isin, quantity, price, value, executed_at,
                   time_precision, exchange, order_id, source_key, stock_name, notes, psychology, market_outlook,
                   pair_id, edited, underlying, expiry, contract_kind, strike, stop_loss
            from trades.kept_trade
            where account_id = $1 and change_id = any($2)
              and not trade_id <@ coalesce(
                  (select range_agg(added) from trades.change where account_id = $1 and change_id = any($2)), '{}'
              )
            order by trade_id, change_id
            ",
            account_id,
            changes,
        )
        .execute(self.on())
        .await?;
        Ok(i64::try_from(back.rows_affected()).unwrap_or(i64::MAX))
    }

    /// Drops what was kept for `changes`, the marks of what they deleted, what the broker told with them, and what it
    /// told of trades that are gone with them.
    async fn forget(&mut self, changes: &[i64]) -> Result<(), Error> {
        let account_id = self.account_id;
        sqlx::query!(
            "delete from trades.kept_trade where account_id = $1 and change_id = any($2)",
            account_id,
            changes
        )
        .execute(self.on())
        .await?;
        sqlx::query!(
            "delete from trades.deleted_source where account_id = $1 and change_id = any($2)",
            account_id,
            changes
        )
        .execute(self.on())
        .await?;
        sqlx::query!(
            "
            delete from trades.broker_trade
            where account_id = $1 and (
                change_id = any($2)
                or trade_id <@ (
                    select range_agg(added) from trades.change where account_id = $1 and change_id = any($2)
                )
            )
            ",
            account_id,
            changes
        )
        .execute(self.on())
        .await?;
        sqlx::query!(
            "
            update trades.change
            set undone_at = now(), kept = false,
                version = (select version + 1 from trades.account where account_id = $1)
            where account_id = $1 and change_id = any($2)
            ",
            account_id,
            changes
        )
        .execute(self.on())
        .await?;
        Ok(())
    }
}
