//! Idempotency keys: a retried request returns the result of the first one.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::application::NewApplication;
use crate::error::Error;

/// Earlier request with the same idempotency key.
pub(super) struct EarlierRequest {
    pub(super) application_id: String,
    pub(super) received_at: OffsetDateTime,
    pub(super) receipt_queued: bool,
}

/// Claims the key for this request. Returns false if an earlier request has claimed it; of two concurrent requests, the
/// second waits for the first.
pub(super) async fn claim_key(connection: &mut PgConnection, new: &NewApplication, key: &str) -> Result<bool, Error> {
    let claimed = sqlx::query!(
        "
        insert into careers.idempotent_request (job_id, email_lower, idempotency_key, request_sha256, application_id)
        values ($1, $2, $3, $4, $5)
        on conflict do nothing
        ",
        new.job_id,
        new.answers.email_lower(),
        key,
        &new.request_digest(),
        new.application_id,
    )
    .execute(connection)
    .await
    .map_err(|error| match db::classify(&error) {
        db::Failure::LockTimeout => Error::InProgress(error),
        db::Failure::Unavailable | db::Failure::DiskFull | db::Failure::Other => error.into(),
    })?;
    Ok(claimed.rows_affected() == 1)
}

/// Returns the earlier request with this key.
///
/// # Errors
/// [`Error::IdempotencyKeyReused`] if its content differs.
pub(super) async fn find_request(
    connection: &mut PgConnection,
    new: &NewApplication,
    key: &str,
) -> Result<Option<EarlierRequest>, Error> {
    let row = sqlx::query!(
        "
        select application_id, request_sha256, received_at, receipt_queued from careers.idempotent_request
        where job_id = $1 and email_lower = $2 and idempotency_key = $3
        ",
        new.job_id,
        new.answers.email_lower(),
        key,
    )
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    if row.request_sha256 != new.request_digest() {
        return Err(Error::IdempotencyKeyReused);
    }
    let receipt_queued = row.receipt_queued;
    Ok(Some(EarlierRequest { application_id: row.application_id, received_at: row.received_at, receipt_queued }))
}

/// Stores that no receipt was queued for the request with this key, because the mailbox reached its limit.
pub(super) async fn mark_without_receipt(
    connection: &mut PgConnection,
    new: &NewApplication,
    key: &str,
) -> Result<(), Error> {
    sqlx::query!(
        "
        update careers.idempotent_request set receipt_queued = false
        where job_id = $1 and email_lower = $2 and idempotency_key = $3
        ",
        new.job_id,
        new.answers.email_lower(),
        key,
    )
    .execute(connection)
    .await?;
    Ok(())
}
