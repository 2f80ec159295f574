//! Google accounts, and the accounts here that they belong to.

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{Store, claim, claim_client_id, constraint};
use crate::account::{Email, Login, Name};
use crate::error::Error;
use crate::google::IdentityKey;
use crate::token::TokenHash;

/// An account that somebody comes to by Google.
pub(crate) struct Found {
    pub(crate) account_id: Uuid,
    pub(crate) has_password: bool,
    pub(crate) closed_at: Option<OffsetDateTime>,
}

/// Somebody who has no account yet.
pub(crate) struct Newcomer {
    pub(crate) name: Name,
    pub(crate) email: Email,
    pub(crate) key: IdentityKey,
}

impl Store {
    pub(crate) async fn owner_of_identity(&self, key: &IdentityKey) -> Result<Option<Found>, Error> {
        let owner = sqlx::query_scalar!(
            "select account_id from auth.google_identity where issuer = $1 and subject = $2",
            key.issuer,
            key.subject,
        );
        let owner = owner.fetch_optional(&self.pool).await?;
        // A process of a version before the column may have made the identity.
        sqlx::query!("update auth.account set has_google = true where account_id = $1 and not has_google", owner)
            .execute(&self.pool)
            .await?;
        self.found(owner).await
    }

    pub(crate) async fn owner_of_login(&self, login: &Login) -> Result<Option<Found>, Error> {
        let owner = sqlx::query_scalar!("select account_id from auth.login where login = $1", login.as_str());
        self.found(owner.fetch_optional(&self.pool).await?).await
    }

    async fn found(&self, account_id: Option<Uuid>) -> Result<Option<Found>, Error> {
        Ok(sqlx::query_as!(
            Found,
            r#"select account_id, password_hash is not null as "has_password!", closed_at
               from auth.account where account_id = $1"#,
            account_id,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Makes an account without a password or a phone number. Google has verified the address.
    pub(crate) async fn register_newcomer(&self, newcomer: &Newcomer) -> Result<Uuid, Error> {
        let account_id = Uuid::now_v7();
        let mut tx = self.pool.begin().await?;
        claim(&mut tx, &Login::from(&newcomer.email), account_id, Error::EmailTaken).await?;
        let client_id = claim_client_id(&mut tx, account_id).await?;
        sqlx::query!(
            "insert into auth.account (account_id, client_id, name, email, email_confirmed_at, has_google)
             values ($1, $2, $3, $4, now(), true)",
            account_id,
            client_id,
            newcomer.name.as_str(),
            newcomer.email.typed(),
        )
        .execute(&mut *tx)
        .await?;
        add_identity(&mut tx, &newcomer.key, account_id).await?;
        tx.commit().await?;
        Ok(account_id)
    }

    /// Keeps the ticket that ties a Google account to another account, for `good_for` from now on.
    pub(crate) async fn offer_link(
        &self,
        ticket: &TokenHash,
        account_id: Uuid,
        key: &IdentityKey,
        good_for: Duration,
    ) -> Result<(), Error> {
        sqlx::query!(
            "insert into auth.ticket (ticket_hash, purpose, account_id, google_issuer, google_subject, expires_at)
             values ($1, 'link-google', $2, $3, $4, now() + make_interval(secs => $5))",
            ticket.as_bytes(),
            account_id,
            key.issuer,
            key.subject,
            good_for.as_seconds_f64(),
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Whose password a ticket asks for.
    pub(crate) async fn owner_of_link(&self, ticket: &TokenHash) -> Result<Option<Uuid>, Error> {
        Ok(sqlx::query_scalar!(
            "select account_id from auth.ticket
             where ticket_hash = $1 and purpose = 'link-google' and expires_at > now()",
            ticket.as_bytes(),
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Does what a ticket is for, once. The address is that of the account and Google has verified it, so it is
    /// confirmed.
    pub(crate) async fn link_identity(&self, ticket: &TokenHash) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        let used = sqlx::query!(
            r#"delete from auth.ticket
               where ticket_hash = $1 and purpose = 'link-google' and expires_at > now()
               returning account_id, google_issuer as "issuer!", google_subject as "subject!""#,
            ticket.as_bytes(),
        )
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(Error::LinkExpired)?;
        let key = IdentityKey { issuer: used.issuer, subject: used.subject };
        add_identity(&mut tx, &key, used.account_id).await?;
        sqlx::query!(
            "update auth.account
             set email_confirmed_at = coalesce(email_confirmed_at, $2), has_google = true
             where account_id = $1",
            used.account_id,
            OffsetDateTime::now_utc(),
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Fails with [`Error::LinkExpired`] where the Google account was tied to an account meanwhile.
async fn add_identity(tx: &mut PgConnection, key: &IdentityKey, account_id: Uuid) -> Result<(), Error> {
    let inserted = sqlx::query!(
        "insert into auth.google_identity (issuer, subject, account_id) values ($1, $2, $3)",
        key.issuer,
        key.subject,
        account_id,
    );
    match inserted.execute(tx).await {
        Ok(_) => Ok(()),
        Err(error) if constraint(&error) == Some("google_identity_pkey") => Err(Error::LinkExpired),
        Err(error) => Err(error.into()),
    }
}
