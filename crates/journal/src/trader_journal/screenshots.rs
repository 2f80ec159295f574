//! Receives, returns and deletes screenshots: their files in the screenshot store, and their rows.

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use file_store::FileStore;
use futures_util::stream::BoxStream;
use queue::{JobQueue, KeyedQueue, Place, RunPermit};
use rpc::trader_journal::v1::add_screenshot_request::Part;
use rpc::trader_journal::v1::{AddScreenshotRequest, AddedScreenshot};
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use tonic::Streaming;
use uuid::Uuid;

use crate::trader_journal::entry::{Entry, Subject};
use crate::trader_journal::error::Error;
use crate::trader_journal::screenshot::MAX_UPLOAD_BYTES;
use crate::trader_journal::screenshot_encoder::EncodedPicture;
use crate::trader_journal::screenshot_process;
use crate::trader_journal::settings::Settings;
use crate::trader_journal::store::Store;
use crate::trader_journal::store::screenshots::{self as rows, DueScreenshot, FileIds, NewScreenshot, StoredFile};

/// Timeout for encoding and storing a received picture. By then the trader has seen a timeout.
const STORE_TIMEOUT: Duration = Duration::from_mins(1);

/// Received picture in an unnamed file, which the operating system deletes when it is closed.
pub(crate) struct Upload {
    file: File,
    bytes: u64,
    /// Screenshot as the caller describes it.
    pub(crate) screenshot: AddedScreenshot,
    _place: Place,
}

/// Screenshots of all accounts.
#[derive(Clone)]
pub(crate) struct Screenshots {
    store: Store,
    files: FileStore,
    settings: Arc<Settings>,
    /// Limits the pictures that are being received or wait for the encoder.
    upload_queue: JobQueue,
    /// Limits the running encoders.
    encoder_queue: JobQueue,
    /// Limits each account to one running encoder, so that the others need not wait for it.
    account_queue: KeyedQueue<Uuid>,
}

impl Screenshots {
    pub(crate) fn new(store: Store, settings: Settings) -> Result<Self, Error> {
        Ok(Self {
            files: FileStore::open(&settings.screenshot_dir())?,
            store,
            upload_queue: JobQueue::new(settings.max_pending_screenshots, 0),
            encoder_queue: JobQueue::new(settings.max_concurrent_encoders, settings.max_pending_screenshots),
            account_queue: KeyedQueue::new(1, settings.max_pending_screenshots),
            settings: Arc::new(settings),
        })
    }

    /// Receives a complete picture. An aborted upload leaves no file behind.
    pub(crate) async fn receive(&self, mut parts: Streaming<AddScreenshotRequest>) -> Result<Upload, Error> {
        let place = self.upload_queue.try_enqueue().map_err(|_| Error::PicturesBusy)?;
        let file = tempfile::tempfile_in(self.files.upload_dir());
        let mut file = file.map_err(Error::io("failed to create a temporary file for a picture"))?;
        let mut bytes = 0;
        while let Some(message) = parts.message().await.map_err(Error::UploadAborted)? {
            match message.part {
                Some(Part::FileChunk(chunk)) => {
                    bytes += u64::try_from(chunk.len()).unwrap_or(u64::MAX);
                    if bytes > MAX_UPLOAD_BYTES {
                        return Err(Error::ScreenshotTooLarge);
                    }
                    // A chunk goes to the page cache; it is too short to block for long.
                    file.write_all(&chunk).map_err(Error::io("failed to write a temporary picture"))?;
                }
                Some(Part::Screenshot(screenshot)) if u64::try_from(screenshot.bytes) == Ok(bytes) => {
                    return Ok(Upload { file, bytes, screenshot, _place: place });
                }
                Some(Part::Screenshot(_)) | None => return Err(Error::IncompleteUpload),
            }
        }
        Err(Error::IncompleteUpload)
    }

    /// Stores a received picture and adds it to the entry of `subject`, even if the caller disconnects. Returns the entry.
    pub(crate) async fn add(
        &self,
        account_id: Uuid,
        screenshot_id: Uuid,
        subject: Subject,
        upload: Upload,
    ) -> Result<Entry, Error> {
        let screenshots = self.clone();
        let write = async move { screenshots.encode_and_store(account_id, screenshot_id, &subject, upload).await };
        db::run_to_completion(STORE_TIMEOUT, write).await
    }

    async fn encode_and_store(
        &self,
        account_id: Uuid,
        screenshot_id: Uuid,
        subject: &Subject,
        upload: Upload,
    ) -> Result<Entry, Error> {
        if let Some(entry) = self.store.find_entry_of_screenshot(account_id, screenshot_id).await? {
            return Ok(entry);
        }
        let quota_bytes = self.settings.quota_bytes();
        let received_bytes = to_size(upload.bytes);
        self.store.check_room_for_screenshot(account_id, subject, received_bytes, quota_bytes).await?;
        let (encoded, _permits) = self.encode(account_id, upload.file).await?;
        let new = NewScreenshot {
            screenshot_id,
            format: encoded.format,
            width: i32::try_from(encoded.width).unwrap_or(i32::MAX),
            height: i32::try_from(encoded.height).unwrap_or(i32::MAX),
            bytes: to_size(encoded.picture.len()),
            sha256: Sha256::digest(&encoded.picture).into(),
            thumbnail_bytes: to_size(encoded.thumbnail.len()),
            thumbnail_sha256: Sha256::digest(&encoded.thumbnail).into(),
        };
        let FileIds { file_id, thumbnail_id } =
            self.store.insert_screenshot(account_id, &new, subject, quota_bytes).await?;
        self.files.put_bytes(file_id, encoded.picture.into()).await?;
        self.files.put_bytes(thumbnail_id, encoded.thumbnail.into()).await?;
        self.store.attach_screenshot(account_id, &new, subject, quota_bytes).await
    }

    /// Encodes a picture. The permits limit the encoded pictures in memory until they are stored.
    async fn encode(&self, account_id: Uuid, file: File) -> Result<(EncodedPicture, [RunPermit; 2]), Error> {
        let max_wait = self.settings.encoder_queue_timeout;
        let of_account = self.account_queue.acquire(account_id, max_wait).await.map_err(|_| Error::PicturesBusy)?;
        let permit = self.encoder_queue.acquire(max_wait).await.map_err(|_| Error::PicturesBusy)?;
        let timeout = self.settings.encoder_timeout;
        let encoded = screenshot_process::encode(&self.settings.encoder_program, timeout, file).await?;
        Ok((encoded, [of_account, permit]))
    }

    /// Returns a picture or its thumbnail, with its content.
    pub(crate) async fn open(
        &self,
        account_id: Uuid,
        screenshot_id: Uuid,
        is_thumbnail: bool,
    ) -> Result<(StoredFile, BoxStream<'static, Result<Bytes, file_store::Error>>), Error> {
        let file = self.store.find_screenshot_file(account_id, screenshot_id, is_thumbnail).await?;
        let content = self.files.get(file.file_id).await?;
        Ok((file, content))
    }

    /// Deletes a screenshot. It can be restored for 24 hours.
    pub(crate) async fn delete(&self, account_id: Uuid, screenshot_id: Uuid) -> Result<(), Error> {
        self.store.delete_screenshot(account_id, screenshot_id).await
    }

    /// Restores a deleted screenshot.
    pub(crate) async fn restore(&self, account_id: Uuid, screenshot_id: Uuid) -> Result<(), Error> {
        self.store.restore_screenshot(account_id, screenshot_id, self.settings.quota_bytes()).await
    }
}

/// Deletes the files and rows of screenshots that were deleted, or not completed, over a day ago.
pub(crate) async fn delete_expired(pool: &PgPool, settings: &Settings) -> Result<(), Error> {
    let files = FileStore::open(&settings.screenshot_dir())?;
    loop {
        let due = rows::list_expired(pool).await?;
        if due.is_empty() {
            return Ok(());
        }
        delete_files_and_rows(pool, &files, due).await?;
    }
}

/// Deletes the files and rows of an account's screenshots.
pub(crate) async fn delete_of_account(pool: &PgPool, settings: &Settings, account_id: Uuid) -> Result<(), Error> {
    let files = FileStore::open(&settings.screenshot_dir())?;
    loop {
        let due = rows::list_of_account(pool, account_id).await?;
        if due.is_empty() {
            return Ok(());
        }
        delete_files_and_rows(pool, &files, due).await?;
    }
}

/// Deletes the files first, so that an interrupted deletion is continued.
async fn delete_files_and_rows(pool: &PgPool, files: &FileStore, due: Vec<DueScreenshot>) -> Result<(), Error> {
    for screenshot in due {
        files.delete(screenshot.file_id).await?;
        files.delete(screenshot.thumbnail_id).await?;
        rows::delete_row(pool, screenshot.account_id, screenshot.screenshot_id).await?;
    }
    Ok(())
}

/// Converts a size, which is limited far below the maximum.
fn to_size(bytes: impl TryInto<i64>) -> i64 {
    bytes.try_into().unwrap_or(i64::MAX)
}
