//! Accounts and sign-ins: who may act, and for how long. Owns the schema `auth`.
//!
//! It never learns what an account is used for: the other services verify its access tokens by themselves and know
//! an account by its id. It never keeps a password or a refresh token, only their hashes.
//!
//! Start reading at [`server`], then `service.rs`. The rules of the refresh tokens are in `sign_in.rs`.

mod account;
mod error;
mod grpc;
mod hasher;
mod password;
mod secret;
mod service;
mod sign_in;
mod store;
#[cfg(test)]
mod tests;
mod token;

use std::thread::available_parallelism;
use std::time::Duration;

use rpc::auth::v1::auth_service_server::{AuthService, AuthServiceServer};
use sqlx::PgPool;

pub use crate::error::Error;
use crate::grpc::Auth;
use crate::service::Service;
use crate::store::Store;

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
        }
    }
}

/// The auth service on the database of `pool`. Makes the first signing key if there is none.
///
/// Put a [`rpc::caller::Verifier`] in front of it: `GetAccount` needs a caller, `LogOut` can use one.
pub async fn server(pool: PgPool, settings: Settings) -> Result<AuthServiceServer<impl AuthService>, Error> {
    let service = Service::new(Store::new(pool), settings).await?;
    Ok(AuthServiceServer::new(Auth(service)).max_decoding_message_size(LONGEST_REQUEST))
}

/// Deletes tokens and sign-ins that are of no use any more. To be run from time to time, by any process.
pub async fn sweep(pool: &PgPool) -> Result<(), Error> {
    Store::new(pool.clone()).sweep().await
}
