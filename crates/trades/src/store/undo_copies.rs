//! Copies of replaced and removed trades, kept for the undo of the change.

use super::columns::to_row_count;
use super::write::AccountWrite;
use crate::error::Error;
use crate::trade::Book;

/// Copies trades to `trades.undo_copy` before a change. The macro takes the filter as SQL text, then its parameters
/// from the third on.
macro_rules! copy_trades {
    ($write:expr, $change_id:expr, $filter:tt, $($arg:expr),+) => {
        sqlx::query!(
            "
            insert into trades.undo_copy (
                account_id, change_id, trade_id, broker_account, segment, side, symbol, isin, quantity, price, value,
                executed_at, time_precision, exchange, order_id, source_key, stock_name, notes, psychology,
                market_outlook, pair_id, edited, underlying, expiry, contract_kind, strike, stop_loss, series, auction
            )
            select account_id, $2, trade_id, broker_account, segment, side, symbol, isin, quantity, price, value,
                   executed_at, time_precision, exchange, order_id, source_key, stock_name, notes, psychology,
                   market_outlook, pair_id, edited, underlying, expiry, contract_kind, strike, stop_loss, series, auction
            from trades.trade
            where account_id = $1 and " + $filter,
            $write.account_id,
            $change_id,
            $($arg),+
        )
    };
}

impl AccountWrite {
    /// Copies the trades with these numbers for the undo of the next change.
    pub async fn save_for_undo(&mut self, trade_ids: &[i64]) -> Result<(), Error> {
        copy_trades!(self, self.next_change_id, "trade_id = any($3)", trade_ids).execute(self.connection()).await?;
        Ok(())
    }

    /// Removes all trades of `book`, keeping copies for the undo of the next change; returns their number.
    pub async fn remove_all_trades(&mut self, book: Book) -> Result<i64, Error> {
        let (broker_account, segment) = (&book.broker_account.key(), book.segment.name());
        copy_trades!(self, self.next_change_id, "broker_account = $3 and segment = $4", broker_account, segment)
            .execute(self.connection())
            .await?;
        let account_id = self.account_id;
        let removed = sqlx::query!(
            "delete from trades.trade where account_id = $1 and broker_account = $2 and segment = $3",
            account_id,
            broker_account,
            segment,
        )
        .execute(self.connection())
        .await?;
        Ok(to_row_count(removed.rows_affected()))
    }
}
