//! Outbox: emails to be sent, and the access keys in them.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Store;
use super::queries::find;
use crate::application::{AccessKey, Application};
use crate::error::Error;

/// Number of emails that one process sends at once.
const BATCH_SIZE: i64 = 8;

/// Kind of email.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmailKind {
    Receipt,
    Step,
    Corrected,
    Withdrawn,
    Deleted,
    /// Notification of the company.
    NewApplication,
}

impl EmailKind {
    const ALL: [Self; 6] =
        [Self::Receipt, Self::Step, Self::Corrected, Self::Withdrawn, Self::Deleted, Self::NewApplication];

    /// Returns the stable name that the database stores.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Receipt => "receipt",
            Self::Step => "step",
            Self::Corrected => "corrected",
            Self::Withdrawn => "withdrawn",
            Self::Deleted => "deleted",
            Self::NewApplication => "new-application",
        }
    }

    /// Parses a name that [`EmailKind::name`] returned.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Application that an email is about. Its title is stored with the email, because the application may be deleted before
/// the email is sent.
#[derive(Clone, Copy)]
pub(super) struct ApplicationRef<'a> {
    pub(super) application_id: &'a str,
    pub(super) job_title: &'a str,
}

/// Queued email that is due.
pub(crate) struct DueEmail {
    pub(crate) email_id: Uuid,
    pub(crate) application_id: String,
    pub(crate) kind: String,
    pub(crate) email: Option<String>,
    pub(crate) job_title: String,
    pub(crate) note: String,
    /// True if the email was queued so long ago that it is not retried.
    pub(crate) is_last_attempt: bool,
}

impl mail::QueuedEmail for DueEmail {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn is_last_attempt(&self) -> bool {
        self.is_last_attempt
    }
}

/// Queues an email to `email`, or to the company's inbox if `email` is `None`.
pub(super) async fn enqueue(
    connection: &mut PgConnection,
    kind: EmailKind,
    application: ApplicationRef<'_>,
    email: Option<&str>,
    note: &str,
) -> Result<(), Error> {
    sqlx::query!(
        "
        insert into careers.email (email_id, application_id, kind, email, job_title, note)
        values ($1, $2, $3, $4, $5, $6)
        ",
        Uuid::now_v7(),
        application.application_id,
        kind.name(),
        email,
        application.job_title,
        note,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes all queued emails.
pub(crate) async fn clear(connection: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("truncate careers.email").execute(connection).await?;
    Ok(())
}

impl Store {
    /// Returns some due emails and postpones their next attempt, with exponential backoff up to an hour. If this process
    /// crashes, another one retries them then.
    pub(crate) async fn claim_due_emails(&self) -> Result<Vec<DueEmail>, Error> {
        Ok(sqlx::query_as!(
            DueEmail,
            r#"update careers.email e
               set attempts = attempts + 1,
                   next_attempt_at = now() + least(interval '1 minute' * power(2, attempts), interval '1 hour')
               from (select email_id from careers.email where next_attempt_at <= now()
                     order by next_attempt_at limit $1 for update skip locked) as due
               where e.email_id = due.email_id
               returning e.email_id, e.application_id, e.kind, e.email, e.job_title, e.note,
                         e.next_attempt_at > e.requested_at + interval '1 day' as "is_last_attempt!""#,
            BATCH_SIZE,
        )
        .fetch_all(&self.pool)
        .await?)
    }

    /// Returns the application that an email is about, or `None` if it was deleted.
    pub(crate) async fn find_email_application(&self, application_id: &str) -> Result<Option<Application>, Error> {
        match find(&self.pool, application_id).await {
            Ok(application) => Ok(Some(application)),
            Err(Error::ApplicationNotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Stores the hash of an access key, unless the application was deleted meanwhile.
    pub(crate) async fn add_access_key(&self, key: &AccessKey, application_id: &str) -> Result<(), Error> {
        sqlx::query!(
            "
            insert into careers.application_key (key_hash, application_id)
            select $1, application_id from careers.application where application_id = $2 for share
            ",
            &key.hash(),
            application_id,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Removes an email from the outbox.
    pub(crate) async fn remove_email(&self, email: &DueEmail) -> Result<(), Error> {
        sqlx::query!("delete from careers.email where email_id = $1", email.email_id).execute(&self.pool).await?;
        Ok(())
    }
}
