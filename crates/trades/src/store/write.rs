//! Common parts of every write: the lock on the account, its next numbers, and the recorded change.

use std::ops::Range;
use std::time::Duration;

use queue::RunPermit;
use sqlx::Transaction;
use sqlx::postgres::{PgConnection, Postgres};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::connections::Store;
use super::log_head::LogHead;
use crate::error::Error;
use crate::trade::Book;
use crate::trade_limit::MAX_UNCONFIRMED_TRADES;

/// Maximum number of changed trades that are listed one by one; after a larger change, clients read all trades again.
pub(super) const MAX_CHANGED_TRADES: i64 = 1_000;
/// Time that a write of few rows or of one statement waits in all: in the queue of its account, for a connection, and for
/// the lock on the account's row.
const WRITE_WAIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Minimum time to wait for the lock on the account's row. Zero would mean without limit.
const MIN_LOCK_TIMEOUT: Duration = Duration::from_millis(10);

/// Kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Import,
    Entry,
    Replace,
    Edit,
    Delete,
}

impl ChangeKind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Entry => "entry",
            Self::Replace => "replace",
            Self::Edit => "edit",
            Self::Delete => "delete",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::Import, Self::Entry, Self::Replace, Self::Edit, Self::Delete]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// Kind of a write; selects its connection pool and timeouts.
#[derive(Clone, Copy)]
pub(super) enum WriteKind {
    /// Few rows; uses the timeouts of the pool.
    Short,
    /// A whole book in one statement.
    WholeBook,
    /// Trades arrive as a stream. Waits for `queue_timeout` in all, because another write of the account may be a stream
    /// too.
    Stream { queue_timeout: Duration },
}

/// Change to be recorded.
pub(super) struct NewChange<'a> {
    pub kind: ChangeKind,
    /// Numbers of the added trades.
    pub added: Range<i64>,
    /// Number of rows that the change copied to `trades.undo_copy`.
    pub removed: i64,
    /// Number of trades whose missing series or ISIN the change filled. They are not listed one by one.
    pub filled: i64,
    /// Symbol of all trades of the change, if they have only one.
    pub symbol: Option<&'a str>,
    pub pair_id: Option<&'a str>,
    pub import_id: Option<i64>,
}

/// Write in progress. Other writes of the account wait until it is committed; dropping it before changes nothing.
pub(super) struct AccountWrite {
    transaction: Transaction<'static, Postgres>,
    /// Dropped after the transaction, so that the next write finds the account's row unlocked.
    _permit: RunPermit,
    pub account_id: Uuid,
    /// Number of trades that the account may have after a write that adds some. A write that adds trades sets it from its
    /// caller; the default is the strictest limit.
    pub max_trades: i64,
    pub next_trade_id: i64,
    pub next_import_id: i64,
    pub next_change_id: i64,
}

impl Store {
    /// Begins a write. A timeout of a write with an idempotency key is [`Error::InProgress`], because the other write
    /// may be an earlier attempt of the same request.
    pub(super) async fn begin_write(
        &self,
        account_id: Uuid,
        kind: WriteKind,
        has_idempotency_key: bool,
    ) -> Result<AccountWrite, Error> {
        let timed_out = |error| if has_idempotency_key { Error::InProgress(error) } else { Error::Busy(error) };
        let (pool, wait_timeout) = match kind {
            WriteKind::Short | WriteKind::WholeBook => (&self.pools.requests, WRITE_WAIT_TIMEOUT),
            WriteKind::Stream { queue_timeout } => (&self.pools.imports, queue_timeout),
        };
        // One deadline for all waits, so that they do not add up.
        let deadline = Instant::now() + wait_timeout;
        let permit = self
            .write_queues
            .acquire(account_id, wait_timeout)
            .await
            .map_err(|_| timed_out(sqlx::Error::PoolTimedOut))?;
        let begin = timeout_at(deadline, pool.begin()).await;
        let mut transaction = begin.map_err(|_| Error::Busy(sqlx::Error::PoolTimedOut))??;
        kind.set_timeouts(&mut transaction).await?;
        let lock_timeout = deadline.saturating_duration_since(Instant::now());
        let locked = lock_account(&mut transaction, account_id, lock_timeout).await;
        let [next_trade_id, next_import_id, next_change_id] = locked.map_err(|error| match db::classify(&error) {
            db::Failure::LockTimeout => timed_out(error),
            db::Failure::Unavailable | db::Failure::DiskFull | db::Failure::Other => error.into(),
        })?;
        Ok(AccountWrite {
            transaction,
            _permit: permit,
            account_id,
            max_trades: MAX_UNCONFIRMED_TRADES,
            next_trade_id,
            next_import_id,
            next_change_id,
        })
    }
}

impl WriteKind {
    /// Sets the timeouts of the transaction.
    pub async fn set_timeouts(self, transaction: &mut PgConnection) -> Result<(), sqlx::Error> {
        if let Self::WholeBook | Self::Stream { .. } = self {
            sqlx::query!(r#"select set_config('statement_timeout', '30s', true) as "statement!""#)
                .fetch_one(&mut *transaction)
                .await?;
        }
        if let Self::Stream { queue_timeout } = self {
            sqlx::query!(r#"select set_config('idle_in_transaction_session_timeout', '25s', true) as "idle!""#)
                .fetch_one(&mut *transaction)
                .await?;
            set_lock_timeout(transaction, queue_timeout).await?;
        }
        Ok(())
    }
}

/// Limits the time for which the statements of the transaction wait for a lock.
async fn set_lock_timeout(transaction: &mut PgConnection, lock_timeout: Duration) -> Result<(), sqlx::Error> {
    sqlx::query!(r#"select set_config('lock_timeout', $1, true) as "lock!""#, to_setting(lock_timeout))
        .fetch_one(transaction)
        .await?;
    Ok(())
}

/// Returns the text of a lock timeout.
fn to_setting(lock_timeout: Duration) -> String {
    lock_timeout.max(MIN_LOCK_TIMEOUT).as_millis().to_string()
}

impl AccountWrite {
    /// Returns the connection of the transaction.
    pub fn connection(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }

    /// Commits a transaction that did not change the log.
    pub async fn commit_without_change(self) -> Result<(), Error> {
        Ok(self.transaction.commit().await?)
    }

    /// Records the change and returns its number.
    pub async fn record_change(&mut self, book: Book, change: NewChange<'_>) -> Result<i64, Error> {
        let change_id = self.next_change_id;
        self.next_change_id += 1;
        let Range { start, end } = change.added;
        sqlx::query!(
            "
            insert into trades.change (
                account_id, change_id, broker_account, segment, kind, added, added_count, removed_or_replaced_count, symbol,
                pair_id, import_id, has_undo_copies, version, changed_trade_ids
            )
            select $1, $2, $3, $4, $5, int8multirange(int8range($6::bigint, $7::bigint)), $7::bigint - $6::bigint,
                   $8::bigint, $9, $10, $11, $8::bigint > 0, version + 1,
                   case when $8::bigint + $7::bigint - $6::bigint <= $12 and $13::bigint = 0 then int8multirange(int8range($6::bigint, $7::bigint)) + coalesce((
                       select range_agg(int8range(trade_id, trade_id, '[]')) from trades.undo_copy
                       where account_id = $1 and change_id = $2
                   ), '{}') end
            from trades.account
            where account_id = $1
            ",
            self.account_id,
            change_id,
            &book.broker_account.key(),
            book.segment.name(),
            change.kind.name(),
            start,
            end,
            change.removed,
            change.symbol,
            change.pair_id,
            change.import_id,
            MAX_CHANGED_TRADES,
            change.filled,
        )
        .execute(self.connection())
        .await?;
        Ok(change_id)
    }

    /// Adds symbols to the suggestions.
    pub async fn add_symbols(&mut self, symbols: &[&str]) -> Result<(), Error> {
        if symbols.is_empty() {
            return Ok(());
        }
        sqlx::query!(
            "insert into trades.symbol (account_id, symbol) select $1, unnest($2::text[]) on conflict do nothing",
            self.account_id,
            symbols as &[&str],
        )
        .execute(self.connection())
        .await?;
        Ok(())
    }

    /// Adds `added` to the number of trades in `book`, increases the account's version if the log changed, and commits.
    ///
    /// # Errors
    /// [`Error::TooManyTrades`] if trades were added and the account has more than it may.
    pub async fn commit(mut self, book: Book, added: i64, changed: bool) -> Result<LogHead, Error> {
        // A book that loses trades exists, so the insert conflicts; its values must satisfy the checks of the table
        // even so.
        sqlx::query!(
            "
            insert into trades.book (account_id, broker_account, segment, trade_count) values ($1, $2, $3, greatest($4, 0::bigint))
            on conflict (account_id, broker_account, segment) do update set trade_count = book.trade_count + $4
            ",
            self.account_id,
            &book.broker_account.key(),
            book.segment.name(),
            added,
        )
        .execute(&mut *self.transaction)
        .await?;
        let account = sqlx::query!(
            "
            update trades.account
            set next_trade_id = $2,
                next_import_id = $3,
                next_change_id = $4,
                trade_count = trade_count + $5,
                version = case when $6 then version + 1 else version end,
                last_broker_account = case when $6 then $7 else last_broker_account end,
                last_segment = case when $6 then $8 else last_segment end
            where account_id = $1
            returning version, trade_count, last_broker_account, last_segment
            ",
            self.account_id,
            self.next_trade_id,
            self.next_import_id,
            self.next_change_id,
            added,
            changed,
            &book.broker_account.key(),
            book.segment.name(),
        )
        .fetch_one(&mut *self.transaction)
        .await?;
        if added > 0 && account.trade_count > self.max_trades {
            return Err(Error::TooManyTrades { max: self.max_trades });
        }
        let head = LogHead::from_columns(
            account.version,
            account.trade_count,
            account.last_broker_account,
            account.last_segment,
        )?;
        self.transaction.commit().await?;
        Ok(head)
    }
}

/// Next numbers of an account: of a trade, an import and a change.
type Numbers = [i64; 3];

/// Locks the account's row, creating it if needed, and reads its next numbers.
async fn lock_account(
    connection: &mut PgConnection,
    account_id: Uuid,
    lock_timeout: Duration,
) -> Result<Numbers, sqlx::Error> {
    if let Some(numbers) = lock_row(connection, account_id, lock_timeout).await? {
        return Ok(numbers);
    }
    set_lock_timeout(connection, lock_timeout).await?;
    sqlx::query!("insert into trades.account (account_id) values ($1) on conflict do nothing", account_id)
        .execute(&mut *connection)
        .await?;
    lock_row(connection, account_id, lock_timeout).await?.ok_or(sqlx::Error::RowNotFound)
}

/// Sets the timeout and locks the row in one statement, as each costs a round trip. The row is locked last.
async fn lock_row(
    connection: &mut PgConnection,
    account_id: Uuid,
    lock_timeout: Duration,
) -> Result<Option<Numbers>, sqlx::Error> {
    let account = sqlx::query!(
        "
        select a.next_trade_id, a.next_import_id, a.next_change_id
        from trades.account a, set_config('lock_timeout', $2, true)
        where a.account_id = $1 for update of a
        ",
        account_id,
        to_setting(lock_timeout),
    )
    .fetch_optional(connection)
    .await?;
    Ok(account.map(|account| [account.next_trade_id, account.next_import_id, account.next_change_id]))
}
