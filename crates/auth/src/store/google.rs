//! Google identities and the accounts that they belong to.

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{Store, claim_client_id, claim_email};
use crate::account::{EmailAddress, Login, Name};
use crate::error::Error;
use crate::google::IdentityKey;
use crate::token::TokenHash;

/// Existing account of somebody who signs in with Google.
pub(crate) struct ExistingAccount {
    pub(crate) account_id: Uuid,
    pub(crate) has_password: bool,
    pub(crate) closed_at: Option<OffsetDateTime>,
}

/// Registration with a Google identity.
pub(crate) struct GoogleRegistration {
    pub(crate) name: Name,
    pub(crate) email: EmailAddress,
    pub(crate) key: IdentityKey,
    /// Version of the privacy notice that was shown.
    pub(crate) notice_version: String,
}

impl Store {
    /// Returns the account that a Google identity is linked to.
    pub(crate) async fn find_account_by_identity(&self, key: &IdentityKey) -> Result<Option<ExistingAccount>, Error> {
        let owner = sqlx::query_scalar!(
            "select account_id from auth.google_identity where issuer = $1 and subject = $2",
            key.issuer,
            key.subject,
        );
        let owner = owner.fetch_optional(&self.pool).await?;
        // Processes of versions without this column may have created the identity.
        sqlx::query!("update auth.account set has_google = true where account_id = $1 and not has_google", owner)
            .execute(&self.pool)
            .await?;
        self.find_existing_account(owner).await
    }

    /// Returns the account with this login.
    pub(crate) async fn find_account_by_login(&self, login: &Login) -> Result<Option<ExistingAccount>, Error> {
        self.find_existing_account(self.find_account_id(login).await?).await
    }

    async fn find_existing_account(&self, account_id: Option<Uuid>) -> Result<Option<ExistingAccount>, Error> {
        Ok(sqlx::query_as!(
            ExistingAccount,
            r#"select account_id, password_hash is not null as "has_password!", closed_at
               from auth.account where account_id = $1"#,
            account_id,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Creates an account without a password or a phone number. Its email address is confirmed, because Google has
    /// verified it.
    pub(crate) async fn register_with_google(&self, registration: &GoogleRegistration) -> Result<Uuid, Error> {
        let account_id = Uuid::now_v7();
        let mut tx = self.pool.begin().await?;
        claim_email(&mut tx, &registration.email, account_id).await?;
        let client_id = claim_client_id(&mut tx, account_id).await?;
        sqlx::query!(
            "insert into auth.account
                 (account_id, client_id, name, email, email_confirmed_at, has_google, notice_version, noticed_at)
             values ($1, $2, $3, $4, now(), true, $5, now())",
            account_id,
            client_id,
            registration.name.as_str(),
            registration.email.as_str(),
            registration.notice_version,
        )
        .execute(&mut *tx)
        .await?;
        add_identity(&mut tx, &registration.key, account_id).await?;
        tx.commit().await?;
        Ok(account_id)
    }

    /// Stores a ticket that links a Google identity to an account, with a lifetime of `ttl`.
    pub(crate) async fn add_link_ticket(
        &self,
        ticket: &TokenHash,
        account_id: Uuid,
        key: &IdentityKey,
        ttl: Duration,
    ) -> Result<(), Error> {
        sqlx::query!(
            "insert into auth.email_link_token
                 (token_hash, purpose, account_id, google_issuer, google_subject, expires_at)
             values ($1, 'link-google', $2, $3, $4, now() + make_interval(secs => $5))",
            ticket.as_bytes(),
            account_id,
            key.issuer,
            key.subject,
            ttl.as_seconds_f64(),
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Returns the account that a link ticket was issued for.
    pub(crate) async fn find_account_by_link_ticket(&self, ticket: &TokenHash) -> Result<Option<Uuid>, Error> {
        Ok(sqlx::query_scalar!(
            "select account_id from auth.email_link_token
             where token_hash = $1 and purpose = 'link-google' and expires_at > now()",
            ticket.as_bytes(),
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Links the Google identity of a ticket to its account and deletes the ticket. Confirms the email address, because
    /// Google has verified it.
    pub(crate) async fn link_identity(&self, ticket: &TokenHash) -> Result<(), Error> {
        let mut tx = self.pool.begin().await?;
        let ticket = sqlx::query!(
            r#"delete from auth.email_link_token
               where token_hash = $1 and purpose = 'link-google' and expires_at > now()
               returning account_id, google_issuer as "issuer!", google_subject as "subject!""#,
            ticket.as_bytes(),
        )
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(Error::LinkExpired)?;
        let key = IdentityKey { issuer: ticket.issuer, subject: ticket.subject };
        add_identity(&mut tx, &key, ticket.account_id).await?;
        sqlx::query!(
            "update auth.account
             set email_confirmed_at = coalesce(email_confirmed_at, $2), has_google = true
             where account_id = $1",
            ticket.account_id,
            OffsetDateTime::now_utc(),
        )
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Links a Google identity to an account. Fails with [`Error::LinkExpired`] if the identity was linked in the meantime.
async fn add_identity(tx: &mut PgConnection, key: &IdentityKey, account_id: Uuid) -> Result<(), Error> {
    let inserted = sqlx::query!(
        "insert into auth.google_identity (issuer, subject, account_id) values ($1, $2, $3)",
        key.issuer,
        key.subject,
        account_id,
    );
    match inserted.execute(tx).await {
        Ok(_) => Ok(()),
        Err(error) if db::violated_constraint(&error) == Some("google_identity_pkey") => Err(Error::LinkExpired),
        Err(error) => Err(error.into()),
    }
}
