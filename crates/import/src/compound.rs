//! What an .xls file says about itself, judged before its reader, which holds whole sheets as tables, sees it.
//!
//! The file is a compound file, a small disk of its own, with a stream of records: a type, a length, data. Only the
//! places of cells are looked at, as the reader looks at them.

use std::io::{Read, Seek, SeekFrom};

use cfb::CompoundFile;

use crate::error::{Reason, Refusal};
use crate::precheck;

const LARGEST_FILE: u64 = 8 * 1024 * 1024;
/// A table of this many cells, over all sheets, is 160 MiB.
const MOST_CELLS: u64 = 4_000_000;
const MOST_SHEETS: usize = 64;
/// Records that are read over all sheets; sheets may lie over each other.
const MOST_RECORDS: u64 = 8_000_000;

const BOF: u16 = 0x0809;
const EOF: u16 = 0x000A;
const PASSWORD: u16 = 0x002F;
const SHEET: u16 = 0x0085;
const DIMENSIONS: u16 = 0x0200;
/// Several numbers side by side; its last two bytes are the last column.
const NUMBERS: u16 = 0x00BD;
/// Records that begin with the row and the column of a cell: number, label, string, truth, formula and the like.
const CELLS: [u16; 7] = [0x0203, 0x0204, 0x00D6, 0x0205, 0x027E, 0x00FD, 0x0006];

/// Refuses a file that is no workbook, or that would cost too much to read.
pub(crate) fn check(source: &mut (impl Read + Seek)) -> Result<(), Refusal> {
    if source.seek(SeekFrom::End(0)).map_err(|_| Refusal::unreadable())? > LARGEST_FILE {
        return Err(Refusal::new(
            Reason::Unreadable,
            "This .xls file is larger than 8 MB. Open it, save it as .xlsx and upload that.",
        ));
    }
    let mut file = CompoundFile::open(source).map_err(|_| Refusal::unreadable())?;
    if file.exists("/EncryptedPackage") {
        return Err(protected());
    }
    if file.exists("/_VBA_PROJECT_CUR") {
        return Err(precheck::macros());
    }
    let Some(name) = ["/Workbook", "/Book"].into_iter().find(|name| file.is_stream(name)) else {
        return Err(precheck::no_spreadsheet());
    };
    let mut records = Vec::new();
    let stream = file.open_stream(name).map_err(|_| Refusal::unreadable())?;
    stream.take(LARGEST_FILE).read_to_end(&mut records).map_err(|_| Refusal::unreadable())?;
    judge(&records)
}

fn protected() -> Refusal {
    Refusal::new(Reason::Unreadable, "The workbook has a password. Open it, save it without one and upload that.")
}

/// Judges the stream of records.
pub(crate) fn judge(stream: &[u8]) -> Result<(), Refusal> {
    let mut sheets = Vec::new();
    for record in (Records { rest: stream }) {
        match record? {
            (EOF, _) => break,
            (PASSWORD, data) if number(data, 0) != Some(0) => return Err(protected()),
            (SHEET, data) => sheets.push(long_number(data, 0).ok_or_else(Refusal::unreadable)?),
            _ => (),
        }
    }
    if sheets.len() > MOST_SHEETS {
        return Err(Refusal::unreadable());
    }
    let mut left = Allowance { cells: MOST_CELLS, records: MOST_RECORDS };
    for begin in sheets {
        let begin = usize::try_from(begin).map_err(|_| Refusal::unreadable())?;
        judge_sheet(stream.get(begin..).ok_or_else(Refusal::unreadable)?, &mut left)?;
    }
    Ok(())
}

/// What may still be read.
struct Allowance {
    cells: u64,
    records: u64,
}

fn judge_sheet(stream: &[u8], left: &mut Allowance) -> Result<(), Refusal> {
    let mut table = Table::default();
    // A chart in a sheet has records of its own, from its BOF to its EOF.
    let mut depth = 0_u32;
    for record in (Records { rest: stream }) {
        let (kind, data) = record?;
        left.records = left.records.checked_sub(1).ok_or_else(Refusal::unreadable)?;
        match kind {
            BOF => depth = depth.saturating_add(1),
            EOF if depth <= 1 => break,
            EOF => depth -= 1,
            DIMENSIONS => {
                let declared = declared_cells(data).ok_or_else(Refusal::unreadable)?;
                left.cells = left.cells.checked_sub(declared).ok_or_else(too_wide)?;
            }
            NUMBERS => {
                let last = data.len().checked_sub(2).and_then(|at| number(data, at));
                let (Some(row), Some(first), Some(last)) = (number(data, 0), number(data, 2), last) else {
                    return Err(Refusal::unreadable());
                };
                if last < first {
                    return Err(Refusal::unreadable());
                }
                table.add(row, first);
                table.add(row, last);
            }
            kind if CELLS.contains(&kind) => {
                let (Some(row), Some(column)) = (number(data, 0), number(data, 2)) else {
                    return Err(Refusal::unreadable());
                };
                table.add(row, column);
            }
            _ => (),
        }
    }
    left.cells = left.cells.checked_sub(table.cells()).ok_or_else(too_wide)?;
    Ok(())
}

fn too_wide() -> Refusal {
    Refusal::new(
        Reason::TooManyRows,
        "The .xls file spreads over more than 40,00,000 cells. Open it, save it as .xlsx and upload that.",
    )
}

/// The smallest table that holds all cells seen.
#[derive(Default)]
struct Table {
    /// First row, last row, first column, last column.
    bounds: Option<(u16, u16, u16, u16)>,
}

impl Table {
    fn add(&mut self, row: u16, column: u16) {
        let (top, bottom, left, right) = self.bounds.unwrap_or((row, row, column, column));
        self.bounds = Some((top.min(row), bottom.max(row), left.min(column), right.max(column)));
    }

    fn cells(&self) -> u64 {
        self.bounds
            .map_or(0, |(top, bottom, left, right)| (u64::from(bottom - top) + 1) * (u64::from(right - left) + 1))
    }
}

/// What a sheet says of its size, for which its reader makes room.
fn declared_cells(data: &[u8]) -> Option<u64> {
    let (top, bottom, left, right) = match data.len() {
        10 => (number(data, 0)?.into(), number(data, 2)?.into(), number(data, 4)?, number(data, 6)?),
        14 | 16 => (long_number(data, 0)?, long_number(data, 4)?, number(data, 8)?, number(data, 10)?),
        _ => return None,
    };
    let left = if left > 0xFF || right < left { 0 } else { left };
    if bottom == 0 || right == 0 {
        return Some(1);
    }
    // None where a sheet ends before it begins, at which its reader would stumble.
    let rows = bottom.checked_sub(top).filter(|rows| *rows > 0)?;
    let columns = right.checked_sub(left).filter(|columns| *columns > 0)?;
    Some(u64::from(rows) * u64::from(columns))
}

fn number(data: &[u8], at: usize) -> Option<u16> {
    data.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn long_number(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// The records of a stream: type and data.
struct Records<'s> {
    rest: &'s [u8],
}

impl<'s> Iterator for Records<'s> {
    type Item = Result<(u16, &'s [u8]), Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let record = || {
            let kind = number(self.rest, 0)?;
            let length = usize::from(number(self.rest, 2)?);
            let data = self.rest.get(4..)?.get(..length)?;
            Some((kind, data))
        };
        let Some((kind, data)) = record() else {
            self.rest = &[];
            return Some(Err(Refusal::unreadable()));
        };
        self.rest = self.rest.get(4 + data.len()..).unwrap_or_default();
        Some(Ok((kind, data)))
    }
}
