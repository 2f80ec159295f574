//! What is believed of a child, and what is not: here it says whatever it is given.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use rpc::imports::v1::{ChargeLine, Problem, ProfitReport, ProfitRow};
use rpc::trades::v1::{Broker, ImportBatch, ImportedTrade, Segment};
use tempfile::TempDir;

use crate::error::{Error, Reason, Refusal};
use crate::parser::{Parser, Tally, Wanted};
use crate::protocol::{self, End, Found, Refused, What};
use crate::report;
use crate::settings::Settings;

/// A child that repeats its file.
struct Echo {
    program: PathBuf,
    _dir: TempDir,
}

impl Echo {
    fn new() -> Self {
        Self::after("0")
    }

    /// One that waits for so many seconds.
    fn after(seconds: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("echo");
        // Another process writes it: a child that a test beside starts would else hold it open, and it could not be run.
        let write = ["-c", "printf '#!/bin/sh\\nsleep %s; exec cat\\n' \"$1\" > \"$0\" && chmod 755 \"$0\""];
        assert!(Command::new("sh").args(write).arg(&program).arg(seconds).status().unwrap().success());
        Self { program, _dir: dir }
    }

    fn say(&self, events: &[What], wanted: Wanted, wall_clock: Duration) -> Parser {
        let settings = Settings { child: self.program.clone(), wall_clock, ..Settings::default() };
        Parser::start(&settings, file(events), wanted).unwrap()
    }

    async fn trades(&self, events: &[What]) -> Result<Tally, Refusal> {
        let mut parser = self.say(events, Wanted::Trades, Settings::default().wall_clock);
        let read = async {
            parser.kind().await?;
            loop {
                if let Err(tally) = parser.batch().await? {
                    return Ok(tally);
                }
            }
        };
        read.await.map_err(refusal)
    }

    async fn report(&self, report: &ProfitReport) -> Result<ProfitReport, Refusal> {
        let events = [What::Report(report.clone())];
        self.say(&events, Wanted::Report, Settings::default().wall_clock).report().await.map_err(refusal)
    }
}

fn file(events: &[What]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    for event in events {
        protocol::write(&mut file, event.clone()).unwrap();
    }
    file.seek(SeekFrom::Start(0)).unwrap();
    file
}

fn refusal(error: Error) -> Refusal {
    match error {
        Error::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

fn found() -> What {
    What::Found(Found { format: "zerodha-tradebook".to_owned(), segment: Segment::Equity.into() })
}

fn batch(trades: usize) -> What {
    What::Batch(ImportBatch { trades: vec![ImportedTrade::default(); trades] })
}

/// The end of a file of so many trades and nothing else.
fn end_of(trades: i64) -> End {
    End { rows: trades, trades, ..End::default() }
}

#[tokio::test]
async fn a_batch_has_1_to_2000_trades_and_a_file_500000() {
    let echo = Echo::new();
    let sizes = async |sizes: &[usize]| {
        let all: usize = sizes.iter().sum();
        let end = What::End(end_of(i64::try_from(all).unwrap()));
        let events: Vec<_> = [found()].into_iter().chain(sizes.iter().map(|size| batch(*size))).chain([end]).collect();
        echo.trades(&events).await.map(|tally| tally.trades).map_err(|refusal| refusal.reason)
    };
    assert_eq!(sizes(&[2_000, 1]).await, Ok(2_001));
    assert_eq!(sizes(&[2_001]).await, Err(Reason::Unreadable));
    assert_eq!(sizes(&[1, 0]).await, Err(Reason::Unreadable));
    assert_eq!(sizes(&[2_000; 250]).await, Ok(500_000));
    assert_eq!(sizes(&[&[2_000; 250][..], &[1]].concat()).await, Err(Reason::Unreadable));
}

#[tokio::test]
async fn the_end_agrees_with_what_came() {
    let echo = Echo::new();
    let ends = async |end: End| echo.trades(&[found(), batch(2), What::End(end)]).await.is_ok();
    let many = |count| vec![Problem::default(); count];
    for (what, end) in [
        ("two rows", end_of(2)),
        ("one row of a matched pair", End { rows: 1, ..end_of(2) }),
        ("rows left out and set aside", End { rows: 7, problem_count: 2, skipped: 3, ..end_of(2) }),
        ("a thousand problems and warnings", {
            End { rows: 1_002, problem_count: 1_000, problems: many(1_000), warnings: many(1_000), ..end_of(2) }
        }),
        ("odd trades", End { warning_count: 2, odd_count: 2, ..end_of(2) }),
    ] {
        assert!(ends(end).await, "{what}");
    }
    for (what, end) in [
        ("other trades than came", end_of(3)),
        ("fewer trades than rows", End { rows: 3, ..end_of(2) }),
        ("more trades than two for a row", End { rows: 0, ..end_of(2) }),
        ("fewer problems than none", End { rows: 1, problem_count: -1, ..end_of(2) }),
        ("less than nothing set aside", End { rows: 1, skipped: -1, ..end_of(2) }),
        ("more odd trades than warnings", End { warning_count: 2, odd_count: 3, ..end_of(2) }),
        ("fewer odd trades than none", End { odd_count: -1, ..end_of(2) }),
        ("too many problems", End { problems: many(1_001), ..end_of(2) }),
        ("too many warnings", End { warnings: many(1_001), ..end_of(2) }),
    ] {
        assert!(!ends(end).await, "{what}");
    }
}

#[tokio::test]
async fn a_file_is_of_a_format_and_a_segment_that_there_are() {
    let echo = Echo::new();
    let kind = async |events: &[What]| {
        let mut parser = echo.say(events, Wanted::Trades, Settings::default().wall_clock);
        let kind = parser.kind().await.map(|kind| (kind.format.name(), kind.book.broker(), kind.book.segment()));
        kind.map_err(|error| refusal(error).reason)
    };
    assert_eq!(kind(&[found()]).await, Ok(("zerodha-tradebook", Broker::Zerodha, Segment::Equity)));
    let of = |format: &str, segment: i32| What::Found(Found { format: format.to_owned(), segment });
    for first in [of("nobody's", 1), of("zerodha-tradebook", 0), batch(1), What::Report(ProfitReport::default())] {
        assert_eq!(kind(&[first]).await, Err(Reason::Unreadable));
    }
}

#[tokio::test]
async fn the_time_in_which_a_child_waited_for_others_is_not_its_own() {
    let echo = Echo::after("0.3");
    let mut parser = echo.say(&[found()], Wanted::Trades, Duration::ZERO);
    parser.excuse(Duration::from_mins(1));
    assert!(parser.kind().await.is_ok());
    let mut parser = echo.say(&[found()], Wanted::Trades, Duration::ZERO);
    let late = refusal(parser.kind().await.err().unwrap());
    assert!(late.message.contains("too long"), "{}", late.message);
}

#[tokio::test]
async fn what_a_child_says_of_a_refusal_is_shown_without_controls_and_not_too_long() {
    let echo = Echo::new();
    let refused = async |reason: i32, message: &str| {
        let event = What::Refused(Refused { reason, message: message.to_owned() });
        echo.trades(&[event]).await.err().unwrap()
    };
    let told = refused(Reason::Unknown.into(), &format!("a\u{1b}[31m{}", "b".repeat(500))).await;
    assert_eq!((told.reason, told.message), (Reason::Unknown, format!("a[31m{}", "b".repeat(395))));
    for (reason, message) in [(Reason::Unknown.into(), ""), (Reason::Unknown.into(), "\n"), (99, "x")] {
        assert_eq!(refused(reason, message).await.reason, Reason::Unreadable, "{reason} {message:?}");
    }
}

#[tokio::test]
async fn a_report_has_rows_and_no_more_of_anything_than_a_report_can_have() {
    let echo = Echo::new();
    let rows = |count| ProfitReport { rows: vec![ProfitRow::default(); count], ..ProfitReport::default() };
    let charges = |count| ProfitReport { charges: vec![ChargeLine::default(); count], ..rows(1) };
    let problems = |count| ProfitReport { problems: vec![Problem::default(); count], ..rows(1) };
    let named = |name: String| ProfitReport { rows: vec![ProfitRow { name, ..ProfitRow::default() }], ..rows(1) };
    let titled = |title: String| ProfitReport { title, ..rows(1) };
    for report in [
        rows(report::MOST_ROWS),
        charges(report::MOST_CHARGES),
        problems(report::MOST_PROBLEMS),
        named("न".repeat(report::LONGEST_TEXT)),
    ] {
        assert_eq!(echo.report(&report).await, Ok(report));
    }
    for report in [
        rows(0),
        rows(report::MOST_ROWS + 1),
        charges(report::MOST_CHARGES + 1),
        problems(report::MOST_PROBLEMS + 1),
        named("न".repeat(report::LONGEST_TEXT + 1)),
        titled("a\nb".to_owned()),
    ] {
        assert_eq!(echo.report(&report).await.unwrap_err().reason, Reason::Unreadable);
    }
}
