//! Outbox: emails to be sent, and the access keys in them.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Store;
use super::queries::find;
use crate::application::{AccessKey, Application, Step};
use crate::error::Error;

/// Number of emails that one process sends at once.
const BATCH_SIZE: i64 = 8;
/// Maximum number of applications in one email with links.
const MAX_LINKS: i64 = 10;

/// Kind of email.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmailKind {
    Receipt,
    Step,
    /// Note of the company without a new step.
    Note,
    Corrected,
    Withdrawn,
    Deleted,
    /// New link, after the candidate revoked the old one.
    Link,
    /// New links of all applications of an address, which belongs to no single application.
    Links,
    /// Notification of the company.
    NewApplication,
}

impl EmailKind {
    const ALL: [Self; 9] = [
        Self::Receipt,
        Self::Step,
        Self::Note,
        Self::Corrected,
        Self::Withdrawn,
        Self::Deleted,
        Self::Link,
        Self::Links,
        Self::NewApplication,
    ];

    /// Returns the stable name that the database stores.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Receipt => "receipt",
            Self::Step => "step",
            Self::Note => "note",
            Self::Corrected => "corrected",
            Self::Withdrawn => "withdrawn",
            Self::Deleted => "deleted",
            Self::Link => "link",
            Self::Links => "links",
            Self::NewApplication => "new-application",
        }
    }

    /// Parses a name that [`EmailKind::name`] returned.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Email to be queued.
pub(super) struct NewEmail<'a> {
    pub(super) kind: EmailKind,
    /// Empty for [`EmailKind::Links`].
    pub(super) application_id: &'a str,
    /// Stored with the email, because the application may be deleted before the email is sent.
    pub(super) job_title: &'a str,
    /// `None` for the company's inbox.
    pub(super) recipient: Option<&'a str>,
    /// Step that the email is about.
    pub(super) step: Option<Step>,
    pub(super) note: &'a str,
}

impl<'a> NewEmail<'a> {
    /// Creates an email of this kind to the candidate.
    pub(super) fn to_candidate(kind: EmailKind, application: &'a Application) -> Self {
        Self {
            kind,
            application_id: &application.application_id,
            job_title: &application.job_title,
            recipient: Some(&application.answers.email),
            step: None,
            note: "",
        }
    }
}

/// Queued email that is due.
pub(crate) struct DueEmail {
    pub(crate) email_id: Uuid,
    pub(crate) application_id: String,
    pub(crate) kind: String,
    pub(crate) email: Option<String>,
    pub(crate) job_title: String,
    pub(crate) step: Option<String>,
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

/// Queues an email. It replaces an unsent email of the same kind about the same application, so that the candidate is
/// told only the latest state; notes are all sent, except unsent ones about a step that was never announced. Returns true
/// if it replaced one.
pub(super) async fn enqueue(connection: &mut PgConnection, email: NewEmail<'_>) -> Result<bool, Error> {
    let replaced = match email.kind {
        EmailKind::Note | EmailKind::Links => false,
        EmailKind::Step => remove_unsent_step(connection, email.application_id).await?,
        kind => remove_unsent(connection, email.application_id, &[kind]).await?,
    };
    sqlx::query!(
        "
        insert into careers.email (email_id, application_id, kind, email, job_title, step, note)
        values ($1, $2, $3, $4, $5, $6, $7)
        ",
        Uuid::now_v7(),
        email.application_id,
        email.kind.name(),
        email.recipient,
        email.job_title,
        email.step.map(Step::name),
        email.note,
    )
    .execute(connection)
    .await?;
    Ok(replaced)
}

/// Removes the unsent email about a step, with the notes that were queued after it. Returns true if there was one.
async fn remove_unsent_step(connection: &mut PgConnection, application_id: &str) -> Result<bool, Error> {
    let removed = sqlx::query!(
        "
        delete from careers.email
        where application_id = $1 and kind in ('step', 'note')
          and email_id >= (
              select step.email_id from careers.email step where step.application_id = $1 and step.kind = 'step'
              order by step.email_id limit 1
          )
        ",
        application_id,
    );
    Ok(removed.execute(connection).await?.rows_affected() > 0)
}

/// Removes unsent emails of these kinds about an application. Returns true if there were any.
pub(super) async fn remove_unsent(
    connection: &mut PgConnection,
    application_id: &str,
    kinds: &[EmailKind],
) -> Result<bool, Error> {
    let kinds: Vec<String> = kinds.iter().map(|kind| kind.name().to_owned()).collect();
    let removed =
        sqlx::query!("delete from careers.email where application_id = $1 and kind = any($2)", application_id, &kinds,);
    Ok(removed.execute(connection).await?.rows_affected() > 0)
}

/// Removes all queued emails.
pub(crate) async fn clear(connection: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("truncate careers.email").execute(connection).await?;
    Ok(())
}

impl Store {
    /// Returns some due emails and postpones their next attempt, with exponential backoff up to an hour. If this process
    /// crashes, another one retries them then. Emails about the step of an application are sent one after the other, because
    /// a note belongs to the step before it.
    pub(crate) async fn claim_due_emails(&self) -> Result<Vec<DueEmail>, Error> {
        Ok(sqlx::query_as!(
            DueEmail,
            r#"update careers.email e
               set attempts = attempts + 1,
                   next_attempt_at = now() + least(interval '1 minute' * power(2, attempts), interval '1 hour')
               from (select email_id from careers.email candidate where next_attempt_at <= now()
                       and (kind not in ('step', 'note')
                            or not exists (
                                select from careers.email older
                                where older.application_id = candidate.application_id and older.kind in ('step', 'note')
                                  and older.email_id < candidate.email_id
                            ))
                     order by next_attempt_at limit $1 for update skip locked) as due
               where e.email_id = due.email_id
               returning e.email_id, e.application_id, e.kind, e.email, e.job_title, e.step, e.note,
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

    /// Returns the latest applications of an email address.
    pub(crate) async fn find_applications_of(&self, email: &str) -> Result<Vec<Application>, Error> {
        let ids = sqlx::query_scalar!(
            "
            select application_id from careers.application
            where email_lower = $1 and expires_at > now()
            order by received_at desc limit $2
            ",
            email.to_lowercase(),
            MAX_LINKS,
        )
        .fetch_all(&self.pool)
        .await?;
        let mut applications = Vec::new();
        for application_id in ids {
            applications.extend(self.find_email_application(&application_id).await?);
        }
        Ok(applications)
    }

    /// Stores the hash of an access key for the email address of the application. Returns false if the application was
    /// deleted or its address was corrected meanwhile; then the email must not be sent.
    pub(crate) async fn add_access_key(&self, key: &AccessKey, application: &Application) -> Result<bool, Error> {
        let added = sqlx::query!(
            "
            insert into careers.application_key (key_hash, application_id)
            select $1, application_id from careers.application where application_id = $2 and email = $3 for share
            ",
            &key.hash(),
            application.application_id,
            application.answers.email,
        );
        Ok(added.execute(&self.pool).await?.rows_affected() == 1)
    }

    /// Removes an email from the outbox.
    pub(crate) async fn remove_email(&self, email: &DueEmail) -> Result<(), Error> {
        sqlx::query!("delete from careers.email where email_id = $1", email.email_id).execute(&self.pool).await?;
        Ok(())
    }
}
