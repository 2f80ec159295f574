//! Screenshots of entries. Their files are in the screenshot store.

use sqlx::PgPool;
use sqlx::postgres::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::entries::{find_by_key, insert_empty_entry};
use super::{Row, Store, lock_account, now, select_entries};
use crate::trader_journal::entry::{Entry, Subject};
use crate::trader_journal::error::{Error, SCREENSHOT_NOT_FOUND, SCREENSHOTS_FULL};
use crate::trader_journal::screenshot::{Format, MAX_PER_ENTRY};

/// Number of screenshots whose files are deleted before their rows.
const DELETION_BATCH: i64 = 100;

/// Screenshot whose files are not stored yet.
pub(crate) struct NewScreenshot {
    pub screenshot_id: Uuid,
    pub format: Format,
    pub width: i32,
    pub height: i32,
    pub bytes: i64,
    pub sha256: [u8; 32],
    pub thumbnail_bytes: i64,
    pub thumbnail_sha256: [u8; 32],
}

impl NewScreenshot {
    /// Returns the size of the picture and its thumbnail.
    fn total_bytes(&self) -> i64 {
        self.bytes + self.thumbnail_bytes
    }
}

/// Names of the files of a screenshot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileIds {
    pub file_id: Uuid,
    pub thumbnail_id: Uuid,
}

/// Stored picture or thumbnail.
pub(crate) struct StoredFile {
    pub file_id: Uuid,
    pub media_type: String,
    pub bytes: i64,
}

impl Store {
    /// Returns the entry that has the screenshot, if there is one.
    pub(crate) async fn find_entry_of_screenshot(
        &self,
        account_id: Uuid,
        screenshot_id: Uuid,
    ) -> Result<Option<Entry>, Error> {
        find_entry_of(&mut *self.pool.acquire().await?, account_id, screenshot_id).await
    }

    /// Checks that the entry of a subject and the account have room for `bytes` more.
    pub(crate) async fn check_room_for_screenshot(
        &self,
        account_id: Uuid,
        subject: &Subject,
        bytes: i64,
        quota_bytes: i64,
    ) -> Result<(), Error> {
        let mut connection = self.pool.acquire().await?;
        let entry = find_by_key(&mut connection, account_id, subject).await?;
        let entry_id = entry.map_or(0, |entry| entry.entry_id);
        check_room(&mut connection, account_id, entry_id, None, bytes, quota_bytes).await
    }

    /// Inserts a screenshot that no entry has yet, and returns the names for its files. The cleanup job deletes it with its
    /// files if no entry gets it.
    pub(crate) async fn insert_screenshot(
        &self,
        account_id: Uuid,
        new: &NewScreenshot,
        subject: &Subject,
        quota_bytes: i64,
    ) -> Result<FileIds, Error> {
        let mut transaction = self.pool.begin().await?;
        lock_account(&mut transaction, account_id).await?;
        let entry = find_by_key(&mut transaction, account_id, subject).await?;
        let entry_id = entry.map_or(0, |entry| entry.entry_id);
        check_room(&mut transaction, account_id, entry_id, Some(new.screenshot_id), new.total_bytes(), quota_bytes)
            .await?;
        let now = now();
        let ids = sqlx::query_as!(
            FileIds,
            "
            insert into journal.screenshot as stored (
                account_id, screenshot_id, file_id, thumbnail_id, media_type, width, height, bytes, sha256,
                thumbnail_bytes, thumbnail_sha256, added_at, deleted_at
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
            on conflict (account_id, screenshot_id) do update
            set media_type = excluded.media_type, width = excluded.width, height = excluded.height,
                bytes = excluded.bytes, sha256 = excluded.sha256, thumbnail_bytes = excluded.thumbnail_bytes,
                thumbnail_sha256 = excluded.thumbnail_sha256, deleted_at = excluded.deleted_at
            where stored.entry_id is null and stored.deleted_at > $12::timestamptz - interval '24 hours'
            returning file_id, thumbnail_id
            ",
            account_id,
            new.screenshot_id,
            Uuid::new_v4(),
            Uuid::new_v4(),
            new.format.media_type(),
            new.width,
            new.height,
            new.bytes,
            &new.sha256,
            new.thumbnail_bytes,
            &new.thumbnail_sha256,
            now,
        )
        .fetch_optional(&mut *transaction)
        .await?;
        // Another request with the same id has just been completed, or its rest is about to be deleted.
        let ids = ids.ok_or(Error::PicturesBusy)?;
        transaction.commit().await?;
        Ok(ids)
    }

    /// Adds an inserted screenshot, whose files are stored, to the entry of a subject, which is created if there is none.
    pub(crate) async fn attach_screenshot(
        &self,
        account_id: Uuid,
        new: &NewScreenshot,
        subject: &Subject,
        quota_bytes: i64,
    ) -> Result<Entry, Error> {
        let mut transaction = self.pool.begin().await?;
        lock_account(&mut transaction, account_id).await?;
        if let Some(entry) = find_entry_of(&mut transaction, account_id, new.screenshot_id).await? {
            // A request with the same id was faster.
            return Ok(entry);
        }
        let entry_id = match find_by_key(&mut transaction, account_id, subject).await? {
            Some(entry) => entry.entry_id,
            None => insert_empty_entry(&mut transaction, account_id, subject).await?,
        };
        check_room(&mut transaction, account_id, entry_id, Some(new.screenshot_id), new.total_bytes(), quota_bytes)
            .await?;
        let updated = sqlx::query!(
            "
            update journal.screenshot set entry_id = $3, deleted_at = null, added_at = $4
            where account_id = $1 and screenshot_id = $2 and entry_id is null
            ",
            account_id,
            new.screenshot_id,
            entry_id,
            now(),
        );
        if updated.execute(&mut *transaction).await?.rows_affected() == 0 {
            // The account is being deleted, or the screenshot was deleted meanwhile.
            return Err(SCREENSHOT_NOT_FOUND);
        }
        let entry = find_by_key(&mut transaction, account_id, subject).await?;
        transaction.commit().await?;
        entry.ok_or(SCREENSHOT_NOT_FOUND)
    }

    /// Returns the picture or the thumbnail of a screenshot.
    pub(crate) async fn find_screenshot_file(
        &self,
        account_id: Uuid,
        screenshot_id: Uuid,
        is_thumbnail: bool,
    ) -> Result<StoredFile, Error> {
        let file = sqlx::query_as!(
            StoredFile,
            "
            select case when $3 then thumbnail_id else file_id end as \"file_id!\",
                case when $3 then 'image/jpeg' else media_type end as \"media_type!\",
                case when $3 then thumbnail_bytes else bytes end as \"bytes!\"
            from journal.screenshot
            where account_id = $1 and screenshot_id = $2 and deleted_at is null
            ",
            account_id,
            screenshot_id,
            is_thumbnail,
        );
        file.fetch_optional(&self.pool).await?.ok_or(SCREENSHOT_NOT_FOUND)
    }

    /// Marks a screenshot as deleted. The cleanup job deletes its files a day later.
    pub(crate) async fn delete_screenshot(&self, account_id: Uuid, screenshot_id: Uuid) -> Result<(), Error> {
        let deleted = sqlx::query!(
            "
            update journal.screenshot set deleted_at = coalesce(deleted_at, $3)
            where account_id = $1 and screenshot_id = $2 and entry_id is not null
            ",
            account_id,
            screenshot_id,
            now(),
        );
        match deleted.execute(&self.pool).await?.rows_affected() {
            0 => Err(SCREENSHOT_NOT_FOUND),
            _ => Ok(()),
        }
    }

    /// Restores a screenshot that was deleted less than 24 hours ago, if its entry still exists.
    pub(crate) async fn restore_screenshot(
        &self,
        account_id: Uuid,
        screenshot_id: Uuid,
        quota_bytes: i64,
    ) -> Result<(), Error> {
        let mut transaction = self.pool.begin().await?;
        lock_account(&mut transaction, account_id).await?;
        let stored = sqlx::query!(
            "
            select entry_id as \"entry_id!\", bytes + thumbnail_bytes as \"bytes!\", deleted_at is null as \"is_restored!\"
            from journal.screenshot
            where account_id = $1 and screenshot_id = $2 and entry_id is not null
                and (deleted_at is null or deleted_at > now() - interval '24 hours')
            ",
            account_id,
            screenshot_id,
        )
        .fetch_optional(&mut *transaction)
        .await?
        .ok_or(SCREENSHOT_NOT_FOUND)?;
        if stored.is_restored {
            return Ok(());
        }
        check_room(&mut transaction, account_id, stored.entry_id, Some(screenshot_id), stored.bytes, quota_bytes)
            .await?;
        let restored = sqlx::query!(
            "
            update journal.screenshot set deleted_at = null
            where account_id = $1 and screenshot_id = $2
                and exists (select from journal.account_entry where account_id = $1 and entry_id = $3)
            ",
            account_id,
            screenshot_id,
            stored.entry_id,
        );
        if restored.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Err(SCREENSHOT_NOT_FOUND);
        }
        Ok(transaction.commit().await?)
    }
}

/// Returns the entry that has the screenshot, if there is one.
async fn find_entry_of(
    connection: &mut PgConnection,
    account_id: Uuid,
    screenshot_id: Uuid,
) -> Result<Option<Entry>, Error> {
    let row = select_entries!(
        "where account_id = $1 and entry_id = (
            select entry_id from journal.screenshot
            where account_id = $1 and screenshot_id = $2 and deleted_at is null
         )",
        account_id,
        screenshot_id,
    );
    row.fetch_optional(connection).await?.map(Row::parse).transpose()
}

/// Checks that an entry has room for another screenshot, and the account for `bytes` more. The row of the screenshot, if it
/// has one, is not counted.
async fn check_room(
    connection: &mut PgConnection,
    account_id: Uuid,
    entry_id: i64,
    screenshot_id: Option<Uuid>,
    bytes: i64,
    quota_bytes: i64,
) -> Result<(), Error> {
    let used = sqlx::query!(
        "
        select count(*) filter (where entry_id = $2 and deleted_at is null) as \"of_entry!\",
            coalesce(sum(bytes + thumbnail_bytes) filter (where deleted_at is null), 0)::bigint as \"bytes!\",
            coalesce(sum(bytes + thumbnail_bytes), 0)::bigint as \"bytes_on_disk!\"
        from journal.screenshot
        where account_id = $1 and ($3::uuid is null or screenshot_id <> $3)
        ",
        account_id,
        entry_id,
        screenshot_id,
    )
    .fetch_one(connection)
    .await?;
    if used.of_entry >= MAX_PER_ENTRY {
        return Err(SCREENSHOTS_FULL);
    }
    // Deleted screenshots need room for another day.
    if used.bytes + bytes > quota_bytes || used.bytes_on_disk + bytes > 2 * quota_bytes {
        return Err(Error::ScreenshotQuotaReached { max_mib: quota_bytes >> 20 });
    }
    Ok(())
}

/// Row whose files are to be deleted.
pub(crate) struct DueScreenshot {
    pub account_id: Uuid,
    pub screenshot_id: Uuid,
    pub file_id: Uuid,
    pub thumbnail_id: Uuid,
}

/// Lists screenshots that were deleted, or not completed, over a day ago.
pub(crate) async fn list_expired(pool: &PgPool) -> Result<Vec<DueScreenshot>, Error> {
    let due = sqlx::query_as!(
        DueScreenshot,
        "
        select account_id, screenshot_id, file_id, thumbnail_id from journal.screenshot
        where deleted_at < now() - interval '25 hours'
        limit $1
        ",
        DELETION_BATCH,
    );
    Ok(due.fetch_all(pool).await?)
}

/// Lists screenshots of an account.
pub(crate) async fn list_of_account(pool: &PgPool, account_id: Uuid) -> Result<Vec<DueScreenshot>, Error> {
    let due = sqlx::query_as!(
        DueScreenshot,
        "
        select account_id, screenshot_id, file_id, thumbnail_id from journal.screenshot where account_id = $1 limit $2
        ",
        account_id,
        DELETION_BATCH,
    );
    Ok(due.fetch_all(pool).await?)
}

/// Deletes the row of a screenshot whose files are deleted.
pub(crate) async fn delete_row(pool: &PgPool, account_id: Uuid, screenshot_id: Uuid) -> Result<(), Error> {
    let deleted = sqlx::query!(
        "delete from journal.screenshot where account_id = $1 and screenshot_id = $2",
        account_id,
        screenshot_id,
    );
    deleted.execute(pool).await?;
    Ok(())
}

/// Lists the files of all screenshots with their SHA-256.
pub(crate) async fn list_files(executor: impl PgExecutor<'_>) -> Result<Vec<(Uuid, Vec<u8>)>, Error> {
    let files = sqlx::query!(
        "
        select file_id as \"file_id!\", sha256 as \"sha256!\" from journal.screenshot
        where entry_id is not null and (deleted_at is null or deleted_at > now() - interval '24 hours')
        union all
        select thumbnail_id, thumbnail_sha256 from journal.screenshot
        where entry_id is not null and (deleted_at is null or deleted_at > now() - interval '24 hours')
        "
    );
    Ok(files.fetch_all(executor).await?.into_iter().map(|file| (file.file_id, file.sha256)).collect())
}
