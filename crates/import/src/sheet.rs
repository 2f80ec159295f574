//! Cells as a stream of rows, whatever the file is.

use std::fs::File;
use std::io::{BufReader, Chain, Read};

use calamine::{Data, DataRef, Range, XlsxCellReader};
use csv::{StringRecord, Terminator};

use crate::error::{Reason, Refusal};

/// Columns beyond are not looked at; no broker's report is that wide.
pub(crate) const MOST_COLUMNS: usize = 64;
/// Cells of a file, the empty ones included.
const MOST_CELLS: u64 = 10_000_000;
/// A workbook may count its days from 1904, which is so many days later.
const DAYS_TO_1904: f64 = 1462.0;

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'r> {
    Empty,
    Text(&'r str),
    Number(f64),
    /// Days since the end of 1899, in a cell that is shown as a date or a time.
    Serial(f64),
    Truth(bool),
    /// A formula that failed.
    Error,
}

impl<'r> Cell<'r> {
    fn of_xls(cell: &'r Data) -> Self {
        match cell {
            Data::Empty => Self::Empty,
            Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => Self::Text(text),
            Data::Float(number) => Self::Number(*number),
            #[expect(clippy::cast_precision_loss, reason = "the reader makes them of 30 bits")]
            Data::Int(number) => Self::Number(*number as f64),
            Data::DateTime(at) => Self::Serial(at.as_f64()),
            Data::Bool(truth) => Self::Truth(*truth),
            Data::Error(_) => Self::Error,
        }
    }

    /// Nothing, or nothing that one sees.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.trim().is_empty(),
            Self::Number(_) | Self::Serial(_) | Self::Truth(_) | Self::Error => false,
        }
    }
}

/// One row of a sheet.
#[derive(Clone, Copy)]
pub(crate) struct Row<'r> {
    /// As a spreadsheet counts, from 1.
    pub number: u64,
    /// Lines of a CSV file below its first that were read as part of it: a quotation mark was not closed.
    pub swallowed: u64,
    cells: Cells<'r>,
    /// What a bare number lacks to be days since the end of 1899.
    days_ahead: f64,
}

#[derive(Clone, Copy)]
enum Cells<'r> {
    Xlsx(&'r [DataRef<'r>]),
    /// The cells from a column on.
    Xls(&'r [Data], usize),
    Csv(&'r StringRecord),
}

impl<'r> Row<'r> {
    /// The cell in a column, counted from 0.
    pub fn cell(&self, column: usize) -> Cell<'r> {
        match self.cells {
            Cells::Csv(record) => record.get(column).map_or(Cell::Empty, Cell::Text),
            Cells::Xls(cells, left) => {
                column.checked_sub(left).and_then(|column| cells.get(column)).map_or(Cell::Empty, Cell::of_xls)
            }
            Cells::Xlsx(cells) => match cells.get(column) {
                None | Some(DataRef::Empty) => Cell::Empty,
                Some(DataRef::SharedString(text)) => Cell::Text(text),
                Some(DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text)) => {
                    Cell::Text(text)
                }
                Some(DataRef::Float(number)) => Cell::Number(*number),
                #[expect(clippy::cast_precision_loss, reason = "the reader makes none of them from .xlsx")]
                Some(DataRef::Int(number)) => Cell::Number(*number as f64),
                Some(DataRef::DateTime(at)) => Cell::Serial(at.as_f64()),
                Some(DataRef::Bool(truth)) => Cell::Truth(*truth),
                Some(DataRef::Error(_)) => Cell::Error,
            },
        }
    }

    /// All cells, from the first column on.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'r>> {
        let row = *self;
        let width = match self.cells {
            Cells::Xlsx(cells) => cells.len(),
            Cells::Xls(cells, left) => left.saturating_add(cells.len()).min(MOST_COLUMNS),
            Cells::Csv(record) => record.len().min(MOST_COLUMNS),
        };
        (0..width).map(move |column| row.cell(column))
    }

    pub fn is_blank(&self) -> bool {
        self.cells().all(|cell| cell.is_blank())
    }

    /// A number of this row as days since the end of 1899.
    pub fn serial(&self, number: f64) -> f64 {
        number + self.days_ahead
    }
}

/// Cells that a file may still have, over all passes through its sheets.
pub(crate) struct Budget {
    cells: u64,
}

impl Budget {
    pub fn new() -> Self {
        Self::of(MOST_CELLS)
    }

    pub fn of(cells: u64) -> Self {
        Self { cells }
    }

    fn spend(&mut self, cells: u64) -> Result<(), Refusal> {
        self.cells = self.cells.checked_sub(cells).ok_or_else(|| {
            Refusal::new(
                Reason::TooManyRows,
                "The file has more than 1,00,00,000 cells. Download the report for a shorter time and upload the \
                 parts one after the other.",
            )
        })?;
        Ok(())
    }
}

/// The rows of one sheet, from the top. A row without cells is left out.
pub(crate) enum Rows<'a> {
    Xlsx(Box<XlsxRows<'a>>),
    Xls(XlsRows<'a>),
    Csv(CsvRows),
}

impl Rows<'_> {
    pub fn next(&mut self, budget: &mut Budget) -> Result<Option<Row<'_>>, Refusal> {
        match self {
            Self::Xlsx(rows) => rows.next(budget),
            Self::Xls(rows) => rows.next(budget),
            Self::Csv(rows) => rows.next(budget),
        }
    }
}

/// Gathers the cells of a worksheet into rows. The size that the sheet declares is not believed.
pub(crate) struct XlsxRows<'a> {
    reader: XlsxCellReader<'a, BufReader<File>>,
    row: Vec<DataRef<'a>>,
    /// The first cell of the next row, with its row and column counted from 0.
    ahead: Option<(u32, usize, DataRef<'a>)>,
    ended: bool,
    days_ahead: f64,
}

impl<'a> XlsxRows<'a> {
    pub fn new(reader: XlsxCellReader<'a, BufReader<File>>, counts_from_1904: bool) -> Self {
        let days_ahead = if counts_from_1904 { DAYS_TO_1904 } else { 0.0 };
        Self { reader, row: Vec::with_capacity(MOST_COLUMNS), ahead: None, ended: false, days_ahead }
    }

    fn next(&mut self, budget: &mut Budget) -> Result<Option<Row<'_>>, Refusal> {
        let Some((number, column, cell)) = self.ahead.take().map_or_else(|| self.read(), |cell| Ok(Some(cell)))? else {
            return Ok(None);
        };
        let mut cells = 1;
        self.row.clear();
        self.put(column, cell);
        while let Some((row, column, cell)) = self.read()? {
            if row != number {
                self.ahead = Some((row, column, cell));
                break;
            }
            cells += 1;
            self.put(column, cell);
            if cells > 1_000 {
                budget.spend(cells)?;
                cells = 0;
            }
        }
        budget.spend(cells)?;
        let days_ahead = self.days_ahead;
        Ok(Some(Row { number: u64::from(number) + 1, swallowed: 0, cells: Cells::Xlsx(&self.row), days_ahead }))
    }

    fn read(&mut self) -> Result<Option<(u32, usize, DataRef<'a>)>, Refusal> {
        // Behind its end, the reader would run into the rest of the sheet.
        if self.ended {
            return Ok(None);
        }
        let cell = self.reader.next_cell().map_err(|_| Refusal::unreadable())?;
        self.ended = cell.is_none();
        Ok(cell.map(|cell| {
            let (row, column) = cell.get_position();
            (row, usize::try_from(column).unwrap_or(usize::MAX), cell.get_value().clone())
        }))
    }

    fn put(&mut self, column: usize, cell: DataRef<'a>) {
        if column >= MOST_COLUMNS {
            return;
        }
        if column == self.row.len() {
            self.row.push(cell);
            return;
        }
        if self.row.len() <= column {
            self.row.resize(column + 1, DataRef::Empty);
        }
        if let Some(place) = self.row.get_mut(column) {
            *place = cell;
        }
    }
}

/// The rows of a sheet that was read at once.
pub(crate) struct XlsRows<'a> {
    rows: std::iter::Enumerate<calamine::Rows<'a, Data>>,
    /// The row and column of the first cell, counted from 0.
    start: (u32, u32),
    days_ahead: f64,
}

impl<'a> XlsRows<'a> {
    pub fn new(range: &'a Range<Data>, counts_from_1904: bool) -> Self {
        let days_ahead = if counts_from_1904 { DAYS_TO_1904 } else { 0.0 };
        Self { rows: range.rows().enumerate(), start: range.start().unwrap_or_default(), days_ahead }
    }

    fn next(&mut self, budget: &mut Budget) -> Result<Option<Row<'_>>, Refusal> {
        let Some((below, cells)) = self.rows.next() else {
            return Ok(None);
        };
        budget.spend(u64::try_from(cells.len()).unwrap_or(u64::MAX))?;
        let below = u64::try_from(below).unwrap_or(u64::MAX);
        let left = usize::try_from(self.start.1).unwrap_or(usize::MAX);
        let number = u64::from(self.start.0).saturating_add(below).saturating_add(1);
        Ok(Some(Row { number, swallowed: 0, cells: Cells::Xls(cells, left), days_ahead: self.days_ahead }))
    }
}

/// The records of a CSV file.
pub(crate) struct CsvRows {
    reader: csv::Reader<Chain<File, &'static [u8]>>,
    record: StringRecord,
}

impl CsvRows {
    pub fn new(file: File) -> Self {
        // Every record ends with a line feed, one that is added at the end if need be: only so do the reader's line
        // numbers tell where a record stands. A carriage return is left in the last cell, where it is a blank.
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .terminator(Terminator::Any(b'\n'))
            .buffer_capacity(256 * 1024)
            .from_reader(file.chain(b"\n".as_slice()));
        Self { reader, record: StringRecord::new() }
    }

    fn next(&mut self, budget: &mut Budget) -> Result<Option<Row<'_>>, Refusal> {
        if !self.reader.read_record(&mut self.record).map_err(|_| Refusal::unreadable())? {
            return Ok(None);
        }
        budget.spend(u64::try_from(self.record.len()).unwrap_or(u64::MAX))?;
        let breaks = |text: &str| text.bytes().filter(|c| *c == b'\n').count().try_into().unwrap_or(u64::MAX);
        let text = self.record.as_slice();
        // The line feed that ends it is a part of it where a quotation mark takes in the rest of the file.
        let end = u64::from(!text.ends_with('\n'));
        let number = self.reader.position().line().saturating_sub(breaks(text).saturating_add(end));
        let swallowed = breaks(text.trim_end());
        Ok(Some(Row { number, swallowed, cells: Cells::Csv(&self.record), days_ahead: 0.0 }))
    }
}
