//! `tradebahi restore`: a backup comes into an empty database, all of it or nothing.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use auth::service_token::ServiceToken;
use careers::ResumeStore;
use sha2::{Digest as _, Sha256};
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use uuid::Uuid;
use zip::ZipArchive;

use crate::backup::{self, MANIFEST, Manifest, table_part};
use crate::config::Restore;
use crate::database::{MIGRATIONS, Place, newest_schema};

/// How much of a table is sent at once.
const CHUNK: usize = 256 * 1024;

type Archive = ZipArchive<BufReader<File>>;

/// What was restored.
struct Restored {
    rows: u64,
    resumes: usize,
    /// The service tokens that are good.
    tokens: Vec<ServiceToken>,
}

/// Checks a backup from its first byte to its last, then restores it.
pub async fn run(asked: &Restore) -> anyhow::Result<()> {
    let shown = asked.file.display();
    let file = File::open(&asked.file).with_context(|| format!("{shown} cannot be opened"))?;
    let mut archive = ZipArchive::new(BufReader::new(file)).with_context(|| format!("{shown} is no whole backup"))?;
    let manifest = checked(&mut archive).with_context(|| format!("{shown} is not restored"))?;
    let place = Place::open(&asked.kept.database).await?;
    let restored = fill(&place, &asked.kept.resume_dir(), &mut archive, &manifest).await;
    place.leave().await?;
    let Restored { rows, resumes, tokens } = restored.with_context(|| format!("{shown} is not restored"))?;
    eprintln!("{rows} rows and {resumes} resumes are as they were at {}.", manifest.taken_at);
    eprintln!("Every sign-in is ended, links in letters are void, and no letter of then will be sent.");
    for token in tokens {
        let (name, scopes) = (token.name, token.scopes.join(" "));
        eprintln!("The token of the service {name} ({scopes}) is good, as it was then: revoke it again if need be.");
    }
    for resume_id in &manifest.lost_resumes {
        eprintln!("The resume {resume_id} was lost before the backup.");
    }
    Ok(())
}

/// What the backup holds, once every part is as it was written.
fn checked(archive: &mut Archive) -> anyhow::Result<Manifest> {
    let manifest = archive.by_name(MANIFEST).context("this is no backup of TradeBahi: it has no manifest")?;
    let manifest: Manifest = serde_json::from_reader(manifest).context("its manifest cannot be read")?;
    let newest = newest_schema();
    ensure!(
        manifest.schema <= newest,
        "TradeBahi {} made it with schema {}, and this one knows no newer than {newest}: restore it with that version",
        manifest.version,
        manifest.schema
    );
    for part in &manifest.parts {
        let mut entry = archive.by_name(&part.name).with_context(|| format!("{} is missing", part.name))?;
        let (mut digest, mut chunk) = (Sha256::new(), vec![0; CHUNK]);
        loop {
            let read = entry.read(&mut chunk).with_context(|| format!("{} cannot be read", part.name))?;
            let Some(some @ [_, ..]) = chunk.get(..read) else { break };
            digest.update(some);
        }
        ensure!(backup::hex(&digest.finalize()) == part.sha256, "{} is not as it was written", part.name);
    }
    Ok(manifest)
}

/// Restores what was checked, but for what opens something and may have been taken back since.
async fn fill(
    place: &Place,
    resume_dir: &Path,
    archive: &mut Archive,
    manifest: &Manifest,
) -> anyhow::Result<Restored> {
    let mut connection = place.connect().await?;
    let mut whole = connection.begin().await?;
    let there = backup::tables(&mut *whole).await?;
    ensure!(
        there.is_empty(),
        "the database is not empty (it has {}): restore into a new one, such as another --data-dir",
        there.join(", ")
    );
    MIGRATIONS.run_to(manifest.schema, &mut *whole).await.context("the schema of the backup could not be made")?;
    let tables = backup::tables(&mut *whole).await?;
    let mut left: BTreeSet<&str> = manifest.parts.iter().map(|part| part.name.as_str()).collect();
    let mut rows = 0;
    for table in tables {
        let part = table_part(&table);
        ensure!(left.remove(part.as_str()), "{part} is missing");
        rows += copy(&mut whole, &table, archive).await.with_context(|| format!("{part} does not fit"))?;
    }
    let resumes = ResumeStore::open(resume_dir)?;
    for name in &left {
        let Some(Ok(resume_id)) = name.strip_prefix("resumes/").map(str::parse::<Uuid>) else {
            bail!("nobody knows what {name} is");
        };
        let mut file = tempfile::tempfile_in(resume_dir).context("cannot write a resume")?;
        io::copy(&mut archive.by_name(name)?, &mut file).context("cannot write a resume")?;
        resumes.put(resume_id, file).await?;
    }
    MIGRATIONS.run(&mut *whole).await.context("the schema could not be brought up to date")?;
    let tokens = auth::revoke_restored_credentials(&mut whole).await?;
    careers::clear_outbox(&mut whole).await?;
    whole.commit().await?;
    connection.close().await?;
    // The role of the private cluster.
    place.migrate().await?;
    Ok(Restored { rows, resumes: left.len(), tokens })
}

/// Fills a table; says with how many rows.
async fn copy(connection: &mut PgConnection, table: &str, archive: &mut Archive) -> anyhow::Result<u64> {
    let mut entry = archive.by_name(&table_part(table))?;
    let mut rows = connection.copy_in_raw(&format!("copy {table} from stdin with (format csv, header match)")).await?;
    let mut chunk = Vec::with_capacity(CHUNK);
    loop {
        chunk.clear();
        entry.by_ref().take(u64::try_from(CHUNK)?).read_to_end(&mut chunk)?;
        if chunk.is_empty() {
            return Ok(rows.finish().await?);
        }
        rows.send(chunk.as_slice()).await?;
    }
}
