//! Set-off of losses, and losses of the years before the log: conversion between messages and domain types.

use std::collections::HashSet;

use rpc::analytics::v1 as wire;
use rpc::broker_account::to_wire_account_number;
use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::Date;

use super::values::{format_decimal, format_optional};
use crate::error::{Error, INVALID};
use crate::limits::MAX_BROUGHT_FORWARD_LOSSES;
use crate::tax::{
    BroughtForwardLoss, FinancialYear, HeadResult, ScheduledLoss, SetOff, TaxHead, TaxPack, TaxRate, last_year_of_loss,
};
use crate::trade_log::parse_account;

/// Amount in rupees that a loss stays below.
const MAX_LOSS: u64 = 100_000_000_000;

pub fn to_head(head: TaxHead) -> wire::TaxHead {
    match head {
        TaxHead::Speculative => wire::TaxHead::Speculative,
        TaxHead::NonSpeculative => wire::TaxHead::NonSpeculative,
        TaxHead::ShortTerm => wire::TaxHead::ShortTerm,
        TaxHead::LongTerm => wire::TaxHead::LongTerm,
        TaxHead::OtherSources => wire::TaxHead::OtherSources,
    }
}

/// Parses the head of a loss that is carried forward.
fn parse_head(head: wire::TaxHead) -> Option<TaxHead> {
    TaxHead::WITH_LOSSES.into_iter().find(|one| to_head(*one) == head)
}

pub fn to_tax_losses(pack: &TaxPack) -> wire::TaxLosses {
    let (losses, exempt_used) = (&pack.losses, pack.long_term_exempt_used());
    wire::TaxLosses {
        results: losses.results.iter().map(to_head_result).collect(),
        set_offs: losses.set_offs.iter().map(to_set_off).collect(),
        schedule: losses.schedule.iter().map(to_scheduled_loss).collect(),
        long_term_exempt_used: format_decimal(exempt_used),
        long_term_taxable: format_decimal(losses.long_term_gains() - exempt_used),
        exempt_gains_set_off: format_decimal(pack.exempt_gains_set_off()),
    }
}

fn to_head_result(one: &HeadResult) -> wire::HeadResult {
    wire::HeadResult {
        head: to_head(one.head).into(),
        rate_percent: format_optional(one.rate.and_then(TaxRate::percent)),
        has_exemption: one.rate.is_some_and(TaxRate::has_exemption),
        result: format_decimal(one.result),
        set_off: format_decimal(one.set_off),
        remaining: format_decimal(one.remaining()),
    }
}

fn to_set_off(one: &SetOff) -> wire::LossSetOff {
    wire::LossSetOff {
        loss_kind: to_head(one.loss_kind).into(),
        loss_year: one.loss_year.name(),
        against: to_head(one.against).into(),
        rate_percent: format_optional(one.rate.and_then(TaxRate::percent)),
        has_exemption: one.rate.is_some_and(TaxRate::has_exemption),
        amount: format_decimal(one.amount),
        law: one.law.to_owned(),
    }
}

fn to_scheduled_loss(loss: &ScheduledLoss) -> wire::ScheduledLoss {
    wire::ScheduledLoss {
        kind: to_head(loss.kind).into(),
        year: loss.year.name(),
        entered: loss.entered,
        opening: format_decimal(loss.opening),
        added: format_decimal(loss.added),
        used: format_decimal(loss.used),
        lapsed: format_decimal(loss.lapsed),
        carried_forward: format_decimal(loss.carried_forward),
        last_year: loss.last_year.map(FinancialYear::name).unwrap_or_default(),
    }
}

pub fn to_brought_forward_loss(loss: &BroughtForwardLoss) -> wire::BroughtForwardLoss {
    wire::BroughtForwardLoss {
        kind: to_head(loss.kind).into(),
        year: loss.year.name(),
        broker: loss.account.broker.to_wire().into(),
        broker_account: to_wire_account_number(loss.account.number),
        amount: format_decimal(loss.amount),
    }
}

/// Parses losses of financial years that ended before `today`.
pub fn parse_brought_forward_losses(
    losses: &[wire::BroughtForwardLoss],
    today: Date,
) -> Result<Vec<BroughtForwardLoss>, Error> {
    if losses.len() > MAX_BROUGHT_FORWARD_LOSSES {
        return Err(Violation::new("losses", INVALID).with("max", MAX_BROUGHT_FORWARD_LOSSES).into());
    }
    let (mut violations, mut keys) = (Vec::new(), HashSet::new());
    let mut parsed = Vec::with_capacity(losses.len());
    for (index, loss) in losses.iter().enumerate() {
        let mut reject = |field: &str, reason| {
            violations.push(Violation::new(format!("losses[{index}].{field}"), reason));
        };
        let account = parse_account(loss.broker(), loss.broker_account);
        let kind = parse_head(loss.kind());
        let current_year = FinancialYear::from_day(today);
        // The kind is rejected apart.
        let is_known = |year: &FinancialYear| kind.is_none_or(|kind| last_year_of_loss(kind, *year).is_some());
        let year = FinancialYear::from_name(&loss.year).filter(|year| *year < current_year && is_known(year));
        let amount = Decimal::from_str_exact(&loss.amount).ok().map(|amount| amount.normalize());
        let is_valid = |amount: &Decimal| *amount > Decimal::ZERO && *amount < MAX_LOSS.into() && amount.scale() <= 2;
        let amount = amount.filter(is_valid);
        for (field, is_valid) in [
            ("broker", account.is_some()),
            ("kind", kind.is_some()),
            ("year", year.is_some()),
            ("amount", amount.is_some()),
        ] {
            if !is_valid {
                reject(field, INVALID);
            }
        }
        let (Some(account), Some(kind), Some(year), Some(amount)) = (account, kind, year, amount) else { continue };
        if !keys.insert((account, kind, year)) {
            reject("year", "DUPLICATE");
        }
        parsed.push(BroughtForwardLoss { account, kind, year, amount });
    }
    if violations.is_empty() { Ok(parsed) } else { Err(Error::Invalid(violations)) }
}
