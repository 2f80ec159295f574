//! Checks an .xls file before it is read, because its reader holds whole sheets in memory as tables.
//!
//! The file is an OLE compound file (a small file system) with a stream of records: type, length, data. Only the positions
//! of cells are checked, in the way the reader uses them.

use std::io::{Read, Seek, SeekFrom};

use cfb::CompoundFile;

use crate::error::{Rejection, RejectionReason};

pub(crate) const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;
/// Table cells of all sheets; together they take 160 MiB in the reader.
pub(crate) const MAX_CELLS: u64 = 4_000_000;
const MAX_SHEETS: usize = 64;
/// Records of all sheets. Sheets may overlap in the stream, so there can be more than the file has.
const MAX_RECORDS: u64 = 8_000_000;

const BOF: u16 = 0x0809;
const EOF: u16 = 0x000A;
const PASSWORD: u16 = 0x002F;
const SHEET: u16 = 0x0085;
const DIMENSIONS: u16 = 0x0200;
/// MULRK record: numbers in adjacent cells. The last two bytes are the last column.
const MULTIPLE_NUMBERS: u16 = 0x00BD;
/// Records that start with the row and column of a cell: number, label, string, boolean, formula and others.
const CELLS: [u16; 7] = [0x0203, 0x0204, 0x00D6, 0x0205, 0x027E, 0x00FD, 0x0006];

/// Rejects a file that is not a workbook, or that would take too much memory or time to read.
pub(crate) fn check(source: &mut (impl Read + Seek)) -> Result<(), Rejection> {
    if source.seek(SeekFrom::End(0)).map_err(|_| RejectionReason::Unreadable)? > MAX_FILE_BYTES {
        return Err(RejectionReason::XlsTooLarge.into());
    }
    let mut file = CompoundFile::open(source).map_err(|_| RejectionReason::Unreadable)?;
    if file.exists("/EncryptedPackage") {
        return Err(RejectionReason::Password.into());
    }
    if file.exists("/_VBA_PROJECT_CUR") {
        return Err(RejectionReason::Macros.into());
    }
    let Some(name) = ["/Workbook", "/Book"].into_iter().find(|name| file.is_stream(name)) else {
        return Err(RejectionReason::NotASpreadsheet.into());
    };
    let mut records = Vec::new();
    let stream = file.open_stream(name).map_err(|_| RejectionReason::Unreadable)?;
    stream.take(MAX_FILE_BYTES).read_to_end(&mut records).map_err(|_| RejectionReason::Unreadable)?;
    check_records(&records)
}

/// Checks the stream of records of a workbook.
pub(crate) fn check_records(stream: &[u8]) -> Result<(), Rejection> {
    let mut sheets = Vec::new();
    for record in (Records { rest: stream }) {
        match record? {
            (EOF, _) => break,
            (PASSWORD, data) if read_u16(data, 0) != Some(0) => return Err(RejectionReason::Password.into()),
            (SHEET, data) => sheets.push(read_u32(data, 0).ok_or(RejectionReason::Unreadable)?),
            _ => (),
        }
    }
    if sheets.len() > MAX_SHEETS {
        return Err(RejectionReason::Unreadable.into());
    }
    let mut budget = Budget { cells: MAX_CELLS, records: MAX_RECORDS };
    for start in sheets {
        let start = usize::try_from(start).map_err(|_| RejectionReason::Unreadable)?;
        check_sheet(stream.get(start..).ok_or(RejectionReason::Unreadable)?, &mut budget)?;
    }
    Ok(())
}

/// Cells and records that may still be read.
struct Budget {
    cells: u64,
    records: u64,
}

fn check_sheet(stream: &[u8], budget: &mut Budget) -> Result<(), Rejection> {
    let mut table = BoundingBox::default();
    // A chart in a sheet is nested, from its own BOF record to its EOF record.
    let mut depth = 0_u32;
    for record in (Records { rest: stream }) {
        let (kind, data) = record?;
        budget.records = budget.records.checked_sub(1).ok_or(RejectionReason::Unreadable)?;
        match kind {
            BOF => depth = depth.saturating_add(1),
            EOF if depth <= 1 => break,
            EOF => depth -= 1,
            DIMENSIONS => {
                let declared = declared_cells(data).ok_or(RejectionReason::Unreadable)?;
                budget.cells = budget.cells.checked_sub(declared).ok_or(RejectionReason::XlsRangeTooLarge)?;
            }
            MULTIPLE_NUMBERS => {
                let last = data.len().checked_sub(2).and_then(|at| read_u16(data, at));
                let (Some(row), Some(first), Some(last)) = (read_u16(data, 0), read_u16(data, 2), last) else {
                    return Err(RejectionReason::Unreadable.into());
                };
                if last < first {
                    return Err(RejectionReason::Unreadable.into());
                }
                table.add(row, first);
                table.add(row, last);
            }
            kind if CELLS.contains(&kind) => {
                let (Some(row), Some(column)) = (read_u16(data, 0), read_u16(data, 2)) else {
                    return Err(RejectionReason::Unreadable.into());
                };
                table.add(row, column);
            }
            _ => (),
        }
    }
    budget.cells = budget.cells.checked_sub(table.cells()).ok_or(RejectionReason::XlsRangeTooLarge)?;
    Ok(())
}

/// Smallest table that contains all cells of a sheet.
#[derive(Default)]
struct BoundingBox {
    /// First row, last row, first column, last column.
    bounds: Option<(u16, u16, u16, u16)>,
}

impl BoundingBox {
    fn add(&mut self, row: u16, column: u16) {
        let (top, bottom, left, right) = self.bounds.unwrap_or((row, row, column, column));
        self.bounds = Some((top.min(row), bottom.max(row), left.min(column), right.max(column)));
    }

    fn cells(&self) -> u64 {
        self.bounds
            .map_or(0, |(top, bottom, left, right)| (u64::from(bottom - top) + 1) * (u64::from(right - left) + 1))
    }
}

/// Returns the number of cells that a DIMENSIONS record declares; the reader allocates memory for them.
fn declared_cells(data: &[u8]) -> Option<u64> {
    let (top, bottom, left, right) = match data.len() {
        10 => (read_u16(data, 0)?.into(), read_u16(data, 2)?.into(), read_u16(data, 4)?, read_u16(data, 6)?),
        14 | 16 => (read_u32(data, 0)?, read_u32(data, 4)?, read_u16(data, 8)?, read_u16(data, 10)?),
        _ => return None,
    };
    let left = if left > 0xFF || right < left { 0 } else { left };
    if bottom == 0 || right == 0 {
        return Some(1);
    }
    // None if the sheet ends before it starts: the reader would panic on it.
    let rows = bottom.checked_sub(top).filter(|rows| *rows > 0)?;
    let columns = right.checked_sub(left).filter(|columns| *columns > 0)?;
    Some(u64::from(rows) * u64::from(columns))
}

fn read_u16(data: &[u8], at: usize) -> Option<u16> {
    data.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn read_u32(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// Iterator over the records of a stream: type and data.
struct Records<'s> {
    rest: &'s [u8],
}

impl<'s> Iterator for Records<'s> {
    type Item = Result<(u16, &'s [u8]), Rejection>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let record = || {
            let kind = read_u16(self.rest, 0)?;
            let length = usize::from(read_u16(self.rest, 2)?);
            let data = self.rest.get(4..)?.get(..length)?;
            Some((kind, data))
        };
        let Some((kind, data)) = record() else {
            self.rest = &[];
            return Some(Err(RejectionReason::Unreadable.into()));
        };
        self.rest = self.rest.get(4 + data.len()..).unwrap_or_default();
        Some(Ok((kind, data)))
    }
}
