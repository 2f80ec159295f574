//! The layout of a contract note with names and numbers masked, for a trader whose note is not read. Nothing is stored or
//! forwarded.

use std::fs::File;

use rpc::imports::v1::{RedactLayoutOptions, RedactLayoutResponse};
use tokio::time::Instant;
use tonic::Status;
use uuid::Uuid;

use crate::error::Error;
use crate::parser_process::{ParseMode, ParserProcess};
use crate::protocol::ParserOptions;
use crate::service::{IMPORT_TIMED_OUT, Service, error_code};
use crate::upload::check_password;

impl Service {
    /// Reads the layout of a contract note and logs the result without the file's content.
    pub async fn redact_layout(
        self,
        account_id: Uuid,
        file: File,
        bytes: u64,
        options: RedactLayoutOptions,
    ) -> Result<RedactLayoutResponse, Error> {
        let started = Instant::now();
        let read =
            tokio::time::timeout_at(started + self.settings.deadline, self.read_layout(account_id, file, options))
                .await
                .unwrap_or_else(|_| Err(Error::Call(Status::deadline_exceeded(IMPORT_TIMED_OUT))));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &read {
            Ok(_) => tracing::info!(%account_id, bytes, millis, "layout_redacted"),
            Err(error) => tracing::info!(%account_id, bytes, millis, code = error_code(error), "file_rejected"),
        }
        read
    }

    async fn read_layout(
        &self,
        account_id: Uuid,
        file: File,
        RedactLayoutOptions { password }: RedactLayoutOptions,
    ) -> Result<RedactLayoutResponse, Error> {
        if let Some(violation) = check_password(&password) {
            return Err(Error::Invalid(vec![violation]));
        }
        let _permit = self.queue.acquire(account_id).await?;
        let options = ParserOptions { password, ..ParserOptions::default() };
        ParserProcess::start_with(&self.settings, file, ParseMode::Layout, &options)?.read_layout().await
    }
}
