//! Traits of a file format.

use rpc::trades::v1::{Broker, ImportedTrade, Segment};

use super::file_state::FileState;
use super::header::Header;
use super::issue::Issue;
use crate::sheet::Row;

/// Format of one kind of report of a broker.
pub(crate) trait Format: Sync {
    /// Returns the stable name for programs, such as `zerodha-tradebook`.
    fn name(&self) -> &'static str;

    /// Returns the broker of the report.
    fn broker(&self) -> Broker;

    /// Returns a reader of the rows below `header` if it is the header of this format.
    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>>;
}

/// Reader of the rows below one header.
pub(crate) trait RowReader {
    /// Converts `row`. Returns `None` for a heading, a total or a footnote, which are neither counted nor reported.
    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue>;
}

/// Trade or trades of a row.
pub(crate) struct ParsedRow {
    /// Segment of the book that the trades belong to.
    pub segment: Segment,
    pub trade: ImportedTrade,
    /// Second trade, if the row is a buy matched with its sell.
    pub other_leg: Option<Box<ImportedTrade>>,
    /// Warning about the row, whose trades are imported.
    pub warning: Option<Issue>,
}
