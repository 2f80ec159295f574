//! The journals of the public pages. How one ends stands in [`end`].

mod end;

pub(super) use end::{erase, sweep};
use rust_decimal::Decimal;
use sqlx::postgres::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{IdempotencyKey, Store, stored};
use crate::error::{Error, lock_timed_out};
use crate::journal::{Entry, Kind, Lock, MOST_ENTRIES, draw_key};

/// Who asks for a journal.
#[derive(Clone, Default)]
pub struct Visitor {
    /// Opens a journal, or nothing.
    pub key: Option<String>,
    /// The trader, where one is signed in.
    pub account_id: Option<Uuid>,
}

/// An entry in a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    pub entry_id: i64,
    pub entry: Entry,
}

/// Some entries of a kind, and what all of them come to.
#[derive(Default)]
pub struct EntriesPage {
    pub entries: Vec<Written>,
    /// Older ones follow.
    pub more: bool,
    pub total: i64,
    pub wins: i64,
    pub pnl: Decimal,
    /// The key opened the journal.
    pub opened: bool,
}

/// An entry that was written down.
pub struct AddedEntry {
    pub written: Written,
    /// What opens the journal, unless it is the trader's own.
    pub key: Option<String>,
    /// It was written down before, by a request of the same key.
    pub replayed: bool,
}

/// A journal that nobody else writes in now.
struct Opened {
    journal_id: Uuid,
    entries: i64,
    key: Option<String>,
}

/// An entry as the table holds it.
struct Row {
    entry_id: i64,
    kind: String,
    symbol: String,
    quantity: Decimal,
    buy_price: Decimal,
    sell_price: Decimal,
    target_price: Decimal,
    stop_loss: Decimal,
    bought_at: OffsetDateTime,
    sold_at: OffsetDateTime,
}

impl Row {
    fn written(self) -> Result<Written, Error> {
        let entry = Entry {
            kind: stored(&self.kind, Kind::from_name)?,
            symbol: self.symbol,
            quantity: self.quantity,
            buy_price: self.buy_price,
            sell_price: self.sell_price,
            target_price: self.target_price,
            stop_loss: self.stop_loss,
            bought_at: self.bought_at,
            sold_at: self.sold_at,
        };
        Ok(Written { entry_id: self.entry_id, entry })
    }
}

impl Store {
    /// At most `limit` entries of `kind` that are older than `before`.
    pub async fn entries(&self, visitor: &Visitor, kind: Kind, before: i64, limit: i64) -> Result<EntriesPage, Error> {
        let Some((journal_id, opened)) = self.find_journal(visitor).await? else { return Ok(EntriesPage::default()) };
        let tally = sqlx::query!(
            "select entries, wins, pnl from trades.journal_tally where journal_id = $1 and kind = $2",
            journal_id,
            kind.name(),
        )
        .fetch_optional(self.requests())
        .await?;
        // One more than asked for tells whether a page follows.
        let rows = sqlx::query_as!(
            Row,
            "
            select entry_id, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at, sold_at
            from trades.journal_entry
            where journal_id = $1 and kind = $2 and entry_id < $3
            order by entry_id desc
            limit $4::bigint + 1
            ",
            journal_id,
            kind.name(),
            before,
            limit,
        )
        .fetch_all(self.requests())
        .await?;
        let full = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > full;
        let entries = rows.into_iter().take(full).map(Row::written).collect::<Result<_, _>>()?;
        let (total, wins, pnl) = tally.map_or((0, 0, Decimal::ZERO), |tally| (tally.entries, tally.wins, tally.pnl));
        Ok(EntriesPage { entries, more, total, wins, pnl, opened })
    }

    /// The visitor's journal, and whether the key opened it.
    async fn find_journal(&self, visitor: &Visitor) -> Result<Option<(Uuid, bool)>, Error> {
        if let Some(lock) = visitor.key.as_deref().map(Lock::of) {
            let opened = sqlx::query_scalar!(
                "select journal_id from trades.journal where journal_id = $1 and key_hash = $2",
                lock.journal_id(),
                &lock.hash,
            )
            .fetch_optional(self.requests())
            .await?;
            if let Some(journal_id) = opened {
                return Ok(Some((journal_id, true)));
            }
        }
        let Some(account_id) = visitor.account_id else { return Ok(None) };
        let own =
            sqlx::query_scalar!("select journal_id from trades.account_journal where account_id = $1", account_id)
                .fetch_optional(self.requests())
                .await?;
        Ok(own.map(|journal_id| (journal_id, false)))
    }

    /// Writes `entry` down; with an idempotency key once, however often it is asked. `make` makes a journal with a key
    /// where there is none.
    pub async fn write_entry(
        &self,
        visitor: &Visitor,
        entry: Entry,
        idempotency_key: Option<&IdempotencyKey>,
        make: bool,
    ) -> Result<AddedEntry, Error> {
        let mut transaction = self.requests().begin().await?;
        let opened = open(&mut transaction, visitor, make).await.map_err(|error| match error {
            Error::Busy(error) if idempotency_key.is_some() && lock_timed_out(&error) => Error::InProgress(error),
            other => other,
        })?;
        let Opened { journal_id, entries, key } = opened;
        if let Some(idempotency_key) = idempotency_key
            && let Some(written) = asked_before(&mut transaction, journal_id, idempotency_key).await?
        {
            let same = written.entry == entry;
            return if same { Ok(AddedEntry { written, key, replayed: true }) } else { Err(Error::KeyReused) };
        }
        if entries >= MOST_ENTRIES {
            return Err(Error::JournalFull);
        }
        let written = Written { entry_id: entries + 1, entry };
        insert(&mut transaction, journal_id, &written, idempotency_key).await?;
        transaction.commit().await?;
        Ok(AddedEntry { written, key, replayed: false })
    }
}

/// Locks the visitor's journal, which is made where there is none.
async fn open(connection: &mut PgConnection, visitor: &Visitor, make: bool) -> Result<Opened, Error> {
    if let Some(key) = &visitor.key
        && let Some(opened) = by_key(connection, key).await?
    {
        return Ok(opened);
    }
    if let Some(account_id) = visitor.account_id {
        let journal_id = own(connection, account_id, Uuid::new_v4()).await?;
        sqlx::query!("insert into trades.journal (journal_id) values ($1) on conflict do nothing", journal_id)
            .execute(&mut *connection)
            .await?;
        return Ok(Opened { journal_id, entries: locked(connection, journal_id).await?, key: None });
    }
    if !make {
        return Err(Error::NoJournal);
    }
    let key = draw_key()?;
    let lock = Lock::of(&key);
    let journal_id = lock.journal_id();
    sqlx::query!("insert into trades.journal (journal_id, key_hash) values ($1, $2)", journal_id, &lock.hash)
        .execute(connection)
        .await?;
    Ok(Opened { journal_id, entries: 0, key: Some(key) })
}

/// Locks the journal that `key` opens, if there is one still when the lock is ours.
async fn by_key(connection: &mut PgConnection, key: &str) -> Result<Option<Opened>, Error> {
    let lock = Lock::of(key);
    let journal_id = lock.journal_id();
    let entries = sqlx::query_scalar!(
        "select entry_count from trades.journal where journal_id = $1 and key_hash = $2 for update",
        journal_id,
        &lock.hash,
    )
    .fetch_optional(connection)
    .await?;
    Ok(entries.map(|entries| Opened { journal_id, entries, key: Some(key.to_owned()) }))
}

/// The account's journal; `otherwise` becomes it where there is none. Of two who ask at once, the later one waits.
async fn own(connection: &mut PgConnection, account_id: Uuid, otherwise: Uuid) -> Result<Uuid, Error> {
    sqlx::query!(
        "insert into trades.account_journal (account_id, journal_id) values ($1, $2) on conflict do nothing",
        account_id,
        otherwise,
    )
    .execute(&mut *connection)
    .await?;
    let own = sqlx::query_scalar!("select journal_id from trades.account_journal where account_id = $1", account_id);
    Ok(own.fetch_one(connection).await?)
}

/// Locks a journal and says how many entries it has.
async fn locked(connection: &mut PgConnection, journal_id: Uuid) -> Result<i64, Error> {
    let entries =
        sqlx::query_scalar!("select entry_count from trades.journal where journal_id = $1 for update", journal_id);
    Ok(entries.fetch_one(connection).await?)
}

/// The entry that came with this idempotency key. Nobody writes one meanwhile: the journal is locked.
async fn asked_before(
    connection: &mut PgConnection,
    journal_id: Uuid,
    key: &IdempotencyKey,
) -> Result<Option<Written>, Error> {
    let row = sqlx::query_as!(
        Row,
        "
        select entry_id, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at, sold_at
        from trades.journal_entry
        where journal_id = $1 and idempotency_key = $2
        ",
        journal_id,
        key.0,
    )
    .fetch_optional(connection)
    .await?;
    row.map(Row::written).transpose()
}

async fn insert(
    connection: &mut PgConnection,
    journal_id: Uuid,
    Written { entry_id, entry }: &Written,
    key: Option<&IdempotencyKey>,
) -> Result<(), Error> {
    sqlx::query!(
        "
        insert into trades.journal_entry (
            journal_id, entry_id, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at,
            sold_at, idempotency_key
        )
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        ",
        journal_id,
        entry_id,
        entry.kind.name(),
        entry.symbol,
        entry.quantity,
        entry.buy_price,
        entry.sell_price,
        entry.target_price,
        entry.stop_loss,
        entry.bought_at,
        entry.sold_at,
        key.map(|key| &key.0),
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "
        insert into trades.journal_tally (journal_id, kind, entries, wins, pnl) values ($1, $2, 1, $3, $4)
        on conflict (journal_id, kind) do update
        set entries = journal_tally.entries + 1, wins = journal_tally.wins + $3, pnl = journal_tally.pnl + $4
        ",
        journal_id,
        entry.kind.name(),
        i64::from(entry.wins()),
        entry.pnl(),
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update trades.journal set entry_count = $2, last_saved_at = now() where journal_id = $1",
        journal_id,
        entry_id
    )
    .execute(connection)
    .await?;
    Ok(())
}
