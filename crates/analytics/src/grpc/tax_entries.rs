//! Figures of a tax year that the trader enters, dividends and tie-outs: conversion between messages and domain types.

use std::collections::HashSet;

use rpc::analytics::v1 as wire;
use rpc::broker_account::to_wire_account_number;
use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::Date;

use super::request::parse_day;
use super::values::{format_day, format_decimal, format_optional, format_optional_day};
use crate::error::{Error, INVALID};
use crate::fill::BrokerAccount;
use crate::limits::MAX_TAX_ENTRIES;
use crate::tax::{Dividends, FinancialYear, TaxEntry, TaxEntryKind, TieOut, period_ends};
use crate::trade_log::parse_account;

/// Amount in rupees that a figure stays below.
const MAX_AMOUNT: u64 = 100_000_000_000;
const MAX_NAME_CHARS: usize = 100;

/// Field of a figure that is not valid, with the reason.
type EntryViolation = (&'static str, &'static str);

fn to_kind(kind: TaxEntryKind) -> wire::TaxEntryKind {
    match kind {
        TaxEntryKind::Dividend => wire::TaxEntryKind::Dividend,
        TaxEntryKind::AisShortTermSales => wire::TaxEntryKind::AisShortTermSales,
        TaxEntryKind::AisLongTermSales => wire::TaxEntryKind::AisLongTermSales,
        TaxEntryKind::AisDividends => wire::TaxEntryKind::AisDividends,
        TaxEntryKind::ReportSpeculative => wire::TaxEntryKind::ReportSpeculative,
        TaxEntryKind::ReportNonSpeculative => wire::TaxEntryKind::ReportNonSpeculative,
        TaxEntryKind::ReportShortTerm => wire::TaxEntryKind::ReportShortTerm,
        TaxEntryKind::ReportLongTerm => wire::TaxEntryKind::ReportLongTerm,
        TaxEntryKind::ReportDividends => wire::TaxEntryKind::ReportDividends,
        TaxEntryKind::SharesAsBusiness => wire::TaxEntryKind::SharesAsBusiness,
        TaxEntryKind::Salary => wire::TaxEntryKind::Salary,
        TaxEntryKind::OtherIncome => wire::TaxEntryKind::OtherIncome,
        TaxEntryKind::TaxDeducted => wire::TaxEntryKind::TaxDeducted,
        TaxEntryKind::AdvanceTax => wire::TaxEntryKind::AdvanceTax,
        TaxEntryKind::TaxPaidLater => wire::TaxEntryKind::TaxPaidLater,
        TaxEntryKind::OldRegime => wire::TaxEntryKind::OldRegime,
        TaxEntryKind::Age60 => wire::TaxEntryKind::Age60,
        TaxEntryKind::Age80 => wire::TaxEntryKind::Age80,
    }
}

/// Returns the figures by year; they are in the order of their years.
pub fn to_tax_years(entries: &[TaxEntry]) -> Vec<wire::TaxEntries> {
    let years = entries.chunk_by(|one, next| one.year == next.year);
    years.filter_map(|of_year| Some(to_tax_entries(of_year.first()?.year, of_year))).collect()
}

pub fn to_tax_entries(year: FinancialYear, entries: &[TaxEntry]) -> wire::TaxEntries {
    wire::TaxEntries { year: year.name(), entries: entries.iter().map(to_tax_entry).collect() }
}

fn to_tax_entry(entry: &TaxEntry) -> wire::TaxEntry {
    let amount = |is_present: bool, amount| if is_present { format_decimal(amount) } else { String::new() };
    wire::TaxEntry {
        kind: to_kind(entry.kind).into(),
        broker: entry.account.broker.to_wire().into(),
        broker_account: to_wire_account_number(entry.account.number),
        day: format_optional_day(entry.day),
        name: entry.name.clone(),
        amount: amount(!entry.kind.is_choice(), entry.amount),
        tax_deducted: amount(!entry.tax_deducted.is_zero(), entry.tax_deducted),
    }
}

/// Parses the figures of a year that began at the latest with the year of `today`.
pub fn parse_tax_entries(year: FinancialYear, entries: &[wire::TaxEntry], today: Date) -> Result<Vec<TaxEntry>, Error> {
    if year > FinancialYear::from_day(today) {
        return Err(Error::invalid("year"));
    }
    if entries.len() > MAX_TAX_ENTRIES {
        return Err(Violation::new("entries", INVALID).with("max", MAX_TAX_ENTRIES).into());
    }
    let (mut violations, mut keys) = (Vec::new(), HashSet::new());
    let mut parsed = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        match parse_tax_entry(year, entry, today) {
            Ok(entry) => {
                if !entry.kind.has_day() && !keys.insert((entry.kind, entry.account)) {
                    violations.push(Violation::new(format!("entries[{index}].kind"), "DUPLICATE"));
                }
                parsed.push(entry);
            }
            Err(invalid) => violations.extend(
                invalid.into_iter().map(|(field, reason)| Violation::new(format!("entries[{index}].{field}"), reason)),
            ),
        }
    }
    if violations.is_empty() { Ok(parsed) } else { Err(Error::Invalid(violations)) }
}

fn parse_tax_entry(year: FinancialYear, entry: &wire::TaxEntry, today: Date) -> Result<TaxEntry, Vec<EntryViolation>> {
    let account = parse_account(entry.broker(), entry.broker_account);
    let Some(kind) = TaxEntryKind::ALL.into_iter().find(|kind| to_kind(*kind) == entry.kind()) else {
        return Err(vec![("kind", INVALID)]);
    };
    let is_dividend = kind == TaxEntryKind::Dividend;
    let day = parse_entry_day(kind, &entry.day, year, today);
    let length = entry.name.chars().count();
    let has_valid_length = if is_dividend { (1..=MAX_NAME_CHARS).contains(&length) } else { length == 0 };
    let name = Some(&entry.name).filter(|name| has_valid_length && !name.chars().any(char::is_control));
    let amount = parse_entry_amount(kind, &entry.amount);
    let tax_deducted = match entry.tax_deducted.as_str() {
        "" => Some(Decimal::ZERO),
        text => parse_rupees(text).filter(|tax| is_dividend && !tax.is_sign_negative() && Some(*tax) <= amount),
    };
    match (account, day, name, amount, tax_deducted) {
        (Some(account), Some(day), Some(name), Some(amount), Some(tax_deducted)) => {
            Ok(TaxEntry { year, kind, account, day, name: name.clone(), amount, tax_deducted })
        }
        _ => Err([
            ("broker", account.is_some()),
            ("day", day.is_some()),
            ("name", name.is_some()),
            ("amount", amount.is_some()),
            ("tax_deducted", tax_deducted.is_some() || amount.is_none()),
        ]
        .into_iter()
        .filter_map(|(field, is_valid)| (!is_valid).then_some((field, INVALID)))
        .collect()),
    }
}

/// Parses the day of a payment, which is in the year and not in the future; other kinds have none.
fn parse_entry_day(kind: TaxEntryKind, text: &str, year: FinancialYear, today: Date) -> Option<Option<Date>> {
    if !kind.has_day() {
        return text.is_empty().then_some(None);
    }
    let day = parse_day(text, "day").ok()?;
    (FinancialYear::from_day(day) == year && day <= today).then_some(Some(day))
}

/// Parses an amount; payments are above 0, and a choice has none.
fn parse_entry_amount(kind: TaxEntryKind, text: &str) -> Option<Decimal> {
    if kind.is_choice() {
        return text.is_empty().then_some(Decimal::ZERO);
    }
    let is_allowed = |amount: &Decimal| {
        if kind.has_day() { *amount > Decimal::ZERO } else { kind.may_be_negative() || !amount.is_sign_negative() }
    };
    parse_rupees(text).filter(is_allowed)
}

fn parse_rupees(text: &str) -> Option<Decimal> {
    let amount = Decimal::from_str_exact(text).ok()?.normalize();
    (amount.abs() < MAX_AMOUNT.into() && amount.scale() <= 2).then_some(amount)
}

pub fn to_dividends(dividends: &Dividends, year: FinancialYear) -> wire::Dividends {
    let sums = period_ends(year).into_iter().zip(dividends.by_period);
    let by_period = sums.map(|(until, sum)| wire::PeriodSum { until: format_day(until), amount: format_decimal(sum) });
    wire::Dividends {
        total: format_decimal(dividends.total),
        buybacks: format_decimal(dividends.buybacks),
        tax_deducted: format_decimal(dividends.tax_deducted),
        by_period: by_period.collect(),
    }
}

pub fn to_tie_out(tie_out: &TieOut) -> wire::TieOut {
    let (broker, broker_account) = match tie_out.account {
        Some(BrokerAccount { broker, number }) => (broker.to_wire().into(), to_wire_account_number(number)),
        None => Default::default(),
    };
    wire::TieOut {
        kind: to_kind(tie_out.kind).into(),
        broker,
        broker_account,
        stated: format_decimal(tie_out.stated),
        ours: format_decimal(tie_out.ours),
        difference: format_decimal(tie_out.difference()),
        agrees: tie_out.agrees(),
        causes: tie_out
            .causes
            .iter()
            .map(|cause| wire::TieOutCause {
                code: cause.code.to_owned(),
                amount: format_optional(cause.amount),
                explains: cause.explains,
            })
            .collect(),
    }
}
