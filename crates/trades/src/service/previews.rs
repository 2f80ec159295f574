//! Previews of imports, and their commit.

use futures_util::{Stream, pin_mut};
use uuid::Uuid;

use super::Service;
use super::stream_limits::add_to_count;
use crate::contract_note::ContractNote;
use crate::error::Error;
use crate::store::{CommitOutcome, ConflictChoices, FileCounts, ImportRecord, Preview};
use crate::trade::{FileTrade, SelectedBook};
use crate::trade_limit::LogOwner;

/// Part of the stream of a preview, after its head.
pub enum PreviewPart {
    /// Next trades of the file.
    Batch(Vec<FileTrade>),
    /// End of the file.
    End {
        /// Number of trades in the file.
        trade_count: i64,
        file_counts: Option<FileCounts>,
        /// Encoded proto message `FileIssues` of the file's parser.
        encoded_issues: Vec<u8>,
        notes: Vec<ContractNote>,
    },
}

/// Response for a preview. The service saves it encoded and returns it until the trades change, because comparing a
/// large file with the book takes seconds.
pub trait PreviewResponse: Sized {
    /// Builds the response for `preview`.
    fn from_preview(preview: Preview) -> Result<Self, Error>;

    /// Encodes the response for [`Self::from_bytes`].
    fn to_bytes(&self) -> Vec<u8>;

    /// Decodes a saved response; `None` if another version of the program saved it in another format.
    fn from_bytes(saved: &[u8]) -> Option<Self>;
}

impl Service {
    /// Stores the trades of `stream` for an hour, and returns the result of importing them into the book. Stores nothing
    /// unless the stream ends in time and with the stated number of trades.
    pub async fn preview_trades<R: PreviewResponse>(
        &self,
        owner: LogOwner,
        book: SelectedBook,
        record: ImportRecord,
        stream: impl Stream<Item = Result<PreviewPart, Error>>,
    ) -> Result<R, Error> {
        pin_mut!(stream);
        let account_id = owner.account_id;
        let mut parts = self.limits.apply_to(stream);
        let mut writer = self.store.start_preview(owner, book, &record.owner, self.limits.queue_timeout).await?;
        while let Some(part) = parts.next().await {
            match part? {
                PreviewPart::Batch(trades) => {
                    add_to_count(writer.received(), trades.len(), self.limits.max_import_trades)?;
                    let with_contract =
                        |file: FileTrade| FileTrade { trade: file.trade.with_contract_of_symbol(book.segment), ..file };
                    writer.add(&trades.into_iter().map(with_contract).collect::<Vec<_>>()).await?;
                }
                PreviewPart::End { trade_count, file_counts, encoded_issues, notes }
                    if trade_count == writer.received() =>
                {
                    let record = ImportRecord { file_counts, ..record };
                    let preview = writer.finish(record, encoded_issues, &notes).await?;
                    tracing::info!(
                        %account_id,
                        added = preview.comparison.added,
                        conflicts = preview.comparison.conflicts,
                        "import_previewed"
                    );
                    return self.save_response(account_id, preview).await;
                }
                PreviewPart::End { .. } => break,
            }
        }
        Err(Error::IncompleteStream { received: writer.received() })
    }

    /// Returns the result of importing a preview into the current book, together with the other previews of `batch`.
    pub async fn get_preview<R: PreviewResponse>(
        &self,
        account_id: Uuid,
        preview_id: Uuid,
        batch: &[Uuid],
    ) -> Result<R, Error> {
        if !batch.is_empty() {
            return R::from_preview(self.store.compare_preview(account_id, preview_id, batch).await?);
        }
        let saved = self.store.load_preview_response(account_id, preview_id).await?;
        match saved.and_then(|saved| R::from_bytes(&saved)) {
            Some(response) => Ok(response),
            None => {
                self.save_response(account_id, self.store.compare_preview(account_id, preview_id, &[]).await?).await
            }
        }
    }

    /// Builds the response for a preview and saves it for the next request.
    async fn save_response<R: PreviewResponse>(&self, account_id: Uuid, preview: Preview) -> Result<R, Error> {
        let (preview_id, version) = (preview.file.preview_id, preview.comparison.version);
        let response = R::from_preview(preview)?;
        self.store.save_preview_response(account_id, preview_id, version, &response.to_bytes()).await?;
        Ok(response)
    }

    /// Imports a preview, at most once.
    pub async fn commit_preview(
        &self,
        owner: LogOwner,
        preview_id: Uuid,
        choices: ConflictChoices,
    ) -> Result<CommitOutcome, Error> {
        let account_id = owner.account_id;
        let outcome = self.store.commit_preview(owner, preview_id, &choices, self.limits.queue_timeout).await?;
        match &outcome {
            CommitOutcome::Imported { imported, .. } => tracing::info!(
                %account_id,
                import = imported.import_id,
                added = imported.added,
                corrected = imported.corrected,
                replayed = imported.replayed,
                "preview_imported"
            ),
            CommitOutcome::Outdated(_) => tracing::info!(%account_id, "preview_outdated"),
        }
        Ok(outcome)
    }
}
