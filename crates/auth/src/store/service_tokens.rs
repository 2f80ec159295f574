//! Credentials of internal services.

use sqlx::PgExecutor;

use super::Store;
use crate::error::Error;
use crate::service_token::{Known, Listed};
use crate::token::TokenHash;

impl Store {
    /// Adds the token of a service, in place of one that was revoked; false where it has one that is good.
    pub(crate) async fn add_service_token(
        &self,
        name: &str,
        hash: &TokenHash,
        scopes: &[String],
    ) -> Result<bool, Error> {
        let added = sqlx::query!(
            "insert into auth.service_token as t (name, token_hash, scopes) values ($1, $2, $3)
             on conflict (name) do update
                 set token_hash = excluded.token_hash, scopes = excluded.scopes, created_at = now(), revoked_at = null
                 where t.revoked_at is not null",
            name,
            hash.as_bytes(),
            scopes,
        );
        Ok(added.execute(&self.pool).await?.rows_affected() == 1)
    }

    pub(crate) async fn list_service_tokens(&self) -> Result<Vec<Listed>, Error> {
        list(&self.pool).await
    }

    pub(crate) async fn revoke_service_token(&self, name: &str) -> Result<bool, Error> {
        let revoked = sqlx::query!(
            "update auth.service_token set revoked_at = now() where name = $1 and revoked_at is null",
            name,
        );
        Ok(revoked.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// The tokens that are good.
    pub(crate) async fn service_tokens(&self) -> Result<Vec<Known>, Error> {
        Ok(sqlx::query_as!(
            Known,
            "select token_hash as hash, name, scopes from auth.service_token where revoked_at is null",
        )
        .fetch_all(&self.pool)
        .await?)
    }
}

pub(super) async fn list(executor: impl PgExecutor<'_>) -> Result<Vec<Listed>, Error> {
    let tokens =
        sqlx::query_as!(Listed, "select name, scopes, created_at, revoked_at from auth.service_token order by name");
    Ok(tokens.fetch_all(executor).await?)
}
