//! A look into a file: what it holds, for somebody who is not signed in. Nothing of it is stored or handed on.

use std::fs::File;

use prost_types::Timestamp;
use rpc::imports::v1::InspectFileResponse;
use rpc::trades::v1::ImportedTrade;
use tokio::time::Instant;
use tonic::Status;

use crate::error::Error;
use crate::parser::{Parser, Wanted};
use crate::service::{Service, TOO_SLOW, code_of};
use crate::settings::Settings;
use crate::upload::LARGEST_FILE;

/// Trades that are shown.
const SAMPLE: usize = 20;

impl Service {
    /// Reads a file, and logs that it did; never what is in it.
    pub async fn inspect(self, file: File, bytes: u64) -> Result<InspectFileResponse, Error> {
        let started = Instant::now();
        let inspected = tokio::time::timeout_at(started + self.settings.deadline, self.inspect_in_time(file))
            .await
            .unwrap_or_else(|_| Err(Error::Call(Status::deadline_exceeded(TOO_SLOW))));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &inspected {
            Ok(report) => {
                tracing::info!(bytes, millis, code = report.format, rows = report.rows, "file_inspected");
            }
            Err(error) => tracing::info!(bytes, millis, code = code_of(error), "file_not_inspected"),
        }
        inspected
    }

    async fn inspect_in_time(&self, file: File) -> Result<InspectFileResponse, Error> {
        let _turn = self.turns.take_for_stranger().await?;
        // Half of what a trader's file gets: one who waits for this turn must still get it in time.
        let settings = Settings { wall_clock: self.settings.wall_clock / 2, ..Settings::clone(&self.settings) };
        inspect(&settings, file).await
    }
}

/// What a file holds, as a child of its own reads it.
pub async fn inspect(settings: &Settings, file: File) -> Result<InspectFileResponse, Error> {
    let size = file.metadata().map_err(|source| Error::Io { doing: "looking at the file failed", source })?.len();
    if size > LARGEST_FILE {
        return Err(Error::TooLarge);
    }
    let mut parser = Parser::start(settings, file, Wanted::Trades)?;
    let kind = parser.kind().await?;
    let mut report = InspectFileResponse {
        book: Some(kind.book),
        format: kind.format.name().to_owned(),
        format_title: kind.format.title().to_owned(),
        ..InspectFileResponse::default()
    };
    loop {
        match parser.batch().await? {
            Ok(batch) => batch.trades.into_iter().for_each(|trade| add(&mut report, trade)),
            Err(tally) => {
                return Ok(InspectFileResponse {
                    rows: tally.rows,
                    trades: tally.trades,
                    problems: tally.problems,
                    problem_count: tally.problem_count,
                    warnings: tally.warnings,
                    warning_count: tally.warning_count,
                    skipped: tally.skipped,
                    ..report
                });
            }
        }
    }
}

fn add(report: &mut InspectFileResponse, trade: ImportedTrade) {
    let order = |at: &Timestamp| (at.seconds, at.nanos);
    let (first, last) = (report.first_executed_at, report.last_executed_at);
    report.first_executed_at = first.into_iter().chain(trade.executed_at).min_by_key(order);
    report.last_executed_at = last.into_iter().chain(trade.executed_at).max_by_key(order);
    if report.sample.len() < SAMPLE {
        report.sample.push(trade);
    }
}
