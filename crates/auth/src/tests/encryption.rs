//! Encryption of signing keys and of the seeds of authenticator apps in the database.

use std::time::Instant;

use uuid::Uuid;

use super::second_factor::{ProtectedAccount, code, code_after};
use super::signing_keys::pass_time;
use super::*;
use crate::Error;
use crate::encryption::{EncryptionCounts, EncryptionKeys, MAGIC, find_key_id};
use crate::signing_keys::{self, Removal};
use crate::{decrypt_stored_secrets, encrypt_stored_secrets};

/// Returns keys whose bytes all have these values.
fn keys(bytes: &[u8]) -> EncryptionKeys {
    use base64::Engine as _;
    let lines: Vec<String> =
        bytes.iter().map(|byte| base64::engine::general_purpose::STANDARD.encode([*byte; 32])).collect();
    EncryptionKeys::parse(&lines.join("\n")).unwrap()
}

fn with_keys(bytes: &[u8]) -> Settings {
    Settings { encryption_keys: keys(bytes), ..settings() }
}

async fn stored(pool: &PgPool) -> Vec<Vec<u8>> {
    let query = "select private_key from auth.signing_key union all select secret from auth.totp";
    sqlx::query_scalar(query).fetch_all(pool).await.unwrap()
}

/// Checks that all stored values are encrypted with the first of `keys`.
#[track_caller]
fn assert_encrypted(stored: &[Vec<u8>], keys: &EncryptionKeys) {
    for value in stored {
        assert!(value.starts_with(&MAGIC));
        assert_eq!(find_key_id(value), keys.first_id());
    }
}

async fn start_error(pool: &PgPool, settings: Settings) -> String {
    let started: Result<AuthServiceServer<_>, Error> =
        crate::server(pool.clone(), reads(pool), pool.clone(), settings).await;
    started.map(drop).unwrap_err().to_string()
}

fn encrypted(changed: u64, unchanged: u64) -> EncryptionCounts {
    EncryptionCounts { changed, unchanged, skipped: 0 }
}

impl ProtectedAccount {
    /// Logs in with a code at another server, which has `settings`.
    async fn log_in_at(&mut self, settings: Settings) {
        self.auth = start(self.pool.clone(), settings).await;
        let tokens = self.log_in_with_code(false).await;
        self.auth.verify(&tokens).await.unwrap();
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_with_a_key_no_secret_is_stored_as_it_is(pool: PgPool) {
    let mut asha = ProtectedAccount::with_settings(pool.clone(), with_keys(&[1])).await;
    let seed = totp_rs::Secret::try_from_base32(&asha.secret).unwrap();
    let values = stored(&pool).await;
    assert_eq!(values.len(), 2);
    assert_encrypted(&values, &keys(&[1]));
    for value in &values {
        assert!(!value.windows(8).any(|window| seed.as_bytes().starts_with(window)));
        assert!(aws_lc_rs::signature::Ed25519KeyPair::from_pkcs8(value).is_err());
    }
    asha.log_in_with_code(false).await;
    signing_keys::rotate(&pool, &keys(&[1])).await.unwrap();
    assert_encrypted(&stored(&pool).await, &keys(&[1]));
    asha.log_in_at(with_keys(&[1])).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_plain_values_work_until_they_are_encrypted_and_keys_can_be_replaced(pool: PgPool) {
    let mut asha = ProtectedAccount::with_settings(pool.clone(), settings()).await;
    assert!(stored(&pool).await.iter().all(|value| find_key_id(value).is_none()));
    asha.log_in_at(with_keys(&[1])).await;

    let encrypt = async |bytes| encrypt_stored_secrets(&pool, &keys(bytes)).await.unwrap();
    assert_eq!(encrypt(&[1]).await, (encrypted(1, 0), encrypted(1, 0)));
    assert_encrypted(&stored(&pool).await, &keys(&[1]));
    assert_eq!(encrypt(&[1]).await, (encrypted(0, 1), encrypted(0, 1)), "a second run changes nothing");
    asha.log_in_at(with_keys(&[1])).await;

    // A new first key, then without the old one.
    asha.log_in_at(with_keys(&[2, 1])).await;
    assert_eq!(encrypt(&[2, 1]).await, (encrypted(1, 0), encrypted(1, 0)));
    assert_encrypted(&stored(&pool).await, &keys(&[2]));
    asha.log_in_at(with_keys(&[2])).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_without_the_key_a_server_does_not_start_and_names_the_key(pool: PgPool) {
    let mut asha = ProtectedAccount::with_settings(pool.clone(), settings()).await;
    encrypt_stored_secrets(&pool, &keys(&[1])).await.unwrap();
    let id = keys(&[1]).first_id().unwrap().to_string();
    for settings in [settings(), with_keys(&[2])] {
        let error = start_error(&pool, settings).await;
        assert!(error.contains(&id) && error.contains("authenticator apps"), "{error}");
        assert!(error.contains("add its line to the file of --encryption-key-file"), "{error}");
    }
    // A server that runs already rejects the login, and logs the error.
    asha.forget_used_steps().await;
    let token = asha.auth.challenge().await;
    let status = asha.auth.complete(&token, code(code_after(&asha.secret, 0))).await.unwrap_err();
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Internal, "INTERNAL"));

    // The commands neither store a plain key nor decrypt.
    for others in [EncryptionKeys::default(), keys(&[2])] {
        let error = signing_keys::rotate(&pool, &others).await.unwrap_err().to_string();
        assert!(error.contains(&id) && error.contains("authenticator apps"), "{error}");
    }
    for outcome in [encrypt_stored_secrets(&pool, &keys(&[2])).await, decrypt_stored_secrets(&pool, &keys(&[2])).await]
    {
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains(&id), "{error}");
    }
    assert_eq!(signing_keys::list(&pool).await.unwrap().len(), 1, "the list needs no key");

    sqlx::query("delete from auth.totp").execute(&pool).await.unwrap();
    let error = start_error(&pool, settings()).await;
    assert!(error.contains(&id) && error.contains("signing keys"), "{error}");
    let error = signing_keys::rotate(&pool, &EncryptionKeys::default()).await.unwrap_err().to_string();
    assert!(error.contains(&id) && error.contains("signing keys"), "{error}");
    let mut connection = pool.acquire().await.unwrap();
    assert!(crate::find_missing_totp_keys(&mut connection, &EncryptionKeys::default()).await.unwrap().is_empty());
}

/// The operator used a key that no server has.
#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_running_server_keeps_its_keys_if_it_cannot_read_the_stored_ones(pool: PgPool) {
    let (mut auth, _) = Auth::with_asha(pool.clone()).await;
    let before = auth.log_in().await;
    let published = auth.published_keys().await;
    encrypt_stored_secrets(&pool, &keys(&[1])).await.unwrap();
    auth.poll().await;
    assert!(auth.verify(&before).await.is_ok());
    let new = signing_keys::rotate(&pool, &keys(&[1])).await.unwrap();
    pass_time(&pool, 10.0).await;
    auth.poll().await;
    assert_eq!(auth.published_keys().await, published, "the new key is skipped");
    let tokens = auth.log_in().await;
    assert!(auth.verify(&tokens).await.is_ok() && auth.verify(&before).await.is_ok());
    assert!(start_error(&pool, settings()).await.contains("which is missing"));

    // With the right key, a server uses both, and a removed key is not kept.
    let mut with_key = start(pool.clone(), with_keys(&[1])).await;
    assert_eq!(with_key.published_keys().await, [&[new], published.as_slice()].concat());
    assert_eq!(signing_keys::remove(&pool, &published[0]).await.unwrap(), Removal::Removed);
    let status = auth.client.get_verification(GetVerificationRequest {}).await.unwrap_err();
    assert_eq!(status.code(), Code::Internal);
    with_key.poll().await;
    assert!(with_key.verify(&before).await.is_err());
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_rotation_refuses_a_key_that_encrypts_no_signing_key_or_is_missing(pool: PgPool) {
    let asha = ProtectedAccount::with_settings(pool.clone(), settings()).await;
    let rotate = async |bytes: &[u8]| {
        let keys = if bytes.is_empty() { EncryptionKeys::default() } else { keys(bytes) };
        signing_keys::rotate(&pool, &keys).await.map_err(|error| error.to_string())
    };
    let error = rotate(&[1]).await.unwrap_err();
    let id = keys(&[1]).first_id().unwrap().to_string();
    assert!(error.contains(&id) && error.contains("`tradebahi keys encrypt` first"), "{error}");
    encrypt_stored_secrets(&pool, &keys(&[1])).await.unwrap();
    assert!(rotate(&[2, 1]).await.is_err());
    rotate(&[1]).await.unwrap();
    // Only a seed is encrypted.
    sqlx::query("delete from auth.signing_key").execute(&pool).await.unwrap();
    assert_eq!(stored(&pool).await.len(), 1);
    let error = rotate(&[]).await.unwrap_err();
    assert!(error.contains(&id) && error.contains("authenticator apps"), "{error}");
    assert_eq!(stored(&pool).await.len(), 1, "no key was created");
    drop(asha);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_decrypted_values_need_no_key(pool: PgPool) {
    let mut asha = ProtectedAccount::with_settings(pool.clone(), with_keys(&[1])).await;
    let decrypt = async || decrypt_stored_secrets(&pool, &keys(&[2, 1])).await.unwrap();
    assert_eq!(decrypt().await, (encrypted(1, 0), encrypted(1, 0)));
    assert_eq!(decrypt().await, (encrypted(0, 1), encrypted(0, 1)));
    assert!(stored(&pool).await.iter().all(|value| find_key_id(value).is_none()));
    asha.log_in_at(settings()).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_a_seed_that_was_copied_to_another_account_is_rejected(pool: PgPool) {
    let mut asha = ProtectedAccount::with_settings(pool.clone(), with_keys(&[1])).await;
    let other = Uuid::now_v7();
    let copy = "insert into auth.totp (account_id, secret, confirmed_at) select $1, secret, now() from auth.totp";
    sqlx::query(copy).bind(other).execute(&pool).await.unwrap();
    let error = encrypt_stored_secrets(&pool, &keys(&[2, 1])).await.unwrap_err().to_string();
    assert!(error.contains(&format!("row {other} of auth.totp.secret")), "{error}");
    // The value of the other account in place of one's own.
    let (other_seed, moved) = (Uuid::now_v7(), "update auth.totp set secret = $2 where account_id = $1");
    let store = Store::new(pool.clone()).with_encryption_keys(keys(&[1]));
    let secret = crate::second_factor::totp::TotpSecret::generate().unwrap();
    assert!(store.add_totp(other_seed, &secret).await.unwrap());
    let stored: Vec<u8> = sqlx::query_scalar("select secret from auth.totp where account_id = $1")
        .bind(other_seed)
        .fetch_one(&pool)
        .await
        .unwrap();
    sqlx::query(moved).bind(asha.account_id).bind(stored).execute(&pool).await.unwrap();
    asha.forget_used_steps().await;
    let token = asha.auth.challenge().await;
    let known_to_attacker = code_after(&secret.to_base32(), 0);
    let status = asha.auth.complete(&token, code(known_to_attacker)).await.unwrap_err();
    assert_eq!(status.code(), Code::Internal);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_all_seeds_are_encrypted_in_batches_and_a_concurrent_change_is_kept(pool: PgPool) {
    let rows = "insert into auth.totp (account_id, secret)
                select gen_random_uuid(), decode(md5(n::text), 'hex') || '\\x00000000' from generate_series(1, 1201) n";
    sqlx::query(rows).execute(&pool).await.unwrap();
    let last: Uuid = sqlx::query_scalar("select account_id from auth.totp order by account_id desc limit 1")
        .fetch_one(&pool)
        .await
        .unwrap();
    let seed = [7; 20];
    let mut setup = pool.begin().await.unwrap();
    let replace = "update auth.totp set secret = $2 where account_id = $1";
    sqlx::query(replace).bind(last).bind(seed).execute(&mut *setup).await.unwrap();
    let encryption = tokio::spawn({
        let pool = pool.clone();
        async move { encrypt_stored_secrets(&pool, &keys(&[1])).await.unwrap() }
    });
    let started = Instant::now();
    while count(&pool, WAITING_FOR_LOCK).await == 0 {
        assert!(started.elapsed() < Duration::from_secs(30), "the encryption does not wait");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    setup.commit().await.unwrap();
    let (_, totp) = encryption.await.unwrap();
    assert_eq!(totp, EncryptionCounts { changed: 1200, unchanged: 0, skipped: 1 });
    let plain = "select account_id, secret from auth.totp where octet_length(secret) = 20";
    let plain: Vec<(Uuid, Vec<u8>)> = sqlx::query_as(plain).fetch_all(&pool).await.unwrap();
    assert_eq!(plain, [(last, seed.to_vec())]);
    let (_, totp) = encrypt_stored_secrets(&pool, &keys(&[1])).await.unwrap();
    assert_eq!(totp, encrypted(1, 1200));
    assert_encrypted(&stored(&pool).await, &keys(&[1]));
}
