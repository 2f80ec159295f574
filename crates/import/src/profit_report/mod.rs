//! Parser of the brokers' profit and loss reports, which state the result of a period without its trades. They are
//! compared with the trade log, not imported.
//!
//! One parser reads all of them: a title with the period, lines of charges, and tables that are recognised by their
//! headers. Zerodha has a row per share or contract. Groww has a row per buy matched with its sell; rows of one share are
//! added up.

mod charge_names;
mod tables;
mod title;

use std::collections::HashMap;
use std::fs::File;

use rpc::imports::v1::{ChargeKind, ChargeLine, FileIssue, ProfitReport, ProfitRow, TaxReport};
use rust_decimal::Decimal;

use self::tables::{ClosedPosition, Section};
use self::title::{ReportKind, Title};
use crate::cell_value;
use crate::error::{Rejection, RejectionReason};
use crate::format_detection::{self, Layouts};
use crate::formats::format::Format;
use crate::formats::header::Header;
use crate::formats::issue::{Issue, display_sheet_name};
use crate::protocol::{MAX_REPORT_CHARGES, MAX_REPORT_ISSUES, MAX_REPORT_ROWS, MAX_REPORT_TEXT_CHARS};
use crate::report_fields;
use crate::sheet::{CellBudget, Row};
use crate::tax_report;
use crate::workbook::Workbook;

/// Lines of charges with their own name. Further charges are added to a line of their kind, for which room is left.
const MAX_NAMED_CHARGES: usize = MAX_REPORT_CHARGES - 10;
/// Rows of matched buys and sells.
const MAX_MATCHED_ROWS: usize = 500_000;

/// Content of a broker's report.
#[derive(Debug)]
pub enum Report {
    /// Result of a period by share or contract.
    ProfitReport(ProfitReport),
    /// Sales of a period with their purchases.
    TaxReport(TaxReport),
}

/// Parses the profit and loss report or tax report in `file`.
///
/// # Errors
/// Rejects a file that is not such a report, with its kind if it is known.
pub(crate) fn parse(file: File) -> Result<Report, Rejection> {
    let mut budget = CellBudget::new();
    let mut book = Workbook::open(file)?;
    let not_a_trades_file = match format_detection::detect_format(&mut book, &mut budget, Layouts::All(&[])) {
        Ok((format, _)) => return Err(trades_file(format)),
        Err(rejection)
            if matches!(
                rejection.reason,
                RejectionReason::Unsupported | RejectionReason::Unknown | RejectionReason::Ledger
            ) =>
        {
            rejection
        }
        Err(rejection) => return Err(rejection),
    };
    if let Some(report) = tax_report::parse(&mut book, &mut budget)? {
        return Ok(Report::TaxReport(report));
    }
    let mut builder = ReportBuilder::default();
    for name in book.sheets() {
        builder.begin_sheet(&name);
        let mut rows = book.rows(&name)?;
        while let Some(row) = rows.next(&mut budget)? {
            if !row.is_blank() {
                builder.read_row(&row)?;
            }
        }
    }
    builder.finish(not_a_trades_file).map(Report::ProfitReport)
}

/// Report up to the current row.
#[derive(Default)]
struct ReportBuilder {
    title: Option<Title>,
    /// Number of sheets so far.
    sheets: usize,
    /// Name of the current sheet.
    sheet: String,
    section: Section,
    /// The current rows are below a heading of charges, so every label is a charge.
    in_charges: bool,
    /// Number of the sheet whose charges count; other sheets repeat them.
    charges_sheet: Option<usize>,
    /// Number of the sheet whose table counts; other sheets repeat it.
    table_sheet: Option<usize>,
    /// A sheet has a table that is not sufficient, such as Groww's table by share.
    has_ignored_table: bool,
    charges: Vec<ChargeLine>,
    /// Amounts of `charges`.
    amounts: Vec<Decimal>,
    /// Total of debits and credits that do not belong to trades.
    other_debits: Option<Decimal>,
    /// The debits and credits are listed one by one, so their total is not needed.
    has_debit_list: bool,
    /// Rows of closed positions so far.
    closed_rows: usize,
    positions: Vec<ClosedPosition>,
    /// Index in `positions` by symbol or name, and ISIN.
    position_indexes: HashMap<(String, String), usize>,
    realised: Option<Decimal>,
    open_positions: i64,
    errors: Vec<FileIssue>,
    error_count: i64,
}

impl ReportBuilder {
    fn begin_sheet(&mut self, name: &str) {
        self.sheets += 1;
        self.sheet = display_sheet_name(name);
        self.section = Section::Top;
        self.in_charges = false;
    }

    fn read_row(&mut self, row: &Row<'_>) -> Result<(), Rejection> {
        if let Some(title) = row.cells().find_map(Title::from_cell) {
            return self.add_title(title);
        }
        if let Some(section) = Section::from_header(&Header::from_row(row, &[])) {
            self.begin_section(section);
            return Ok(());
        }
        if let Some(heading) = row.only_text() {
            self.handle_heading(heading);
            return Ok(());
        }
        let first = row.cells().find_map(cell_value::parse_text).unwrap_or_default().to_lowercase();
        let is_share = matches!(self.section, Section::Closed(columns) if columns.has_isin(row));
        if first.starts_with("total") && !is_share && !charge_names::is_charge(&first) {
            return Ok(());
        }
        match self.section {
            Section::Top => self.read_summary_line(row),
            Section::Ignored => (),
            Section::Open => self.open_positions += i64::from(report_fields::has_number(row)),
            Section::Debits(columns) => {
                if let Some((kind, label, amount)) = columns.read_row(row) {
                    self.has_debit_list = true;
                    self.add_charge(kind, &label, amount);
                }
            }
            Section::Closed(columns) => match Issue::unclosed_quote(row).map_or_else(|| columns.read_row(row), Err) {
                Ok(Some(closed)) => self.add_closed(closed)?,
                Ok(None) => self.open_positions += 1,
                Err(issue) => {
                    self.error_count += 1;
                    if self.errors.len() < MAX_REPORT_ISSUES {
                        self.errors.push(issue.locate(row, &self.sheet));
                    }
                }
            },
        }
        Ok(())
    }

    fn add_title(&mut self, title: Title) -> Result<(), Rejection> {
        match &self.title {
            Some(first) if first.kind != title.kind => Err(RejectionReason::TwoSegments.into()),
            Some(_) => Ok(()),
            None => {
                self.title = Some(title);
                Ok(())
            }
        }
    }

    /// Starts a section. A table in a further sheet repeats the first one and is ignored.
    fn begin_section(&mut self, section: Section) {
        self.in_charges = false;
        self.section = match section {
            Section::Closed(_) if self.table_sheet.is_some_and(|sheet| sheet != self.sheets) => Section::Ignored,
            section => section,
        };
        match self.section {
            Section::Closed(_) => self.table_sheet = Some(self.sheets),
            Section::Ignored => self.has_ignored_table = true,
            Section::Top | Section::Open | Section::Debits(_) => (),
        }
    }

    fn handle_heading(&mut self, heading: &str) {
        let heading = heading.to_lowercase();
        self.in_charges = heading == "charges";
        if heading.starts_with("disclaimer") {
            self.section = Section::Ignored;
        }
    }

    /// Reads a line of the summary or of the charges: a label and an amount.
    fn read_summary_line(&mut self, row: &Row<'_>) {
        let Some((label, amount)) = tables::read_label_and_amount(row) else {
            self.in_charges |= Header::from_row(row, &[]).has_all(&["accounthead", "amount"]);
            return;
        };
        let name = label.to_lowercase();
        match name.as_str() {
            "realised p&l" | "realized p&l" => {
                self.realised.get_or_insert(amount);
            }
            "other credit & debit" => {
                self.other_debits.get_or_insert(-amount);
            }
            "charges" | "unrealised p&l" | "unrealized p&l" => (),
            _ => {
                let kind = charge_names::charge_kind(&name).or_else(|| self.in_charges.then_some(ChargeKind::Other));
                if let Some(kind) = kind
                    && *self.charges_sheet.get_or_insert(self.sheets) == self.sheets
                {
                    self.add_charge(kind, &label, amount);
                }
            }
        }
    }

    /// Adds a charge to the line with its label, or to any line of its kind if there are too many labels.
    fn add_charge(&mut self, kind: ChargeKind, label: &str, amount: Decimal) {
        let label: String = label.chars().take(MAX_REPORT_TEXT_CHARS).collect();
        let is_full = self.charges.len() >= MAX_NAMED_CHARGES;
        let existing = self.charges.iter().position(|line| line.kind() == kind && (is_full || line.label == label));
        let index = existing.unwrap_or_else(|| {
            self.charges.push(ChargeLine { kind: kind.into(), label, amount: String::new() });
            self.amounts.push(Decimal::ZERO);
            self.charges.len() - 1
        });
        if let Some(sum) = self.amounts.get_mut(index) {
            *sum = sum.saturating_add(amount);
        }
    }

    /// Adds a closed row to the position of its share or contract.
    fn add_closed(&mut self, closed: ClosedPosition) -> Result<(), Rejection> {
        self.closed_rows += 1;
        let key = if closed.isin.is_empty() {
            (closed.symbol.clone() + &closed.name, String::new())
        } else {
            (closed.symbol.clone(), closed.isin.clone())
        };
        match self.position_indexes.get(&key).and_then(|index| self.positions.get_mut(*index)) {
            Some(position) => position.add(&closed),
            None => {
                self.position_indexes.insert(key, self.positions.len());
                self.positions.push(closed);
            }
        }
        if self.closed_rows > MAX_MATCHED_ROWS || self.positions.len() > MAX_REPORT_ROWS {
            return Err(RejectionReason::PnlReportTooLarge.into());
        }
        Ok(())
    }

    /// Returns the report. `not_a_trades_file` is the rejection of the file as a list of trades.
    fn finish(mut self, not_a_trades_file: Rejection) -> Result<ProfitReport, Rejection> {
        let Some(title) = self.title.take() else {
            return Err(if self.table_sheet.is_some() {
                RejectionReason::UnknownPeriod.into()
            } else {
                not_a_report(not_a_trades_file)
            });
        };
        let kind = title.kind.check_supported()?;
        let (from, to) = title.period.ok_or(RejectionReason::UnknownPeriod)?;
        if self.positions.is_empty() {
            return Err(self.no_closed_positions(kind));
        }
        if let Some(other) = self.other_debits.filter(|other| !self.has_debit_list && !other.is_zero()) {
            self.add_charge(ChargeKind::Other, "Other Credit & Debit", other);
        }
        let amounts = self.charges.iter_mut().zip(&self.amounts);
        amounts.for_each(|(line, amount)| line.amount = cell_value::format_decimal(*amount));
        Ok(ProfitReport {
            format: kind.name().to_owned(),
            title: title.text,
            book: Some(kind.book()),
            from: from.to_string(),
            to: to.to_string(),
            rows: self.positions.into_iter().map(ProfitRow::from).collect(),
            charges: self.charges,
            realised: self.realised.map(cell_value::format_decimal).unwrap_or_default(),
            open_positions: self.open_positions,
            errors: self.errors,
            error_count: self.error_count,
        })
    }

    /// Rejects a report without closed positions, with the reason.
    fn no_closed_positions(&self, kind: ReportKind) -> Rejection {
        match self.errors.first() {
            Some(first) => Rejection::from(RejectionReason::PnlOnlyIssues).with_issue(first),
            None if self.table_sheet.is_none() && self.has_ignored_table => RejectionReason::GrowwStocksPnlPart.into(),
            None => Rejection::from(RejectionReason::NothingClosed).with("format", kind.name()),
        }
    }
}

/// Rejects a file of trades, which is to be imported.
fn trades_file(format: &dyn Format) -> Rejection {
    if format.name() == ReportKind::GrowwFno.name() {
        return RejectionReason::GrowwFnoPnl.into();
    }
    Rejection::from(RejectionReason::TradesFile).with("format", format.name())
}

/// Rejects a file that is no profit and loss report. `not_a_trades_file` has the code of the report if it is a known one.
fn not_a_report(not_a_trades_file: Rejection) -> Rejection {
    let reason = match not_a_trades_file.reason {
        RejectionReason::Unsupported | RejectionReason::Ledger => RejectionReason::UnsupportedNotPnl,
        _ => RejectionReason::UnknownNotPnl,
    };
    Rejection { reason, ..not_a_trades_file }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_too_many_matched_rows_even_of_one_share() {
        let mut builder = ReportBuilder { closed_rows: MAX_MATCHED_ROWS - 1, ..ReportBuilder::default() };
        builder.add_closed(ClosedPosition::default()).unwrap();
        let rejection = builder.add_closed(ClosedPosition::default()).unwrap_err();
        assert_eq!(rejection.reason, RejectionReason::PnlReportTooLarge);
    }
}
