//! Conversion of ledgers.

use std::collections::{BTreeMap, HashSet};

use rpc::broker_account::to_wire_account_number;
use rpc::failure::Violation;
use rpc::trades::v1 as wire;
use rust_decimal::Decimal;
use time::Date;
use time::macros::format_description;

use super::broker_accounts::parse_broker_account;
use super::requests::{parse_client_code, parse_file_name, parse_format, parse_holder};
use super::responses::to_timestamp;
use crate::broker_account_settings::FIRST_DAY;
use crate::error::Error;
use crate::ledger::{
    CapitalFlowDay, CapitalFlows, Ledger, LedgerCoverage, LedgerEntry, LedgerPeriod, LedgerSum, MAX_ENTRIES_PER_LEDGER,
    SOURCE_KEY_BYTES, kind_name, treatment,
};
use crate::store::{FileOwner, LedgerImport, LedgerSumQuery};
use crate::trade::BrokerAccount;
use crate::validation::{MAX_AMOUNT_EXCLUSIVE, is_plain_text};

const MAX_PARTICULARS_CHARS: usize = 120;
/// Maximum number of accounts in a query; no trader has more.
const MAX_ACCOUNTS: usize = 240;
/// Maximum number of days of sums by day.
const MAX_DAYS: i64 = 366;

pub(super) fn parse_ledger_import(request: wire::ImportLedgerRequest) -> Result<LedgerImport, Error> {
    let account = parse_broker_account(request.broker(), request.broker_account)?;
    if request.entries.len() > MAX_ENTRIES_PER_LEDGER {
        return Err(Violation::new("entries", "TOO_MANY").with("max", MAX_ENTRIES_PER_LEDGER).into());
    }
    if request.entries.is_empty() {
        return Err(Violation::new("entries", "REQUIRED").into());
    }
    let mut keys = HashSet::new();
    let entries = request.entries.into_iter().enumerate().map(|(index, entry)| {
        let entry = parse_entry(entry).and_then(|entry| {
            let invalid = || Violation::new("source_key", "INVALID").with("bytes", SOURCE_KEY_BYTES);
            if keys.insert(entry.source_key.clone()) { Ok(entry) } else { Err(invalid()) }
        });
        entry.map_err(|violation| Error::from(violation).within(&format!("entries[{index}]")))
    });
    Ok(LedgerImport {
        broker: account.broker,
        account_number: (request.broker_account > 0).then_some(account.number),
        owner: FileOwner {
            client_code: parse_client_code(&request.client_code)?,
            holder: parse_holder(&request.holder)?,
        },
        entries: entries.collect::<Result<_, _>>()?,
        opening_balance: parse_balance(&request.opening_balance)?,
        file_name: parse_file_name(request.file_name)?,
        format: parse_format(request.format)?,
    })
}

fn parse_balance(text: &str) -> Result<Option<Decimal>, Violation> {
    let is_valid = |balance: &Decimal| balance.scale() <= 4 && balance.abs() < MAX_AMOUNT_EXCLUSIVE;
    let parse = || Decimal::from_str_exact(text).ok().map(|balance| balance.normalize()).filter(is_valid);
    let invalid = || Violation::new("opening_balance", "INVALID");
    (!text.is_empty()).then(|| parse().ok_or_else(invalid)).transpose()
}

fn parse_entry(entry: wire::LedgerEntry) -> Result<LedgerEntry, Violation> {
    let kind = entry.kind();
    if kind_name(kind).is_none() {
        return Err(Violation::new("kind", "INVALID"));
    }
    let amount = Decimal::from_str_exact(&entry.amount).ok().map(|amount| amount.normalize());
    let is_valid = |amount: &Decimal| !amount.is_zero() && amount.scale() <= 4 && amount.abs() < MAX_AMOUNT_EXCLUSIVE;
    let amount = amount.filter(is_valid).ok_or_else(|| Violation::new("amount", "INVALID"))?;
    if !entry.particulars.is_empty() && !is_plain_text(&entry.particulars, MAX_PARTICULARS_CHARS) {
        return Err(Violation::new("particulars", "INVALID").with("max_chars", MAX_PARTICULARS_CHARS));
    }
    if entry.source_key.len() != SOURCE_KEY_BYTES {
        return Err(Violation::new("source_key", "INVALID").with("bytes", SOURCE_KEY_BYTES));
    }
    let day = parse_day("day", &entry.day)?;
    if day < FIRST_DAY || day.year() >= 2100 {
        return Err(Violation::new("day", "DAY_INVALID"));
    }
    Ok(LedgerEntry { day, kind, amount, particulars: entry.particulars, source_key: entry.source_key })
}

fn parse_day(field: &'static str, text: &str) -> Result<Date, Violation> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).ok();
    day.ok_or_else(|| Violation::new(field, "DAY_INVALID"))
}

pub(super) fn parse_sum_query(request: wire::ListLedgerSumsRequest) -> Result<LedgerSumQuery, Error> {
    let by = match request.by() {
        wire::LedgerPeriod::Unspecified | wire::LedgerPeriod::Month => LedgerPeriod::Month,
        wire::LedgerPeriod::Day => LedgerPeriod::Day,
        wire::LedgerPeriod::All => LedgerPeriod::All,
    };
    let day = |field, text: &str| (!text.is_empty()).then(|| parse_day(field, text)).transpose();
    let (from, to) = (day("from", &request.from)?, day("to", &request.to)?);
    let days = from.zip(to).map(|(from, to)| (to - from).whole_days() + 1);
    let is_valid = match by {
        LedgerPeriod::Month | LedgerPeriod::All => days.is_none_or(|days| days > 0),
        LedgerPeriod::Day => days.is_some_and(|days| (1..=MAX_DAYS).contains(&days)),
    };
    if !is_valid {
        return Err(Violation::new("to", "PERIOD_INVALID").with("max", MAX_DAYS).into());
    }
    if request.accounts.len() > MAX_ACCOUNTS {
        return Err(Violation::new("accounts", "TOO_MANY").with("max", MAX_ACCOUNTS).into());
    }
    let accounts = request.accounts.iter().enumerate().map(|(index, account)| {
        let parsed = parse_broker_account(account.broker(), account.broker_account);
        parsed.map_err(|error| error.within(&format!("accounts[{index}]")))
    });
    Ok(LedgerSumQuery { from, to, accounts: accounts.collect::<Result<_, _>>()?, by })
}

/// Returns the sums of the entries of a file by kind.
pub(super) fn sum_by_kind(account: BrokerAccount, entries: &[LedgerEntry]) -> Vec<wire::LedgerSum> {
    let mut sums: BTreeMap<i32, (Decimal, i64)> = BTreeMap::new();
    for entry in entries {
        let (amount, count) = sums.entry(entry.kind.into()).or_default();
        *amount = amount.saturating_add(entry.amount);
        *count += 1;
    }
    let to_sum = |(kind, (amount, entry_count)): (i32, (Decimal, i64))| {
        let kind = wire::LedgerKind::try_from(kind).unwrap_or_default();
        to_wire_sum(LedgerSum { account, period: String::new(), kind, amount: amount.normalize(), entry_count })
    };
    sums.into_iter().map(to_sum).collect()
}

pub(super) fn to_wire_sum(sum: LedgerSum) -> wire::LedgerSum {
    wire::LedgerSum {
        broker: sum.account.broker.to_wire().into(),
        broker_account: to_wire_account_number(sum.account.number),
        period: sum.period,
        kind: sum.kind.into(),
        amount: sum.amount.to_string(),
        entries: sum.entry_count,
        treatment: treatment(sum.kind).into(),
    }
}

pub(super) fn to_wire_ledger(ledger: Ledger) -> wire::Ledger {
    wire::Ledger {
        id: ledger.id.to_string(),
        broker: ledger.account.broker.to_wire().into(),
        broker_account: to_wire_account_number(ledger.account.number),
        file_name: ledger.file_name,
        format: ledger.format,
        from: ledger.first_day.to_string(),
        to: ledger.last_day.to_string(),
        imported_at: Some(to_timestamp(ledger.imported_at)),
        entries: ledger.entry_count,
    }
}

pub(super) fn to_wire_flows(flows: CapitalFlows) -> wire::ListCapitalFlowsResponse {
    let period = |period: LedgerCoverage| wire::LedgerPeriodOfAccount {
        broker: period.account.broker.to_wire().into(),
        broker_account: to_wire_account_number(period.account.number),
        from: period.first_day.to_string(),
        to: period.last_day.to_string(),
        opening_balance: period.opening_balance.map(|balance| balance.to_string()).unwrap_or_default(),
        is_complete: period.is_complete,
    };
    let day = |day: CapitalFlowDay| wire::CapitalFlowDay {
        broker: day.account.broker.to_wire().into(),
        broker_account: to_wire_account_number(day.account.number),
        day: day.day.to_string(),
        deposits: day.deposits.to_string(),
        withdrawals: day.withdrawals.to_string(),
        other: day.other.to_string(),
        transfers: day.transfers.to_string(),
        balance: day.balance.to_string(),
        unknown_entries: day.unknown_entries,
        unknown_amount: day.unknown_amount.to_string(),
    };
    wire::ListCapitalFlowsResponse {
        ledgers: flows.ledgers.into_iter().map(period).collect(),
        days: flows.days.into_iter().map(day).collect(),
        unknown_entries: flows.unknown_entries.into_iter().map(to_wire_entry).collect(),
    }
}

pub(super) fn to_wire_entry((account, entry): (BrokerAccount, LedgerEntry)) -> wire::LedgerEntry {
    wire::LedgerEntry {
        broker: account.broker.to_wire().into(),
        broker_account: to_wire_account_number(account.number),
        day: entry.day.to_string(),
        kind: entry.kind.into(),
        amount: entry.amount.to_string(),
        particulars: entry.particulars,
        source_key: entry.source_key,
    }
}
