//! Deletion of journals, and of an account's data.

use sqlx::postgres::{PgConnection, PgPool};
use uuid::Uuid;

use crate::public_journal::error::Error;

/// Deletes the journal of an account. Idempotent.
///
/// # Errors
/// The database failed, or another write of the journal takes too long; then nothing is deleted.
pub async fn delete_account(pool: &PgPool, account_id: Uuid) -> Result<(), Error> {
    let mut transaction = pool.begin().await?;
    let journal_id = sqlx::query_scalar!(
        "delete from journal.account_journal where account_id = $1 returning journal_id",
        account_id
    )
    .fetch_optional(&mut *transaction)
    .await?;
    if let Some(journal_id) = journal_id {
        delete_journal(&mut transaction, journal_id).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// Deletes a journal. Deletes its row first, which waits for a write in progress, so that no entry of it remains.
pub(super) async fn delete_journal(connection: &mut PgConnection, journal_id: Uuid) -> Result<(), Error> {
    for statement in [
        sqlx::query!("delete from journal.journal where journal_id = $1", journal_id),
        sqlx::query!("delete from journal.total where journal_id = $1", journal_id),
        sqlx::query!("delete from journal.entry where journal_id = $1", journal_id),
    ] {
        statement.execute(&mut *connection).await?;
    }
    Ok(())
}
