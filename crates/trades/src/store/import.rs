//! Import of a file into a book, in one transaction.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant};

use rust_decimal::Decimal;
use time::OffsetDateTime;

use super::broker_accounts::{FileOwner, select_account};
use super::columns::to_count;
use super::connections::Store;
use super::idempotency::{IdempotencyKey, IdempotentRpc, RecordedOutcome, find_request};
use super::import_record::{ImportCounts, ImportOutcome, ImportRecord, elapsed_millis};
use super::uncovered_sales::{NewTrades, UncoveredSales};
use super::write::{AccountWrite, ChangeKind, NewChange, WriteKind};
use crate::contract_note::ContractNote;
use crate::error::Error;
use crate::request_digest::Sha256;
use crate::trade::{Book, SelectedBook, Side, Trade};
use crate::trade_limit::LogOwner;

/// Import in progress. Dropping it before [`ImportWriter::finish`] changes nothing.
pub struct ImportWriter {
    started: Instant,
    write: AccountWrite,
    book: Book,
    key: Option<IdempotencyKey>,
    request: Sha256,
    /// Outcome of an earlier request with the same idempotency key; then nothing is written.
    recorded: Option<RecordedOutcome>,
    first_trade_id: i64,
    /// Hashes of the source keys received so far, if the book was empty before the import. Only keys with a known hash
    /// can be in the book and are looked up.
    seen_key_hashes: Option<HashSet<u64>>,
    /// The trader deleted some imported trades of the book.
    has_deleted_trades: bool,
    hasher: RandomState,
    /// Hashes of the symbols already added to the suggestions.
    symbol_hashes: HashSet<u64>,
    /// Numbers of earlier trades of the book that the file contains. Only the first occurrence of each is compared.
    compared_ids: HashSet<i64>,
    conflict_count: i64,
    /// Number of trades of the book whose series or ISIN the file filled.
    filled: i64,
    received: i64,
    first_executed_at: Option<OffsetDateTime>,
    last_executed_at: Option<OffsetDateTime>,
}

/// Trade of the book that the file contains.
struct ExistingTrade {
    trade_id: i64,
    source_key: String,
    /// The side, quantity, price or value differs from the broker's earlier version.
    differs_from_broker_version: bool,
    /// Has no series or ISIN, and the file states it.
    lacks_details: bool,
}

impl Store {
    /// Begins an import into the book that is selected by the trader or by the owner of the file. Other writes of the account wait until it is finished.
    pub async fn start_import(
        &self,
        owner: LogOwner,
        selected: SelectedBook,
        file_owner: &FileOwner,
        key: Option<IdempotencyKey>,
        request: Sha256,
        queue_timeout: Duration,
    ) -> Result<ImportWriter, Error> {
        let LogOwner { account_id, max_trades } = owner;
        let mut write = self.begin_write(account_id, WriteKind::Stream { queue_timeout }, key.is_some()).await?;
        write.max_trades = max_trades;
        let recorded = match &key {
            Some(key) => find_request(write.connection(), account_id, IdempotentRpc::Import, key).await?,
            None => None,
        };
        let recorded = recorded.map(|recorded| recorded.replay(&request)).transpose()?;
        let SelectedBook { broker, account_number, segment } = selected;
        let broker_account = select_account(write.connection(), account_id, broker, account_number, file_owner).await?;
        let book = Book { broker_account, segment };
        let book_state = sqlx::query!(
            r#"
            select
                not exists (
                    select from trades.trade where account_id = $1 and broker_account = $2 and segment = $3
                ) as "empty!",
                exists (
                    select from trades.deleted_source_key where account_id = $1 and broker_account = $2 and segment = $3
                ) as "has_deletions!"
            "#,
            account_id,
            &book.broker_account.key(),
            book.segment.name(),
        )
        .fetch_one(write.connection())
        .await?;
        Ok(ImportWriter {
            started: Instant::now(),
            first_trade_id: write.next_trade_id,
            write,
            book,
            key,
            request,
            recorded,
            seen_key_hashes: book_state.empty.then(HashSet::new),
            has_deleted_trades: book_state.has_deletions,
            hasher: RandomState::new(),
            symbol_hashes: HashSet::new(),
            compared_ids: HashSet::new(),
            conflict_count: 0,
            filled: 0,
            received: 0,
            first_executed_at: None,
            last_executed_at: None,
        })
    }
}

impl ImportWriter {
    /// Returns the number of trades received so far.
    pub const fn received(&self) -> i64 {
        self.received
    }

    /// Adds those of `trades` that are not in the book and were not deleted by the trader.
    pub async fn add(&mut self, trades: &[Trade]) -> Result<(), Error> {
        self.received += to_count(trades.len());
        if self.recorded.is_some() {
            return Ok(());
        }
        let mut trades_with_keys: Vec<(&str, &Trade)> =
            trades.iter().filter_map(|trade| Some((trade.source_key.as_deref()?, trade))).collect();
        let deleted_keys =
            if self.has_deleted_trades { self.find_deleted_keys(&trades_with_keys).await? } else { Vec::new() };
        if let Some(seen_key_hashes) = &mut self.seen_key_hashes {
            trades_with_keys.retain(|(key, _)| !seen_key_hashes.insert(self.hasher.hash_one(key)));
        }
        let existing = self.find_existing(&trades_with_keys).await?;
        for earlier in existing.iter().filter(|trade| trade.trade_id < self.first_trade_id) {
            self.conflict_count +=
                i64::from(self.compared_ids.insert(earlier.trade_id) && earlier.differs_from_broker_version);
        }
        let earlier = existing.iter().filter(|trade| trade.trade_id < self.first_trade_id && trade.lacks_details);
        let by_key: HashMap<&str, &Trade> = trades_with_keys.iter().copied().collect();
        let lacking: Vec<_> =
            earlier.filter_map(|trade| Some((trade.trade_id, *by_key.get(&*trade.source_key)?))).collect();
        self.filled += self.write.fill_details(&lacking).await?;
        let mut known_keys: HashSet<&str> =
            existing.iter().map(|trade| &trade.source_key).chain(&deleted_keys).map(String::as_str).collect();
        let new_trades: Vec<&Trade> = trades
            .iter()
            .filter(|trade| trade.source_key.as_deref().is_none_or(|key| known_keys.insert(key)))
            .collect();
        self.write.insert(self.book, &new_trades).await?;
        let mut new_symbols: Vec<&str> = new_trades.iter().map(|trade| &*trade.symbol).collect();
        new_symbols.retain(|symbol| self.symbol_hashes.insert(self.hasher.hash_one(symbol)));
        self.write.add_symbols(&new_symbols).await?;

        let times = || trades.iter().map(|trade| trade.executed_at);
        self.first_executed_at = times().chain(self.first_executed_at).min();
        self.last_executed_at = times().chain(self.last_executed_at).max();
        Ok(())
    }

    /// Returns the source keys of trades that the trader deleted.
    async fn find_deleted_keys(&mut self, trades_with_keys: &[(&str, &Trade)]) -> Result<Vec<String>, Error> {
        let keys: Vec<&str> = trades_with_keys.iter().map(|(key, _)| *key).collect();
        let deleted_keys = sqlx::query_scalar!(
            "
            select source_key from trades.deleted_source_key
            where account_id = $1 and broker_account = $2 and segment = $3 and source_key = any($4)
            ",
            self.write.account_id,
            &self.book.broker_account.key(),
            self.book.segment.name(),
            &keys as &[&str],
        )
        .fetch_all(self.write.connection())
        .await?;
        Ok(deleted_keys)
    }

    /// Returns the trades of the book with one of the source keys. The lock on the account prevents concurrent inserts.
    ///
    /// Looks up each key separately. With one condition for all keys, a planner without fresh statistics reads all
    /// trades of the account for every batch.
    async fn find_existing(&mut self, trades_with_keys: &[(&str, &Trade)]) -> Result<Vec<ExistingTrade>, Error> {
        if trades_with_keys.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<&str> = trades_with_keys.iter().map(|(key, _)| *key).collect();
        let sides: Vec<&str> = trades_with_keys.iter().map(|(_, trade)| Side::name(trade.side)).collect();
        let column =
            |column: fn(&Trade) -> Decimal| trades_with_keys.iter().map(|(_, trade)| column(trade)).collect::<Vec<_>>();
        let text = |column: fn(&Trade) -> Option<&str>| {
            trades_with_keys.iter().map(|(_, trade)| column(trade)).collect::<Vec<_>>()
        };
        let existing = sqlx::query_as!(
            ExistingTrade,
            r#"
            select existing.trade_id as "trade_id!", wanted.source_key as "source_key!",
                   (coalesce(broker_version.side, existing.side), coalesce(broker_version.quantity, existing.quantity),
                    coalesce(broker_version.price, existing.price), coalesce(broker_version.value, existing.value))
                   is distinct from (wanted.side, wanted.quantity, wanted.price, wanted.value)
                       as "differs_from_broker_version!",
                   existing.symbol = wanted.symbol and existing.exchange = wanted.exchange
                   and (existing.isin is null and wanted.isin is not null
                        or existing.series is null and wanted.series is not null) as "lacks_details!"
            from unnest($4::text[], $5::text[], $6::numeric[], $7::numeric[], $8::numeric[], $9::text[], $10::text[],
                        $11::text[], $12::text[])
                     with ordinality
                     as wanted (source_key, side, quantity, price, value, symbol, exchange, isin, series, place)
                cross join lateral (
                    select t.trade_id, t.side, t.quantity, t.price, t.value, t.symbol, t.exchange, t.isin, t.series
                    from trades.trade t
                    where t.account_id = $1 and t.source_key = wanted.source_key and t.broker_account = $2 and t.segment = $3
                    limit 1
                ) existing
                left join lateral (
                    select b.side, b.quantity, b.price, b.value from trades.broker_trade b
                    where b.account_id = $1 and b.trade_id = existing.trade_id
                    order by b.change_id desc
                    limit 1
                ) broker_version on true
            order by wanted.place
            "#,
            self.write.account_id,
            &self.book.broker_account.key(),
            self.book.segment.name(),
            &keys as &[&str],
            &sides as &[&str],
            &column(|trade| trade.quantity),
            &column(|trade| trade.price),
            &column(|trade| trade.value),
            &text(|trade| Some(&trade.symbol)) as &[Option<&str>],
            &text(|trade| Some(trade.exchange.name())) as &[Option<&str>],
            &text(|trade| trade.isin.as_deref()) as &[Option<&str>],
            &text(|trade| trade.series.as_deref()) as &[Option<&str>],
        )
        .fetch_all(self.write.connection())
        .await?;
        Ok(existing)
    }

    /// Records the import and its change, and commits. The account's version increases if a trade was
    /// added or filled.
    pub async fn finish(mut self, record: ImportRecord, notes: &[ContractNote]) -> Result<ImportOutcome, Error> {
        if let Some(outcome) = self.recorded {
            return self.replay(outcome).await;
        }
        let new_ids = self.first_trade_id..self.write.next_trade_id;
        let added = new_ids.end - new_ids.start;
        let account_id = self.write.account_id;
        let uncovered_sales = UncoveredSales::find(
            self.write.connection(),
            account_id,
            self.book,
            NewTrades::Ids { from: new_ids.start, to: new_ids.end },
        )
        .await?;
        let counts = ImportCounts {
            added,
            duplicates: self.received - added,
            conflicts: self.conflict_count,
            corrected: 0,
            warnings: record.file_counts.unwrap_or_default().warnings + uncovered_sales.count,
            duration_ms: elapsed_millis(self.started),
            first_executed_at: self.first_executed_at,
            last_executed_at: self.last_executed_at,
        };
        self.write.save_owner(self.book.broker_account, &record.owner).await?;
        let import_id = self.write.record_import(self.book, &record, &counts).await?;
        let symbol =
            if self.symbol_hashes.len() == 1 { self.write.find_common_symbol(new_ids.start, &[]).await? } else { None };
        let change = NewChange {
            kind: ChangeKind::Import,
            added: new_ids,
            removed: 0,
            filled: self.filled,
            symbol: symbol.as_deref(),
            pair_id: None,
            import_id: Some(import_id),
        };
        self.write.save_contract_notes(self.book, notes).await?;
        let change_id = self.write.record_change(self.book, change).await?;
        let outcome = RecordedOutcome { change_id, added, removed: 0, trade_id: None };
        self.write.record_request(IdempotentRpc::Import, self.key.as_ref(), &self.request, outcome).await?;
        Ok(ImportOutcome {
            book: self.book,
            import_id,
            change_id,
            added,
            duplicates: counts.duplicates,
            conflicts: counts.conflicts,
            corrected: 0,
            uncovered_sales,
            first_executed_at: self.first_executed_at,
            last_executed_at: self.last_executed_at,
            head: self.write.commit(self.book, added, added + self.filled > 0).await?,
            replayed: false,
        })
    }

    /// Returns the outcome of the first request with this idempotency key.
    async fn replay(mut self, outcome: RecordedOutcome) -> Result<ImportOutcome, Error> {
        self.write.load_import_outcome(self.book, outcome.change_id).await
    }
}
