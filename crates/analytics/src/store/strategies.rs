//! SQL statements on confirmed strategies.

use rust_decimal::Decimal;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Store;
use crate::error::Error;
use crate::fill_key::FillKey;
use crate::limits::MAX_CONFIRMED_STRATEGIES;
use crate::strategies::{
    ConfirmedStrategies, ConfirmedStrategy, FillRange, GroupingSettings, NewConfirmedStrategy, Shape, StrategyChange,
};

/// Last changes that can be undone; undos count as changes.
const MAX_UNDOABLE_CHANGES: i64 = 50;

/// Row of the table `confirmed_strategy`.
struct StrategyRow {
    strategy_id: String,
    name: Option<String>,
    shape: String,
    fill_keys: Vec<String>,
    starts: Vec<Decimal>,
    ends: Vec<Option<Decimal>>,
    confirmed_at: OffsetDateTime,
}

impl Store {
    /// Returns the version of the account's confirmed strategies, which every change increments.
    pub async fn strategy_version(&self, account_id: Uuid) -> Result<i64, Error> {
        let version =
            sqlx::query_scalar!("select strategy_version from analytics.account where account_id = $1", account_id)
                .fetch_optional(&self.pool)
                .await?;
        Ok(version.unwrap_or_default())
    }

    /// Returns the confirmed strategies of the account with their version.
    pub async fn list_confirmed_strategies(&self, account_id: Uuid) -> Result<ConfirmedStrategies, Error> {
        // Read before the strategies: if they change in between, the next request reads them again.
        let (version, settings) = self.grouping_settings(account_id).await?;
        let rows = sqlx::query_as!(
            StrategyRow,
            r#"
            select strategy_id, name, shape, fill_keys, starts as "starts: Vec<Decimal>",
                ends as "ends: Vec<Option<Decimal>>", confirmed_at
            from analytics.confirmed_strategy
            where account_id = $1 and ended_by is null
            order by strategy_id
            "#,
            account_id,
        )
        .fetch_all(&self.pool)
        .await?;
        let strategies: Result<Vec<_>, Error> =
            rows.into_iter().map(|row| row.into_strategy().map(Into::into)).collect();
        Ok(ConfirmedStrategies { version, settings, strategies: strategies? })
    }

    /// Returns the settings for grouping, with the version of the account's strategies.
    pub async fn grouping_settings(&self, account_id: Uuid) -> Result<(i64, GroupingSettings), Error> {
        let row = sqlx::query!(
            "
            select strategy_version, strategy_window_minutes, strategies_across_accounts
            from analytics.account
            where account_id = $1
            ",
            account_id,
        )
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(Default::default()) };
        let minutes = row.strategy_window_minutes.try_into().unwrap_or_default();
        Ok((row.strategy_version, GroupingSettings::new(minutes, row.strategies_across_accounts)))
    }

    /// Saves the settings for grouping. The same settings change nothing, so that no undo step is lost.
    pub async fn save_grouping_settings(&self, account_id: Uuid, settings: GroupingSettings) -> Result<(), Error> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query!("insert into analytics.account (account_id) values ($1) on conflict do nothing", account_id)
            .execute(&mut *transaction)
            .await?;
        sqlx::query!(
            "
            update analytics.account
            set strategy_window_minutes = $2, strategies_across_accounts = $3, strategy_version = strategy_version + 1
            where account_id = $1 and (strategy_window_minutes, strategies_across_accounts) is distinct from ($2, $3)
            ",
            account_id,
            i16::try_from(settings.window_minutes()).unwrap_or(i16::MAX),
            settings.across_accounts,
        )
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Returns the last change of the confirmed strategies that can be undone at a version.
    pub async fn last_strategy_change(&self, account_id: Uuid, version: i64) -> Result<Option<i64>, Error> {
        let last = sqlx::query_scalar!(
            "
            select max(greatest(change_id, ended_by))
            from analytics.confirmed_strategy
            where account_id = $1 and greatest(change_id, ended_by) > $2
            ",
            account_id,
            version - MAX_UNDOABLE_CHANGES,
        );
        Ok(last.fetch_one(&self.pool).await?)
    }

    /// Makes a change of the confirmed strategies of `version`, and returns its number; none if they changed meanwhile.
    pub async fn change_strategies(
        &self,
        account_id: Uuid,
        version: i64,
        change: StrategyChange,
    ) -> Result<Option<i64>, Error> {
        let mut transaction = self.pool.begin().await?;
        let change_id = increment_version(&mut transaction, account_id).await?;
        if change_id != version + 1 {
            return Ok(None);
        }
        let removed: Vec<String> = change.removed.iter().map(ToString::to_string).collect();
        sqlx::query!(
            "
            update analytics.confirmed_strategy set ended_by = $2
            where account_id = $1 and ended_by is null and strategy_id = any($3)
            ",
            account_id,
            change_id,
            &removed,
        )
        .execute(&mut *transaction)
        .await?;
        for strategy in &change.added {
            insert(&mut transaction, account_id, change_id, strategy).await?;
        }
        let count = sqlx::query_scalar!(
            r#"
            select count(*) as "count!" from analytics.confirmed_strategy where account_id = $1 and ended_by is null
            "#,
            account_id,
        )
        .fetch_one(&mut *transaction)
        .await?;
        if count > MAX_CONFIRMED_STRATEGIES {
            return Err(Error::TooManyConfirmedStrategies);
        }
        sqlx::query!(
            "delete from analytics.confirmed_strategy where account_id = $1 and ended_by <= $2",
            account_id,
            change_id - MAX_UNDOABLE_CHANGES,
        )
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Some(change_id))
    }

    /// Undoes the last change of the confirmed strategies.
    ///
    /// # Errors
    /// [`Error::StrategyChangeNotFound`], or [`Error::StrategiesChangedAgain`] if it is not the last change.
    pub async fn undo_strategy_change(&self, account_id: Uuid, change_id: i64) -> Result<(), Error> {
        let mut transaction = self.pool.begin().await?;
        let version = increment_version(&mut transaction, account_id).await?;
        if change_id <= version - MAX_UNDOABLE_CHANGES {
            return Err(Error::StrategyChangeNotFound);
        }
        let last = sqlx::query_scalar!(
            r#"select max(greatest(change_id, ended_by)) from analytics.confirmed_strategy where account_id = $1"#,
            account_id,
        )
        .fetch_one(&mut *transaction)
        .await?;
        match last {
            Some(last) if last > change_id => {
                let exists = sqlx::query_scalar!(
                    r#"
                    select exists (
                        select from analytics.confirmed_strategy
                        where account_id = $1 and (change_id = $2 or ended_by = $2)
                    ) as "exists!"
                    "#,
                    account_id,
                    change_id,
                )
                .fetch_one(&mut *transaction)
                .await?;
                let error = if exists { Error::StrategiesChangedAgain } else { Error::StrategyChangeNotFound };
                return Err(error);
            }
            Some(last) if last == change_id => {}
            _ => return Err(Error::StrategyChangeNotFound),
        }
        sqlx::query!(
            "delete from analytics.confirmed_strategy where account_id = $1 and change_id = $2",
            account_id,
            change_id,
        )
        .execute(&mut *transaction)
        .await?;
        sqlx::query!(
            "update analytics.confirmed_strategy set ended_by = null where account_id = $1 and ended_by = $2",
            account_id,
            change_id,
        )
        .execute(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(())
    }
}

/// Increments the version of the account's strategies and returns it. Other changes wait until the transaction ends.
async fn increment_version(connection: &mut PgConnection, account_id: Uuid) -> Result<i64, Error> {
    sqlx::query!("insert into analytics.account (account_id) values ($1) on conflict do nothing", account_id)
        .execute(&mut *connection)
        .await?;
    let version = sqlx::query_scalar!(
        "
        update analytics.account set strategy_version = strategy_version + 1 where account_id = $1
        returning strategy_version
        ",
        account_id,
    );
    Ok(version.fetch_one(connection).await?)
}

async fn insert(
    connection: &mut PgConnection,
    account_id: Uuid,
    change_id: i64,
    strategy: &NewConfirmedStrategy,
) -> Result<(), Error> {
    let fill_keys: Vec<String> = strategy.ranges.iter().map(|range| range.fill.to_string()).collect();
    let starts: Vec<Decimal> = strategy.ranges.iter().map(|range| range.from).collect();
    let ends: Vec<Option<Decimal>> = strategy.ranges.iter().map(|range| range.to).collect();
    sqlx::query!(
        "
        insert into analytics.confirmed_strategy (
            account_id, change_id, strategy_id, name, shape, fill_keys, starts, ends, confirmed_at
        )
        values ($1, $2, $3, $4, $5, $6, $7, $8, now())
        ",
        account_id,
        change_id,
        strategy.id.to_string(),
        strategy.name.as_deref(),
        strategy.shape.name(),
        &fill_keys,
        &starts,
        &ends as &[Option<Decimal>],
    )
    .execute(connection)
    .await?;
    Ok(())
}

impl StrategyRow {
    /// Converts the row. An inconsistent row is an internal error.
    fn into_strategy(self) -> Result<ConfirmedStrategy, Error> {
        let id = parse_key(&self.strategy_id)?;
        let ranges: Result<Vec<FillRange>, Error> = self
            .fill_keys
            .iter()
            .zip(self.starts)
            .zip(self.ends)
            .map(|((fill, from), to)| Ok(FillRange { fill: parse_key(fill)?, from, to }))
            .collect();
        let shape = Shape::from_name(&self.shape).ok_or_else(|| inconsistent(&self.strategy_id))?;
        Ok(ConfirmedStrategy { id, name: self.name, shape, ranges: ranges?, confirmed_at: self.confirmed_at })
    }
}

fn parse_key(text: &str) -> Result<FillKey, Error> {
    FillKey::parse(text).ok_or_else(|| inconsistent(text))
}

fn inconsistent(id: &str) -> Error {
    sqlx::Error::Decode(format!("inconsistent row {id} of analytics.confirmed_strategy").into()).into()
}
