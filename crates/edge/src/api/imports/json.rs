//! JSON of imports and of inspected files.

use http_server::problem::Problem;
use rpc::imports::v1::{ImportFileResponse, InspectFileResponse};
use rpc::trades::v1::{Book, CommittedPreview, Contract, FileIssues, ImportedTrade, TradesHead};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::file_issues::{RejectedJson, WarningJson, format_title, from_file_issue, to_issues};
use crate::json::{JsonError, enum_name, raw_decimal};
use crate::timestamps::format_optional_timestamp;

/// Returns the report of an inspected file as JSON, or `None` if the report is invalid.
pub fn file_report_json(report: InspectFileResponse) -> Option<String> {
    FileReportJson::try_from(report).ok().and_then(|report| serde_json::to_string(&report).ok())
}

/// Report of an import.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportJson {
    id: String,
    change_id: String,
    file_name: String,
    format: String,
    format_title: String,
    #[serde(flatten)]
    book: Book,
    rows: i64,
    skipped: i64,
    added: i64,
    duplicates: i64,
    conflict_total: i64,
    corrected: i64,
    rejected: Vec<RejectedJson>,
    rejected_total: i64,
    warnings: Vec<WarningJson>,
    warning_total: i64,
    from: Option<String>,
    to: Option<String>,
}

/// Converts the response to the import of a file to that of a preview, because both have the same JSON.
pub(crate) fn to_committed_preview(response: ImportFileResponse, file_name: String) -> CommittedPreview {
    let issues = FileIssues {
        rows: response.rows,
        skipped_rows: response.skipped,
        errors: response.errors.into_iter().map(from_file_issue).collect(),
        error_count: response.error_count,
        warnings: response.warnings.into_iter().map(from_file_issue).collect(),
        warning_count: response.warning_count,
        // Doubtful rows are reported by previews only.
        ..FileIssues::default()
    };
    CommittedPreview {
        result: response.result,
        book: response.book,
        file_name,
        format: response.format,
        issues: Some(issues),
    }
}

impl ImportJson {
    /// Returns the report, and the head of the trade log after the import.
    pub fn from_committed_preview(committed: CommittedPreview) -> Result<(Self, TradesHead), Problem> {
        let (Some(result), Some(book)) = (committed.result, committed.book) else {
            tracing::error!("the core sent an import without a result or a book");
            return Err(Problem::internal());
        };
        let issues = committed.issues.unwrap_or_default();
        let import = Self {
            id: result.import_id.to_string(),
            change_id: result.change_id.to_string(),
            file_name: committed.file_name,
            format_title: format_title(&committed.format),
            format: committed.format,
            book,
            rows: issues.rows,
            skipped: issues.skipped_rows,
            added: result.added,
            duplicates: result.duplicates,
            conflict_total: result.conflicts,
            corrected: result.corrected,
            rejected: to_issues(issues.errors),
            rejected_total: issues.error_count,
            warnings: to_issues([issues.warnings, result.warnings].concat()),
            warning_total: issues.warning_count + result.warning_count,
            from: format_optional_timestamp(result.first_executed_at.as_ref())?,
            to: format_optional_timestamp(result.last_executed_at.as_ref())?,
        };
        Ok((import, result.head.unwrap_or_default()))
    }
}

/// Report of an inspected file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileReportJson {
    format: String,
    format_title: String,
    #[serde(flatten)]
    book: Book,
    rows: i64,
    skipped: i64,
    trades: i64,
    sample: Vec<FileTradeJson>,
    rejected: Vec<RejectedJson>,
    rejected_total: i64,
    warnings: Vec<WarningJson>,
    warning_total: i64,
    from: Option<String>,
    to: Option<String>,
}

/// Trade of a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileTradeJson {
    r#type: &'static str,
    symbol: String,
    quantity: Box<RawValue>,
    price: Box<RawValue>,
    timestamp: Option<String>,
    time_precision: &'static str,
    exchange: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<Contract>,
}

impl TryFrom<InspectFileResponse> for FileReportJson {
    type Error = JsonError;

    fn try_from(report: InspectFileResponse) -> Result<Self, JsonError> {
        let book = report.book.ok_or(JsonError::MissingBook)?;
        Ok(Self {
            format_title: format_title(&report.format),
            format: report.format,
            book,
            rows: report.rows,
            skipped: report.skipped,
            trades: report.trades,
            sample: report.sample.into_iter().map(FileTradeJson::try_from).collect::<Result<_, JsonError>>()?,
            rejected: report.errors.into_iter().map(|row| from_file_issue(row).into()).collect(),
            rejected_total: report.error_count,
            warnings: report.warnings.into_iter().map(|row| from_file_issue(row).into()).collect(),
            warning_total: report.warning_count,
            from: format_optional_timestamp(report.first_executed_at.as_ref())?,
            to: format_optional_timestamp(report.last_executed_at.as_ref())?,
        })
    }
}

impl TryFrom<ImportedTrade> for FileTradeJson {
    type Error = JsonError;

    fn try_from(trade: ImportedTrade) -> Result<Self, JsonError> {
        Ok(Self {
            r#type: enum_name(trade.side())?,
            time_precision: enum_name(trade.time_precision())?,
            exchange: enum_name(trade.exchange())?,
            timestamp: format_optional_timestamp(trade.executed_at.as_ref())?,
            quantity: raw_decimal(trade.quantity)?,
            price: raw_decimal(trade.price)?,
            contract: trade.contract,
            symbol: trade.symbol,
        })
    }
}
