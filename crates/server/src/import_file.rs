//! `tradebahi import FILE`: what a broker's file holds, told in the terminal. Without a database; nothing is stored.

use std::fs::File;
use std::io::{IsTerminal as _, Seek as _, Write as _};
use std::time::Duration;

use anyhow::{Context as _, anyhow, ensure};
use prost_types::Timestamp;
use rpc::failure::Failure as _;
use rpc::imports::v1::{InspectFileResponse, Problem};
use rpc::trades::v1::{Broker, ImportedTrade, Segment, Side, TimePrecision};
use time::OffsetDateTime;
use time::macros::{format_description, offset};

use crate::config::ImportFile;

/// Below it a file is read before one has seen a bar.
const LARGE: u64 = 512 * 1024;
/// Rows of a list that are told; `--json` tells more.
const MOST_ROWS: usize = 50;

/// Reads the file as an upload is read, by a child with the same limits, and tells what it holds.
pub async fn run(asked: &ImportFile) -> anyhow::Result<()> {
    let shown = asked.file.display();
    let file = File::open(&asked.file).with_context(|| format!("{shown} cannot be opened"))?;
    let metadata = file.metadata()?;
    ensure!(metadata.is_file(), "{shown} is not a file");
    let draws = metadata.len() >= LARGE && std::io::stderr().is_terminal();
    let bar = file.try_clone().ok().filter(|_| draws);
    let settings = import::Settings::default();
    let read = tokio::select! {
        read = import::inspect(&settings, file) => read,
        never = draw(bar, metadata.len()) => match never {},
    };
    if draws {
        eprint!("\r\x1b[K");
    }
    let report = read.map_err(|error| match error.message() {
        sentence if sentence.is_empty() => anyhow::Error::new(error),
        sentence => anyhow!("{shown}: {sentence}"),
    })?;
    if asked.json {
        println!("{}", edge::file_report(report).context("the report cannot be written")?);
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    out.write_all(told(&report).as_bytes())?;
    Ok(())
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

/// The report as text.
fn told(report: &InspectFileResponse) -> String {
    let book = report.book.unwrap_or_default();
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
    let period = match (&report.first_executed_at, &report.last_executed_at) {
        (Some(first), Some(last)) => format!("{} to {}", day(first), day(last)),
        _ => "-".to_owned(),
    };
    let mut out = String::new();
    let facts = [
        ("Report", report.format_title.clone()),
        ("Goes into", format!("{broker}, {segment}")),
        ("Period", period),
        ("Rows", report.rows.to_string()),
        ("Trades", report.trades.to_string()),
        ("Left out", report.problem_count.to_string()),
        ("Set aside", report.set_aside.to_string()),
        ("Warnings", report.warning_count.to_string()),
    ];
    for (name, value) in facts {
        out += &format!("{name:<10} {value}\n");
    }
    let sample = report.sample.iter().map(trade_row).collect::<Vec<_>>();
    list(&mut out, "First trades", &["WHEN", "SIDE", "SYMBOL", "QUANTITY", "PRICE"], &sample, report.trades);
    let headings = ["SHEET", "ROW", "COLUMN", "VALUE", "WHY"];
    let rows = |problems: &[Problem]| problems.iter().map(problem_row).collect::<Vec<_>>();
    list(&mut out, "Rows left out", &headings, &rows(&report.problems), report.problem_count);
    list(&mut out, "Warnings", &headings, &rows(&report.warnings), report.warning_count);
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
fn list(out: &mut String, title: &str, headings: &[&str; 5], rows: &[[String; 5]], all: i64) {
    if rows.is_empty() {
        return;
    }
    let shown = rows.get(..MOST_ROWS).unwrap_or(rows);
    let cells = || std::iter::once(headings.map(str::to_owned)).chain(shown.iter().cloned());
    let mut widths = [0; 5];
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
