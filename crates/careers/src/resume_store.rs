//! Resume files on disk, under random names. The database knows which of them belong to an application.

use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::stream::{BoxStream, TryStreamExt as _};
use object_store::local::LocalFileSystem;
use object_store::{MultipartUpload as _, ObjectStoreExt as _};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use uuid::Uuid;

use crate::error::Error;

/// Size of one write in bytes.
const CHUNK_BYTES: usize = 256 * 1024;

/// Directory of resumes. A stored file is durable.
#[derive(Clone)]
pub struct ResumeStore {
    files: Arc<LocalFileSystem>,
    dir: PathBuf,
}

impl ResumeStore {
    /// Opens the directory, creating it with access for this account only if it does not exist.
    ///
    /// # Errors
    /// If the directory cannot be created or opened.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let created = DirBuilder::new().recursive(true).mode(0o700).create(dir);
        created.map_err(Error::io("failed to create the resume directory"))?;
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

    /// Returns the directory for unnamed temporary files of uploads; on the same volume as the stored resumes.
    pub(crate) fn upload_dir(&self) -> &Path {
        &self.dir
    }

    /// Stores a resume. On success, the file and its directory entry are on disk.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub async fn put(&self, resume_id: Uuid, file: std::fs::File) -> Result<(), Error> {
        let path = object_path(resume_id);
        let mut file = tokio::fs::File::from_std(file);
        file.rewind().await.map_err(Error::io("failed to rewind a resume"))?;
        let mut upload = self.files.put_multipart(&path).await?;
        loop {
            let mut chunk = Vec::with_capacity(CHUNK_BYTES);
            let limit = u64::try_from(CHUNK_BYTES).unwrap_or(u64::MAX);
            (&mut file).take(limit).read_to_end(&mut chunk).await.map_err(Error::io("failed to read a resume"))?;
            if chunk.is_empty() {
                break;
            }
            upload.put_part(chunk.into()).await?;
        }
        upload.complete().await?;
        let stored = self.files.path_to_filesystem(&path)?;
        let restricted = tokio::fs::set_permissions(stored, Permissions::from_mode(0o600)).await;
        restricted.map_err(Error::io("failed to restrict access to a resume"))
    }

    /// Returns true if the resume exists.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub async fn contains(&self, resume_id: Uuid) -> Result<bool, Error> {
        match self.files.head(&object_path(resume_id)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns a resume as a stream of chunks.
    ///
    /// # Errors
    /// If the resume does not exist or cannot be read.
    pub async fn get(&self, resume_id: Uuid) -> Result<BoxStream<'static, Result<Vec<u8>, Error>>, Error> {
        let stream = self.files.get(&object_path(resume_id)).await?.into_stream();
        Ok(Box::pin(stream.map_ok(|chunk| chunk.to_vec()).map_err(Error::from)))
    }

    /// Deletes a resume if it exists.
    pub(crate) async fn delete(&self, resume_id: Uuid) -> Result<(), Error> {
        match self.files.delete(&object_path(resume_id)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Lists the resumes that are older than `age`, and deletes incomplete files of that age.
    pub(crate) async fn list_older_than(&self, age: Duration) -> Result<Vec<Uuid>, Error> {
        let dir = self.dir.clone();
        let resumes = tokio::task::spawn_blocking(move || list_modified_before(&dir, SystemTime::now() - age)).await?;
        resumes.map_err(Error::io("failed to read the resume directory"))
    }
}

fn list_modified_before(dir: &Path, limit: SystemTime) -> std::io::Result<Vec<Uuid>> {
    let mut resumes = Vec::new();
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
            None => resumes.extend(name.parse::<Uuid>().ok()),
        }
    }
    Ok(resumes)
}

fn object_path(resume_id: Uuid) -> object_store::path::Path {
    object_store::path::Path::from(resume_id.to_string())
}
