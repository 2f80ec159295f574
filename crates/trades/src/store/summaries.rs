//! Summaries: books, symbols and ISINs.

use uuid::Uuid;

use super::columns::parse_book;
use super::connections::Store;
use crate::error::Error;
use crate::trade::Book;

/// Book with its number of trades.
pub struct BookSummary {
    pub book: Book,
    pub trade_count: i64,
}

impl Store {
    /// Returns every book that the account has ever written to.
    pub async fn list_books(&self, account_id: Uuid) -> Result<Vec<BookSummary>, Error> {
        let rows = sqlx::query!(
            "select broker_account, segment, trade_count from trades.book where account_id = $1 order by broker_account, segment",
            account_id
        )
        .fetch_all(self.requests())
        .await?;
        rows.into_iter()
            .map(|row| {
                Ok(BookSummary { book: parse_book(&row.broker_account, &row.segment)?, trade_count: row.trade_count })
            })
            .collect()
    }

    /// Returns up to `limit` symbols that contain `text`, ignoring case; those that begin with it come first.
    pub async fn list_symbols(&self, account_id: Uuid, text: &str, limit: i64) -> Result<Vec<String>, Error> {
        let matching = sqlx::query_scalar!(
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
        Ok(matching)
    }

    /// Returns up to `limit` pairs of symbol and ISIN of a book.
    pub async fn list_isins(&self, account_id: Uuid, book: Book, limit: i64) -> Result<Vec<(String, String)>, Error> {
        let rows = sqlx::query!(
            r#"
            select distinct symbol, isin as "isin!" from trades.trade
            where account_id = $1 and broker_account = $2 and segment = $3 and isin is not null
            order by symbol, isin
            limit $4
            "#,
            account_id,
            &book.broker_account.key(),
            book.segment.name(),
            limit,
        )
        .fetch_all(self.requests())
        .await?;
        Ok(rows.into_iter().map(|row| (row.symbol, row.isin)).collect())
    }
}
