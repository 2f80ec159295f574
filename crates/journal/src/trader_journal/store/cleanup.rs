//! Deletion of expired changes, and of an account's journal.

use sqlx::PgPool;
use uuid::Uuid;

use crate::trader_journal::error::Error;

/// Number of changes deleted at a time.
const BATCH_SIZE: i64 = 1_000;

/// Deletes changes made more than 30 days ago.
pub async fn delete_expired_changes(pool: &PgPool) -> Result<(), Error> {
    db::run_in_batches(|| async {
        let deleted = sqlx::query!(
            "
            delete from journal.change where (account_id, change_id) in (
                select account_id, change_id from journal.change where made_at < now() - interval '30 days' limit $1
            )
            ",
            BATCH_SIZE,
        );
        Ok::<u64, Error>(deleted.execute(pool).await?.rows_affected())
    })
    .await?;
    Ok(())
}

/// Deletes the journal of an account, except its screenshots. Idempotent.
pub async fn delete_account(pool: &PgPool, account_id: Uuid) -> Result<(), Error> {
    let mut transaction = pool.begin().await?;
    for statement in [
        // Waits for a write in progress, so that no row of it remains.
        sqlx::query!("delete from journal.account where account_id = $1", account_id),
        sqlx::query!("delete from journal.account_entry where account_id = $1", account_id),
        sqlx::query!("delete from journal.change where account_id = $1", account_id),
        sqlx::query!("delete from journal.playbook where account_id = $1", account_id),
        sqlx::query!("delete from journal.template where account_id = $1", account_id),
    ] {
        statement.execute(&mut *transaction).await?;
    }
    Ok(transaction.commit().await?)
}
