//! Outbox: the queue of emails.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Store;
use crate::account::Login;
use crate::email::EmailKind;
use crate::error::Error;

/// Maximum number of emails of one kind per address and hour.
const MAX_EMAILS_PER_HOUR: i32 = 3;
/// Number of emails that a sender claims at once.
const BATCH_SIZE: i64 = 8;

/// Email to be sent now.
pub(crate) struct QueuedEmail {
    pub(crate) login: String,
    pub(crate) kind: String,
    pub(crate) requested_at: OffsetDateTime,
    /// True if the email was requested so long ago that it is not retried.
    pub(crate) is_last_attempt: bool,
}

impl mail::QueuedEmail for QueuedEmail {
    fn kind(&self) -> &str {
        &self.kind
    }

    fn is_last_attempt(&self) -> bool {
        self.is_last_attempt
    }
}

/// Account that an email is sent to.
pub(crate) struct Recipient {
    pub(crate) account_id: Uuid,
    pub(crate) email: String,
    pub(crate) email_confirmed: bool,
    pub(crate) closed_at: Option<OffsetDateTime>,
}

/// Queues an email to the address of `login`, even if no account has it. Ignores requests above the hourly limit
/// without an error.
pub(super) async fn queue_email(connection: &mut PgConnection, kind: EmailKind, login: &Login) -> Result<(), Error> {
    sqlx::query!(
        "insert into auth.outbox as o (login, kind) values ($1, $2)
         on conflict (login, kind) do update set
             requested_at = now(), attempts = 0, next_attempt_at = now(),
             window_started_at = case
                 when o.window_started_at > now() - interval '1 hour' then o.window_started_at else now() end,
             requests_in_window = case
                 when o.window_started_at > now() - interval '1 hour' then o.requests_in_window + 1 else 1 end
         where o.window_started_at <= now() - interval '1 hour' or o.requests_in_window < $3",
        login.as_str(),
        kind.as_str(),
        MAX_EMAILS_PER_HOUR,
    )
    .execute(connection)
    .await?;
    Ok(())
}

impl Store {
    pub(crate) async fn queue_email(&self, kind: EmailKind, login: &Login) -> Result<(), Error> {
        queue_email(&mut *self.pool.acquire().await?, kind, login).await
    }

    /// Returns some due emails and postpones their next attempt: by one minute, then twice as long each time, up to an
    /// hour. If this process crashes, another sender retries them then.
    pub(crate) async fn claim_due_emails(&self) -> Result<Vec<QueuedEmail>, Error> {
        let emails = sqlx::query!(
            r#"update auth.outbox o
               set attempts = attempts + 1,
                   next_attempt_at = now() + least(interval '1 minute' * power(2, attempts), interval '1 hour')
               from (select login, kind from auth.outbox where next_attempt_at <= now()
                     order by next_attempt_at limit $1 for update skip locked) as due
               where o.login = due.login and o.kind = due.kind
               returning o.login, o.kind, o.requested_at,
                         o.next_attempt_at > o.requested_at + interval '1 day' as "is_last_attempt!""#,
            BATCH_SIZE,
        )
        .map(|row| QueuedEmail {
            login: row.login,
            kind: row.kind,
            requested_at: row.requested_at,
            is_last_attempt: row.is_last_attempt,
        });
        Ok(emails.fetch_all(&self.pool).await?)
    }

    /// Returns the account with this login, or `None` if there is none.
    pub(crate) async fn find_recipient(&self, login: &str) -> Result<Option<Recipient>, Error> {
        let account_id = sqlx::query_scalar!("select account_id from auth.login where login = $1", login)
            .fetch_optional(&self.pool)
            .await?;
        Ok(sqlx::query_as!(
            Recipient,
            r#"select account_id, email, email_confirmed_at is not null as "email_confirmed!", closed_at
               from auth.account where account_id = $1"#,
            account_id,
        )
        .fetch_optional(&self.pool)
        .await?)
    }

    /// Marks an email as done unless it was requested again since it was claimed.
    pub(crate) async fn mark_email_done(&self, email: &QueuedEmail) -> Result<(), Error> {
        sqlx::query!(
            "update auth.outbox set next_attempt_at = null where login = $1 and kind = $2 and requested_at = $3",
            email.login,
            email.kind,
            email.requested_at,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}
