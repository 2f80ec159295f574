//! Storing a new application.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::Store;
use super::email_correction::replace_correction_token;
use super::idempotency;
use super::outbox::{self, EmailKind, NewEmail};
use super::recipients::count_email;
use super::retention::update_expiry;
use crate::application::NewApplication;
use crate::error::Error;
use crate::settings::Retention;

/// Result of storing an application.
#[derive(Clone, Debug)]
pub(crate) struct StoredApplication {
    pub(crate) application_id: String,
    pub(crate) received_at: OffsetDateTime,
    /// True if an earlier request with the same idempotency key stored it.
    pub(crate) replayed: bool,
    /// True if the email address can be corrected with the token of the request.
    pub(crate) is_email_correctable: bool,
    /// False if the mailbox reached its limit of receipts for the day.
    pub(crate) receipt_queued: bool,
}

/// Limits of submissions.
#[derive(Clone, Copy)]
pub(crate) struct SubmissionLimits {
    pub(crate) max_bytes_per_day: i64,
    pub(crate) retention: Retention,
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
            transaction.commit().await?;
            return stored.ok_or_else(|| Error::InProgress(sqlx::Error::RowNotFound));
        }
        // The lock on today's counter stores applications one after the other from here on.
        add_to_daily_total(connection, new.resume.bytes, limits).await?;
        let received_at = insert(connection, new).await?;
        update_expiry(connection, &new.application_id, limits.retention, 0).await?;
        let receipt_queued = count_email(connection, EmailKind::Receipt, &new.answers.email).await?;
        if receipt_queued {
            let (application_id, job_title) = (new.application_id.as_str(), new.job_title.as_str());
            let email = |kind, recipient| NewEmail { kind, application_id, job_title, recipient, step: None, note: "" };
            outbox::enqueue(connection, email(EmailKind::Receipt, Some(new.answers.email.as_str()))).await?;
            if notify_company {
                outbox::enqueue(connection, email(EmailKind::NewApplication, None)).await?;
            }
        } else if let Some(key) = &new.idempotency_key {
            idempotency::mark_without_receipt(connection, new, key).await?;
        }
        transaction.commit().await?;
        Ok(StoredApplication {
            application_id: new.application_id.clone(),
            received_at,
            replayed: false,
            is_email_correctable: true,
            receipt_queued,
        })
    }
}

async fn find_submission(
    connection: &mut PgConnection,
    new: &NewApplication,
    key: &str,
) -> Result<Option<StoredApplication>, Error> {
    let Some(request) = idempotency::find_request(&mut *connection, new, key).await? else { return Ok(None) };
    let is_email_correctable =
        replace_correction_token(connection, &request.application_id, &new.email_correction_token).await?;
    // The request and the application were stored in one transaction, so their times are equal.
    Ok(Some(StoredApplication {
        application_id: request.application_id,
        received_at: request.received_at,
        replayed: true,
        is_email_correctable,
        receipt_queued: request.receipt_queued,
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

/// Stores an application. [`update_expiry`] sets its expiry.
async fn insert(connection: &mut PgConnection, new: &NewApplication) -> Result<OffsetDateTime, Error> {
    let (answers, consents) = (&new.answers, new.consents.as_ref());
    Ok(sqlx::query_scalar!(
        "
        insert into careers.application (
            application_id, job_id, job_title, name, email, email_lower, mobile, college, degree, passing_year, role,
            experience, linkedin, motivation, file_name, resume_id, resume_bytes, resume_sha256, consent_application,
            consent_later_roles, notice_version, email_correction_sha256, expires_at
        )
        values (
            $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
            $22, now()
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
        &new.email_correction_token.hash(),
    )
    .fetch_one(connection)
    .await?)
}
