//! JSON of the issues of a file: rejected rows (errors) and warnings.

use rpc::imports::v1::Problem as ImportIssue;
use rpc::trades::v1::Finding;
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
    /// `None` if it is not about a single row.
    row: Option<i64>,
    column: String,
    value: String,
    code: String,
    message: String,
    sheet: String,
}

impl From<Finding> for RejectedJson {
    fn from(finding: Finding) -> Self {
        let Finding { row, column, value, code, message, sheet } = finding;
        Self { row, column, value, code, message, sheet }
    }
}

impl From<Finding> for WarningJson {
    fn from(finding: Finding) -> Self {
        let Finding { row, column, value, code, message, sheet } = finding;
        Self { row: known_row(row), column, value, code, message, sheet }
    }
}

/// Returns the number of a row if it is known.
pub(crate) fn known_row(row: i64) -> Option<i64> {
    Some(row).filter(|row| *row > 0)
}

/// Converts an issue of the import service to that of the trades service.
pub(crate) fn to_finding(issue: ImportIssue) -> Finding {
    let ImportIssue { row, column, value, code, message, sheet } = issue;
    Finding { row, column, value, code, message, sheet }
}

/// Converts a list of issues.
pub(crate) fn to_issues<F: From<Finding>>(findings: Vec<Finding>) -> Vec<F> {
    findings.into_iter().map(F::from).collect()
}
