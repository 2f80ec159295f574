//! What an import would do, and doing just that.

use futures_util::{Stream, pin_mut};
use uuid::Uuid;

use super::Service;
use super::streams::at_most;
use crate::error::Error;
use crate::store::{Choices, Committed, ImportRecord, Preview, ReadCounts};
use crate::trade::{Book, FileTrade};

/// What the stream of a preview brings after its head.
pub enum PreviewPart {
    /// The next trades of the file.
    Batch(Vec<FileTrade>),
    /// The file's end.
    End {
        /// How many trades it held.
        trades: i64,
        read: Option<ReadCounts>,
        /// What its reader said beside them, to be given back as it is.
        findings: Vec<u8>,
    },
}

impl Service {
    /// Keeps the trades of `stream` for an hour and says what importing them into `book` would do. Anything but an end
    /// in time that agrees with what came leaves nothing.
    pub async fn preview(
        &self,
        account_id: Uuid,
        book: Book,
        record: ImportRecord,
        stream: impl Stream<Item = Result<PreviewPart, Error>>,
    ) -> Result<Preview, Error> {
        pin_mut!(stream);
        let mut parts = self.parts(stream);
        let mut writer = self.store.start_preview(account_id, book, self.limits.turn).await?;
        while let Some(part) = parts.next().await {
            match part? {
                PreviewPart::Batch(trades) => {
                    at_most(self.limits.import, writer.received(), trades.len())?;
                    let of_book = |line: FileTrade| FileTrade { trade: line.trade.of(book.segment), ..line };
                    writer.add(&trades.into_iter().map(of_book).collect::<Vec<_>>()).await?;
                }
                PreviewPart::End { trades, read, findings } if trades == writer.received() => {
                    let preview = writer.finish(ImportRecord { read, ..record }, findings).await?;
                    tracing::info!(
                        %account_id,
                        added = preview.compared.added,
                        conflicts = preview.compared.conflicts,
                        "import_previewed"
                    );
                    return Ok(preview);
                }
                PreviewPart::End { .. } => break,
            }
        }
        Err(Error::BrokenOff { received: writer.received() })
    }

    /// What was shown of a preview, if it holds still.
    pub async fn shown(&self, account_id: Uuid, preview_id: Uuid) -> Result<Option<Vec<u8>>, Error> {
        self.store.shown(account_id, preview_id).await
    }

    /// Keeps what is shown of a preview, which was compared with that version.
    pub async fn keep_shown(
        &self,
        account_id: Uuid,
        preview_id: Uuid,
        version: i64,
        shown: &[u8],
    ) -> Result<(), Error> {
        self.store.keep_shown(account_id, preview_id, version, shown).await
    }

    /// A preview as the book is now.
    pub async fn previewed(&self, account_id: Uuid, preview_id: Uuid) -> Result<Preview, Error> {
        self.store.preview(account_id, preview_id).await
    }

    /// Imports what a preview showed, once.
    pub async fn commit(&self, account_id: Uuid, preview_id: Uuid, choices: Choices) -> Result<Committed, Error> {
        let committed = self.store.commit(account_id, preview_id, &choices, self.limits.turn).await?;
        match &committed {
            Committed::Imported { imported, .. } => tracing::info!(
                %account_id,
                import = imported.import_id,
                added = imported.added,
                corrected = imported.corrected,
                replayed = imported.replayed,
                "preview_imported"
            ),
            Committed::Changed(_) => tracing::info!(%account_id, "preview_outdated"),
        }
        Ok(committed)
    }
}
