//! Writes whose trades come as a stream: an import, a replacement.

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt, pin_mut};
use rpc::failure::Violation;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::Service;
use crate::digest::Digest;
use crate::error::Error;
use crate::store::{IdempotencyKey, ImportRecord, Imported, ReadCounts, Replaced};
use crate::trade::{Book, Trade};

/// How many broken rules are told of at once.
const MOST_VIOLATIONS: usize = 100;

/// What the stream of an import brings after its head.
pub enum ImportPart {
    /// The next trades of the file.
    Batch(Vec<Trade>),
    /// The file's end.
    End {
        /// How many trades it held.
        trades: i64,
        read: Option<ReadCounts>,
    },
}

/// What the stream of a replacement brings after its head.
pub enum ReplacePart {
    /// The next trades.
    Batch(Vec<Trade>),
    /// The rules that the next trades break.
    Broken(Vec<Violation>),
    /// The end, with the number of trades that were sent.
    End(i64),
}

/// What one stream may take. It holds one of few connections, and its account's lock.
#[derive(Clone, Copy, Debug)]
pub struct StreamLimits {
    /// Until other writes of its account are done.
    pub turn: Duration,
    /// Until the next part comes.
    pub wait: Duration,
    /// Until the last part has come. A statement that runs then has its own limit.
    pub whole: Duration,
    /// How many trades an import has.
    pub import: i64,
    /// How many trades a replacement has.
    pub replacement: i64,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            turn: Duration::from_secs(25),
            wait: Duration::from_secs(20),
            whole: Duration::from_secs(50),
            import: 500_000,
            replacement: 100_000,
        }
    }
}

/// The parts of a stream, for as long as it may take.
pub(super) struct Parts<'a, S> {
    stream: Pin<&'a mut S>,
    until: Instant,
    wait: Duration,
}

impl<S: Stream> Parts<'_, S> {
    /// The next part; none where it does not come in time. Waits between statements alone: a commit that was cut off
    /// could have been one.
    pub(super) async fn next(&mut self) -> Option<S::Item> {
        let now = Instant::now();
        if now >= self.until {
            return None;
        }
        timeout_at(self.until.min(now + self.wait), self.stream.next()).await.ok().flatten()
    }
}

impl Service {
    /// Merges the trades of `stream` into `book`. Anything but an end in time that agrees with what came leaves nothing.
    pub async fn import(
        &self,
        account_id: Uuid,
        book: Book,
        record: ImportRecord,
        key: Option<IdempotencyKey>,
        stream: impl Stream<Item = Result<ImportPart, Error>>,
    ) -> Result<Imported, Error> {
        pin_mut!(stream);
        let mut parts = self.parts(stream);
        let request = Digest::of(book).file(&record.file_sha256).finish();
        let mut writer = self.store.start_import(account_id, book, key, request, self.limits.turn).await?;
        while let Some(part) = parts.next().await {
            match part? {
                ImportPart::Batch(trades) => {
                    at_most(self.limits.import, writer.received(), trades.len())?;
                    writer.add(&in_book(trades, book)).await?;
                }
                ImportPart::End { trades, read } if trades == writer.received() => {
                    let imported = writer.finish(ImportRecord { read, ..record }).await?;
                    tracing::info!(
                        %account_id,
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
        Err(Error::BrokenOff { received: writer.received() })
    }

    /// Puts the trades of `stream` in the place of all that `book` holds. Anything but an end in time that agrees with
    /// what came leaves all as it was.
    pub async fn replace(
        &self,
        account_id: Uuid,
        book: Book,
        key: Option<IdempotencyKey>,
        stream: impl Stream<Item = Result<ReplacePart, Error>>,
    ) -> Result<Replaced, Error> {
        pin_mut!(stream);
        let mut parts = self.parts(stream);
        let mut digest = Digest::of(book);
        let mut received = 0;
        let mut broken = Vec::new();
        let mut writer = self.store.start_replace(account_id, book, key, self.limits.turn).await?;
        while let Some(part) = parts.next().await {
            match part? {
                ReplacePart::Batch(trades) => {
                    received = at_most(self.limits.replacement, received, trades.len())?;
                    digest = trades.iter().fold(digest, Digest::trade);
                    if broken.is_empty() {
                        writer.add(&in_book(trades, book)).await?;
                    }
                }
                ReplacePart::Broken(rules) => {
                    broken.extend(rules);
                    if broken.len() >= MOST_VIOLATIONS {
                        break;
                    }
                }
                ReplacePart::End(_) if !broken.is_empty() => break,
                ReplacePart::End(0) => return Err(Error::field("trades", "A replacement has at least 1 trade.")),
                ReplacePart::End(trades) if trades == received => {
                    let replaced = writer.finish(&digest.finish()).await?;
                    tracing::info!(
                        %account_id,
                        change = replaced.change_id,
                        added = replaced.added,
                        removed = replaced.removed,
                        replayed = replaced.replayed,
                        "trades_replaced"
                    );
                    return Ok(replaced);
                }
                ReplacePart::End(_) => break,
            }
        }
        broken.truncate(MOST_VIOLATIONS);
        Err(if broken.is_empty() { Error::BrokenOff { received } } else { Error::Invalid(broken) })
    }

    pub(super) fn parts<'a, S: Stream>(&self, stream: Pin<&'a mut S>) -> Parts<'a, S> {
        Parts { stream, until: Instant::now() + self.limits.whole, wait: self.limits.wait }
    }
}

fn in_book(trades: Vec<Trade>, book: Book) -> Vec<Trade> {
    trades.into_iter().map(|trade| trade.of(book.segment)).collect()
}

/// How many trades there are with so many more, if that is not too many.
pub(super) fn at_most(limit: i64, received: i64, more: usize) -> Result<i64, Error> {
    let sum = i64::try_from(more).unwrap_or(i64::MAX).saturating_add(received);
    if sum <= limit { Ok(sum) } else { Err(Error::field("trades", &format!("At most {limit} trades go at once."))) }
}
