//! Putting trades in the place of all that a book holds, in one transaction.

use std::collections::HashSet;
use std::time::Duration;

use uuid::Uuid;

use super::answered::{self, Answered, IdempotencyKey, Outcome, Rpc, Sha256};
use super::write::{ChangeKind, NewChange, Pace, Write};
use super::{Head, Store, head};
use crate::error::Error;
use crate::trade::{Book, Trade};

/// What a replacement did.
pub struct Replaced {
    pub change_id: i64,
    pub added: i64,
    pub removed: i64,
    pub head: Head,
    /// It was done before, by a request of the same key.
    pub replayed: bool,
}

/// A replacement under way. Dropped before [`ReplaceWriter::finish`], it leaves all as it was.
pub struct ReplaceWriter {
    write: Write,
    book: Book,
    key: Option<IdempotencyKey>,
    /// The key was answered before: nothing is written any more.
    answered: Option<Answered>,
    first_trade_id: i64,
    removed: i64,
    symbols: HashSet<String>,
}

impl Store {
    /// Empties `book` to be filled anew. Until that is finished no other write of the account goes on.
    pub async fn start_replace(
        &self,
        account_id: Uuid,
        book: Book,
        key: Option<IdempotencyKey>,
        turn: Duration,
    ) -> Result<ReplaceWriter, Error> {
        let mut write = self.begin(account_id, Pace::Stream(turn), key.is_some()).await?;
        let answered = match &key {
            Some(key) => answered::find(write.on(), account_id, Rpc::Replace, key).await?,
            None => None,
        };
        let removed = if answered.is_some() { 0 } else { write.clear(book).await? };
        let first_trade_id = write.next_trade_id;
        Ok(ReplaceWriter { write, book, key, answered, first_trade_id, removed, symbols: HashSet::new() })
    }
}

impl ReplaceWriter {
    /// Adds `trades`.
    pub async fn add(&mut self, trades: &[Trade]) -> Result<(), Error> {
        if self.answered.is_some() {
            return Ok(());
        }
        let fresh: Vec<&str> =
            trades.iter().map(|trade| &*trade.symbol).filter(|symbol| !self.symbols.contains(*symbol)).collect();
        self.write.remember(&fresh).await?;
        self.symbols.extend(fresh.into_iter().map(str::to_owned));
        self.write.insert(self.book, &trades.iter().collect::<Vec<_>>()).await
    }

    /// Writes the change down and commits; or answers as before, where `request` is the one that was answered then.
    pub async fn finish(mut self, request: &Sha256) -> Result<Replaced, Error> {
        if let Some(answered) = self.answered {
            let Outcome { change_id, added, removed, trade_id: _ } = answered.to(request)?;
            let account_id = self.write.account_id;
            let head = head(self.write.on(), account_id).await?;
            return Ok(Replaced { change_id, added, removed, head, replayed: true });
        }
        let (added, removed) = (self.write.next_trade_id - self.first_trade_id, self.removed);
        let mut symbols = self.symbols.iter();
        let change = NewChange {
            kind: ChangeKind::Replace,
            added: self.first_trade_id..self.write.next_trade_id,
            removed,
            symbol: symbols.next().filter(|_| symbols.next().is_none()).map(String::as_str),
            pair_id: None,
            import_id: None,
        };
        let change_id = self.write.record(self.book, change).await?;
        let outcome = Outcome { change_id, added, removed, trade_id: None };
        self.write.answer(Rpc::Replace, self.key.as_ref(), request, outcome).await?;
        let head = self.write.finish(self.book, added - removed, true).await?;
        Ok(Replaced { change_id, added, removed, head, replayed: false })
    }
}
