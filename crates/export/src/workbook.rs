//! XLSX workbooks, written row by row to a temporary file, because the format cannot be streamed.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom};
use std::path::Path;

use rpc::trades::v1::{TimePrecision, Trade};
use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook, Worksheet, XlsxError};
use time::PrimitiveDateTime;

use crate::cell::Cell;
use crate::columns::{HEADER, trade_cells};
use crate::error::Error;
use crate::layout::{AmountFormats, is_long, wrapped};

/// Media type of XLSX.
pub const MEDIA_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// Number of digits that a spreadsheet keeps of a number.
const MAX_DIGITS: usize = 15;

/// Writes trades to an unnamed temporary file in `dir` and returns it, positioned at its beginning. Blocks.
pub fn write_trades(pages: impl IntoIterator<Item = Result<Vec<Trade>, Error>>, dir: &Path) -> Result<File, Error> {
    let mut workbook = new_workbook(dir)?;
    let sheet = workbook.add_worksheet_with_constant_memory()?;
    sheet.set_name("Trades")?.set_freeze_panes(1, 0)?.set_column_width(5, 20)?;
    write_header(sheet, 0, &HEADER, &Format::new().set_bold())?;
    let formats = CellFormats::default();
    let mut row = 0;
    for page in pages {
        for trade in &page? {
            row += 1;
            write_cells(sheet, row, trade_cells(trade)?, &formats)?;
        }
    }
    save(workbook, dir)
}

/// Creates a workbook whose temporary files are in `dir`.
pub(crate) fn new_workbook(dir: &Path) -> Result<Workbook, XlsxError> {
    let mut workbook = Workbook::new();
    workbook.set_tempdir(dir)?;
    Ok(workbook)
}

/// Saves the workbook to an unnamed temporary file.
pub(crate) fn save(mut workbook: Workbook, dir: &Path) -> Result<File, Error> {
    let mut file = tempfile::tempfile_in(dir)?;
    workbook.save_to_writer(BufWriter::new(&mut file))?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// Formats of cells with times, long texts and amounts.
pub(crate) struct CellFormats {
    second: Format,
    minute: Format,
    day: Format,
    long_text: Format,
    amounts: AmountFormats,
    /// Columns with amounts in rupees.
    amount_columns: Vec<u16>,
}

impl CellFormats {
    /// Creates the formats of a table with amounts in some columns.
    pub fn with_amounts(amount_columns: Vec<u16>) -> Self {
        Self { amount_columns, ..Self::default() }
    }

    pub fn is_amount(&self, column: u16) -> bool {
        self.amount_columns.contains(&column)
    }

    /// Returns the format of a number; none if the cell has the format of its column.
    fn number(&self, column: u16, cell: &Cell<'_>) -> Option<&Format> {
        self.is_amount(column).then(|| self.amounts.format(cell.amount()))
    }
}

impl Default for CellFormats {
    fn default() -> Self {
        let format = |text| Format::new().set_num_format(text);
        Self {
            second: format("yyyy-mm-dd hh:mm:ss"),
            minute: format("yyyy-mm-dd hh:mm"),
            day: format("yyyy-mm-dd"),
            long_text: wrapped(&Format::new()),
            amounts: AmountFormats::new(&Format::new()),
            amount_columns: Vec::new(),
        }
    }
}

/// Writes the cells of a row.
pub(crate) fn write_cells<'c>(
    sheet: &mut Worksheet,
    row: u32,
    cells: impl IntoIterator<Item = Cell<'c>>,
    formats: &CellFormats,
) -> Result<(), Error> {
    for (column, cell) in (0..).zip(cells) {
        let format = formats.number(column, &cell);
        match cell {
            Cell::Text(text) if is_long(&text) => {
                sheet.write_string_with_format(row, column, text, &formats.long_text)?;
            }
            Cell::Text(text) => write_text(sheet, row, column, &text)?,
            Cell::Number(text) => write_number(sheet, row, column, text, format)?,
            Cell::Decimal(amount) => write_number(sheet, row, column, &amount.normalize().to_string(), format)?,
            Cell::Formula(formula, result) => {
                let formula = Formula::new(formula).set_result(result.normalize().to_string());
                match format {
                    Some(format) => sheet.write_formula_with_format(row, column, formula, format)?,
                    None => sheet.write_formula(row, column, formula)?,
                };
            }
            Cell::Count(number) => write_number(sheet, row, column, &number.to_string(), None)?,
            Cell::Time(at, precision) => {
                let format = match precision {
                    TimePrecision::Day => &formats.day,
                    TimePrecision::Minute => &formats.minute,
                    TimePrecision::Second | TimePrecision::Unspecified => &formats.second,
                };
                sheet.write_datetime_with_format(row, column, to_excel_time(at)?, format)?;
            }
        }
    }
    Ok(())
}

/// Writes the names of the columns.
pub(crate) fn write_header(sheet: &mut Worksheet, row: u32, names: &[&str], format: &Format) -> Result<(), XlsxError> {
    for (column, name) in (0..).zip(names) {
        sheet.write_string_with_format(row, column, *name, format)?;
    }
    Ok(())
}

/// Writes text as a string, even if it looks like a formula. Writes no cell for an empty text.
pub(crate) fn write_text(sheet: &mut Worksheet, row: u32, column: u16, text: &str) -> Result<(), XlsxError> {
    if !text.is_empty() {
        sheet.write_string(row, column, text)?;
    }
    Ok(())
}

/// Writes a number; as text if a spreadsheet would lose digits.
pub(crate) fn write_number(
    sheet: &mut Worksheet,
    row: u32,
    column: u16,
    text: &str,
    format: Option<&Format>,
) -> Result<(), XlsxError> {
    match (parse_exact(text), format) {
        (Some(number), Some(format)) => sheet.write_number_with_format(row, column, number, format)?,
        (Some(number), None) => sheet.write_number(row, column, number)?,
        (None, _) => sheet.write_string(row, column, text)?,
    };
    Ok(())
}

/// Returns the number if a spreadsheet keeps all of its digits.
fn parse_exact(text: &str) -> Option<f64> {
    let digits = text.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit).count();
    if digits <= MAX_DIGITS { text.parse().ok() } else { None }
}

pub(crate) fn to_excel_time(at: PrimitiveDateTime) -> Result<ExcelDateTime, XlsxError> {
    let (date, time) = (at.date(), at.time());
    let year = u16::try_from(date.year()).unwrap_or_default();
    let day = ExcelDateTime::from_ymd(year, date.month().into(), date.day())?;
    day.and_hms(time.hour().into(), time.minute(), time.second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_would_lose_digits_stays_text() {
        assert_eq!(parse_exact("82.1000"), Some(82.1));
        assert_eq!(parse_exact("0.0001"), Some(0.0001));
        assert_eq!(parse_exact("99999999999.9999"), Some(99_999_999_999.999_9));
        assert_eq!(parse_exact("123456789012.3456"), None);
    }
}
