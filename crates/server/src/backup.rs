//! `tradebahi backup`: writes a snapshot of the database, the resumes and the screenshots to one file. Works while the
//! server runs.
//!
//! The file is a ZIP with each table as CSV, each resume and screenshot, and the [`Manifest`] as last entry. Rows are read
//! by COPY, not by pg_dump, which many machines lack and which must not be older than the Postgres server. The schema is
//! not included, because the program contains all migrations.
//!
//! The file contains personal data and password hashes, and is therefore readable by its owner only; with a passphrase
//! it is encrypted. It never contains the signing keys.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use file_store::{FileStore, Location};
use futures_util::{Stream, TryStreamExt as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgExecutor};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use uuid::Uuid;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use crate::config::{Backup, FileDirs};
use crate::database::{OwnerAccess, schema_version};
use crate::encryption::{EncryptingWriter, Passphrase};

/// Name of the manifest, the last entry of a backup.
pub(crate) const MANIFEST_NAME: &str = "manifest.json";

/// Table whose rows are left out, because a restore replaces the keys in any case.
const SIGNING_KEYS: &str = "auth.signing_key";

/// Content of a backup.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Version of the program that wrote the backup.
    pub version: String,
    /// Schema version.
    pub schema: i64,
    /// Time of the snapshot in UTC, RFC 3339.
    pub taken_at: String,
    /// All other entries, in the order of the file.
    pub parts: Vec<Part>,
    /// Resumes of applications that were missing in their folder, or not as received.
    pub lost_resumes: Vec<Uuid>,
    /// Files of screenshots that were missing in their folder, or not as stored. Older backups have no screenshots.
    #[serde(default)]
    pub lost_screenshots: Vec<Uuid>,
}

/// Entry of a backup.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// Name from [`table_entry_name`], or folder and id of a file.
    pub name: String,
    /// Uncompressed size.
    pub bytes: u64,
    /// SHA-256 of the uncompressed content, in hexadecimal.
    pub sha256: String,
}

/// Returns the entry name of a table.
pub(crate) fn table_entry_name(table: &str) -> String {
    format!("{table}.csv")
}

/// Folder of the resumes in a backup.
pub(crate) const RESUMES: &str = "resumes";
/// Folder of the screenshots in a backup.
pub(crate) const SCREENSHOTS: &str = "screenshots";

/// Files of one kind with their SHA-256.
type Files = Vec<(Uuid, Vec<u8>)>;

/// Writes a backup and prints its path.
///
/// # Errors
/// If the backup cannot be written, or if it was written but resumes are missing.
pub async fn run(arguments: &Backup) -> anyhow::Result<()> {
    let database = arguments.storage.database();
    let passphrase = arguments.passphrase_file.as_ref().map(Passphrase::read_file).transpose()?;
    let path = target_path(&arguments.target, passphrase.is_some())?;
    let access = OwnerAccess::open_for_command(database).await?;
    let outcome = write_backup(&access, &arguments.storage.file_dirs(), &path, passphrase.as_ref()).await;
    access.close().await?;
    let manifest = outcome?;
    for resume_id in &manifest.lost_resumes {
        eprintln!("Resume {resume_id} is missing or changed. Its application is in the backup.");
    }
    for file_id in &manifest.lost_screenshots {
        eprintln!("Screenshot file {file_id} is missing or changed. Its entry is in the backup.");
    }
    let bytes: u64 = manifest.parts.iter().map(|part| part.bytes).sum();
    eprintln!(
        "{}: {} tables and files, schema version {}, {bytes} bytes uncompressed",
        path.display(),
        manifest.parts.len(),
        manifest.schema
    );
    if passphrase.is_none() {
        eprintln!("It is not encrypted and contains personal data. Use --passphrase-file, or store it encrypted.");
    }
    for (kind, lost) in [(RESUMES, &manifest.lost_resumes), (SCREENSHOTS, &manifest.lost_screenshots)] {
        let missing = lost.len();
        ensure!(missing == 0, "backup written to {}, but {kind} are missing: {missing}", path.display());
    }
    Ok(())
}

/// Returns the path of the backup; rejects an existing file.
fn target_path(target: &Path, is_encrypted: bool) -> anyhow::Result<PathBuf> {
    let timestamp =
        OffsetDateTime::now_utc().format(format_description!("[year][month][day]T[hour][minute][second]Z"))?;
    let extension = if is_encrypted { "zip.enc" } else { "zip" };
    let path =
        if target.is_dir() { target.join(format!("tradebahi-{timestamp}.{extension}")) } else { target.to_owned() };
    ensure!(!path.exists(), "{} already exists", path.display());
    Ok(path)
}

/// Writes the backup to a temporary file next to `path`, and renames it once it is complete and on disk.
async fn write_backup(
    access: &OwnerAccess,
    dirs: &FileDirs,
    path: &Path,
    passphrase: Option<&Passphrase>,
) -> anyhow::Result<Manifest> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write_error = || format!("cannot write in {}", folder.display());
    // Readable by its owner only; deleted on failure.
    let file = tempfile::NamedTempFile::new_in(folder).with_context(write_error)?;
    let output = BufWriter::new(file.as_file());
    let manifest = match passphrase {
        None => write_entries(access, dirs, output).await?.0,
        Some(passphrase) => {
            let output = EncryptingWriter::new(output, passphrase).with_context(write_error)?;
            let (manifest, output) = write_entries(access, dirs, output).await?;
            output.finish().with_context(write_error)?;
            manifest
        }
    };
    file.as_file().sync_all().with_context(write_error)?;
    file.persist_noclobber(path)
        .map_err(|error| error.error)
        .with_context(|| format!("cannot create {}", path.display()))?;
    File::open(folder).and_then(|folder| folder.sync_all()).with_context(write_error)?;
    Ok(manifest)
}

/// Writes all entries to `output` and returns it with the manifest.
async fn write_entries<W: Write>(access: &OwnerAccess, dirs: &FileDirs, output: W) -> anyhow::Result<(Manifest, W)> {
    let mut connection = access.connect().await?;
    // One snapshot of all tables.
    let mut snapshot = connection.begin_with("begin isolation level repeatable read read only").await?;
    let schema =
        schema_version(&mut snapshot).await?.context("nothing to back up: this database has no TradeBahi schema")?;
    let taken_at = OffsetDateTime::now_utc().format(&Rfc3339)?;
    let resumes = careers::list_resumes(&mut *snapshot).await?;
    ensure!(
        resumes.is_empty() || dirs.resumes.is_dir(),
        "no resume folder at {}, but {} applications have a resume: set --resume-dir or --data-dir",
        dirs.resumes.display(),
        resumes.len()
    );
    let screenshots = list_screenshots(&mut *snapshot, schema).await?;
    ensure!(
        screenshots.is_empty() || !matches!(&dirs.screenshots, Location::Dir(dir) if !dir.is_dir()),
        "no screenshot folder at {}, but there are {} files of screenshots: set --screenshot-dir or --data-dir",
        dirs.screenshots,
        screenshots.len()
    );
    let mut archive = Archive::new(output);
    for table in list_tables(&mut *snapshot).await? {
        let filter = if table == SIGNING_KEYS { "where false" } else { "" };
        let query = format!("copy (select * from {table} {filter}) to stdout with (format csv, header)");
        let rows = snapshot.copy_out_raw(&query).await?;
        archive.add(table_entry_name(&table), CompressionMethod::Deflated, rows).await?;
    }
    snapshot.rollback().await?;
    let mut lost_resumes = archive.add_files(RESUMES, &Location::Dir(dirs.resumes.clone()), &resumes).await?;
    if !lost_resumes.is_empty() {
        retain_listed(&mut lost_resumes, careers::list_resumes(&mut connection).await?);
    }
    let mut lost_screenshots = archive.add_files(SCREENSHOTS, &dirs.screenshots, &screenshots).await?;
    if !lost_screenshots.is_empty() {
        retain_listed(&mut lost_screenshots, list_screenshots(&mut connection, schema).await?);
    }
    connection.close().await?;
    let manifest = Manifest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        schema,
        taken_at,
        parts: archive.parts,
        lost_resumes,
        lost_screenshots,
    };
    archive.zip.start_file(MANIFEST_NAME, SimpleFileOptions::default())?;
    serde_json::to_writer_pretty(&mut archive.zip, &manifest)?;
    let mut output = archive.zip.finish()?.into_inner();
    output.flush()?;
    Ok((manifest, output))
}

/// First schema version with screenshots.
const FIRST_SCHEMA_WITH_SCREENSHOTS: i64 = 74;

/// Lists the files of screenshots.
async fn list_screenshots(executor: impl PgExecutor<'_>, schema: i64) -> anyhow::Result<Files> {
    if schema < FIRST_SCHEMA_WITH_SCREENSHOTS {
        return Ok(Vec::new());
    }
    Ok(journal::trader_journal::list_screenshot_files(executor).await?)
}

/// Keeps the files that are still listed: files deleted since the snapshot are not missing.
fn retain_listed(lost: &mut Vec<Uuid>, listed: Files) {
    let listed: BTreeSet<Uuid> = listed.into_iter().map(|(file_id, _)| file_id).collect();
    lost.retain(|file_id| listed.contains(file_id));
}

/// Returns the quoted names of all tables, except those of Postgres's own schemas and of `public`.
pub(crate) async fn list_tables(executor: impl PgExecutor<'_>) -> sqlx::Result<Vec<String>> {
    let query = "
        select quote_ident(schemaname) || '.' || quote_ident(tablename)
        from pg_tables
        where schemaname not in ('information_schema', 'pg_catalog', 'public')
        order by schemaname, tablename
    ";
    sqlx::query_scalar(query).fetch_all(executor).await
}

/// Backup file that is being written.
struct Archive<W: Write> {
    zip: ZipWriter<StreamWriter<W>>,
    parts: Vec<Part>,
}

impl<W: Write> Archive<W> {
    fn new(output: W) -> Self {
        Self { zip: ZipWriter::new_stream(output), parts: Vec::new() }
    }

    /// Adds `files` from `location` to the folder `name`. Returns those that are missing, or not as stored.
    async fn add_files(&mut self, name: &str, location: &Location, files: &Files) -> anyhow::Result<Vec<Uuid>> {
        let mut missing = Vec::new();
        if files.is_empty() {
            return Ok(missing);
        }
        let store = FileStore::open_existing(location)?;
        for (file_id, sha256) in files {
            let is_intact = match store.get(*file_id).await {
                // Documents and pictures are already compressed.
                Ok(chunks) => {
                    self.add(format!("{name}/{file_id}"), CompressionMethod::Stored, chunks).await? == *sha256
                }
                Err(error) if error.is_not_found() => false,
                Err(error) => return Err(error.into()),
            };
            if !is_intact {
                missing.push(*file_id);
            }
        }
        Ok(missing)
    }

    /// Adds an entry and returns its SHA-256.
    async fn add<S, B, E>(&mut self, name: String, method: CompressionMethod, mut chunks: S) -> anyhow::Result<Vec<u8>>
    where
        S: Stream<Item = Result<B, E>> + Unpin,
        B: AsRef<[u8]>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let options = SimpleFileOptions::default().compression_method(method).large_file(true);
        self.zip.start_file(name.as_str(), options)?;
        let (mut digest, mut bytes) = (Sha256::new(), 0);
        while let Some(chunk) = chunks.try_next().await.with_context(|| format!("cannot read {name}"))? {
            let chunk = chunk.as_ref();
            self.zip.write_all(chunk).context("cannot write the backup")?;
            digest.update(chunk);
            bytes += u64::try_from(chunk.len())?;
        }
        let sha256 = digest.finalize().to_vec();
        self.parts.push(Part { name, bytes, sha256: hex::encode(&sha256) });
        Ok(sha256)
    }
}
