//! Imported ledgers and their entries.

use rpc::failure::Violation;
use rust_decimal::Decimal;
use sqlx::PgConnection;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use super::broker_accounts::{FileOwner, select_account_or_unused};
use super::columns::{parse_name, to_count, to_row_count};
use super::connections::Store;
use super::write::WriteKind;
use crate::error::Error;
use crate::ledger::{
    Ledger, LedgerEntry, LedgerPeriod, LedgerSum, MAX_LEDGER_ENTRIES, MAX_LEDGERS, kind_from_name, kind_name,
};
use crate::trade::{Broker, BrokerAccount};

/// Ledger to import. It has at least one entry.
pub struct LedgerImport {
    pub broker: Broker,
    /// Absent: the account of the client code.
    pub account_number: Option<u8>,
    pub owner: FileOwner,
    pub file_name: String,
    pub format: String,
    /// Balance before the first entry; none if the file has no balances.
    pub opening_balance: Option<Decimal>,
    pub entries: Vec<LedgerEntry>,
}

/// Result of an import, or of its preview.
pub struct LedgerOutcome {
    pub account: BrokerAccount,
    pub added: i64,
    pub duplicates: i64,
    /// Absent if nothing was stored.
    pub ledger_id: Option<Uuid>,
}

/// Condition of sums.
pub struct LedgerSumQuery {
    pub from: Option<Date>,
    pub to: Option<Date>,
    /// Empty for all accounts.
    pub accounts: Vec<BrokerAccount>,
    pub by: LedgerPeriod,
}

impl Store {
    /// Returns what [`Store::import_ledger`] would add.
    pub async fn preview_ledger(&self, account_id: Uuid, import: &LedgerImport) -> Result<LedgerOutcome, Error> {
        let connection = &mut *self.requests().acquire().await?;
        let (broker, number) = (import.broker, import.account_number);
        let account = select_account_or_unused(connection, account_id, broker, number, &import.owner).await?;
        let added = count_new_entries(connection, account_id, account, &import.entries).await?;
        let duplicates = to_count(import.entries.len()) - added;
        Ok(LedgerOutcome { account, added, duplicates, ledger_id: None })
    }

    /// Stores the entries that are not stored yet. A ledger without new entries changes only the kinds of stored entries.
    pub async fn import_ledger(&self, account_id: Uuid, import: LedgerImport) -> Result<LedgerOutcome, Error> {
        let LedgerImport { broker, account_number, owner, file_name, format, opening_balance, entries } = import;
        let mut write = self.begin_write(account_id, WriteKind::Short, false).await?;
        let account = select_account_or_unused(write.connection(), account_id, broker, account_number, &owner).await?;
        let added = count_new_entries(write.connection(), account_id, account, &entries).await?;
        let duplicates = to_count(entries.len()) - added;
        let ledger_id = if added > 0 { Some(Uuid::now_v7()) } else { None };
        if added > 0 {
            check_limits(write.connection(), account_id, added).await?;
            write.save_owner(account, &owner).await?;
        }
        let (keys, days, kinds) = (
            entries.iter().map(|entry| entry.source_key.clone()).collect::<Vec<_>>(),
            entries.iter().map(|entry| entry.day).collect::<Vec<_>>(),
            entries.iter().filter_map(|entry| kind_name(entry.kind).map(str::to_owned)).collect::<Vec<_>>(),
        );
        sqlx::query!(
            "
            insert into trades.ledger_entry as stored
                (account_id, broker_account, source_key, day, kind, amount, particulars, ledger_ids)
            select $1, $2, e.source_key, e.day, e.kind, e.amount, e.particulars, array_remove(array[$8::uuid], null)
            from unnest($3::bytea[], $4::date[], $5::text[], $6::numeric[], $7::text[])
                as e (source_key, day, kind, amount, particulars)
            on conflict (account_id, broker_account, source_key) do update
            -- Some files lack what tells the kind.
            set kind = case when excluded.kind = 'other' then stored.kind else excluded.kind end,
                particulars = case when excluded.kind = 'other' then stored.particulars else excluded.particulars end,
                ledger_ids = stored.ledger_ids || excluded.ledger_ids
            ",
            account_id,
            account.key(),
            &keys,
            &days,
            &kinds,
            &entries.iter().map(|entry| entry.amount).collect::<Vec<_>>(),
            &entries.iter().map(|entry| entry.particulars.clone()).collect::<Vec<_>>(),
            ledger_id,
        )
        .execute(write.connection())
        .await?;
        if let (Some(id), Some(first_day), Some(last_day)) = (ledger_id, days.iter().min(), days.iter().max()) {
            sqlx::query!(
                "
                insert into trades.ledger
                    (account_id, ledger_id, broker_account, file_name, format, first_day, last_day, entries, imported_at,
                     opening_balance)
                values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                ",
                account_id,
                id,
                account.key(),
                file_name,
                format,
                first_day,
                last_day,
                i32::try_from(days.len()).unwrap_or(i32::MAX),
                OffsetDateTime::now_utc(),
                opening_balance,
            )
            .execute(write.connection())
            .await?;
        }
        write.commit_without_change().await?;
        Ok(LedgerOutcome { account, added, duplicates, ledger_id })
    }

    /// Returns the imported ledgers, the last one first.
    pub async fn list_ledgers(&self, account_id: Uuid) -> Result<Vec<Ledger>, Error> {
        let rows = sqlx::query!(
            "
            select ledger_id, broker_account, file_name, format, first_day, last_day, entries, imported_at
            from trades.ledger
            where account_id = $1
            order by imported_at desc, ledger_id
            ",
            account_id
        )
        .fetch_all(self.requests())
        .await?;
        rows.into_iter()
            .map(|row| {
                Ok(Ledger {
                    id: row.ledger_id,
                    account: parse_name(&row.broker_account, BrokerAccount::from_key)?,
                    file_name: row.file_name,
                    format: row.format,
                    first_day: row.first_day,
                    last_day: row.last_day,
                    imported_at: row.imported_at,
                    entry_count: row.entries.into(),
                })
            })
            .collect()
    }

    /// Deletes a ledger and the entries that no other one has. Returns the number of deleted entries.
    pub async fn delete_ledger(&self, account_id: Uuid, ledger_id: Uuid) -> Result<i64, Error> {
        let mut write = self.begin_write(account_id, WriteKind::Short, false).await?;
        let deleted =
            sqlx::query!("delete from trades.ledger where account_id = $1 and ledger_id = $2", account_id, ledger_id)
                .execute(write.connection())
                .await?;
        if deleted.rows_affected() == 0 {
            return Err(Error::LedgerNotFound);
        }
        let removed = sqlx::query!(
            "delete from trades.ledger_entry where account_id = $1 and ledger_ids = array[$2::uuid]",
            account_id,
            ledger_id
        )
        .execute(write.connection())
        .await?;
        sqlx::query!(
            "
            update trades.ledger_entry set ledger_ids = array_remove(ledger_ids, $2)
            where account_id = $1 and $2 = any(ledger_ids)
            ",
            account_id,
            ledger_id
        )
        .execute(write.connection())
        .await?;
        write.commit_without_change().await?;
        Ok(to_row_count(removed.rows_affected()))
    }

    /// Returns the sums of entries by period, account and kind.
    pub async fn list_ledger_sums(&self, account_id: Uuid, query: &LedgerSumQuery) -> Result<Vec<LedgerSum>, Error> {
        let accounts = query.accounts.iter().map(|account| account.key()).collect::<Vec<_>>();
        let format = match query.by {
            LedgerPeriod::Month => "YYYY-MM",
            LedgerPeriod::Day => "YYYY-MM-DD",
            // An empty format gives null.
            LedgerPeriod::All => r#""all""#,
        };
        let rows = sqlx::query!(
            r#"
            select to_char(day, $5) as "period!", broker_account, kind, sum(amount) as "amount!", count(*) as "entries!"
            from trades.ledger_entry
            where account_id = $1 and ($2::date is null or day >= $2) and ($3::date is null or day <= $3)
              and (cardinality($4::text[]) = 0 or broker_account = any($4))
            group by 1, 2, 3
            order by 1, 2, 3
            "#,
            account_id,
            query.from,
            query.to,
            &accounts,
            format,
        )
        .fetch_all(self.requests())
        .await?;
        rows.into_iter()
            .map(|row| {
                Ok(LedgerSum {
                    account: parse_name(&row.broker_account, BrokerAccount::from_key)?,
                    period: if query.by == LedgerPeriod::All { String::new() } else { row.period },
                    kind: parse_name(&row.kind, kind_from_name)?,
                    amount: row.amount.normalize(),
                    entry_count: row.entries,
                })
            })
            .collect()
    }

    /// Returns all entries by day.
    pub async fn list_ledger_entries(&self, account_id: Uuid) -> Result<Vec<(BrokerAccount, LedgerEntry)>, Error> {
        let rows = sqlx::query!(
            "
            select broker_account, source_key, day, kind, amount, particulars from trades.ledger_entry
            where account_id = $1
            order by day, broker_account, source_key
            limit $2
            ",
            account_id,
            MAX_LEDGER_ENTRIES
        )
        .fetch_all(self.requests())
        .await?;
        rows.into_iter()
            .map(|row| {
                let entry = LedgerEntry {
                    day: row.day,
                    kind: parse_name(&row.kind, kind_from_name)?,
                    amount: row.amount.normalize(),
                    particulars: row.particulars,
                    source_key: row.source_key,
                };
                Ok((parse_name(&row.broker_account, BrokerAccount::from_key)?, entry))
            })
            .collect()
    }
}

/// Returns the number of entries that are not stored.
async fn count_new_entries(
    connection: &mut PgConnection,
    account_id: Uuid,
    account: BrokerAccount,
    entries: &[LedgerEntry],
) -> Result<i64, Error> {
    let keys = entries.iter().map(|entry| entry.source_key.clone()).collect::<Vec<_>>();
    let stored = sqlx::query_scalar!(
        r#"
        select count(*) as "count!" from trades.ledger_entry
        where account_id = $1 and broker_account = $2 and source_key = any($3)
        "#,
        account_id,
        account.key(),
        &keys
    )
    .fetch_one(connection)
    .await?;
    Ok(to_count(keys.len()) - stored)
}

/// Rejects an import above the limits of an account.
async fn check_limits(connection: &mut PgConnection, account_id: Uuid, added: i64) -> Result<(), Error> {
    let entries = sqlx::query_scalar!(
        r#"select count(*) as "count!" from trades.ledger_entry where account_id = $1"#,
        account_id
    )
    .fetch_one(&mut *connection)
    .await?;
    let ledgers =
        sqlx::query_scalar!(r#"select count(*) as "count!" from trades.ledger where account_id = $1"#, account_id)
            .fetch_one(connection)
            .await?;
    if entries + added > MAX_LEDGER_ENTRIES {
        return Err(Violation::new("entries", "TOO_MANY").with("max", MAX_LEDGER_ENTRIES).into());
    }
    if ledgers >= MAX_LEDGERS {
        return Err(Violation::new("ledgers", "TOO_MANY").with("max", MAX_LEDGERS).into());
    }
    Ok(())
}
