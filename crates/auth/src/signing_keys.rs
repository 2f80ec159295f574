//! Signing keys in the database, managed by people with access to it.

use sqlx::PgPool;
use time::OffsetDateTime;

use crate::encryption::{Column, EncryptionKeys};
use crate::error::Error;
pub use crate::key_ring::KeyState;
use crate::key_ring::{KeyAge, key_states};
use crate::signing_key::SigningKey;
use crate::store::Store;

/// Signing key as listed, without the private key.
#[derive(Debug)]
pub struct ListedKey {
    /// Key id, as in `/.well-known/jwks.json`.
    pub kid: String,
    /// Time of creation.
    pub created_at: OffsetDateTime,
    /// State.
    pub state: KeyState,
}

/// Result of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// The key is gone; all processes reject its tokens within five seconds.
    Removed,
    /// The key signs new tokens, so it must be replaced first.
    StillSigning,
    /// There is no such key.
    Unknown,
}

/// Creates a key that replaces the current one, and returns its id. Every process signs with it within seconds.
///
/// # Errors
/// If a stored signing key or a seed of an authenticator app is encrypted with a key that is not among `encryption_keys`,
/// or if no signing key is encrypted with the first of them: servers may have other encryption keys, so the new key would be
/// stored without encryption, or they could not read it.
pub async fn rotate(pool: &PgPool, encryption_keys: &EncryptionKeys) -> Result<String, Error> {
    let store = Store::new(pool.clone()).with_encryption_keys(encryption_keys.clone());
    store.check_encryption_keys(Column::TotpSecret).await?;
    store.check_encryption_keys(Column::SigningKey).await?;
    store.check_first_encryption_key_is_used().await?;
    // A database that no server has used yet has no key.
    store.create_first_signing_key().await?;
    let key = SigningKey::generate()?;
    store.add_signing_key(&key).await?;
    tracing::info!(kid = key.kid, "signing_key_created");
    Ok(key.kid)
}

/// Returns all keys, newest first.
pub async fn list(pool: &PgPool) -> Result<Vec<ListedKey>, Error> {
    let stored = Store::new(pool.clone()).list_signing_key_ages().await?;
    let states = key_states(&stored.iter().map(|stored| stored.age).collect::<Vec<_>>());
    let listed = stored.into_iter().zip(states);
    Ok(listed.map(|(KeyAge { kid, created_at, .. }, state)| ListedKey { kid, created_at, state }).collect())
}

/// Removes a key that no longer signs, before its tokens have expired.
pub async fn remove(pool: &PgPool, kid: &str) -> Result<Removal, Error> {
    match list(pool).await?.iter().find(|key| key.kid == kid).map(|key| key.state) {
        None => Ok(Removal::Unknown),
        Some(KeyState::Signing) => Ok(Removal::StillSigning),
        Some(_) => {
            Store::new(pool.clone()).remove_signing_key(kid).await?;
            tracing::info!(kid, "signing_key_removed");
            Ok(Removal::Removed)
        }
    }
}
