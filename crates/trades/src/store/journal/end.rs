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
    // A key that stands for another entry there is of no more use: the browser that sent it writes elsewhere now. The two
    // journals may lie on different nodes of a cluster, so the keys are fetched.
    let keys = sqlx::query_scalar!(
        r#"select idempotency_key as "key!" from trades.journal_entry
           where journal_id = $1 and idempotency_key is not null"#,
        to,
    )
    .fetch_all(&mut *connection)
    .await?;
    sqlx::query!(
        "
        insert into trades.journal_entry (
            journal_id, entry_id, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at,
            sold_at, idempotency_key, written_at
        )
        select $2, entry_id + $3, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at,
               sold_at,
               case when idempotency_key <> all($4) then idempotency_key end, written_at
        from trades.journal_entry
        where journal_id = $1
        ",
        from,
        to,
        held,
        &keys,
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

/// Journals that are dropped at once.
const AT_ONCE: i64 = 100;

/// Drops the journals with a key in which nothing was written for 90 days, one by one.
pub(in crate::store) async fn sweep(pool: &PgPool) -> Result<(), Error> {
    loop {
        let left = sqlx::query_scalar!(
            "
            select journal_id from trades.journal
            where key_hash is not null and last_saved_at < now() - interval '90 days'
            limit $1
            ",
            AT_ONCE,
        )
        .fetch_all(pool)
        .await?;
        if left.is_empty() {
            return Ok(());
        }
        for journal_id in left {
            drop_left(pool, journal_id).await?;
        }
    }
}

/// Drops a journal that was left, unless somebody came back to it.
async fn drop_left(pool: &PgPool, journal_id: Uuid) -> Result<(), Error> {
    let mut transaction = pool.begin().await?;
    let left = sqlx::query!(
        "
        select journal_id from trades.journal
        where journal_id = $1 and key_hash is not null and last_saved_at < now() - interval '90 days'
        for update
        ",
        journal_id,
    )
    .fetch_optional(&mut *transaction)
    .await?;
    if left.is_some() {
        drop_journal(&mut transaction, journal_id).await?;
    }
    transaction.commit().await?;
    Ok(())
}
