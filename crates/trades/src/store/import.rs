//! Merging the trades of one file into a book, in one transaction.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use time::OffsetDateTime;
use uuid::Uuid;

use super::answered::{self, IdempotencyKey, Outcome, Rpc, Sha256};
use super::write::{ChangeKind, NewChange, Pace, Write};
use super::{Head, Store, count, head};
use crate::error::Error;
use crate::trade::{Book, Trade};

/// What is kept of an import beside its trades.
pub struct ImportRecord {
    pub file_name: String,
    pub file_sha256: Vec<u8>,
    pub format: String,
}

/// What an import did.
#[derive(Debug)]
pub struct Imported {
    pub import_id: i64,
    pub change_id: i64,
    pub added: i64,
    pub duplicates: i64,
    pub first_executed_at: Option<OffsetDateTime>,
    pub last_executed_at: Option<OffsetDateTime>,
    pub head: Head,
    /// It was done before, by a request of the same key.
    pub replayed: bool,
}

/// An import under way. Dropped before [`ImportWriter::finish`], it leaves nothing.
pub struct ImportWriter {
    write: Write,
    book: Book,
    key: Option<IdempotencyKey>,
    request: Sha256,
    /// The key was answered before: nothing is written any more.
    answered: Option<Outcome>,
    first_trade_id: i64,
    /// Where the book began empty: hashes of the keys that came so far. Only what may be there is looked up.
    seen: Option<HashSet<u64>>,
    /// Some trades of the book's files were deleted by the trader.
    marks: bool,
    hasher: RandomState,
    /// Hashes of the symbols that are remembered.
    symbols: HashSet<u64>,
    claims: Claims,
    received: i64,
    first_executed_at: Option<OffsetDateTime>,
    last_executed_at: Option<OffsetDateTime>,
}

impl Store {
    /// Begins an import into `book`. Until it is finished no other write of the account goes on.
    pub async fn start_import(
        &self,
        account_id: Uuid,
        book: Book,
        key: Option<IdempotencyKey>,
        request: Sha256,
        turn: Duration,
    ) -> Result<ImportWriter, Error> {
        let mut write = self.begin(account_id, Pace::Stream(turn), key.is_some()).await?;
        let answered = match &key {
            Some(key) => answered::find(write.on(), account_id, Rpc::Import, key).await?,
            None => None,
        };
        let answered = answered.map(|answered| answered.to(&request)).transpose()?;
        let found = sqlx::query!(
            r#"
            select
                not exists (
                    select from trades.trade where account_id = $1 and broker = $2 and segment = $3
                ) as "empty!",
                exists (
                    select from trades.deleted_source where account_id = $1 and broker = $2 and segment = $3
                ) as "marks!"
            "#,
            account_id,
            book.broker.name(),
            book.segment.name(),
        )
        .fetch_one(write.on())
        .await?;
        Ok(ImportWriter {
            first_trade_id: write.next_trade_id,
            write,
            book,
            key,
            request,
            answered,
            seen: found.empty.then(HashSet::new),
            marks: found.marks,
            hasher: RandomState::new(),
            symbols: HashSet::new(),
            claims: Claims::default(),
            received: 0,
            first_executed_at: None,
            last_executed_at: None,
        })
    }
}

impl ImportWriter {
    /// How many trades came so far.
    pub const fn received(&self) -> i64 {
        self.received
    }

    /// Adds those of `trades` that the book does not hold and the trader did not delete, and claims all that it holds.
    pub async fn add(&mut self, trades: &[Trade]) -> Result<(), Error> {
        self.received += count(trades.len());
        if self.answered.is_some() {
            return Ok(());
        }
        let mut keys: Vec<&str> = trades.iter().filter_map(|trade| trade.source_key.as_deref()).collect();
        let marked = if self.marks { self.marked(&keys).await? } else { Vec::new() };
        if let Some(seen) = &mut self.seen {
            keys.retain(|key| !seen.insert(self.hasher.hash_one(key)));
        }
        let present = self.present(&keys).await?;
        let mut known: HashSet<&str> = present.iter().map(|(_, key)| key).chain(&marked).map(String::as_str).collect();
        let fresh: Vec<&Trade> =
            trades.iter().filter(|trade| trade.source_key.as_deref().is_none_or(|key| known.insert(key))).collect();
        let first_id = self.write.next_trade_id;
        self.write.insert(self.book, &fresh).await?;
        let mut symbols: Vec<&str> = fresh.iter().map(|trade| &*trade.symbol).collect();
        symbols.retain(|symbol| self.symbols.insert(self.hasher.hash_one(symbol)));
        self.write.remember(&symbols).await?;

        self.claims.extend(present.into_iter().map(|(trade_id, _)| trade_id).collect());
        self.claims.extend((first_id..self.write.next_trade_id).collect());
        let times = || trades.iter().map(|trade| trade.executed_at);
        self.first_executed_at = times().chain(self.first_executed_at).min();
        self.last_executed_at = times().chain(self.last_executed_at).max();
        Ok(())
    }

    /// Those of `keys` whose trades the trader deleted.
    async fn marked(&mut self, keys: &[&str]) -> Result<Vec<String>, Error> {
        let marked = sqlx::query_scalar!(
            "
            select source_key from trades.deleted_source
            where account_id = $1 and broker = $2 and segment = $3 and source_key = any($4)
            ",
            self.write.account_id,
            self.book.broker.name(),
            self.book.segment.name(),
            keys as &[&str],
        )
        .fetch_all(self.write.on())
        .await?;
        Ok(marked)
    }

    /// The trades of the book that have one of `keys`. Nobody adds one meanwhile: the account is locked.
    ///
    /// Each key is looked up by itself. Asked for all at once, a planner without fresh statistics reads the whole
    /// account for every batch.
    async fn present(&mut self, keys: &[&str]) -> Result<Vec<(i64, String)>, Error> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let rows = sqlx::query!(
            r#"
            select held.trade_id, wanted.source_key as "source_key!"
            from unnest($4::text[]) as wanted (source_key),
                lateral (
                    select t.trade_id from trades.trade t
                    where t.account_id = $1 and t.source_key = wanted.source_key and t.broker = $2 and t.segment = $3
                    limit 1
                ) held
            "#,
            self.write.account_id,
            self.book.broker.name(),
            self.book.segment.name(),
            keys as &[&str],
        )
        .fetch_all(self.write.on())
        .await?;
        Ok(rows.into_iter().map(|row| (row.trade_id, row.source_key)).collect())
    }

    /// Records the import and its change, and commits; the account's version moves if something was added.
    pub async fn finish(mut self, record: ImportRecord) -> Result<Imported, Error> {
        if let Some(outcome) = self.answered {
            return self.replay(outcome).await;
        }
        let added = self.write.next_trade_id - self.first_trade_id;
        let duplicates = self.received - added;
        let import_id = self.record(record, added, duplicates).await?;
        let symbol = self.only_symbol().await?;
        let change = NewChange {
            kind: ChangeKind::Import,
            added: self.first_trade_id..self.write.next_trade_id,
            removed: 0,
            symbol: symbol.as_deref(),
            pair_id: None,
            import_id: Some(import_id),
        };
        let change_id = self.write.record(self.book, change).await?;
        let outcome = Outcome { change_id, added, removed: 0, trade_id: None };
        self.write.answer(Rpc::Import, self.key.as_ref(), &self.request, outcome).await?;
        Ok(Imported {
            import_id,
            change_id,
            added,
            duplicates,
            first_executed_at: self.first_executed_at,
            last_executed_at: self.last_executed_at,
            head: self.write.finish(self.book, added, added > 0).await?,
            replayed: false,
        })
    }

    async fn record(&mut self, record: ImportRecord, added: i64, duplicates: i64) -> Result<i64, Error> {
        let import_id = self.write.next_import_id;
        self.write.next_import_id += 1;
        sqlx::query!(
            "
            insert into trades.import (
                account_id, import_id, broker, segment, format, file_name, file_sha256, claims, added, duplicates,
                first_executed_at, last_executed_at
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8::text::int8multirange, $9, $10, $11, $12)
            ",
            self.write.account_id,
            import_id,
            self.book.broker.name(),
            self.book.segment.name(),
            record.format,
            record.file_name,
            record.file_sha256,
            self.claims.to_multirange(),
            added,
            duplicates,
            self.first_executed_at,
            self.last_executed_at,
        )
        .execute(self.write.on())
        .await?;
        Ok(import_id)
    }

    /// The symbol of what was added, if it is one.
    async fn only_symbol(&mut self) -> Result<Option<String>, Error> {
        if self.symbols.len() != 1 {
            return Ok(None);
        }
        let (account_id, first_trade_id) = (self.write.account_id, self.first_trade_id);
        let symbol = sqlx::query_scalar!(
            "select symbol from trades.trade where account_id = $1 and trade_id = $2",
            account_id,
            first_trade_id,
        )
        .fetch_optional(self.write.on())
        .await?;
        Ok(symbol)
    }

    /// What came of the first request of this key.
    async fn replay(mut self, outcome: Outcome) -> Result<Imported, Error> {
        let account_id = self.write.account_id;
        let then = sqlx::query!(
            "
            select i.import_id, i.added, i.duplicates, i.first_executed_at, i.last_executed_at
            from trades.change c join trades.import i on i.account_id = c.account_id and i.import_id = c.import_id
            where c.account_id = $1 and c.change_id = $2
            ",
            account_id,
            outcome.change_id,
        )
        .fetch_one(self.write.on())
        .await?;
        Ok(Imported {
            import_id: then.import_id,
            change_id: outcome.change_id,
            added: then.added,
            duplicates: then.duplicates,
            first_executed_at: then.first_executed_at,
            last_executed_at: then.last_executed_at,
            head: head(self.write.on(), account_id).await?,
            replayed: true,
        })
    }
}

/// Numbers of trades as half-open ranges. Most files claim a few long runs.
#[derive(Default)]
struct Claims {
    ranges: Vec<(i64, i64)>,
}

impl Claims {
    fn extend(&mut self, mut ids: Vec<i64>) {
        ids.sort_unstable();
        for id in ids {
            match self.ranges.last_mut() {
                Some((start, end)) if (*start..*end).contains(&id) => {}
                Some((_, end)) if *end == id => *end += 1,
                Some(_) | None => self.ranges.push((id, id + 1)),
            }
        }
    }

    /// As Postgres reads it, which also puts the ranges in order and joins them.
    fn to_multirange(&self) -> String {
        let ranges: Vec<String> = self.ranges.iter().map(|(start, end)| format!("[{start},{end})")).collect();
        format!("{{{}}}", ranges.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::Claims;

    #[test]
    fn numbers_in_a_row_are_one_range() {
        let mut claims = Claims::default();
        assert_eq!(claims.to_multirange(), "{}");
        claims.extend(vec![3, 1, 2]);
        claims.extend(vec![4, 5, 9]);
        claims.extend(vec![9, 2]);
        assert_eq!(claims.to_multirange(), "{[1,6),[9,10),[2,3),[9,10)}");
    }
}
