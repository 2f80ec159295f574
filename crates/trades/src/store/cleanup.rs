//! Cleanup of expired rows.

use sqlx::PgPool;

use super::preview;
use crate::error::Error;

/// Number of changes selected at a time.
const BATCH_SIZE: i64 = 500;

/// Deletes expired rows: recorded requests after 24 hours, expired previews, and the undo copies of changes that can no
/// longer be undone.
///
/// # Errors
/// The first error of the database. The other parts of the cleanup run even so.
pub async fn delete_expired_rows(pool: &PgPool) -> Result<(), Error> {
    let results = [
        delete_recorded_requests(pool).await,
        preview::delete_expired_previews(pool).await,
        delete_undo_copies(pool).await,
    ];
    results.into_iter().collect()
}

async fn delete_recorded_requests(pool: &PgPool) -> Result<(), Error> {
    sqlx::query!("delete from trades.idempotent_request where recorded_at < now() - interval '24 hours'")
        .execute(pool)
        .await?;
    Ok(())
}

async fn delete_undo_copies(pool: &PgPool) -> Result<(), Error> {
    db::run_in_batches(|| delete_undo_copies_batch(pool)).await?;
    Ok(())
}

/// Deletes the undo copies of up to [`BATCH_SIZE`] changes and returns the number of changes. Each change has a
/// statement of its own, because it may have removed a whole book; this keeps the statements short.
async fn delete_undo_copies_batch(pool: &PgPool) -> Result<u64, Error> {
    // One day after the end of the undo period, so that an undo in progress finds all copies.
    let expired = sqlx::query!(
        "
        select account_id, change_id from trades.change
        where has_undo_copies and made_at < now() - interval '31 days'
        order by made_at
        limit $1
        ",
        BATCH_SIZE,
    )
    .fetch_all(pool)
    .await?;
    for change in &expired {
        // Also deletes the broker's versions of trades that are neither in the log nor in another undo copy.
        sqlx::query!(
            "
            with updated as (
                update trades.change set has_undo_copies = false where account_id = $1 and change_id = $2
            ),
            deleted as (
                delete from trades.undo_copy where account_id = $1 and change_id = $2 returning trade_id
            )
            delete from trades.broker_trade b using deleted
            where b.account_id = $1 and b.trade_id = deleted.trade_id
              and not exists (select from trades.trade t where t.account_id = $1 and t.trade_id = b.trade_id)
              and not exists (
                  select from trades.undo_copy k
                  where k.account_id = $1 and k.trade_id = b.trade_id and k.change_id <> $2
              )
            ",
            change.account_id,
            change.change_id,
        )
        .execute(pool)
        .await?;
    }
    Ok(u64::try_from(expired.len()).unwrap_or(u64::MAX))
}
