//! Changes that owners make to their accounts.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::outbox::queue_email;
use super::second_factor::trusted_devices::end_trust;
use super::sessions::end_all_sessions;
use super::tax_links::revoke_tax_links;
use super::{Store, find_account_id};
use crate::account::{Login, Name, Phone};
use crate::email::EmailKind;
use crate::error::Error;
use crate::login_throttle::account_key;

/// Details of the owner of an account.
pub(crate) struct Owner {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) phone: Option<String>,
    pub(crate) password_hash: Option<String>,
    pub(crate) email_confirmed: bool,
}

/// Replacement of a password hash.
pub(crate) struct HashChange {
    /// Hash that the current password was checked against.
    pub(crate) checked: String,
    pub(crate) new: String,
}

impl Store {
    pub(crate) async fn find_owner(&self, account_id: Uuid) -> Result<Option<Owner>, Error> {
        Ok(sqlx::query_as!(
            Owner,
            r#"select name, email, phone, password_hash,
                      email_confirmed_at is not null as "email_confirmed!"
               from auth.account where account_id = $1"#,
            account_id,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Changes the name or the phone number. The old number stops being a login and becomes free for other accounts; the
    /// new one is not verified. An email tells the owner about a changed number.
    pub(crate) async fn update_account(
        &self,
        account_id: Uuid,
        name: Option<&Name>,
        phone: Option<&Phone>,
    ) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        let account =
            sqlx::query!("select email, phone from auth.account where account_id = $1 for update", account_id)
                .fetch_optional(&mut *tx)
                .await?;
        let account = account.ok_or(Error::SessionEnded)?;
        let old = account.phone.as_deref().and_then(Phone::parse);
        let changed = phone.filter(|new| old.as_ref() != Some(new));
        if let Some(new) = changed {
            if find_account_id(&mut tx, &Login::from(new)).await?.is_some() {
                return Err(Error::PhoneTaken);
            }
            queue_email(&mut tx, EmailKind::PhoneChanged, &Login::from_email(&account.email)).await?;
            if let Some(old) = &old {
                let login = Login::from(old);
                sqlx::query!("delete from auth.login where login = $1 and account_id = $2", login.as_str(), account_id)
                    .execute(&mut *tx)
                    .await?;
            }
        }
        sqlx::query!(
            "update auth.account set name = coalesce($2, name), phone = coalesce($3, phone),
                 phone_verified_at = case when $3::text is null then phone_verified_at end
             where account_id = $1",
            account_id,
            name.map(Name::as_str),
            changed.map(Phone::as_str),
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Changes the password and ends all sessions except `current`. Returns how many ended.
    pub(crate) async fn change_password(
        &self,
        account_id: Uuid,
        hash: &HashChange,
        current: Uuid,
    ) -> Result<i32, Error> {
        let mut tx = self.pool.begin().await?;
        let account = sqlx::query!(
            "update auth.account set password_hash = $3 where account_id = $1 and password_hash = $2
             returning email, phone",
            account_id,
            hash.checked,
            hash.new,
        )
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(Error::ConcurrentChange)?;
        let ended = end_all_sessions(&mut tx, account_id, Some(current)).await?;
        reset_login_state(&mut tx, account_id, Login::all(&account.email, account.phone.as_deref())).await?;
        queue_email(&mut tx, EmailKind::PasswordChanged, &Login::from_email(&account.email)).await?;
        tx.commit().await?;
        Ok(ended)
    }

    /// Closes the account and ends all sessions. Returns the time of the closing.
    pub(crate) async fn close_account(&self, account_id: Uuid, checked: &str) -> Result<OffsetDateTime, Error> {
        let mut tx = self.pool.begin().await?;
        let closed = sqlx::query!(
            r#"update auth.account set closed_at = coalesce(closed_at, $3)
               where account_id = $1 and password_hash = $2 returning closed_at as "closed_at!", email"#,
            account_id,
            checked,
            OffsetDateTime::now_utc(),
        )
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(Error::ConcurrentChange)?;
        end_all_sessions(&mut tx, account_id, None).await?;
        revoke_tax_links(&mut tx, account_id).await?;
        queue_email(&mut tx, EmailKind::AccountClosed, &Login::from_email(&closed.email)).await?;
        tx.commit().await?;
        Ok(closed.closed_at)
    }
}

/// Deletes the login state that depends on the old password: failed logins, links that set a password, logins that wait
/// for a second factor, and known and trusted devices, one of which may have been the reason for the change.
pub(super) async fn reset_login_state(
    tx: &mut PgConnection,
    account_id: Uuid,
    logins: impl Iterator<Item = String>,
) -> Result<(), Error> {
    sqlx::query!("delete from auth.email_link_token where account_id = $1 and purpose = 'reset-password'", account_id)
        .execute(&mut *tx)
        .await?;
    sqlx::query!("delete from auth.known_device where account_id = $1", account_id).execute(&mut *tx).await?;
    end_trust(&mut *tx, account_id).await?;
    let logins: Vec<String> = logins.chain([account_key(account_id)]).collect();
    sqlx::query!("delete from auth.failed_login where login = any ($1)", &logins).execute(tx).await?;
    Ok(())
}
