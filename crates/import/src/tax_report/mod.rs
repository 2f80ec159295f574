//! Parser of the brokers' tax reports, which state each sale with its purchase and its head of income. They are compared
//! with the trade log, not imported.
//!
//! Zerodha's tax P&L has a sheet of exits, Groww's capital gains report has one sheet. In both, a heading starts a section
//! of one head of income with its own header. Rows of one share or contract with the same days are added up, because
//! brokers split lots differently than the log does.

mod sections;

use std::collections::{BTreeSet, HashMap};

use prost::Message as _;
use rpc::imports::v1::{FileIssue, SkippedSection, TaxReport, TaxReportHead, TaxReportLine};
use rust_decimal::Decimal;
use time::Date;

use self::sections::{Columns, Section, TaxRow, Title};
use crate::cell_value::format_decimal;
use crate::error::{Rejection, RejectionReason};
use crate::formats::header::Header;
use crate::formats::issue::{Issue, display_sheet_name};
use crate::protocol::{MAX_REPORT_ISSUES, MAX_SKIPPED_SECTIONS, MAX_TAX_LINES, MAX_TAX_REPORT_BYTES};
use crate::report_fields;
use crate::sheet::{Cell, CellBudget, Row};
use crate::workbook::Workbook;

/// Last row number that may be the title.
const MAX_TITLE_ROW: u64 = 100;
/// Rows of all sections.
const MAX_TAX_ROWS: usize = 500_000;
/// Filled cells of a row that counts as one of a table.
const MIN_TABLE_CELLS: usize = 4;
/// Prefix of the name of Zerodha's sheet of exits, in lower case. The other sheets of the workbook repeat its sums.
const EXITS_SHEET: &str = "tradewise exits";

/// Parses the tax report in `book`. Returns `None` if it is none.
///
/// # Errors
/// Rejects a tax report that does not state its period, that has no row that can be read, or that is too large.
pub(crate) fn parse(book: &mut Workbook, budget: &mut CellBudget) -> Result<Option<TaxReport>, Rejection> {
    let mut sheets = book.sheets();
    let is_exits = |name: &String| name.trim().to_lowercase().starts_with(EXITS_SHEET);
    if sheets.iter().any(is_exits) {
        sheets.retain(is_exits);
    }
    let Some(title) = find_title(book, &sheets, budget)? else { return Ok(None) };
    let mut builder = ReportBuilder::default();
    for name in sheets {
        builder.begin_sheet(&name);
        let mut rows = book.rows(&name)?;
        while let Some(row) = rows.next(budget)? {
            if !row.is_blank() {
                builder.read_row(&row)?;
            }
        }
    }
    builder.finish(title).map(Some)
}

/// Returns the first title of these sheets.
fn find_title(book: &mut Workbook, sheets: &[String], budget: &mut CellBudget) -> Result<Option<Title>, Rejection> {
    for name in sheets {
        let mut rows = book.rows(name)?;
        while let Some(row) = rows.next(budget)?.filter(|row| row.number <= MAX_TITLE_ROW) {
            if let Some(title) = row.cells().find_map(Title::from_cell) {
                return Ok(Some(title));
            }
        }
    }
    Ok(None)
}

/// Returns true for a row of a table; false for a line of the summary, which is a label and an amount.
fn is_table_row(row: &Row<'_>) -> bool {
    row.cells().filter(|cell| !cell.is_blank()).count() >= MIN_TABLE_CELLS && report_fields::has_number(row)
}

/// Head, symbol or name, ISIN, day of entry and day of exit of a line.
type LineKey = (TaxReportHead, String, String, Date, Date);

/// Sum of the rows of a line.
struct Line {
    head: TaxReportHead,
    rows: i64,
    sums: TaxRow,
}

/// Report up to the current row.
#[derive(Default)]
struct ReportBuilder {
    /// Name of the current sheet.
    sheet: String,
    section: Section,
    /// Columns of the last header; a section without a header has those of the section before it.
    columns: Option<Columns>,
    sections: BTreeSet<TaxReportHead>,
    skipped: Vec<SkippedSection>,
    /// Rows of all heads so far.
    row_count: usize,
    lines: Vec<Line>,
    /// Index in `lines`.
    line_indexes: HashMap<LineKey, usize>,
    errors: Vec<FileIssue>,
    error_count: i64,
}

impl ReportBuilder {
    fn begin_sheet(&mut self, name: &str) {
        self.sheet = display_sheet_name(name);
        self.section = Section::Outside;
        self.columns = None;
    }

    fn read_row(&mut self, row: &Row<'_>) -> Result<(), Rejection> {
        if let Some(columns) = Columns::from_header(&Header::from_row(row, &[])) {
            self.columns = Some(columns);
            return Ok(());
        }
        if let Some(heading) = row.only_text() {
            self.begin_section(heading);
            return Ok(());
        }
        match (&self.section, self.columns) {
            (Section::Outside, _) => Ok(()),
            (Section::Head(head, _), Some(columns)) => self.read_line(*head, columns, row),
            // The rows of a section whose header lacks a column cannot be read.
            (Section::Head(_, title) | Section::Skipped(title), _) => {
                let title = title.clone();
                if is_table_row(row) && !self.columns.is_some_and(|columns| columns.is_total(row)) {
                    self.count_skipped(title);
                }
                Ok(())
            }
        }
    }

    fn begin_section(&mut self, heading: &str) {
        if heading.to_lowercase().starts_with("total") || Title::from_cell(Cell::Text(heading)).is_some() {
            return;
        }
        self.section = Section::from_heading(heading);
        if let Section::Head(head, _) = self.section {
            self.sections.insert(head);
        }
    }

    /// Counts a row of a section that is not read. Sections above the limit are counted with the last one.
    fn count_skipped(&mut self, title: String) {
        let index = self.skipped.iter().position(|section| section.title == title);
        if index.is_none() && self.skipped.len() < MAX_SKIPPED_SECTIONS {
            self.skipped.push(SkippedSection { title, rows: 0 });
        }
        let counted = match index {
            Some(index) => self.skipped.get_mut(index),
            None => self.skipped.last_mut(),
        };
        if let Some(section) = counted {
            section.rows += 1;
        }
    }

    fn read_line(&mut self, head: TaxReportHead, columns: Columns, row: &Row<'_>) -> Result<(), Rejection> {
        if columns.is_total(row) {
            return Ok(());
        }
        match Issue::unclosed_quote(row).map_or_else(|| columns.read_row(row), Err) {
            Ok(Some(read)) => self.add_row(head, read),
            Ok(None) => Ok(()),
            Err(issue) => {
                self.error_count += 1;
                if self.errors.len() < MAX_REPORT_ISSUES {
                    self.errors.push(issue.locate(row, &self.sheet));
                }
                Ok(())
            }
        }
    }

    /// Adds a row to its line. A sum of 500,000 amounts below the limit of an amount cannot overflow.
    fn add_row(&mut self, head: TaxReportHead, row: TaxRow) -> Result<(), Rejection> {
        self.row_count += 1;
        let symbol = if row.symbol.is_empty() { &row.name } else { &row.symbol };
        let key = (head, symbol.clone(), row.isin.clone(), row.entry_day, row.exit_day);
        match self.line_indexes.get(&key).and_then(|index| self.lines.get_mut(*index)) {
            Some(line) => {
                line.rows += 1;
                line.sums.quantity += row.quantity;
                line.sums.buy_value += row.buy_value;
                line.sums.sell_value += row.sell_value;
                line.sums.profit += row.profit;
            }
            None => {
                self.line_indexes.insert(key, self.lines.len());
                self.lines.push(Line { head, rows: 1, sums: row });
            }
        }
        if self.row_count > MAX_TAX_ROWS || self.lines.len() > MAX_TAX_LINES {
            return Err(RejectionReason::TaxReportTooLarge.into());
        }
        Ok(())
    }

    fn finish(self, title: Title) -> Result<TaxReport, Rejection> {
        let (from, to) = title.period.ok_or(RejectionReason::UnknownPeriod)?;
        if self.lines.is_empty() {
            return Err(match self.errors.first() {
                Some(first) => Rejection::from(RejectionReason::PnlOnlyIssues).with_issue(first),
                None => Rejection::from(RejectionReason::NothingClosed).with("format", title.layout.name()),
            });
        }
        let report = TaxReport {
            format: title.layout.name().to_owned(),
            title: title.text,
            broker: title.layout.broker().into(),
            from: from.to_string(),
            to: to.to_string(),
            lines: self.lines.into_iter().map(TaxReportLine::from).collect(),
            sections: self.sections.into_iter().map(i32::from).collect(),
            skipped_sections: self.skipped,
            errors: self.errors,
            error_count: self.error_count,
            unverified: !title.layout.is_verified(),
        };
        if report.encoded_len() > MAX_TAX_REPORT_BYTES {
            return Err(RejectionReason::TaxReportTooLarge.into());
        }
        Ok(report)
    }
}

impl From<Line> for TaxReportLine {
    fn from(Line { head, rows, sums }: Line) -> Self {
        let [quantity, buy_value, sell_value, profit] =
            [sums.quantity, sums.buy_value, sums.sell_value, sums.profit].map(|number: Decimal| format_decimal(number));
        Self {
            head: head.into(),
            symbol: sums.symbol,
            name: sums.name,
            isin: sums.isin,
            entry_day: sums.entry_day.to_string(),
            exit_day: sums.exit_day.to_string(),
            rows,
            quantity,
            buy_value,
            sell_value,
            profit,
        }
    }
}
