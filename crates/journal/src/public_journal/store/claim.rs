//! Assigning a journal to an account.

use sqlx::postgres::PgConnection;
use uuid::Uuid;

use super::deletion::delete_journal;
use super::{Store, get_or_assign, lock, lock_by_key};
use crate::public_journal::entry::MAX_ENTRIES;
use crate::public_journal::error::Error;

impl Store {
    /// Assigns the journal with the key `key` to the account, and returns its number of entries. If the account already
    /// has a journal, the entries move there.
    pub async fn claim_journal(&self, account_id: Uuid, key: &str) -> Result<i64, Error> {
        let mut transaction = self.pool.begin().await?;
        let connection = &mut *transaction;
        let journal = lock_by_key(connection, key).await?.ok_or(Error::JournalNotFound)?;
        let own_id = get_or_assign(connection, account_id, journal.journal_id).await?;
        if own_id == journal.journal_id {
            sqlx::query!("update journal.journal set key_hash = null where journal_id = $1", own_id)
                .execute(&mut *connection)
                .await?;
        } else {
            let own_entries = lock(connection, own_id).await?;
            if own_entries + journal.entries > MAX_ENTRIES {
                return Err(Error::JournalFull);
            }
            merge(connection, journal.journal_id, own_id, own_entries, journal.entries).await?;
        }
        transaction.commit().await?;
        Ok(journal.entries)
    }
}

/// Appends the entries of the journal `from` to the `own_entries` entries of the journal `to`, and deletes `from`. Both
/// are locked.
async fn merge(connection: &mut PgConnection, from: Uuid, to: Uuid, own_entries: i64, moved: i64) -> Result<(), Error> {
    // An idempotency key that both journals use is dropped from the moved entry: its browser now writes to another
    // journal. On a cluster the two journals may be on different nodes, so the keys are fetched first.
    let keys = sqlx::query_scalar!(
        r#"select idempotency_key as "key!" from journal.entry
           where journal_id = $1 and idempotency_key is not null"#,
        to,
    )
    .fetch_all(&mut *connection)
    .await?;
    sqlx::query!(
        "
        insert into journal.entry (
            journal_id, entry_id, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at,
            sold_at, idempotency_key, written_at
        )
        select $2, entry_id + $3, kind, symbol, quantity, buy_price, sell_price, target_price, stop_loss, bought_at,
               sold_at,
               case when idempotency_key <> all($4) then idempotency_key end, written_at
        from journal.entry
        where journal_id = $1
        ",
        from,
        to,
        own_entries,
        &keys,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "
        insert into journal.total (journal_id, kind, entries, wins, pnl)
        select $2, kind, entries, wins, pnl from journal.total where journal_id = $1
        on conflict (journal_id, kind) do update
        set entries = total.entries + excluded.entries,
            wins = total.wins + excluded.wins,
            pnl = total.pnl + excluded.pnl
        ",
        from,
        to,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!("update journal.journal set entry_count = entry_count + $2 where journal_id = $1", to, moved)
        .execute(&mut *connection)
        .await?;
    delete_journal(connection, from).await
}
