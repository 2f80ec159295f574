//! What is noted of an import, and answered.

use std::time::Instant;

use time::OffsetDateTime;

use super::sales::{New, UncoveredSales};
use super::write::Write;
use super::{Head, head};
use crate::error::Error;
use crate::trade::Book;

/// What is kept of an import beside its trades.
pub struct ImportRecord {
    pub file_name: String,
    pub file_sha256: Vec<u8>,
    pub format: String,
    /// What was read beside the trades; absent where nobody says.
    pub read: Option<ReadCounts>,
}

/// What the reader of a file counted beside its trades.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadCounts {
    pub rows: i64,
    pub problems: i64,
    pub warnings: i64,
}

/// What an import came to, as the history tells it.
pub(super) struct Counted {
    pub added: i64,
    pub duplicates: i64,
    pub conflicts: i64,
    pub corrected: i64,
    pub warnings: i64,
    pub duration_ms: i64,
    pub first_executed_at: Option<OffsetDateTime>,
    pub last_executed_at: Option<OffsetDateTime>,
}

/// What an import did.
#[derive(Debug)]
pub struct Imported {
    pub import_id: i64,
    pub change_id: i64,
    pub added: i64,
    pub duplicates: i64,
    /// Trades that the broker told otherwise than before: left as they are, and changed to that.
    pub conflicts: i64,
    pub corrected: i64,
    pub sales: UncoveredSales,
    pub first_executed_at: Option<OffsetDateTime>,
    pub last_executed_at: Option<OffsetDateTime>,
    pub head: Head,
    /// It was done before, by a request of the same key.
    pub replayed: bool,
}

impl Write {
    /// Notes an import and says its number.
    pub(super) async fn record_import(
        &mut self,
        book: Book,
        record: &ImportRecord,
        counted: &Counted,
    ) -> Result<i64, Error> {
        let import_id = self.next_import_id;
        self.next_import_id += 1;
        sqlx::query!(
            "
            insert into trades.import (
                account_id, import_id, broker, segment, format, file_name, file_sha256, added, duplicates, conflicts,
                corrected, warnings, rows, problems, duration_ms, first_executed_at, last_executed_at
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            ",
            self.account_id,
            import_id,
            book.broker.name(),
            book.segment.name(),
            record.format,
            record.file_name,
            record.file_sha256,
            counted.added,
            counted.duplicates,
            counted.conflicts,
            counted.corrected,
            counted.warnings,
            record.read.map(|read| read.rows),
            record.read.map(|read| read.problems),
            counted.duration_ms,
            counted.first_executed_at,
            counted.last_executed_at,
        )
        .execute(self.on())
        .await?;
        Ok(import_id)
    }

    /// The symbol of the trades from that number on and of those `corrected`, if it is one.
    pub(super) async fn only_symbol(
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
            ) touched
            having min(symbol) = max(symbol)
            ",
            account_id,
            first_trade_id,
            corrected,
        )
        .fetch_optional(self.on())
        .await?;
        Ok(symbol.flatten())
    }

    /// What came of the import that made that change, if it still stands.
    pub(super) async fn imported_by(&mut self, book: Book, change_id: i64) -> Result<Imported, Error> {
        let account_id = self.account_id;
        let then = sqlx::query!(
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
        .fetch_one(self.on())
        .await?;
        if then.undone {
            return Err(Error::ChangeUndone);
        }
        let sales = UncoveredSales::of(self.on(), account_id, book, New::Numbered(then.from, then.to)).await?;
        Ok(Imported {
            import_id: then.import_id,
            change_id,
            added: then.added,
            duplicates: then.duplicates,
            conflicts: then.conflicts,
            corrected: then.corrected,
            sales,
            first_executed_at: then.first_executed_at,
            last_executed_at: then.last_executed_at,
            head: head(self.on(), account_id).await?,
            replayed: true,
        })
    }
}

/// Milliseconds since `started`.
pub(super) fn millis(started: Instant) -> i64 {
    i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX)
}
