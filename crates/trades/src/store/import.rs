//! Merging the trades of one file into a book, in one transaction.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant};

use rust_decimal::Decimal;
use time::OffsetDateTime;
use uuid::Uuid;

use super::answered::{self, IdempotencyKey, Outcome, Rpc, Sha256};
use super::imported::{Counted, ImportRecord, Imported, millis};
use super::sales::{New, UncoveredSales};
use super::write::{ChangeKind, NewChange, Pace, Write};
use super::{Store, count};
use crate::error::Error;
use crate::trade::{Book, Side, Trade};

/// An import under way. Dropped before [`ImportWriter::finish`], it leaves nothing.
pub struct ImportWriter {
    started: Instant,
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
    /// Trades of the book from before that came again. What the file tells first of each is compared.
    compared: HashSet<i64>,
    conflicts: i64,
    received: i64,
    first_executed_at: Option<OffsetDateTime>,
    last_executed_at: Option<OffsetDateTime>,
}

/// A trade of the book that came again.
struct Present {
    trade_id: i64,
    source_key: String,
    /// With another side, quantity, price or value than the broker told before.
    told_otherwise: bool,
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
            started: Instant::now(),
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
            compared: HashSet::new(),
            conflicts: 0,
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

    /// Adds those of `trades` that the book does not hold and the trader did not delete.
    pub async fn add(&mut self, trades: &[Trade]) -> Result<(), Error> {
        self.received += count(trades.len());
        if self.answered.is_some() {
            return Ok(());
        }
        let mut keyed: Vec<(&str, &Trade)> =
            trades.iter().filter_map(|trade| Some((trade.source_key.as_deref()?, trade))).collect();
        let marked = if self.marks { self.marked(&keyed).await? } else { Vec::new() };
        if let Some(seen) = &mut self.seen {
            keyed.retain(|(key, _)| !seen.insert(self.hasher.hash_one(key)));
        }
        let present = self.present(&keyed).await?;
        for held in present.iter().filter(|held| held.trade_id < self.first_trade_id) {
            self.conflicts += i64::from(self.compared.insert(held.trade_id) && held.told_otherwise);
        }
        let mut known: HashSet<&str> =
            present.iter().map(|held| &held.source_key).chain(&marked).map(String::as_str).collect();
        let fresh: Vec<&Trade> =
            trades.iter().filter(|trade| trade.source_key.as_deref().is_none_or(|key| known.insert(key))).collect();
        self.write.insert(self.book, &fresh).await?;
        let mut symbols: Vec<&str> = fresh.iter().map(|trade| &*trade.symbol).collect();
        symbols.retain(|symbol| self.symbols.insert(self.hasher.hash_one(symbol)));
        self.write.remember(&symbols).await?;

        let times = || trades.iter().map(|trade| trade.executed_at);
        self.first_executed_at = times().chain(self.first_executed_at).min();
        self.last_executed_at = times().chain(self.last_executed_at).max();
        Ok(())
    }

    /// Those of `keys` whose trades the trader deleted.
    async fn marked(&mut self, keyed: &[(&str, &Trade)]) -> Result<Vec<String>, Error> {
        let keys: Vec<&str> = keyed.iter().map(|(key, _)| *key).collect();
        let marked = sqlx::query_scalar!(
            "
            select source_key from trades.deleted_source
            where account_id = $1 and broker = $2 and segment = $3 and source_key = any($4)
            ",
            self.write.account_id,
            self.book.broker.name(),
            self.book.segment.name(),
            &keys as &[&str],
        )
        .fetch_all(self.write.on())
        .await?;
        Ok(marked)
    }

    /// The trades of the book that have one of `keys`. Nobody adds one meanwhile: the account is locked.
    ///
    /// Each key is looked up by itself. Asked for all at once, a planner without fresh statistics reads the whole
    /// account for every batch.
    async fn present(&mut self, keyed: &[(&str, &Trade)]) -> Result<Vec<Present>, Error> {
        if keyed.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<&str> = keyed.iter().map(|(key, _)| *key).collect();
        let sides: Vec<&str> = keyed.iter().map(|(_, trade)| Side::name(trade.side)).collect();
        let number = |number: fn(&Trade) -> Decimal| keyed.iter().map(|(_, trade)| number(trade)).collect::<Vec<_>>();
        let present = sqlx::query_as!(
            Present,
            r#"
            select held.trade_id as "trade_id!", wanted.source_key as "source_key!",
                   (coalesce(told.side, held.side), coalesce(told.quantity, held.quantity),
                    coalesce(told.price, held.price), coalesce(told.value, held.value))
                   is distinct from (wanted.side, wanted.quantity, wanted.price, wanted.value) as "told_otherwise!"
            from unnest($4::text[], $5::text[], $6::numeric[], $7::numeric[], $8::numeric[])
                     with ordinality as wanted (source_key, side, quantity, price, value, place)
                cross join lateral (
                    select t.trade_id, t.side, t.quantity, t.price, t.value from trades.trade t
                    where t.account_id = $1 and t.source_key = wanted.source_key and t.broker = $2 and t.segment = $3
                    limit 1
                ) held
                left join lateral (
                    select b.side, b.quantity, b.price, b.value from trades.broker_trade b
                    where b.account_id = $1 and b.trade_id = held.trade_id
                    order by b.change_id desc
                    limit 1
                ) told on true
            order by wanted.place
            "#,
            self.write.account_id,
            self.book.broker.name(),
            self.book.segment.name(),
            &keys as &[&str],
            &sides as &[&str],
            &number(|trade| trade.quantity),
            &number(|trade| trade.price),
            &number(|trade| trade.value),
        )
        .fetch_all(self.write.on())
        .await?;
        Ok(present)
    }

    /// Records the import and its change, and commits; the account's version moves if something was added.
    pub async fn finish(mut self, record: ImportRecord) -> Result<Imported, Error> {
        if let Some(outcome) = self.answered {
            return self.replay(outcome).await;
        }
        let new = self.first_trade_id..self.write.next_trade_id;
        let added = new.end - new.start;
        let account_id = self.write.account_id;
        let sales =
            UncoveredSales::of(self.write.on(), account_id, self.book, New::Numbered(new.start, new.end)).await?;
        let counted = Counted {
            added,
            duplicates: self.received - added,
            conflicts: self.conflicts,
            corrected: 0,
            warnings: record.read.unwrap_or_default().warnings + sales.count,
            duration_ms: millis(self.started),
            first_executed_at: self.first_executed_at,
            last_executed_at: self.last_executed_at,
        };
        let import_id = self.write.record_import(self.book, &record, &counted).await?;
        let symbol = if self.symbols.len() == 1 { self.write.only_symbol(new.start, &[]).await? } else { None };
        let change = NewChange {
            kind: ChangeKind::Import,
            added: new,
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
            duplicates: counted.duplicates,
            conflicts: counted.conflicts,
            corrected: 0,
            sales,
            first_executed_at: self.first_executed_at,
            last_executed_at: self.last_executed_at,
            head: self.write.finish(self.book, added, added > 0).await?,
            replayed: false,
        })
    }

    /// What came of the first request of this key.
    async fn replay(mut self, outcome: Outcome) -> Result<Imported, Error> {
        self.write.imported_by(self.book, outcome.change_id).await
    }
}
