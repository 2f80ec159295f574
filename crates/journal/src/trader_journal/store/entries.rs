//! Reading, saving, attaching and deleting single entries.

use sqlx::postgres::PgConnection;
use uuid::Uuid;

use super::{Counted, Row, Store, lock_account, now, parse_rows, select_entries, take_ids};
use crate::trader_journal::edit::reviewed_at;
use crate::trader_journal::entry::{Content, Entry, Kind, MAX_ENTRIES, Side, Subject};
use crate::trader_journal::error::{ENTRIES_FULL, ENTRY_CHANGED, ENTRY_NOT_FOUND, Error};
use crate::trader_journal::screenshot::MAX_PER_MERGED_ENTRY;
use crate::trader_journal::search_terms::list_terms;

/// Result of [`Store::save_entry`].
pub enum Saved {
    /// The entry as stored.
    Entry(Entry),
    /// The stored entry has another version and another content; nothing was saved.
    Conflict(Entry),
}

impl Store {
    /// Returns the entries with the given keys.
    pub async fn look_up_entries(&self, account_id: Uuid, kind: Kind, keys: &[String]) -> Result<Vec<Entry>, Error> {
        let rows =
            select_entries!("where account_id = $1 and kind = $2 and key = any ($3)", account_id, kind.name(), keys);
        parse_rows(rows.fetch_all(&self.pool).await?)
    }

    /// Returns at most `limit` entries with an id above `after`, by id.
    pub async fn list_entries(&self, account_id: Uuid, after: i64, limit: i64) -> Result<Vec<Entry>, Error> {
        let rows = select_entries!(
            "where account_id = $1 and entry_id > $2 order by entry_id limit $3",
            account_id,
            after,
            limit,
        );
        parse_rows(rows.fetch_all(&self.pool).await?)
    }

    /// Returns at most `limit` keys of a kind above `after`, in the order of the database.
    pub async fn list_keys(&self, account_id: Uuid, kind: Kind, after: &str, limit: i64) -> Result<Vec<String>, Error> {
        let keys = sqlx::query_scalar!(
            "
            select key from journal.account_entry
            where account_id = $1 and kind = $2 and key > $3
            order by key limit $4
            ",
            account_id,
            kind.name(),
            after,
            limit,
        );
        Ok(keys.fetch_all(&self.pool).await?)
    }

    /// Creates the entry if `version` is 0, otherwise replaces the entry with that version.
    pub async fn save_entry(
        &self,
        account_id: Uuid,
        subject: &Subject,
        content: &Content,
        version: i64,
    ) -> Result<Saved, Error> {
        let saved = if version == 0 {
            self.insert_entry(account_id, subject, content).await?
        } else {
            update_entry(&mut *self.pool.acquire().await?, account_id, subject, content, version).await?
        };
        if let Some(entry) = saved {
            return Ok(Saved::Entry(entry));
        }
        let mut connection = self.pool.acquire().await?;
        let current = find_by_key(&mut connection, account_id, subject).await?.ok_or(ENTRY_NOT_FOUND)?;
        // The same edit again: its first response was lost.
        let is_repeated = current.content == *content && current.version == version + 1;
        Ok(if is_repeated { Saved::Entry(current) } else { Saved::Conflict(current) })
    }

    /// Inserts an entry, unless there is one with the same key.
    async fn insert_entry(
        &self,
        account_id: Uuid,
        subject: &Subject,
        content: &Content,
    ) -> Result<Option<Entry>, Error> {
        let mut transaction = self.pool.begin().await?;
        let taken = take_ids(&mut transaction, account_id, 1, Counted::Entries, MAX_ENTRIES).await?;
        let exists = find_by_key(&mut transaction, account_id, subject).await?.is_some();
        if exists {
            return Ok(None);
        }
        let entry = new_entry(taken.ok_or(ENTRIES_FULL)?, subject, content);
        insert(&mut transaction, account_id, &entry).await?;
        transaction.commit().await?;
        Ok(Some(entry))
    }

    /// Deletes the entry with this id and version.
    pub async fn delete_entry(&self, account_id: Uuid, entry_id: i64, version: i64) -> Result<(), Error> {
        let mut transaction = self.pool.begin().await?;
        lock_account(&mut transaction, account_id).await?;
        lock_version(&mut transaction, account_id, entry_id, version).await?;
        delete_screenshots(&mut transaction, account_id, entry_id).await?;
        delete(&mut transaction, account_id, entry_id).await?;
        Ok(transaction.commit().await?)
    }

    /// Moves the entry with this id and version to `subject`, or adds it to the entry there.
    pub async fn attach_entry(
        &self,
        account_id: Uuid,
        entry_id: i64,
        version: i64,
        subject: &Subject,
    ) -> Result<Entry, Error> {
        let mut transaction = self.pool.begin().await?;
        lock_account(&mut transaction, account_id).await?;
        let entry = lock_version(&mut transaction, account_id, entry_id, version).await?;
        let target = find_by_key(&mut transaction, account_id, subject).await?;
        let attached = match target {
            Some(target) if target.entry_id != entry_id => {
                let content = target.content.merge(entry.content).ok_or(Error::MergedEntryTooLarge)?;
                if target.screenshots.len() + entry.screenshots.len() > MAX_PER_MERGED_ENTRY {
                    return Err(Error::MergedEntryTooLarge);
                }
                move_screenshots(&mut transaction, account_id, entry_id, target.entry_id).await?;
                delete(&mut transaction, account_id, entry_id).await?;
                update_entry(&mut transaction, account_id, subject, &content, target.version).await?
            }
            Some(_) => Some(entry),
            None => {
                move_entry(&mut transaction, account_id, &entry, subject).await?;
                find_by_key(&mut transaction, account_id, subject).await?
            }
        };
        let attached = attached.ok_or(ENTRY_CHANGED)?;
        transaction.commit().await?;
        Ok(attached)
    }
}

/// Returns a new entry.
fn new_entry(entry_id: i64, subject: &Subject, content: &Content) -> Entry {
    let now = now();
    Entry {
        entry_id,
        subject: subject.clone(),
        content: content.clone(),
        version: 1,
        updated_at: now,
        reviewed_at: reviewed_at(content, None, now),
        screenshots: Vec::new(),
    }
}

/// Inserts an entry without content for a subject that has none, and returns its id.
pub(super) async fn insert_empty_entry(
    connection: &mut PgConnection,
    account_id: Uuid,
    subject: &Subject,
) -> Result<i64, Error> {
    let taken = take_ids(connection, account_id, 1, Counted::Entries, MAX_ENTRIES).await?;
    let entry = new_entry(taken.ok_or(ENTRIES_FULL)?, subject, &Content::default());
    insert(connection, account_id, &entry).await?;
    Ok(entry.entry_id)
}

/// Returns the entry of a subject.
pub(super) async fn find_by_key(
    connection: &mut PgConnection,
    account_id: Uuid,
    subject: &Subject,
) -> Result<Option<Entry>, Error> {
    let row = select_entries!(
        "where account_id = $1 and kind = $2 and key = $3",
        account_id,
        subject.kind.name(),
        subject.key,
    );
    row.fetch_optional(connection).await?.map(Row::parse).transpose()
}

/// Locks an entry and checks its version.
async fn lock_version(
    connection: &mut PgConnection,
    account_id: Uuid,
    entry_id: i64,
    version: i64,
) -> Result<Entry, Error> {
    let row = select_entries!("where account_id = $1 and entry_id = $2 for update", account_id, entry_id);
    let entry = row.fetch_optional(connection).await?.ok_or(ENTRY_NOT_FOUND)?.parse()?;
    if entry.version == version { Ok(entry) } else { Err(ENTRY_CHANGED) }
}

async fn delete(connection: &mut PgConnection, account_id: Uuid, entry_id: i64) -> Result<(), Error> {
    sqlx::query!("delete from journal.account_entry where account_id = $1 and entry_id = $2", account_id, entry_id)
        .execute(&mut *connection)
        .await?;
    sqlx::query!("update journal.account set entry_count = entry_count - 1 where account_id = $1", account_id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Marks the screenshots of an entry as deleted.
async fn delete_screenshots(connection: &mut PgConnection, account_id: Uuid, entry_id: i64) -> Result<(), Error> {
    let deleted = sqlx::query!(
        "
        update journal.screenshot set deleted_at = $3
        where account_id = $1 and entry_id = $2 and deleted_at is null
        ",
        account_id,
        entry_id,
        now(),
    );
    deleted.execute(connection).await?;
    Ok(())
}

/// Gives the screenshots of an entry to another one.
async fn move_screenshots(
    connection: &mut PgConnection,
    account_id: Uuid,
    from_entry: i64,
    to_entry: i64,
) -> Result<(), Error> {
    let moved = sqlx::query!(
        "update journal.screenshot set entry_id = $3 where account_id = $1 and entry_id = $2",
        account_id,
        from_entry,
        to_entry,
    );
    moved.execute(connection).await?;
    Ok(())
}

/// Gives an entry another subject.
async fn move_entry(
    connection: &mut PgConnection,
    account_id: Uuid,
    entry: &Entry,
    subject: &Subject,
) -> Result<(), Error> {
    sqlx::query!(
        "
        update journal.account_entry
        set kind = $3, key = $4, symbol = $5, day = $6, side = $7, quantity = $8, version = version + 1,
            updated_at = $9, search = array_to_tsvector($10::text[])
        where account_id = $1 and entry_id = $2
        ",
        account_id,
        entry.entry_id,
        subject.kind.name(),
        subject.key,
        subject.symbol,
        subject.day,
        subject.side.map(Side::name),
        subject.quantity,
        now(),
        &list_terms(account_id, subject, &entry.content),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Replaces the entry of a subject if it has this version.
async fn update_entry(
    connection: &mut PgConnection,
    account_id: Uuid,
    subject: &Subject,
    content: &Content,
    version: i64,
) -> Result<Option<Entry>, Error> {
    let now = now();
    let row = select_entries!(
        ["
        update journal.account_entry
        set symbol = $5, day = $6, side = $7, quantity = $8, setup = $9, tags = $10, mistakes = $11, emotion = $12,
            emotion_after = $13, rating = $14, note = $15, plan = $16, planned_entry = $17, planned_stop = $18,
            planned_target = $19, planned_risk = $20, rules_kept = $21, rules_broken = $22,
            reviewed_at = case when $23 then coalesce(reviewed_at, $24) end, updated_at = $24, version = version + 1,
            search = array_to_tsvector($25::text[])
        where account_id = $1 and kind = $2 and key = $3 and version = $4
        returning "],
        [],
        account_id,
        subject.kind.name(),
        subject.key,
        version,
        subject.symbol,
        subject.day,
        subject.side.map(Side::name),
        subject.quantity,
        content.setup,
        &content.tags,
        &content.mistakes,
        content.emotion,
        content.emotion_after,
        content.rating,
        content.note,
        content.plan,
        content.planned.entry,
        content.planned.stop,
        content.planned.target,
        content.planned.risk,
        &content.rules_kept,
        &content.rules_broken,
        content.reviewed,
        now,
        &list_terms(account_id, subject, content),
    )
    .fetch_optional(connection)
    .await?;
    row.map(Row::parse).transpose()
}

/// Inserts an entry whose key has none.
async fn insert(connection: &mut PgConnection, account_id: Uuid, entry: &Entry) -> Result<(), Error> {
    let Entry { entry_id, subject, content, version, updated_at, reviewed_at, .. } = entry;
    sqlx::query!(
        "
        insert into journal.account_entry (
            account_id, entry_id, kind, key, symbol, day, side, quantity, setup, tags, mistakes, emotion, emotion_after,
            rating, note, plan, planned_entry, planned_stop, planned_target, planned_risk, rules_kept, rules_broken,
            reviewed_at, version, updated_at, search
        )
        values (
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
            $25, array_to_tsvector($26::text[])
        )
        ",
        account_id,
        entry_id,
        subject.kind.name(),
        subject.key,
        subject.symbol,
        subject.day,
        subject.side.map(Side::name),
        subject.quantity,
        content.setup,
        &content.tags,
        &content.mistakes,
        content.emotion,
        content.emotion_after,
        content.rating,
        content.note,
        content.plan,
        content.planned.entry,
        content.planned.stop,
        content.planned.target,
        content.planned.risk,
        &content.rules_kept,
        &content.rules_broken,
        *reviewed_at,
        version,
        updated_at,
        &list_terms(account_id, subject, content),
    )
    .execute(connection)
    .await?;
    Ok(())
}
