//! `tradebahi backup`: the database and its resumes in one file, as of one moment, while the server runs or not.
//!
//! The file is a ZIP that any tool opens: each table as CSV, each resume, and the [`Manifest`] last. Rows are read by
//! COPY rather than by pg_dump, which many machines lack and which must not be older than the server it reads. The
//! schema is not in it, since the program brings every step of that.
//!
//! The signing key and the hashes of passwords are in it: the file is for its owner's eyes only.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use careers::ResumeStore;
use futures_util::{Stream, TryStreamExt as _};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use sqlx::{Connection as _, PgExecutor};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use uuid::Uuid;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::config::Backup;
use crate::database::{Place, schema};

/// The last entry of a backup.
pub(crate) const MANIFEST: &str = "manifest.json";

/// What a backup holds.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The version of the program that made it.
    pub version: String,
    /// The last step of its schema.
    pub schema: i64,
    /// The moment, in UTC.
    pub taken_at: String,
    /// Everything but the manifest, in its order.
    pub parts: Vec<Part>,
    /// The resumes that applications have and that were not in their folder, or not as they were received.
    pub lost_resumes: Vec<Uuid>,
}

/// One entry of a backup.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// As [`table_part`] and [`resume_part`] make it.
    pub name: String,
    /// Its size before packing.
    pub bytes: u64,
    /// In hexadecimal, before packing.
    pub sha256: String,
}

/// The entry of a table.
pub(crate) fn table_part(table: &str) -> String {
    format!("{table}.csv")
}

/// The entry of a resume.
pub(crate) fn resume_part(resume_id: Uuid) -> String {
    format!("resumes/{resume_id}")
}

/// Makes a backup and says where it is.
///
/// # Errors
/// When it cannot be made; and when it was made, but for resumes that are lost.
pub async fn run(asked: &Backup) -> anyhow::Result<()> {
    let database = &asked.kept.database;
    ensure!(
        database.database_url.is_some() || database.data_dir.is_dir(),
        "there is no data directory {}: name it with --data-dir, or the database with --database-url",
        database.data_dir.display()
    );
    let path = target(&asked.to)?;
    let place = Place::visit(database).await?;
    let made = make(&place, &asked.kept.resume_dir(), &path).await;
    place.leave().await?;
    let manifest = made?;
    for resume_id in &manifest.lost_resumes {
        eprintln!("The resume {resume_id} was not there, or not as it was received; its application is in the backup.");
    }
    let bytes: u64 = manifest.parts.iter().map(|part| part.bytes).sum();
    eprintln!(
        "{}: {} tables and resumes of schema {}, {bytes} bytes unpacked",
        path.display(),
        manifest.parts.len(),
        manifest.schema
    );
    let lost = manifest.lost_resumes.len();
    ensure!(lost == 0, "{} is made, but resumes are lost: {lost}", path.display());
    Ok(())
}

/// The file to make.
fn target(to: &Path) -> anyhow::Result<PathBuf> {
    let stamp = OffsetDateTime::now_utc().format(format_description!("[year][month][day]T[hour][minute][second]Z"))?;
    let path = if to.is_dir() { to.join(format!("tradebahi-{stamp}.zip")) } else { to.to_owned() };
    ensure!(!path.exists(), "{} is there already, and no file is written over", path.display());
    Ok(path)
}

/// Writes the backup beside `path`, and gives it its name once it is whole and on the disk.
async fn make(place: &Place, resume_dir: &Path, path: &Path) -> anyhow::Result<Manifest> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot = || format!("cannot write in {}", folder.display());
    // Open to its owner alone from the first byte; gone if this fails.
    let file = tempfile::NamedTempFile::new_in(folder).with_context(cannot)?;
    let manifest = fill(place, resume_dir, file.as_file()).await?;
    file.as_file().sync_all().with_context(cannot)?;
    file.persist_noclobber(path)
        .map_err(|error| error.error)
        .with_context(|| format!("cannot make {}", path.display()))?;
    File::open(folder).and_then(|folder| folder.sync_all()).with_context(cannot)?;
    Ok(manifest)
}

async fn fill(place: &Place, resume_dir: &Path, file: &File) -> anyhow::Result<Manifest> {
    let mut connection = place.connect().await?;
    // All tables are of one moment, however long it takes to read them.
    let mut moment = connection.begin_with("begin isolation level repeatable read read only").await?;
    let schema =
        schema(&mut moment).await?.context("this database holds nothing of TradeBahi: there is nothing to back up")?;
    let taken_at = OffsetDateTime::now_utc().format(&Rfc3339)?;
    let kept = careers::list_resumes(&mut *moment).await?;
    ensure!(
        kept.is_empty() || resume_dir.is_dir(),
        "there is no folder {}, and {} applications have their resumes somewhere: name it with --resume-dir, or the \
         data directory with --data-dir",
        resume_dir.display(),
        kept.len()
    );
    let mut archive = Archive::new(file);
    for table in tables(&mut *moment).await? {
        let rows = moment.copy_out_raw(&format!("copy {table} to stdout with (format csv, header)")).await?;
        archive.add(table_part(&table), CompressionMethod::Deflated, rows).await?;
    }
    moment.rollback().await?;
    let mut lost_resumes = archive.add_resumes(resume_dir, &kept).await?;
    if !lost_resumes.is_empty() {
        // One that was erased since the moment is gone, as it should be.
        let still: BTreeSet<Uuid> =
            careers::list_resumes(&mut connection).await?.into_iter().map(|(resume_id, _)| resume_id).collect();
        lost_resumes.retain(|resume_id| still.contains(resume_id));
    }
    connection.close().await?;
    let manifest = Manifest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        schema,
        taken_at,
        parts: archive.parts,
        lost_resumes,
    };
    archive.zip.start_file(MANIFEST, SimpleFileOptions::default())?;
    serde_json::to_writer_pretty(&mut archive.zip, &manifest)?;
    archive.zip.finish()?.flush()?;
    Ok(manifest)
}

/// Every table of every schema but Postgres's own and the one that is for everybody, ready to stand in a statement.
pub(crate) async fn tables(executor: impl PgExecutor<'_>) -> sqlx::Result<Vec<String>> {
    let all = "
        select quote_ident(schemaname) || '.' || quote_ident(tablename)
        from pg_tables
        where schemaname not in ('information_schema', 'pg_catalog', 'public')
        order by schemaname, tablename
    ";
    sqlx::query_scalar(all).fetch_all(executor).await
}

/// A backup that is being written.
struct Archive<'a> {
    zip: ZipWriter<BufWriter<&'a File>>,
    parts: Vec<Part>,
}

impl<'a> Archive<'a> {
    fn new(file: &'a File) -> Self {
        Self { zip: ZipWriter::new(BufWriter::new(file)), parts: Vec::new() }
    }

    /// Adds the resumes in `folder`; says which of those that are `kept` are not there as they were received.
    async fn add_resumes(&mut self, folder: &Path, kept: &[(Uuid, Vec<u8>)]) -> anyhow::Result<Vec<Uuid>> {
        let mut lost = Vec::new();
        if kept.is_empty() {
            return Ok(lost);
        }
        let resumes = ResumeStore::open_existing(folder)?;
        for (resume_id, received) in kept {
            let as_received = match resumes.contains(*resume_id).await? {
                // Documents are packed already.
                true => {
                    let chunks = resumes.get(*resume_id).await?;
                    self.add(resume_part(*resume_id), CompressionMethod::Stored, chunks).await? == *received
                }
                false => false,
            };
            if !as_received {
                lost.push(*resume_id);
            }
        }
        Ok(lost)
    }

    /// Adds an entry, and says its SHA-256.
    async fn add<S, B, E>(&mut self, name: String, method: CompressionMethod, mut chunks: S) -> anyhow::Result<Vec<u8>>
    where
        S: Stream<Item = Result<B, E>> + Unpin,
        B: AsRef<[u8]>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let options = SimpleFileOptions::default().compression_method(method).large_file(true);
        self.zip.start_file(name.as_str(), options)?;
        let (mut digest, mut bytes) = (Sha256::new(), 0);
        while let Some(chunk) = chunks.try_next().await.with_context(|| format!("{name} cannot be read"))? {
            let chunk = chunk.as_ref();
            self.zip.write_all(chunk).context("cannot write the backup")?;
            digest.update(chunk);
            bytes += u64::try_from(chunk.len())?;
        }
        let sha256 = digest.finalize().to_vec();
        self.parts.push(Part { name, bytes, sha256: hex(&sha256) });
        Ok(sha256)
    }
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
