//! Reads a profit and loss report or tax report for a trader, in a parser process. Nothing is stored.

use std::fs::File;

use tokio::time::Instant;
use tonic::Status;
use uuid::Uuid;

use crate::error::Error;
use crate::parser_process::{ParseMode, ParserProcess};
use crate::profit_report::Report;
use crate::service::{Service, error_code};
use crate::settings::Settings;
use crate::upload::MAX_FILE_BYTES;

const REPORT_TIMED_OUT: &str =
    "Reading the report took too long. Upload it again, or download it for a shorter period.";

impl Service {
    /// Reads a report and logs the result without the report's content.
    pub async fn read_profit_report(self, account_id: Uuid, file: File, bytes: u64) -> Result<Report, Error> {
        let started = Instant::now();
        let read_in_queue = async {
            let _permit = self.queue.acquire(account_id).await?;
            read_profit_report(&self.settings, file).await
        };
        let read = tokio::time::timeout_at(started + self.settings.deadline, read_in_queue)
            .await
            .unwrap_or_else(|_| Err(Error::Call(Status::deadline_exceeded(REPORT_TIMED_OUT))));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &read {
            Ok(report) => {
                let (code, rows) = match report {
                    Report::ProfitReport(report) => (&report.format, report.rows.len()),
                    Report::TaxReport(report) => (&report.format, report.lines.len()),
                };
                tracing::info!(%account_id, bytes, millis, code, rows, "report_read");
            }
            Err(error) => tracing::info!(%account_id, bytes, millis, code = error_code(error), "report_rejected"),
        }
        read
    }
}

/// Reads `file` in a parser process and returns its profit and loss report or tax report.
///
/// # Errors
/// Fails if the file is too large, is not such a report or cannot be read, or the parser process cannot be started.
pub async fn read_profit_report(settings: &Settings, file: File) -> Result<Report, Error> {
    let metadata = file.metadata().map_err(|source| Error::Io { context: "failed to read the file size", source })?;
    if metadata.len() > MAX_FILE_BYTES {
        return Err(Error::TooLarge);
    }
    ParserProcess::start(settings, file, ParseMode::ProfitReport)?.read_profit_report().await
}
