//! Accounts and sign-ins: who may act, and for how long. Owns the schema `auth`.
//!
//! It never learns what an account is used for: the other services verify its access tokens by themselves and know
//! an account by its id. It never keeps a password or a refresh token, only their hashes.
//!
//! Start reading at [`server`], then `service.rs`. The rules of the refresh tokens are in `sign_in.rs`. Letters are asked
//! for in a table, and `writer.rs` writes and sends them.

mod account;
mod back_off;
mod error;
mod google;
mod grpc;
mod hasher;
mod letter;
mod password;
mod secret;
mod service;
pub mod service_token;
mod sign_in;
mod store;
#[cfg(test)]
mod tests;
mod token;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use mail::Mailer;
use rpc::auth::v1::auth_service_server::{AuthService, AuthServiceServer};
use sqlx::{PgConnection, PgPool};
use tokio::sync::Notify;
use uuid::Uuid;

pub use crate::error::Error;
pub use crate::google::Google;
use crate::grpc::Auth;
use crate::service::Service;
use crate::store::Store;
use crate::writer::Writer;

/// The longest request there is: a registration, with room for characters of several bytes.
const LONGEST_REQUEST: usize = 16 * 1024;

/// How auth works. [`Default`] is what production uses.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The product's name, which nobody may have as a password. `tradebahi` unless told.
    pub product: String,
    /// How many passwords are hashed at once. One less than there are cores, and at least one.
    pub hash_permits: usize,
    /// How many more may wait for their turn; whoever comes then is told to come back. 32.
    pub hash_queue: usize,
    /// How long one may wait for one's turn. Two seconds.
    pub hash_wait: Duration,
    /// Memory of one hash (argon2id's `m`), in KiB. 19,456; less only in tests.
    pub hash_memory_kib: u32,
    /// Passes over that memory (argon2id's `t`). 2.
    pub hash_passes: u32,
    /// A file with the key that signs tokens: PKCS #8 as PEM, Ed25519, for the eyes of its owner only. Without one a
    /// key is made once and kept in the database.
    pub signing_key_file: Option<PathBuf>,
    /// Hold back wrong passwords from this very machine, too, and not only from others. True, but in development.
    pub hold_failures: bool,
    /// The address of the site, without a slash at its end: what links in letters begin with.
    pub site: String,
    /// How long a closed account can be taken back, in days. 30.
    pub erase_after_days: u32,
    /// How one signs in with Google. None, and the button says that it is not set up.
    pub google: Option<Google>,
    /// Rung when a letter was asked for; [`write_letters`] in the same process listens.
    pub bell: Arc<Notify>,
}

impl Settings {
    fn erase_after(&self) -> time::Duration {
        time::Duration::days(self.erase_after_days.into())
    }
}

impl Default for Settings {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self {
            product: rpc::failure::DOMAIN.to_owned(),
            hash_permits: cores.saturating_sub(1).max(1),
            hash_queue: 32,
            hash_wait: Duration::from_secs(2),
            hash_memory_kib: 19_456,
            hash_passes: 2,
            signing_key_file: None,
            hold_failures: true,
            site: "http://127.0.0.1:8080".to_owned(),
            erase_after_days: 30,
            google: None,
            bell: Arc::default(),
        }
    }
}

/// The auth service on the database of `pool`. Makes the first signing key if there is none.
///
/// Which tokens are good, every process asks every two seconds, and trusts nobody when it hears nothing: `vital` is for
/// that alone, so that it never waits for the requests that there are too many of.
///
/// Put an [`rpc::guard::Guarded`] in front of it: it believes what that says of the caller.
pub async fn server(
    pool: PgPool,
    vital: PgPool,
    settings: Settings,
) -> Result<AuthServiceServer<impl AuthService>, Error> {
    let service = Service::new(Store::new(pool), Store::new(vital), settings).await?;
    Ok(AuthServiceServer::new(Auth(service)).max_decoding_message_size(LONGEST_REQUEST))
}

/// Writes the letters that traders ask for, and has `mailer` send them, for ever. To be run beside every [`server`].
pub async fn write_letters(pool: PgPool, mailer: Mailer, settings: Settings) {
    mail::run_outbox(Writer::new(Store::new(pool), mailer, &settings), &settings.bell).await;
}

/// Deletes what is of no use any more: old tokens, sign-ins, letters. What fails goes to the log, and keeps nothing
/// else from being deleted. To be run from time to time, by any process.
pub async fn sweep(pool: &PgPool) {
    Store::new(pool.clone()).sweep().await;
}

/// Makes void what came back with a backup and may have been taken back since: every sign-in with its tokens, the keys
/// of our own that they are signed with, links in letters, and letters that wait to be sent. Says which service tokens
/// are good: which of them were revoked since, nobody here knows.
pub async fn restored(connection: &mut PgConnection) -> Result<Vec<service_token::Listed>, Error> {
    store::restoring::take_back(connection).await
}

/// The accounts that have been closed for so long that they are to be erased. From here nobody takes them back. First
/// all that they own elsewhere goes, then [`erase`] is called; until then they are named here again.
pub async fn due_for_erasure(pool: &PgPool, settings: &Settings) -> Result<Vec<Uuid>, Error> {
    Store::new(pool.clone()).due_for_erasure(settings.erase_after()).await
}

/// Deletes everything that auth knows of an account.
pub async fn erase(pool: &PgPool, account_id: Uuid) -> Result<(), Error> {
    Store::new(pool.clone()).erase(account_id).await?;
    tracing::info!(%account_id, "account_erased");
    Ok(())
}
