//! Deposits, withdrawals and other changes of balances by day, from the entries of ledgers.

use rpc::trades::v1::{LedgerKind, LedgerTreatment};
use uuid::Uuid;

use super::columns::parse_name;
use super::connections::Store;
use crate::error::Error;
use crate::ledger::{CapitalFlowDay, CapitalFlows, LedgerCoverage, LedgerEntry, kinds_treated_as};
use crate::trade::BrokerAccount;

/// Format of the report of other debits and credits, which has no settlements.
const OTHER_DEBITS_FORMAT: &str = "zerodha-other-debits";

/// Maximum number of entries that are returned; their number by day is complete.
const MAX_UNKNOWN_ENTRIES: i64 = 1_000;

impl Store {
    /// Returns the changes of balances by account and day, and the periods of the ledgers.
    pub async fn list_capital_flows(&self, account_id: Uuid) -> Result<CapitalFlows, Error> {
        let connection = &mut *self.requests().acquire().await?;
        // Another file may have more entries of the first day, which are a part of the balance before the first entry.
        let ledgers = sqlx::query!(
            r#"
            select l.broker_account, l.format, l.first_day, l.last_day,
                   l.opening_balance + coalesce(sum(e.amount), 0) as opening_balance
            from trades.ledger l
            left join trades.ledger_entry e
                on e.account_id = l.account_id and e.broker_account = l.broker_account and e.day = l.first_day
                and l.ledger_id <> all(e.ledger_ids)
            where l.account_id = $1
            group by l.account_id, l.ledger_id
            order by l.broker_account, l.first_day, l.ledger_id
            "#,
            account_id
        )
        .fetch_all(&mut *connection)
        .await?;
        let days = sqlx::query!(
            r#"
            select broker_account, day, -sum(amount) as "balance!",
                   coalesce(-sum(amount) filter (where kind = 'deposit'), 0) as "deposits!",
                   coalesce(sum(amount) filter (where kind = 'withdrawal'), 0) as "withdrawals!",
                   coalesce(-sum(amount) filter (where kind = any($2)), 0) as "other!",
                   coalesce(-sum(amount) filter (where kind = 'journal'), 0) as "transfers!",
                   count(*) filter (where kind = 'other') as "unknown_entries!",
                   coalesce(sum(abs(amount)) filter (where kind = 'other'), 0) as "unknown_amount!"
            from trades.ledger_entry
            where account_id = $1
            group by broker_account, day
            order by broker_account, day
            "#,
            account_id,
            &kinds_treated_as(|treatment| {
                matches!(treatment, LedgerTreatment::Cost | LedgerTreatment::InTrades | LedgerTreatment::NotRecognised)
            }),
        )
        .fetch_all(&mut *connection)
        .await?;
        let unknown_entries = sqlx::query!(
            "
            select broker_account, source_key, day, amount, particulars from trades.ledger_entry
            where account_id = $1 and kind = 'other'
            order by day desc, broker_account, source_key
            limit $2
            ",
            account_id,
            MAX_UNKNOWN_ENTRIES,
        )
        .fetch_all(connection)
        .await?;
        let ledgers = ledgers.into_iter().map(|row| {
            Ok(LedgerCoverage {
                account: parse_name(&row.broker_account, BrokerAccount::from_key)?,
                first_day: row.first_day,
                last_day: row.last_day,
                opening_balance: row.opening_balance.map(|balance| balance.normalize()),
                is_complete: row.format != OTHER_DEBITS_FORMAT,
            })
        });
        let days = days.into_iter().map(|row| {
            Ok(CapitalFlowDay {
                account: parse_name(&row.broker_account, BrokerAccount::from_key)?,
                day: row.day,
                deposits: row.deposits.normalize(),
                withdrawals: row.withdrawals.normalize(),
                other: row.other.normalize(),
                transfers: row.transfers.normalize(),
                balance: row.balance.normalize(),
                unknown_entries: row.unknown_entries,
                unknown_amount: row.unknown_amount.normalize(),
            })
        });
        let unknown_entries = unknown_entries.into_iter().map(|row| {
            let entry = LedgerEntry {
                day: row.day,
                kind: LedgerKind::Other,
                amount: row.amount.normalize(),
                particulars: row.particulars,
                source_key: row.source_key,
            };
            Ok((parse_name(&row.broker_account, BrokerAccount::from_key)?, entry))
        });
        Ok(CapitalFlows {
            ledgers: ledgers.collect::<Result<_, Error>>()?,
            days: days.collect::<Result<_, Error>>()?,
            unknown_entries: unknown_entries.collect::<Result<_, Error>>()?,
        })
    }
}
