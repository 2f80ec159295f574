//! Streams the rows of a sheet, for all file types.

use std::fs::File;
use std::io::{BufReader, Chain, Read};

use calamine::{Data, DataRef, Range, XlsxCellReader};
use csv::{StringRecord, Terminator};

use crate::error::{Rejection, RejectionReason};

/// Columns that are read; no broker's report is wider. Further columns are ignored.
pub(crate) const MAX_COLUMNS: usize = 64;
/// Cells of a file, including empty ones.
pub(crate) const MAX_CELLS: u64 = 10_000_000;
/// Days from the default date system to the 1904 date system, which a workbook may use.
const DAYS_FROM_1900_TO_1904_SYSTEM: f64 = 1462.0;

/// Value of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'r> {
    Empty,
    Text(&'r str),
    Number(f64),
    /// Days since the end of 1899, in a cell with a date or time format.
    Serial(f64),
    Bool(bool),
    /// Formula error, such as `#N/A`.
    Error,
}

impl<'r> Cell<'r> {
    fn from_xls(cell: &'r Data) -> Self {
        match cell {
            Data::Empty => Self::Empty,
            Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => Self::Text(text),
            Data::Float(number) => Self::Number(*number),
            #[expect(clippy::cast_precision_loss, reason = "the .xls reader returns integers of at most 30 bits")]
            Data::Int(number) => Self::Number(*number as f64),
            Data::DateTime(at) => Self::Serial(at.as_f64()),
            Data::Bool(value) => Self::Bool(*value),
            Data::Error(_) => Self::Error,
        }
    }

    /// Returns true if the cell is empty or contains only whitespace.
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.trim().is_empty(),
            Self::Number(_) | Self::Serial(_) | Self::Bool(_) | Self::Error => false,
        }
    }
}

/// Row of a sheet.
#[derive(Clone, Copy)]
pub(crate) struct Row<'r> {
    /// Row number as in a spreadsheet program, from 1.
    pub number: u64,
    /// Further lines of a CSV file that were read as part of this row, because of an unclosed quotation mark.
    pub joined_lines: u64,
    cells: Cells<'r>,
    /// Days to add to a number of this sheet to get days since the end of 1899.
    date_offset: f64,
}

#[derive(Clone, Copy)]
enum Cells<'r> {
    Xlsx(&'r [DataRef<'r>]),
    /// Cells, and the column of the first one.
    Xls(&'r [Data], usize),
    Csv(&'r StringRecord),
    Html(&'r [String]),
}

impl<'r> Row<'r> {
    /// Returns the cell in a column, counted from 0.
    pub fn cell(&self, column: usize) -> Cell<'r> {
        match self.cells {
            Cells::Csv(record) => record.get(column).map_or(Cell::Empty, Cell::Text),
            Cells::Html(cells) => cells.get(column).map_or(Cell::Empty, |text| Cell::Text(text)),
            Cells::Xls(cells, left) => {
                column.checked_sub(left).and_then(|column| cells.get(column)).map_or(Cell::Empty, Cell::from_xls)
            }
            Cells::Xlsx(cells) => match cells.get(column) {
                None | Some(DataRef::Empty) => Cell::Empty,
                Some(DataRef::SharedString(text)) => Cell::Text(text),
                Some(DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text)) => {
                    Cell::Text(text)
                }
                Some(DataRef::Float(number)) => Cell::Number(*number),
                #[expect(clippy::cast_precision_loss, reason = "the .xlsx reader returns no integers")]
                Some(DataRef::Int(number)) => Cell::Number(*number as f64),
                Some(DataRef::DateTime(at)) => Cell::Serial(at.as_f64()),
                Some(DataRef::Bool(value)) => Cell::Bool(*value),
                Some(DataRef::Error(_)) => Cell::Error,
            },
        }
    }

    /// Returns all cells, from the first column.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'r>> {
        let row = *self;
        let width = match self.cells {
            Cells::Xlsx(cells) => cells.len(),
            Cells::Xls(cells, left) => left.saturating_add(cells.len()).min(MAX_COLUMNS),
            Cells::Csv(record) => record.len().min(MAX_COLUMNS),
            Cells::Html(cells) => cells.len().min(MAX_COLUMNS),
        };
        (0..width).map(move |column| row.cell(column))
    }

    pub fn is_blank(&self) -> bool {
        self.cells().all(|cell| cell.is_blank())
    }

    /// Returns the text of the only cell of this row; none if the row has other cells or the cell is not a text.
    pub fn only_text(&self) -> Option<&'r str> {
        let mut cells = self.cells().filter(|cell| !cell.is_blank());
        match (cells.next(), cells.next()) {
            (Some(Cell::Text(text)), None) => Some(text.trim()),
            _ => None,
        }
    }

    /// Converts a number of this row to days since the end of 1899.
    pub fn to_serial(self, number: f64) -> f64 {
        number + self.date_offset
    }
}

/// Number of cells that may still be read, over all passes through the sheets of a file.
pub(crate) struct CellBudget {
    cells: u64,
}

impl CellBudget {
    pub fn new() -> Self {
        Self::with_cells(MAX_CELLS)
    }

    pub fn with_cells(cells: u64) -> Self {
        Self { cells }
    }

    fn spend(&mut self, cells: u64) -> Result<(), Rejection> {
        self.cells = self.cells.checked_sub(cells).ok_or(RejectionReason::TooManyCells)?;
        Ok(())
    }
}

/// Rows of a sheet, from the top. Rows without cells are skipped.
pub(crate) enum Rows<'a> {
    Xlsx(Box<XlsxRows<'a>>),
    Xls(XlsRows<'a>),
    Csv(CsvRows),
    Html(HtmlRows<'a>),
}

impl Rows<'_> {
    pub fn next(&mut self, budget: &mut CellBudget) -> Result<Option<Row<'_>>, Rejection> {
        match self {
            Self::Xlsx(rows) => rows.next(budget),
            Self::Xls(rows) => rows.next(budget),
            Self::Csv(rows) => rows.next(budget),
            Self::Html(rows) => rows.next(budget),
        }
    }
}

/// Rows of an .xlsx worksheet. The size that the sheet declares is ignored, because it may be wrong.
pub(crate) struct XlsxRows<'a> {
    reader: XlsxCellReader<'a, BufReader<File>>,
    row: Vec<DataRef<'a>>,
    /// First cell of the next row, with its row and column counted from 0.
    next_row_cell: Option<(u32, usize, DataRef<'a>)>,
    ended: bool,
    date_offset: f64,
}

impl<'a> XlsxRows<'a> {
    pub fn new(reader: XlsxCellReader<'a, BufReader<File>>, is_1904: bool) -> Self {
        let date_offset = if is_1904 { DAYS_FROM_1900_TO_1904_SYSTEM } else { 0.0 };
        Self { reader, row: Vec::with_capacity(MAX_COLUMNS), next_row_cell: None, ended: false, date_offset }
    }

    fn next(&mut self, budget: &mut CellBudget) -> Result<Option<Row<'_>>, Rejection> {
        let Some((number, column, cell)) =
            self.next_row_cell.take().map_or_else(|| self.read_cell(), |cell| Ok(Some(cell)))?
        else {
            return Ok(None);
        };
        let mut cells = 1;
        self.row.clear();
        self.set_cell(column, cell);
        while let Some((row, column, cell)) = self.read_cell()? {
            if row != number {
                self.next_row_cell = Some((row, column, cell));
                break;
            }
            cells += 1;
            self.set_cell(column, cell);
            // A row may have any number of cells, so the budget is also checked within the row.
            if cells > 1_000 {
                budget.spend(cells)?;
                cells = 0;
            }
        }
        budget.spend(cells)?;
        let date_offset = self.date_offset;
        Ok(Some(Row { number: u64::from(number) + 1, joined_lines: 0, cells: Cells::Xlsx(&self.row), date_offset }))
    }

    fn read_cell(&mut self) -> Result<Option<(u32, usize, DataRef<'a>)>, Rejection> {
        // After its end, the reader would continue into the rest of the worksheet's XML.
        if self.ended {
            return Ok(None);
        }
        let cell = self.reader.next_cell().map_err(|_| RejectionReason::Unreadable)?;
        self.ended = cell.is_none();
        Ok(cell.map(|cell| {
            let (row, column) = cell.get_position();
            (row, usize::try_from(column).unwrap_or(usize::MAX), cell.get_value().clone())
        }))
    }

    fn set_cell(&mut self, column: usize, cell: DataRef<'a>) {
        if column >= MAX_COLUMNS {
            return;
        }
        if column == self.row.len() {
            self.row.push(cell);
            return;
        }
        if self.row.len() <= column {
            self.row.resize(column + 1, DataRef::Empty);
        }
        if let Some(existing) = self.row.get_mut(column) {
            *existing = cell;
        }
    }
}

/// Rows of an .xls sheet, which is in memory.
pub(crate) struct XlsRows<'a> {
    rows: std::iter::Enumerate<calamine::Rows<'a, Data>>,
    /// Row and column of the first cell, counted from 0.
    start: (u32, u32),
    date_offset: f64,
}

impl<'a> XlsRows<'a> {
    pub fn new(range: &'a Range<Data>, is_1904: bool) -> Self {
        let date_offset = if is_1904 { DAYS_FROM_1900_TO_1904_SYSTEM } else { 0.0 };
        Self { rows: range.rows().enumerate(), start: range.start().unwrap_or_default(), date_offset }
    }

    fn next(&mut self, budget: &mut CellBudget) -> Result<Option<Row<'_>>, Rejection> {
        let Some((index, cells)) = self.rows.next() else {
            return Ok(None);
        };
        budget.spend(u64::try_from(cells.len()).unwrap_or(u64::MAX))?;
        let index = u64::try_from(index).unwrap_or(u64::MAX);
        let left = usize::try_from(self.start.1).unwrap_or(usize::MAX);
        let number = u64::from(self.start.0).saturating_add(index).saturating_add(1);
        Ok(Some(Row { number, joined_lines: 0, cells: Cells::Xls(cells, left), date_offset: self.date_offset }))
    }
}

/// Rows of a CSV file.
pub(crate) struct CsvRows {
    reader: csv::Reader<Chain<File, &'static [u8]>>,
    record: StringRecord,
}

impl CsvRows {
    pub fn new(file: File) -> Self {
        // A line feed is appended, so that every record ends with one: only then is the record's line number the
        // reader's line minus the line feeds in the record. A carriage return stays in the last cell as whitespace.
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .terminator(Terminator::Any(b'\n'))
            .buffer_capacity(256 * 1024)
            .from_reader(file.chain(b"\n".as_slice()));
        Self { reader, record: StringRecord::new() }
    }

    fn next(&mut self, budget: &mut CellBudget) -> Result<Option<Row<'_>>, Rejection> {
        if !self.reader.read_record(&mut self.record).map_err(|_| RejectionReason::Unreadable)? {
            return Ok(None);
        }
        budget.spend(u64::try_from(self.record.len()).unwrap_or(u64::MAX))?;
        let line_feeds = |text: &str| text.bytes().filter(|c| *c == b'\n').count().try_into().unwrap_or(u64::MAX);
        let text = self.record.as_slice();
        // An unclosed quotation mark makes the last line feed part of the record.
        let end = u64::from(!text.ends_with('\n'));
        let number = self.reader.position().line().saturating_sub(line_feeds(text).saturating_add(end));
        let joined_lines = line_feeds(text.trim_end());
        Ok(Some(Row { number, joined_lines, cells: Cells::Csv(&self.record), date_offset: 0.0 }))
    }
}

/// Rows of the tables of a web page, which are in memory.
pub(crate) struct HtmlRows<'a> {
    rows: std::iter::Enumerate<std::slice::Iter<'a, Vec<String>>>,
}

impl<'a> HtmlRows<'a> {
    pub fn new(rows: &'a [Vec<String>]) -> Self {
        Self { rows: rows.iter().enumerate() }
    }

    fn next(&mut self, budget: &mut CellBudget) -> Result<Option<Row<'_>>, Rejection> {
        let Some((index, cells)) = self.rows.next() else {
            return Ok(None);
        };
        budget.spend(u64::try_from(cells.len()).unwrap_or(u64::MAX))?;
        let number = u64::try_from(index).unwrap_or(u64::MAX).saturating_add(1);
        Ok(Some(Row { number, joined_lines: 0, cells: Cells::Html(cells), date_offset: 0.0 }))
    }
}
