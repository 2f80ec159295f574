//! Second factors, recovery codes, trusted devices, and checks in progress.

use sqlx::PgConnection;
use time::Duration;
use uuid::Uuid;

use super::Store;
use super::outbox::queue_email;
use super::sessions::{NewSession, lock_account};
use crate::account::Login;
use crate::email::EmailKind;
use crate::error::Error;
use crate::second_factor::passkey::Passkey;
use crate::second_factor::totp::TotpSecret;
use crate::second_factor::{
    CHALLENGE_TTL, MAX_CHALLENGE_ATTEMPTS, MAX_TRUSTED_DEVICES, Methods, Overview, PasskeySummary,
    REAUTHENTICATION_TTL, TRUSTED_DEVICE_TTL, TrustedDevice,
};
use crate::session::Device;
use crate::token::TokenHash;

/// Time in which a new authenticator app must be confirmed by its first code.
pub(super) const TOTP_SETUP_TTL: Duration = Duration::hours(1);

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

/// Passkey to add.
pub(crate) struct NewPasskey {
    pub(crate) name: String,
    pub(crate) passkey: Passkey,
}

impl Store {
    pub(crate) async fn find_second_factors(&self, account_id: Uuid) -> Result<Methods, Error> {
        find_methods(&mut *self.pool.acquire().await?, account_id).await
    }

    /// Returns true if the device may log in to the account without a second factor, and notes its use.
    pub(crate) async fn use_trusted_device(&self, account_id: Uuid, device: &TokenHash) -> Result<bool, Error> {
        let used = sqlx::query!(
            "update auth.trusted_device set last_used_at = now()
             where account_id = $1 and device_hash = $2 and expires_at > now()",
            account_id,
            device.as_bytes(),
        );
        Ok(used.execute(&self.pool).await?.rows_affected() > 0)
    }

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

    /// Returns the secret of the confirmed authenticator app.
    pub(crate) async fn find_totp(&self, account_id: Uuid) -> Result<Option<TotpSecret>, Error> {
        let secret = sqlx::query_scalar!(
            "select secret from auth.totp where account_id = $1 and confirmed_at is not null",
            account_id,
        );
        Ok(secret.fetch_optional(&self.pool).await?.map(TotpSecret::from_bytes))
    }

    /// Returns the secret of the authenticator app that is being set up.
    pub(crate) async fn find_unconfirmed_totp(&self, account_id: Uuid) -> Result<Option<TotpSecret>, Error> {
        let secret = sqlx::query_scalar!(
            "select secret from auth.totp
             where account_id = $1 and confirmed_at is null and created_at > now() - make_interval(secs => $2)",
            account_id,
            TOTP_SETUP_TTL.as_seconds_f64(),
        );
        Ok(secret.fetch_optional(&self.pool).await?.map(TotpSecret::from_bytes))
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
        let mut tx = self.pool.begin().await?;
        sqlx::query!("delete from auth.totp where account_id = $1 and confirmed_at is null", account_id)
            .execute(&mut *tx)
            .await?;
        let added = sqlx::query!(
            "insert into auth.totp (account_id, secret) values ($1, $2) on conflict do nothing",
            account_id,
            secret.as_bytes(),
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

    /// Uses a recovery code and queues the email about it. Returns false if the account has no such code.
    pub(crate) async fn use_recovery_code(
        &self,
        account_id: Uuid,
        email: &str,
        code: &TokenHash,
    ) -> Result<bool, Error> {
        let mut tx = self.pool.begin().await?;
        let used = sqlx::query!(
            "delete from auth.recovery_code where account_id = $1 and code_hash = $2",
            account_id,
            code.as_bytes(),
        );
        if used.execute(&mut *tx).await?.rows_affected() == 0 {
            return Ok(false);
        }
        queue_email(&mut tx, EmailKind::RecoveryCodeUsed, &Login::from_email(email)).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Replaces all recovery codes. Fails if the account has no second factor.
    pub(crate) async fn replace_recovery_codes(&self, account_id: Uuid, codes: &[TokenHash]) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        if !find_methods(&mut tx, account_id).await?.is_required() {
            return Err(Error::NoSecondFactor);
        }
        sqlx::query!("delete from auth.recovery_code where account_id = $1", account_id).execute(&mut *tx).await?;
        add_recovery_codes(&mut tx, account_id, codes).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Removes the passkey, or the authenticator app if there is none. With the last second factor, deletes the
    /// recovery codes and trusted devices. Returns false if there is nothing to remove.
    pub(crate) async fn remove_second_factor(&self, account_id: Uuid, passkey: Option<Uuid>) -> Result<bool, Error> {
        let mut tx = self.pool.begin().await?;
        let account = sqlx::query!("select email from auth.account where account_id = $1 for update", account_id)
            .fetch_optional(&mut *tx)
            .await?
            .ok_or(Error::SessionEnded)?;
        let removed = match passkey {
            Some(passkey_id) => {
                sqlx::query!(
                    "delete from auth.passkey where account_id = $1 and passkey_id = $2",
                    account_id,
                    passkey_id
                )
                .execute(&mut *tx)
                .await?
            }
            None => sqlx::query!("delete from auth.totp where account_id = $1", account_id).execute(&mut *tx).await?,
        };
        if removed.rows_affected() == 0 {
            return Ok(false);
        }
        if !find_methods(&mut tx, account_id).await?.is_required() {
            sqlx::query!("delete from auth.recovery_code where account_id = $1", account_id).execute(&mut *tx).await?;
            end_trust(&mut tx, account_id).await?;
        }
        queue_email(&mut tx, EmailKind::SecondFactorRemoved, &Login::from_email(&account.email)).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Ends the trust in a device. Returns false if it was not trusted.
    pub(crate) async fn remove_trusted_device(&self, account_id: Uuid, device: Uuid) -> Result<bool, Error> {
        let removed = sqlx::query!(
            "delete from auth.trusted_device where account_id = $1 and trusted_device_id = $2",
            account_id,
            device,
        );
        Ok(removed.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Notes that the session proved the password and the second factor now.
    pub(crate) async fn set_authenticated(&self, account_id: Uuid, session_id: Uuid) -> Result<(), Error> {
        sqlx::query!(
            "update auth.session set authenticated_at = now() where account_id = $1 and session_id = $2",
            account_id,
            session_id,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Returns true if the session proved the password and the second factor recently.
    pub(crate) async fn is_recently_authenticated(&self, account_id: Uuid, session_id: Uuid) -> Result<bool, Error> {
        let is_recent = sqlx::query_scalar!(
            r#"select exists (
                   select from auth.session
                   where account_id = $1 and session_id = $2
                     and authenticated_at > now() - make_interval(secs => $3)
               ) as "is_recent!""#,
            account_id,
            session_id,
            REAUTHENTICATION_TTL.as_seconds_f64(),
        );
        Ok(is_recent.fetch_one(&self.pool).await?)
    }

    pub(crate) async fn find_second_factor_overview(&self, account_id: Uuid) -> Result<Overview, Error> {
        let totp_added_at = sqlx::query_scalar!(
            r#"select confirmed_at as "confirmed_at!" from auth.totp
               where account_id = $1 and confirmed_at is not null"#,
            account_id,
        );
        let passkeys = sqlx::query_as!(
            PasskeySummary,
            "select passkey_id, name, created_at, last_used_at from auth.passkey
             where account_id = $1 order by passkey_id",
            account_id,
        );
        let recovery_codes_left = sqlx::query_scalar!(
            r#"select count(*) as "count!" from auth.recovery_code where account_id = $1"#,
            account_id,
        );
        let trusted_devices = sqlx::query_as!(
            TrustedDevice,
            "select trusted_device_id, user_agent, created_at, last_used_at, expires_at from auth.trusted_device
             where account_id = $1 and expires_at > now() order by last_used_at desc, trusted_device_id",
            account_id,
        );
        Ok(Overview {
            totp_added_at: totp_added_at.fetch_optional(&self.pool).await?,
            passkeys: passkeys.fetch_all(&self.pool).await?,
            recovery_codes_left: recovery_codes_left.fetch_one(&self.pool).await?,
            trusted_devices: trusted_devices.fetch_all(&self.pool).await?,
        })
    }
}

/// Trusts the device for a while. Removes the devices used least recently above the limit.
pub(super) async fn trust_device(
    tx: &mut PgConnection,
    account_id: Uuid,
    device: &Device,
    token: &TokenHash,
) -> Result<(), Error> {
    sqlx::query!(
        "insert into auth.trusted_device (account_id, trusted_device_id, device_hash, user_agent, expires_at)
         values ($1, $2, $3, $4, now() + make_interval(secs => $5))",
        account_id,
        Uuid::now_v7(),
        token.as_bytes(),
        device.user_agent,
        TRUSTED_DEVICE_TTL.as_seconds_f64(),
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "delete from auth.trusted_device where account_id = $1 and trusted_device_id in (
             select trusted_device_id from auth.trusted_device where account_id = $1
             order by last_used_at desc, trusted_device_id offset $2
         )",
        account_id,
        MAX_TRUSTED_DEVICES,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends the trust in all devices, and the logins that wait for a second factor.
pub(super) async fn end_trust(tx: &mut PgConnection, account_id: Uuid) -> Result<(), Error> {
    sqlx::query!("delete from auth.trusted_device where account_id = $1", account_id).execute(&mut *tx).await?;
    sqlx::query!("delete from auth.second_factor_challenge where account_id = $1", account_id).execute(tx).await?;
    Ok(())
}

/// Deletes the second factors of an account.
pub(super) async fn delete_all(tx: &mut PgConnection, account_id: Uuid) -> Result<(), Error> {
    end_trust(&mut *tx, account_id).await?;
    sqlx::query!("delete from auth.totp where account_id = $1", account_id).execute(&mut *tx).await?;
    sqlx::query!("delete from auth.passkey where account_id = $1", account_id).execute(&mut *tx).await?;
    sqlx::query!("delete from auth.recovery_code where account_id = $1", account_id).execute(tx).await?;
    Ok(())
}

async fn find_methods(connection: &mut PgConnection, account_id: Uuid) -> Result<Methods, Error> {
    Ok(sqlx::query_as!(
        Methods,
        r#"select exists (select from auth.totp where account_id = $1 and confirmed_at is not null) as "totp!",
                  exists (select from auth.passkey where account_id = $1) as "passkey!",
                  exists (select from auth.recovery_code where account_id = $1) as "recovery_code!""#,
        account_id,
    )
    .fetch_one(connection)
    .await?)
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

/// Completes the setup of a second factor: stores recovery codes if there are none, makes the other sessions prove the
/// second factor before sensitive actions, and queues the email. Returns true if it stored the codes.
async fn finish_setup(
    tx: &mut PgConnection,
    account_id: Uuid,
    session_id: Uuid,
    codes: &[TokenHash],
) -> Result<bool, Error> {
    let account = sqlx::query!("select email from auth.account where account_id = $1 for update", account_id)
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(Error::SessionEnded)?;
    let needs_codes = !find_methods(&mut *tx, account_id).await?.recovery_code;
    if needs_codes {
        add_recovery_codes(&mut *tx, account_id, codes).await?;
    }
    sqlx::query!(
        "update auth.session set authenticated_at = null where account_id = $1 and session_id <> $2",
        account_id,
        session_id,
    )
    .execute(&mut *tx)
    .await?;
    queue_email(tx, EmailKind::SecondFactorAdded, &Login::from_email(&account.email)).await?;
    Ok(needs_codes)
}

async fn add_recovery_codes(tx: &mut PgConnection, account_id: Uuid, codes: &[TokenHash]) -> Result<(), Error> {
    let hashes: Vec<Vec<u8>> = codes.iter().map(|code| code.as_bytes().to_vec()).collect();
    sqlx::query!(
        "insert into auth.recovery_code (account_id, code_hash) select $1, unnest($2::bytea[])",
        account_id,
        &hashes,
    )
    .execute(tx)
    .await?;
    Ok(())
}
