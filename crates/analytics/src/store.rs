//! Every statement on the schema `analytics`.

use rpc::failure;
use rust_decimal::Decimal;
use sqlx::PgPool;
use time::Date;
use uuid::Uuid;

use crate::adjustment::{Adjustment, Ratio, What};
use crate::error::Error;
use crate::fill::Broker;

/// Entries of one account.
pub const MOST_ADJUSTMENTS: i64 = 1_000;

/// The tables.
#[derive(Clone)]
pub struct Store {
    pool: PgPool,
}

struct Row {
    adjustment_id: i64,
    kind: String,
    symbol: String,
    day: Date,
    broker: String,
    new_shares: Option<i32>,
    old_shares: Option<i32>,
    new_symbol: Option<String>,
    quantity: Option<Decimal>,
    price: Option<Decimal>,
}

impl Store {
    pub fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// All entries of the account, the newest day first.
    pub async fn adjustments(&self, account_id: Uuid) -> Result<Vec<Adjustment>, Error> {
        let rows = sqlx::query_as!(
            Row,
            "
            select adjustment_id, kind, symbol, day, broker, new_shares, old_shares, new_symbol, quantity, price
            from analytics.adjustment
            where account_id = $1
            order by day desc, adjustment_id desc
            ",
            account_id,
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(Row::read).collect()
    }

    /// Adds an entry under the next number, which it is given.
    pub async fn add(&self, account_id: Uuid, adjustment: Adjustment) -> Result<Adjustment, Error> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query!("insert into analytics.account (account_id) values ($1) on conflict do nothing", account_id,)
            .execute(&mut *transaction)
            .await?;
        let id = sqlx::query_scalar!(
            "
            update analytics.account set next_adjustment_id = next_adjustment_id + 1 where account_id = $1
            returning next_adjustment_id - 1 as \"id!\"
            ",
            account_id,
        )
        .fetch_one(&mut *transaction)
        .await?;
        let entered = sqlx::query_scalar!(
            "select count(*) as \"count!\" from analytics.adjustment where account_id = $1",
            account_id,
        )
        .fetch_one(&mut *transaction)
        .await?;
        if entered >= MOST_ADJUSTMENTS {
            return Err(Error::TooManyAdjustments);
        }
        let row = Row::of(Adjustment { id, ..adjustment });
        let inserted = sqlx::query!(
            "
            insert into analytics.adjustment (
                account_id, adjustment_id, kind, symbol, day, broker, new_shares, old_shares, new_symbol, quantity, price
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            ",
            account_id,
            row.adjustment_id,
            &row.kind,
            &row.symbol,
            row.day,
            &row.broker,
            row.new_shares,
            row.old_shares,
            row.new_symbol.as_deref(),
            row.quantity,
            row.price,
        )
        .execute(&mut *transaction)
        .await;
        inserted.map_err(|error| {
            let broken = error.as_database_error().and_then(|error| error.constraint()).map(failure::without_shard);
            if broken == Some("adjustment_once") { Error::AdjustmentExists(error) } else { Error::Store(error) }
        })?;
        transaction.commit().await?;
        row.read()
    }

    /// Takes an entry back; whether there was one.
    pub async fn delete(&self, account_id: Uuid, id: i64) -> Result<bool, Error> {
        let deleted = sqlx::query!(
            "delete from analytics.adjustment where account_id = $1 and adjustment_id = $2",
            account_id,
            id,
        )
        .execute(&self.pool)
        .await?;
        Ok(deleted.rows_affected() > 0)
    }
}

/// Erases every row of the account. To do it twice does no harm.
///
/// # Errors
/// When the database fails; then nothing is erased.
pub async fn erase(pool: &PgPool, account_id: Uuid) -> Result<(), Error> {
    let mut transaction = pool.begin().await?;
    // A write that still goes on is waited for, so that it leaves nothing behind.
    sqlx::query!("select account_id from analytics.account where account_id = $1 for update", account_id)
        .fetch_optional(&mut *transaction)
        .await?;
    sqlx::query!("delete from analytics.adjustment where account_id = $1", account_id)
        .execute(&mut *transaction)
        .await?;
    sqlx::query!("delete from analytics.account where account_id = $1", account_id).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(())
}

impl Row {
    fn of(adjustment: Adjustment) -> Self {
        let mut row = Self {
            adjustment_id: adjustment.id,
            kind: adjustment.what.name().to_owned(),
            symbol: adjustment.symbol,
            day: adjustment.day,
            broker: String::new(),
            new_shares: None,
            old_shares: None,
            new_symbol: None,
            quantity: None,
            price: None,
        };
        match adjustment.what {
            What::Split(Ratio { new, old }) | What::Bonus(Ratio { new, old }) => {
                (row.new_shares, row.old_shares) = (Some(new), Some(old));
            }
            What::Rename(to) => row.new_symbol = Some(to),
            What::Settlement(price) => row.price = Some(price),
            What::Opening { broker, quantity, price } => {
                broker.name().clone_into(&mut row.broker);
                (row.quantity, row.price) = (Some(quantity), Some(price));
            }
        }
        row
    }

    /// A row that makes no sense is our failure.
    fn read(self) -> Result<Adjustment, Error> {
        let (id, day) = (self.adjustment_id, self.day);
        let Self { kind, symbol, .. } = self;
        let ratio = self.new_shares.zip(self.old_shares).map(|(new, old)| Ratio { new, old });
        let what = match kind.as_str() {
            "split" => ratio.map(What::Split),
            "bonus" => ratio.map(What::Bonus),
            "rename" => self.new_symbol.map(What::Rename),
            "settlement" => self.price.map(What::Settlement),
            "opening" => Broker::from_name(&self.broker)
                .zip(self.quantity.zip(self.price))
                .map(|(broker, (quantity, price))| What::Opening { broker, quantity, price }),
            _ => None,
        };
        let nonsense = || sqlx::Error::Decode(format!("row {id} of analytics.adjustment makes no sense").into());
        Ok(Adjustment { id, symbol, day, what: what.ok_or_else(nonsense)? })
    }
}
