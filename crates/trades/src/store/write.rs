//! What every write has in common: the account's lock, its numbers, and the change that it leaves behind.

use std::ops::Range;
use std::time::Duration;

use sqlx::Transaction;
use sqlx::postgres::{PgConnection, Postgres};
use uuid::Uuid;

use super::changed::MOST_TOUCHED;
use super::queue::Turn;
use super::{Head, Store, head_of};
use crate::error::Error;
use crate::trade::Book;

/// What kind of write made a change.
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

/// How long a write may take.
#[derive(Clone, Copy)]
pub(super) enum Pace {
    /// As the pool says.
    Short,
    /// Of a whole book at once.
    Whole,
    /// Its trades come as a stream. It waits as long for another write of its account, which may be such a one.
    Stream(Duration),
}

/// How long a write waits for another one of its account, where that is not said.
const TURN: Duration = Duration::from_secs(2);

/// A change as it is written down.
pub(super) struct NewChange<'a> {
    pub kind: ChangeKind,
    /// Numbers of the trades that it added.
    pub added: Range<i64>,
    /// How many rows it put into `trades.kept_trade`.
    pub removed: i64,
    /// The symbol of its trades where they have but one.
    pub symbol: Option<&'a str>,
    pub pair_id: Option<&'a str>,
    pub import_id: Option<i64>,
}

/// A write under way. Until it is finished no other write of the account goes on; dropped before, it leaves nothing.
pub(super) struct Write {
    transaction: Transaction<'static, Postgres>,
    /// Given up after the transaction, so that who comes next finds the account's row free.
    _turn: Turn,
    pub account_id: Uuid,
    pub next_trade_id: i64,
    pub next_import_id: i64,
    pub next_change_id: i64,
}

impl Store {
    /// Begins a write. One with an idempotency key that waits in vain may be waiting for its own first sending.
    pub(super) async fn begin(&self, account_id: Uuid, pace: Pace, keyed: bool) -> Result<Write, Error> {
        let in_vain = |error| if keyed { Error::InProgress(error) } else { Error::Busy(error) };
        let (pool, longest) = match pace {
            Pace::Short | Pace::Whole => (&self.pools.requests, TURN),
            Pace::Stream(longest) => (&self.pools.imports, longest),
        };
        let turn = self.queues.turn(account_id, longest).await.ok_or_else(|| in_vain(sqlx::Error::PoolTimedOut))?;
        let mut transaction = pool.begin().await?;
        pace.set(&mut transaction).await?;
        let locked = lock(&mut transaction, account_id).await;
        let [next_trade_id, next_import_id, next_change_id] = locked.map_err(|error| match db::classify(&error) {
            db::Failure::LockTimeout => in_vain(error),
            db::Failure::PoolTimeout | db::Failure::DiskFull | db::Failure::Other => error.into(),
        })?;
        Ok(Write { transaction, _turn: turn, account_id, next_trade_id, next_import_id, next_change_id })
    }
}

impl Pace {
    /// Makes the limits of the session those of this write.
    pub async fn set(self, transaction: &mut PgConnection) -> Result<(), sqlx::Error> {
        if let Self::Whole | Self::Stream(_) = self {
            sqlx::query!(r#"select set_config('statement_timeout', '30s', true) as "statement!""#)
                .fetch_one(&mut *transaction)
                .await?;
        }
        if let Self::Stream(longest) = self {
            sqlx::query!(
                r#"select set_config('lock_timeout', $1, true) as "lock!",
                          set_config('idle_in_transaction_session_timeout', '25s', true) as "idle!""#,
                longest.as_millis().to_string(),
            )
            .fetch_one(&mut *transaction)
            .await?;
        }
        Ok(())
    }
}

impl Write {
    /// Where the statements of the write go.
    pub fn on(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }

    /// Commits what was written beside the log, which stays as it is.
    pub async fn release(self) -> Result<(), Error> {
        Ok(self.transaction.commit().await?)
    }

    /// Writes the change down and says its number.
    pub async fn record(&mut self, book: Book, change: NewChange<'_>) -> Result<i64, Error> {
        let change_id = self.next_change_id;
        self.next_change_id += 1;
        let Range { start, end } = change.added;
        sqlx::query!(
            "
            insert into trades.change (
                account_id, change_id, broker, segment, kind, added, added_count, removed_count, symbol, pair_id,
                import_id, kept, version, touched
            )
            select $1, $2, $3, $4, $5, int8multirange(int8range($6::bigint, $7::bigint)), $7::bigint - $6::bigint,
                   $8::bigint, $9, $10, $11, $8::bigint > 0, version + 1,
                   case when $8::bigint + $7::bigint - $6::bigint <= $12 then int8multirange(int8range($6::bigint, $7::bigint)) + coalesce((
                       select range_agg(int8range(trade_id, trade_id, '[]')) from trades.kept_trade
                       where account_id = $1 and change_id = $2
                   ), '{}') end
            from trades.account
            where account_id = $1
            ",
            self.account_id,
            change_id,
            book.broker.name(),
            book.segment.name(),
            change.kind.name(),
            start,
            end,
            change.removed,
            change.symbol,
            change.pair_id,
            change.import_id,
            MOST_TOUCHED,
        )
        .execute(self.on())
        .await?;
        Ok(change_id)
    }

    /// Remembers symbols for suggestions.
    pub async fn remember(&mut self, symbols: &[&str]) -> Result<(), Error> {
        if symbols.is_empty() {
            return Ok(());
        }
        sqlx::query!(
            "insert into trades.symbol (account_id, symbol) select $1, unnest($2::text[]) on conflict do nothing",
            self.account_id,
            symbols as &[&str],
        )
        .execute(self.on())
        .await?;
        Ok(())
    }

    /// Counts `growth` trades more in `book`, moves the account's version if the log changed, and commits.
    pub async fn finish(mut self, book: Book, growth: i64, changed: bool) -> Result<Head, Error> {
        // A book that shrinks is there; what would be put in where it were not must be sound even so.
        sqlx::query!(
            "
            insert into trades.book (account_id, broker, segment, trade_count) values ($1, $2, $3, greatest($4, 0::bigint))
            on conflict (account_id, broker, segment) do update set trade_count = book.trade_count + $4
            ",
            self.account_id,
            book.broker.name(),
            book.segment.name(),
            growth,
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
                last_broker = case when $6 then $7 else last_broker end,
                last_segment = case when $6 then $8 else last_segment end
            where account_id = $1
            returning version, trade_count, last_broker, last_segment
            ",
            self.account_id,
            self.next_trade_id,
            self.next_import_id,
            self.next_change_id,
            growth,
            changed,
            book.broker.name(),
            book.segment.name(),
        )
        .fetch_one(&mut *self.transaction)
        .await?;
        let head = head_of(account.version, account.trade_count, account.last_broker, account.last_segment)?;
        self.transaction.commit().await?;
        Ok(head)
    }
}

/// The next numbers of an account: of a trade, an import and a change.
type Numbers = [i64; 3];

/// Locks the account's row, which is made where there is none, and reads its next numbers.
async fn lock(connection: &mut PgConnection, account_id: Uuid) -> Result<Numbers, sqlx::Error> {
    if let Some(numbers) = lock_row(connection, account_id).await? {
        return Ok(numbers);
    }
    sqlx::query!("insert into trades.account (account_id) values ($1) on conflict do nothing", account_id)
        .execute(&mut *connection)
        .await?;
    lock_row(connection, account_id).await?.ok_or(sqlx::Error::RowNotFound)
}

async fn lock_row(connection: &mut PgConnection, account_id: Uuid) -> Result<Option<Numbers>, sqlx::Error> {
    let account = sqlx::query!(
        "select next_trade_id, next_import_id, next_change_id from trades.account where account_id = $1 for update",
        account_id
    )
    .fetch_optional(connection)
    .await?;
    Ok(account.map(|account| [account.next_trade_id, account.next_import_id, account.next_change_id]))
}
