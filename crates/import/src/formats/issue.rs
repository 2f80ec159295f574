//! Issue of a row: an error, a skipped row, or a warning about a trade.

use rpc::imports::v1::FileIssue;

use crate::cell_value;
use crate::sheet::Row;

/// Characters of a cell in a list of issues.
const MAX_VALUE_CHARS: usize = 100;
/// Characters of a sheet name; spreadsheet programs allow no more.
const MAX_SHEET_NAME_CHARS: usize = 31;

/// Reason for not importing a row, or for a warning about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issue {
    /// Column of the cell; none for the whole row.
    pub column: Option<usize>,
    /// Stable name for programs.
    pub code: &'static str,
    /// Values of the text for people, by name.
    params: Vec<(&'static str, String)>,
    /// Code of the report, if the row shows that the whole file is an unsupported one.
    pub unsupported_report: Option<&'static str>,
    /// The row is not a trade and is not expected to be; it is skipped, with a warning.
    pub is_skipped: bool,
    /// The warning occurs in nearly every file of this format.
    pub is_expected: bool,
}

impl Issue {
    /// Returns an issue of a cell.
    pub fn in_cell(column: usize, code: &'static str) -> Self {
        Self { column: Some(column), ..Self::in_row(code) }
    }

    /// Returns an issue of a cell, or of the whole row if the table has no such column.
    pub fn in_optional_cell(column: Option<usize>, code: &'static str) -> Self {
        Self { column, ..Self::in_row(code) }
    }

    /// Returns an issue of a whole row.
    pub fn in_row(code: &'static str) -> Self {
        Self { column: None, code, params: Vec::new(), unsupported_report: None, is_skipped: false, is_expected: false }
    }

    /// Returns an issue that skips the row, because its cell shows that it is not a trade.
    pub fn skipped(column: usize, code: &'static str) -> Self {
        Self { is_skipped: true, ..Self::expected(column, code) }
    }

    /// Returns a warning that occurs in nearly every file of the format.
    pub fn expected(column: usize, code: &'static str) -> Self {
        Self { is_expected: true, ..Self::in_cell(column, code) }
    }

    /// Returns an error if a cell of the row contains line breaks.
    ///
    /// No broker's file has such cells, so the lines are rows that were read as text after an unclosed quotation mark.
    pub fn unclosed_quote(row: &Row<'_>) -> Option<Self> {
        (row.joined_lines > 0).then(|| Self::in_row("quote_not_closed").with("count", row.joined_lines))
    }

    /// Adds a value of the text for people.
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.params.push((name, value.to_string()));
        self
    }

    /// Adds the position and the cell's content.
    pub fn locate(self, row: &Row<'_>, sheet: &str) -> FileIssue {
        let value = self.column.map(|column| cell_value::display_text(row.cell(column), MAX_VALUE_CHARS));
        self.into_file_issue(row.number, value.unwrap_or_default(), sheet)
    }

    /// Adds the position, without a cell's content.
    pub fn locate_row(self, row_number: u64, sheet: &str) -> FileIssue {
        self.into_file_issue(row_number, String::new(), sheet)
    }

    fn into_file_issue(self, row_number: u64, value: String, sheet: &str) -> FileIssue {
        FileIssue {
            row: i64::try_from(row_number).unwrap_or(i64::MAX),
            column: self.column.map(column_name).unwrap_or_default(),
            value,
            code: self.code.to_owned(),
            sheet: sheet.to_owned(),
            params: self.params.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        }
    }
}

/// Returns a sheet name without control characters, cut to the length that spreadsheet programs allow.
pub(crate) fn display_sheet_name(sheet: &str) -> String {
    sheet.chars().filter(|c| !c.is_control()).take(MAX_SHEET_NAME_CHARS).collect()
}

/// Returns the name of a column in a spreadsheet, such as `AA`.
fn column_name(column: usize) -> String {
    let mut reversed = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        let digit = u8::try_from((rest - 1) % 26).unwrap_or_default();
        reversed.push(char::from(b'A' + digit));
        rest = (rest - 1) / 26;
    }
    reversed.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_columns_as_spreadsheets_do() {
        let cases = [(0, "A"), (14, "O"), (25, "Z"), (26, "AA"), (63, "BL"), (701, "ZZ"), (702, "AAA")];
        for (column, name) in cases {
            assert_eq!(super::column_name(column), name);
        }
    }
}
