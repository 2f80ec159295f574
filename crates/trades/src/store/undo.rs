//! Undoing changes, newest first.

use super::columns::{parse_book, to_count, to_row_count};
use super::connections::Store;
use super::log_head::LogHead;
use super::write::{AccountWrite, WriteKind};
use crate::error::Error;
use crate::trade_limit::LogOwner;

/// Outcome of an undo.
pub struct UndoOutcome {
    pub head: LogHead,
    /// Number of trades removed.
    pub removed: i64,
    /// Number of trades restored, including those whose earlier version was restored.
    pub restored: i64,
    /// Number of changes undone.
    pub undone: i64,
}

impl Store {
    /// Undoes a change and the `expected_newer_changes` newer changes of its book that are not undone.
    ///
    /// Because all newer changes are undone too, the book is afterwards as it was before the change.
    pub async fn undo_change(
        &self,
        owner: LogOwner,
        change_id: i64,
        expected_newer_changes: i64,
    ) -> Result<UndoOutcome, Error> {
        let LogOwner { account_id, max_trades } = owner;
        let mut write = self.begin_write(account_id, WriteKind::WholeBook, false).await?;
        write.max_trades = max_trades;
        let change = sqlx::query!(
            r#"
            select broker_account, segment, undone_at is not null as "undone!",
                   made_at > now() - interval '30 days' and (has_undo_copies or removed_or_replaced_count = 0)
                       as "is_undoable!"
            from trades.change
            where account_id = $1 and change_id = $2
            "#,
            account_id,
            change_id,
        )
        .fetch_optional(write.connection())
        .await?
        .ok_or(Error::ChangeNotFound)?;
        if change.undone {
            return Err(Error::ChangeUndone);
        }
        if !change.is_undoable {
            return Err(Error::ChangeTooOld);
        }
        let book = parse_book(&change.broker_account, &change.segment)?;
        let changes = sqlx::query_scalar!(
            "
            select change_id from trades.change
            where account_id = $1 and broker_account = $2 and segment = $3 and change_id >= $4 and undone_at is null
            ",
            account_id,
            change.broker_account,
            change.segment,
            change_id,
        )
        .fetch_all(write.connection())
        .await?;
        let undone = to_count(changes.len());
        if undone - 1 != expected_newer_changes {
            return Err(Error::NewerChangesMismatch);
        }
        let removed = write.delete_added(&changes).await?;
        let edited = write.delete_edited(&changes).await?;
        let restored = write.restore_removed(&changes).await?;
        write.delete_undo_data(&changes).await?;
        write.delete_contract_notes(&changes).await?;
        let head = write.commit(book, restored - edited - removed, true).await?;
        Ok(UndoOutcome { head, removed, restored, undone })
    }
}

impl AccountWrite {
    /// Deletes the trades that `changes` added and that still exist. Scans the index once from the first number to the
    /// last, regardless of the number of changes.
    async fn delete_added(&mut self, changes: &[i64]) -> Result<i64, Error> {
        let account_id = self.account_id;
        let deleted = sqlx::query!(
            "
            delete from trades.trade t
            using (
                select range_agg(added) as numbers from trades.change where account_id = $1 and change_id = any($2)
            ) added_trades
            where t.account_id = $1 and t.trade_id <@ added_trades.numbers
              and t.trade_id >= lower(added_trades.numbers) and t.trade_id < upper(added_trades.numbers)
            ",
            account_id,
            changes,
        )
        .execute(self.connection())
        .await?;
        Ok(to_row_count(deleted.rows_affected()))
    }

    /// Deletes the trades that `changes` edited, so that their earlier versions can be restored.
    async fn delete_edited(&mut self, changes: &[i64]) -> Result<i64, Error> {
        let account_id = self.account_id;
        let deleted = sqlx::query!(
            "
            delete from trades.trade t
            using (
                select distinct trade_id from trades.undo_copy where account_id = $1 and change_id = any($2)
            ) edited
            where t.account_id = $1 and t.trade_id = edited.trade_id
            ",
            account_id,
            changes,
        )
        .execute(self.connection())
        .await?;
        Ok(to_row_count(deleted.rows_affected()))
    }

    /// Restores the trades that `changes` edited or removed, as they were before the oldest change. Skips trades that
    /// one of `changes` had added.
    async fn restore_removed(&mut self, changes: &[i64]) -> Result<i64, Error> {
        let account_id = self.account_id;
        let restored = sqlx::query!(
            "
            insert into trades.trade (
                account_id, trade_id, broker_account, segment, side, symbol, isin, quantity, price, value, executed_at,
                time_precision, exchange, order_id, source_key, stock_name, notes, psychology, market_outlook,
                pair_id, edited, underlying, expiry, contract_kind, strike, stop_loss, series, auction
            )
            select distinct on (trade_id)
                   account_id, trade_id, broker_account, segment, side, symbol, isin, quantity, price, value, executed_at,
                   time_precision, exchange, order_id, source_key, stock_name, notes, psychology, market_outlook,
                   pair_id, edited, underlying, expiry, contract_kind, strike, stop_loss, series, auction
            from trades.undo_copy
            where account_id = $1 and change_id = any($2)
              and not trade_id <@ coalesce(
                  (select range_agg(added) from trades.change where account_id = $1 and change_id = any($2)), '{}'
              )
            order by trade_id, change_id
            ",
            account_id,
            changes,
        )
        .execute(self.connection())
        .await?;
        Ok(to_row_count(restored.rows_affected()))
    }

    /// Deletes the undo copies of `changes`, their marks of deleted trades, the broker's versions recorded with them,
    /// and those of trades that they added; marks the changes as undone.
    async fn delete_undo_data(&mut self, changes: &[i64]) -> Result<(), Error> {
        let account_id = self.account_id;
        sqlx::query!("delete from trades.undo_copy where account_id = $1 and change_id = any($2)", account_id, changes)
            .execute(self.connection())
            .await?;
        sqlx::query!(
            "delete from trades.deleted_source_key where account_id = $1 and change_id = any($2)",
            account_id,
            changes
        )
        .execute(self.connection())
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
        .execute(self.connection())
        .await?;
        sqlx::query!(
            "
            update trades.change
            set undone_at = now(), has_undo_copies = false,
                version = (select version + 1 from trades.account where account_id = $1)
            where account_id = $1 and change_id = any($2)
            ",
            account_id,
            changes
        )
        .execute(self.connection())
        .await?;
        Ok(())
    }
}
