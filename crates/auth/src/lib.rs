//! Accounts and sessions: authentication of traders and services. Owns the schema `auth`.
//!
//! The crate does not know what accounts are used for: other services verify its access tokens themselves and know an
//! account by its id. It stores passwords and tokens only as hashes.
//!
//! Start reading at [`server`], then `service.rs`. `token_rotation.rs` has the rules for refresh tokens. Emails are
//! queued in the outbox, a table, and sent by `email_sender.rs`.

mod account;
mod email;
mod email_sender;
mod error;
mod google;
mod grpc;
mod login_throttle;
mod password;
mod password_hasher;
mod secret;
mod service;
pub mod service_token;
mod session;
mod signing_key;
mod store;
#[cfg(test)]
mod tests;
mod token;
mod token_rotation;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use mail::Mailer;
use rpc::auth::v1::auth_service_server::{AuthService, AuthServiceServer};
use sqlx::{PgConnection, PgPool};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::email_sender::EmailSender;
pub use crate::error::{Error, InternalError};
pub use crate::google::Google;
use crate::grpc::Auth;
use crate::service::Service;
use crate::store::Store;

/// Maximum request size: a registration with multi-byte characters fits.
const MAX_REQUEST_BYTES: usize = 16 * 1024;

/// Auth settings. [`Default`] returns the production values.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name of the product, which is not allowed as a password. Defaults to `tradebahi`.
    pub product_name: String,
    /// Maximum number of passwords hashed at the same time. Defaults to the number of cores minus one, at least one.
    pub max_concurrent_hashes: usize,
    /// Maximum number of requests that wait to hash a password. Further requests are rejected as busy. Defaults to 32.
    pub hash_queue_capacity: usize,
    /// Maximum time in that queue. Defaults to two seconds.
    pub hash_queue_timeout: Duration,
    /// Memory of one hash (argon2id's `m`), in KiB. Defaults to 19,456; only tests use less.
    pub hash_memory_kib: u32,
    /// Passes over that memory (argon2id's `t`). Defaults to 2.
    pub hash_passes: u32,
    /// File with the key that signs tokens: Ed25519, PKCS #8 as PEM, readable only by its owner. If unset, a key is
    /// generated once and stored in the database.
    pub signing_key_file: Option<PathBuf>,
    /// Throttles failed logins from loopback addresses as well. Defaults to true; false only in development.
    pub throttle_loopback: bool,
    /// Base URL of the site without a trailing slash, used for links in emails.
    pub site_url: String,
    /// Days between the closing of an account and its deletion. The account can be restored until then. Defaults to 30.
    pub deletion_delay_days: u32,
    /// Google sign-in. If unset, requests for it are rejected as not set up.
    pub google: Option<Google>,
    /// Notified when an email is queued; [`send_emails`] in the same process waits for it.
    pub email_queued: Arc<Notify>,
}

impl Settings {
    fn deletion_delay(&self) -> time::Duration {
        time::Duration::days(self.deletion_delay_days.into())
    }
}

impl Default for Settings {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self {
            product_name: "tradebahi".to_owned(),
            max_concurrent_hashes: cores.saturating_sub(1).max(1),
            hash_queue_capacity: 32,
            hash_queue_timeout: Duration::from_secs(2),
            hash_memory_kib: 19_456,
            hash_passes: 2,
            signing_key_file: None,
            throttle_loopback: true,
            site_url: "http://127.0.0.1:8080".to_owned(),
            deletion_delay_days: 30,
            google: None,
            email_queued: Arc::default(),
        }
    }
}

/// Builds the auth service on the database of `pool`. Generates the first signing key if there is none.
///
/// `verification_pool` serves only the verification data, which every process requests every two seconds and without
/// which it rejects all tokens. Connections of its own keep these requests from waiting behind an overload.
///
/// The service trusts the caller identity that [`rpc::authorization::AccessGuard`] adds, so wrap it in one.
pub async fn server(
    pool: PgPool,
    verification_pool: PgPool,
    settings: Settings,
) -> Result<AuthServiceServer<impl AuthService>, Error> {
    let service = Service::new(Store::new(pool), Store::new(verification_pool), settings).await?;
    Ok(AuthServiceServer::new(Auth(service)).max_decoding_message_size(MAX_REQUEST_BYTES))
}

/// Sends queued emails with `mailer` until the task is cancelled. Run it beside every [`server`].
pub async fn send_emails(pool: PgPool, mailer: Mailer, settings: Settings) {
    mail::run_outbox(EmailSender::new(Store::new(pool), mailer, &settings), &settings.email_queued).await;
}

/// Deletes expired tokens, sessions, emails and counters. A failure is logged and does not stop the other deletions.
/// Run it periodically in any process.
pub async fn delete_expired_rows(pool: &PgPool) {
    Store::new(pool.clone()).delete_expired_rows().await;
}

/// Revokes credentials that a restored backup contains, because they may have been revoked after the backup: all
/// sessions with their tokens, the signing keys in the database, links in emails, and queued emails. Returns the
/// service tokens that remain active; auth cannot know which of them were revoked after the backup.
pub async fn revoke_restored_credentials(
    connection: &mut PgConnection,
) -> Result<Vec<service_token::ServiceToken>, Error> {
    store::restore::revoke_restored_credentials(connection).await
}

/// Returns closed accounts whose deletion is due. They can no longer be restored. Delete the data that other services
/// store for them, then call [`delete_account`]; until then they are returned again.
pub async fn list_accounts_due_for_deletion(pool: &PgPool, settings: &Settings) -> Result<Vec<Uuid>, Error> {
    Store::new(pool.clone()).list_accounts_due_for_deletion(settings.deletion_delay()).await
}

/// Deletes all data that auth stores for an account.
pub async fn delete_account(pool: &PgPool, account_id: Uuid) -> Result<(), Error> {
    Store::new(pool.clone()).delete_account(account_id).await?;
    tracing::info!(%account_id, "account_erased");
    Ok(())
}
