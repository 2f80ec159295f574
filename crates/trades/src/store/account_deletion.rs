//! Deletion of the data of an account.

use sqlx::PgPool;
use uuid::Uuid;

use crate::error::Error;

/// Deletes every row of the account. Idempotent.
///
/// # Errors
/// The database failed, or another write of the account takes too long; then nothing is deleted.
pub async fn delete_account(pool: &PgPool, account_id: Uuid) -> Result<(), Error> {
    let mut transaction = pool.begin().await?;
    let connection = &mut *transaction;
    // Deleting a large log takes longer than the statement timeout of the pool.
    sqlx::query!(r#"select set_config('statement_timeout', '60s', true) as "limit!""#)
        .fetch_one(&mut *connection)
        .await?;
    // Waits for a write in progress, so that its rows are deleted too.
    sqlx::query!("select account_id from trades.account where account_id = $1 for update", account_id)
        .fetch_optional(&mut *connection)
        .await?;
    for statement in [
        sqlx::query!("delete from trades.trade where account_id = $1", account_id),
        sqlx::query!("delete from trades.undo_copy where account_id = $1", account_id),
        sqlx::query!("delete from trades.broker_trade where account_id = $1", account_id),
        sqlx::query!("delete from trades.deleted_source_key where account_id = $1", account_id),
        sqlx::query!("delete from trades.symbol where account_id = $1", account_id),
        sqlx::query!("delete from trades.idempotent_request where account_id = $1", account_id),
        sqlx::query!("delete from trades.import where account_id = $1", account_id),
        sqlx::query!("delete from trades.preview_trade where account_id = $1", account_id),
        sqlx::query!("delete from trades.preview where account_id = $1", account_id),
        sqlx::query!("delete from trades.change where account_id = $1", account_id),
        sqlx::query!("delete from trades.book where account_id = $1", account_id),
        sqlx::query!("delete from trades.contract_note where account_id = $1", account_id),
        sqlx::query!("delete from trades.ledger_entry where account_id = $1", account_id),
        sqlx::query!("delete from trades.ledger where account_id = $1", account_id),
        sqlx::query!("delete from trades.column_mapping where account_id = $1", account_id),
        sqlx::query!("delete from trades.brokerage_price where account_id = $1", account_id),
        sqlx::query!("delete from trades.broker_account where account_id = $1", account_id),
        sqlx::query!("delete from trades.account where account_id = $1", account_id),
    ] {
        statement.execute(&mut *connection).await?;
    }
    transaction.commit().await?;
    Ok(())
}
