//! Inspection of a file for a caller who is not logged in. Nothing is stored or forwarded.

use std::fs::File;

use prost_types::Timestamp;
use rpc::imports::v1::InspectFileResponse;
use rpc::trades::v1::{ImportedTrade, Segment};
use tokio::time::Instant;
use tonic::Status;

use crate::error::Error;
use crate::parser_process::{BatchOrSummary, ParseMode, ParserProcess};
use crate::protocol::ParserOptions;
use crate::service::{IMPORT_TIMED_OUT, Service, error_code};
use crate::settings::Settings;
use crate::upload::MAX_FILE_BYTES;

/// Trades shown in the response.
const MAX_SAMPLE_TRADES: usize = 20;

impl Service {
    /// Inspects a file and logs the result without the file's content.
    pub async fn inspect(self, file: File, bytes: u64) -> Result<InspectFileResponse, Error> {
        let started = Instant::now();
        let inspected = tokio::time::timeout_at(started + self.settings.deadline, self.inspect_in_queue(file))
            .await
            .unwrap_or_else(|_| Err(Error::Call(Status::deadline_exceeded(IMPORT_TIMED_OUT))));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &inspected {
            Ok(response) => {
                tracing::info!(bytes, millis, code = response.format, rows = response.rows, "file_inspected");
            }
            Err(error) => tracing::info!(bytes, millis, code = error_code(error), "inspection_failed"),
        }
        inspected
    }

    async fn inspect_in_queue(&self, file: File) -> Result<InspectFileResponse, Error> {
        let _permit = self.queue.acquire_anonymous().await?;
        // Half of a trader's time: a trader who waits for this file must still be read within the queue timeout.
        let parse_timeout = self.settings.parse_timeout / 2;
        inspect(&Settings { parse_timeout, ..Settings::clone(&self.settings) }, file).await
    }
}

/// Reads `file` in a parser process and returns true if it has trades of the other segment than `segment`. Opens an
/// encrypted document with `password`.
///
/// # Errors
/// As of [`inspect`].
pub async fn has_other_segment(
    settings: &Settings,
    file: File,
    segment: Segment,
    password: &str,
) -> Result<bool, Error> {
    let options = ParserOptions { password: password.to_owned(), ..ParserOptions::default() };
    let mut parser = ParserProcess::start_with(settings, file, ParseMode::Trades(segment), &options)?;
    parser.read_kind().await?;
    loop {
        if let BatchOrSummary::Summary(summary) = parser.read_batch().await? {
            return Ok(summary.other_segment_rows > 0);
        }
    }
}

/// Reads `file` in a parser process and returns its format, counts, issues and first trades.
///
/// # Errors
/// Fails if the file is too large or rejected, or the parser process cannot be started.
pub async fn inspect(settings: &Settings, file: File) -> Result<InspectFileResponse, Error> {
    let metadata = file.metadata().map_err(|source| Error::Io { context: "failed to read the file size", source })?;
    if metadata.len() > MAX_FILE_BYTES {
        return Err(Error::TooLarge);
    }
    let mut parser = ParserProcess::start(settings, file, ParseMode::Trades(Segment::Equity))?;
    let kind = parser.read_kind().await?;
    let mut response = InspectFileResponse {
        book: Some(kind.book),
        format: kind.format.name().to_owned(),
        ..InspectFileResponse::default()
    };
    loop {
        match parser.read_batch().await? {
            BatchOrSummary::Batch(batch) => {
                batch.trades.into_iter().for_each(|trade| add_trade(&mut response, trade));
            }
            BatchOrSummary::Summary(summary) => {
                return Ok(InspectFileResponse {
                    rows: summary.rows,
                    trades: summary.trades,
                    errors: summary.errors,
                    error_count: summary.error_count,
                    warnings: summary.warnings,
                    warning_count: summary.warning_count,
                    skipped: summary.skipped,
                    ..response
                });
            }
        }
    }
}

/// Extends the period of `response` to `trade`, and adds the trade to the sample if there is room.
pub(crate) fn add_trade(response: &mut InspectFileResponse, trade: ImportedTrade) {
    let order = |at: &Timestamp| (at.seconds, at.nanos);
    let (first, last) = (response.first_executed_at, response.last_executed_at);
    response.first_executed_at = first.into_iter().chain(trade.executed_at).min_by_key(order);
    response.last_executed_at = last.into_iter().chain(trade.executed_at).max_by_key(order);
    if response.sample.len() < MAX_SAMPLE_TRADES {
        response.sample.push(trade);
    }
}
