//! `tradebahi import FILE`: prints the content of a broker file. Needs no database and stores nothing. Also prints P&L
//! reports, which uploads reject.

use std::fs::File;
use std::io::{IsTerminal as _, Seek as _, Write as _};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, anyhow, ensure};
use import::{RejectionReason, Report, Settings};
use prost_types::Timestamp;
use rpc::broker::Broker;
use rpc::failure::{Failure as _, Kind, to_status};
use rpc::imports::v1::{FileIssue, InspectFileResponse, ProfitReport, ProfitRow};
use rpc::trades::v1::{Book, ImportedTrade, Segment, Side, TimePrecision};
use time::macros::format_description;

use crate::text_table::{append_table, in_india};

/// Minimum file size for a progress bar; smaller files are read at once.
const MIN_PROGRESS_BYTES: u64 = 512 * 1024;
const ISSUE_HEADINGS: [&str; 5] = ["SHEET", "ROW", "COLUMN", "VALUE", "PROBLEM"];

/// Reads the file in the parser process, with the limits of an upload, and prints its content.
pub async fn run(path: &Path, json: bool) -> anyhow::Result<()> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
    let metadata = file.metadata()?;
    ensure!(metadata.is_file(), "{name} is not a file");
    let shows_progress = metadata.len() >= MIN_PROGRESS_BYTES && std::io::stderr().is_terminal();
    let progress = file.try_clone().ok().filter(|_| shows_progress);
    let settings = Settings::default();
    let outcome = tokio::select! {
        outcome = import::inspect(&settings, file) => outcome,
        never = draw_progress(progress, metadata.len()) => match never {},
    };
    if shows_progress {
        eprint!("\r\x1b[K");
    }
    let text = match outcome {
        Ok(report) if json => edge::file_report_json(report).map(|json| json + "\n"),
        Ok(report) => Some(format_report(&report)),
        Err(error) => match read_profit_report(&settings, path, &error).await {
            Some(report) if json => edge::profit_report_json(report).map(|json| json + "\n"),
            Some(report) => Some(format_profit_report(&report)),
            None => {
                return Err(match error.kind() {
                    Kind::Internal | Kind::StorageFull => anyhow::Error::new(error),
                    _ => anyhow!("{name}: {}", edge::status_text(&to_status(&error))),
                });
            }
        },
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.context("cannot encode the report")?.as_bytes())?;
    Ok(())
}

/// Reads a file that was rejected as unsupported as a P&L report; `None` if it is not one.
async fn read_profit_report(settings: &Settings, path: &Path, error: &import::Error) -> Option<ProfitReport> {
    let import::Error::Rejected(rejection) = error else { return None };
    if rejection.reason != RejectionReason::Unsupported {
        return None;
    }
    match import::read_profit_report(settings, File::open(path).ok()?).await {
        Ok(Report::ProfitReport(report)) => Some(report),
        Ok(Report::TaxReport(_)) | Err(_) => None,
    }
}

/// Draws a progress bar until it is cancelled. The parser process shares the open file, and thereby its position.
async fn draw_progress(file: Option<File>, size: u64) -> std::convert::Infallible {
    let Some(mut file) = file else {
        return std::future::pending().await;
    };
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let position = file.stream_position().unwrap_or_default().min(size);
        let twentieths = usize::try_from(position.saturating_mul(20) / size.max(1)).unwrap_or_default();
        let percent = position.saturating_mul(100) / size.max(1);
        eprint!("\rReading [{:<20}] {percent:>3} %", "#".repeat(twentieths));
    }
}

/// Returns the display name of a book, such as `Zerodha, Equity`.
fn book_name(book: Option<Book>) -> String {
    let book = book.unwrap_or_default();
    let broker = Broker::from_wire(book.broker()).map_or("-", Broker::title);
    let segment = match book.segment() {
        Segment::Equity => "Equity",
        Segment::Fno => "Future & Option",
        Segment::Unspecified => "-",
    };
    format!("{broker}, {segment}")
}

/// Formats a P&L report as text.
fn format_profit_report(report: &ProfitReport) -> String {
    let mut out = String::new();
    let facts = [
        ("Report", edge::format_title(&report.format)),
        ("Book", book_name(report.book)),
        ("Period", format!("{} to {}", report.from, report.to)),
        ("Positions", report.rows.len().to_string()),
        ("Realised", if report.realised.is_empty() { "-".to_owned() } else { report.realised.clone() }),
        ("Skipped", report.error_count.to_string()),
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
    append_table(
        &mut out,
        "Closed positions",
        &["SYMBOL", "ISIN", "QUANTITY", "BUY VALUE", "SELL VALUE", "P&L"],
        &rows,
        all,
    );
    let charges: Vec<_> = report.charges.iter().map(|line| [line.label.clone(), line.amount.clone()]).collect();
    let all = i64::try_from(charges.len()).unwrap_or(i64::MAX);
    append_table(&mut out, "Charges", &["CHARGE", "AMOUNT"], &charges, all);
    let skipped: Vec<_> = report.errors.iter().map(issue_row).collect();
    append_table(&mut out, "Skipped rows", &ISSUE_HEADINGS, &skipped, report.error_count);
    out += "\nThis report cannot be imported. Use Reconcile in the analytics to compare it with the log.\n";
    out
}

/// Formats the report of a trade file as text.
fn format_report(report: &InspectFileResponse) -> String {
    let period = match (&report.first_executed_at, &report.last_executed_at) {
        (Some(first), Some(last)) => format!("{} to {}", day(first), day(last)),
        _ => "-".to_owned(),
    };
    let mut out = String::new();
    let facts = [
        ("Report", edge::format_title(&report.format)),
        ("Book", book_name(report.book)),
        ("Period", period),
        ("Rows", report.rows.to_string()),
        ("Trades", report.trades.to_string()),
        ("Skipped", report.error_count.to_string()),
        ("Not trades", report.skipped.to_string()),
        ("Warnings", report.warning_count.to_string()),
    ];
    for (name, value) in facts {
        out += &format!("{name:<10} {value}\n");
    }
    let sample = report.sample.iter().map(trade_row).collect::<Vec<_>>();
    append_table(&mut out, "First trades", &["TIME", "SIDE", "SYMBOL", "QUANTITY", "PRICE"], &sample, report.trades);
    let rows = |issues: &[FileIssue]| issues.iter().map(issue_row).collect::<Vec<_>>();
    append_table(&mut out, "Skipped rows", &ISSUE_HEADINGS, &rows(&report.errors), report.error_count);
    append_table(&mut out, "Warnings", &ISSUE_HEADINGS, &rows(&report.warnings), report.warning_count);
    out
}

fn trade_row(trade: &ImportedTrade) -> [String; 5] {
    let side = match trade.side() {
        Side::Buy => "buy",
        Side::Sell => "sell",
        Side::Unspecified => "-",
    };
    let at = trade.executed_at.unwrap_or_default();
    let time = if trade.time_precision() == TimePrecision::Day { day(&at) } else { time_of_day(&at) };
    [time, side.to_owned(), trade.symbol.clone(), trade.quantity.clone(), trade.price.clone()]
}

fn issue_row(issue: &FileIssue) -> [String; 5] {
    let FileIssue { row, column, value, sheet, .. } = issue;
    [sheet.clone(), row.to_string(), column.clone(), value.clone(), edge::import_issue_text(issue)]
}

fn day(at: &Timestamp) -> String {
    let format = format_description!("[day padding:none] [month repr:short] [year]");
    in_india(at.seconds).and_then(|time| time.format(format).ok()).unwrap_or_default()
}

fn time_of_day(at: &Timestamp) -> String {
    let format = format_description!("[day padding:none] [month repr:short] [year] [hour]:[minute]:[second]");
    in_india(at.seconds).and_then(|time| time.format(format).ok()).unwrap_or_default()
}
