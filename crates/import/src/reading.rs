//! A file to events: what the child does once it is confined.

use std::fs::File;
use std::io;

use rpc::imports::v1::Problem;
use rpc::trades::v1::{ImportBatch, ImportedTrade, Segment};
use time::OffsetDateTime;

use crate::error::{Reason, Refusal};
use crate::field;
use crate::formats::{Fault, FileSoFar, Format, Found, Place};
use crate::probe;
use crate::protocol::{End, Found as FoundEvent, LARGEST_BATCH, Refused, What};
use crate::report;
use crate::sheet::{Budget, Row};
use crate::workbook::Workbook;

/// Rows of trades, and of what should have been trades. As many trades, where a row is two.
const MOST_ROWS: i64 = 500_000;
const MOST_PROBLEMS: usize = 1_000;
const LONGEST_SHOWN: usize = 100;
/// What a spreadsheet program allows.
const LONGEST_SHEET_NAME: usize = 31;

/// Where events go.
pub(crate) type Send<'s> = &'s mut dyn FnMut(What) -> io::Result<()>;

/// Why reading stopped before the end.
enum Stop {
    Refused(Refusal),
    /// Nobody listens.
    Unheard(io::Error),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Unheard(error)
    }
}

/// Sends what `file` holds. A file that is refused is an answer like any other.
pub(crate) fn read(file: File, send: Send<'_>) -> io::Result<()> {
    match read_file(file, send) {
        Ok(()) => Ok(()),
        Err(Stop::Unheard(error)) => Err(error),
        Err(Stop::Refused(refusal)) => {
            send(What::Refused(Refused { reason: refusal.reason.into(), message: refusal.message }))
        }
    }
}

/// Sends what `file` says as a profit and loss report.
pub(crate) fn read_report(file: File, send: Send<'_>) -> io::Result<()> {
    send(match report::read(file) {
        Ok(report) => What::Report(report),
        Err(refusal) => What::Refused(Refused { reason: refusal.reason.into(), message: refusal.message }),
    })
}

fn read_file(file: File, send: Send<'_>) -> Result<(), Stop> {
    let mut budget = Budget::new();
    let mut book = Workbook::open(file)?;
    let (format, sheets) = probe::find(&mut book, &mut budget)?;
    let mut report = Report::new(format, send);
    let mut so_far = FileSoFar::new(OffsetDateTime::now_utc());
    for mut sheet in sheets {
        report.sheet = shown_name(&sheet.name);
        // A file is one report; another one beside it is not its own.
        if sheet.format.name() != format.name() {
            report.leave_out_sheet(sheet.header_row)?;
            continue;
        }
        so_far.begin_sheet(&report.sheet);
        let mut rows = book.rows(&sheet.name)?;
        while let Some(row) = rows.next(&mut budget)? {
            if row.number > sheet.header_row && !row.is_blank() {
                let read = match Fault::of_swallowed(&row) {
                    Some(fault) => Err(fault),
                    None => sheet.reader.read(&row, &mut so_far),
                };
                match read {
                    Ok(None) => (),
                    Ok(Some(found)) => report.add(found, &row, &mut so_far)?,
                    Err(fault) => report.leave_out(fault, &row, &so_far)?,
                }
            }
        }
    }
    report.finish(&so_far)
}

pub(crate) fn shown_name(sheet: &str) -> String {
    sheet.chars().filter(|c| !c.is_control()).take(LONGEST_SHEET_NAME).collect()
}

/// What was read so far.
struct Report<'s> {
    send: Send<'s>,
    format: &'static dyn Format,
    /// Of the first trade: a file goes into one book.
    segment: Option<Segment>,
    sheet: String,
    batch: Vec<ImportedTrade>,
    end: End,
    /// What goes into the end, with the places that order it: what looks odd, and what is so in nearly every file.
    odd: Vec<(Place, Problem)>,
    ordinary: Vec<(Place, Problem)>,
}

impl<'s> Report<'s> {
    fn new(format: &'static dyn Format, send: Send<'s>) -> Self {
        let batch = Vec::with_capacity(LARGEST_BATCH);
        Self {
            send,
            format,
            segment: None,
            sheet: String::new(),
            batch,
            end: End::default(),
            odd: Vec::new(),
            ordinary: Vec::new(),
        }
    }

    /// Counts a row, which may be two trades.
    fn count_row(&mut self) -> Result<(), Stop> {
        self.end.rows += 1;
        if self.end.rows > MOST_ROWS || self.end.trades >= MOST_ROWS {
            let sentence = "The file has more than 5,00,000 rows. Download the report for a shorter time and upload \
                            the parts one after the other.";
            return Err(Refusal::new(Reason::TooManyRows, sentence).into());
        }
        Ok(())
    }

    fn add(&mut self, found: Found, row: &Row<'_>, so_far: &mut FileSoFar) -> Result<(), Stop> {
        match self.segment {
            None => {
                self.segment = Some(found.segment);
                let format = self.format.name().to_owned();
                (self.send)(What::Found(FoundEvent { format, segment: found.segment.into() }))?;
            }
            Some(segment) if segment == found.segment => (),
            Some(_) => {
                let message = "The first trade of the file is of the other trade type, and a file is of one. Upload \
                               this one in a file of its own.";
                return self.leave_out(Fault::row("segment_mixed", message), row, so_far);
            }
        }
        self.count_row()?;
        if let Some(warning) = found.warning {
            let ordinary = warning.ordinary;
            let problem = located(warning, row, &self.sheet);
            self.warn(so_far.place(row), problem, ordinary);
        }
        for mut trade in std::iter::once(found.trade).chain(found.other_leg.map(|leg| *leg)) {
            trade.row = i64::try_from(row.number).unwrap_or_default();
            so_far.taken(&trade, row);
            self.end.trades += 1;
            self.batch.push(trade);
            if self.batch.len() == LARGEST_BATCH {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, fault: Fault, row: &Row<'_>, so_far: &FileSoFar) -> Result<(), Stop> {
        if let Some(sentence) = fault.report.filter(|_| self.segment.is_none()) {
            return Err(Refusal::new(Reason::Unsupported, sentence).into());
        }
        self.count_row()?;
        let no_trade = fault.no_trade;
        let problem = located(fault, row, &self.sheet);
        if no_trade {
            self.end.skipped += 1;
            self.warn(so_far.place(row), problem, true);
        } else {
            self.list(problem);
        }
        Ok(())
    }

    /// The sheet of another report counts as one row, that of its header.
    fn leave_out_sheet(&mut self, header_row: u64) -> Result<(), Stop> {
        self.count_row()?;
        let sentence = format!(
            "The sheet {} is another report than the first one, and a file is one report. Upload it in a file of its \
             own.",
            self.sheet
        );
        self.list(problem(Fault::row("sheet_left_out", sentence), header_row, String::new(), &self.sheet));
        Ok(())
    }

    fn list(&mut self, problem: Problem) {
        self.end.problem_count += 1;
        if self.end.problems.len() < MOST_PROBLEMS {
            self.end.problems.push(problem);
        }
    }

    fn warn(&mut self, place: Place, problem: Problem, ordinary: bool) {
        self.end.warning_count += 1;
        self.end.odd_count += i64::from(!ordinary);
        let list = if ordinary { &mut self.ordinary } else { &mut self.odd };
        if list.len() < MOST_PROBLEMS {
            list.push((place, problem));
        }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        if !self.batch.is_empty() {
            let trades = std::mem::replace(&mut self.batch, Vec::with_capacity(LARGEST_BATCH));
            (self.send)(What::Batch(ImportBatch { trades }))?;
        }
        Ok(())
    }

    fn finish(mut self, so_far: &FileSoFar) -> Result<(), Stop> {
        self.flush()?;
        for (place, fault) in so_far.doubts() {
            self.warn(place, problem(fault, place.row, String::new(), so_far.sheet_name(place)), false);
        }
        // What looks odd is not crowded out by what is so in nearly every file.
        let mut warnings: Vec<_> = self.odd.into_iter().chain(self.ordinary).take(MOST_PROBLEMS).collect();
        warnings.sort_by_key(|(place, _)| *place);
        self.end.warnings = warnings.into_iter().map(|(_, problem)| problem).collect();
        (self.send)(What::End(self.end))?;
        Ok(())
    }
}

/// A fault with its place, and with what stands there.
pub(crate) fn located(fault: Fault, row: &Row<'_>, sheet: &str) -> Problem {
    let value = fault.column.map(|column| field::shown(row.cell(column), LONGEST_SHOWN)).unwrap_or_default();
    problem(fault, row.number, value, sheet)
}

fn problem(fault: Fault, row: u64, value: String, sheet: &str) -> Problem {
    Problem {
        row: i64::try_from(row).unwrap_or(i64::MAX),
        column: fault.column.map(letters).unwrap_or_default(),
        value,
        code: fault.code.to_owned(),
        message: fault.message.into_owned(),
        sheet: sheet.to_owned(),
    }
}

/// A column as a spreadsheet names it.
fn letters(column: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        let digit = u8::try_from((rest - 1) % 26).unwrap_or_default();
        letters.push(char::from(b'A' + digit));
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn columns_are_named_as_in_a_spreadsheet() {
        let cases = [(0, "A"), (14, "O"), (25, "Z"), (26, "AA"), (63, "BL"), (701, "ZZ"), (702, "AAA")];
        for (column, name) in cases {
            assert_eq!(super::letters(column), name);
        }
    }
}
