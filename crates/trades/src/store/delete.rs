//! Deletion of trades.

use uuid::Uuid;

use super::columns::{null_if_empty, to_row_count};
use super::connections::Store;
use super::log_head::LogHead;
use super::log_reader::fetch_trade;
use super::logged_trade::LoggedTrade;
use super::write::{AccountWrite, ChangeKind, NewChange, WriteKind};
use crate::error::Error;

/// Outcome of a deletion.
pub struct DeleteOutcome {
    pub head: LogHead,
    pub change_id: i64,
    /// Number of deleted trades.
    pub deleted: i64,
}

impl Store {
    /// Deletes a trade; with `pair`, also the other leg of its entry.
    pub async fn delete_trade(&self, account_id: Uuid, trade_id: i64, pair: bool) -> Result<DeleteOutcome, Error> {
        let mut write = self.begin_write(account_id, WriteKind::Short, false).await?;
        let trade = fetch_trade(write.connection(), account_id, trade_id).await?.ok_or(Error::TradeNotFound)?;
        let legs_to_delete = match &trade.pair_id {
            Some(pair_id) if pair => write.find_legs(&trade, pair_id).await?,
            Some(_) | None => vec![(trade_id, trade.symbol.clone())],
        };
        let trade_ids: Vec<i64> = legs_to_delete.iter().map(|(trade_id, _)| *trade_id).collect();
        write.save_for_undo(&trade_ids).await?;
        write.mark_as_deleted(&trade_ids).await?;
        let deleted = write.delete_trades(&trade_ids).await?;
        let no_trade_ids = write.next_trade_id..write.next_trade_id;
        let change = NewChange {
            kind: ChangeKind::Delete,
            added: no_trade_ids,
            removed: deleted,
            filled: 0,
            symbol: null_if_empty(&trade.symbol).filter(|one| legs_to_delete.iter().all(|(_, symbol)| symbol == one)),
            pair_id: None,
            import_id: None,
        };
        let change_id = write.record_change(trade.book, change).await?;
        let head = write.commit(trade.book, -deleted, true).await?;
        Ok(DeleteOutcome { head, change_id, deleted })
    }
}

impl AccountWrite {
    /// Returns the trades of the book with this pair id, with their symbols.
    async fn find_legs(&mut self, trade: &LoggedTrade, pair_id: &str) -> Result<Vec<(i64, String)>, Error> {
        let account_id = self.account_id;
        let rows = sqlx::query!(
            "
            select trade_id, symbol from trades.trade
            where account_id = $1 and broker_account = $2 and segment = $3 and pair_id = $4
            ",
            account_id,
            &trade.book.broker_account.key(),
            trade.book.segment.name(),
            pair_id,
        )
        .fetch_all(self.connection())
        .await?;
        Ok(rows.into_iter().map(|row| (row.trade_id, row.symbol)).collect())
    }

    /// Marks imported trades as deleted, so that the next file does not add them again.
    async fn mark_as_deleted(&mut self, trade_ids: &[i64]) -> Result<(), Error> {
        let (account_id, change_id) = (self.account_id, self.next_change_id);
        sqlx::query!(
            "
            insert into trades.deleted_source_key (account_id, source_key, broker_account, segment, change_id)
            select account_id, source_key, broker_account, segment, $3
            from trades.trade
            where account_id = $1 and trade_id = any($2) and source_key is not null
            ",
            account_id,
            trade_ids,
            change_id,
        )
        .execute(self.connection())
        .await?;
        Ok(())
    }

    async fn delete_trades(&mut self, trade_ids: &[i64]) -> Result<i64, Error> {
        let account_id = self.account_id;
        let deleted = sqlx::query!(
            "delete from trades.trade where account_id = $1 and trade_id = any($2)",
            account_id,
            trade_ids
        )
        .execute(self.connection())
        .await?;
        Ok(to_row_count(deleted.rows_affected()))
    }
}
