//! Merging the trades of one file into a book, in one transaction.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use sqlx::Transaction;
use sqlx::postgres::{PgPool, Postgres};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Head, head_of};
use crate::error::Error;
use crate::trade::{Book, Exchange, Side, TimePrecision, Trade};

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
    pub added: i64,
    pub duplicates: i64,
    pub first_executed_at: Option<OffsetDateTime>,
    pub last_executed_at: Option<OffsetDateTime>,
    pub head: Head,
}

/// An import under way. Dropped before [`ImportWriter::finish`], it leaves nothing.
pub struct ImportWriter {
    transaction: Transaction<'static, Postgres>,
    account_id: Uuid,
    book: Book,
    import_id: i64,
    next_trade_id: i64,
    /// Where the book began empty: hashes of the keys that came so far. Only what may be there is looked up.
    seen: Option<HashSet<u64>>,
    hasher: RandomState,
    claims: Claims,
    received: i64,
    added: i64,
    first_executed_at: Option<OffsetDateTime>,
    last_executed_at: Option<OffsetDateTime>,
}

impl ImportWriter {
    pub(super) async fn start(pool: &PgPool, account_id: Uuid, book: Book) -> Result<Self, Error> {
        let mut transaction = pool.begin().await?;
        // Another import of the same account may be reading a large file: wait for it instead of giving up.
        sqlx::query!(
            r#"select set_config('lock_timeout', '25s', true) as "lock!",
                      set_config('idle_in_transaction_session_timeout', '25s', true) as "idle!""#
        )
        .fetch_one(&mut *transaction)
        .await?;
        sqlx::query!("insert into trades.account (account_id) values ($1) on conflict do nothing", account_id)
            .execute(&mut *transaction)
            .await?;
        let account = sqlx::query!(
            "select next_trade_id, next_import_id from trades.account where account_id = $1 for update",
            account_id
        )
        .fetch_one(&mut *transaction)
        .await?;
        let empty = sqlx::query_scalar!(
            r#"
            select not exists (
                select from trades.trade where account_id = $1 and broker = $2 and segment = $3
            ) as "empty!"
            "#,
            account_id,
            book.broker.name(),
            book.segment.name(),
        )
        .fetch_one(&mut *transaction)
        .await?;
        Ok(Self {
            transaction,
            account_id,
            book,
            import_id: account.next_import_id,
            next_trade_id: account.next_trade_id,
            seen: empty.then(HashSet::new),
            hasher: RandomState::new(),
            claims: Claims::default(),
            received: 0,
            added: 0,
            first_executed_at: None,
            last_executed_at: None,
        })
    }

    /// How many trades came so far.
    pub const fn received(&self) -> i64 {
        self.received
    }

    /// Adds those of `trades` that the book does not hold, and claims all of them.
    pub async fn add(&mut self, trades: &[Trade]) -> Result<(), Error> {
        let mut keys: Vec<&str> = trades.iter().filter_map(|trade| trade.source_key.as_deref()).collect();
        if let Some(seen) = &mut self.seen {
            keys.retain(|key| !seen.insert(self.hasher.hash_one(key)));
        }
        let present = self.present(&keys).await?;
        let mut known: HashSet<&str> = present.iter().map(|(_, key)| key.as_str()).collect();
        let fresh: Vec<&Trade> =
            trades.iter().filter(|trade| trade.source_key.as_deref().is_none_or(|key| known.insert(key))).collect();
        let first_id = self.next_trade_id;
        self.insert(&Columns::of(&fresh, first_id)).await?;

        self.next_trade_id += count(fresh.len());
        self.added += count(fresh.len());
        self.received += count(trades.len());
        self.claims.extend(present.into_iter().map(|(trade_id, _)| trade_id).collect());
        self.claims.extend((first_id..self.next_trade_id).collect());
        let times = || trades.iter().map(|trade| trade.executed_at);
        self.first_executed_at = times().chain(self.first_executed_at).min();
        self.last_executed_at = times().chain(self.last_executed_at).max();
        Ok(())
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
            self.account_id,
            self.book.broker.name(),
            self.book.segment.name(),
            keys as &[&str],
        )
        .fetch_all(&mut *self.transaction)
        .await?;
        Ok(rows.into_iter().map(|row| (row.trade_id, row.source_key)).collect())
    }

    async fn insert(&mut self, columns: &Columns<'_>) -> Result<(), Error> {
        sqlx::query!(
            "
            insert into trades.trade (
                account_id, broker, segment, trade_id, side, symbol, isin, quantity, price, value, executed_at,
                time_precision, exchange, order_id, source_key
            )
            select $1, $2, $3, *
            from unnest(
                $4::bigint[], $5::text[], $6::text[], $7::text[], $8::numeric[], $9::numeric[], $10::numeric[],
                $11::timestamptz[], $12::text[], $13::text[], $14::text[], $15::text[]
            )
            ",
            self.account_id,
            self.book.broker.name(),
            self.book.segment.name(),
            &columns.trade_id,
            &columns.side as &[&str],
            &columns.symbol as &[&str],
            &columns.isin as &[Option<&str>],
            &columns.quantity,
            &columns.price,
            &columns.value,
            &columns.executed_at,
            &columns.time_precision as &[&str],
            &columns.exchange as &[&str],
            &columns.order_id as &[Option<&str>],
            &columns.source_key as &[Option<&str>],
        )
        .execute(&mut *self.transaction)
        .await?;
        Ok(())
    }

    /// Records the import, moves the account's version if something was added, and commits.
    pub async fn finish(mut self, record: ImportRecord) -> Result<Imported, Error> {
        let duplicates = self.received - self.added;
        sqlx::query!(
            "
            insert into trades.import (
                account_id, import_id, broker, segment, format, file_name, file_sha256, claims, added, duplicates,
                first_executed_at, last_executed_at
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8::text::int8multirange, $9, $10, $11, $12)
            ",
            self.account_id,
            self.import_id,
            self.book.broker.name(),
            self.book.segment.name(),
            record.format,
            record.file_name,
            record.file_sha256,
            self.claims.to_multirange(),
            self.added,
            duplicates,
            self.first_executed_at,
            self.last_executed_at,
        )
        .execute(&mut *self.transaction)
        .await?;
        let account = sqlx::query!(
            "
            update trades.account
            set next_import_id = next_import_id + 1,
                next_trade_id = $2,
                trade_count = trade_count + $3,
                version = case when $3 > 0 then version + 1 else version end,
                last_broker = case when $3 > 0 then $4 else last_broker end,
                last_segment = case when $3 > 0 then $5 else last_segment end
            where account_id = $1
            returning version, trade_count, last_broker, last_segment
            ",
            self.account_id,
            self.next_trade_id,
            self.added,
            self.book.broker.name(),
            self.book.segment.name(),
        )
        .fetch_one(&mut *self.transaction)
        .await?;
        let head = head_of(account.version, account.trade_count, account.last_broker, account.last_segment)?;
        self.transaction.commit().await?;
        Ok(Imported {
            import_id: self.import_id,
            added: self.added,
            duplicates,
            first_executed_at: self.first_executed_at,
            last_executed_at: self.last_executed_at,
            head,
        })
    }
}

fn count(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

/// Trades turned on their side, one array for each column.
#[derive(Default)]
struct Columns<'a> {
    trade_id: Vec<i64>,
    side: Vec<&'static str>,
    symbol: Vec<&'a str>,
    isin: Vec<Option<&'a str>>,
    quantity: Vec<rust_decimal::Decimal>,
    price: Vec<rust_decimal::Decimal>,
    value: Vec<rust_decimal::Decimal>,
    executed_at: Vec<OffsetDateTime>,
    time_precision: Vec<&'static str>,
    exchange: Vec<&'static str>,
    order_id: Vec<Option<&'a str>>,
    source_key: Vec<Option<&'a str>>,
}

impl<'a> Columns<'a> {
    fn of(trades: &[&'a Trade], first_id: i64) -> Self {
        let mut columns = Self::default();
        for (trade_id, trade) in (first_id..).zip(trades) {
            columns.trade_id.push(trade_id);
            columns.side.push(Side::name(trade.side));
            columns.symbol.push(&trade.symbol);
            columns.isin.push(trade.isin.as_deref());
            columns.quantity.push(trade.quantity);
            columns.price.push(trade.price);
            columns.value.push(trade.value);
            columns.executed_at.push(trade.executed_at);
            columns.time_precision.push(TimePrecision::name(trade.time_precision));
            columns.exchange.push(Exchange::name(trade.exchange));
            columns.order_id.push(trade.order_id.as_deref());
            columns.source_key.push(trade.source_key.as_deref());
        }
        columns
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
