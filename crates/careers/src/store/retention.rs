//! Retention: deletion of expired applications and of expired bookkeeping rows.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Store;
use super::deletion::delete_dependent_rows;
use crate::error::Error;
use crate::settings::Retention;

/// Number of applications deleted in one transaction.
const APPLICATION_BATCH: i64 = 100;
/// Number of bookkeeping rows deleted by one statement.
const ROW_BATCH: i64 = 1_000;

/// Sets the expiry of an application after a change of its step or consents, or after its withdrawal: at least
/// `min_days` from now.
pub(super) async fn update_expiry(
    connection: &mut PgConnection,
    application_id: &str,
    retention: Retention,
    min_days: i32,
) -> Result<(), Error> {
    let days = |days: u32| i32::try_from(days).unwrap_or(i32::MAX);
    sqlx::query!(
        "
        update careers.application set expires_at = greatest(
            now() + make_interval(days => $2::integer),
            greatest(step_since, withdrawn_at) + make_interval(days => case
                when consent_later_roles then $3::integer
                when withdrawn_at is not null then $4::integer
                when step in ('offered', 'rejected') then $5::integer
                else $3
            end)
        )
        where application_id = $1
        ",
        application_id,
        min_days,
        days(retention.keep_applications_days),
        days(retention.keep_withdrawn_applications_days),
        days(retention.keep_decided_applications_days),
    )
    .execute(connection)
    .await?;
    Ok(())
}

impl Store {
    /// Deletes some expired applications. Returns the ids of their resumes, which the caller deletes; empty if no
    /// application is expired.
    pub(crate) async fn delete_expired_applications(&self) -> Result<Vec<Uuid>, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let deleted = sqlx::query!(
            "
            delete from careers.application
            where application_id in (
                select application_id from careers.application where expires_at <= now()
                order by expires_at limit $1 for update skip locked
            )
            returning application_id, resume_id
            ",
            APPLICATION_BATCH,
        )
        .fetch_all(&mut *connection)
        .await?;
        let ids: Vec<String> = deleted.iter().map(|row| row.application_id.clone()).collect();
        delete_dependent_rows(connection, &ids).await?;
        transaction.commit().await?;
        Ok(deleted.into_iter().map(|row| row.resume_id).collect())
    }

    /// Deletes idempotency keys after a day, totals of recipients after two days, daily totals after a week, and the access log of deleted applications after
    /// a year.
    pub(crate) async fn delete_expired_rows(&self) -> Result<(), Error> {
        db::delete_in_batches(|| {
            sqlx::query!(
                "
                delete from careers.idempotent_request
                where (job_id, email_lower, idempotency_key) in (
                    select job_id, email_lower, idempotency_key from careers.idempotent_request
                    where received_at < now() - interval '1 day' limit $1
                )
                ",
                ROW_BATCH,
            )
            .execute(&self.pool)
        })
        .await?;
        db::delete_in_batches(|| {
            sqlx::query!(
                "
                delete from careers.daily_recipient_total
                where (recipient_sha256, kind, day) in (
                    select recipient_sha256, kind, day from careers.daily_recipient_total
                    where day < (now() at time zone 'Asia/Kolkata')::date - 2 limit $1
                )
                ",
                ROW_BATCH,
            )
            .execute(&self.pool)
        })
        .await?;
        sqlx::query!(
            "delete from careers.daily_upload_total where day < (now() at time zone 'Asia/Kolkata')::date - 7"
        )
        .execute(&self.pool)
        .await?;
        db::delete_in_batches(|| {
            sqlx::query!(
                "
                delete from careers.access_log
                where (application_id, record_id) in (
                    select r.application_id, r.record_id from careers.access_log r
                    where r.accessed_at < now() - interval '1 year' and not exists (
                        select from careers.application a where a.application_id = r.application_id
                    )
                    limit $1
                )
                ",
                ROW_BATCH,
            )
            .execute(&self.pool)
        })
        .await?;
        Ok(())
    }
}
