//! Second factors, recovery codes, trusted devices, and checks in progress.

pub(crate) mod challenges;
pub(crate) mod passkeys;
mod recovery_codes;
pub(super) mod totp;
pub(super) mod trusted_devices;

use sqlx::PgConnection;
use uuid::Uuid;

use self::recovery_codes::add_recovery_codes;
use self::trusted_devices::end_trust;
use super::Store;
use super::outbox::queue_email;
use crate::account::Login;
use crate::email::EmailKind;
use crate::error::Error;
use crate::second_factor::{Methods, Overview, PasskeySummary, REAUTHENTICATION_TTL, TrustedDevice};
use crate::token::TokenHash;

impl Store {
    pub(crate) async fn find_second_factors(&self, account_id: Uuid) -> Result<Methods, Error> {
        find_methods(&mut *self.pool.acquire().await?, account_id).await
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
