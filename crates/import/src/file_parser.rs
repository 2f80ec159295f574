//! Parses a file to events. Runs in the parser process.

use std::fs::File;
use std::io;

use rpc::imports::v1::{FileIssue, RedactLayoutResponse};
use rpc::trades::v1::{ImportBatch, ImportedTrade, Segment};
use time::OffsetDateTime;

use crate::contract_note::{self, ContractNotes};
use crate::error::{Rejection, RejectionReason, segment_name};
use crate::file_owner::FileOwner;
use crate::format_detection::{self, Layouts};
use crate::formats::file_state::FileState;
use crate::formats::format::{Format, ParsedRow};
use crate::formats::issue::{Issue, display_sheet_name};
use crate::formats::row_position::RowPosition;
use crate::formats::stated_charges::StatedCharges;
use crate::ledger;
use crate::note_layout;
use crate::pdf;
use crate::profit_report;
use crate::profit_report::Report;
use crate::protocol::{
    Event, FileFormat, FileSummary, MAX_BATCH_TRADES, MAX_CONTRACT_NOTES, MAX_LISTED_ISSUES, MAX_ROWS, ParserOptions,
    RejectedFile,
};
use crate::sheet::{CellBudget, Row};
use crate::table;
use crate::workbook::Workbook;

/// Receiver of the events.
pub(crate) type EventSink<'s> = &'s mut dyn FnMut(Event) -> io::Result<()>;

/// Reason for stopping before the end of the file.
enum ParseError {
    Rejected(Rejection),
    /// The event could not be sent.
    Send(io::Error),
}

impl From<Rejection> for ParseError {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl From<io::Error> for ParseError {
    fn from(error: io::Error) -> Self {
        Self::Send(error)
    }
}

impl From<Rejection> for Event {
    fn from(rejection: Rejection) -> Self {
        let params = rejection.params.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self::Rejected(RejectedFile { reason: rejection.reason.into(), params })
    }
}

/// Parses the trades of `file`; of `segment`, if the file has trades of both. A table without a known format is read with
/// one of the mappings of `options`. A rejection is sent as an event.
pub(crate) fn parse_trades(
    file: File,
    segment: Segment,
    options: &ParserOptions,
    send: EventSink<'_>,
) -> io::Result<()> {
    let sent = send_trades(file, segment, options, send);
    send_rejection(sent, send)
}

/// Sends the table of `file`, and the trades that the first mapping of `options` makes of it.
pub(crate) fn parse_table(file: File, options: &ParserOptions, send: EventSink<'_>) -> io::Result<()> {
    let sent = send_table(file, options, send);
    send_rejection(sent, send)
}

fn send_rejection(sent: Result<(), ParseError>, send: EventSink<'_>) -> io::Result<()> {
    match sent {
        Ok(()) => Ok(()),
        Err(ParseError::Send(error)) => Err(error),
        Err(ParseError::Rejected(rejection)) => send(rejection.into()),
    }
}

fn send_table(file: File, options: &ParserOptions, send: EventSink<'_>) -> Result<(), ParseError> {
    let mut book = Workbook::open(file)?;
    let header_row = (options.header_row > 0).then(|| options.header_row.into());
    let table = table::read_table(&mut book, &mut CellBudget::new(), header_row)?;
    send(Event::Table(table))?;
    let Some(mapping) = options.mappings.first() else { return Ok(()) };
    let (output, state) = read_trades(&mut book, None, Layouts::Mapping(mapping), send)?;
    output.finish(&state)
}

/// Parses the profit and loss report or tax report in `file`. A rejection is sent as an event.
pub(crate) fn parse_profit_report(file: File, send: EventSink<'_>) -> io::Result<()> {
    send(match profit_report::parse(file) {
        Ok(Report::ProfitReport(report)) => Event::ProfitReport(report),
        Ok(Report::TaxReport(report)) => Event::TaxReport(report),
        Err(rejection) => rejection.into(),
    })
}

/// Parses the ledger in `file`. A rejection is sent as an event.
pub(crate) fn parse_ledger(file: File, send: EventSink<'_>) -> io::Result<()> {
    send(match ledger::parse(file) {
        Ok(ledger) => Event::Ledger(ledger),
        Err(rejection) => rejection.into(),
    })
}

/// Sends the layout of the contract note in `file` with names and numbers masked. A rejection is sent as an event.
pub(crate) fn parse_layout(file: File, options: &ParserOptions, send: EventSink<'_>) -> io::Result<()> {
    send(match note_layout::read(file, options.password()) {
        Ok(text) => Event::Layout(RedactLayoutResponse { text }),
        Err(rejection) => rejection.into(),
    })
}

fn send_trades(file: File, segment: Segment, options: &ParserOptions, send: EventSink<'_>) -> Result<(), ParseError> {
    let of_notes =
        |ContractNotes { rows, notes, signature }| (Workbook::Html(rows), notes, signature, Layouts::ContractNotes);
    let (mut book, notes, signature, layouts) = if pdf::is_pdf(&file)? {
        of_notes(contract_note::read(file, options.password())?)
    } else {
        let mut book = Workbook::open(file)?;
        match contract_note::read_workbook(&mut book)? {
            Some(notes) => of_notes(notes),
            None => (book, Vec::new(), None, Layouts::All(&options.mappings)),
        }
    };
    let (mut output, mut state) = read_trades(&mut book, Some(segment), layouts, send)?;
    if output.summary.trades == 0 && output.summary.other_segment_rows > 0 {
        // Nothing was sent, because all trades are of the other segment.
        (output, state) = read_trades(&mut book, None, layouts, output.send)?;
    }
    output.summary.contract_notes = notes;
    output.summary.signature = signature.map(Box::new);
    output.finish(&state)
}

/// Reads all rows, except those of the other segment than `only_segment`.
fn read_trades<'s>(
    book: &mut Workbook,
    only_segment: Option<Segment>,
    layouts: Layouts<'_>,
    send: EventSink<'s>,
) -> Result<(TradeOutput<'s>, FileState), ParseError> {
    let mut budget = CellBudget::new();
    let (format, sheets) = format_detection::detect_format(book, &mut budget, layouts)?;
    let owner = sheets.first().map(|sheet| sheet.owner.clone()).unwrap_or_default();
    let mapping = sheets.first().and_then(|sheet| sheet.mapping);
    let mut output = TradeOutput::new(format, owner, send);
    output.mapping = mapping;
    let mut state = FileState::new(OffsetDateTime::now_utc());
    for mut sheet in sheets {
        output.sheet = display_sheet_name(&sheet.name);
        // A file is one report. A sheet of another format is reported, not imported.
        if (sheet.format.name(), sheet.mapping) != (format.name(), mapping) {
            output.reject_sheet(sheet.header_row)?;
            continue;
        }
        state.begin_sheet(&output.sheet);
        if !sheet.reader.is_verified() && output.unverified_header.is_none() {
            output.unverified_header = Some((state.position_of(sheet.header_row), output.sheet.clone()));
        }
        let mut rows = book.rows(&sheet.name)?;
        while let Some(row) = rows.next(&mut budget)? {
            if row.number > sheet.header_row && !row.is_blank() {
                let parsed = match (Issue::unclosed_quote(&row), sheet.reader.segment(&row)) {
                    (Some(issue), _) => Err(issue),
                    (None, Some(segment)) if only_segment.is_some_and(|only| only != segment) => {
                        output.summary.other_segment_rows += 1;
                        continue;
                    }
                    (None, _) => sheet.reader.read_row(&row, &mut state),
                };
                if let Some(reader) = sheet.reader.charges()
                    && let Some(issue) = output.charges.add_row(reader, &row, &parsed)
                {
                    let warning = issue.locate(&row, &output.sheet);
                    output.add_warning(state.position(&row), warning, false);
                }
                match parsed {
                    Ok(None) => (),
                    Ok(Some(parsed)) => output.add_row(parsed, &row, &mut state)?,
                    Err(issue) => output.add_issue(issue, &row, &state)?,
                }
            }
        }
        output.summary.is_date_order_open |= sheet.reader.is_date_order_open();
        for (position, issue) in sheet.reader.finish() {
            let warning = issue.locate_row(position.row, &output.sheet);
            output.add_warning(position, warning, false);
        }
    }
    Ok((output, state))
}

/// Collects trades into batches, and counts rows and issues.
struct TradeOutput<'s> {
    send: EventSink<'s>,
    format: &'static dyn Format,
    owner: FileOwner,
    /// Number of the mapping with which the file is read.
    mapping: Option<usize>,
    /// Segment of the first trade. A file goes into one book.
    segment: Option<Segment>,
    /// Name of the current sheet.
    sheet: String,
    /// Header of the first table with a layout that was never seen in a real file.
    unverified_header: Option<(RowPosition, String)>,
    batch: Vec<ImportedTrade>,
    charges: StatedCharges,
    summary: FileSummary,
    /// Warnings about odd trades, with the positions that order the final list.
    odd_warnings: Vec<(RowPosition, FileIssue)>,
    /// Warnings that occur in nearly every file.
    expected_warnings: Vec<(RowPosition, FileIssue)>,
}

impl<'s> TradeOutput<'s> {
    fn new(format: &'static dyn Format, owner: FileOwner, send: EventSink<'s>) -> Self {
        Self {
            send,
            format,
            owner,
            mapping: None,
            segment: None,
            sheet: String::new(),
            unverified_header: None,
            batch: Vec::with_capacity(MAX_BATCH_TRADES),
            charges: StatedCharges::default(),
            summary: FileSummary::default(),
            odd_warnings: Vec::new(),
            expected_warnings: Vec::new(),
        }
    }

    /// Counts a row, which may be two trades.
    fn count_row(&mut self) -> Result<(), ParseError> {
        self.summary.rows += 1;
        if self.summary.rows > MAX_ROWS || self.summary.trades >= MAX_ROWS {
            return Err(Rejection::from(RejectionReason::TooManyRows).into());
        }
        Ok(())
    }

    /// Adds the trades of a row. A trade of another segment than the first one is an error.
    fn add_row(&mut self, parsed: ParsedRow, row: &Row<'_>, state: &mut FileState) -> Result<(), ParseError> {
        match self.segment {
            None => {
                self.segment = Some(parsed.segment);
                let format = self.format.name().to_owned();
                let FileOwner { client_code, holder } = self.owner.clone();
                let segment = parsed.segment.into();
                let mapping = self.mapping.and_then(|number| u32::try_from(number).ok());
                (self.send)(Event::Format(FileFormat { format, segment, client_code, holder, mapping }))?;
            }
            Some(segment) if segment == parsed.segment => (),
            Some(_) => return self.add_issue(Issue::in_row("segment_mismatch"), row, state),
        }
        self.count_row()?;
        if let Some(warning) = parsed.warning {
            let is_expected = warning.is_expected;
            let warning = warning.locate(row, &self.sheet);
            self.add_warning(state.position(row), warning, is_expected);
        }
        for mut trade in std::iter::once(parsed.trade).chain(parsed.other_leg.map(|leg| *leg)) {
            trade.row = i64::try_from(row.number).unwrap_or_default();
            state.record_trade(&trade, row);
            self.summary.trades += 1;
            self.batch.push(trade);
            if self.batch.len() == MAX_BATCH_TRADES {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Adds an error or a skipped row. Rejects the file if the first rows show that it is an unsupported report.
    fn add_issue(&mut self, issue: Issue, row: &Row<'_>, state: &FileState) -> Result<(), ParseError> {
        if let Some(report) = issue.unsupported_report.filter(|_| self.segment.is_none()) {
            return Err(Rejection::from(RejectionReason::Unsupported).with("report", report).into());
        }
        self.count_row()?;
        let is_skipped = issue.is_skipped;
        let located = issue.locate(row, &self.sheet);
        if is_skipped {
            self.summary.skipped += 1;
            self.add_warning(state.position(row), located, true);
        } else {
            self.add_error(located);
        }
        Ok(())
    }

    /// Adds an error for a sheet of another format. It counts as one row, that of its header.
    fn reject_sheet(&mut self, header_row: u64) -> Result<(), ParseError> {
        self.count_row()?;
        let error = Issue::in_row("sheet_not_imported").locate_row(header_row, &self.sheet);
        self.add_error(error);
        Ok(())
    }

    fn add_error(&mut self, error: FileIssue) {
        self.summary.error_count += 1;
        self.count_issue(&error.code);
        if self.summary.errors.len() < MAX_LISTED_ISSUES {
            self.summary.errors.push(error);
        }
    }

    fn add_warning(&mut self, position: RowPosition, warning: FileIssue, is_expected: bool) {
        self.summary.warning_count += 1;
        self.count_issue(&warning.code);
        self.summary.odd_count += i64::from(!is_expected);
        let list = if is_expected { &mut self.expected_warnings } else { &mut self.odd_warnings };
        if list.len() < MAX_LISTED_ISSUES {
            list.push((position, warning));
        }
    }

    fn count_issue(&mut self, code: &str) {
        match self.summary.issue_counts.get_mut(code) {
            Some(count) => *count += 1,
            None => drop(self.summary.issue_counts.insert(code.to_owned(), 1)),
        }
    }

    /// Adds the warnings about the whole table.
    fn warn_about_table(&mut self) {
        if let Some((position, sheet)) = self.unverified_header.take() {
            let warning = Issue::in_row("format_unverified").locate_row(position.row, &sheet);
            self.add_warning(position, warning, false);
        }
        let rows = self.summary.other_segment_rows;
        if let Some(segment) = self.segment.filter(|_| rows > 0) {
            let other = if segment == Segment::Fno { Segment::Equity } else { Segment::Fno };
            let issue = Issue::in_row("other_segment").with("count", rows).with("segment", segment_name(other));
            self.add_warning(RowPosition { sheet: 1, row: 1 }, issue.locate_row(1, &self.sheet.clone()), true);
        }
    }

    /// Sends the current batch.
    fn flush(&mut self) -> Result<(), ParseError> {
        if !self.batch.is_empty() {
            let trades = std::mem::replace(&mut self.batch, Vec::with_capacity(MAX_BATCH_TRADES));
            (self.send)(Event::Batch(ImportBatch { trades }))?;
        }
        Ok(())
    }

    fn finish(mut self, state: &FileState) -> Result<(), ParseError> {
        self.flush()?;
        if self.summary.trades > 0 {
            self.warn_about_table();
        }
        if let Some(segment) = self.segment {
            self.summary.contract_notes.extend(self.charges.to_notes(segment, MAX_CONTRACT_NOTES));
        }
        for (position, issue) in state.warnings() {
            let warning = issue.locate_row(position.row, state.sheet_name(position));
            self.add_warning(position, warning, false);
        }
        // Odd trades are listed first, so that expected warnings do not use up the limit.
        let warnings = self.odd_warnings.into_iter().chain(self.expected_warnings);
        let mut warnings: Vec<_> = warnings.take(MAX_LISTED_ISSUES).collect();
        warnings.sort_by_key(|(position, _)| *position);
        self.summary.warnings = warnings.into_iter().map(|(_, warning)| warning).collect();
        (self.send)(Event::Summary(self.summary))?;
        Ok(())
    }
}
