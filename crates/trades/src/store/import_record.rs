//! Record of an import in the history, and its outcome.

use std::time::Instant;

use time::OffsetDateTime;

use super::broker_accounts::FileOwner;
use super::log_head::{LogHead, fetch_log_head};
use super::uncovered_sales::{NewTrades, UncoveredSales};
use super::write::AccountWrite;
use crate::error::Error;
use crate::trade::Book;

/// Imported file.
pub struct ImportRecord {
    pub file_name: String,
    pub file_sha256: Vec<u8>,
    pub format: String,
    /// Counts of the file's parser; absent if it states none.
    pub file_counts: Option<FileCounts>,
    pub owner: FileOwner,
}

/// Counts of a file's parser.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileCounts {
    /// Rows that are not blank.
    pub rows: i64,
    /// Rows that could not be imported.
    pub errors: i64,
    pub warnings: i64,
}

/// Counts of an import, as recorded in the history.
pub(super) struct ImportCounts {
    pub added: i64,
    pub duplicates: i64,
    pub conflicts: i64,
    pub corrected: i64,
    pub warnings: i64,
    pub duration_ms: i64,
    pub first_executed_at: Option<OffsetDateTime>,
    pub last_executed_at: Option<OffsetDateTime>,
}

/// Outcome of an import.
#[derive(Debug)]
pub struct ImportOutcome {
    pub book: Book,
    pub import_id: i64,
    pub change_id: i64,
    pub added: i64,
    pub duplicates: i64,
    /// Number of trades that differ from the broker's earlier version and were left unchanged.
    pub conflicts: i64,
    /// Number of trades that were replaced by the broker's new version.
    pub corrected: i64,
    pub uncovered_sales: UncoveredSales,
    pub first_executed_at: Option<OffsetDateTime>,
    pub last_executed_at: Option<OffsetDateTime>,
    pub head: LogHead,
    /// The import was made by an earlier request with the same idempotency key, or by an earlier commit.
    pub replayed: bool,
}

impl AccountWrite {
    /// Records an import and returns its number.
    pub(super) async fn record_import(
        &mut self,
        book: Book,
        record: &ImportRecord,
        counts: &ImportCounts,
    ) -> Result<i64, Error> {
        let import_id = self.next_import_id;
        self.next_import_id += 1;
        sqlx::query!(
            "
            insert into trades.import (
                account_id, import_id, broker_account, segment, format, file_name, file_sha256, added, duplicates, conflicts,
                corrected, warnings, rows, errors, duration_ms, first_executed_at, last_executed_at
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            ",
            self.account_id,
            import_id,
            &book.broker_account.key(),
            book.segment.name(),
            record.format,
            record.file_name,
            record.file_sha256,
            counts.added,
            counts.duplicates,
            counts.conflicts,
            counts.corrected,
            counts.warnings,
            record.file_counts.map(|counts| counts.rows),
            record.file_counts.map(|counts| counts.errors),
            counts.duration_ms,
            counts.first_executed_at,
            counts.last_executed_at,
        )
        .execute(self.connection())
        .await?;
        Ok(import_id)
    }

    /// Returns the symbol of the trades from `first_trade_id` on and of those `corrected`, if they have only one.
    pub(super) async fn find_common_symbol(
        &mut self,
        first_trade_id: i64,
        corrected: &[i64],
    ) -> Result<Option<String>, Error> {
        let account_id = self.account_id;
        let symbol = sqlx::query_scalar!(
            "
            select min(symbol) from (
                select symbol from trades.trade where account_id = $1 and trade_id >= $2
                union all
                select symbol from trades.trade where account_id = $1 and trade_id = any($3)
            ) changed
            having min(symbol) = max(symbol)
            ",
            account_id,
            first_trade_id,
            corrected,
        )
        .fetch_optional(self.connection())
        .await?;
        Ok(symbol.flatten())
    }

    /// Returns the outcome of the import that made a change.
    ///
    /// # Errors
    /// [`Error::ChangeUndone`] if the change was undone.
    pub(super) async fn load_import_outcome(&mut self, book: Book, change_id: i64) -> Result<ImportOutcome, Error> {
        let account_id = self.account_id;
        let row = sqlx::query!(
            r#"
            select i.import_id, i.added, i.duplicates, i.conflicts, i.corrected, i.first_executed_at,
                   i.last_executed_at, coalesce(lower(c.added), 0) as "from!", coalesce(upper(c.added), 0) as "to!",
                   c.undone_at is not null as "undone!"
            from trades.change c join trades.import i on i.account_id = c.account_id and i.import_id = c.import_id
            where c.account_id = $1 and c.change_id = $2
            "#,
            account_id,
            change_id,
        )
        .fetch_one(self.connection())
        .await?;
        if row.undone {
            return Err(Error::ChangeUndone);
        }
        let uncovered_sales =
            UncoveredSales::find(self.connection(), account_id, book, NewTrades::Ids { from: row.from, to: row.to })
                .await?;
        Ok(ImportOutcome {
            book,
            import_id: row.import_id,
            change_id,
            added: row.added,
            duplicates: row.duplicates,
            conflicts: row.conflicts,
            corrected: row.corrected,
            uncovered_sales,
            first_executed_at: row.first_executed_at,
            last_executed_at: row.last_executed_at,
            head: fetch_log_head(self.connection(), account_id).await?,
            replayed: true,
        })
    }
}

/// Returns the milliseconds since `started`.
pub(super) fn elapsed_millis(started: Instant) -> i64 {
    i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX)
}
