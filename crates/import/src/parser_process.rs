//! Handle of a running parser process: starts it, and validates its output before using it.

use std::fs::File;
use std::io;
use std::time::Duration;

use prost::Message as _;
use rpc::imports::v1::{LedgerFile, MapColumnsResponse, ProfitReport, RedactLayoutResponse, TaxReport};
use rpc::trades::v1::{
    Book, Broker, ColumnMapping, DocumentSignature, ImportBatch, ImportedTrade, Segment, SignatureProblem,
    SignatureState,
};
use tokio::io::BufReader;
use tokio::process::{Child, ChildStdout};
use tokio::time::Instant;

use crate::error::{Error, Rejection, RejectionReason};
use crate::file_owner::FileOwner;
use crate::formats;
use crate::formats::format::Format;
use crate::pdf;
use crate::profit_report::Report;
use crate::protocol::{
    self, ARGUMENT, EQUITY_ARGUMENT, Event, FNO_ARGUMENT, FileSummary, LAYOUT_ARGUMENT, LEDGER_ARGUMENT,
    MAX_BATCH_TRADES, MAX_CONTRACT_NOTES, MAX_LAYOUT_BYTES, MAX_LEDGER_ENTRIES, MAX_LEDGER_TEXT_CHARS,
    MAX_LISTED_ISSUES, MAX_REPORT_CHARGES, MAX_REPORT_ISSUES, MAX_REPORT_ROWS, MAX_REPORT_TEXT_CHARS, MAX_ROWS,
    MAX_SIGNER_NAME_CHARS, MAX_SKIPPED_SECTIONS, MAX_TABLE_ROWS, MAX_TABLE_TEXT_CHARS, MAX_TAX_LINES,
    MAX_TAX_REPORT_BYTES, OPTIONS_VARIABLE, PDF_ARGUMENT, PROFIT_REPORT_ARGUMENT, ParserOptions, RejectedFile,
    TABLE_ARGUMENT,
};
use crate::settings::Settings;
use crate::sheet::MAX_COLUMNS;

const READ_BUFFER_BYTES: usize = 256 * 1024;
/// Bytes of the code of an issue; the longest one has 40.
const MAX_CODE_BYTES: usize = 64;
/// Characters of a value of a rejection; the rest is cut off.
const MAX_PARAM_CHARS: usize = 100;

/// Parser process that reads one file. It is killed when this is dropped.
pub(crate) struct ParserProcess {
    child: Child,
    events: BufReader<ChildStdout>,
    buffer: Vec<u8>,
    deadline: Instant,
    trades: i64,
    /// Mappings that the process was given.
    mappings: Vec<ColumnMapping>,
}

/// Expected content of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParseMode {
    /// Trades; of this segment if the file has both.
    Trades(Segment),
    /// A profit and loss report.
    ProfitReport,
    /// A ledger.
    Ledger,
    /// A table with an unknown layout, and the trades that a mapping makes of it.
    Table,
    /// The layout of a contract note, with names and numbers masked.
    Layout,
}

/// Detected format and book of a file.
pub(crate) struct FileKind {
    pub format: &'static dyn Format,
    pub book: Book,
    /// Owner stated above the table.
    pub owner: FileOwner,
    /// The file was read with a column mapping, which the trader confirmed for the book.
    pub is_mapped: bool,
}

/// Table of a file, and what a mapping makes of it.
pub(crate) struct MappedFile {
    pub table: MapColumnsResponse,
    /// First trades of the file.
    pub batches: Vec<ImportBatch>,
    pub summary: Option<FileSummary>,
}

/// Next part of the parser's output.
pub(crate) enum BatchOrSummary {
    Batch(ImportBatch),
    /// The file was read to its end, and the process has exited successfully.
    Summary(FileSummary),
}

impl ParserProcess {
    /// Starts the parser process on `file`.
    pub fn start(settings: &Settings, file: File, mode: ParseMode) -> Result<Self, Error> {
        Self::start_with(settings, file, mode, &ParserOptions::default())
    }

    /// Starts the parser process on `file` with options.
    pub fn start_with(
        settings: &Settings,
        file: File,
        mode: ParseMode,
        options: &ParserOptions,
    ) -> Result<Self, Error> {
        let failed = |source| Error::Io { context: "failed to start the parser process", source };
        let mode = match mode {
            ParseMode::ProfitReport => PROFIT_REPORT_ARGUMENT,
            ParseMode::Ledger => LEDGER_ARGUMENT,
            ParseMode::Table => TABLE_ARGUMENT,
            ParseMode::Layout => LAYOUT_ARGUMENT,
            ParseMode::Trades(Segment::Fno) => FNO_ARGUMENT,
            ParseMode::Trades(Segment::Equity | Segment::Unspecified) => EQUITY_ARGUMENT,
        };
        let is_pdf = pdf::is_pdf(&file).map_err(failed)?;
        let arguments: Vec<_> = [ARGUMENT, mode].into_iter().chain(is_pdf.then_some(PDF_ARGUMENT)).collect();
        let mut command = sandbox::command(&settings.parser_program, &arguments, file);
        let mut child = command.env(OPTIONS_VARIABLE, options.to_text()).spawn().map_err(failed)?;
        let stdout = child.stdout.take().ok_or_else(|| failed(io::ErrorKind::BrokenPipe.into()))?;
        Ok(Self {
            child,
            events: BufReader::with_capacity(READ_BUFFER_BYTES, stdout),
            buffer: Vec::new(),
            deadline: Instant::now() + settings.parse_timeout,
            trades: 0,
            mappings: options.mappings.clone(),
        })
    }

    /// Returns the format and the book of the file. Rejects a file without trades.
    pub async fn read_kind(&mut self) -> Result<FileKind, Error> {
        match self.read_event().await? {
            Event::Format(file) => {
                let format = formats::find(&file.format).ok_or_else(|| invalid_output("unknown format"))?;
                let segment = file.segment();
                if segment == Segment::Unspecified {
                    return Err(invalid_output("no segment"));
                }
                let mapping = file.mapping.map(|number| {
                    let number = usize::try_from(number).ok();
                    number.and_then(|number| self.mappings.get(number)).ok_or_else(|| invalid_output("unknown mapping"))
                });
                let book = match mapping.transpose()? {
                    Some(mapping) => Book {
                        broker: mapping.broker,
                        segment: mapping.segment,
                        broker_account: mapping.broker_account,
                    },
                    None => Book { broker: format.broker().into(), segment: segment.into(), ..Book::default() },
                };
                if book.broker() == Broker::Unspecified || book.segment() != segment {
                    return Err(invalid_output("no broker"));
                }
                let owner = FileOwner::new(&file.client_code, &file.holder);
                Ok(FileKind { format, book, owner, is_mapped: file.mapping.is_some() })
            }
            Event::Summary(summary) => {
                let summary = self.finish(summary).await?;
                Err(no_trades(&summary).into())
            }
            Event::Rejected(file) => Err(rejection(file)),
            Event::Batch(_)
            | Event::ProfitReport(_)
            | Event::Table(_)
            | Event::Ledger(_)
            | Event::TaxReport(_)
            | Event::Layout(_) => Err(invalid_output("trades before the format")),
        }
    }

    /// Returns the next trades, or the summary at the end of the file.
    pub async fn read_batch(&mut self) -> Result<BatchOrSummary, Error> {
        match self.read_event().await? {
            Event::Batch(batch) => {
                self.count_batch(&batch)?;
                Ok(BatchOrSummary::Batch(batch))
            }
            Event::Summary(summary) => self.finish(summary).await.map(BatchOrSummary::Summary),
            Event::Rejected(file) => Err(rejection(file)),
            Event::Format(_)
            | Event::ProfitReport(_)
            | Event::Table(_)
            | Event::Ledger(_)
            | Event::TaxReport(_)
            | Event::Layout(_) => Err(invalid_output("second format")),
        }
    }

    /// Returns the profit and loss report or tax report of the file.
    pub async fn read_profit_report(&mut self) -> Result<Report, Error> {
        match self.read_event().await? {
            Event::ProfitReport(report) if is_valid_report(&report) => {
                self.wait_for_exit().await?;
                Ok(Report::ProfitReport(report))
            }
            Event::TaxReport(report) if is_valid_tax_report(&report) => {
                self.wait_for_exit().await?;
                Ok(Report::TaxReport(report))
            }
            Event::Rejected(file) => Err(rejection(file)),
            Event::ProfitReport(_)
            | Event::Format(_)
            | Event::Batch(_)
            | Event::Summary(_)
            | Event::Table(_)
            | Event::Ledger(_)
            | Event::TaxReport(_)
            | Event::Layout(_) => Err(invalid_output("no report")),
        }
    }

    /// Returns the ledger of the file.
    pub async fn read_ledger(&mut self) -> Result<LedgerFile, Error> {
        match self.read_event().await? {
            Event::Ledger(ledger) if is_valid_ledger(&ledger) => {
                self.wait_for_exit().await?;
                Ok(ledger)
            }
            Event::Rejected(file) => Err(rejection(file)),
            Event::Ledger(_)
            | Event::ProfitReport(_)
            | Event::Format(_)
            | Event::Batch(_)
            | Event::Summary(_)
            | Event::Table(_)
            | Event::TaxReport(_)
            | Event::Layout(_) => Err(invalid_output("no ledger")),
        }
    }

    /// Returns the layout of the contract note in the file.
    pub async fn read_layout(&mut self) -> Result<RedactLayoutResponse, Error> {
        match self.read_event().await? {
            Event::Layout(layout) if is_valid_layout(&layout) => {
                self.wait_for_exit().await?;
                Ok(layout)
            }
            Event::Rejected(file) => Err(rejection(file)),
            Event::Layout(_)
            | Event::Ledger(_)
            | Event::ProfitReport(_)
            | Event::Format(_)
            | Event::Batch(_)
            | Event::Summary(_)
            | Event::Table(_)
            | Event::TaxReport(_) => Err(invalid_output("no layout")),
        }
    }

    /// Returns the table of the file, and what the mapping makes of it if there is one.
    pub async fn read_mapped_file(&mut self) -> Result<MappedFile, Error> {
        let table = match self.read_event().await? {
            Event::Table(table) if is_valid_table(&table) => table,
            Event::Rejected(file) => return Err(rejection(file)),
            Event::Table(_)
            | Event::ProfitReport(_)
            | Event::Format(_)
            | Event::Batch(_)
            | Event::Summary(_)
            | Event::Ledger(_)
            | Event::TaxReport(_)
            | Event::Layout(_) => return Err(invalid_output("no table")),
        };
        let mut file = MappedFile { table, batches: Vec::new(), summary: None };
        if self.mappings.is_empty() {
            self.wait_for_exit().await?;
            return Ok(file);
        }
        loop {
            match self.read_event().await? {
                // The table has other columns than the mapping, because the trader selected another header.
                Event::Rejected(rejected) if rejected.reason() == RejectionReason::Unknown => return Ok(file),
                Event::Rejected(rejected) => return Err(rejection(rejected)),
                Event::Format(_) => (),
                Event::Batch(batch) => {
                    self.count_batch(&batch)?;
                    file.batches.push(batch);
                    // Only the first trades are shown; the times of the others are needed, too.
                    for kept in file.batches.iter_mut().skip(1) {
                        kept.trades.iter_mut().for_each(|trade| {
                            *trade = ImportedTrade { executed_at: trade.executed_at, ..ImportedTrade::default() };
                        });
                    }
                }
                Event::Summary(summary) => {
                    file.summary = Some(self.finish(summary).await?);
                    return Ok(file);
                }
                Event::Table(_)
                | Event::ProfitReport(_)
                | Event::Ledger(_)
                | Event::TaxReport(_)
                | Event::Layout(_) => {
                    return Err(invalid_output("second table"));
                }
            }
        }
    }

    /// Counts the trades of a batch, and checks the limits.
    fn count_batch(&mut self, batch: &ImportBatch) -> Result<(), Error> {
        self.trades += i64::try_from(batch.trades.len()).unwrap_or(i64::MAX);
        if batch.trades.is_empty() || batch.trades.len() > MAX_BATCH_TRADES || self.trades > MAX_ROWS {
            return Err(invalid_output("invalid batch size"));
        }
        Ok(())
    }

    /// Extends the deadline by time that the process spent waiting for the trade log.
    pub fn extend_deadline(&mut self, waited: Duration) {
        self.deadline += waited;
    }

    async fn read_event(&mut self) -> Result<Event, Error> {
        let event =
            tokio::time::timeout_at(self.deadline, protocol::read_event(&mut self.events, &mut self.buffer)).await;
        match event {
            Ok(Ok(Some(event))) => Ok(event),
            Ok(Ok(None)) => Err(invalid_output("unexpected end of output")),
            Ok(Err(error)) => Err(invalid_output(&error.to_string())),
            Err(_) => Err(timed_out()),
        }
    }

    /// Checks the summary against the batches, and that the process exits successfully.
    async fn finish(&mut self, summary: FileSummary) -> Result<FileSummary, Error> {
        self.wait_for_exit().await?;
        // A row of a matched pair is two trades.
        let rows_with_trades = summary.rows.saturating_sub(summary.error_count).saturating_sub(summary.skipped);
        let counts_agree = summary.trades == self.trades
            && (rows_with_trades..=rows_with_trades.saturating_mul(2)).contains(&summary.trades)
            && summary.error_count >= 0
            && summary.skipped >= 0
            && summary.other_segment_rows >= 0
            && summary.issue_counts.iter().all(|(code, count)| code.len() <= MAX_CODE_BYTES && *count > 0)
            && (0..=summary.warning_count).contains(&summary.odd_count)
            && summary.contract_notes.len() <= MAX_CONTRACT_NOTES
            && summary.signature.as_deref().is_none_or(is_valid_signature)
            && [&summary.errors, &summary.warnings].iter().all(|list| list.len() <= MAX_LISTED_ISSUES);
        if counts_agree { Ok(summary) } else { Err(invalid_output("invalid summary")) }
    }

    /// Waits until the process exits. Fails if it sends another event or does not exit successfully.
    async fn wait_for_exit(&mut self) -> Result<(), Error> {
        let exited = tokio::time::timeout_at(self.deadline, async {
            let more = protocol::read_event(&mut self.events, &mut self.buffer).await?;
            // A process that sends more could block on a full pipe and never exit.
            Ok::<_, io::Error>(more.is_none() && self.child.wait().await?.success())
        });
        match exited.await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(invalid_output("failed exit")),
            Ok(Err(error)) => Err(invalid_output(&error.to_string())),
            Err(_) => Err(timed_out()),
        }
    }
}

/// Returns true if the result keeps the limits that the parser applies.
fn is_valid_signature(signature: &DocumentSignature) -> bool {
    let DocumentSignature { common_name, organisation, issuer_common_name, issuer_organisation, .. } = signature;
    let names = [common_name, organisation, issuer_common_name, issuer_organisation];
    signature.state() != SignatureState::Unspecified
        && SignatureProblem::try_from(signature.problem).is_ok()
        && signature.signed_at.as_ref().is_none_or(|at| rpc::json::to_date_time(at).is_some())
        && names.iter().all(|name| name.chars().count() <= MAX_SIGNER_NAME_CHARS && !name.contains(char::is_control))
}

/// Returns true if the report keeps the limits that the parser applies.
fn is_valid_report(report: &ProfitReport) -> bool {
    let texts = [&report.format, &report.title, &report.from, &report.to, &report.realised];
    let row_texts = report.rows.iter().flat_map(|row| {
        [&row.symbol, &row.name, &row.isin, &row.quantity, &row.buy_value, &row.sell_value, &row.realised]
    });
    let charge_texts = report.charges.iter().flat_map(|line| [&line.label, &line.amount]);
    let mut texts = texts.into_iter().chain(row_texts).chain(charge_texts);
    (1..=MAX_REPORT_ROWS).contains(&report.rows.len())
        && report.charges.len() <= MAX_REPORT_CHARGES
        && report.errors.len() <= MAX_REPORT_ISSUES
        && texts.all(|text| text.chars().count() <= MAX_REPORT_TEXT_CHARS && !text.contains(char::is_control))
}

/// Returns true if the report keeps the limits that the parser applies. The analytics service checks the lines.
fn is_valid_tax_report(report: &TaxReport) -> bool {
    let texts = [&report.format, &report.title, &report.from, &report.to];
    let titles = report.skipped_sections.iter().map(|section| &section.title);
    let line_texts = report.lines.iter().flat_map(|line| [&line.symbol, &line.name, &line.isin]);
    let mut texts = texts.into_iter().chain(titles).chain(line_texts);
    (1..=MAX_TAX_LINES).contains(&report.lines.len())
        && report.encoded_len() <= MAX_TAX_REPORT_BYTES
        && report.skipped_sections.len() <= MAX_SKIPPED_SECTIONS
        && report.errors.len() <= MAX_REPORT_ISSUES
        && texts.all(|text| text.chars().count() <= MAX_REPORT_TEXT_CHARS && !text.contains(char::is_control))
}

/// Returns true if the ledger keeps the limits that the parser applies. The trade log checks the entries.
fn is_valid_ledger(ledger: &LedgerFile) -> bool {
    let is_valid_text =
        |text: &String| text.chars().count() <= MAX_LEDGER_TEXT_CHARS && !text.contains(char::is_control);
    let texts = [&ledger.format, &ledger.client_code, &ledger.holder, &ledger.opening_balance, &ledger.closing_balance];
    (1..=MAX_LEDGER_ENTRIES).contains(&ledger.entries.len())
        && texts.into_iter().all(is_valid_text)
        && ledger.entries.iter().all(|entry| is_valid_text(&entry.particulars) && is_valid_text(&entry.day))
}

/// Returns true if the layout keeps the limits that the parser applies.
fn is_valid_layout(RedactLayoutResponse { text }: &RedactLayoutResponse) -> bool {
    !text.is_empty() && text.len() <= MAX_LAYOUT_BYTES && !text.contains(|c: char| c.is_control() && c != '\n')
}

/// Returns true if the table keeps the limits that the parser applies.
fn is_valid_table(table: &MapColumnsResponse) -> bool {
    let cells = table.rows.iter().flat_map(|row| &row.cells);
    let mut texts = table.header.iter().chain(cells).chain([&table.sheet]);
    table.header.len() <= MAX_COLUMNS
        && table.rows.len() <= MAX_TABLE_ROWS
        && table.rows.iter().all(|row| row.cells.len() <= MAX_COLUMNS)
        && texts.all(|text| text.chars().count() <= MAX_TABLE_TEXT_CHARS && !text.contains(char::is_control))
}

fn timed_out() -> Error {
    tracing::warn!(cause = "timeout", "parser process failed");
    Rejection::from(RejectionReason::TimedOut).into()
}

/// Rejects the file of a process that crashed or sent invalid output: the file caused it.
fn invalid_output(cause: &str) -> Error {
    tracing::warn!(cause, "parser process failed");
    Rejection::from(RejectionReason::Unreadable).into()
}

fn rejection(file: RejectedFile) -> Error {
    let Ok(reason) = RejectionReason::try_from(file.reason) else { return invalid_output("unknown reason") };
    let clean = |value: &String| value.chars().filter(|c| !c.is_control()).take(MAX_PARAM_CHARS).collect::<String>();
    let param = |name| Some((name, clean(file.params.get(name)?)));
    Rejection { reason, params: Rejection::PARAMS.into_iter().filter_map(param).collect() }.into()
}

fn no_trades(summary: &FileSummary) -> Rejection {
    match summary.errors.iter().chain(&summary.warnings).next() {
        None => RejectionReason::NoTrades.into(),
        Some(first) => Rejection::from(RejectionReason::OnlyIssues).with("rows", summary.rows).with_issue(first),
    }
}
