//! Authenticator apps.

use time::Duration;
use uuid::Uuid;

use super::finish_setup;
use crate::encryption::Column;
use crate::error::Error;
use crate::second_factor::totp::TotpSecret;
use crate::store::Store;
use crate::token::TokenHash;

/// Time in which a new authenticator app must be confirmed by its first code.
pub(in crate::store) const TOTP_SETUP_TTL: Duration = Duration::hours(1);

impl Store {
    /// Returns the secret of the confirmed authenticator app.
    pub(crate) async fn find_totp(&self, account_id: Uuid) -> Result<Option<TotpSecret>, Error> {
        let secret = sqlx::query_scalar!(
            "select secret from auth.totp where account_id = $1 and confirmed_at is not null",
            account_id,
        );
        secret.fetch_optional(&self.pool).await?.map(|stored| self.decrypt_totp(account_id, stored)).transpose()
    }

    /// Returns the secret of the authenticator app that is being set up.
    pub(crate) async fn find_unconfirmed_totp(&self, account_id: Uuid) -> Result<Option<TotpSecret>, Error> {
        let secret = sqlx::query_scalar!(
            "select secret from auth.totp
             where account_id = $1 and confirmed_at is null and created_at > now() - make_interval(secs => $2)",
            account_id,
            TOTP_SETUP_TTL.as_seconds_f64(),
        );
        secret.fetch_optional(&self.pool).await?.map(|stored| self.decrypt_totp(account_id, stored)).transpose()
    }

    fn decrypt_totp(&self, account_id: Uuid, stored: Vec<u8>) -> Result<TotpSecret, Error> {
        let secret = self.encryption_keys.decrypt(Column::TotpSecret, &account_id.to_string(), stored)?;
        Ok(TotpSecret::from_bytes(secret))
    }

    /// Marks a time step as used. Returns false if this step or a later one was used before.
    pub(crate) async fn use_totp_step(&self, account_id: Uuid, step: i64) -> Result<bool, Error> {
        let used = sqlx::query!(
            "update auth.totp set last_used_step = $2
             where account_id = $1 and confirmed_at is not null and last_used_step < $2",
            account_id,
            step,
        );
        Ok(used.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Stores the secret of a new authenticator app, which replaces an unconfirmed one. Returns false if the account
    /// already has a confirmed one.
    pub(crate) async fn add_totp(&self, account_id: Uuid, secret: &TotpSecret) -> Result<bool, Error> {
        let stored = self.encryption_keys.encrypt(Column::TotpSecret, &account_id.to_string(), secret.as_bytes())?;
        let mut tx = self.pool.begin().await?;
        sqlx::query!("delete from auth.totp where account_id = $1 and confirmed_at is null", account_id)
            .execute(&mut *tx)
            .await?;
        let added = sqlx::query!(
            "insert into auth.totp (account_id, secret) values ($1, $2) on conflict do nothing",
            account_id,
            stored,
        );
        let is_added = added.execute(&mut *tx).await?.rows_affected() == 1;
        tx.commit().await?;
        Ok(is_added)
    }

    /// Confirms the new authenticator app. Stores `codes` if the account has no recovery codes; returns whether it did.
    pub(crate) async fn confirm_totp(
        &self,
        account_id: Uuid,
        session_id: Uuid,
        step: i64,
        codes: &[TokenHash],
    ) -> Result<bool, Error> {
        let mut tx = self.pool.begin().await?;
        let confirmed = sqlx::query!(
            "update auth.totp set confirmed_at = now(), last_used_step = $2
             where account_id = $1 and confirmed_at is null",
            account_id,
            step,
        );
        if confirmed.execute(&mut *tx).await?.rows_affected() == 0 {
            return Err(Error::SetupExpired);
        }
        let added = finish_setup(&mut tx, account_id, session_id, codes).await?;
        tx.commit().await?;
        Ok(added)
    }
}
