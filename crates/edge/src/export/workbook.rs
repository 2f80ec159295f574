//! XLSX: written row by row to a file on a thread of its own, and sent when it is whole, as the format wants it.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use futures_util::TryStreamExt;
use http::StatusCode;
use rpc::trades::v1::{TimePrecision, Trade};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use time::PrimitiveDateTime;
use tokio::sync::mpsc;
use tokio::task::JoinError;

use crate::Shared;
use crate::export::columns::{Cell, HEADER, cells};
use crate::export::{Pages, log, sent};
use crate::problem::Problem;
use crate::record::Unwritable;

pub(crate) const TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// Workbooks that are written at once; the next one waits.
pub(crate) const AT_ONCE: usize = 2;
/// Digits that a spreadsheet keeps of a number.
const DIGITS: usize = 15;
/// Pages that wait to be written.
const AHEAD: usize = 2;

/// A workbook with the trades.
pub(crate) async fn body(app: &Shared, mut trades: Pages) -> Result<Body, Problem> {
    let permit = Arc::clone(&app.workbooks).acquire_owned().await.map_err(|_| Problem::internal())?;
    let dir = app.settings.spool_dir.clone().unwrap_or_else(std::env::temp_dir);
    let (pages, written) = mpsc::channel(AHEAD);
    let writing = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        write(written, dir)
    });
    let fed = async {
        while let Some(page) = trades.try_next().await? {
            // Fails when the writer has given up, and it says why.
            if pages.send(Next::Page(page)).await.is_err() {
                return Ok(());
            }
        }
        let _ = pages.send(Next::End).await;
        Ok(())
    };
    fed.await.inspect_err(log)?;
    drop(pages);
    let file = writing.await.map_err(Unfinished::from).flatten()?;
    Ok(sent(file))
}

enum Next {
    Page(Vec<Trade>),
    /// All trades were there.
    End,
}

/// Why there is no workbook.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfinished {
    #[error("cannot write a workbook")]
    Sheet(#[source] XlsxError),
    #[error("cannot keep a workbook")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
    #[error("nobody wants the workbook any more")]
    Unwanted,
}

impl From<XlsxError> for Unfinished {
    fn from(error: XlsxError) -> Self {
        // It does not name these among its sources.
        match error {
            XlsxError::IoError(error) => Self::Io(error),
            XlsxError::ZipError(error) => Self::Io(error.into()),
            error => Self::Sheet(error),
        }
    }
}

impl From<JoinError> for Unfinished {
    fn from(error: JoinError) -> Self {
        let panic = error.try_into_panic().ok().and_then(|panic| panic.downcast::<String>().ok());
        let words = panic.map_or_else(String::new, |words| *words);
        // The library panics where its own temporary file finds no room.
        let full = ["StorageFull", "QuotaExceeded"].iter().any(|kind| words.contains(kind));
        Self::Io(io::Error::new(if full { io::ErrorKind::StorageFull } else { io::ErrorKind::Other }, words))
    }
}

impl From<Unfinished> for Problem {
    fn from(error: Unfinished) -> Self {
        if matches!(error, Unfinished::Sheet(XlsxError::RowColumnLimitError)) {
            let detail = "A sheet of Excel takes 10,48,575 trades. Export a shorter time, or CSV.";
            return Self::new(StatusCode::UNPROCESSABLE_ENTITY, "too_many_trades", detail);
        }
        tracing::error!(error = %rpc::failure::chain(&error), "a workbook was not written");
        Self::unkept(&error)
    }
}

fn write(mut pages: mpsc::Receiver<Next>, dir: PathBuf) -> Result<File, Unfinished> {
    let mut workbook = Workbook::new();
    workbook.set_tempdir(&dir)?;
    let mut sheet = Sheet::begin(workbook.add_worksheet_with_constant_memory()?)?;
    loop {
        match pages.blocking_recv() {
            Some(Next::Page(trades)) => {
                for trade in &trades {
                    sheet.add(trade)?;
                }
            }
            Some(Next::End) => break,
            None => return Err(Unfinished::Unwanted),
        }
    }
    let mut file = tempfile::tempfile_in(dir)?;
    workbook.save_to_writer(BufWriter::new(&mut file))?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// The sheet as far as it is written.
struct Sheet<'w> {
    sheet: &'w mut Worksheet,
    row: u32,
    second: Format,
    minute: Format,
    day: Format,
}

impl<'w> Sheet<'w> {
    fn begin(sheet: &'w mut Worksheet) -> Result<Self, XlsxError> {
        sheet.set_name("Trades")?;
        sheet.set_freeze_panes(1, 0)?;
        sheet.set_column_width(5, 20)?;
        let bold = Format::new().set_bold();
        for (column, name) in (0..).zip(HEADER) {
            sheet.write_string_with_format(0, column, name, &bold)?;
        }
        let format = |text| Format::new().set_num_format(text);
        Ok(Self {
            sheet,
            row: 0,
            second: format("yyyy-mm-dd hh:mm:ss"),
            minute: format("yyyy-mm-dd hh:mm"),
            day: format("yyyy-mm-dd"),
        })
    }

    fn add(&mut self, trade: &Trade) -> Result<(), Unfinished> {
        self.row += 1;
        for (column, cell) in (0..).zip(cells(trade)?) {
            match cell {
                Cell::Text(text) => write_text(self.sheet, self.row, column, text)?,
                Cell::Number(text) => write_number(self.sheet, self.row, column, text)?,
                Cell::Time(at, precision) => {
                    let format = match precision {
                        TimePrecision::Day => &self.day,
                        TimePrecision::Minute => &self.minute,
                        TimePrecision::Second | TimePrecision::Unspecified => &self.second,
                    };
                    self.sheet.write_datetime_with_format(self.row, column, excel_time(at)?, format)?;
                }
            }
        }
        Ok(())
    }
}

/// A string is a string, whatever it begins with. An empty one is no cell.
pub(crate) fn write_text(sheet: &mut Worksheet, row: u32, column: u16, text: &str) -> Result<(), XlsxError> {
    if !text.is_empty() {
        sheet.write_string(row, column, text)?;
    }
    Ok(())
}

/// A number, as text where a spreadsheet would lose digits.
pub(crate) fn write_number(sheet: &mut Worksheet, row: u32, column: u16, text: &str) -> Result<(), XlsxError> {
    match number(text) {
        Some(number) => sheet.write_number(row, column, number)?,
        None => sheet.write_string(row, column, text)?,
    };
    Ok(())
}

/// The number, where a spreadsheet keeps all of its digits.
fn number(text: &str) -> Option<f64> {
    let digits = text.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit).count();
    if digits <= DIGITS { text.parse().ok() } else { None }
}

fn excel_time(at: PrimitiveDateTime) -> Result<ExcelDateTime, XlsxError> {
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
        assert_eq!(number("82.1000"), Some(82.1));
        assert_eq!(number("0.0001"), Some(0.0001));
        assert_eq!(number("99999999999.9999"), Some(99_999_999_999.999_9));
        assert_eq!(number("123456789012.3456"), None);
    }
}
