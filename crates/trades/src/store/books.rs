//! What is known of books and symbols without reading trades.

use uuid::Uuid;

use super::{Store, book_of};
use crate::error::Error;
use crate::trade::Book;

/// A book and how many trades it holds.
pub struct BookSummary {
    pub book: Book,
    pub trades: i64,
}

impl Store {
    /// The books that the account ever wrote to.
    pub async fn books(&self, account_id: Uuid) -> Result<Vec<BookSummary>, Error> {
        let rows = sqlx::query!(
            "select broker, segment, trade_count from trades.book where account_id = $1 order by broker, segment",
            account_id
        )
        .fetch_all(self.requests())
        .await?;
        rows.into_iter()
            .map(|row| Ok(BookSummary { book: book_of(&row.broker, &row.segment)?, trades: row.trade_count }))
            .collect()
    }

    /// Up to `limit` symbols that hold `text` in any case, those that begin with it first.
    pub async fn symbols(&self, account_id: Uuid, text: &str, limit: i64) -> Result<Vec<String>, Error> {
        let symbols = sqlx::query_scalar!(
            "
            select symbol from trades.symbol
            where account_id = $1 and strpos(upper(symbol), upper($2)) > 0
            order by starts_with(upper(symbol), upper($2)) desc, symbol
            limit $3
            ",
            account_id,
            text,
            limit,
        )
        .fetch_all(self.requests())
        .await?;
        Ok(symbols)
    }

    /// The ISINs of the symbols of a book, up to `limit` pairs.
    pub async fn isins(&self, account_id: Uuid, book: Book, limit: i64) -> Result<Vec<(String, String)>, Error> {
        let rows = sqlx::query!(
            r#"
            select distinct symbol, isin as "isin!" from trades.trade
            where account_id = $1 and broker = $2 and segment = $3 and isin is not null
            order by symbol, isin
            limit $4
            "#,
            account_id,
            book.broker.name(),
            book.segment.name(),
            limit,
        )
        .fetch_all(self.requests())
        .await?;
        Ok(rows.into_iter().map(|row| (row.symbol, row.isin)).collect())
    }
}
