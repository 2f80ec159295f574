//! Correction of a mistyped email address by the browser that applied, and new links.

use sqlx::PgConnection;

use super::Store;
use super::outbox::{self, EmailKind, NewEmail};
use super::queries::{find, find_id_by_key};
use super::recipients::count_email;
use crate::application::{AccessKey, Application};
use crate::error::Error;

/// Replaces the correction token of an application that is sent again, if the address can still be corrected.
pub(super) async fn replace_correction_token(
    connection: &mut PgConnection,
    application_id: &str,
    token: &AccessKey,
) -> Result<bool, Error> {
    let replaced = sqlx::query!(
        "
        update careers.application set email_correction_sha256 = $2
        where application_id = $1 and email_correction_sha256 is not null
          and received_at > now() - interval '30 minutes'
        ",
        application_id,
        &token.hash(),
    );
    Ok(replaced.execute(connection).await?.rows_affected() == 1)
}

impl Store {
    /// Replaces the email address of an application once, revokes the links that were sent to the old address, and
    /// queues a receipt to the new one.
    pub(crate) async fn correct_email(&self, token: &AccessKey, email: &str) -> Result<Application, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let application_id = sqlx::query_scalar!(
            "
            update careers.application
            set email = $2, email_lower = $3, email_correction_sha256 = null
            where email_correction_sha256 = $1 and received_at > now() - interval '30 minutes'
              and withdrawn_at is null and expires_at > now()
            returning application_id
            ",
            &token.hash(),
            email,
            email.to_lowercase(),
        )
        .fetch_optional(&mut *connection)
        .await?
        .ok_or(Error::EmailCorrectionClosed)?;
        revoke_keys(connection, &application_id).await?;
        if !count_email(connection, EmailKind::Receipt, email).await? {
            return Err(Error::EmailLimitReached);
        }
        let application = find(&mut *connection, &application_id).await?;
        outbox::enqueue(connection, NewEmail::to_candidate(EmailKind::Receipt, &application)).await?;
        transaction.commit().await?;
        Ok(application)
    }

    /// Revokes all links to the candidate's application and queues an email with a new one. Returns the id of the
    /// application.
    pub(crate) async fn replace_link(&self, key: &AccessKey) -> Result<String, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let application_id = find_id_by_key(&mut *connection, key).await?;
        let application = find(&mut *connection, &application_id).await?;
        if !count_email(connection, EmailKind::Link, &application.answers.email).await? {
            return Err(Error::EmailLimitReached);
        }
        revoke_keys(connection, &application_id).await?;
        outbox::enqueue(connection, NewEmail::to_candidate(EmailKind::Link, &application)).await?;
        transaction.commit().await?;
        Ok(application_id)
    }

    /// Queues an email with new links to all applications of `email`. Does the same work if there are none, so that the
    /// caller does not learn who applied; the sender finds the applications.
    pub(crate) async fn request_links(&self, email: &str) -> Result<(), Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        if count_email(connection, EmailKind::Links, email).await? {
            let email = NewEmail {
                kind: EmailKind::Links,
                application_id: "",
                job_title: "",
                recipient: Some(email),
                step: None,
                note: "",
            };
            outbox::enqueue(connection, email).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

async fn revoke_keys(connection: &mut PgConnection, application_id: &str) -> Result<(), Error> {
    sqlx::query!("delete from careers.application_key where application_id = $1", application_id)
        .execute(connection)
        .await?;
    Ok(())
}
