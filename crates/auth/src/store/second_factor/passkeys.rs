//! Passkeys.

use uuid::Uuid;

use super::finish_setup;
use crate::error::Error;
use crate::second_factor::passkey::Passkey;
use crate::store::Store;
use crate::token::TokenHash;

/// Passkey to add.
pub(crate) struct NewPasskey {
    pub(crate) name: String,
    pub(crate) passkey: Passkey,
}

impl Store {
    pub(crate) async fn list_passkeys(&self, account_id: Uuid) -> Result<Vec<Passkey>, Error> {
        Ok(sqlx::query_as!(
            Passkey,
            "select credential_id, credential from auth.passkey where account_id = $1 order by passkey_id",
            account_id,
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// Adds a passkey. Stores `codes` if the account has no recovery codes; returns whether it did.
    pub(crate) async fn add_passkey(
        &self,
        account_id: Uuid,
        session_id: Uuid,
        new: &NewPasskey,
        codes: &[TokenHash],
    ) -> Result<bool, Error> {
        let mut tx = self.pool.begin().await?;
        sqlx::query!(
            "insert into auth.passkey (account_id, passkey_id, credential_id, name, credential)
             values ($1, $2, $3, $4, $5) on conflict do nothing",
            account_id,
            Uuid::now_v7(),
            new.passkey.credential_id,
            new.name,
            new.passkey.credential,
        )
        .execute(&mut *tx)
        .await?;
        let added = finish_setup(&mut tx, account_id, session_id, codes).await?;
        tx.commit().await?;
        Ok(added)
    }

    /// Stores the new signature counter of a used passkey.
    pub(crate) async fn use_passkey(&self, account_id: Uuid, used: &Passkey) -> Result<bool, Error> {
        let update = sqlx::query!(
            "update auth.passkey set credential = $3, last_used_at = now()
             where account_id = $1 and credential_id = $2",
            account_id,
            used.credential_id,
            used.credential,
        );
        Ok(update.execute(&self.pool).await?.rows_affected() == 1)
    }
}
