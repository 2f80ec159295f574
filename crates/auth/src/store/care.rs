//! What an owner changes about an account, and the sign-ins that go on.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::letters::ask;
use super::{Store, claim};
use crate::account::{Login, Name, Phone};
use crate::error::Error;
use crate::letter::Kind;
use crate::token::TokenHash;

/// More sign-ins than anybody reads.
const MOST_LISTED: i64 = 100;

/// What is known of the owner of an account.
pub(crate) struct Owner {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) phone: Option<String>,
    pub(crate) password_hash: Option<String>,
    pub(crate) email_confirmed: bool,
}

/// A sign-in that goes on.
pub(crate) struct OpenSignIn {
    pub(crate) sign_in_id: Uuid,
    pub(crate) user_agent: String,
    pub(crate) address: String,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) last_seen_at: OffsetDateTime,
}

/// The password hash that was checked, and the one to store in its place.
pub(crate) struct NewHash {
    pub(crate) checked: String,
    pub(crate) new: String,
}

impl Store {
    pub(crate) async fn owner(&self, account_id: Uuid) -> Result<Option<Owner>, Error> {
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

    /// Where a sign-in was last seen.
    pub(crate) async fn address(&self, account_id: Uuid, sign_in_id: Uuid) -> Result<Option<String>, Error> {
        Ok(sqlx::query_scalar!(
            "select address from auth.sign_in where account_id = $1 and sign_in_id = $2",
            account_id,
            sign_in_id,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Writes another name or phone number. The old number signs in nobody any more and is free for others.
    pub(crate) async fn update_account(
        &self,
        account_id: Uuid,
        name: Option<&Name>,
        phone: Option<&Phone>,
    ) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        let account = sqlx::query!("select phone from auth.account where account_id = $1 for update", account_id)
            .fetch_optional(&mut *tx)
            .await?;
        let old = account.ok_or(Error::SessionEnded)?.phone.as_deref().and_then(Phone::parse);
        if let Some(new) = phone.filter(|new| old.as_ref() != Some(new)) {
            claim(&mut tx, &Login::from(new), account_id, Error::PhoneTaken).await?;
            if let Some(old) = &old {
                let login = Login::from(old);
                sqlx::query!("delete from auth.login where login = $1 and account_id = $2", login.as_str(), account_id)
                    .execute(&mut *tx)
                    .await?;
            }
        }
        sqlx::query!(
            "update auth.account set name = coalesce($2, name), phone = coalesce($3, phone) where account_id = $1",
            account_id,
            name.map(Name::as_str),
            phone.map(Phone::as_str),
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Sets another password and ends all sign-ins but `present`; says how many.
    pub(crate) async fn change_password(&self, account_id: Uuid, hash: &NewHash, present: Uuid) -> Result<i32, Error> {
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
        .ok_or(Error::Changed)?;
        let ended = end_all(&mut tx, account_id, Some(present)).await?;
        start_afresh(&mut tx, account_id, Login::all(&account.email, account.phone.as_deref())).await?;
        ask(&mut tx, Kind::PasswordChanged, &Login::of_email(&account.email)).await?;
        tx.commit().await?;
        Ok(ended)
    }

    /// Whose password the ticket of a letter may set.
    pub(crate) async fn owner_by_ticket(&self, ticket: &TokenHash) -> Result<Option<Owner>, Error> {
        let account_id = sqlx::query_scalar!(
            "select account_id from auth.ticket
             where ticket_hash = $1 and purpose = 'reset-password' and expires_at > now()",
            ticket.as_bytes(),
        )
        .fetch_optional(&self.pool)
        .await?;
        match account_id {
            Some(account_id) => self.owner(account_id).await,
            None => Ok(None),
        }
    }

    /// Sets a new password by the ticket of a letter, which is used up with all others of its kind, and ends every
    /// sign-in. Whoever has the letter reads mail at that address, so it is confirmed.
    pub(crate) async fn reset_password(&self, ticket: &TokenHash, new_hash: &str) -> Result<Uuid, Error> {
        let mut tx = self.pool.begin().await?;
        let account_id = sqlx::query_scalar!(
            "delete from auth.ticket
             where ticket_hash = $1 and purpose = 'reset-password' and expires_at > now() returning account_id",
            ticket.as_bytes(),
        )
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(Error::LinkExpired)?;
        let account = sqlx::query!(
            "update auth.account set password_hash = $2, email_confirmed_at = coalesce(email_confirmed_at, $3)
             where account_id = $1 returning email, phone",
            account_id,
            new_hash,
            OffsetDateTime::now_utc(),
        )
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(Error::LinkExpired)?;
        end_all(&mut tx, account_id, None).await?;
        start_afresh(&mut tx, account_id, Login::all(&account.email, account.phone.as_deref())).await?;
        ask(&mut tx, Kind::PasswordChanged, &Login::of_email(&account.email)).await?;
        tx.commit().await?;
        Ok(account_id)
    }

    /// Confirms the address that the ticket of a letter was sent to. The ticket stays, so that a second click says
    /// the same.
    pub(crate) async fn confirm_email(&self, ticket: &TokenHash) -> Result<Option<Uuid>, Error> {
        let sent = sqlx::query!(
            "select account_id, email from auth.ticket
             where ticket_hash = $1 and purpose = 'confirm-email' and expires_at > now()",
            ticket.as_bytes(),
        )
        .fetch_optional(&self.pool)
        .await?;
        let Some(sent) = sent else { return Ok(None) };
        Ok(sqlx::query_scalar!(
            "update auth.account set email_confirmed_at = coalesce(email_confirmed_at, $3)
             where account_id = $1 and email = $2 returning account_id",
            sent.account_id,
            sent.email,
            OffsetDateTime::now_utc(),
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// The sign-ins that can still be renewed, the one used last first.
    pub(crate) async fn open_sign_ins(&self, account_id: Uuid) -> Result<Vec<OpenSignIn>, Error> {
        let renewable = sqlx::query_scalar!(
            "select distinct sign_in_id from auth.refresh_token where account_id = $1 and expires_at > now()",
            account_id,
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(sqlx::query_as!(
            OpenSignIn,
            "select sign_in_id, user_agent, address, created_at, last_seen_at from auth.sign_in
             where account_id = $1 and ended_at is null and expires_at > now() and sign_in_id = any ($3)
             order by last_seen_at desc, sign_in_id
             limit $2",
            account_id,
            MOST_LISTED,
            &renewable,
        )
        .fetch_all(&self.pool)
        .await?)
    }

    pub(crate) async fn end_other_sign_ins(&self, account_id: Uuid, present: Uuid) -> Result<i32, Error> {
        let mut tx = self.pool.begin().await?;
        let ended = end_all(&mut tx, account_id, Some(present)).await?;
        tx.commit().await?;
        Ok(ended)
    }

    /// Takes the account out of use and ends every sign-in; says since when it is closed.
    pub(crate) async fn close(&self, account_id: Uuid, checked: &str) -> Result<OffsetDateTime, Error> {
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
        .ok_or(Error::Changed)?;
        end_all(&mut tx, account_id, None).await?;
        ask(&mut tx, Kind::AccountClosed, &Login::of_email(&closed.email)).await?;
        tx.commit().await?;
        Ok(closed.closed_at)
    }
}

/// With a new password, what was known of the old one counts no more: the failures to guess it hold nobody, the links
/// that set another are void, and no device is known, for one of them may have been the reason.
async fn start_afresh(
    tx: &mut PgConnection,
    account_id: Uuid,
    logins: impl Iterator<Item = String>,
) -> Result<(), Error> {
    sqlx::query!("delete from auth.ticket where account_id = $1 and purpose = 'reset-password'", account_id)
        .execute(&mut *tx)
        .await?;
    sqlx::query!("delete from auth.known_device where account_id = $1", account_id).execute(&mut *tx).await?;
    let logins: Vec<String> = logins.collect();
    sqlx::query!("delete from auth.failed_login where login = any ($1)", &logins).execute(tx).await?;
    Ok(())
}

/// Ends every sign-in of an account but `kept`; says how many of them could still be renewed. An access token may
/// outlive its sign-in, so that those which have run out end as well.
async fn end_all(tx: &mut PgConnection, account_id: Uuid, kept: Option<Uuid>) -> Result<i32, Error> {
    let ended = sqlx::query_scalar!(
        "update auth.sign_in set ended_at = now()
         where account_id = $1 and sign_in_id is distinct from $2 and ended_at is null
         returning sign_in_id",
        account_id,
        kept,
    )
    .fetch_all(&mut *tx)
    .await?;
    sqlx::query!(
        "insert into auth.ended_sign_in (sign_in_id) select unnest($1::uuid[]) on conflict do nothing",
        &ended,
    )
    .execute(&mut *tx)
    .await?;
    let renewable = sqlx::query_scalar!(
        r#"with gone as (
               delete from auth.refresh_token where account_id = $1 and sign_in_id = any ($2)
               returning sign_in_id, expires_at
           )
           select count(distinct sign_in_id) filter (where expires_at > now())::int as "renewable!" from gone"#,
        account_id,
        &ended,
    );
    Ok(renewable.fetch_one(tx).await?)
}
