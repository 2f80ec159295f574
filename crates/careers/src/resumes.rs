//! The store of resumes: files under random names, durable once stored. Which of them count, the database knows.

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

/// How much is written at once.
const CHUNK: usize = 256 * 1024;

/// A folder of resumes.
#[derive(Clone)]
pub struct Resumes {
    files: Arc<LocalFileSystem>,
    dir: PathBuf,
}

impl Resumes {
    /// Opens the folder, which is made for our eyes only where there is none.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
        made.map_err(Error::io("the folder of resumes cannot be made"))?;
        Self::existing(dir)
    }

    /// Opens the folder where there is one.
    pub fn existing(dir: &Path) -> Result<Self, Error> {
        let files = LocalFileSystem::new_with_prefix(dir)?.with_fsync(true);
        Ok(Self { files: Arc::new(files), dir: dir.to_owned() })
    }

    /// Where a resume may lie, without a name, while it arrives: on the volume on which it is to stay.
    pub(crate) fn spool_dir(&self) -> &Path {
        &self.dir
    }

    /// Stores a resume. Once this succeeds it is on the disk, name and all.
    pub async fn put(&self, resume_id: Uuid, file: std::fs::File) -> Result<(), Error> {
        let path = path(resume_id);
        let mut file = tokio::fs::File::from_std(file);
        file.rewind().await.map_err(Error::io("rewinding a resume failed"))?;
        let mut upload = self.files.put_multipart(&path).await?;
        loop {
            let mut chunk = Vec::with_capacity(CHUNK);
            let limit = u64::try_from(CHUNK).unwrap_or(u64::MAX);
            (&mut file).take(limit).read_to_end(&mut chunk).await.map_err(Error::io("reading a resume failed"))?;
            if chunk.is_empty() {
                break;
            }
            upload.put_part(chunk.into()).await?;
        }
        upload.complete().await?;
        let stored = self.files.path_to_filesystem(&path)?;
        let closed = tokio::fs::set_permissions(stored, Permissions::from_mode(0o600)).await;
        closed.map_err(Error::io("closing a resume to others failed"))
    }

    /// Whether a resume is there.
    pub async fn has(&self, resume_id: Uuid) -> Result<bool, Error> {
        match self.files.head(&path(resume_id)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// A resume, in chunks.
    pub async fn get(&self, resume_id: Uuid) -> Result<BoxStream<'static, Result<Vec<u8>, Error>>, Error> {
        let stream = self.files.get(&path(resume_id)).await?.into_stream();
        Ok(Box::pin(stream.map_ok(|chunk| chunk.to_vec()).map_err(Error::from)))
    }

    /// Deletes a resume, if it is there.
    pub(crate) async fn delete(&self, resume_id: Uuid) -> Result<(), Error> {
        match self.files.delete(&path(resume_id)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The resumes that have been there for longer than `age`. Halves of some that never became whole are deleted.
    pub(crate) async fn older_than(&self, age: Duration) -> Result<Vec<Uuid>, Error> {
        let dir = self.dir.clone();
        let listed = tokio::task::spawn_blocking(move || list(&dir, SystemTime::now() - age)).await?;
        listed.map_err(Error::io("the folder of resumes cannot be read"))
    }
}

fn list(dir: &Path, before: SystemTime) -> std::io::Result<Vec<Uuid>> {
    let mut found = Vec::new();
    for file in fs::read_dir(dir)? {
        let file = file?;
        let name = file.file_name();
        let Some(name) = name.to_str() else { continue };
        // Deleted meanwhile.
        let Ok(metadata) = file.metadata() else { continue };
        if !metadata.is_file() || metadata.modified()? >= before {
            continue;
        }
        match name.split_once('#') {
            // What a crash left of an upload; the name is one of object_store's.
            Some((half, _)) if half.parse::<Uuid>().is_ok() => fs::remove_file(file.path())?,
            Some(_) => {}
            None => found.extend(name.parse::<Uuid>().ok()),
        }
    }
    Ok(found)
}

fn path(resume_id: Uuid) -> object_store::path::Path {
    object_store::path::Path::from(resume_id.to_string())
}
