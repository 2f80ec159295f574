//! JSON of the issues of a file: rejected rows (errors) and warnings.

use rpc::imports::v1::FileIssue;
use rpc::trades::v1::Issue;
use serde::Serialize;

/// Rejected row of a file.
#[derive(Debug, Serialize)]
pub(crate) struct RejectedJson {
    pub row: i64,
    column: String,
    value: String,
    code: String,
    pub message: String,
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

impl From<Issue> for RejectedJson {
    fn from(issue: Issue) -> Self {
        let message = issue_text(&issue);
        let Issue { row, column, value, code, sheet, .. } = issue;
        Self { row, column, value, code, message, sheet }
    }
}

impl From<Issue> for WarningJson {
    fn from(issue: Issue) -> Self {
        let message = issue_text(&issue);
        let Issue { row, column, value, code, sheet, .. } = issue;
        Self { row: optional_row(row), column, value, code, message, sheet }
    }
}

/// Returns the text of an issue. A preview that an older version stored may have the sentence instead of the parameters,
/// or a code that no longer exists.
fn issue_text(issue: &Issue) -> String {
    if !issue.message.is_empty() {
        return issue.message.clone();
    }
    let mut params = issue.params.clone();
    params.insert("sheet".to_owned(), issue.sheet.clone());
    let key = format!("issue.{}", issue.code);
    let texts = [("import", key.as_str()), ("trades", &key), ("import", "issue.unknown")];
    texts.into_iter().find_map(|(service, key)| texts::text(service, key, &params)).unwrap_or_default()
}

/// Returns the text of an issue of the import service.
pub fn import_issue_text(issue: &FileIssue) -> String {
    issue_text(&from_file_issue(issue.clone()))
}

/// Returns the title of a file format; empty for an unknown one.
pub fn format_title(format: &str) -> String {
    texts::text("import", &format!("format.{format}"), &texts::Params::new()).unwrap_or_default()
}

/// Converts row number 0, which means no row, to `None`.
pub(crate) fn optional_row(row: i64) -> Option<i64> {
    Some(row).filter(|row| *row > 0)
}

/// Converts an issue from the message of the import service to that of the trades service.
pub(crate) fn from_file_issue(issue: FileIssue) -> Issue {
    let FileIssue { row, column, value, code, sheet, params } = issue;
    Issue { row, column, value, code, message: String::new(), sheet, params }
}

/// Converts issues to JSON.
pub(crate) fn to_issues<J: From<Issue>>(issues: Vec<Issue>) -> Vec<J> {
    issues.into_iter().map(J::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_has_the_text_of_its_code_or_its_stored_sentence() {
        let params = [("day", "2025-06-17"), ("quantity", "2"), ("symbol", "TCS")];
        let issue = Issue {
            code: "sale_without_purchase".to_owned(),
            params: params.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            ..Issue::default()
        };
        let text = issue_text(&issue);
        assert!(text.starts_with("By 17 Jun 2025 this book has sold 2 TCS more than it bought."), "{text}");
        let stored = Issue { message: "Stored.".to_owned(), ..issue };
        assert_eq!(issue_text(&stored), "Stored.");
        let unknown = Issue { code: "price_far".to_owned(), ..Issue::default() };
        assert_eq!(issue_text(&unknown), "Compare this row with the broker's report.");
    }
}
