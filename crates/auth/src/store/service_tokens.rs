//! Service tokens.

use sqlx::PgExecutor;
use time::Duration;

use super::Store;
use crate::error::Error;
use crate::service_token::{ActiveToken, ServiceToken};
use crate::token::TokenHash;

impl Store {
    /// Adds the token of a service; replaces a revoked or expired one. Returns false if the service has an active token.
    pub(crate) async fn add_service_token(
        &self,
        name: &str,
        hash: &TokenHash,
        scopes: &[String],
        ttl: Duration,
    ) -> Result<bool, Error> {
        let insert = sqlx::query!(
            "insert into auth.service_token as t (name, token_hash, scopes, expires_at)
             values ($1, $2, $3, now() + make_interval(secs => $4))
             on conflict (name) do update
                 set token_hash = excluded.token_hash, scopes = excluded.scopes, created_at = now(),
                     expires_at = excluded.expires_at, revoked_at = null
                 where t.revoked_at is not null or t.expires_at <= now()",
            name,
            hash.as_bytes(),
            scopes,
            ttl.as_seconds_f64(),
        );
        Ok(insert.execute(&self.pool).await?.rows_affected() == 1)
    }

    pub(crate) async fn list_service_tokens(&self) -> Result<Vec<ServiceToken>, Error> {
        list_all(&self.pool).await
    }

    pub(crate) async fn revoke_service_token(&self, name: &str) -> Result<bool, Error> {
        let update = sqlx::query!(
            "update auth.service_token set revoked_at = now() where name = $1 and revoked_at is null",
            name,
        );
        Ok(update.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Returns the names of active tokens that expire within `time`.
    pub(crate) async fn list_expiring_service_tokens(&self, time: Duration) -> Result<Vec<String>, Error> {
        let names = sqlx::query_scalar!(
            "select name from auth.service_token
             where revoked_at is null and expires_at > now() and expires_at < now() + make_interval(secs => $1)
             order by name",
            time.as_seconds_f64(),
        );
        Ok(names.fetch_all(&self.pool).await?)
    }

    pub(crate) async fn list_active_service_tokens(&self) -> Result<Vec<ActiveToken>, Error> {
        Ok(sqlx::query_as!(
            ActiveToken,
            "select token_hash as hash, name, scopes from auth.service_token
             where revoked_at is null and expires_at > now()",
        )
        .fetch_all(&self.pool)
        .await?)
    }
}

pub(super) async fn list_all(executor: impl PgExecutor<'_>) -> Result<Vec<ServiceToken>, Error> {
    let tokens = sqlx::query_as!(
        ServiceToken,
        "select name, scopes, created_at, expires_at, revoked_at from auth.service_token order by name"
    );
    Ok(tokens.fetch_all(executor).await?)
}
