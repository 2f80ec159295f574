//! Files of users under random names, in a directory or a bucket: resumes and screenshots. The database of the crate that
//! stores them knows what they belong to.

#[cfg(test)]
mod fake_bucket;
mod location;

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::stream::{BoxStream, TryStreamExt as _};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::prefix::PrefixStore;
use object_store::{ClientConfigKey, MultipartUpload as _, ObjectStore, ObjectStoreExt as _, RetryConfig};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use url::{Host, Url};
use uuid::Uuid;

pub use location::{InvalidLocation, Location, SecretKey};

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
    /// The certificate of the bucket would not be verified.
    #[error("AWS_ALLOW_INVALID_CERTIFICATES accepts any certificate of the bucket; remove it")]
    UnverifiedCertificate,
    /// The bucket is on another machine, and its endpoint has no TLS.
    #[error("the endpoint {0} of the bucket is plain text to another machine; use https")]
    PlainText(String),
    /// A background task panicked or was cancelled.
    #[error("task failed")]
    Task(#[from] tokio::task::JoinError),
}

impl Error {
    /// Returns true if the file does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Store(object_store::Error::NotFound { .. }))
    }

    /// Returns true if the bucket did not answer, answered with an error or refused access; a later attempt may succeed.
    pub fn is_bucket_failure(&self) -> bool {
        use object_store::Error::{Generic, PermissionDenied, Unauthenticated};
        matches!(self, Self::Store(Generic { store: "S3", .. } | PermissionDenied { .. } | Unauthenticated { .. }))
    }

    /// Returns a converter of I/O errors; `action` says what failed.
    fn io(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, source }
    }
}

/// Place of files. A stored file is durable.
#[derive(Clone, Debug)]
pub struct FileStore {
    backend: Backend,
}

#[derive(Clone, Debug)]
enum Backend {
    Dir { files: Arc<LocalFileSystem>, dir: PathBuf },
    Bucket { files: Arc<dyn ObjectStore>, upload_dir: PathBuf },
}

impl FileStore {
    /// Opens a place of files, creating a directory with access for this account only if it does not exist. A bucket is
    /// not contacted.
    ///
    /// # Errors
    /// If the directory cannot be created or opened, or the settings of the bucket are incomplete.
    pub fn open(location: &Location) -> Result<Self, Error> {
        if let Location::Dir(dir) = location {
            let created = DirBuilder::new().recursive(true).mode(0o700).create(dir);
            created.map_err(Error::io("failed to create the directory of a file store"))?;
        }
        Self::open_existing(location)
    }

    /// Opens an existing place of files.
    ///
    /// # Errors
    /// If the directory does not exist, or the settings of the bucket are incomplete.
    pub fn open_existing(location: &Location) -> Result<Self, Error> {
        let backend = match location {
            Location::Dir(dir) => {
                let files = LocalFileSystem::new_with_prefix(dir)?.with_fsync(true);
                Backend::Dir { files: Arc::new(files), dir: dir.clone() }
            }
            Location::Bucket { name, folder, secret_key } => {
                let settings = AmazonS3Builder::from_env().with_bucket_name(name);
                let settings = match secret_key {
                    Some(key) => settings.with_secret_access_key(key.expose()),
                    None => settings,
                };
                return Self::open_bucket(settings, folder);
            }
        };
        Ok(Self { backend })
    }

    fn open_bucket(settings: AmazonS3Builder, folder: &str) -> Result<Self, Error> {
        let allow_invalid = AmazonS3ConfigKey::Client(ClientConfigKey::AllowInvalidCertificates);
        if settings.get_config_value(&allow_invalid).is_some_and(|value| !value.eq_ignore_ascii_case("false")) {
            return Err(Error::UnverifiedCertificate);
        }
        for key in [AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::S3Endpoint] {
            if let Some(endpoint) = settings.get_config_value(&key).filter(|endpoint| !is_encrypted_or_local(endpoint))
            {
                return Err(Error::PlainText(endpoint));
            }
        }
        let client = |key, value: &str| (AmazonS3ConfigKey::Client(key), value.to_owned());
        let limits = [
            client(ClientConfigKey::ConnectTimeout, "3s"),
            client(ClientConfigKey::ReadTimeout, "6s"),
            // A slow browser may take this long to receive a picture.
            client(ClientConfigKey::Timeout, "10m"),
            // Not every bucket has it, and files are deleted one by one.
            (AmazonS3ConfigKey::DisableBulkDelete, "true".to_owned()),
        ];
        let settings = limits.into_iter().fold(settings, |settings, (key, value)| settings.with_config(key, value));
        let bucket = settings.with_retry(retry()).build()?;
        let files = Arc::new(PrefixStore::new(bucket, folder));
        Ok(Self { backend: Backend::Bucket { files, upload_dir: std::env::temp_dir() } })
    }

    /// Returns the directory for unnamed temporary files of uploads; on the same volume as the files in a directory.
    pub fn upload_dir(&self) -> &Path {
        match &self.backend {
            Backend::Dir { dir, .. } => dir,
            Backend::Bucket { upload_dir, .. } => upload_dir,
        }
    }

    fn files(&self) -> &dyn ObjectStore {
        match &self.backend {
            Backend::Dir { files, .. } => files.as_ref(),
            Backend::Bucket { files, .. } => files.as_ref(),
        }
    }

    /// Stores a file. On success, the file and its directory entry are on disk, or the bucket has confirmed it.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub async fn put(&self, file_id: Uuid, file: std::fs::File) -> Result<(), Error> {
        let path = object_path(file_id);
        let mut file = tokio::fs::File::from_std(file);
        file.rewind().await.map_err(Error::io("failed to rewind a file"))?;
        let Backend::Dir { files, .. } = &self.backend else {
            // A bucket takes parts from 5 MiB on, and files are hardly larger.
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).await.map_err(Error::io("failed to read a file"))?;
            return self.put_bytes(file_id, bytes.into()).await;
        };
        let mut upload = files.put_multipart(&path).await?;
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

    /// Stores the bytes of a file. On success, the file and its directory entry are on disk, or the bucket has confirmed
    /// it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub async fn put_bytes(&self, file_id: Uuid, bytes: Bytes) -> Result<(), Error> {
        let path = object_path(file_id);
        self.files().put(&path, bytes.into()).await?;
        self.restrict_access(&path).await
    }

    async fn restrict_access(&self, path: &object_store::path::Path) -> Result<(), Error> {
        let Backend::Dir { files, .. } = &self.backend else { return Ok(()) };
        let stored = files.path_to_filesystem(path)?;
        let restricted = tokio::fs::set_permissions(stored, Permissions::from_mode(0o600)).await;
        restricted.map_err(Error::io("failed to restrict access to a file"))
    }

    /// Returns a file as a stream of chunks.
    ///
    /// # Errors
    /// If the file does not exist or cannot be read.
    pub async fn get(&self, file_id: Uuid) -> Result<BoxStream<'static, Result<Bytes, Error>>, Error> {
        let stream = self.files().get(&object_path(file_id)).await?.into_stream();
        Ok(Box::pin(stream.map_err(Error::from)))
    }

    /// Deletes a file if it exists.
    ///
    /// # Errors
    /// If it exists and cannot be deleted.
    pub async fn delete(&self, file_id: Uuid) -> Result<(), Error> {
        match self.files().delete(&object_path(file_id)).await {
            Ok(()) => Ok(()),
            // A bucket answers so only if it does not exist itself.
            Err(object_store::Error::NotFound { .. }) if matches!(self.backend, Backend::Dir { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Lists the files that are older than `age`, and deletes incomplete ones of that age. A bucket has none.
    ///
    /// # Errors
    /// If the files cannot be listed, or an incomplete file cannot be deleted.
    pub async fn list_older_than(&self, age: Duration) -> Result<Vec<Uuid>, Error> {
        let limit = SystemTime::now() - age;
        match &self.backend {
            Backend::Dir { dir, .. } => {
                let dir = dir.clone();
                let files = tokio::task::spawn_blocking(move || list_modified_before(&dir, limit)).await?;
                files.map_err(Error::io("failed to read the directory of a file store"))
            }
            Backend::Bucket { files, .. } => {
                let old = files.list(None).try_filter_map(|file| {
                    let is_old = SystemTime::from(file.last_modified) < limit;
                    let file_id = file.location.filename().and_then(|name| name.parse::<Uuid>().ok());
                    std::future::ready(Ok(file_id.filter(|_| is_old)))
                });
                Ok(old.try_collect().await?)
            }
        }
    }
}

/// Returns how often a request to a bucket is repeated: shorter than the callers wait.
fn retry() -> RetryConfig {
    RetryConfig { max_retries: 3, retry_timeout: Duration::from_secs(5), ..RetryConfig::default() }
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

/// Returns true if no other machine can read the requests to `endpoint`.
fn is_encrypted_or_local(endpoint: &str) -> bool {
    let Ok(url) = Url::parse(endpoint) else { return false };
    let is_loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || is_loopback
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::fake_bucket::FakeBucket;

    #[test]
    fn rejects_a_bucket_without_tls_on_another_machine() {
        for (endpoint, allowed) in [
            ("https://s3.example", true),
            ("http://127.0.0.1:9000", true),
            ("http://localhost:9000", true),
            ("http://s3.example", false),
            ("http://10.0.0.7:9000", false),
            ("s3.example", false),
        ] {
            for key in [AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::S3Endpoint] {
                let settings = AmazonS3Builder::new().with_bucket_name("journal").with_allow_http(true);
                let store = FileStore::open_bucket(settings.with_config(key, endpoint), "");
                assert_eq!(!matches!(store, Err(Error::PlainText(_))), allowed, "{endpoint}");
            }
        }
    }

    #[test]
    fn rejects_a_bucket_whose_certificate_is_not_verified() {
        // As `AmazonS3Builder::from_env` names the variable.
        let key: AmazonS3ConfigKey = "aws_allow_invalid_certificates".parse().unwrap();
        for (value, allowed) in [(None, true), (Some("false"), true), (Some("true"), false), (Some("1"), false)] {
            let mut settings = AmazonS3Builder::new().with_bucket_name("journal").with_region("ap-south-1");
            if let Some(value) = value {
                settings = settings.with_config(key, value);
            }
            let store = FileStore::open_bucket(settings, "");
            assert_eq!(!matches!(store, Err(Error::UnverifiedCertificate)), allowed, "{value:?}");
        }
    }

    #[tokio::test]
    async fn stores_reads_lists_and_deletes_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let store = FileStore::open(&Location::Dir(dir.path().join("files"))).unwrap();
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

    #[tokio::test]
    async fn stores_reads_lists_and_deletes_a_file_of_a_bucket() {
        let bucket = FakeBucket::start().await;
        let store = FileStore::open_bucket(bucket.settings(), "a/pictures").unwrap();
        let file_id = Uuid::from_u128(1);
        assert!(store.get(file_id).await.is_err_and(|error| error.is_not_found()));
        store.put_bytes(file_id, Bytes::from_static(b"picture")).await.unwrap();
        let mut file = tempfile::tempfile_in(store.upload_dir()).unwrap();
        file.write_all(b"other").unwrap();
        store.put(Uuid::from_u128(2), file).await.unwrap();
        assert_eq!(bucket.keys(), [1, 2].map(|id| format!("a/pictures/{}", Uuid::from_u128(id))));
        let chunks: Vec<Bytes> = store.get(file_id).await.unwrap().try_collect().await.unwrap();
        assert_eq!(chunks.concat(), b"picture");
        assert!(store.list_older_than(Duration::from_hours(1_000_000)).await.unwrap().is_empty());
        assert_eq!(store.list_older_than(Duration::ZERO).await.unwrap().len(), 2);
        store.delete(file_id).await.unwrap();
        store.delete(file_id).await.unwrap();
        assert!(store.get(file_id).await.is_err_and(|error| error.is_not_found()));
        assert_eq!(bucket.keys().len(), 1);
        bucket.fail();
        let failed = store.put_bytes(file_id, Bytes::from_static(b"picture")).await.unwrap_err();
        assert!(!failed.is_not_found() && failed.is_bucket_failure(), "{failed:?}");
        bucket.stop();
        let failed = store.put_bytes(file_id, Bytes::from_static(b"picture")).await.unwrap_err();
        assert!(failed.is_bucket_failure(), "{failed:?}");
    }
}
