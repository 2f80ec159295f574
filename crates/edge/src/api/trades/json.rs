//! JSON of books, changes and edited trades.

use rpc::trades::v1::{Book, BookSummary, Change};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::json::{JsonError, enum_name, to_hex};
use crate::timestamps::{format_optional_timestamp, format_required_timestamp};

/// Book with its number of trades.
#[derive(Serialize)]
pub(crate) struct BookJson {
    #[serde(flatten)]
    book: Book,
    trades: i64,
}

impl TryFrom<BookSummary> for BookJson {
    type Error = JsonError;

    fn try_from(summary: BookSummary) -> Result<Self, JsonError> {
        let book = summary.book.unwrap_or_default();
        Ok(Self { book, trades: summary.trades })
    }
}

/// Page of changes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangesPageJson {
    pub changes: Vec<ChangeJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Change to a book.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeJson {
    id: String,
    #[serde(flatten)]
    book: Book,
    kind: &'static str,
    made_at: String,
    added: i64,
    removed: i64,
    #[serde(skip_serializing_if = "String::is_empty")]
    symbol: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    import: Option<ImportJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undone_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo_until: Option<String>,
    newer: i64,
}

/// Import of a file that made a change.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ImportJson {
    id: String,
    file_name: String,
    sha256: String,
    format: String,
    duplicates: i64,
    conflicts: i64,
    corrected: i64,
    warnings: i64,
    rejected: Option<i64>,
    rows: Option<i64>,
    duration_ms: Option<i64>,
    from: Option<String>,
    to: Option<String>,
}

impl TryFrom<Change> for ChangeJson {
    type Error = JsonError;

    fn try_from(change: Change) -> Result<Self, JsonError> {
        let kind = enum_name(change.kind())?;
        let book = change.book.unwrap_or_default();
        let import = change.import.filter(|_| kind == "import").map(|import| {
            Ok::<_, JsonError>(ImportJson {
                id: import.import_id.to_string(),
                file_name: import.file_name,
                sha256: to_hex(&import.file_sha256),
                format: import.format,
                duplicates: import.duplicates,
                conflicts: import.conflicts,
                corrected: import.corrected,
                warnings: import.warnings,
                rejected: import.errors,
                rows: import.rows,
                duration_ms: import.duration_ms,
                from: format_optional_timestamp(import.first_executed_at.as_ref())?,
                to: format_optional_timestamp(import.last_executed_at.as_ref())?,
            })
        });
        Ok(Self {
            id: change.id.to_string(),
            book,
            kind,
            made_at: format_required_timestamp(change.made_at.as_ref())?,
            added: change.added,
            removed: change.removed,
            symbol: change.symbol,
            import: import.transpose()?,
            undone_at: format_optional_timestamp(change.undone_at.as_ref())?,
            undo_until: format_optional_timestamp(change.undo_until.as_ref())?,
            newer: change.newer_changes,
        })
    }
}

/// Response to the edit of a trade.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditedTradeJson {
    pub trade: Box<RawValue>,
    /// `None` if the edit changed nothing.
    pub change_id: Option<String>,
}
