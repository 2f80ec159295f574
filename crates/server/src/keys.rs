//! `tradebahi keys`: manages the keys that sign tokens, and their encryption.

use anyhow::{Context as _, bail, ensure};
use auth::encryption::{EncryptionCounts, EncryptionKeys};
use auth::signing_keys::{self, KeyState, Removal};
use sqlx::PgPool;
use time::macros::format_description;
use time::{Duration, OffsetDateTime};

use crate::config::{DatabaseSettings, EncryptionSettings, Keys};
use crate::database::Database;

/// Runs the command. Data goes to standard output, messages go to standard error.
pub async fn run(settings: &DatabaseSettings, encryption: &EncryptionSettings, command: Keys) -> anyhow::Result<()> {
    let encryption_keys = encryption.read_keys()?;
    let database = Database::open_for_command(settings).await?;
    let outcome = run_command(&database.pools.requests, &encryption_keys, command).await;
    database.close().await?;
    outcome
}

async fn run_command(pool: &PgPool, encryption_keys: &EncryptionKeys, command: Keys) -> anyhow::Result<()> {
    match command {
        Keys::Rotate => {
            println!("{}", signing_keys::rotate(pool, encryption_keys).await?);
            eprintln!(
                "Key created. All servers sign with it in about ten seconds. The previous key verifies its tokens for \
                 35 minutes, then it is deleted. Nobody is logged out."
            );
            eprintln!("Servers with --signing-key-file keep using their file.");
            if let Some(id) = encryption_keys.first_id() {
                eprintln!("Encrypted with the key {id}. All servers must have it: they log their ids at start.");
            }
        }
        Keys::List => {
            println!("{:<43}  {:<17}  STATE", "KEY ID", "CREATED (UTC)");
            for key in signing_keys::list(pool).await? {
                let created = key.created_at.format(format_description!("[year]-[month]-[day] [hour]:[minute]"))?;
                println!("{:<43}  {created:<17}  {}", key.kid, describe(key.state)?);
            }
        }
        Keys::Encrypt => encrypt(pool, encryption_keys).await?,
        Keys::Decrypt => decrypt(pool, encryption_keys).await?,
        Keys::Remove { kid } => match signing_keys::remove(pool, &kid).await? {
            Removal::Removed => {
                eprintln!(
                    "Key removed. All servers reject its tokens within 5 seconds; browsers get new ones by themselves."
                );
            }
            Removal::StillSigning => bail!(
                "{kid} signs new tokens: run `tradebahi keys rotate`, wait until `tradebahi keys list` shows the new key \
                 as signing, then remove this one"
            ),
            Removal::Unknown => bail!("no key {kid}; `tradebahi keys list` shows all keys"),
        },
    }
    Ok(())
}

/// Encrypts all stored values with the first key, and prints how many were.
async fn encrypt(pool: &PgPool, keys: &EncryptionKeys) -> anyhow::Result<()> {
    let id = keys.first_id().context(
        "no encryption key is set: name its file with --encryption-key-file, or put encryption-key into the directory of \
         --secrets-dir",
    )?;
    print_counts("ENCRYPTED", auth::encrypt_stored_secrets(pool, keys).await?)?;
    eprintln!(
        "Encrypted with the key {id}. All servers must have it: they log their ids at start. Backups from before contain \
         the values as they were."
    );
    Ok(())
}

/// Decrypts all stored values, and prints how many were.
async fn decrypt(pool: &PgPool, keys: &EncryptionKeys) -> anyhow::Result<()> {
    print_counts("DECRYPTED", auth::decrypt_stored_secrets(pool, keys).await?)?;
    eprintln!("Stored without encryption. A server with an encryption key encrypts new values: start none.");
    Ok(())
}

/// Prints the numbers of changed signing keys and seeds.
///
/// # Errors
/// If a server changed values meanwhile.
fn print_counts(action: &str, (signing_keys, totp): (EncryptionCounts, EncryptionCounts)) -> anyhow::Result<()> {
    println!("{:<18}  {action:>9}  {:>9}", "", "UNCHANGED");
    for (name, EncryptionCounts { changed, unchanged, .. }) in
        [("signing keys", signing_keys), ("authenticator apps", totp)]
    {
        println!("{name:<18}  {changed:>9}  {unchanged:>9}");
    }
    let skipped = signing_keys.skipped + totp.skipped;
    ensure!(skipped == 0, "a server changed values meanwhile ({skipped}): run the command again");
    Ok(())
}

fn describe(state: KeyState) -> anyhow::Result<String> {
    let at =
        |after: Duration| (OffsetDateTime::now_utc() + after).format(format_description!("[hour]:[minute]:[second]"));
    Ok(match state {
        KeyState::Pending(left) => format!("signs from {}", at(left)?),
        KeyState::Signing => "signs".to_owned(),
        KeyState::Replaced(left) => format!("verifies until {}", at(left)?),
        KeyState::Expired => "expired".to_owned(),
    })
}
