//! Header row of a table.

use crate::sheet::{Cell, Row};

/// Bytes of a column name. A longer text is not a column name.
const MAX_NAME_BYTES: usize = 100;

/// Row that may be a header, and the titles above it.
pub(crate) struct Header<'t> {
    /// Normalised names, each with its column.
    names: Vec<(String, usize)>,
    /// Texts above the row, in lower case.
    titles: &'t [String],
}

impl<'t> Header<'t> {
    pub fn from_row(row: &Row<'_>, titles: &'t [String]) -> Self {
        let name = |(column, cell): (usize, Cell<'_>)| match cell {
            Cell::Text(text) => Some((normalise(text), column)).filter(|(name, _)| !name.is_empty()),
            Cell::Empty | Cell::Number(_) | Cell::Serial(_) | Cell::Bool(_) | Cell::Error => None,
        };
        Self { names: row.cells().enumerate().filter_map(name).collect(), titles }
    }

    /// Returns the first column with this name. `name` is in lower case, without spaces, dots and underscores.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(column_name, _)| column_name == name).map(|(_, column)| *column)
    }

    /// Returns true if the column has a name.
    pub fn has_name(&self, column: usize) -> bool {
        self.names.iter().any(|(_, named_column)| *named_column == column)
    }

    /// Returns true if there are columns with all these names.
    pub fn has_all(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.column(name).is_some())
    }

    /// Returns true if a text above the row starts with `prefix`, which is in lower case.
    pub fn has_title(&self, prefix: &str) -> bool {
        self.titles.iter().any(|title| title.starts_with(prefix))
    }
}

/// Converts a column name to lower case and removes spaces, dots, underscores and byte order marks.
fn normalise(name: &str) -> String {
    if name.len() > MAX_NAME_BYTES {
        return String::new();
    }
    let significant = name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '_' | '.' | '\u{feff}'));
    significant.flat_map(char::to_lowercase).collect()
}
