//! What was found in a file beside its trades, as JSON.

use rpc::imports::v1::Problem as Row;
use rpc::trades::v1::Finding;
use serde::Serialize;

/// A row that was left out.
#[derive(Debug, Serialize)]
pub(crate) struct Rejected {
    row: i64,
    column: String,
    value: String,
    code: String,
    message: String,
    sheet: String,
}

/// What to look at.
#[derive(Debug, Serialize)]
pub(crate) struct Warning {
    /// Absent where it is about no single row.
    row: Option<i64>,
    column: String,
    value: String,
    code: String,
    message: String,
    sheet: String,
}

impl From<Finding> for Rejected {
    fn from(finding: Finding) -> Self {
        let Finding { row, column, value, code, message, sheet } = finding;
        Self { row, column, value, code, message, sheet }
    }
}

impl From<Finding> for Warning {
    fn from(finding: Finding) -> Self {
        let Finding { row, column, value, code, message, sheet } = finding;
        Self { row: row_of(row), column, value, code, message, sheet }
    }
}

/// A row of a file, where it is known.
pub(crate) fn row_of(row: i64) -> Option<i64> {
    Some(row).filter(|row| *row > 0)
}

/// What the reader of a file says, in the words of the trade log.
pub(crate) fn finding(row: Row) -> Finding {
    let Row { row, column, value, code, message, sheet } = row;
    Finding { row, column, value, code, message, sheet }
}

/// A list of them in a form of ours.
pub(crate) fn all<F: From<Finding>>(findings: Vec<Finding>) -> Vec<F> {
    findings.into_iter().map(F::from).collect()
}
