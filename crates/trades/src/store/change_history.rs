//! History of changes of the books.

use time::OffsetDateTime;
use uuid::Uuid;

use super::columns::{parse_book, parse_name};
use super::connections::Store;
use super::write::ChangeKind;
use crate::error::Error;
use crate::trade::Book;

/// Change of a book.
pub struct Change {
    pub change_id: i64,
    pub book: Book,
    pub kind: ChangeKind,
    pub made_at: OffsetDateTime,
    /// Number of trades added.
    pub added: i64,
    /// Number of trades removed or replaced.
    pub removed: i64,
    /// Symbol of all trades of the change, if they have only one.
    pub symbol: Option<String>,
    pub import: Option<ImportSummary>,
    pub undone_at: Option<OffsetDateTime>,
    /// End of the period in which the change can be undone; absent if it cannot be undone.
    pub undo_until: Option<OffsetDateTime>,
    /// Number of newer changes of the book that are not undone.
    pub newer_changes: i64,
}

/// Imported file of a change.
pub struct ImportSummary {
    pub import_id: i64,
    pub file_name: String,
    pub file_sha256: Vec<u8>,
    pub format: String,
    pub duplicates: i64,
    pub first_executed_at: Option<OffsetDateTime>,
    pub last_executed_at: Option<OffsetDateTime>,
    pub rows: Option<i64>,
    pub errors: Option<i64>,
    pub warnings: i64,
    pub conflicts: i64,
    pub corrected: i64,
    pub duration_ms: Option<i64>,
}

struct Row {
    change_id: i64,
    broker_account: String,
    segment: String,
    kind: String,
    made_at: OffsetDateTime,
    added_count: i64,
    removed_or_replaced_count: i64,
    symbol: Option<String>,
    undone_at: Option<OffsetDateTime>,
    undo_until: Option<OffsetDateTime>,
    newer: i64,
    import_id: Option<i64>,
    file_name: Option<String>,
    file_sha256: Option<Vec<u8>>,
    format: Option<String>,
    duplicates: Option<i64>,
    first_executed_at: Option<OffsetDateTime>,
    last_executed_at: Option<OffsetDateTime>,
    rows: Option<i64>,
    errors: Option<i64>,
    warnings: Option<i64>,
    conflicts: Option<i64>,
    corrected: Option<i64>,
    duration_ms: Option<i64>,
}

impl Store {
    /// Returns up to `limit` changes with a number below `before`, newest first.
    pub async fn list_changes(
        &self,
        account_id: Uuid,
        book: Option<Book>,
        before: i64,
        limit: i64,
    ) -> Result<Vec<Change>, Error> {
        let rows = sqlx::query_as!(
            Row,
            r#"
            with page as (
                select change_id, broker_account, segment, kind, made_at, added_count, removed_or_replaced_count, symbol,
                       undone_at, has_undo_copies, import_id
                from trades.change
                where account_id = $1 and change_id < $4
                  and ($2::text is null or broker_account = $2) and ($3::text is null or segment = $3)
                order by change_id desc
                limit $5
            ),
            rank as (
                select change_id, count(*) filter (where undone_at is null) over (
                    partition by broker_account, segment order by change_id desc
                    rows between unbounded preceding and 1 preceding
                ) as newer
                from trades.change
                where account_id = $1 and change_id >= (select min(change_id) from page)
                  and ($2::text is null or broker_account = $2) and ($3::text is null or segment = $3)
            )
            select page.change_id as "change_id!", page.broker_account as "broker_account!", page.segment as "segment!",
                   page.kind as "kind!", page.made_at as "made_at!", page.added_count as "added_count!",
                   page.removed_or_replaced_count as "removed_or_replaced_count!", page.symbol, page.undone_at,
                   case when page.undone_at is null and (page.has_undo_copies or page.removed_or_replaced_count = 0)
                             and page.made_at > now() - interval '30 days'
                        then page.made_at + interval '30 days' end as undo_until,
                   rank.newer as "newer!",
                   i.import_id as "import_id?", i.file_name as "file_name?", i.file_sha256 as "file_sha256?",
                   i.format as "format?", i.duplicates as "duplicates?",
                   i.first_executed_at, i.last_executed_at, i.rows, i.errors, i.warnings as "warnings?",
                   i.conflicts as "conflicts?", i.corrected as "corrected?", i.duration_ms
            from page
            join rank using (change_id)
            left join trades.import i on i.account_id = $1 and i.import_id = page.import_id
            order by page.change_id desc
            "#,
            account_id,
            book.map(|book| book.broker_account.key()),
            book.map(|book| book.segment.name()),
            before,
            limit,
        )
        .fetch_all(self.requests())
        .await?;
        rows.into_iter().map(Row::parse).collect()
    }
}

impl Row {
    fn parse(self) -> Result<Change, Error> {
        Ok(Change {
            change_id: self.change_id,
            book: parse_book(&self.broker_account, &self.segment)?,
            kind: parse_name(&self.kind, ChangeKind::from_name)?,
            made_at: self.made_at,
            added: self.added_count,
            removed: self.removed_or_replaced_count,
            symbol: self.symbol,
            import: self.import_id.map(|import_id| ImportSummary {
                import_id,
                file_name: self.file_name.unwrap_or_default(),
                file_sha256: self.file_sha256.unwrap_or_default(),
                format: self.format.unwrap_or_default(),
                duplicates: self.duplicates.unwrap_or_default(),
                first_executed_at: self.first_executed_at,
                last_executed_at: self.last_executed_at,
                rows: self.rows,
                errors: self.errors,
                warnings: self.warnings.unwrap_or_default(),
                conflicts: self.conflicts.unwrap_or_default(),
                corrected: self.corrected.unwrap_or_default(),
                duration_ms: self.duration_ms,
            }),
            undone_at: self.undone_at,
            undo_until: self.undo_until,
            newer_changes: self.newer,
        })
    }
}
