//! SQL statements on losses of the years before the log.

use rust_decimal::Decimal;
use uuid::Uuid;

use super::{Store, lock_account};
use crate::error::Error;
use crate::fill::BrokerAccount;
use crate::tax::{BroughtForwardLoss, FinancialYear, TaxHead};

/// Row of the table `brought_forward_loss`.
struct LossRow {
    broker_account: String,
    kind: String,
    year: i16,
    amount: Decimal,
}

impl Store {
    /// Returns the losses that the trader entered, by account, kind and year.
    pub async fn list_brought_forward_losses(&self, account_id: Uuid) -> Result<Vec<BroughtForwardLoss>, Error> {
        let rows = sqlx::query_as!(
            LossRow,
            "
            select broker_account, kind, year, amount
            from analytics.brought_forward_loss
            where account_id = $1
            order by broker_account, kind, year
            ",
            account_id,
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(LossRow::into_loss).collect()
    }

    /// Replaces the losses that the trader entered.
    pub async fn replace_brought_forward_losses(
        &self,
        account_id: Uuid,
        losses: &[BroughtForwardLoss],
    ) -> Result<(), Error> {
        let mut transaction = self.pool.begin().await?;
        lock_account(&mut transaction, account_id).await?;
        sqlx::query!("delete from analytics.brought_forward_loss where account_id = $1", account_id)
            .execute(&mut *transaction)
            .await?;
        let accounts: Vec<String> = losses.iter().map(|loss| loss.account.key()).collect();
        let kinds: Vec<String> = losses.iter().map(|loss| loss.kind.name().to_owned()).collect();
        let years: Vec<i16> = losses.iter().map(|loss| i16::try_from(loss.year.0).unwrap_or_default()).collect();
        let amounts: Vec<Decimal> = losses.iter().map(|loss| loss.amount).collect();
        sqlx::query!(
            "
            insert into analytics.brought_forward_loss (account_id, broker_account, kind, year, amount)
            select $1, * from unnest($2::text[], $3::text[], $4::smallint[], $5::numeric[])
            ",
            account_id,
            &accounts,
            &kinds,
            &years,
            &amounts,
        )
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }
}

impl LossRow {
    /// Converts the row. An inconsistent row is an internal error.
    fn into_loss(self) -> Result<BroughtForwardLoss, Error> {
        let account = BrokerAccount::from_key(&self.broker_account);
        let (account, kind) = account.zip(TaxHead::from_name(&self.kind)).ok_or_else(|| {
            let (account, kind) = (&self.broker_account, &self.kind);
            sqlx::Error::Decode(format!("inconsistent row {account} {kind} of analytics.brought_forward_loss").into())
        })?;
        Ok(BroughtForwardLoss { account, kind, year: FinancialYear(self.year.into()), amount: self.amount })
    }
}
