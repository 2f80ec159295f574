//! Replacing all trades of a book, in one transaction.

use std::collections::HashSet;
use std::time::Duration;

use super::connections::Store;
use super::idempotency::{IdempotencyKey, IdempotentRpc, RecordedOutcome, RecordedRequest, find_request};
use super::log_head::{LogHead, fetch_log_head};
use super::write::{AccountWrite, ChangeKind, NewChange, WriteKind};
use crate::error::Error;
use crate::request_digest::Sha256;
use crate::trade::{Book, Trade};
use crate::trade_limit::LogOwner;

/// Outcome of a replacement.
pub struct ReplaceOutcome {
    pub change_id: i64,
    pub added: i64,
    pub removed: i64,
    pub head: LogHead,
    /// The book was replaced by an earlier request with the same idempotency key.
    pub replayed: bool,
}

/// Replacement in progress. Dropping it before [`ReplaceWriter::finish`] changes nothing.
pub struct ReplaceWriter {
    write: AccountWrite,
    book: Book,
    key: Option<IdempotencyKey>,
    /// Earlier request with the same idempotency key; then nothing is written.
    recorded: Option<RecordedRequest>,
    first_trade_id: i64,
    removed: i64,
    symbols: HashSet<String>,
}

impl Store {
    /// Removes all trades of `book` and begins to insert new ones. Other writes of the account wait until it is
    /// finished.
    pub async fn start_replace(
        &self,
        owner: LogOwner,
        book: Book,
        key: Option<IdempotencyKey>,
        queue_timeout: Duration,
    ) -> Result<ReplaceWriter, Error> {
        let LogOwner { account_id, max_trades } = owner;
        let mut write = self.begin_write(account_id, WriteKind::Stream { queue_timeout }, key.is_some()).await?;
        write.max_trades = max_trades;
        let recorded = match &key {
            Some(key) => find_request(write.connection(), account_id, IdempotentRpc::Replace, key).await?,
            None => None,
        };
        let removed = if recorded.is_some() { 0 } else { write.remove_all_trades(book).await? };
        let first_trade_id = write.next_trade_id;
        Ok(ReplaceWriter { write, book, key, recorded, first_trade_id, removed, symbols: HashSet::new() })
    }
}

impl ReplaceWriter {
    /// Inserts `trades`.
    pub async fn add(&mut self, trades: &[Trade]) -> Result<(), Error> {
        if self.recorded.is_some() {
            return Ok(());
        }
        let new_symbols: Vec<&str> =
            trades.iter().map(|trade| &*trade.symbol).filter(|symbol| !self.symbols.contains(*symbol)).collect();
        self.write.add_symbols(&new_symbols).await?;
        self.symbols.extend(new_symbols.into_iter().map(str::to_owned));
        self.write.insert(self.book, &trades.iter().collect::<Vec<_>>()).await
    }

    /// Records the change and commits; or returns the recorded outcome if `request` is a repetition.
    pub async fn finish(mut self, request: &Sha256) -> Result<ReplaceOutcome, Error> {
        if let Some(recorded) = self.recorded {
            let RecordedOutcome { change_id, added, removed, trade_id: _ } = recorded.replay(request)?;
            let account_id = self.write.account_id;
            let head = fetch_log_head(self.write.connection(), account_id).await?;
            return Ok(ReplaceOutcome { change_id, added, removed, head, replayed: true });
        }
        let (added, removed) = (self.write.next_trade_id - self.first_trade_id, self.removed);
        let mut symbols = self.symbols.iter();
        let change = NewChange {
            kind: ChangeKind::Replace,
            added: self.first_trade_id..self.write.next_trade_id,
            removed,
            filled: 0,
            symbol: symbols.next().filter(|_| symbols.next().is_none()).map(String::as_str),
            pair_id: None,
            import_id: None,
        };
        let change_id = self.write.record_change(self.book, change).await?;
        let outcome = RecordedOutcome { change_id, added, removed, trade_id: None };
        self.write.record_request(IdempotentRpc::Replace, self.key.as_ref(), request, outcome).await?;
        let head = self.write.commit(self.book, added - removed, true).await?;
        Ok(ReplaceOutcome { change_id, added, removed, head, replayed: false })
    }
}
