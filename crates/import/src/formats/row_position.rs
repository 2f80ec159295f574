//! Position of a row in a file.

/// Sheet and row number. Positions are ordered as in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowPosition {
    /// Number of the sheet among those that are read, from 1.
    pub sheet: usize,
    /// Row number as in a spreadsheet program, from 1.
    pub row: u64,
}
