//! Writes whose trades arrive as a stream: imports and replacements.

use futures_util::{Stream, pin_mut};
use rpc::failure::Violation;

use super::Service;
use super::stream_limits::add_to_count;
use crate::contract_note::ContractNote;
use crate::error::Error;
use crate::request_digest::RequestDigest;
use crate::store::{FileCounts, IdempotencyKey, ImportOutcome, ImportRecord, ReplaceOutcome};
use crate::trade::{Book, Segment, SelectedBook, Trade};
use crate::trade_limit::LogOwner;

/// Maximum number of violations reported for a replacement.
const MAX_VIOLATIONS: usize = 100;

/// Part of the stream of an import, after its head.
pub enum ImportPart {
    /// Next trades of the file.
    Batch(Vec<Trade>),
    /// End of the file.
    End {
        /// Number of trades in the file.
        trade_count: i64,
        file_counts: Option<FileCounts>,
        notes: Vec<ContractNote>,
    },
}

/// Part of the stream of a replacement, after its head.
pub enum ReplacePart {
    /// Next trades.
    Batch(Vec<Trade>),
    /// Violations of the next trades.
    Invalid(Vec<Violation>),
    /// End of the stream.
    End {
        /// Number of trades sent.
        trade_count: i64,
    },
}

impl Service {
    /// Merges the trades of `stream` into the book. Stores nothing unless the stream ends in time and with the stated
    /// number of trades.
    pub async fn import_trades(
        &self,
        owner: LogOwner,
        book: SelectedBook,
        record: ImportRecord,
        key: Option<IdempotencyKey>,
        stream: impl Stream<Item = Result<ImportPart, Error>>,
    ) -> Result<ImportOutcome, Error> {
        pin_mut!(stream);
        let mut parts = self.limits.apply_to(stream);
        let request = RequestDigest::new(book.default_book()).add_file(&record.file_sha256).finish();
        let mut writer =
            self.store.start_import(owner, book, &record.owner, key, request, self.limits.queue_timeout).await?;
        while let Some(part) = parts.next().await {
            match part? {
                ImportPart::Batch(trades) => {
                    add_to_count(writer.received(), trades.len(), self.limits.max_import_trades)?;
                    writer.add(&with_contracts(trades, book.segment)).await?;
                }
                ImportPart::End { trade_count, file_counts, notes } if trade_count == writer.received() => {
                    let imported = writer.finish(ImportRecord { file_counts, ..record }, &notes).await?;
                    tracing::info!(
                        account_id = %owner.account_id,
                        import = imported.import_id,
                        added = imported.added,
                        duplicates = imported.duplicates,
                        replayed = imported.replayed,
                        "trades_imported"
                    );
                    return Ok(imported);
                }
                ImportPart::End { .. } => break,
            }
        }
        Err(Error::IncompleteStream { received: writer.received() })
    }

    /// Replaces all trades of `book` by those of `stream`. Changes nothing unless the stream ends in time and with the
    /// stated number of trades.
    pub async fn replace_trades(
        &self,
        owner: LogOwner,
        book: Book,
        key: Option<IdempotencyKey>,
        stream: impl Stream<Item = Result<ReplacePart, Error>>,
    ) -> Result<ReplaceOutcome, Error> {
        pin_mut!(stream);
        let mut parts = self.limits.apply_to(stream);
        let mut digest = RequestDigest::new(book);
        let mut received = 0;
        let mut violations = Vec::new();
        let mut writer = self.store.start_replace(owner, book, key, self.limits.queue_timeout).await?;
        while let Some(part) = parts.next().await {
            match part? {
                ReplacePart::Batch(trades) => {
                    received = add_to_count(received, trades.len(), self.limits.max_replace_trades)?;
                    digest = trades.iter().fold(digest, RequestDigest::add_trade);
                    if violations.is_empty() {
                        writer.add(&with_contracts(trades, book.segment)).await?;
                    }
                }
                ReplacePart::Invalid(more) => {
                    violations.extend(more);
                    if violations.len() >= MAX_VIOLATIONS {
                        break;
                    }
                }
                ReplacePart::End { .. } if !violations.is_empty() => break,
                ReplacePart::End { trade_count: 0 } => {
                    return Err(Violation::new("end.trades", "INVALID").into());
                }
                ReplacePart::End { trade_count } if trade_count == received => {
                    let replaced = writer.finish(&digest.finish()).await?;
                    tracing::info!(
                        account_id = %owner.account_id,
                        change = replaced.change_id,
                        added = replaced.added,
                        removed = replaced.removed,
                        replayed = replaced.replayed,
                        "trades_replaced"
                    );
                    return Ok(replaced);
                }
                ReplacePart::End { .. } => break,
            }
        }
        violations.truncate(MAX_VIOLATIONS);
        Err(if violations.is_empty() { Error::IncompleteStream { received } } else { Error::Invalid(violations) })
    }
}

fn with_contracts(trades: Vec<Trade>, segment: Segment) -> Vec<Trade> {
    trades.into_iter().map(|trade| trade.with_contract_of_symbol(segment)).collect()
}
