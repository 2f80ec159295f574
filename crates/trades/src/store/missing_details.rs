//! Series and ISINs of trades that the book contains without them, from a later import of the same trades. They are
//! facts of the broker, not decisions of the trader: undoing that import keeps them.

use uuid::Uuid;

use super::columns::to_row_count;
use super::preview::compare_query;
use super::write::AccountWrite;
use crate::error::Error;
use crate::trade::{Book, Trade};

impl AccountWrite {
    /// Fills the series and the ISIN of these trades of the log, given by number, where they have none.
    pub(super) async fn fill_details(&mut self, trades: &[(i64, &Trade)]) -> Result<i64, Error> {
        if trades.is_empty() {
            return Ok(0);
        }
        let account_id = self.account_id;
        let (ids, trades): (Vec<i64>, Vec<&Trade>) = trades.iter().copied().unzip();
        let isins: Vec<_> = trades.iter().map(|trade| trade.isin.as_deref()).collect();
        let series: Vec<_> = trades.iter().map(|trade| trade.series.as_deref()).collect();
        let auctions: Vec<_> = trades.iter().map(|trade| trade.auction).collect();
        let filled = sqlx::query!(
            "
            update trades.trade t
            set isin = coalesce(t.isin, f.isin), series = coalesce(t.series, f.series), auction = t.auction or f.auction
            from unnest($2::bigint[], $3::text[], $4::text[], $5::boolean[]) as f (trade_id, isin, series, auction)
            where t.account_id = $1 and t.trade_id = f.trade_id
            ",
            account_id,
            &ids,
            &isins as &[Option<&str>],
            &series as &[Option<&str>],
            &auctions,
        )
        .execute(self.connection())
        .await?;
        Ok(to_row_count(filled.rows_affected()))
    }

    /// Fills the series and the ISIN of trades of the book from those of a preview, where they have none.
    pub(super) async fn fill_previewed_details(&mut self, preview_id: Uuid, book: Book) -> Result<i64, Error> {
        let account_id = self.account_id;
        let filled = compare_query!(
            account_id,
            preview_id,
            book,
            "
            update trades.trade t
            set isin = coalesce(t.isin, c.isin), series = coalesce(t.series, c.series), auction = t.auction or c.auction
            from compared c
            where t.account_id = $1 and t.trade_id = c.trade_id and t.symbol = c.symbol and t.exchange = c.exchange
              and (t.isin is null and c.isin is not null or t.series is null and c.series is not null)
        "
        )
        .execute(self.connection())
        .await?;
        Ok(to_row_count(filled.rows_affected()))
    }
}
