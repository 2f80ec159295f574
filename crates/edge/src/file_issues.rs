//! JSON of the issues of a file: rejected rows (errors) and warnings.

use rpc::imports::v1::Problem as ImportIssue;
use rpc::trades::v1::Finding as FileIssue;
use serde::Serialize;

/// Rejected row of a file.
#[derive(Debug, Serialize)]
pub(crate) struct RejectedJson {
    row: i64,
    column: String,
    value: String,
    code: String,
    message: String,
    sheet: String,
}

/// Warning about a file.
#[derive(Debug, Serialize)]
pub(crate) struct WarningJson {
    /// `None` if the warning is not about a single row.
    row: Option<i64>,
    column: String,
    value: String,
    code: String,
    message: String,
    sheet: String,
}

impl From<FileIssue> for RejectedJson {
    fn from(issue: FileIssue) -> Self {
        let FileIssue { row, column, value, code, message, sheet } = issue;
        Self { row, column, value, code, message, sheet }
    }
}

impl From<FileIssue> for WarningJson {
    fn from(issue: FileIssue) -> Self {
        let FileIssue { row, column, value, code, message, sheet } = issue;
        Self { row: optional_row(row), column, value, code, message, sheet }
    }
}

/// Converts row number 0, which means no row, to `None`.
pub(crate) fn optional_row(row: i64) -> Option<i64> {
    Some(row).filter(|row| *row > 0)
}

/// Converts an issue from the message of the import service to that of the trades service.
pub(crate) fn to_file_issue(issue: ImportIssue) -> FileIssue {
    let ImportIssue { row, column, value, code, message, sheet } = issue;
    FileIssue { row, column, value, code, message, sheet }
}

/// Converts issues to JSON.
pub(crate) fn to_issues<J: From<FileIssue>>(issues: Vec<FileIssue>) -> Vec<J> {
    issues.into_iter().map(J::from).collect()
}
