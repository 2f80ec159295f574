//! Storing a new application.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::Store;
use super::idempotency;
use super::outbox::{self, ApplicationRef, EmailKind};
use crate::application::NewApplication;
use crate::error::Error;

/// Maximum number of applications per day, job and email address that trigger emails. Further ones are only stored.
const MAX_EMAILED_PER_DAY: i64 = 3;

/// Result of storing an application.
#[derive(Clone, Debug)]
pub(crate) struct StoredApplication {
    pub(crate) application_id: String,
    pub(crate) received_at: OffsetDateTime,
    /// True if an earlier request with the same idempotency key stored it.
    pub(crate) replayed: bool,
}

/// Limits of submissions.
#[derive(Clone, Copy)]
pub(crate) struct SubmissionLimits {
    pub(crate) max_bytes_per_day: i64,
    pub(crate) retention: time::Duration,
}

impl Store {
    /// Returns the result of an earlier request with the same idempotency key, if there is one.
    pub(crate) async fn find_submission(&self, new: &NewApplication) -> Result<Option<StoredApplication>, Error> {
        match &new.idempotency_key {
            Some(key) => find_submission(&mut *self.pool.acquire().await?, new, key).await,
            None => Ok(None),
        }
    }

    /// Returns true if today's limit of resume bytes is reached.
    pub(crate) async fn is_daily_limit_reached(&self, limits: SubmissionLimits) -> Result<bool, Error> {
        let bytes = sqlx::query_scalar!(
            "select resume_bytes from careers.daily_upload_total where day = (now() at time zone 'Asia/Kolkata')::date",
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(bytes.is_some_and(|bytes| bytes >= limits.max_bytes_per_day))
    }

    /// Stores an application, whose resume must be stored already, and queues the emails about it. Returns the earlier
    /// result if a request with the same idempotency key stored it before.
    pub(crate) async fn add_application(
        &self,
        new: &NewApplication,
        limits: SubmissionLimits,
        notify_company: bool,
    ) -> Result<StoredApplication, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        if let Some(key) = &new.idempotency_key
            && !idempotency::claim_key(connection, new, key).await?
        {
            let stored = find_submission(connection, new, key).await?;
            return stored.ok_or_else(|| Error::InProgress(sqlx::Error::RowNotFound));
        }
        // The lock on today's counter stores applications one after the other from here on.
        add_to_daily_total(connection, new.resume.bytes, limits).await?;
        let send_emails = sqlx::query_scalar!(
            r#"
            select count(*) < $3 as "mailed!" from careers.application
            where email_lower = $1 and job_id = $2 and received_at > now() - interval '1 day'
            "#,
            new.answers.email_lower(),
            new.job_id,
            MAX_EMAILED_PER_DAY,
        )
        .fetch_one(&mut *connection)
        .await?;
        let received_at = insert(connection, new, limits.retention).await?;
        if send_emails {
            let application = ApplicationRef { application_id: &new.application_id, job_title: &new.job_title };
            outbox::enqueue(connection, EmailKind::Receipt, application, Some(&new.answers.email), "").await?;
            if notify_company {
                outbox::enqueue(connection, EmailKind::NewApplication, application, None, "").await?;
            }
        }
        transaction.commit().await?;
        Ok(StoredApplication { application_id: new.application_id.clone(), received_at, replayed: false })
    }
}

async fn find_submission(
    connection: &mut PgConnection,
    new: &NewApplication,
    key: &str,
) -> Result<Option<StoredApplication>, Error> {
    let request = idempotency::find_request(connection, new, key).await?;
    // The request and the application were stored in one transaction, so their times are equal.
    Ok(request.map(|request| StoredApplication {
        application_id: request.application_id,
        received_at: request.received_at,
        replayed: true,
    }))
}

/// Adds the resume to today's total, unless the total would exceed the limit.
async fn add_to_daily_total(connection: &mut PgConnection, bytes: i64, limits: SubmissionLimits) -> Result<(), Error> {
    let updated = sqlx::query!(
        "
        insert into careers.daily_upload_total as d (day, resume_bytes)
        select (now() at time zone 'Asia/Kolkata')::date, $1::bigint where $1 <= $2::bigint
        on conflict (day) do update set resume_bytes = d.resume_bytes + $1 where d.resume_bytes + $1 <= $2
        ",
        bytes,
        limits.max_bytes_per_day,
    )
    .execute(connection)
    .await?;
    if updated.rows_affected() == 1 { Ok(()) } else { Err(Error::DailyLimitReached) }
}

async fn insert(
    connection: &mut PgConnection,
    new: &NewApplication,
    retention: time::Duration,
) -> Result<OffsetDateTime, Error> {
    let (answers, consents) = (&new.answers, new.consents.as_ref());
    Ok(sqlx::query_scalar!(
        "
        insert into careers.application (
            application_id, job_id, job_title, name, email, email_lower, mobile, college, degree, passing_year, role,
            experience, linkedin, motivation, file_name, resume_id, resume_bytes, resume_sha256, consent_application,
            consent_later_roles, notice_version, expires_at
        )
        values (
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
            now() + make_interval(secs => $22)
        )
        returning received_at
        ",
        new.application_id,
        new.job_id,
        new.job_title,
        answers.name,
        answers.email,
        answers.email_lower(),
        answers.mobile,
        answers.college,
        answers.degree,
        answers.passing_year,
        answers.role,
        answers.experience,
        answers.linkedin,
        answers.motivation,
        new.resume.file_name,
        new.resume.resume_id,
        new.resume.bytes,
        new.resume.sha256,
        consents.map(|consents| consents.this_application),
        consents.map(|consents| consents.later_roles),
        consents.map(|consents| consents.notice_version.as_str()),
        retention.as_seconds_f64(),
    )
    .fetch_one(connection)
    .await?)
}
