//! Changes of many entries and their undo. Each is one transaction.

use std::collections::HashMap;

use serde_json::json;
use sqlx::postgres::PgConnection;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

use super::{Counted, Store, lock_account, now, parse_rows, select_entries, take_ids};
use crate::trader_journal::edit::{Added, Addition, Edit, EditedEntry, add_to_entry, reviewed_at};
use crate::trader_journal::entry::{Content, Entry, MAX_ENTRIES, Side, Subject};
use crate::trader_journal::error::{CHANGE_NOT_FOUND, ENTRIES_FULL, Error};
use crate::trader_journal::search_terms::list_terms;

/// Number of listed changes.
const MAX_LISTED_CHANGES: i64 = 20;
/// Number of changes of an account that are kept.
const MAX_KEPT_CHANGES: i64 = 100;

/// Bulk edit that can be undone.
pub struct Change {
    pub change_id: i64,
    pub made_at: OffsetDateTime,
    pub entry_count: i32,
}

/// Result of [`Store::add_to_entries`].
#[derive(Default)]
pub struct AddedToEntries {
    /// Change to undo; none if nothing changed.
    pub change_id: Option<i64>,
    pub changed: usize,
    /// Keys of the entries in which a text or a tag found no room.
    pub full: Vec<String>,
}

impl Store {
    /// Edits the entries of all subjects, and creates those that do not exist. Returns the change and the entries.
    ///
    /// # Errors
    /// An entry would have too many labels, whose index in `subjects` is in the violation; too many entries.
    pub async fn edit_entries(
        &self,
        account_id: Uuid,
        subjects: &[Subject],
        edit: &Edit,
    ) -> Result<(i64, Vec<Entry>), Error> {
        let now = now();
        let mut transaction = self.pool.begin().await?;
        let mut entries = lock_or_begin(&mut transaction, account_id, subjects, now).await?;
        number_new(&mut transaction, account_id, &mut entries).await?;
        let mut edited = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter_mut().enumerate() {
            let change = edit.apply(entry.entry_id, &mut entry.content);
            edited.push(change.ok_or_else(|| Error::too_many_labels(index))?);
        }
        let entries: Vec<Entry> = entries.into_iter().map(|entry| renew(entry, now)).collect();
        write_entries(&mut transaction, account_id, &entries).await?;
        let change_id = insert_change(&mut transaction, account_id, edit, &edited, now).await?;
        transaction.commit().await?;
        Ok((change_id, entries))
    }

    /// Adds notes and labels to the entries of the subjects, and creates those that do not exist.
    pub async fn add_to_entries(
        &self,
        account_id: Uuid,
        additions: Vec<(Subject, Addition)>,
    ) -> Result<AddedToEntries, Error> {
        let now = now();
        let mut transaction = self.pool.begin().await?;
        let (subjects, additions): (Vec<_>, Vec<_>) = additions.into_iter().unzip();
        let entries = lock_or_begin(&mut transaction, account_id, &subjects, now).await?;
        let (mut changed, mut edited, mut added) = (Vec::new(), Vec::new(), AddedToEntries::default());
        for (mut entry, addition) in entries.into_iter().zip(&additions) {
            let Added { edit, is_full } = add_to_entry(&mut entry.content, addition);
            if is_full {
                added.full.push(entry.subject.key.clone());
            }
            if let Some(edit) = edit {
                edited.push(edit);
                changed.push(entry);
            }
        }
        if edited.is_empty() {
            return Ok(added);
        }
        number_new(&mut transaction, account_id, &mut changed).await?;
        for (edit, entry) in edited.iter_mut().zip(&changed) {
            edit.entry_id = entry.entry_id;
        }
        let changed: Vec<Entry> = changed.into_iter().map(|entry| renew(entry, now)).collect();
        write_entries(&mut transaction, account_id, &changed).await?;
        let change_id = insert_change(&mut transaction, account_id, &Edit::default(), &edited, now).await?;
        transaction.commit().await?;
        Ok(AddedToEntries { change_id: Some(change_id), changed: edited.len(), ..added })
    }

    /// Lists the newest changes that can be undone, newest first.
    pub async fn list_changes(&self, account_id: Uuid) -> Result<Vec<Change>, Error> {
        let changes = sqlx::query_as!(
            Change,
            "
            select change_id, made_at, entry_count from journal.change
            where account_id = $1 and undone_at is null
            order by change_id desc
            limit $2
            ",
            account_id,
            MAX_LISTED_CHANGES,
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(changes)
    }

    /// Undoes a change and returns its entries. Entries that were deleted since then stay deleted.
    pub async fn undo_change(&self, account_id: Uuid, change_id: i64) -> Result<Vec<Entry>, Error> {
        let now = now();
        let mut transaction = self.pool.begin().await?;
        lock_account(&mut transaction, account_id).await?;
        let change = sqlx::query!(
            "select items::text as \"items!\", undone_at from journal.change where account_id = $1 and change_id = $2",
            account_id,
            change_id,
        )
        .fetch_optional(&mut *transaction)
        .await?
        .ok_or(CHANGE_NOT_FOUND)?;
        if change.undone_at.is_some() {
            return Err(Error::ChangeUndone);
        }
        let edited: Vec<EditedEntry> = serde_json::from_str(&change.items).map_err(|_| Error::decode("items"))?;
        let ids: Vec<i64> = edited.iter().map(|edited| edited.entry_id).collect();
        let rows = select_entries!("where account_id = $1 and entry_id = any ($2) for update", account_id, &ids);
        let mut entries = parse_rows(rows.fetch_all(&mut *transaction).await?)?;
        let edited: HashMap<i64, &EditedEntry> = edited.iter().map(|edited| (edited.entry_id, edited)).collect();
        for entry in &mut entries {
            if let Some(edited) = edited.get(&entry.entry_id) {
                edited.undo(&mut entry.content);
            }
        }
        let entries: Vec<Entry> = entries.into_iter().map(|entry| renew(entry, now)).collect();
        write_entries(&mut transaction, account_id, &entries).await?;
        sqlx::query!(
            "update journal.change set undone_at = $3 where account_id = $1 and change_id = $2",
            account_id,
            change_id,
            now,
        )
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(entries)
    }
}

/// Locks the entries of the subjects, in their order. Entries that do not exist are new ones with version 0 and no number.
async fn lock_or_begin(
    connection: &mut PgConnection,
    account_id: Uuid,
    subjects: &[Subject],
    now: OffsetDateTime,
) -> Result<Vec<Entry>, Error> {
    lock_account(connection, account_id).await?;
    let mut stored = lock_by_subjects(connection, account_id, subjects).await?;
    let entries = subjects.iter().map(|subject| {
        let key = (subject.kind.name(), subject.key.clone());
        stored.remove(&key).unwrap_or_else(|| new_entry(0, subject.clone(), now))
    });
    Ok(entries.collect())
}

/// Gives new entries their numbers, and counts them.
async fn number_new(connection: &mut PgConnection, account_id: Uuid, entries: &mut [Entry]) -> Result<(), Error> {
    let new: Vec<&mut Entry> = entries.iter_mut().filter(|entry| entry.version == 0).collect();
    let count = i64::try_from(new.len()).unwrap_or(i64::MAX);
    let first_id = take_ids(connection, account_id, count, Counted::Entries, MAX_ENTRIES).await?.ok_or(ENTRIES_FULL)?;
    for (entry, entry_id) in new.into_iter().zip(first_id..) {
        entry.entry_id = entry_id;
    }
    Ok(())
}

/// Returns an empty entry with version 0, which is not stored yet.
fn new_entry(entry_id: i64, subject: Subject, now: OffsetDateTime) -> Entry {
    Entry {
        entry_id,
        subject,
        content: Content::default(),
        version: 0,
        updated_at: now,
        reviewed_at: None,
        screenshots: Vec::new(),
    }
}

/// Returns the entry with the next version.
fn renew(entry: Entry, now: OffsetDateTime) -> Entry {
    let reviewed_at = reviewed_at(&entry.content, entry.reviewed_at, now);
    Entry { version: entry.version + 1, updated_at: now, reviewed_at, ..entry }
}

/// Locks the entries of the subjects that have one.
async fn lock_by_subjects(
    connection: &mut PgConnection,
    account_id: Uuid,
    subjects: &[Subject],
) -> Result<HashMap<(&'static str, String), Entry>, Error> {
    let kinds: Vec<String> = subjects.iter().map(|subject| subject.kind.name().to_owned()).collect();
    let keys: Vec<String> = subjects.iter().map(|subject| subject.key.clone()).collect();
    let rows = select_entries!(
        "where account_id = $1 and (kind, key) in (select unnest($2::text[]), unnest($3::text[])) for update",
        account_id,
        &kinds,
        &keys,
    );
    let entries = parse_rows(rows.fetch_all(connection).await?)?;
    Ok(entries.into_iter().map(|entry| ((entry.subject.kind.name(), entry.subject.key.clone()), entry)).collect())
}

/// Inserts entries, or updates the labels and notes of those that exist.
async fn write_entries(connection: &mut PgConnection, account_id: Uuid, entries: &[Entry]) -> Result<(), Error> {
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| {
            let Entry { entry_id, subject, content, version, reviewed_at, .. } = entry;
            json!({
                "entry_id": entry_id,
                "kind": subject.kind.name(),
                "key": subject.key,
                "symbol": subject.symbol,
                "day": subject.day.to_string(),
                "side": subject.side.map(Side::name),
                "quantity": subject.quantity.map(|quantity| quantity.to_string()),
                "setup": content.setup,
                "tags": content.tags,
                "mistakes": content.mistakes,
                "emotion": content.emotion,
                "rating": content.rating,
                "note": content.note,
                "reviewed_at": reviewed_at.and_then(|at| at.format(&Rfc3339).ok()),
                "version": version,
                "terms": list_terms(account_id, subject, content),
            })
        })
        .collect();
    let rows = serde_json::Value::from(rows).to_string();
    sqlx::query!(
        "
        insert into journal.account_entry (
            account_id, entry_id, kind, key, symbol, day, side, quantity, setup, tags, mistakes, emotion, rating,
            note, reviewed_at, version, updated_at, search
        )
        select $1, entry_id, kind, key, symbol, day, side, quantity, setup, tags, mistakes, emotion, rating, note,
            reviewed_at, version, $3, array_to_tsvector(terms)
        from jsonb_to_recordset($2::text::jsonb) as edited (
            entry_id bigint, kind text, key text, symbol text, day date, side text, quantity numeric, setup text,
            tags text[], mistakes text[], emotion text, rating smallint, note text, reviewed_at timestamptz, version bigint,
            terms text[]
        )
        on conflict (account_id, kind, key) do update
        set setup = excluded.setup, tags = excluded.tags, mistakes = excluded.mistakes, emotion = excluded.emotion,
            rating = excluded.rating, note = excluded.note, reviewed_at = excluded.reviewed_at, version = excluded.version,
            updated_at = excluded.updated_at, search = excluded.search
        ",
        account_id,
        rows,
        entries.first().map_or_else(now, |entry| entry.updated_at),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores a change, deletes those beyond [`MAX_KEPT_CHANGES`], and returns its id.
async fn insert_change(
    connection: &mut PgConnection,
    account_id: Uuid,
    edit: &Edit,
    edited: &[EditedEntry],
    now: OffsetDateTime,
) -> Result<i64, Error> {
    let change_id = take_ids(&mut *connection, account_id, 1, Counted::Nothing, i64::MAX).await?;
    let change_id = change_id.ok_or_else(|| Error::decode("next_id"))?;
    let to_json = |value: serde_json::Result<String>| value.map_err(|_| Error::decode("change"));
    sqlx::query!(
        "
        insert into journal.change (account_id, change_id, made_at, entry_count, edit, items)
        values ($1, $2, $3, $4, $5::text::jsonb, $6::text::jsonb)
        ",
        account_id,
        change_id,
        now,
        i32::try_from(edited.len()).unwrap_or(i32::MAX),
        to_json(serde_json::to_string(edit))?,
        to_json(serde_json::to_string(edited))?,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "
        delete from journal.change
        where account_id = $1 and change_id < (
            select min(change_id) from (
                select change_id from journal.change where account_id = $1 order by change_id desc limit $2
            ) as kept
        )
        ",
        account_id,
        MAX_KEPT_CHANGES,
    )
    .execute(connection)
    .await?;
    Ok(change_id)
}
