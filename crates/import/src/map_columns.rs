//! The table of a file with an unknown layout, and what a column mapping makes of it. Nothing is stored or forwarded.

use std::fs::File;

use rpc::column_mapping;
use rpc::imports::v1::{InspectFileResponse, MapColumnsOptions, MapColumnsResponse};
use rpc::trades::v1::{Book, ColumnMapping};
use tokio::time::Instant;
use tonic::Status;
use uuid::Uuid;

use crate::error::Error;
use crate::formats::mapped_table;
use crate::inspection::add_trade;
use crate::parser_process::{MappedFile, ParseMode, ParserProcess};
use crate::protocol::ParserOptions;
use crate::service::{IMPORT_TIMED_OUT, Service, error_code};

impl Service {
    /// Reads the table of a file and logs the result without the file's content.
    pub async fn map_columns(
        self,
        account_id: Uuid,
        file: File,
        bytes: u64,
        options: MapColumnsOptions,
    ) -> Result<MapColumnsResponse, Error> {
        let started = Instant::now();
        let read =
            tokio::time::timeout_at(started + self.settings.deadline, self.read_table(account_id, file, options))
                .await
                .unwrap_or_else(|_| Err(Error::Call(Status::deadline_exceeded(IMPORT_TIMED_OUT))));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &read {
            Ok(table) => {
                let rows = table.result.as_ref().map(|result| result.rows);
                tracing::info!(%account_id, bytes, millis, columns = table.header.len(), rows, "columns_mapped");
            }
            Err(error) => tracing::info!(%account_id, bytes, millis, code = error_code(error), "file_rejected"),
        }
        read
    }

    async fn read_table(
        &self,
        account_id: Uuid,
        file: File,
        options: MapColumnsOptions,
    ) -> Result<MapColumnsResponse, Error> {
        let violations = options.mapping.as_ref().map(|mapping| column_mapping::validate(mapping, "options.mapping"));
        if let Some(violations) = violations.filter(|violations| !violations.is_empty()) {
            return Err(Error::Invalid(violations));
        }
        let _permit = self.queue.acquire(account_id).await?;
        let mapping = options.mapping;
        let options = ParserOptions {
            mappings: mapping.clone().into_iter().collect(),
            header_row: options.header_row,
            ..ParserOptions::default()
        };
        let mut parser = ParserProcess::start_with(&self.settings, file, ParseMode::Table, &options)?;
        let file = parser.read_mapped_file().await?;
        Ok(to_response(file, mapping.as_ref()))
    }
}

fn to_response(file: MappedFile, mapping: Option<&ColumnMapping>) -> MapColumnsResponse {
    let MappedFile { table, batches, summary } = file;
    let Some((summary, mapping)) = summary.zip(mapping) else { return table };
    let mut result = InspectFileResponse {
        book: Some(Book { broker: mapping.broker, segment: mapping.segment, broker_account: mapping.broker_account }),
        format: mapped_table::NAME.to_owned(),
        rows: summary.rows,
        trades: summary.trades,
        error_count: summary.error_count,
        warning_count: summary.warning_count,
        skipped: summary.skipped,
        ..InspectFileResponse::default()
    };
    for trade in batches.into_iter().flat_map(|batch| batch.trades) {
        add_trade(&mut result, trade);
    }
    let issue_counts = summary.issue_counts;
    let result = Some(InspectFileResponse { errors: summary.errors, warnings: summary.warnings, ..result });
    MapColumnsResponse { result, issue_counts, date_order_proven: !summary.is_date_order_open, ..table }
}
