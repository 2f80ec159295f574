//! The parent's side: starts the child, listens to it, and believes only what can be.

use std::fs::File;
use std::io;
use std::time::Duration;

use rpc::imports::v1::{Problem, ProfitReport};
use rpc::trades::v1::{Book, ImportBatch, Segment};
use tokio::io::BufReader;
use tokio::process::{Child, ChildStdout};
use tokio::time::Instant;

use crate::error::{Error, Reason, Refusal};
use crate::formats::{self, Format};
use crate::protocol::{self, ARGUMENT, End, LARGEST_BATCH, REPORT, What};
use crate::report;
use crate::settings::Settings;

const READ_AT_ONCE: usize = 256 * 1024;
const MOST_TRADES: i64 = 500_000;
const MOST_PROBLEMS: usize = 1_000;
const LONGEST_SENTENCE: usize = 400;

/// A file being read by a child, which is killed when this is dropped.
pub(crate) struct Parser {
    child: Child,
    events: BufReader<ChildStdout>,
    buffer: Vec<u8>,
    until: Instant,
    trades: i64,
}

/// What a file is read for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Its trades.
    Trades,
    /// What it says as a profit and loss report.
    Report,
}

/// What the file turned out to be.
pub(crate) struct FileKind {
    pub format: &'static dyn Format,
    pub book: Book,
}

/// What was read once all of it is.
pub(crate) struct Tally {
    pub rows: i64,
    pub trades: i64,
    pub problems: Vec<Problem>,
    pub problem_count: i64,
    /// Trades that look odd, and rows that are no trades and need not be.
    pub warnings: Vec<Problem>,
    pub warning_count: i64,
    pub skipped: i64,
    /// Of the warnings, those of trades that look odd.
    pub odd_count: i64,
}

impl Parser {
    /// Starts the child on `file`.
    pub fn start(settings: &Settings, file: File, wanted: Wanted) -> Result<Self, Error> {
        let failed = |source| Error::Io { doing: "starting the child failed", source };
        let arguments = if wanted == Wanted::Report { &[ARGUMENT, REPORT][..] } else { &[ARGUMENT] };
        let mut child = sandbox::command(&settings.child, arguments, file).spawn().map_err(failed)?;
        let stdout = child.stdout.take().ok_or_else(|| failed(io::ErrorKind::BrokenPipe.into()))?;
        Ok(Self {
            child,
            events: BufReader::with_capacity(READ_AT_ONCE, stdout),
            buffer: Vec::new(),
            until: Instant::now() + settings.wall_clock,
            trades: 0,
        })
    }

    /// What the file is. Refused where it holds no trade.
    pub async fn kind(&mut self) -> Result<FileKind, Error> {
        match self.next().await? {
            What::Found(found) => {
                let format = formats::named(&found.format).ok_or_else(|| rubbish("a format that is none"))?;
                let segment = found.segment();
                if segment == Segment::Unspecified {
                    return Err(rubbish("no segment"));
                }
                let book = Book { broker: format.broker().into(), segment: segment.into() };
                Ok(FileKind { format, book })
            }
            What::End(end) => {
                let tally = self.finish(end).await?;
                Err(no_trades(&tally).into())
            }
            What::Refused(refused) => Err(refusal(refused)),
            What::Batch(_) | What::Report(_) => Err(rubbish("trades of no format")),
        }
    }

    /// The next trades, or the tally once the child has ended as it should.
    pub async fn batch(&mut self) -> Result<Result<ImportBatch, Tally>, Error> {
        match self.next().await? {
            What::Batch(batch) => {
                self.trades += i64::try_from(batch.trades.len()).unwrap_or(i64::MAX);
                if batch.trades.is_empty() || batch.trades.len() > LARGEST_BATCH || self.trades > MOST_TRADES {
                    return Err(rubbish("a batch of a wrong size"));
                }
                Ok(Ok(batch))
            }
            What::End(end) => self.finish(end).await.map(Err),
            What::Refused(refused) => Err(refusal(refused)),
            What::Found(_) | What::Report(_) => Err(rubbish("a second format")),
        }
    }

    /// What the file says as a profit and loss report.
    pub async fn report(&mut self) -> Result<ProfitReport, Error> {
        match self.next().await? {
            What::Report(report) if is_believable(&report) => {
                self.ended().await?;
                Ok(report)
            }
            What::Refused(refused) => Err(refusal(refused)),
            What::Report(_) | What::Found(_) | What::Batch(_) | What::End(_) => Err(rubbish("no report")),
        }
    }

    /// The trade log kept the child waiting for so long.
    pub fn excuse(&mut self, waited: Duration) {
        self.until += waited;
    }

    async fn next(&mut self) -> Result<What, Error> {
        let event = tokio::time::timeout_at(self.until, protocol::read(&mut self.events, &mut self.buffer)).await;
        match event {
            Ok(Ok(Some(what))) => Ok(what),
            Ok(Ok(None)) => Err(rubbish("nothing more")),
            Ok(Err(error)) => Err(rubbish(&error.to_string())),
            Err(_) => Err(too_slow()),
        }
    }

    /// The child said that this is the end. It must agree with what came, and the child must end well.
    async fn finish(&mut self, end: End) -> Result<Tally, Error> {
        self.ended().await?;
        // A row of a matched pair is two trades.
        let taken = end.rows.saturating_sub(end.problem_count).saturating_sub(end.skipped);
        let counts_agree = end.trades == self.trades
            && (taken..=taken.saturating_mul(2)).contains(&end.trades)
            && end.problem_count >= 0
            && end.skipped >= 0
            && (0..=end.warning_count).contains(&end.odd_count)
            && [&end.problems, &end.warnings].iter().all(|list| list.len() <= MOST_PROBLEMS);
        if !counts_agree {
            return Err(rubbish("a bad end"));
        }
        Ok(Tally {
            rows: end.rows,
            trades: end.trades,
            problems: end.problems,
            problem_count: end.problem_count,
            warnings: end.warnings,
            warning_count: end.warning_count,
            skipped: end.skipped,
            odd_count: end.odd_count,
        })
    }

    /// Waits until the child has ended. It must say nothing more, and end well.
    async fn ended(&mut self) -> Result<(), Error> {
        let ended = tokio::time::timeout_at(self.until, async {
            let more = protocol::read(&mut self.events, &mut self.buffer).await?;
            // One that talks on would wait for a listener, and not end.
            Ok::<_, io::Error>(more.is_none() && self.child.wait().await?.success())
        });
        match ended.await {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(rubbish("a bad end")),
            Ok(Err(error)) => Err(rubbish(&error.to_string())),
            Err(_) => Err(too_slow()),
        }
    }
}

/// Whether a report is one that a sound child could have sent.
fn is_believable(report: &ProfitReport) -> bool {
    let texts = [&report.format, &report.format_title, &report.title, &report.from, &report.to, &report.realised];
    let of_rows = report.rows.iter().flat_map(|row| {
        [&row.symbol, &row.name, &row.isin, &row.quantity, &row.buy_value, &row.sell_value, &row.realised]
    });
    let of_charges = report.charges.iter().flat_map(|line| [&line.label, &line.amount]);
    let mut texts = texts.into_iter().chain(of_rows).chain(of_charges);
    (1..=report::MOST_ROWS).contains(&report.rows.len())
        && report.charges.len() <= report::MOST_CHARGES
        && report.problems.len() <= report::MOST_PROBLEMS
        && texts.all(|text| text.chars().count() <= report::LONGEST_TEXT && !text.contains(char::is_control))
}

fn too_slow() -> Error {
    tracing::warn!(what = "too slow", "the child did not read the file");
    Refusal::new(Reason::Unreadable, "This file took too long to read. Try again, or split it by period.").into()
}

/// A child that died or talked nonsense: its file did that.
fn rubbish(what: &str) -> Error {
    tracing::warn!(what, "the child did not read the file");
    Refusal::unreadable().into()
}

fn refusal(refused: protocol::Refused) -> Error {
    let sentence = refused.message.chars().filter(|c| !c.is_control()).take(LONGEST_SENTENCE).collect::<String>();
    match Reason::try_from(refused.reason) {
        Ok(reason) if !sentence.is_empty() => Refusal::new(reason, sentence).into(),
        Ok(_) | Err(_) => rubbish("a refusal without a reason"),
    }
}

fn no_trades(tally: &Tally) -> Refusal {
    let sentence = match tally.problems.iter().chain(&tally.warnings).next() {
        None => "The report has no trades in it. Choose a longer time when you download it.".to_owned(),
        Some(first) => format!(
            "None of the {} rows of the file is a trade that can be imported. Row {}: {}",
            tally.rows, first.row, first.message
        ),
    };
    Refusal::new(Reason::NoTrades, sentence)
}
