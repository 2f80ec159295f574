//! Names, holders, client codes and settings of the accounts with brokers.

use sqlx::PgConnection;
use uuid::Uuid;

use super::columns::parse_name;
use super::connections::Store;
use super::write::{AccountWrite, WriteKind};
use crate::broker_account_settings::{BrokerAccountSettings, BrokerageKind, BrokeragePrice, BrokerageTerms};
use crate::error::Error;
use crate::trade::{Broker, BrokerAccount};

/// Owner of an account, as stated in a file. Unknown texts are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOwner {
    /// Client code at the broker, in capitals.
    pub client_code: String,
    /// Name of the person.
    pub holder: String,
}

/// Relation of a file's client code to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountMatch {
    /// The file states no client code.
    Unknown,
    /// The account has this client code.
    Known,
    /// No account with the broker has a client code yet.
    NewCode,
    /// Other accounts with the broker have other client codes, and this account has none.
    OtherCodes,
}

/// Account with a broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokerAccountRecord {
    pub account: BrokerAccount,
    /// Name that the trader gave it; empty if none.
    pub label: String,
    /// Empty if unknown.
    pub owner: FileOwner,
    pub trade_count: i64,
    /// Without the brokerage where only the owner is needed.
    pub settings: BrokerAccountSettings,
}

/// Facts about an account as the trader saves them.
pub struct SavedBrokerAccount {
    pub account: BrokerAccount,
    pub label: String,
    pub holder: String,
    /// Absent: unchanged.
    pub client_code: Option<String>,
    /// Absent: unchanged.
    pub settings: Option<BrokerAccountSettings>,
}

impl Store {
    /// Returns the accounts with trades now or before, and those that the trader added.
    pub async fn list_broker_accounts(&self, account_id: Uuid) -> Result<Vec<BrokerAccountRecord>, Error> {
        let connection = &mut *self.requests().acquire().await?;
        let mut records = fetch_broker_accounts(connection, account_id).await?;
        fetch_brokerage(connection, account_id, &mut records).await?;
        records.sort_by_key(|record| (record.account.broker, record.account.number));
        Ok(records)
    }

    /// Saves what is known about an account.
    pub async fn save_broker_account(
        &self,
        account_id: Uuid,
        saved: SavedBrokerAccount,
    ) -> Result<BrokerAccountRecord, Error> {
        let SavedBrokerAccount { account, label, holder, client_code, settings } = saved;
        let mut write = self.begin_write(account_id, WriteKind::Short, false).await?;
        let records = fetch_broker_accounts(write.connection(), account_id).await?;
        let known_holder = records.iter().find(|record| record.account == account).map(|record| &*record.owner.holder);
        let is_new_holder = known_holder.unwrap_or_default() != holder;
        let has_code = |record: &BrokerAccountRecord| {
            record.account.broker == account.broker && client_code.as_deref() == Some(&*record.owner.client_code)
        };
        if client_code.as_ref().is_some_and(|code| !code.is_empty())
            && records.iter().any(|record| record.account != account && has_code(record))
        {
            return Err(Error::ClientCodeTaken);
        }
        sqlx::query!(
            "
            insert into trades.broker_account (account_id, broker_account, label, holder, client_code)
            values ($1, $2, $3, $4, coalesce($5, ''))
            on conflict (account_id, broker_account) do update
            set label = $3, holder = $4, client_code = coalesce($5, broker_account.client_code)
            ",
            account_id,
            account.key(),
            label,
            holder,
            client_code,
        )
        .execute(write.connection())
        .await?;
        match settings {
            Some(settings) => write.save_settings(account, &settings).await?,
            None if is_new_holder => write.increase_broker_accounts_version().await?,
            None => {}
        }
        let mut records = fetch_broker_accounts(write.connection(), account_id).await?;
        records.retain(|record| record.account == account);
        fetch_brokerage(write.connection(), account_id, &mut records).await?;
        write.commit_without_change().await?;
        records.pop().ok_or_else(|| Error::Store(sqlx::Error::RowNotFound))
    }

    /// Deletes what is known about an account without trades and ledgers.
    pub async fn delete_broker_account(&self, account_id: Uuid, account: BrokerAccount) -> Result<(), Error> {
        let mut write = self.begin_write(account_id, WriteKind::Short, false).await?;
        let records = fetch_broker_accounts(write.connection(), account_id).await?;
        if records.iter().any(|record| record.account == account && record.trade_count > 0) {
            return Err(Error::BrokerAccountHasTrades);
        }
        let has_ledger = sqlx::query_scalar!(
            r#"select exists (select from trades.ledger where account_id = $1 and broker_account = $2) as "exists!""#,
            account_id,
            account.key(),
        )
        .fetch_one(write.connection())
        .await?;
        if has_ledger {
            return Err(Error::BrokerAccountHasTrades);
        }
        for statement in [
            sqlx::query!(
                "delete from trades.broker_account where account_id = $1 and broker_account = $2",
                account_id,
                account.key()
            ),
            sqlx::query!(
                "delete from trades.brokerage_price where account_id = $1 and broker_account = $2",
                account_id,
                account.key()
            ),
            sqlx::query!(
                "delete from trades.contract_note where account_id = $1 and broker_account = $2",
                account_id,
                account.key()
            ),
            sqlx::query!(
                "delete from trades.book where account_id = $1 and broker_account = $2",
                account_id,
                account.key()
            ),
        ] {
            statement.execute(write.connection()).await?;
        }
        write.increase_broker_accounts_version().await?;
        write.commit_without_change().await
    }
}

impl AccountWrite {
    /// Returns the account with this number, unless it has another client code than the file.
    pub(super) async fn select_account(
        &mut self,
        broker: Broker,
        number: u8,
        owner: &FileOwner,
    ) -> Result<BrokerAccount, Error> {
        let account_id = self.account_id;
        select_account(self.connection(), account_id, broker, Some(number), owner).await
    }

    /// Returns the account for the file of a preview: that of the preview, unless an import since then gave the file's
    /// client code to another account, or another client code to this one.
    pub(super) async fn find_account_of(
        &mut self,
        account: BrokerAccount,
        owner: &FileOwner,
    ) -> Result<BrokerAccount, Error> {
        let (broker, account_id) = (account.broker, self.account_id);
        match select_account(self.connection(), account_id, broker, Some(account.number), owner).await {
            Err(Error::OtherClientCode) => {
                select_account_or_unused(self.connection(), account_id, broker, None, owner).await
            }
            result => result,
        }
    }

    /// Replaces the settings of a saved account.
    async fn save_settings(&mut self, account: BrokerAccount, settings: &BrokerAccountSettings) -> Result<(), Error> {
        let account_id = self.account_id;
        sqlx::query!(
            "
            update trades.broker_account
            set plan = $3, woman_first_holder = $4, opened_on = $5, closed_on = $6
            where account_id = $1 and broker_account = $2
            ",
            account_id,
            account.key(),
            settings.plan,
            settings.woman_first_holder,
            settings.opened_on,
            settings.closed_on,
        )
        .execute(self.connection())
        .await?;
        sqlx::query!(
            "delete from trades.brokerage_price where account_id = $1 and broker_account = $2",
            account_id,
            account.key()
        )
        .execute(self.connection())
        .await?;
        for price in &settings.brokerage {
            let (flat, percent, min, max) = match price.terms {
                BrokerageTerms::Flat(flat) => (Some(flat), None, None, None),
                BrokerageTerms::Percent { percent, min, max } => (None, Some(percent), min, max),
            };
            sqlx::query!(
                "
                insert into trades.brokerage_price
                    (account_id, broker_account, kind, first_day, flat, percent, min_amount, max_amount)
                values ($1, $2, $3, $4, $5, $6, $7, $8)
                ",
                account_id,
                account.key(),
                price.kind.name(),
                price.first_day,
                flat,
                percent,
                min,
                max,
            )
            .execute(self.connection())
            .await?;
        }
        self.increase_broker_accounts_version().await
    }

    /// Increases the version of what is known about the broker accounts, so that charges and strategies are computed again.
    pub(super) async fn increase_broker_accounts_version(&mut self) -> Result<(), Error> {
        let account_id = self.account_id;
        sqlx::query!(
            "update trades.account set broker_accounts_version = broker_accounts_version + 1 where account_id = $1",
            account_id
        )
        .execute(self.connection())
        .await?;
        Ok(())
    }

    /// Saves the owner that an imported file states, unless another is known.
    pub(super) async fn save_owner(&mut self, account: BrokerAccount, owner: &FileOwner) -> Result<(), Error> {
        if owner.client_code.is_empty() {
            return Ok(());
        }
        let account_id = self.account_id;
        let known_holder = sqlx::query_scalar!(
            "select holder from trades.broker_account where account_id = $1 and broker_account = $2",
            account_id,
            account.key(),
        )
        .fetch_optional(self.connection())
        .await?;
        let is_new_holder = !owner.holder.is_empty() && known_holder.unwrap_or_default().is_empty();
        sqlx::query!(
            "
            insert into trades.broker_account (account_id, broker_account, holder, client_code)
            values ($1, $2, $3, $4)
            on conflict (account_id, broker_account) do update
            set holder = coalesce(nullif(broker_account.holder, ''), $3),
                client_code = coalesce(nullif(broker_account.client_code, ''), $4)
            ",
            account_id,
            account.key(),
            owner.holder,
            owner.client_code,
        )
        .execute(self.connection())
        .await?;
        // Repeated imports keep the version, and with it the analysis.
        if is_new_holder { self.increase_broker_accounts_version().await } else { Ok(()) }
    }
}

/// Returns the account of a file: the `selected` one, else the one with the file's client code, else the first one.
///
/// # Errors
/// [`Error::OtherClientCode`] if the selected account has another client code. [`Error::UnknownClientCode`] if none is
/// selected and only other client codes are known; it has the number of the first unused account.
pub(super) async fn select_account(
    connection: &mut PgConnection,
    account_id: Uuid,
    broker: Broker,
    selected: Option<u8>,
    owner: &FileOwner,
) -> Result<BrokerAccount, Error> {
    let records = fetch_broker_accounts(connection, account_id).await?;
    let of_broker: Vec<_> = records.iter().filter(|record| record.account.broker == broker).collect();
    let code_of = |number| {
        let record = of_broker.iter().find(|record| record.account.number == number);
        record.map_or("", |record| &*record.owner.client_code)
    };
    let with_code = of_broker.iter().find(|record| record.owner.client_code == owner.client_code);
    let number = match (selected, with_code) {
        _ if owner.client_code.is_empty() => selected.unwrap_or(1),
        (None, Some(record)) => record.account.number,
        (Some(number), Some(record)) if record.account.number == number => number,
        (Some(number), None) if code_of(number).is_empty() => number,
        (Some(_), _) => return Err(Error::OtherClientCode),
        (None, None) if of_broker.iter().all(|record| record.owner.client_code.is_empty()) => 1,
        (None, None) => {
            let is_used = |number: &u8| of_broker.iter().any(|record| record.account.number == *number);
            let unused = (1..=rpc::broker_account::MAX_BROKER_ACCOUNTS).find(|number| !is_used(number));
            return Err(Error::UnknownClientCode { unused_number: unused });
        }
    };
    Ok(BrokerAccount { broker, number })
}

/// Returns the account of a file as [`select_account`] does; an unused account if the file has an unknown client code.
pub(super) async fn select_account_or_unused(
    connection: &mut PgConnection,
    account_id: Uuid,
    broker: Broker,
    selected: Option<u8>,
    owner: &FileOwner,
) -> Result<BrokerAccount, Error> {
    match select_account(connection, account_id, broker, selected, owner).await {
        Err(Error::UnknownClientCode { unused_number: Some(number) }) => Ok(BrokerAccount { broker, number }),
        result => result,
    }
}

/// Returns the relation of a file's client code to the account of its preview.
pub(super) async fn match_account(
    connection: &mut PgConnection,
    account_id: Uuid,
    account: BrokerAccount,
    owner: &FileOwner,
) -> Result<AccountMatch, Error> {
    if owner.client_code.is_empty() {
        return Ok(AccountMatch::Unknown);
    }
    let records = fetch_broker_accounts(connection, account_id).await?;
    let mut with_code = records
        .iter()
        .filter(|record| record.account.broker == account.broker && !record.owner.client_code.is_empty())
        .peekable();
    Ok(if with_code.peek().is_none() {
        AccountMatch::NewCode
    } else if with_code.any(|record| record.account == account) {
        AccountMatch::Known
    } else {
        AccountMatch::OtherCodes
    })
}

/// Returns the accounts, with their settings except the brokerage.
async fn fetch_broker_accounts(
    connection: &mut PgConnection,
    account_id: Uuid,
) -> Result<Vec<BrokerAccountRecord>, Error> {
    let rows = sqlx::query!(
        r#"
        select broker_account as "broker_account!", label as "label?", holder as "holder?",
               client_code as "client_code?", coalesce(trades, 0)::bigint as "trades!", plan as "plan?",
               coalesce(woman_first_holder, false) as "woman_first_holder!", opened_on as "opened_on?",
               closed_on as "closed_on?"
        from (
            select broker_account, sum(trade_count) as trades from trades.book where account_id = $1 group by 1
        ) books
        full join (
            select broker_account, label, holder, client_code, plan, woman_first_holder, opened_on, closed_on
            from trades.broker_account where account_id = $1
        ) known using (broker_account)
        "#,
        account_id
    )
    .fetch_all(connection)
    .await?;
    rows.into_iter()
        .map(|row| {
            let defaults = BrokerAccountSettings::default();
            Ok(BrokerAccountRecord {
                account: parse_name(&row.broker_account, BrokerAccount::from_key)?,
                label: row.label.unwrap_or_default(),
                owner: FileOwner {
                    client_code: row.client_code.unwrap_or_default(),
                    holder: row.holder.unwrap_or_default(),
                },
                trade_count: row.trades,
                settings: BrokerAccountSettings {
                    plan: row.plan.unwrap_or(defaults.plan),
                    woman_first_holder: row.woman_first_holder,
                    opened_on: row.opened_on,
                    closed_on: row.closed_on,
                    brokerage: Vec::new(),
                },
            })
        })
        .collect()
}

/// Adds the agreed brokerage to the accounts.
async fn fetch_brokerage(
    connection: &mut PgConnection,
    account_id: Uuid,
    records: &mut [BrokerAccountRecord],
) -> Result<(), Error> {
    let rows = sqlx::query!(
        "
        select broker_account, kind, first_day, flat, percent, min_amount, max_amount
        from trades.brokerage_price where account_id = $1
        ",
        account_id
    )
    .fetch_all(connection)
    .await?;
    for row in rows {
        let kind = parse_name(&row.kind, BrokerageKind::from_name)?;
        let terms = match (row.flat, row.percent) {
            (Some(flat), _) => BrokerageTerms::Flat(flat),
            (None, percent) => BrokerageTerms::Percent {
                percent: percent.unwrap_or_default(),
                min: row.min_amount,
                max: row.max_amount,
            },
        };
        let is_owner = |record: &&mut BrokerAccountRecord| record.account.key() == row.broker_account;
        if let Some(record) = records.iter_mut().find(is_owner) {
            record.settings.brokerage.push(BrokeragePrice { kind, first_day: row.first_day, terms });
        }
    }
    for record in records {
        record.settings.brokerage.sort_by_key(|price| (price.kind, price.first_day));
    }
    Ok(())
}
