//! Every SQL statement on the schema `journal`: reading and adding entries. The submodules hold the other operations.

mod claim;
mod cleanup;
mod deletion;

pub use cleanup::delete_expired_rows;
pub use deletion::delete_account;
use rust_decimal::Decimal;
use sqlx::PgPool;
use sqlx::postgres::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::public_journal::entry::{Entry, Kind, MAX_ENTRIES};
use crate::public_journal::error::Error;
use crate::public_journal::key::{KeyHash, generate_key};

/// Idempotency key of a request, chosen by the client.
#[derive(Clone, Debug)]
pub struct IdempotencyKey(pub String);

/// Caller of a journal rpc. A journal key takes precedence over the account.
#[derive(Clone, Default)]
pub struct Visitor {
    /// Journal key; may be unknown.
    pub key: Option<String>,
    /// Account of the caller's session.
    pub account_id: Option<Uuid>,
}

impl Visitor {
    /// Returns a visitor with the key `key`, if it is not empty.
    pub fn new(key: String, account_id: Option<Uuid>) -> Self {
        Self { key: Some(key).filter(|key| !key.is_empty()), account_id }
    }
}

/// Entry with its number in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEntry {
    pub entry_id: i64,
    pub entry: Entry,
}

/// Page of entries of one kind, with totals of all entries of that kind.
#[derive(Default)]
pub struct EntryPage {
    pub entries: Vec<StoredEntry>,
    /// Older entries follow.
    pub has_more: bool,
    pub total: i64,
    pub wins: i64,
    pub pnl: Decimal,
    /// The journal was found by its key, not by the account.
    pub opened_by_key: bool,
}

/// Result of [`Store::add_entry`].
pub struct AddedEntry {
    pub entry: StoredEntry,
    /// Key of the journal; absent if the journal belongs to an account.
    pub key: Option<String>,
    /// The entry was added by an earlier request with the same idempotency key.
    pub replayed: bool,
}

/// Journal whose row this transaction has locked.
struct LockedJournal {
    journal_id: Uuid,
    entries: i64,
    key: Option<String>,
}

/// Row of `journal.entry`.
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
    fn parse(self) -> Result<StoredEntry, Error> {
        // An unknown name is a fault of the server, not of the caller.
        let unknown = || Error::Store(sqlx::Error::Decode(format!("unknown kind {:?}", self.kind).into()));
        let entry = Entry {
            kind: Kind::from_name(&self.kind).ok_or_else(unknown)?,
            symbol: self.symbol,
            quantity: self.quantity,
            buy_price: self.buy_price,
            sell_price: self.sell_price,
            target_price: self.target_price,
            stop_loss: self.stop_loss,
            bought_at: self.bought_at,
            sold_at: self.sold_at,
        };
        Ok(StoredEntry { entry_id: self.entry_id, entry })
    }
}

/// Access to the journal tables.
#[derive(Clone)]
pub struct Store {
    pool: PgPool,
}

impl Store {
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// Returns at most `limit` entries of `kind` with a number below `before`, newest first.
    pub async fn list_entries(
        &self,
        visitor: &Visitor,
        kind: Kind,
        before: i64,
        limit: i64,
    ) -> Result<EntryPage, Error> {
        let Some((journal_id, opened_by_key)) = self.find_journal(visitor).await? else {
            return Ok(EntryPage::default());
        };
        let totals = sqlx::query!(
            "select entries, wins, pnl from journal.total where journal_id = $1 and kind = $2",
            journal_id,
            kind.name(),
        )
        .fetch_optional(&self.pool)
        .await?;
        // The statement reads one entry more than `limit`, which shows that another page follows.
        let rows = sqlx::query_as!(
            Row,
            "
            select entry_id, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at, sold_at
            from journal.entry
            where journal_id = $1 and kind = $2 and entry_id < $3
            order by entry_id desc
            limit $4::bigint + 1
            ",
            journal_id,
            kind.name(),
            before,
            limit,
        )
        .fetch_all(&self.pool)
        .await?;
        let page_size = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_more = rows.len() > page_size;
        let entries = rows.into_iter().take(page_size).map(Row::parse).collect::<Result<_, _>>()?;
        let (total, wins, pnl) =
            totals.map_or((0, 0, Decimal::ZERO), |totals| (totals.entries, totals.wins, totals.pnl));
        Ok(EntryPage { entries, has_more, total, wins, pnl, opened_by_key })
    }

    /// Returns the id of the visitor's journal, and true if the key opened it.
    async fn find_journal(&self, visitor: &Visitor) -> Result<Option<(Uuid, bool)>, Error> {
        if let Some(hash) = visitor.key.as_deref().map(KeyHash::from_key) {
            let by_key = sqlx::query_scalar!(
                "select journal_id from journal.journal where journal_id = $1 and key_hash = $2",
                hash.journal_id(),
                hash.as_bytes(),
            )
            .fetch_optional(&self.pool)
            .await?;
            if let Some(journal_id) = by_key {
                return Ok(Some((journal_id, true)));
            }
        }
        let Some(account_id) = visitor.account_id else { return Ok(None) };
        let of_account =
            sqlx::query_scalar!("select journal_id from journal.account_journal where account_id = $1", account_id)
                .fetch_optional(&self.pool)
                .await?;
        Ok(of_account.map(|journal_id| (journal_id, false)))
    }

    /// Adds `entry`; with an idempotency key, at most once. If the visitor has no journal, `create` creates one with a
    /// new key.
    pub async fn add_entry(
        &self,
        visitor: &Visitor,
        entry: Entry,
        idempotency_key: Option<&IdempotencyKey>,
        create: bool,
    ) -> Result<AddedEntry, Error> {
        let mut transaction = self.pool.begin().await?;
        let journal = lock_or_create(&mut transaction, visitor, create).await.map_err(|error| match error {
            Error::Busy(error) if idempotency_key.is_some() && db::classify(&error) == db::Failure::LockTimeout => {
                Error::InProgress(error)
            }
            other => other,
        })?;
        let LockedJournal { journal_id, entries, key } = journal;
        if let Some(idempotency_key) = idempotency_key
            && let Some(earlier) = find_by_idempotency_key(&mut transaction, journal_id, idempotency_key).await?
        {
            let is_same = earlier.entry == entry;
            return if is_same {
                Ok(AddedEntry { entry: earlier, key, replayed: true })
            } else {
                Err(Error::IdempotencyKeyReused)
            };
        }
        if entries >= MAX_ENTRIES {
            return Err(Error::JournalFull);
        }
        let entry = StoredEntry { entry_id: entries + 1, entry };
        insert(&mut transaction, journal_id, &entry, idempotency_key).await?;
        transaction.commit().await?;
        Ok(AddedEntry { entry, key, replayed: false })
    }
}

/// Locks the visitor's journal. Creates it if there is none: always for an account, otherwise only with `create`.
async fn lock_or_create(
    connection: &mut PgConnection,
    visitor: &Visitor,
    create: bool,
) -> Result<LockedJournal, Error> {
    if let Some(key) = &visitor.key
        && let Some(journal) = lock_by_key(connection, key).await?
    {
        return Ok(journal);
    }
    if let Some(account_id) = visitor.account_id {
        let journal_id = get_or_assign(connection, account_id, Uuid::new_v4()).await?;
        sqlx::query!("insert into journal.journal (journal_id) values ($1) on conflict do nothing", journal_id)
            .execute(&mut *connection)
            .await?;
        return Ok(LockedJournal { journal_id, entries: lock(connection, journal_id).await?, key: None });
    }
    if !create {
        return Err(Error::JournalNotFound);
    }
    let key = generate_key()?;
    let hash = KeyHash::from_key(&key);
    let journal_id = hash.journal_id();
    sqlx::query!("insert into journal.journal (journal_id, key_hash) values ($1, $2)", journal_id, hash.as_bytes())
        .execute(connection)
        .await?;
    Ok(LockedJournal { journal_id, entries: 0, key: Some(key) })
}

/// Locks the journal with the key `key`, unless it was claimed or deleted before the lock was granted.
async fn lock_by_key(connection: &mut PgConnection, key: &str) -> Result<Option<LockedJournal>, Error> {
    let hash = KeyHash::from_key(key);
    let journal_id = hash.journal_id();
    let entries = sqlx::query_scalar!(
        "select entry_count from journal.journal where journal_id = $1 and key_hash = $2 for update",
        journal_id,
        hash.as_bytes(),
    )
    .fetch_optional(connection)
    .await?;
    Ok(entries.map(|entries| LockedJournal { journal_id, entries, key: Some(key.to_owned()) }))
}

/// Returns the id of the account's journal; assigns `candidate` if there is none. Concurrent calls wait for each other.
async fn get_or_assign(connection: &mut PgConnection, account_id: Uuid, candidate: Uuid) -> Result<Uuid, Error> {
    sqlx::query!(
        "insert into journal.account_journal (account_id, journal_id) values ($1, $2) on conflict do nothing",
        account_id,
        candidate,
    )
    .execute(&mut *connection)
    .await?;
    let journal_id =
        sqlx::query_scalar!("select journal_id from journal.account_journal where account_id = $1", account_id);
    Ok(journal_id.fetch_one(connection).await?)
}

/// Locks a journal and returns its number of entries.
async fn lock(connection: &mut PgConnection, journal_id: Uuid) -> Result<i64, Error> {
    let entries =
        sqlx::query_scalar!("select entry_count from journal.journal where journal_id = $1 for update", journal_id);
    Ok(entries.fetch_one(connection).await?)
}

/// Returns the entry that was added with this idempotency key. The locked journal prevents concurrent additions.
async fn find_by_idempotency_key(
    connection: &mut PgConnection,
    journal_id: Uuid,
    key: &IdempotencyKey,
) -> Result<Option<StoredEntry>, Error> {
    let row = sqlx::query_as!(
        Row,
        "
        select entry_id, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at, sold_at
        from journal.entry
        where journal_id = $1 and idempotency_key = $2
        ",
        journal_id,
        key.0,
    )
    .fetch_optional(connection)
    .await?;
    row.map(Row::parse).transpose()
}

/// Inserts an entry and updates the journal's totals.
async fn insert(
    connection: &mut PgConnection,
    journal_id: Uuid,
    StoredEntry { entry_id, entry }: &StoredEntry,
    key: Option<&IdempotencyKey>,
) -> Result<(), Error> {
    sqlx::query!(
        "
        insert into journal.entry (
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
        insert into journal.total (journal_id, kind, entries, wins, pnl) values ($1, $2, 1, $3, $4)
        on conflict (journal_id, kind) do update
        set entries = total.entries + 1, wins = total.wins + $3, pnl = total.pnl + $4
        ",
        journal_id,
        entry.kind.name(),
        i64::from(entry.is_win()),
        entry.pnl(),
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update journal.journal set entry_count = $2, last_saved_at = now() where journal_id = $1",
        journal_id,
        entry_id
    )
    .execute(connection)
    .await?;
    Ok(())
}
