//! Credentials of internal services: made, listed and revoked by people with access to the database.

use rpc::caller::SERVICE_TOKEN;
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::error::Error;
use crate::secret::Secret;
use crate::store::Store;
use crate::token::TokenHash;

/// A service's token as it is listed: never the token itself.
#[derive(Debug)]
pub struct Listed {
    /// The service.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<String>,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// When it was taken out of use; none while it is good.
    pub revoked_at: Option<OffsetDateTime>,
}

/// A token that is good, as verifiers know it.
pub(crate) struct Known {
    pub(crate) hash: Vec<u8>,
    pub(crate) name: String,
    pub(crate) scopes: Vec<String>,
}

/// Makes a token for the service `name`. It is nowhere to be read again. None where the service has one.
pub async fn create(pool: &PgPool, name: &str, scopes: &[String]) -> Result<Option<String>, Error> {
    let token = Secret::new([SERVICE_TOKEN, Secret::draw()?.expose()].concat());
    let made = Store::new(pool.clone()).add_service_token(name, &TokenHash::of(token.expose()), scopes).await?;
    tracing::info!(service = name, made, "service_token_created");
    Ok(made.then(|| token.expose().to_owned()))
}

/// Every token that there is or was.
pub async fn list(pool: &PgPool) -> Result<Vec<Listed>, Error> {
    Store::new(pool.clone()).list_service_tokens().await
}

/// Takes the token of the service `name` out of use: every process refuses it within five seconds. False where there
/// is none in use.
pub async fn revoke(pool: &PgPool, name: &str) -> Result<bool, Error> {
    let revoked = Store::new(pool.clone()).revoke_service_token(name).await?;
    tracing::info!(service = name, revoked, "service_token_revoked");
    Ok(revoked)
}
