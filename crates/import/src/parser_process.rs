//! Handle of a running parser process: starts it, and validates its output before using it.

use std::fs::File;
use std::io;
use std::time::Duration;

use rpc::imports::v1::ProfitReport;
use rpc::trades::v1::{Book, ImportBatch, Segment};
use tokio::io::BufReader;
use tokio::process::{Child, ChildStdout};
use tokio::time::Instant;

use crate::error::{Error, Rejection, RejectionReason};
use crate::file_owner::FileOwner;
use crate::formats;
use crate::formats::format::Format;
use crate::pdf;
use crate::protocol::{
    self, ARGUMENT, EQUITY_ARGUMENT, Event, FNO_ARGUMENT, FileSummary, MAX_BATCH_TRADES, MAX_LISTED_ISSUES,
    MAX_REPORT_CHARGES, MAX_REPORT_ISSUES, MAX_REPORT_ROWS, MAX_REPORT_TEXT_CHARS, MAX_ROWS, MAX_STATED_CHARGES,
    PASSWORD_VARIABLE, PDF_ARGUMENT, PROFIT_REPORT_ARGUMENT, RejectedFile,
};
use crate::settings::Settings;

const READ_BUFFER_BYTES: usize = 256 * 1024;
/// Characters of a value of a rejection; the rest is cut off.
const MAX_PARAM_CHARS: usize = 100;

/// Parser process that reads one file. It is killed when this is dropped.
pub(crate) struct ParserProcess {
    child: Child,
    events: BufReader<ChildStdout>,
    buffer: Vec<u8>,
    deadline: Instant,
    trades: i64,
}

/// Expected content of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParseMode {
    /// Trades; of this segment if the file has both.
    Trades(Segment),
    /// A profit and loss report.
    ProfitReport,
}

/// Detected format and book of a file.
pub(crate) struct FileKind {
    pub format: &'static dyn Format,
    pub book: Book,
    /// Owner stated above the table.
    pub owner: FileOwner,
}

/// Next part of the parser's output.
pub(crate) enum BatchOrSummary {
    Batch(ImportBatch),
    /// The file was read to its end, and the process has exited successfully.
    Summary(FileSummary),
}

impl ParserProcess {
    /// Starts the parser process on `file`, which `password` opens; it is empty if the file needs none.
    pub fn start(settings: &Settings, file: File, mode: ParseMode, password: &str) -> Result<Self, Error> {
        let failed = |source| Error::Io { context: "failed to start the parser process", source };
        let mode = match mode {
            ParseMode::ProfitReport => PROFIT_REPORT_ARGUMENT,
            ParseMode::Trades(Segment::Fno) => FNO_ARGUMENT,
            ParseMode::Trades(Segment::Equity | Segment::Unspecified) => EQUITY_ARGUMENT,
        };
        let arguments = [ARGUMENT, mode].into_iter().chain(pdf::is_pdf(&file).map_err(failed)?.then_some(PDF_ARGUMENT));
        let mut command = sandbox::command(&settings.parser_program, &arguments.collect::<Vec<_>>(), file);
        if !password.is_empty() {
            command.env(PASSWORD_VARIABLE, password);
        }
        let mut child = command.spawn().map_err(failed)?;
        let stdout = child.stdout.take().ok_or_else(|| failed(io::ErrorKind::BrokenPipe.into()))?;
        Ok(Self {
            child,
            events: BufReader::with_capacity(READ_BUFFER_BYTES, stdout),
            buffer: Vec::new(),
            deadline: Instant::now() + settings.parse_timeout,
            trades: 0,
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
                let book = Book { broker: format.broker().into(), segment: segment.into(), ..Book::default() };
                let owner = FileOwner::new(&file.client_code, &file.holder);
                Ok(FileKind { format, book, owner })
            }
            Event::Summary(summary) => {
                let summary = self.finish(summary).await?;
                Err(no_trades(&summary).into())
            }
            Event::Rejected(file) => Err(rejection(file)),
            Event::Batch(_) | Event::ProfitReport(_) => Err(invalid_output("trades before the format")),
        }
    }

    /// Returns the next trades, or the summary at the end of the file.
    pub async fn read_batch(&mut self) -> Result<BatchOrSummary, Error> {
        match self.read_event().await? {
            Event::Batch(batch) => {
                self.trades += i64::try_from(batch.trades.len()).unwrap_or(i64::MAX);
                if batch.trades.is_empty() || batch.trades.len() > MAX_BATCH_TRADES || self.trades > MAX_ROWS {
                    return Err(invalid_output("invalid batch size"));
                }
                Ok(BatchOrSummary::Batch(batch))
            }
            Event::Summary(summary) => self.finish(summary).await.map(BatchOrSummary::Summary),
            Event::Rejected(file) => Err(rejection(file)),
            Event::Format(_) | Event::ProfitReport(_) => Err(invalid_output("second format")),
        }
    }

    /// Returns the profit and loss report of the file.
    pub async fn read_profit_report(&mut self) -> Result<ProfitReport, Error> {
        match self.read_event().await? {
            Event::ProfitReport(report) if is_valid_report(&report) => {
                self.wait_for_exit().await?;
                Ok(report)
            }
            Event::Rejected(file) => Err(rejection(file)),
            Event::ProfitReport(_) | Event::Format(_) | Event::Batch(_) | Event::Summary(_) => {
                Err(invalid_output("no report"))
            }
        }
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
            && (0..=summary.warning_count).contains(&summary.odd_count)
            && summary.stated_charges.len() <= MAX_STATED_CHARGES
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
