//! How a journal ends: taken over by an account, erased with it, or left.

use sqlx::postgres::{PgConnection, PgPool};
use uuid::Uuid;

use super::{by_key, locked, own};
use crate::error::Error;
use crate::journal::MOST_ENTRIES;
use crate::store::Store;

impl Store {
    /// Makes the journal that `key` opens the account's own, and says how many entries came to it.
    pub async fn take_over(&self, account_id: Uuid, key: &str) -> Result<i64, Error> {
        let mut transaction = self.requests().begin().await?;
        let connection = &mut *transaction;
        let taken = by_key(connection, key).await?.ok_or(Error::NoJournal)?;
        let own = own(connection, account_id, taken.journal_id).await?;
        if own == taken.journal_id {
            sqlx::query!("update trades.journal set key_hash = null where journal_id = $1", own)
                .execute(&mut *connection)
                .await?;
        } else {
            let held = locked(connection, own).await?;
            if held + taken.entries > MOST_ENTRIES {
                return Err(Error::JournalFull);
            }
            merge(connection, taken.journal_id, own, held, taken.entries).await?;
        }
        transaction.commit().await?;
        Ok(taken.entries)
    }
}

/// Puts all entries of one journal behind the `held` entries of another, and drops the one. Both are locked.
async fn merge(connection: &mut PgConnection, from: Uuid, to: Uuid, held: i64, moved: i64) -> Result<(), Error> {
    // A key that stands for another entry there is of no more use: the browser that sent it writes elsewhere now.
    sqlx::query!(
        "
        insert into trades.journal_entry (
            journal_id, entry_id, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at,
            sold_at, idempotency_key, written_at
        )
        select $2, entry_id + $3, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at,
               sold_at,
               case when idempotency_key not in (
                   select t.idempotency_key from trades.journal_entry t
                   where t.journal_id = $2 and t.idempotency_key is not null
               ) then idempotency_key end,
               written_at
        from trades.journal_entry
        where journal_id = $1
        ",
        from,
        to,
        held,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "
        insert into trades.journal_tally (journal_id, kind, entries, wins, pnl)
        select $2, kind, entries, wins, pnl from trades.journal_tally where journal_id = $1
        on conflict (journal_id, kind) do update
        set entries = journal_tally.entries + excluded.entries,
            wins = journal_tally.wins + excluded.wins,
            pnl = journal_tally.pnl + excluded.pnl
        ",
        from,
        to,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!("update trades.journal set entry_count = entry_count + $2 where journal_id = $1", to, moved)
        .execute(&mut *connection)
        .await?;
    drop_journal(connection, from).await
}

/// Erases a journal. Who writes in it is waited for, and leaves nothing behind.
async fn drop_journal(connection: &mut PgConnection, journal_id: Uuid) -> Result<(), Error> {
    for dropped in [
        sqlx::query!("delete from trades.journal where journal_id = $1", journal_id),
        sqlx::query!("delete from trades.journal_tally where journal_id = $1", journal_id),
        sqlx::query!("delete from trades.journal_entry where journal_id = $1", journal_id),
    ] {
        dropped.execute(&mut *connection).await?;
    }
    Ok(())
}

/// Erases the journal of an account.
pub(in crate::store) async fn erase(connection: &mut PgConnection, account_id: Uuid) -> Result<(), Error> {
    let own = sqlx::query_scalar!(
        "delete from trades.account_journal where account_id = $1 returning journal_id",
        account_id
    )
    .fetch_optional(&mut *connection)
    .await?;
    match own {
        Some(journal_id) => drop_journal(connection, journal_id).await,
        None => Ok(()),
    }
}

/// Drops the journals with a key in which nothing was written for 90 days, a few at a time.
pub(in crate::store) async fn sweep(pool: &PgPool) -> Result<(), Error> {
    loop {
        let swept = sqlx::query_scalar!(
            r#"
            with old as (
                delete from trades.journal
                where journal_id in (
                    select journal_id from trades.journal
                    where key_hash is not null and last_saved_at < now() - interval '90 days'
                    limit 20
                    for update skip locked
                )
                returning journal_id
            ), tallies as (
                delete from trades.journal_tally t using old where t.journal_id = old.journal_id
            ), entries as (
                delete from trades.journal_entry e using old where e.journal_id = old.journal_id
            )
            select count(*) as "count!" from old
            "#
        )
        .fetch_one(pool)
        .await?;
        if swept == 0 {
            return Ok(());
        }
    }
}
