//! All SQL statements on the schema `analytics`.

mod losses;
mod strategies;
mod tax_entries;

use std::ops::RangeInclusive;

use rust_decimal::Decimal;
use sqlx::{PgConnection, PgPool};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use crate::adjustment::{Adjustment, AdjustmentKind, NewAdjustment, PricedShares, Ratio, RecordedAdjustment};
use crate::error::Error;
use crate::fill::BrokerAccount;
use crate::limits::MAX_ADJUSTMENTS;

/// Access to the tables of the schema `analytics`.
#[derive(Clone)]
pub struct Store {
    pool: PgPool,
}

/// Row of the table `adjustment`.
struct AdjustmentRow {
    adjustment_id: i64,
    kind: String,
    symbol: String,
    day: Date,
    broker_account: String,
    new_shares: Option<i32>,
    old_shares: Option<i32>,
    new_symbol: Option<String>,
    quantity: Option<Decimal>,
    price: Option<Decimal>,
    allotted_on: Option<Date>,
    cost_percent: Option<Decimal>,
    change_id: i64,
    entered_at: OffsetDateTime,
    issue_id: Option<String>,
}

impl Store {
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// Returns the adjustments of the account, the newest day first.
    pub async fn list_adjustments(&self, account_id: Uuid) -> Result<Vec<Adjustment>, Error> {
        let recorded = self.list_recorded_adjustments(account_id).await?;
        Ok(recorded.into_iter().map(|recorded| recorded.adjustment).collect())
    }

    /// Returns the adjustments of the account with the changes that added them, the newest day first.
    pub async fn list_recorded_adjustments(&self, account_id: Uuid) -> Result<Vec<RecordedAdjustment>, Error> {
        let rows = sqlx::query_as!(
            AdjustmentRow,
            "
            select adjustment_id, kind, symbol, day, broker_account, new_shares, old_shares, new_symbol, quantity, price,
                allotted_on, cost_percent, change_id, entered_at, issue_id
            from analytics.adjustment
            where account_id = $1
            order by day desc, adjustment_id desc
            ",
            account_id,
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(AdjustmentRow::into_recorded).collect()
    }

    /// Adds adjustments under the next numbers of the account as one change, all or none; returns them with their
    /// numbers.
    pub async fn add_adjustments(
        &self,
        account_id: Uuid,
        adjustments: Vec<NewAdjustment>,
    ) -> Result<Vec<RecordedAdjustment>, Error> {
        let mut transaction = self.pool.begin().await?;
        let count = i64::try_from(adjustments.len()).unwrap_or(i64::MAX);
        let change_id = reserve_ids(&mut transaction, account_id, count).await?;
        let mut recorded = Vec::with_capacity(adjustments.len());
        for (id, NewAdjustment { adjustment, issue_id }) in (change_id..).zip(adjustments) {
            let row = AdjustmentRow::new(Adjustment { id, ..adjustment }, change_id, issue_id);
            insert_adjustment(&mut transaction, account_id, &row).await?;
            recorded.push(row.into_recorded()?);
        }
        transaction.commit().await?;
        Ok(recorded)
    }

    /// Deletes the adjustments with these numbers; returns whether one existed.
    pub async fn delete_adjustments(&self, account_id: Uuid, ids: RangeInclusive<i64>) -> Result<bool, Error> {
        let deleted = sqlx::query!(
            "delete from analytics.adjustment where account_id = $1 and adjustment_id between $2 and $3",
            account_id,
            ids.start(),
            ids.end(),
        )
        .execute(&self.pool)
        .await?;
        Ok(deleted.rows_affected() > 0)
    }
}

async fn insert_adjustment(connection: &mut PgConnection, account_id: Uuid, row: &AdjustmentRow) -> Result<(), Error> {
    let inserted = sqlx::query!(
        "
        insert into analytics.adjustment (
            account_id, adjustment_id, kind, symbol, day, broker_account, new_shares, old_shares, new_symbol, quantity, price,
            allotted_on, cost_percent, change_id, entered_at, issue_id
        )
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
        ",
        account_id,
        row.adjustment_id,
        &row.kind,
        &row.symbol,
        row.day,
        &row.broker_account,
        row.new_shares,
        row.old_shares,
        row.new_symbol.as_deref(),
        row.quantity,
        row.price,
        row.allotted_on,
        row.cost_percent,
        row.change_id,
        row.entered_at,
        row.issue_id.as_deref(),
    )
    .execute(connection)
    .await;
    inserted.map(|_| ()).map_err(|error| {
        if db::violated_constraint(&error) == Some("adjustment_once") {
            Error::AdjustmentExists(error)
        } else {
            Error::Store(error)
        }
    })
}

/// Makes other changes of the account's losses and tax entries wait until the transaction ends.
async fn lock_account(connection: &mut PgConnection, account_id: Uuid) -> Result<(), Error> {
    sqlx::query!("insert into analytics.account (account_id) values ($1) on conflict do nothing", account_id)
        .execute(&mut *connection)
        .await?;
    sqlx::query!("select account_id from analytics.account where account_id = $1 for update", account_id)
        .fetch_one(connection)
        .await?;
    Ok(())
}

/// Reserves the next numbers of the account for `count` adjustments and returns the first. Other changes of the
/// account's adjustments wait until the transaction ends.
async fn reserve_ids(connection: &mut PgConnection, account_id: Uuid, count: i64) -> Result<i64, Error> {
    sqlx::query!("insert into analytics.account (account_id) values ($1) on conflict do nothing", account_id)
        .execute(&mut *connection)
        .await?;
    let first = sqlx::query_scalar!(
        r#"
        update analytics.account set next_adjustment_id = next_adjustment_id + $2 where account_id = $1
        returning next_adjustment_id - $2 as "id!"
        "#,
        account_id,
        count,
    )
    .fetch_one(&mut *connection)
    .await?;
    let existing = sqlx::query_scalar!(
        r#"select count(*) as "count!" from analytics.adjustment where account_id = $1"#,
        account_id,
    )
    .fetch_one(connection)
    .await?;
    if existing.saturating_add(count) > MAX_ADJUSTMENTS { Err(Error::TooManyAdjustments) } else { Ok(first) }
}

/// Deletes all rows of the account. Repeating it has no effect.
///
/// # Errors
/// If the database fails; nothing is deleted then.
pub async fn delete_account(pool: &PgPool, account_id: Uuid) -> Result<(), Error> {
    let mut transaction = pool.begin().await?;
    // Waits for a concurrent write of the account, so that its rows are deleted too.
    sqlx::query!("select account_id from analytics.account where account_id = $1 for update", account_id)
        .fetch_optional(&mut *transaction)
        .await?;
    sqlx::query!("delete from analytics.adjustment where account_id = $1", account_id)
        .execute(&mut *transaction)
        .await?;
    sqlx::query!("delete from analytics.confirmed_strategy where account_id = $1", account_id)
        .execute(&mut *transaction)
        .await?;
    sqlx::query!("delete from analytics.brought_forward_loss where account_id = $1", account_id)
        .execute(&mut *transaction)
        .await?;
    sqlx::query!("delete from analytics.tax_entry where account_id = $1", account_id)
        .execute(&mut *transaction)
        .await?;
    sqlx::query!("delete from analytics.account where account_id = $1", account_id).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(())
}

impl AdjustmentRow {
    fn new(adjustment: Adjustment, change_id: i64, issue_id: Option<String>) -> Self {
        let mut row = Self {
            adjustment_id: adjustment.id,
            kind: adjustment.kind.name().to_owned(),
            symbol: adjustment.symbol,
            day: adjustment.day,
            broker_account: String::new(),
            new_shares: None,
            old_shares: None,
            new_symbol: None,
            quantity: None,
            price: None,
            allotted_on: None,
            cost_percent: None,
            change_id,
            entered_at: OffsetDateTime::now_utc(),
            issue_id,
        };
        row.new_symbol = adjustment.kind.other_symbol().map(str::to_owned);
        let ratio = adjustment.kind.ratio();
        (row.new_shares, row.old_shares) = (ratio.map(|ratio| ratio.new), ratio.map(|ratio| ratio.old));
        match adjustment.kind {
            AdjustmentKind::Bonus { allotted, .. } => row.allotted_on = allotted,
            AdjustmentKind::Demerger { cost_percent, .. } => row.cost_percent = Some(cost_percent),
            AdjustmentKind::Merger { cash: price, .. }
            | AdjustmentKind::ContractAdjustment { price_cut: price, .. }
            | AdjustmentKind::CapitalReturn(price)
            | AdjustmentKind::FairValue(price)
            | AdjustmentKind::Settlement(price) => row.price = Some(price),
            AdjustmentKind::FractionPayment { account, amount } => {
                row.broker_account = account.key();
                row.price = Some(amount);
            }
            AdjustmentKind::Opening { account, quantity, price }
            | AdjustmentKind::Rights(PricedShares { account, quantity, price })
            | AdjustmentKind::Buyback(PricedShares { account, quantity, price }) => {
                row.broker_account = account.key();
                (row.quantity, row.price) = (Some(quantity), Some(price));
            }
            AdjustmentKind::Split(_)
            | AdjustmentKind::Rename(_)
            | AdjustmentKind::NoAction
            | AdjustmentKind::Dismissal => {}
        }
        row
    }

    /// Converts the row. An inconsistent row is an internal error.
    fn into_recorded(self) -> Result<RecordedAdjustment, Error> {
        let (id, day) = (self.adjustment_id, self.day);
        let (change_id, added_at, issue_id) = (self.change_id, self.entered_at, self.issue_id);
        let (kind_name, symbol) = (self.kind, self.symbol);
        let ratio = self.new_shares.zip(self.old_shares).map(|(new, old)| Ratio { new, old });
        let account = BrokerAccount::from_key(&self.broker_account);
        let priced_shares = || {
            let (quantity, price) = self.quantity.zip(self.price)?;
            Some(PricedShares { account: account?, quantity, price })
        };
        let kind = match kind_name.as_str() {
            "split" => ratio.map(AdjustmentKind::Split),
            "bonus" => ratio.map(|ratio| AdjustmentKind::Bonus { ratio, allotted: self.allotted_on }),
            "rename" => self.new_symbol.map(AdjustmentKind::Rename),
            "merger" => (self.new_symbol.zip(ratio).zip(self.price))
                .map(|((into, ratio), cash)| AdjustmentKind::Merger { into, ratio, cash }),
            "demerger" => {
                (self.new_symbol.zip(ratio).zip(self.cost_percent)).map(|((new_symbol, ratio), cost_percent)| {
                    AdjustmentKind::Demerger { new_symbol, ratio, cost_percent }
                })
            }
            "rights" => priced_shares().map(AdjustmentKind::Rights),
            "buyback" => priced_shares().map(AdjustmentKind::Buyback),
            "capital-return" => self.price.map(AdjustmentKind::CapitalReturn),
            "fraction-payment" => {
                account.zip(self.price).map(|(account, amount)| AdjustmentKind::FractionPayment { account, amount })
            }
            "contract-adjustment" => ratio.zip(self.price).map(|(ratio, price_cut)| {
                AdjustmentKind::ContractAdjustment { new_symbol: self.new_symbol, ratio, price_cut }
            }),
            "settlement" => self.price.map(AdjustmentKind::Settlement),
            "opening" => priced_shares().map(|PricedShares { account, quantity, price }| AdjustmentKind::Opening {
                account,
                quantity,
                price,
            }),
            "fair-value" => self.price.map(AdjustmentKind::FairValue),
            "no-action" => Some(AdjustmentKind::NoAction),
            "dismissal" => Some(AdjustmentKind::Dismissal),
            _ => None,
        };
        let invalid = || sqlx::Error::Decode(format!("inconsistent row {id} of analytics.adjustment").into());
        let adjustment = Adjustment { id, symbol, day, kind: kind.ok_or_else(invalid)? };
        Ok(RecordedAdjustment { adjustment, change_id, added_at, issue_id })
    }
}
