//! `tradebahi restore`: restores a backup into an empty database, all or nothing.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read as _};

use anyhow::{Context as _, bail, ensure};
use auth::encryption::{EncryptionKeys, KeyId};
use auth::service_token::ServiceToken;
use file_store::{FileStore, Location};
use sha2::{Digest as _, Sha256};
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use uuid::Uuid;
use zip::ZipArchive;

use crate::backup::{self, MANIFEST_NAME, Manifest, table_entry_name};
use crate::config::{FileDirs, Restore};
use crate::database::{MIGRATIONS, OwnerAccess, newest_schema_version};
use crate::encryption::{self, Passphrase, ReadSeek};

/// Size of the chunks in which tables are sent.
const CHUNK_BYTES: usize = 256 * 1024;

type Archive = ZipArchive<BufReader<Box<dyn ReadSeek>>>;

/// Summary of a restore.
struct Summary {
    rows: u64,
    files: usize,
    /// Valid service tokens.
    tokens: Vec<ServiceToken>,
    /// Ids of keys that encrypt restored secrets, and are not set.
    missing_keys: Vec<KeyId>,
}

/// Verifies every entry of a backup, then restores it.
pub async fn run(arguments: &Restore) -> anyhow::Result<()> {
    arguments.storage.check_dirs_named()?;
    let path = arguments.file.display();
    let passphrase = arguments.passphrase_file.as_ref().map(Passphrase::read_file).transpose()?;
    let keys = arguments.encryption.read_keys()?;
    let file = File::open(&arguments.file).with_context(|| format!("cannot open {path}"))?;
    let file = encryption::open(file, passphrase.as_ref()).with_context(|| format!("cannot restore {path}"))?;
    let mut archive =
        ZipArchive::new(BufReader::new(file)).with_context(|| format!("{path} is not a complete backup"))?;
    let manifest = verify(&mut archive).with_context(|| format!("cannot restore {path}"))?;
    let access = OwnerAccess::open(arguments.storage.database()).await?;
    let outcome = restore(&access, &arguments.storage.file_dirs(), &mut archive, &manifest, &keys).await;
    access.close().await?;
    let Summary { rows, files, tokens, missing_keys } = outcome.with_context(|| format!("cannot restore {path}"))?;
    eprintln!("Restored {rows} rows and {files} files as of {}.", manifest.taken_at);
    eprintln!("All sessions have ended, links in emails are invalid, and queued emails will not be sent.");
    for token in tokens {
        let (name, scopes) = (token.name, token.scopes.join(" "));
        eprintln!("Service token {name} ({scopes}) is valid. Revoke it again if it was revoked after the backup.");
    }
    for id in missing_keys {
        eprintln!(
            "The seeds of authenticator apps are encrypted with the key {id}, which is missing. The server does not start \
             without it: add its line to the file of --encryption-key-file, or to encryption-key in --secrets-dir."
        );
    }
    for resume_id in &manifest.lost_resumes {
        eprintln!("Resume {resume_id} is not in the backup; it was already missing.");
    }
    for file_id in &manifest.lost_screenshots {
        eprintln!("Screenshot file {file_id} is not in the backup; it was already missing.");
    }
    Ok(())
}

/// Verifies the SHA-256 of every entry and returns the manifest.
fn verify(archive: &mut Archive) -> anyhow::Result<Manifest> {
    let manifest = archive.by_name(MANIFEST_NAME).context("not a TradeBahi backup: it has no manifest")?;
    let manifest: Manifest = serde_json::from_reader(manifest).context("cannot read its manifest")?;
    let newest = newest_schema_version();
    ensure!(
        manifest.schema <= newest,
        "it was written by TradeBahi {} with schema version {}, newer than {newest}: restore it with that version",
        manifest.version,
        manifest.schema
    );
    for part in &manifest.parts {
        let mut entry = archive.by_name(&part.name).with_context(|| format!("{} is missing", part.name))?;
        let (mut digest, mut chunk) = (Sha256::new(), vec![0; CHUNK_BYTES]);
        loop {
            let read = entry.read(&mut chunk).with_context(|| format!("cannot read {}", part.name))?;
            let Some(bytes @ [_, ..]) = chunk.get(..read) else { break };
            digest.update(bytes);
        }
        ensure!(hex::encode(digest.finalize()) == part.sha256, "{} is damaged: wrong SHA-256", part.name);
    }
    Ok(manifest)
}

/// Restores a verified backup in one transaction. Revokes credentials that may have been revoked since.
async fn restore(
    access: &OwnerAccess,
    dirs: &FileDirs,
    archive: &mut Archive,
    manifest: &Manifest,
    keys: &EncryptionKeys,
) -> anyhow::Result<Summary> {
    let mut connection = access.connect().await?;
    let mut transaction = connection.begin().await?;
    let existing = backup::list_tables(&mut *transaction).await?;
    ensure!(
        existing.is_empty(),
        "the database is not empty (it has {}): restore into a new one, such as another --data-dir",
        existing.join(", ")
    );
    MIGRATIONS.run_to(manifest.schema, &mut *transaction).await.context("cannot create the schema of the backup")?;
    let tables = backup::list_tables(&mut *transaction).await?;
    let mut remaining: BTreeSet<&str> = manifest.parts.iter().map(|part| part.name.as_str()).collect();
    let mut rows = 0;
    for table in tables {
        let entry = table_entry_name(&table);
        ensure!(remaining.remove(entry.as_str()), "{entry} is missing");
        rows += copy_table(&mut transaction, &table, archive).await.with_context(|| format!("cannot copy {entry}"))?;
    }
    let resumes = FileStore::open(&Location::Dir(dirs.resumes.clone()))?;
    let screenshots = FileStore::open(&dirs.screenshots)?;
    for name in &remaining {
        let store = match name.split_once('/') {
            Some((backup::RESUMES, file_id)) => file_id.parse().ok().map(|file_id: Uuid| (&resumes, file_id)),
            Some((backup::SCREENSHOTS, file_id)) => file_id.parse().ok().map(|file_id| (&screenshots, file_id)),
            Some(_) | None => None,
        };
        let Some((store, file_id)) = store else { bail!("unknown entry {name}") };
        let mut file = tempfile::tempfile_in(store.upload_dir()).with_context(|| format!("cannot write {name}"))?;
        io::copy(&mut archive.by_name(name)?, &mut file).with_context(|| format!("cannot write {name}"))?;
        store.put(file_id, file).await?;
    }
    MIGRATIONS.run(&mut *transaction).await.context("cannot migrate the schema")?;
    let tokens = auth::revoke_restored_credentials(&mut transaction).await?;
    let missing_keys = auth::find_missing_totp_keys(&mut transaction, keys).await?;
    careers::clear_outbox(&mut transaction).await?;
    transaction.commit().await?;
    connection.close().await?;
    // Creates the role of the private cluster.
    access.migrate().await?;
    Ok(Summary { rows, files: remaining.len(), tokens, missing_keys })
}

/// Copies an entry into its table; returns the number of rows.
async fn copy_table(connection: &mut PgConnection, table: &str, archive: &mut Archive) -> anyhow::Result<u64> {
    let mut entry = archive.by_name(&table_entry_name(table))?;
    let mut rows = connection.copy_in_raw(&format!("copy {table} from stdin with (format csv, header match)")).await?;
    let mut chunk = Vec::with_capacity(CHUNK_BYTES);
    loop {
        chunk.clear();
        entry.by_ref().take(u64::try_from(CHUNK_BYTES)?).read_to_end(&mut chunk)?;
        if chunk.is_empty() {
            return Ok(rows.finish().await?);
        }
        rows.send(chunk.as_slice()).await?;
    }
}
