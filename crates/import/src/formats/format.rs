//! Traits of a file format.

use rpc::trades::v1::{Broker, ImportedTrade, Segment};

use super::file_state::FileState;
use super::header::Header;
use super::issue::Issue;
use super::row_position::RowPosition;
use super::stated_charges::ChargeReader;
use crate::sheet::Row;

/// Format of one kind of report of a broker.
pub(crate) trait Format: Sync {
    /// Returns the stable name for programs, such as `zerodha-tradebook`.
    fn name(&self) -> &'static str;

    /// Returns the broker of the report.
    fn broker(&self) -> Broker;

    /// Returns whether it is the table that `crate::contract_note` makes of a checked contract note.
    fn is_contract_note(&self) -> bool {
        false
    }

    /// Returns a reader of the rows below `header` if it is the header of this format.
    fn match_header(&self, header: &Header<'_>) -> Option<Box<dyn RowReader>>;
}

/// Reader of the rows below one header.
pub(crate) trait RowReader {
    /// Returns true if the layout was read in a real file of the broker. Otherwise the trader is asked to check the
    /// trades before they are imported.
    fn is_verified(&self) -> bool {
        true
    }

    /// Returns the segment of `row`, in reports with rows of both segments. Rows of the segment that is not imported are
    /// only counted. A row without a segment is read with either.
    fn segment(&self, _row: &Row<'_>) -> Option<Segment> {
        None
    }

    /// Returns the reader of the rows' charges, in reports that state them.
    fn charges(&self) -> Option<&dyn ChargeReader> {
        None
    }

    /// Returns warnings about the rows that were read, after the last one.
    fn finish(&mut self) -> Vec<(RowPosition, Issue)> {
        Vec::new()
    }

    /// Returns true if the dates could have another order of day and month, which only the trader knows.
    fn is_date_order_open(&self) -> bool {
        false
    }

    /// Converts `row`. Returns `None` for a heading, a total or a footnote, which are neither counted nor reported.
    fn read_row(&mut self, row: &Row<'_>, file: &mut FileState) -> Result<Option<ParsedRow>, Issue>;
}

/// Trade or trades of a row.
#[derive(Debug)]
pub(crate) struct ParsedRow {
    /// Segment of the book that the trades belong to.
    pub segment: Segment,
    pub trade: ImportedTrade,
    /// Second trade, if the row is a buy matched with its sell.
    pub other_leg: Option<Box<ImportedTrade>>,
    /// Warning about the row, whose trades are imported.
    pub warning: Option<Issue>,
}
