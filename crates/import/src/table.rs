//! Finds the table of a file whose layout is unknown.

use rpc::imports::v1::{MapColumnsResponse, TableRow};

use crate::cell_value;
use crate::error::{Rejection, RejectionReason};
use crate::formats::issue::display_sheet_name;
use crate::formats::mapped_table::header_name;
use crate::protocol::{MAX_TABLE_ROWS, MAX_TABLE_TEXT_CHARS};
use crate::sheet::{Cell, CellBudget, MAX_COLUMNS, Row};
use crate::workbook::Workbook;

/// Last row number that may be a header.
const MAX_HEADER_ROW: u64 = 100;
/// Columns with a name that a header has at least.
const MIN_NAMES: usize = 3;

/// Header of a table.
struct TableHeader {
    sheet: String,
    row: u64,
    /// Number of columns with a name.
    names: usize,
}

/// Returns the header and the first rows of the table: of the row with the most names, or of `header_row`.
///
/// # Errors
/// Rejects a file without a table.
pub(crate) fn read_table(
    book: &mut Workbook,
    budget: &mut CellBudget,
    header_row: Option<u64>,
) -> Result<MapColumnsResponse, Rejection> {
    let mut best: Option<TableHeader> = None;
    for sheet in book.sheets() {
        let candidate = find_header(book, &sheet, budget, header_row)?;
        if let Some(candidate) =
            candidate.filter(|candidate| best.as_ref().is_none_or(|best| candidate.names > best.names))
        {
            best = Some(candidate);
        }
    }
    let TableHeader { sheet, row: header_row, .. } = best.ok_or(RejectionReason::Unknown)?;
    let mut table = MapColumnsResponse {
        sheet: display_sheet_name(&sheet),
        header_row: u32::try_from(header_row).unwrap_or(u32::MAX),
        ..MapColumnsResponse::default()
    };
    let mut rows = book.rows(&sheet)?;
    while let Some(row) = rows.next(budget)?.filter(|_| table.rows.len() < MAX_TABLE_ROWS) {
        if row.number == header_row {
            table.header = row.cells().map(header_name).collect();
            while table.header.last().is_some_and(String::is_empty) {
                table.header.pop();
            }
        } else if row.number > header_row && !row.is_blank() {
            let cells = row.cells().take(table.header.len().min(MAX_COLUMNS));
            let cells = cells.map(|cell| display_cell(&row, cell)).collect();
            table.rows.push(TableRow { number: u32::try_from(row.number).unwrap_or(u32::MAX), cells });
        }
    }
    Ok(table)
}

/// Returns the row with the most names that has a row of values below it; only `header_row` if it is given.
fn find_header(
    book: &mut Workbook,
    sheet: &str,
    budget: &mut CellBudget,
    header_row: Option<u64>,
) -> Result<Option<TableHeader>, Rejection> {
    let mut best: Option<TableHeader> = None;
    let mut above: Option<TableHeader> = None;
    let mut rows = book.rows(sheet)?;
    while let Some(row) = rows.next(budget)? {
        if row.is_blank() {
            continue;
        }
        if let Some(header) = above.take()
            && has_values(&row, header.names)
            && best.as_ref().is_none_or(|best| header.names > best.names)
        {
            best = Some(header);
        }
        if row.number > MAX_HEADER_ROW {
            break;
        }
        let names = count_names(&row);
        if header_row.map_or(names >= MIN_NAMES, |header_row| header_row == row.number && names > 1) {
            above = Some(TableHeader { sheet: sheet.to_owned(), row: row.number, names });
        }
    }
    Ok(best)
}

/// Returns the number of names in a row; 0 if it has a value that is no name.
fn count_names(row: &Row<'_>) -> usize {
    let cells = || row.cells().filter(|cell| !cell.is_blank());
    let is_name = |cell: Cell<'_>| {
        matches!(cell, Cell::Text(_))
            && cell_value::parse_decimal(cell).is_none()
            && cell_value::parse_moment(row, cell).is_none()
    };
    if cells().all(is_name) { cells().count() } else { 0 }
}

/// Returns true for a row with a number or a date, and values in at least half of the columns.
fn has_values(row: &Row<'_>, names: usize) -> bool {
    let is_value =
        |cell: &Cell<'_>| cell_value::parse_decimal(*cell).is_some() || cell_value::parse_moment(row, *cell).is_some();
    let filled = row.cells().filter(|cell| !cell.is_blank()).count();
    filled.saturating_mul(2) >= names && row.cells().any(|cell| is_value(&cell))
}

/// Returns the text of a cell for display. A date is shown as a day, with its time of day if it has one.
fn display_cell(row: &Row<'_>, cell: Cell<'_>) -> String {
    if let Cell::Serial(_) = cell {
        let time = cell_value::parse_time_of_day(cell).map(|time| time.to_string());
        let moment = cell_value::parse_moment(row, cell).map(|moment| match moment.time {
            Some(time) => format!("{} {time}", moment.day),
            None => moment.day.to_string(),
        });
        return moment.or(time).unwrap_or_default();
    }
    cell_value::display_text(cell, MAX_TABLE_TEXT_CHARS)
}
