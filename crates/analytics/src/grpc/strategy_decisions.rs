//! Decisions about strategies: conversion between messages and domain types.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use rpc::analytics::v1 as wire;
use rpc::analytics::v1::decide_strategy_request::Decision as WireDecision;
use rust_decimal::Decimal;

use super::strategies::{to_shape, to_strategy};
use super::values::{format_decimal, format_optional, to_timestamp};
use crate::analysis::Analysis;
use crate::error::Error;
use crate::fill_key::FillKey;
use crate::strategies::{ConfirmedStrategy, Decided, Decision, FillRange, GroupingSettings};

/// Maximum length of a strategy's name in characters.
const MAX_NAME_CHARS: usize = 60;
/// Strategies, positions or legs in one decision.
const MAX_PARTS: usize = 50;
/// Minutes within which the legs of one strategy are opened. After more than an hour, legs are seldom one decision.
const WINDOW_MINUTES: RangeInclusive<u32> = 1..=60;
/// Maximum number of strategies that a release returns; their trades may be grouped in many ways.
const MAX_DECIDED_STRATEGIES: usize = 20;
/// Maximum quantity of a leg.
const MAX_QUANTITY: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);

pub fn parse_decision(decision: Option<WireDecision>) -> Result<Decision, Error> {
    match decision.ok_or_else(|| Error::invalid("decision"))? {
        WireDecision::Confirm(wire::ConfirmStrategy { name }) => {
            let name = name.trim();
            if name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control) {
                return Err(Error::invalid("name"));
            }
            Ok(Decision::Confirm { name: Some(name.to_owned()).filter(|name| !name.is_empty()) })
        }
        WireDecision::Choose(choose) => Ok(Decision::Choose {
            candidate: FillKey::parse(&choose.candidate_id).ok_or_else(|| Error::invalid("candidate_id"))?,
        }),
        WireDecision::Join(wire::JoinStrategies { strategy_ids, position_ids }) => {
            if strategy_ids.is_empty() && position_ids.is_empty() {
                return Err(Error::invalid("strategy_ids"));
            }
            Ok(Decision::Join {
                strategies: parse_keys(&strategy_ids, "strategy_ids")?,
                positions: parse_keys(&position_ids, "position_ids")?,
            })
        }
        WireDecision::Split(wire::SplitStrategy { legs }) => {
            let leg = |leg: &wire::SplitStrategyLeg| {
                let quantity: Decimal = leg.quantity.parse().ok()?;
                let is_valid = quantity > Decimal::ZERO && quantity <= MAX_QUANTITY && quantity.scale() <= 6;
                Some((FillKey::parse(&leg.position_id)?, quantity)).filter(|_| is_valid)
            };
            let parsed: Option<Vec<(FillKey, Decimal)>> = legs.iter().map(leg).collect();
            let is_unique = |legs: &Vec<(FillKey, Decimal)>| {
                legs.iter().map(|(position, _)| position).collect::<BTreeSet<_>>().len() == legs.len()
            };
            let parsed = parsed.filter(|legs| (1..=MAX_PARTS).contains(&legs.len()) && is_unique(legs));
            Ok(Decision::Split { legs: parsed.ok_or_else(|| Error::invalid("legs"))? })
        }
        WireDecision::Release(wire::ReleaseStrategy {}) => Ok(Decision::Release),
    }
}

/// Parses the grouping that the trader saw; none if it is not stated.
pub fn parse_grouping_id(id: &str) -> Result<Option<FillKey>, Error> {
    if id.is_empty() {
        return Ok(None);
    }
    FillKey::parse(id).map(Some).ok_or_else(|| Error::invalid("grouping_id"))
}

pub fn to_strategy_settings(settings: GroupingSettings) -> wire::StrategySettings {
    wire::StrategySettings { window_minutes: settings.window_minutes(), across_accounts: settings.across_accounts }
}

pub fn parse_strategy_settings(settings: Option<wire::StrategySettings>) -> Result<GroupingSettings, Error> {
    let wire::StrategySettings { window_minutes, across_accounts } =
        settings.ok_or_else(|| Error::invalid("settings"))?;
    if !WINDOW_MINUTES.contains(&window_minutes) {
        return Err(Error::invalid("window_minutes"));
    }
    Ok(GroupingSettings::new(window_minutes, across_accounts))
}

fn parse_keys(ids: &[String], field: &'static str) -> Result<Vec<FillKey>, Error> {
    let keys: Option<BTreeSet<FillKey>> = ids.iter().map(|id| FillKey::parse(id)).collect();
    let keys = keys.filter(|keys| keys.len() == ids.len() && keys.len() <= MAX_PARTS);
    Ok(keys.ok_or_else(|| Error::invalid(field))?.into_iter().collect())
}

/// Returns the strategies after a decision: the confirmed ones, or those that have the trades of a released one.
pub fn to_decided(analysis: &Analysis, decided: &Decided) -> wire::DecideStrategyResponse {
    let book = analysis.strategies();
    let strategies: Vec<_> = if decided.ids.is_empty() {
        book.find_by_fills(&decided.fills).into_iter().filter(|one| one.confirmed.is_none()).collect()
    } else {
        decided.ids.iter().filter_map(|id| book.find(*id)).collect()
    };
    let strategies = strategies.into_iter().take(MAX_DECIDED_STRATEGIES).map(to_strategy).collect();
    wire::DecideStrategyResponse { change_id: decided.change_id, strategies }
}

/// Returns a confirmed strategy as it is stored.
pub fn to_confirmed_strategy(confirmed: &ConfirmedStrategy) -> wire::ConfirmedStrategy {
    let range = |range: &FillRange| wire::ConfirmedFill {
        fill_id: range.fill.to_string(),
        from: format_decimal(range.from),
        to: format_optional(range.to),
    };
    wire::ConfirmedStrategy {
        id: confirmed.id.to_string(),
        name: confirmed.name.clone().unwrap_or_default(),
        shape: to_shape(confirmed.shape).into(),
        confirmed_at: Some(to_timestamp(confirmed.confirmed_at)),
        fills: confirmed.ranges.iter().map(range).collect(),
    }
}
