//! `tradebahi import FILE`: what a broker's file holds, told in the terminal. Without a database; nothing is stored.
//! A profit and loss report, which an upload refuses, is told too.

use std::fs::File;
use std::io::{IsTerminal as _, Seek as _, Write as _};
use std::time::Duration;

use anyhow::{Context as _, anyhow, ensure};
use import::{Reason, Settings};
use prost_types::Timestamp;
use rpc::failure::Failure as _;
use rpc::imports::v1::{InspectFileResponse, Problem, ProfitReport, ProfitRow};
use rpc::trades::v1::{Book, Broker, ImportedTrade, Segment, Side, TimePrecision};
use time::OffsetDateTime;
use time::macros::{format_description, offset};

use crate::config::ImportFile;

/// Below it a file is read before one has seen a bar.
const LARGE: u64 = 512 * 1024;
/// Rows of a list that are told; `--json` tells more.
const MOST_ROWS: usize = 50;
const PROBLEM: [&str; 5] = ["SHEET", "ROW", "COLUMN", "VALUE", "WHY"];

/// Reads the file as an upload is read, by a child with the same limits, and tells what it holds.
pub async fn run(asked: &ImportFile) -> anyhow::Result<()> {
    let shown = asked.file.display();
    let file = File::open(&asked.file).with_context(|| format!("{shown} cannot be opened"))?;
    let metadata = file.metadata()?;
    ensure!(metadata.is_file(), "{shown} is not a file");
    let draws = metadata.len() >= LARGE && std::io::stderr().is_terminal();
    let bar = file.try_clone().ok().filter(|_| draws);
    let settings = Settings::default();
    let read = tokio::select! {
        read = import::inspect(&settings, file) => read,
        never = draw(bar, metadata.len()) => match never {},
    };
    if draws {
        eprint!("\r\x1b[K");
    }
    let text = match read {
        Ok(report) if asked.json => edge::file_report_json(report).map(|json| json + "\n"),
        Ok(report) => Some(told(&report)),
        Err(error) => match profit_report(&settings, asked, &error).await {
            Some(report) if asked.json => edge::profit_report_json(report).map(|json| json + "\n"),
            Some(report) => Some(profit_told(&report)),
            None => {
                return Err(match error.message() {
                    sentence if sentence.is_empty() => anyhow::Error::new(error),
                    sentence => anyhow!("{shown}: {sentence}"),
                });
            }
        },
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.context("the report cannot be written")?.as_bytes())?;
    Ok(())
}

/// What a file that was refused as one of trades says as a profit and loss report, if it is one.
async fn profit_report(settings: &Settings, asked: &ImportFile, refused: &import::Error) -> Option<ProfitReport> {
    let import::Error::Refused(refusal) = refused else { return None };
    if refusal.reason != Reason::Unsupported {
        return None;
    }
    import::read_report(settings, File::open(&asked.file).ok()?).await.ok()
}

/// Draws how far the child has read, for as long as it is let. Both hold the same open file, with one place in it.
async fn draw(file: Option<File>, size: u64) -> std::convert::Infallible {
    let Some(mut file) = file else {
        return std::future::pending().await;
    };
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let place = file.stream_position().unwrap_or_default().min(size);
        let twentieths = usize::try_from(place.saturating_mul(20) / size.max(1)).unwrap_or_default();
        let percent = place.saturating_mul(100) / size.max(1);
        eprint!("\rReading [{:<20}] {percent:>3} %", "#".repeat(twentieths));
    }
}

/// `Zerodha, Equity`
fn book_name(book: Option<Book>) -> String {
    let book = book.unwrap_or_default();
    let broker = match book.broker() {
        Broker::Zerodha => "Zerodha",
        Broker::Groww => "Groww",
        Broker::Unspecified => "-",
    };
    let segment = match book.segment() {
        Segment::Equity => "Equity",
        Segment::Fno => "Future & Option",
        Segment::Unspecified => "-",
    };
    format!("{broker}, {segment}")
}

/// The profit and loss report as text.
fn profit_told(report: &ProfitReport) -> String {
    let mut out = String::new();
    let facts = [
        ("Report", report.format_title.clone()),
        ("Of", book_name(report.book)),
        ("Period", format!("{} to {}", report.from, report.to)),
        ("Closed", report.rows.len().to_string()),
        ("Realised", if report.realised.is_empty() { "-".to_owned() } else { report.realised.clone() }),
        ("Left out", report.problem_count.to_string()),
    ];
    for (name, value) in facts {
        out += &format!("{name:<10} {value}\n");
    }
    let row = |row: &ProfitRow| {
        let name = if row.symbol.is_empty() { &row.name } else { &row.symbol };
        [name, &row.isin, &row.quantity, &row.buy_value, &row.sell_value, &row.realised].map(String::clone)
    };
    let rows = report.rows.iter().map(row).collect::<Vec<_>>();
    let all = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    list(&mut out, "Closed", &["SYMBOL", "ISIN", "QUANTITY", "BOUGHT FOR", "SOLD FOR", "RESULT"], &rows, all);
    let charges: Vec<_> = report.charges.iter().map(|line| [line.label.clone(), line.amount.clone()]).collect();
    let all = i64::try_from(charges.len()).unwrap_or(i64::MAX);
    list(&mut out, "Charges", &["CHARGE", "AMOUNT"], &charges, all);
    let problems: Vec<_> = report.problems.iter().map(problem_row).collect();
    list(&mut out, "Rows left out", &PROBLEM, &problems, report.problem_count);
    out += "\nAn upload does not take it: Reconcile in the analytics sets it against the log.\n";
    out
}

/// The report as text.
fn told(report: &InspectFileResponse) -> String {
    let period = match (&report.first_executed_at, &report.last_executed_at) {
        (Some(first), Some(last)) => format!("{} to {}", day(first), day(last)),
        _ => "-".to_owned(),
    };
    let mut out = String::new();
    let facts = [
        ("Report", report.format_title.clone()),
        ("Goes into", book_name(report.book)),
        ("Period", period),
        ("Rows", report.rows.to_string()),
        ("Trades", report.trades.to_string()),
        ("Left out", report.problem_count.to_string()),
        ("Set aside", report.skipped.to_string()),
        ("Warnings", report.warning_count.to_string()),
    ];
    for (name, value) in facts {
        out += &format!("{name:<10} {value}\n");
    }
    let sample = report.sample.iter().map(trade_row).collect::<Vec<_>>();
    list(&mut out, "First trades", &["WHEN", "SIDE", "SYMBOL", "QUANTITY", "PRICE"], &sample, report.trades);
    let rows = |problems: &[Problem]| problems.iter().map(problem_row).collect::<Vec<_>>();
    list(&mut out, "Rows left out", &PROBLEM, &rows(&report.problems), report.problem_count);
    list(&mut out, "Warnings", &PROBLEM, &rows(&report.warnings), report.warning_count);
    out
}

fn trade_row(trade: &ImportedTrade) -> [String; 5] {
    let side = match trade.side() {
        Side::Buy => "buy",
        Side::Sell => "sell",
        Side::Unspecified => "-",
    };
    let at = trade.executed_at.unwrap_or_default();
    let when = if trade.time_precision() == TimePrecision::Day { day(&at) } else { moment(&at) };
    [when, side.to_owned(), trade.symbol.clone(), trade.quantity.clone(), trade.price.clone()]
}

fn problem_row(problem: &Problem) -> [String; 5] {
    let Problem { row, column, value, message, sheet, .. } = problem;
    [sheet.clone(), row.to_string(), column.clone(), value.clone(), message.clone()]
}

/// A table, unless it has no rows.
fn list<const N: usize>(out: &mut String, title: &str, headings: &[&str; N], rows: &[[String; N]], all: i64) {
    if rows.is_empty() {
        return;
    }
    let shown = rows.get(..MOST_ROWS).unwrap_or(rows);
    let cells = || std::iter::once(headings.map(str::to_owned)).chain(shown.iter().cloned());
    let mut widths = [0; N];
    for line in cells() {
        for (width, cell) in widths.iter_mut().zip(&line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    *out += &format!("\n{title}\n");
    for line in cells() {
        let mut text = String::from(" ");
        for (cell, width) in line.iter().zip(widths) {
            // What a file holds is not told to the terminal as an order.
            let plain: String = cell.chars().filter(|c| !c.is_control()).collect();
            text += &format!(" {plain:<width$} ");
        }
        *out += text.trim_end();
        out.push('\n');
    }
    let more = all - i64::try_from(shown.len()).unwrap_or(i64::MAX);
    if more > 0 {
        *out += &format!("  … and {more} more\n");
    }
}

fn in_india(at: &Timestamp) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(at.seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH).to_offset(offset!(+5:30))
}

fn day(at: &Timestamp) -> String {
    let form = format_description!("[day padding:none] [month repr:short] [year]");
    in_india(at).format(form).unwrap_or_default()
}

fn moment(at: &Timestamp) -> String {
    let form = format_description!("[day padding:none] [month repr:short] [year] [hour]:[minute]:[second]");
    in_india(at).format(form).unwrap_or_default()
}
