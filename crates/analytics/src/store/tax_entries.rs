//! SQL statements on figures of a tax year that the trader entered.

use rust_decimal::Decimal;
use time::Date;
use uuid::Uuid;

use super::{Store, lock_account};
use crate::error::Error;
use crate::fill::BrokerAccount;
use crate::financial_year::FinancialYear;
use crate::tax::{TaxEntry, TaxEntryKind};

/// Row of the table `tax_entry`.
struct EntryRow {
    year: i16,
    kind: String,
    broker_account: String,
    day: Option<Date>,
    name: Option<String>,
    amount: Option<Decimal>,
    tax_deducted: Option<Decimal>,
}

impl Store {
    /// Returns the figures of all tax years in their order.
    pub async fn list_tax_entries(&self, account_id: Uuid) -> Result<Vec<TaxEntry>, Error> {
        let rows = sqlx::query_as!(
            EntryRow,
            "
            select year, kind, broker_account, day, name, amount, tax_deducted
            from analytics.tax_entry
            where account_id = $1
            order by year, position
            ",
            account_id,
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(EntryRow::into_entry).collect()
    }

    /// Replaces the figures of a tax year.
    pub async fn replace_tax_entries(
        &self,
        account_id: Uuid,
        year: FinancialYear,
        entries: &[TaxEntry],
    ) -> Result<(), Error> {
        let year = i16::try_from(year.0).unwrap_or_default();
        let mut transaction = self.pool.begin().await?;
        lock_account(&mut transaction, account_id).await?;
        sqlx::query!("delete from analytics.tax_entry where account_id = $1 and year = $2", account_id, year)
            .execute(&mut *transaction)
            .await?;
        let kinds: Vec<String> = entries.iter().map(|entry| entry.kind.name().to_owned()).collect();
        let accounts: Vec<String> = entries.iter().map(|entry| entry.account.key()).collect();
        let days: Vec<Option<Date>> = entries.iter().map(|entry| entry.day).collect();
        let names: Vec<Option<String>> =
            entries.iter().map(|entry| Some(entry.name.clone()).filter(|name| !name.is_empty())).collect();
        let amounts: Vec<Option<Decimal>> =
            entries.iter().map(|entry| (!entry.kind.is_choice()).then_some(entry.amount)).collect();
        let deducted: Vec<Option<Decimal>> =
            entries.iter().map(|entry| Some(entry.tax_deducted).filter(|tax| !tax.is_zero())).collect();
        sqlx::query!(
            "
            insert into analytics.tax_entry
                (account_id, year, position, kind, broker_account, day, name, amount, tax_deducted)
            select $1, $2, position::smallint, kind, broker_account, day, name, amount, tax_deducted
            from unnest($3::text[], $4::text[], $5::date[], $6::text[], $7::numeric[], $8::numeric[])
                with ordinality as entry (kind, broker_account, day, name, amount, tax_deducted, position)
            ",
            account_id,
            year,
            &kinds,
            &accounts,
            &days as &[Option<Date>],
            &names as &[Option<String>],
            &amounts as &[Option<Decimal>],
            &deducted as &[Option<Decimal>],
        )
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }
}

impl EntryRow {
    /// Converts the row. An inconsistent row is an internal error.
    fn into_entry(self) -> Result<TaxEntry, Error> {
        let account = BrokerAccount::from_key(&self.broker_account);
        let (account, kind) = account.zip(TaxEntryKind::from_name(&self.kind)).ok_or_else(|| {
            let (account, kind) = (&self.broker_account, &self.kind);
            sqlx::Error::Decode(format!("inconsistent row {account} {kind} of analytics.tax_entry").into())
        })?;
        Ok(TaxEntry {
            year: FinancialYear(self.year.into()),
            kind,
            account,
            day: self.day,
            name: self.name.unwrap_or_default(),
            amount: self.amount.unwrap_or_default(),
            tax_deducted: self.tax_deducted.unwrap_or_default(),
        })
    }
}
