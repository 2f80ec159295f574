//! Service tokens: credentials of internal services, managed by people with access to the database.

use rpc::failure;
use rpc::token::SERVICE_TOKEN_PREFIX;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use crate::error::Error;
use crate::secret::Secret;
use crate::store::Store;
use crate::token::TokenHash;

/// Time before its expiry from which a token is in the log.
pub(crate) const EXPIRY_NOTICE: Duration = Duration::days(14);

/// Service token as listed, without the secret.
#[derive(Debug)]
pub struct ServiceToken {
    /// Name of the service.
    pub name: String,
    /// Granted scopes.
    pub scopes: Vec<String>,
    /// Time of creation.
    pub created_at: OffsetDateTime,
    /// Time after which the token is rejected.
    pub expires_at: OffsetDateTime,
    /// Time of revocation; `None` while the token is active.
    pub revoked_at: Option<OffsetDateTime>,
}

/// Active service token with its hash, as verifiers need it.
pub(crate) struct ActiveToken {
    pub(crate) hash: Vec<u8>,
    pub(crate) name: String,
    pub(crate) scopes: Vec<String>,
}

/// Creates a token for the service `name`, valid for `ttl`, and returns it. It cannot be read again. Returns `None` if the
/// service has an active token.
pub async fn create(pool: &PgPool, name: &str, scopes: &[String], ttl: Duration) -> Result<Option<String>, Error> {
    let token = Secret::new([SERVICE_TOKEN_PREFIX, Secret::generate()?.expose()].concat());
    let hash = TokenHash::from_token(token.expose());
    let created = Store::new(pool.clone()).add_service_token(name, &hash, scopes, ttl).await?;
    tracing::info!(service = name, created, "service_token_created");
    Ok(created.then(|| token.expose().to_owned()))
}

/// Logs a warning for each active token that expires within two weeks.
pub(crate) async fn warn_of_expiry(store: &Store) {
    match store.list_expiring_service_tokens(EXPIRY_NOTICE).await {
        Ok(services) => {
            for service in services {
                tracing::warn!(service, "service_token_expires_soon");
            }
        }
        Err(error) => tracing::warn!(error = %failure::error_chain(&error), "cannot list expiring service tokens"),
    }
}

/// Returns all tokens, including revoked and expired ones.
pub async fn list(pool: &PgPool) -> Result<Vec<ServiceToken>, Error> {
    Store::new(pool.clone()).list_service_tokens().await
}

/// Revokes the token of the service `name`; all processes reject it within five seconds. Returns false if the service
/// has no active token.
pub async fn revoke(pool: &PgPool, name: &str) -> Result<bool, Error> {
    let revoked = Store::new(pool.clone()).revoke_service_token(name).await?;
    tracing::info!(service = name, revoked, "service_token_revoked");
    Ok(revoked)
}
