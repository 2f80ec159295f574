//! Validation of the output of a parser process. The process here is a program that repeats the events it is given.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use rpc::imports::v1::{ChargeLine, FileIssue, ProfitReport, ProfitRow, SkippedSection, TaxReport, TaxReportLine};
use rpc::trades::v1::{Broker, ImportBatch, ImportedTrade, Segment};
use tempfile::TempDir;

use crate::error::{Error, Rejection, RejectionReason};
use crate::parser_process::{BatchOrSummary, ParseMode, ParserProcess};
use crate::profit_report::Report;
use crate::protocol::{
    self, Event, FileFormat, FileSummary, MAX_REPORT_CHARGES, MAX_REPORT_ISSUES, MAX_REPORT_ROWS,
    MAX_REPORT_TEXT_CHARS, MAX_SKIPPED_SECTIONS, MAX_TAX_LINES, MAX_TAX_REPORT_BYTES, RejectedFile,
};
use crate::settings::Settings;

/// Program that writes its stdin to its stdout.
struct Echo {
    program: PathBuf,
    _dir: TempDir,
}

impl Echo {
    fn new() -> Self {
        Self::with_delay("0")
    }

    /// Waits `seconds` before writing.
    fn with_delay(seconds: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("echo");
        // Another process writes the program: a process started by a parallel test could inherit a descriptor opened
        // here, and a file that is open for writing cannot be executed.
        let write = ["-c", "printf '#!/bin/sh\\nsleep %s; exec cat\\n' \"$1\" > \"$0\" && chmod 755 \"$0\""];
        assert!(Command::new("sh").args(write).arg(&program).arg(seconds).status().unwrap().success());
        Self { program, _dir: dir }
    }

    fn send(&self, events: &[Event], mode: ParseMode, parse_timeout: Duration) -> ParserProcess {
        let settings = Settings { parser_program: self.program.clone(), parse_timeout, ..Settings::default() };
        ParserProcess::start(&settings, event_file(events), mode).unwrap()
    }

    async fn read_trades(&self, events: &[Event]) -> Result<FileSummary, Rejection> {
        let mut parser = self.send(events, ParseMode::Trades(Segment::Equity), Settings::default().parse_timeout);
        let read = async {
            parser.read_kind().await?;
            loop {
                if let BatchOrSummary::Summary(summary) = parser.read_batch().await? {
                    return Ok(summary);
                }
            }
        };
        read.await.map_err(to_rejection)
    }

    async fn read_report(&self, report: &ProfitReport) -> Result<ProfitReport, Rejection> {
        let events = [Event::ProfitReport(report.clone())];
        let mut parser = self.send(&events, ParseMode::ProfitReport, Settings::default().parse_timeout);
        match parser.read_profit_report().await.map_err(to_rejection)? {
            Report::ProfitReport(report) => Ok(report),
            Report::TaxReport(report) => panic!("{report:?}"),
        }
    }
}

fn event_file(events: &[Event]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    for event in events {
        protocol::write_event(&mut file, event.clone()).unwrap();
    }
    file.seek(SeekFrom::Start(0)).unwrap();
    file
}

fn to_rejection(error: Error) -> Rejection {
    match error {
        Error::Rejected(rejection) => rejection,
        other => panic!("{other:?}"),
    }
}

fn format() -> Event {
    Event::Format(FileFormat {
        format: "zerodha-tradebook".to_owned(),
        segment: Segment::Equity.into(),
        ..Default::default()
    })
}

fn batch(trades: usize) -> Event {
    Event::Batch(ImportBatch { trades: vec![ImportedTrade::default(); trades] })
}

/// Returns the summary of a file with only trades.
fn summary(trades: i64) -> FileSummary {
    FileSummary { rows: trades, trades, ..FileSummary::default() }
}

#[tokio::test]
async fn rejects_empty_and_too_large_batches_and_files() {
    let echo = Echo::new();
    let read = async |sizes: &[usize]| {
        let all: usize = sizes.iter().sum();
        let end = Event::Summary(summary(i64::try_from(all).unwrap()));
        let batches = sizes.iter().map(|size| batch(*size));
        let events: Vec<_> = [format()].into_iter().chain(batches).chain([end]).collect();
        echo.read_trades(&events).await.map(|summary| summary.trades).map_err(|rejection| rejection.reason)
    };
    assert_eq!(read(&[2_000, 1]).await, Ok(2_001));
    assert_eq!(read(&[2_001]).await, Err(RejectionReason::Unreadable));
    assert_eq!(read(&[1, 0]).await, Err(RejectionReason::Unreadable));
    assert_eq!(read(&[2_000; 250]).await, Ok(500_000));
    assert_eq!(read(&[&[2_000; 250][..], &[1]].concat()).await, Err(RejectionReason::Unreadable));
}

#[tokio::test]
async fn rejects_a_summary_that_contradicts_the_batches() {
    let echo = Echo::new();
    let is_accepted =
        async |end: FileSummary| echo.read_trades(&[format(), batch(2), Event::Summary(end)]).await.is_ok();
    let issues = |count| vec![FileIssue::default(); count];
    for (name, end) in [
        ("two rows", summary(2)),
        ("one row of a matched pair", FileSummary { rows: 1, ..summary(2) }),
        ("rows with errors and skipped rows", FileSummary { rows: 7, error_count: 2, skipped: 3, ..summary(2) }),
        ("a thousand errors and warnings", {
            FileSummary {
                rows: 1_002,
                error_count: 1_000,
                errors: issues(1_000),
                warnings: issues(1_000),
                ..summary(2)
            }
        }),
        ("odd trades", FileSummary { warning_count: 2, odd_count: 2, ..summary(2) }),
    ] {
        assert!(is_accepted(end).await, "{name}");
    }
    for (name, end) in [
        ("another number of trades than sent", summary(3)),
        ("fewer trades than rows", FileSummary { rows: 3, ..summary(2) }),
        ("more than two trades per row", FileSummary { rows: 0, ..summary(2) }),
        ("negative number of errors", FileSummary { rows: 1, error_count: -1, ..summary(2) }),
        ("negative number of skipped rows", FileSummary { rows: 1, skipped: -1, ..summary(2) }),
        ("more odd trades than warnings", FileSummary { warning_count: 2, odd_count: 3, ..summary(2) }),
        ("negative number of odd trades", FileSummary { odd_count: -1, ..summary(2) }),
        ("too many errors", FileSummary { errors: issues(1_001), ..summary(2) }),
        ("too many warnings", FileSummary { warnings: issues(1_001), ..summary(2) }),
    ] {
        assert!(!is_accepted(end).await, "{name}");
    }
}

#[tokio::test]
async fn rejects_an_unknown_format_and_an_unspecified_segment() {
    let echo = Echo::new();
    let kind = async |events: &[Event]| {
        let mut parser = echo.send(events, ParseMode::Trades(Segment::Equity), Settings::default().parse_timeout);
        let kind = parser.read_kind().await.map(|kind| (kind.format.name(), kind.book.broker(), kind.book.segment()));
        kind.map_err(|error| to_rejection(error).reason)
    };
    assert_eq!(kind(&[format()]).await, Ok(("zerodha-tradebook", Broker::Zerodha, Segment::Equity)));
    let file = |format: &str, segment: i32| {
        Event::Format(FileFormat { format: format.to_owned(), segment, ..Default::default() })
    };
    for first in
        [file("unknown", 1), file("zerodha-tradebook", 0), batch(1), Event::ProfitReport(ProfitReport::default())]
    {
        assert_eq!(kind(&[first]).await, Err(RejectionReason::Unreadable));
    }
}

#[tokio::test]
async fn extends_the_deadline_by_the_time_spent_waiting() {
    let echo = Echo::with_delay("0.3");
    let mut parser = echo.send(&[format()], ParseMode::Trades(Segment::Equity), Duration::ZERO);
    parser.extend_deadline(Duration::from_mins(1));
    assert!(parser.read_kind().await.is_ok());
    let mut parser = echo.send(&[format()], ParseMode::Trades(Segment::Equity), Duration::ZERO);
    let timeout = to_rejection(parser.read_kind().await.err().unwrap());
    assert_eq!(timeout.reason, RejectionReason::TimedOut);
}

#[tokio::test]
async fn removes_control_characters_and_unknown_values_from_a_rejection_and_cuts_it() {
    let echo = Echo::new();
    let rejected = async |reason: i32, name: &str, value: &str| {
        let params = HashMap::from([(name.to_owned(), value.to_owned())]);
        echo.read_trades(&[Event::Rejected(RejectedFile { reason, params })]).await.err().unwrap()
    };
    let unknown = RejectionReason::Unknown.into();
    let rejection = rejected(unknown, "sheet", &format!("a\u{1b}[31m{}", "b".repeat(500))).await;
    let sheet = ("sheet", format!("a[31m{}", "b".repeat(95)));
    assert_eq!((rejection.reason, rejection.params), (RejectionReason::Unknown, vec![sheet]));
    assert_eq!(rejected(unknown, "other", "x").await, RejectionReason::Unknown.into());
    assert_eq!(rejected(99, "sheet", "x").await.reason, RejectionReason::Unreadable);
}

#[tokio::test]
async fn rejects_a_report_without_rows_or_above_a_limit() {
    let echo = Echo::new();
    let rows = |count| ProfitReport { rows: vec![ProfitRow::default(); count], ..ProfitReport::default() };
    let charges = |count| ProfitReport { charges: vec![ChargeLine::default(); count], ..rows(1) };
    let with_errors = |count| ProfitReport { errors: vec![FileIssue::default(); count], ..rows(1) };
    let named = |name: String| ProfitReport { rows: vec![ProfitRow { name, ..ProfitRow::default() }], ..rows(1) };
    let titled = |title: String| ProfitReport { title, ..rows(1) };
    for report in [
        rows(MAX_REPORT_ROWS),
        charges(MAX_REPORT_CHARGES),
        with_errors(MAX_REPORT_ISSUES),
        named("न".repeat(MAX_REPORT_TEXT_CHARS)),
    ] {
        assert_eq!(echo.read_report(&report).await, Ok(report));
    }
    for report in [
        rows(0),
        rows(MAX_REPORT_ROWS + 1),
        charges(MAX_REPORT_CHARGES + 1),
        with_errors(MAX_REPORT_ISSUES + 1),
        named("न".repeat(MAX_REPORT_TEXT_CHARS + 1)),
        titled("a\nb".to_owned()),
    ] {
        assert_eq!(echo.read_report(&report).await.unwrap_err().reason, RejectionReason::Unreadable);
    }
}

#[tokio::test]
async fn rejects_a_tax_report_above_a_limit() {
    let echo = Echo::new();
    let lines = |count| TaxReport { lines: vec![TaxReportLine::default(); count], ..TaxReport::default() };
    let text = |text: &str| TaxReport { title: text.to_owned(), ..lines(1) };
    let sections = |count| TaxReport { skipped_sections: vec![SkippedSection::default(); count], ..lines(1) };
    let long = TaxReportLine { quantity: "1".repeat(MAX_TAX_REPORT_BYTES), ..TaxReportLine::default() };
    for (report, is_valid) in [
        (lines(1), true),
        (lines(MAX_TAX_LINES), true),
        (text(&"é".repeat(MAX_REPORT_TEXT_CHARS)), true),
        (lines(0), false),
        (lines(MAX_TAX_LINES + 1), false),
        (text(&"é".repeat(MAX_REPORT_TEXT_CHARS + 1)), false),
        (text("\u{7}"), false),
        (sections(MAX_SKIPPED_SECTIONS + 1), false),
        (TaxReport { lines: vec![long], ..TaxReport::default() }, false),
    ] {
        let events = [Event::TaxReport(report)];
        let mut parser = echo.send(&events, ParseMode::ProfitReport, Settings::default().parse_timeout);
        assert_eq!(parser.read_profit_report().await.is_ok(), is_valid, "is valid: {is_valid}");
    }
}
