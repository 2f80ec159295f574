//! Forgetting: an account as a whole, and what has run out.

use sqlx::PgPool;
use uuid::Uuid;

use super::preview;
use crate::error::Error;

/// Erases every row of the account. To do it twice does no harm.
///
/// # Errors
/// When the database fails, or another write of the account takes too long; then nothing is erased.
pub async fn delete_account(pool: &PgPool, account_id: Uuid) -> Result<(), Error> {
    let mut transaction = pool.begin().await?;
    let connection = &mut *transaction;
    // A large log takes a while.
    sqlx::query!(r#"select set_config('statement_timeout', '60s', true) as "limit!""#)
        .fetch_one(&mut *connection)
        .await?;
    // A write that still goes on is waited for, so that it leaves nothing behind.
    sqlx::query!("select account_id from trades.account where account_id = $1 for update", account_id)
        .fetch_optional(&mut *connection)
        .await?;
    for erased in [
        sqlx::query!("delete from trades.trade where account_id = $1", account_id),
        sqlx::query!("delete from trades.kept_trade where account_id = $1", account_id),
        sqlx::query!("delete from trades.broker_trade where account_id = $1", account_id),
        sqlx::query!("delete from trades.deleted_source where account_id = $1", account_id),
        sqlx::query!("delete from trades.symbol where account_id = $1", account_id),
        sqlx::query!("delete from trades.answered_request where account_id = $1", account_id),
        sqlx::query!("delete from trades.import where account_id = $1", account_id),
        sqlx::query!("delete from trades.preview_trade where account_id = $1", account_id),
        sqlx::query!("delete from trades.preview where account_id = $1", account_id),
        sqlx::query!("delete from trades.change where account_id = $1", account_id),
        sqlx::query!("delete from trades.book where account_id = $1", account_id),
        sqlx::query!("delete from trades.account where account_id = $1", account_id),
    ] {
        erased.execute(&mut *connection).await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// Drops what nobody can ask for any more: trades that were kept for changes that are too old to be taken back, and
/// answers to requests that are not sent again, and previews whose time is over.
///
/// # Errors
/// When the database fails. What fails keeps nothing else from being dropped.
pub async fn delete_expired_rows(pool: &PgPool) -> Result<(), Error> {
    let parts = [sweep_answers(pool).await, preview::sweep(pool).await, sweep_all_kept(pool).await];
    parts.into_iter().collect()
}

async fn sweep_answers(pool: &PgPool) -> Result<(), Error> {
    sqlx::query!("delete from trades.answered_request where answered_at < now() - interval '24 hours'")
        .execute(pool)
        .await?;
    Ok(())
}

async fn sweep_all_kept(pool: &PgPool) -> Result<(), Error> {
    while sweep_kept(pool).await? == AT_ONCE {}
    Ok(())
}

/// How many changes are looked for at once.
const AT_ONCE: usize = 500;

/// Drops the trades that were kept for some of the changes that are too old; for how many. Each may have kept a whole
/// book, so each is a statement, and none takes long.
async fn sweep_kept(pool: &PgPool) -> Result<usize, Error> {
    // A day later than they can be taken back, so that no one who does it now finds half of it.
    let old = sqlx::query!(
        "
        select account_id, change_id from trades.change
        where kept and made_at < now() - interval '31 days'
        order by made_at
        limit $1
        ",
        i64::try_from(AT_ONCE).unwrap_or(i64::MAX),
    )
    .fetch_all(pool)
    .await?;
    for change in &old {
        // With a trade that is nowhere any more goes what the broker said of it.
        sqlx::query!(
            "
            with swept as (
                update trades.change set kept = false where account_id = $1 and change_id = $2
            ),
            gone as (
                delete from trades.kept_trade where account_id = $1 and change_id = $2 returning trade_id
            )
            delete from trades.broker_trade b using gone
            where b.account_id = $1 and b.trade_id = gone.trade_id
              and not exists (select from trades.trade t where t.account_id = $1 and t.trade_id = b.trade_id)
              and not exists (
                  select from trades.kept_trade k
                  where k.account_id = $1 and k.trade_id = b.trade_id and k.change_id <> $2
              )
            ",
            change.account_id,
            change.change_id,
        )
        .execute(pool)
        .await?;
    }
    Ok(old.len())
}
