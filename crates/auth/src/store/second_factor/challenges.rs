//! Checks of a second factor in progress.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::Error;
use crate::second_factor::{CHALLENGE_TTL, MAX_CHALLENGE_ATTEMPTS};
use crate::store::Store;
use crate::store::sessions::{NewSession, lock_account};
use crate::token::TokenHash;

/// Purpose of a check in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    LogIn,
    AddPasskey,
    Reauthenticate,
}

impl Purpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::LogIn => "log-in",
            Self::AddPasskey => "add-passkey",
            Self::Reauthenticate => "reauthenticate",
        }
    }
}

/// Check in progress.
pub(crate) struct PendingCheck {
    pub(crate) account_id: Uuid,
    pub(crate) passkey_state: Option<String>,
    pub(crate) restore: bool,
}

impl Store {
    /// Stores the challenge of a login with the right password, and its new password hash. Fails like the start of a
    /// session if the account has changed since or is closed.
    pub(crate) async fn add_log_in_challenge(&self, token: &TokenHash, new: &NewSession) -> Result<(), Error> {
        let account_id = new.account.account_id;
        let mut tx = self.pool.begin().await?;
        lock_account(&mut tx, new).await?;
        if let Some(rehash) = &new.rehash {
            sqlx::query!("update auth.account set password_hash = $2 where account_id = $1", account_id, rehash)
                .execute(&mut *tx)
                .await?;
        }
        add_challenge(&mut tx, token, account_id, Purpose::LogIn, None, new.restore).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Stores the challenge of a passkey for a session.
    pub(crate) async fn add_passkey_challenge(
        &self,
        token: &TokenHash,
        account_id: Uuid,
        purpose: Purpose,
        passkey_state: &str,
    ) -> Result<(), Error> {
        add_challenge(&mut *self.pool.acquire().await?, token, account_id, purpose, Some(passkey_state), false).await
    }

    /// Returns the account of a login that waits for its second factor.
    pub(crate) async fn find_log_in_challenge(&self, token: &TokenHash) -> Result<Option<Uuid>, Error> {
        Ok(sqlx::query_scalar!(
            "select account_id from auth.second_factor_challenge
             where token_hash = $1 and purpose = 'log-in' and expires_at > now() and attempts < $2",
            token.as_bytes(),
            MAX_CHALLENGE_ATTEMPTS,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Adds the challenge of a passkey to a login that waits for its second factor.
    pub(crate) async fn set_passkey_state(&self, token: &TokenHash, state: &str) -> Result<bool, Error> {
        let update = sqlx::query!(
            "update auth.second_factor_challenge set passkey_state = $2
             where token_hash = $1 and purpose = 'log-in' and expires_at > now()",
            token.as_bytes(),
            state,
        );
        Ok(update.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Counts an attempt on a login challenge before it is checked, so that concurrent guesses get no further than
    /// sequential ones. Returns `None` if the challenge is unknown, expired, or has no attempts left.
    pub(crate) async fn count_challenge_attempt(&self, token: &TokenHash) -> Result<Option<PendingCheck>, Error> {
        Ok(sqlx::query_as!(
            PendingCheck,
            "update auth.second_factor_challenge set attempts = attempts + 1
             where token_hash = $1 and purpose = 'log-in' and expires_at > now() and attempts < $2
             returning account_id, passkey_state, restore",
            token.as_bytes(),
            MAX_CHALLENGE_ATTEMPTS,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Deletes a challenge and returns it. Only one of several concurrent calls gets it.
    pub(crate) async fn take_challenge(
        &self,
        token: &TokenHash,
        account_id: Uuid,
        purpose: Purpose,
    ) -> Result<Option<PendingCheck>, Error> {
        Ok(sqlx::query_as!(
            PendingCheck,
            "delete from auth.second_factor_challenge
             where token_hash = $1 and account_id = $2 and purpose = $3 and expires_at > now()
             returning account_id, passkey_state, restore",
            token.as_bytes(),
            account_id,
            purpose.as_str(),
        )
        .fetch_optional(&self.pool)
        .await?)
    }
}

async fn add_challenge(
    connection: &mut PgConnection,
    token: &TokenHash,
    account_id: Uuid,
    purpose: Purpose,
    passkey_state: Option<&str>,
    restore: bool,
) -> Result<(), Error> {
    sqlx::query!(
        "insert into auth.second_factor_challenge
             (token_hash, account_id, purpose, passkey_state, restore, expires_at)
         values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))",
        token.as_bytes(),
        account_id,
        purpose.as_str(),
        passkey_state,
        restore,
        CHALLENGE_TTL.as_seconds_f64(),
    )
    .execute(connection)
    .await?;
    Ok(())
}
