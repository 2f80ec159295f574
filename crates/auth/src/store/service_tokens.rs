//! Service tokens.

use sqlx::PgExecutor;

use super::Store;
use crate::error::Error;
use crate::service_token::{ActiveToken, ServiceToken};
use crate::token::TokenHash;

impl Store {
    /// Adds the token of a service; replaces a revoked one. Returns false if the service has an active token.
    pub(crate) async fn add_service_token(
        &self,
        name: &str,
        hash: &TokenHash,
        scopes: &[String],
    ) -> Result<bool, Error> {
        let insert = sqlx::query!(
            "insert into auth.service_token as t (name, token_hash, scopes) values ($1, $2, $3)
             on conflict (name) do update
                 set token_hash = excluded.token_hash, scopes = excluded.scopes, created_at = now(), revoked_at = null
                 where t.revoked_at is not null",
            name,
            hash.as_bytes(),
            scopes,
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

    pub(crate) async fn list_active_service_tokens(&self) -> Result<Vec<ActiveToken>, Error> {
        Ok(sqlx::query_as!(
            ActiveToken,
            "select token_hash as hash, name, scopes from auth.service_token where revoked_at is null",
        )
        .fetch_all(&self.pool)
        .await?)
    }
}

pub(super) async fn list_all(executor: impl PgExecutor<'_>) -> Result<Vec<ServiceToken>, Error> {
    let tokens = sqlx::query_as!(
        ServiceToken,
        "select name, scopes, created_at, revoked_at from auth.service_token order by name"
    );
    Ok(tokens.fetch_all(executor).await?)
}
