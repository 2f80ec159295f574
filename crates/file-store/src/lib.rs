//! Files of users on disk, under random names: resumes and screenshots. The database of the crate that stores them knows
//! what they belong to.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::stream::{BoxStream, TryStreamExt as _};
use object_store::local::LocalFileSystem;
use object_store::{MultipartUpload as _, ObjectStoreExt as _};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use uuid::Uuid;

/// Size of one write in bytes.
const CHUNK_BYTES: usize = 256 * 1024;

/// Error of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store could not read or write.
    #[error("file store failed")]
    Store(#[from] object_store::Error),
    /// A file operation failed.
    #[error("{action}")]
    Io {
        /// The failed operation.
        action: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A background task panicked or was cancelled.
    #[error("task failed")]
    Task(#[from] tokio::task::JoinError),
}

impl Error {
    /// Returns true if the file does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Store(object_store::Error::NotFound { .. }))
    }

    /// Returns a converter of I/O errors; `action` says what failed.
    fn io(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, source }
    }
}

/// Directory of files. A stored file is durable.
#[derive(Clone, Debug)]
pub struct FileStore {
    files: Arc<LocalFileSystem>,
    dir: PathBuf,
}

impl FileStore {
    /// Opens the directory, creating it with access for this account only if it does not exist.
    ///
    /// # Errors
    /// If the directory cannot be created or opened.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let created = DirBuilder::new().recursive(true).mode(0o700).create(dir);
        created.map_err(Error::io("failed to create the directory of a file store"))?;
        Self::open_existing(dir)
    }

    /// Opens an existing directory.
    ///
    /// # Errors
    /// If the directory does not exist.
    pub fn open_existing(dir: &Path) -> Result<Self, Error> {
        let files = LocalFileSystem::new_with_prefix(dir)?.with_fsync(true);
        Ok(Self { files: Arc::new(files), dir: dir.to_owned() })
    }

    /// Returns the directory for unnamed temporary files of uploads; on the same volume as the stored files.
    pub fn upload_dir(&self) -> &Path {
        &self.dir
    }

    /// Stores a file. On success, the file and its directory entry are on disk.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub async fn put(&self, file_id: Uuid, file: std::fs::File) -> Result<(), Error> {
        let path = object_path(file_id);
        let mut file = tokio::fs::File::from_std(file);
        file.rewind().await.map_err(Error::io("failed to rewind a file"))?;
        let mut upload = self.files.put_multipart(&path).await?;
        loop {
            let mut chunk = Vec::with_capacity(CHUNK_BYTES);
            let limit = u64::try_from(CHUNK_BYTES).unwrap_or(u64::MAX);
            (&mut file).take(limit).read_to_end(&mut chunk).await.map_err(Error::io("failed to read a file"))?;
            if chunk.is_empty() {
                break;
            }
            upload.put_part(chunk.into()).await?;
        }
        upload.complete().await?;
        self.restrict_access(&path).await
    }

    /// Stores the bytes of a file. On success, the file and its directory entry are on disk.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub async fn put_bytes(&self, file_id: Uuid, bytes: Bytes) -> Result<(), Error> {
        let path = object_path(file_id);
        self.files.put(&path, bytes.into()).await?;
        self.restrict_access(&path).await
    }

    async fn restrict_access(&self, path: &object_store::path::Path) -> Result<(), Error> {
        let stored = self.files.path_to_filesystem(path)?;
        let restricted = tokio::fs::set_permissions(stored, Permissions::from_mode(0o600)).await;
        restricted.map_err(Error::io("failed to restrict access to a file"))
    }

    /// Returns a file as a stream of chunks.
    ///
    /// # Errors
    /// If the file does not exist or cannot be read.
    pub async fn get(&self, file_id: Uuid) -> Result<BoxStream<'static, Result<Bytes, Error>>, Error> {
        let stream = self.files.get(&object_path(file_id)).await?.into_stream();
        Ok(Box::pin(stream.map_err(Error::from)))
    }

    /// Deletes a file if it exists.
    ///
    /// # Errors
    /// If it exists and cannot be deleted.
    pub async fn delete(&self, file_id: Uuid) -> Result<(), Error> {
        match self.files.delete(&object_path(file_id)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Lists the files that are older than `age`, and deletes incomplete ones of that age.
    ///
    /// # Errors
    /// If the directory cannot be read, or an incomplete file cannot be deleted.
    pub async fn list_older_than(&self, age: Duration) -> Result<Vec<Uuid>, Error> {
        let dir = self.dir.clone();
        let files = tokio::task::spawn_blocking(move || list_modified_before(&dir, SystemTime::now() - age)).await?;
        files.map_err(Error::io("failed to read the directory of a file store"))
    }
}

fn list_modified_before(dir: &Path, limit: SystemTime) -> io::Result<Vec<Uuid>> {
    let mut files = Vec::new();
    for file in fs::read_dir(dir)? {
        let file = file?;
        let name = file.file_name();
        let Some(name) = name.to_str() else { continue };
        // Another process may have deleted the file since.
        let Ok(metadata) = file.metadata() else { continue };
        if !metadata.is_file() || metadata.modified()? >= limit {
            continue;
        }
        match name.split_once('#') {
            // object_store's name of an incomplete file, left behind by a crash.
            Some((id, _)) if id.parse::<Uuid>().is_ok() => fs::remove_file(file.path())?,
            Some(_) => {}
            None => files.extend(name.parse::<Uuid>().ok()),
        }
    }
    Ok(files)
}

fn object_path(file_id: Uuid) -> object_store::path::Path {
    object_store::path::Path::from(file_id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stores_reads_lists_and_deletes_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let store = FileStore::open(&dir.path().join("files")).unwrap();
        let file_id = Uuid::from_u128(1);
        assert!(store.get(file_id).await.is_err_and(|error| error.is_not_found()));
        store.put_bytes(file_id, Bytes::from_static(b"picture")).await.unwrap();
        let chunks: Vec<Bytes> = store.get(file_id).await.unwrap().try_collect().await.unwrap();
        assert_eq!(chunks.concat(), b"picture");
        let mode = fs::metadata(store.upload_dir().join(file_id.to_string())).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(store.list_older_than(Duration::from_hours(1)).await.unwrap().is_empty());
        assert_eq!(store.list_older_than(Duration::ZERO).await.unwrap(), [file_id]);
        store.delete(file_id).await.unwrap();
        store.delete(file_id).await.unwrap();
        assert!(store.get(file_id).await.is_err_and(|error| error.is_not_found()));
    }
}
