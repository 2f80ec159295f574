//! Accounts and sessions: authentication of traders and services. Owns the schema `auth`.
//!
//! The crate does not know what accounts are used for: other services verify its access tokens themselves and know an
//! account by its id. It stores passwords and tokens only as hashes.
//!
//! Start reading at [`server`], then `service.rs`. `token_rotation.rs` has the rules for refresh tokens. Emails and
//! text messages are queued in the outbox, a table, and sent by `email_sender.rs`.

mod account;
mod email;
mod email_sender;
pub mod encryption;
mod error;
mod google;
mod grpc;
mod http_client;
mod key_ring;
mod login_throttle;
mod password;
mod password_hasher;
mod second_factor;
mod secret;
mod service;
pub mod service_token;
mod session;
mod settings;
mod signing_key;
pub mod signing_keys;
mod sms;
mod store;
mod tax_link;
#[cfg(test)]
mod tests;
mod token;
mod token_rotation;

use db::ReadPool;
use mail::Mailer;
use rpc::auth::v1::auth_service_server::{AuthService, AuthServiceServer};
use rpc::caller::Trader;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::account::Login;
use crate::email_sender::EmailSender;
use crate::encryption::{Column, EncryptionCounts, EncryptionKeys, KeyId, StoredForm};
pub use crate::error::{Error, InternalError};
pub use crate::google::Google;
use crate::grpc::Auth;
use crate::service::Service;
pub use crate::settings::Settings;
pub use crate::signing_key::SigningKey;
pub use crate::sms::Sms;
use crate::store::{AccountReader, Store};

/// Maximum request size: a registration with multi-byte characters fits.
const MAX_REQUEST_BYTES: usize = 16 * 1024;

/// Builds the auth service on the database of `pool`; `reads` serves the data of accounts. Generates the first signing key if there is none.
///
/// `verification_pool` serves only the verification data, which every process requests every two seconds and without
/// which it rejects all tokens. Connections of its own keep these requests from waiting behind an overload.
///
/// The service trusts the caller identity that [`rpc::authorization::AccessGuard`] adds, so wrap it in one.
pub async fn server(
    pool: PgPool,
    reads: ReadPool,
    verification_pool: PgPool,
    settings: Settings,
) -> Result<AuthServiceServer<impl AuthService>, Error> {
    let [store, verification_store] =
        [pool, verification_pool].map(|pool| Store::new(pool).with_encryption_keys(settings.encryption_keys.clone()));
    let service = Service::new(store, AccountReader(reads), verification_store, settings).await?;
    Ok(AuthServiceServer::new(Auth(service)).max_decoding_message_size(MAX_REQUEST_BYTES))
}

/// Sends queued emails with `mailer`, and text messages as the settings say, until the task is cancelled. Run it beside every [`server`].
pub async fn send_emails(pool: PgPool, mailer: Mailer, settings: Settings) {
    mail::run_outbox(EmailSender::new(Store::new(pool), mailer, &settings), &settings.email_queued).await;
}

/// Deletes expired tokens, sessions, emails and counters, and warns of service tokens that expire soon. A failure is
/// logged and does not stop the other deletions.
/// Run it periodically in any process.
pub async fn delete_expired_rows(pool: &PgPool) {
    let store = Store::new(pool.clone());
    store.delete_expired_rows().await;
    service_token::warn_of_expiry(&store).await;
}

/// Revokes credentials that a restored backup contains, because they may have been revoked after the backup: all
/// sessions with their tokens, the signing keys in the database of older backups, links in emails, and queued emails. Returns the
/// service tokens that remain active; auth cannot know which of them were revoked after the backup.
pub async fn revoke_restored_credentials(
    connection: &mut PgConnection,
) -> Result<Vec<service_token::ServiceToken>, Error> {
    store::restore::revoke_restored_credentials(connection).await
}

/// Encrypts each signing key and each seed of an authenticator app with the first key, unless it already is. Returns the
/// numbers of signing keys and of seeds. Can run while servers run, and again after an interruption.
///
/// # Errors
/// If a value is encrypted with a key that is not among `keys`. Values before it stay encrypted.
pub async fn encrypt_stored_secrets(
    pool: &PgPool,
    keys: &EncryptionKeys,
) -> Result<(EncryptionCounts, EncryptionCounts), Error> {
    let store = Store::new(pool.clone()).with_encryption_keys(keys.clone());
    let form = StoredForm::Encrypted;
    Ok((store.convert_signing_keys(form).await?, store.convert_totp_secrets(form).await?))
}

/// Decrypts each signing key and each seed of an authenticator app, so that versions without encryption can read them.
/// Returns the numbers of signing keys and of seeds. Servers with keys encrypt new values, so stop them before.
///
/// # Errors
/// If a value is encrypted with a key that is not among `keys`. Values before it stay decrypted.
pub async fn decrypt_stored_secrets(
    pool: &PgPool,
    keys: &EncryptionKeys,
) -> Result<(EncryptionCounts, EncryptionCounts), Error> {
    let store = Store::new(pool.clone()).with_encryption_keys(keys.clone());
    let form = StoredForm::Plain;
    Ok((store.convert_signing_keys(form).await?, store.convert_totp_secrets(form).await?))
}

/// Returns the ids of the keys that encrypt stored seeds of authenticator apps and are not among `keys`. A server cannot
/// start without them.
pub async fn find_missing_totp_keys(connection: &mut PgConnection, keys: &EncryptionKeys) -> Result<Vec<KeyId>, Error> {
    let used = store::encryption::count_by_key(connection, Column::TotpSecret).await?;
    Ok(used.into_iter().filter_map(|(id, _)| id).filter(|id| !keys.contains(*id)).collect())
}

/// Returns closed accounts whose deletion is due. They can no longer be restored. Delete the data that other services
/// store for them, then call [`delete_account`]; until then they are returned again.
pub async fn list_accounts_due_for_deletion(pool: &PgPool, settings: &Settings) -> Result<Vec<Uuid>, Error> {
    Store::new(pool.clone()).list_accounts_due_for_deletion(settings.deletion_delay()).await
}

/// Deletes all data that auth stores for an account.
pub async fn delete_account(pool: &PgPool, account_id: Uuid) -> Result<(), Error> {
    Store::new(pool.clone()).delete_account(account_id).await?;
    tracing::info!(%account_id, "account_deleted");
    Ok(())
}

/// Returns the trader with the email address or phone number `login`, as a token of a session would state it; `None` if
/// there is no such account, or if it is closed. For terminal commands, whose callers can read the database.
pub async fn find_trader(pool: &PgPool, login: &str) -> Result<Option<Trader>, Error> {
    let store = Store::new(pool.clone());
    let Some(login) = Login::parse(login.trim()) else { return Ok(None) };
    let open = store.find_account_by_login(&login).await?.filter(|account| account.closed_at.is_none());
    let Some(account_id) = open.map(|account| account.account_id) else { return Ok(None) };
    let account = store::find_account(&mut *pool.acquire().await?, account_id).await?;
    Ok(account.map(|account| Trader {
        account_id,
        session_id: Uuid::nil(),
        name: account.name,
        email: account.email,
        email_confirmed: account.email_confirmed,
    }))
}

/// Ends all sessions of the account with the email address or phone number `login`; all processes reject them within
/// five seconds. Returns how many could still be used, or `None` if there is no such account.
pub async fn end_account_sessions(pool: &PgPool, login: &str) -> Result<Option<i32>, Error> {
    let store = Store::new(pool.clone());
    let Some(login) = Login::parse(login.trim()) else { return Ok(None) };
    let Some(account_id) = store.find_account_id(&login).await? else { return Ok(None) };
    let ended = store.end_account_sessions(account_id).await?;
    tracing::info!(%account_id, ended, "sessions_ended");
    Ok(Some(ended))
}

/// Ends all sessions of all accounts; all processes reject them within five seconds. Returns their number.
pub async fn end_all_sessions(pool: &PgPool) -> Result<usize, Error> {
    let ended = Store::new(pool.clone()).end_sessions_of_all_accounts().await?;
    tracing::info!(ended, "sessions_ended");
    Ok(ended)
}
