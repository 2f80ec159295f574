//! Cleanup of abandoned journals.

use sqlx::postgres::PgPool;
use uuid::Uuid;

use super::deletion::delete_journal;
use crate::public_journal::error::Error;

/// Number of journals selected at a time.
const BATCH_SIZE: i64 = 100;

/// Deletes the journals without an account in which nothing was saved for 90 days.
///
/// # Errors
/// The database failed. Journals deleted before stay deleted.
pub async fn delete_expired_rows(pool: &PgPool) -> Result<(), Error> {
    db::run_in_batches(|| delete_batch(pool)).await?;
    Ok(())
}

/// Deletes up to [`BATCH_SIZE`] expired journals and returns the number of journals that were selected. Each journal is
/// deleted in a transaction of its own, which keeps the transactions short.
async fn delete_batch(pool: &PgPool) -> Result<u64, Error> {
    let expired = sqlx::query_scalar!(
        "
            select journal_id from journal.journal
            where key_hash is not null and last_saved_at < now() - interval '90 days'
            limit $1
            ",
        BATCH_SIZE,
    )
    .fetch_all(pool)
    .await?;
    for journal_id in &expired {
        delete_if_expired(pool, *journal_id).await?;
    }
    Ok(u64::try_from(expired.len()).unwrap_or(u64::MAX))
}

/// Deletes a journal unless an entry was saved since it was selected.
async fn delete_if_expired(pool: &PgPool, journal_id: Uuid) -> Result<(), Error> {
    let mut transaction = pool.begin().await?;
    let expired = sqlx::query!(
        "
        select journal_id from journal.journal
        where journal_id = $1 and key_hash is not null and last_saved_at < now() - interval '90 days'
        for update
        ",
        journal_id,
    )
    .fetch_optional(&mut *transaction)
    .await?;
    if expired.is_some() {
        delete_journal(&mut transaction, journal_id).await?;
    }
    transaction.commit().await?;
    Ok(())
}
