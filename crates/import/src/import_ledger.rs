//! Reads a ledger in a parser process and sends its entries to the trade log.

use std::fs::File;

use rpc::imports::v1::{ImportLedgerResponse, LedgerFile, LedgerOptions};
use rpc::trades::v1 as trades;
use tokio::time::Instant;
use tonic::Status;

use crate::error::Error;
use crate::file_owner::FileOwner;
use crate::parser_process::{ParseMode, ParserProcess};
use crate::service::{IMPORT_TIMED_OUT, Service, Trader, error_code};
use crate::upload::sanitize_file_name;

impl Service {
    /// Imports a ledger, or returns what that would add, and logs the result without the file's content.
    pub async fn import_ledger(
        self,
        trader: Trader,
        file: File,
        bytes: u64,
        options: LedgerOptions,
    ) -> Result<ImportLedgerResponse, Error> {
        let started = Instant::now();
        let (account_id, preview) = (trader.account_id, options.preview);
        let imported = tokio::time::timeout_at(
            started + self.settings.deadline,
            self.import_ledger_in_queue(trader, file, options),
        )
        .await
        .unwrap_or_else(|_| Err(Error::Call(Status::deadline_exceeded(IMPORT_TIMED_OUT))));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &imported {
            Ok(response) => {
                let added = response.result.as_ref().map(|result| result.added);
                tracing::info!(%account_id, bytes, millis, code = response.format, preview, added, "ledger_read");
            }
            Err(error) => tracing::info!(%account_id, bytes, millis, code = error_code(error), "ledger_rejected"),
        }
        imported
    }

    async fn import_ledger_in_queue(
        &self,
        trader: Trader,
        file: File,
        options: LedgerOptions,
    ) -> Result<ImportLedgerResponse, Error> {
        let _permit = self.queue.acquire(trader.account_id).await?;
        let ledger = ParserProcess::start(&self.settings, file, ParseMode::Ledger)?.read_ledger().await?;
        let LedgerFile { format, broker, client_code, holder, entries, opening_balance, closing_balance } = ledger;
        let file_name = sanitize_file_name(&options.file_name);
        let owner = FileOwner::new(&client_code, &holder).or_file_name(&file_name);
        let (first, last) = (entries.first(), entries.last());
        let day = |entry: Option<&trades::LedgerEntry>| entry.map(|entry| entry.day.clone()).unwrap_or_default();
        let mut response = ImportLedgerResponse {
            from: day(first),
            to: day(last),
            format: format.clone(),
            opening_balance: opening_balance.clone(),
            closing_balance,
            result: None,
        };
        let request = trader.request(trades::ImportLedgerRequest {
            broker,
            broker_account: options.broker_account,
            client_code: owner.client_code,
            holder: owner.holder,
            file_name,
            format,
            entries,
            preview: options.preview,
            opening_balance,
        });
        let stored = self.trades().import_ledger(request).await.map_err(Error::Call)?;
        response.result = Some(stored.into_inner());
        Ok(response)
    }
}
