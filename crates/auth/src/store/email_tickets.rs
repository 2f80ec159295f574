//! Tickets: one-time secrets in the links of emails.

use time::OffsetDateTime;
use uuid::Uuid;

use super::Store;
use super::account_settings::{Owner, reset_login_state};
use super::outbox::{Recipient, queue_email};
use super::sessions::end_all_sessions;
use super::tax_links::revoke_tax_links;
use crate::account::Login;
use crate::email::EmailKind;
use crate::error::Error;
use crate::token::TokenHash;

impl Store {
    /// Stores the ticket of an email with a lifetime of `ttl`.
    pub(crate) async fn add_ticket(
        &self,
        ticket: &TokenHash,
        kind: EmailKind,
        recipient: &Recipient,
        ttl: time::Duration,
    ) -> Result<(), Error> {
        sqlx::query!(
            "insert into auth.email_link_token (token_hash, purpose, account_id, email, expires_at)
             values ($1, $2, $3, $4, now() + make_interval(secs => $5))",
            ticket.as_bytes(),
            kind.as_str(),
            recipient.account_id,
            recipient.email,
            ttl.as_seconds_f64(),
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Returns the owner whose password the ticket may set.
    pub(crate) async fn find_owner_by_ticket(&self, ticket: &TokenHash) -> Result<Option<Owner>, Error> {
        let account_id = sqlx::query_scalar!(
            "select account_id from auth.email_link_token
             where token_hash = $1 and purpose = 'reset-password' and expires_at > now()",
            ticket.as_bytes(),
        )
        .fetch_optional(&self.pool)
        .await?;
        match account_id {
            Some(account_id) => self.find_owner(account_id).await,
            None => Ok(None),
        }
    }

    /// Sets a new password, deletes this and all other password reset tickets of the account, and ends all sessions.
    /// Confirms the email address, because the ticket was received there.
    pub(crate) async fn reset_password(&self, ticket: &TokenHash, new_hash: &str) -> Result<Uuid, Error> {
        let mut tx = self.pool.begin().await?;
        let account_id = sqlx::query_scalar!(
            "delete from auth.email_link_token
             where token_hash = $1 and purpose = 'reset-password' and expires_at > now() returning account_id",
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
        end_all_sessions(&mut tx, account_id, None).await?;
        revoke_tax_links(&mut tx, account_id).await?;
        reset_login_state(&mut tx, account_id, Login::all(&account.email, account.phone.as_deref())).await?;
        queue_email(&mut tx, EmailKind::PasswordChanged, &Login::from_email(&account.email)).await?;
        tx.commit().await?;
        Ok(account_id)
    }

    /// Confirms the email address that the ticket was sent to. Keeps the ticket, so that opening the link again
    /// succeeds.
    pub(crate) async fn confirm_email(&self, ticket: &TokenHash) -> Result<Option<Uuid>, Error> {
        let row = sqlx::query!(
            "select account_id, email from auth.email_link_token
             where token_hash = $1 and purpose = 'confirm-email' and expires_at > now()",
            ticket.as_bytes(),
        )
        .fetch_optional(&self.pool)
        .await?;
        let Some(ticket) = row else { return Ok(None) };
        Ok(sqlx::query_scalar!(
            "update auth.account set email_confirmed_at = coalesce(email_confirmed_at, $3)
             where account_id = $1 and email = $2 returning account_id",
            ticket.account_id,
            ticket.email,
            OffsetDateTime::now_utc(),
        )
        .fetch_optional(&self.pool)
        .await?)
    }
}
