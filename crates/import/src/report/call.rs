//! A profit and loss report for a trader: read by a child, as every file is, and handed back. Nothing of it is stored.

use std::fs::File;

use rpc::imports::v1::ProfitReport;
use tokio::time::Instant;
use tonic::Status;
use uuid::Uuid;

use crate::error::Error;
use crate::parser::{Parser, Wanted};
use crate::service::{Service, code_of};
use crate::settings::Settings;
use crate::upload::LARGEST_FILE;

const TOO_SLOW: &str = "Reading the report took too long. Upload it again, or download it for a shorter time.";

impl Service {
    /// Reads a report, and logs that it did; never what is in it.
    pub async fn report(self, account: Uuid, file: File, bytes: u64) -> Result<ProfitReport, Error> {
        let started = Instant::now();
        let in_time = async {
            let _turn = self.turns.take(account).await?;
            read_report(&self.settings, file).await
        };
        let read = tokio::time::timeout_at(started + self.settings.deadline, in_time)
            .await
            .unwrap_or_else(|_| Err(Error::Call(Status::deadline_exceeded(TOO_SLOW))));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &read {
            Ok(report) => {
                tracing::info!(%account, bytes, millis, code = report.format, rows = report.rows.len(), "report_read");
            }
            Err(error) => tracing::info!(%account, bytes, millis, code = code_of(error), "report_refused"),
        }
        read
    }
}

/// What a profit and loss report says, as a child of its own reads it.
///
/// # Errors
/// When the file is no such report, or cannot be read.
pub async fn read_report(settings: &Settings, file: File) -> Result<ProfitReport, Error> {
    let size = file.metadata().map_err(|source| Error::Io { doing: "looking at the file failed", source })?.len();
    if size > LARGEST_FILE {
        return Err(Error::TooLarge);
    }
    Parser::start(settings, file, Wanted::Report)?.report().await
}
