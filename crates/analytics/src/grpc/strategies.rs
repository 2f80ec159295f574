//! Strategies: conversion between messages and domain types.

use std::sync::Arc;

use rpc::analytics::v1 as wire;
use rpc::trades::v1::TimePrecision;
use time::Date;

use super::request::{MAX_SYMBOL_CHARS, parse_account_filter, parse_day, parse_page_size, parse_page_token};
use super::response::to_interval;
use super::values::{
    format_day, format_decimal, format_optional, to_book, to_contract, to_count, to_direction, to_timestamp,
};
use crate::analysis::Analysis;
use crate::arithmetic::divide;
use crate::error::Error;
use crate::fill::{Broker, BrokerAccount};
use crate::fill_key::FillKey;
use crate::position::Position;
use crate::strategies::{
    Candidate, CandidateLeg, Leg, Payoff, Shape, Step, StepKind, StepLeg, Strategy, StrategyFigures, StrategyGrouping,
    StrategyState, group_strategies,
};

/// Groups in one response.
const MAX_GROUPS: usize = 500;
/// Strategies in the response of one position; shares that are held for years may belong to many.
const MAX_POSITION_STRATEGIES: usize = 20;

/// Conditions on strategies.
pub struct StrategyFilter {
    shape: Option<Shape>,
    state: Option<StrategyState>,
    underlying: Option<String>,
    from: Option<Date>,
    to: Option<Date>,
    only_ambiguous: bool,
    broker: Option<Broker>,
    account_number: Option<u8>,
}

/// Query for a page of strategies.
pub struct StrategyQuery {
    filter: StrategyFilter,
    page_size: usize,
    skip: usize,
}

impl StrategyFilter {
    fn matches(&self, strategy: &Strategy) -> bool {
        self.shape.is_none_or(|shape| shape == strategy.shape)
            && self.state.is_none_or(|state| state == strategy.state)
            && self.underlying.as_ref().is_none_or(|only| strategy.underlying.eq_ignore_ascii_case(only))
            && self.from.is_none_or(|from| from <= strategy.opened_day)
            && self.to.is_none_or(|to| strategy.opened_day <= to)
            && (!self.only_ambiguous || !strategy.candidates.is_empty())
            && self.matches_account(strategy)
    }

    fn matches_account(&self, strategy: &Strategy) -> bool {
        let matches = |account: BrokerAccount| {
            self.broker.is_none_or(|only| only == account.broker)
                && self.account_number.is_none_or(|only| only == account.number)
        };
        strategy.lots.iter().any(|lot| matches(lot.account))
    }

    fn apply<'a>(&self, analysis: &'a Analysis) -> impl Iterator<Item = &'a Strategy> {
        let strategies = analysis.strategies().strategies().iter().map(AsRef::as_ref);
        strategies.filter(|strategy| self.matches(strategy))
    }

    /// Returns the strategies that match, for use after the query.
    pub fn list(&self, analysis: &Analysis) -> Vec<Arc<Strategy>> {
        analysis.strategies().strategies().iter().filter(|strategy| self.matches(strategy)).cloned().collect()
    }
}

pub fn parse_strategy_filter(filter: Option<wire::StrategyFilter>) -> Result<StrategyFilter, Error> {
    let filter = filter.unwrap_or_default();
    let day = |text: &str, field| if text.is_empty() { Ok(None) } else { parse_day(text, field).map(Some) };
    if filter.underlying.chars().count() > MAX_SYMBOL_CHARS {
        return Err(Error::invalid("filter.underlying"));
    }
    Ok(StrategyFilter {
        shape: parse_shape(filter.shape()),
        state: match filter.state() {
            wire::StrategyState::Unspecified => None,
            wire::StrategyState::Open => Some(StrategyState::Open),
            wire::StrategyState::Closed => Some(StrategyState::Closed),
            wire::StrategyState::AwaitingSettlement => Some(StrategyState::AwaitingSettlement),
        },
        from: day(&filter.from, "filter.from")?,
        to: day(&filter.to, "filter.to")?,
        only_ambiguous: filter.ambiguous,
        broker: Broker::from_wire(filter.broker()),
        account_number: parse_account_filter(filter.broker_account)?,
        underlying: Some(filter.underlying).filter(|underlying| !underlying.is_empty()),
    })
}

pub fn parse_strategy_query(request: wire::ListStrategiesRequest) -> Result<StrategyQuery, Error> {
    Ok(StrategyQuery {
        filter: parse_strategy_filter(request.filter)?,
        page_size: parse_page_size(request.page_size)?,
        skip: parse_page_token(&request.page_token)?,
    })
}

pub fn parse_grouping(by: wire::StrategyGrouping) -> Result<StrategyGrouping, Error> {
    match by {
        wire::StrategyGrouping::Unspecified => Err(Error::invalid("by")),
        wire::StrategyGrouping::Shape => Ok(StrategyGrouping::Shape),
        wire::StrategyGrouping::Underlying => Ok(StrategyGrouping::Underlying),
        wire::StrategyGrouping::DaysToExpiryAtEntry => Ok(StrategyGrouping::DaysToExpiryAtEntry),
        wire::StrategyGrouping::DaysToExpiryAtExit => Ok(StrategyGrouping::DaysToExpiryAtExit),
        wire::StrategyGrouping::Weekday => Ok(StrategyGrouping::Weekday),
        wire::StrategyGrouping::Width => Ok(StrategyGrouping::Width),
        wire::StrategyGrouping::Adjusted => Ok(StrategyGrouping::Adjusted),
        wire::StrategyGrouping::Risk => Ok(StrategyGrouping::Risk),
    }
}

/// Returns a page of the strategies that match a query, the newest first.
pub fn to_strategy_page(analysis: &Analysis, query: &StrategyQuery) -> wire::ListStrategiesResponse {
    let matching: Vec<&Strategy> = query.filter.apply(analysis).collect();
    let end = query.skip.saturating_add(query.page_size);
    let page = matching.iter().skip(query.skip).take(query.page_size);
    wire::ListStrategiesResponse {
        strategies: page.map(|strategy| to_strategy(strategy)).collect(),
        total: to_count(matching.len()),
        ambiguous: to_count(matching.iter().filter(|strategy| !strategy.candidates.is_empty()).count()),
        next_page_token: if end < matching.len() { end.to_string() } else { String::new() },
    }
}

/// Returns a strategy with its steps, payoff and rolls; none if there is no such strategy.
pub fn to_strategy_detail(analysis: &Analysis, id: FillKey) -> Option<wire::GetStrategyResponse> {
    let strategy = analysis.strategies().find(id)?;
    Some(wire::GetStrategyResponse {
        strategy: Some(to_strategy(strategy)),
        steps: strategy.steps().iter().map(to_step).collect(),
        payoff: strategy.payoff(analysis.rates, &analysis.terms).map(to_payoff),
        first_payoff: strategy.first_payoff(analysis.rates, &analysis.terms).map(to_payoff),
        chain: analysis.strategies().chain(strategy).into_iter().map(to_strategy).collect(),
    })
}

/// Returns the figures of the closed strategies that match a filter, in total and by group.
pub fn to_strategy_statistics(
    analysis: &Analysis,
    filter: &StrategyFilter,
    by: StrategyGrouping,
) -> wire::GetStrategyStatisticsResponse {
    let groups = group_strategies(by, filter.apply(analysis)).into_iter().take(MAX_GROUPS);
    wire::GetStrategyStatisticsResponse {
        total: Some(to_strategy_figures(StrategyFigures::new(filter.apply(analysis)))),
        groups: groups
            .map(|(key, figures)| wire::StrategyGroup { key, figures: Some(to_strategy_figures(figures)) })
            .collect(),
    }
}

/// Returns the strategies with a part of a position, the newest first.
pub fn to_strategies_of(analysis: &Analysis, position: &Position) -> Vec<wire::Strategy> {
    let key = position.key();
    let strategies = analysis.strategies().strategies().iter();
    let with_part = strategies.filter(|strategy| strategy.lots.iter().any(|lot| Some(lot.position) == key));
    with_part.take(MAX_POSITION_STRATEGIES).map(|strategy| to_strategy(strategy)).collect()
}

pub fn to_strategy(strategy: &Strategy) -> wire::Strategy {
    let state = match strategy.state {
        StrategyState::Open => wire::StrategyState::Open,
        StrategyState::Closed => wire::StrategyState::Closed,
        StrategyState::AwaitingSettlement => wire::StrategyState::AwaitingSettlement,
    };
    wire::Strategy {
        id: strategy.id.to_string(),
        shape: to_shape(strategy.shape).into(),
        state: state.into(),
        underlying: strategy.underlying.clone(),
        book: strategy.lots.first().map(|lot| to_book(strategy.account, lot.instrument.is_contract())),
        opened_at: Some(to_timestamp(strategy.opened_at)),
        closed_at: strategy.closed_at.filter(|_| strategy.is_closed()).map(to_timestamp),
        time_precision: to_precision(strategy.has_times).into(),
        premium: format_decimal(strategy.premium()),
        gross: format_decimal(strategy.gross),
        charges: format_decimal(strategy.charges),
        net: format_decimal(strategy.net()),
        credit_kept: format_optional(strategy.credit_kept()),
        days_to_expiry_at_entry: strategy.days_to_expiry_at_entry(),
        days_to_expiry_at_exit: strategy.days_to_expiry_at_exit(),
        width: format_optional(strategy.width()),
        adjusted: strategy.is_adjusted(),
        defined_risk: strategy.has_defined_risk(),
        candidates: strategy.candidates.iter().map(|candidate| to_candidate(strategy, candidate)).collect(),
        legs: strategy.legs().iter().map(to_leg).collect(),
        confirmed_at: strategy.confirmed.as_ref().map(|confirmed| to_timestamp(confirmed.confirmed_at)),
        grouping_id: strategy.grouping_id().to_string(),
        name: strategy.confirmed.as_ref().and_then(|confirmed| confirmed.name.clone()).unwrap_or_default(),
    }
}

fn to_precision(has_time: bool) -> TimePrecision {
    if has_time { TimePrecision::Second } else { TimePrecision::Day }
}

fn to_candidate(strategy: &Strategy, candidate: &Candidate) -> wire::StrategyCandidate {
    wire::StrategyCandidate {
        shape: to_shape(candidate.shape).into(),
        legs: candidate.legs.iter().map(to_candidate_leg).collect(),
        id: candidate.id().to_string(),
        current: strategy.is_current(candidate),
    }
}

fn to_candidate_leg(leg: &CandidateLeg) -> wire::StrategyCandidateLeg {
    wire::StrategyCandidateLeg {
        position_id: leg.position.to_string(),
        symbol: leg.instrument.symbol.clone(),
        contract: to_contract(&leg.instrument),
        direction: to_direction(leg.long).into(),
        quantity: format_decimal(leg.quantity),
    }
}

fn to_leg(leg: &Leg) -> wire::StrategyLeg {
    wire::StrategyLeg {
        position_id: leg.position.to_string(),
        symbol: leg.instrument.symbol.clone(),
        contract: to_contract(&leg.instrument),
        direction: to_direction(leg.long).into(),
        quantity: format_decimal(leg.quantity),
        open_quantity: format_decimal(leg.open_quantity),
        opened_at: Some(to_timestamp(leg.opened_at)),
        closed_at: leg.closed_at.map(to_timestamp),
        awaiting_settlement: leg.awaits_settlement,
        entry_price: format_decimal(divide(leg.entry_value, leg.quantity).unwrap_or_default()),
        exit_price: format_optional(divide(leg.exit_value, leg.quantity - leg.open_quantity)),
        gross: format_decimal(leg.gross),
        charges: format_decimal(leg.charges),
        net: format_decimal(leg.net()),
    }
}

fn to_step(step: &Step) -> wire::StrategyStep {
    let kind = match step.kind {
        StepKind::Opening => wire::StrategyStepKind::Opening,
        StepKind::Addition => wire::StrategyStepKind::Addition,
        StepKind::Adjustment => wire::StrategyStepKind::Adjustment,
        StepKind::Roll => wire::StrategyStepKind::Roll,
        StepKind::Reduction => wire::StrategyStepKind::Reduction,
        StepKind::Closing => wire::StrategyStepKind::Closing,
        StepKind::Settlement => wire::StrategyStepKind::Settlement,
    };
    wire::StrategyStep {
        kind: kind.into(),
        at: Some(to_timestamp(step.at)),
        time_precision: to_precision(step.has_time).into(),
        opened: step.opened.iter().map(to_step_leg).collect(),
        closed: step.closed.iter().map(to_step_leg).collect(),
        cash: format_decimal(step.cash),
    }
}

fn to_step_leg(leg: &StepLeg) -> wire::StrategyStepLeg {
    wire::StrategyStepLeg {
        symbol: leg.instrument.symbol.clone(),
        contract: to_contract(&leg.instrument),
        direction: to_direction(leg.long).into(),
        quantity: format_decimal(leg.quantity),
        price: format_decimal(divide(leg.value, leg.quantity).unwrap_or_default()),
    }
}

fn to_payoff(payoff: Payoff) -> wire::StrategyPayoff {
    let point = |point: crate::strategies::PayoffPoint| wire::PayoffPoint {
        price: format_decimal(point.price),
        profit: format_decimal(point.profit),
    };
    wire::StrategyPayoff {
        expiry: format_day(payoff.expiry),
        points: payoff.points.into_iter().map(point).collect(),
        break_evens: payoff.break_evens.into_iter().map(format_decimal).collect(),
        max_profit: format_optional(payoff.max_profit),
        max_loss: format_optional(payoff.max_loss),
        brokerage_missing: payoff.brokerage_missing,
    }
}

fn to_strategy_figures(figures: StrategyFigures) -> wire::StrategyFigures {
    wire::StrategyFigures {
        strategies: to_count(figures.strategies),
        wins: to_count(figures.wins),
        win_rate: figures.win_rate.map(to_interval),
        gross: format_decimal(figures.gross),
        charges: format_decimal(figures.charges),
        net: format_decimal(figures.net),
        expectancy: format_optional(figures.expectancy),
        worst_loss: format_optional(figures.worst_loss),
        average_credit: format_optional(figures.average_credit),
        worst_loss_to_credit: format_optional(figures.worst_loss_to_credit),
        credit_kept: format_optional(figures.credit_kept),
    }
}

pub fn parse_shape(shape: wire::StrategyShape) -> Option<Shape> {
    match shape {
        wire::StrategyShape::Unspecified => None,
        wire::StrategyShape::IronCondor => Some(Shape::IronCondor),
        wire::StrategyShape::IronButterfly => Some(Shape::IronButterfly),
        wire::StrategyShape::Butterfly => Some(Shape::Butterfly),
        wire::StrategyShape::Collar => Some(Shape::Collar),
        wire::StrategyShape::CoveredCall => Some(Shape::CoveredCall),
        wire::StrategyShape::ProtectivePut => Some(Shape::ProtectivePut),
        wire::StrategyShape::FutureAndOption => Some(Shape::FutureAndOption),
        wire::StrategyShape::LongStraddle => Some(Shape::LongStraddle),
        wire::StrategyShape::ShortStraddle => Some(Shape::ShortStraddle),
        wire::StrategyShape::LongStrangle => Some(Shape::LongStrangle),
        wire::StrategyShape::ShortStrangle => Some(Shape::ShortStrangle),
        wire::StrategyShape::Synthetic => Some(Shape::Synthetic),
        wire::StrategyShape::BullCallSpread => Some(Shape::BullCallSpread),
        wire::StrategyShape::BearCallSpread => Some(Shape::BearCallSpread),
        wire::StrategyShape::BullPutSpread => Some(Shape::BullPutSpread),
        wire::StrategyShape::BearPutSpread => Some(Shape::BearPutSpread),
        wire::StrategyShape::Ratio => Some(Shape::Ratio),
        wire::StrategyShape::Calendar => Some(Shape::Calendar),
        wire::StrategyShape::Diagonal => Some(Shape::Diagonal),
        wire::StrategyShape::Pair => Some(Shape::Pair),
        wire::StrategyShape::LongCall => Some(Shape::LongCall),
        wire::StrategyShape::ShortCall => Some(Shape::ShortCall),
        wire::StrategyShape::LongPut => Some(Shape::LongPut),
        wire::StrategyShape::ShortPut => Some(Shape::ShortPut),
        wire::StrategyShape::Custom => Some(Shape::Custom),
    }
}

pub fn to_shape(shape: Shape) -> wire::StrategyShape {
    match shape {
        Shape::IronCondor => wire::StrategyShape::IronCondor,
        Shape::IronButterfly => wire::StrategyShape::IronButterfly,
        Shape::Butterfly => wire::StrategyShape::Butterfly,
        Shape::Collar => wire::StrategyShape::Collar,
        Shape::CoveredCall => wire::StrategyShape::CoveredCall,
        Shape::ProtectivePut => wire::StrategyShape::ProtectivePut,
        Shape::FutureAndOption => wire::StrategyShape::FutureAndOption,
        Shape::LongStraddle => wire::StrategyShape::LongStraddle,
        Shape::ShortStraddle => wire::StrategyShape::ShortStraddle,
        Shape::LongStrangle => wire::StrategyShape::LongStrangle,
        Shape::ShortStrangle => wire::StrategyShape::ShortStrangle,
        Shape::Synthetic => wire::StrategyShape::Synthetic,
        Shape::BullCallSpread => wire::StrategyShape::BullCallSpread,
        Shape::BearCallSpread => wire::StrategyShape::BearCallSpread,
        Shape::BullPutSpread => wire::StrategyShape::BullPutSpread,
        Shape::BearPutSpread => wire::StrategyShape::BearPutSpread,
        Shape::Ratio => wire::StrategyShape::Ratio,
        Shape::Calendar => wire::StrategyShape::Calendar,
        Shape::Diagonal => wire::StrategyShape::Diagonal,
        Shape::Pair => wire::StrategyShape::Pair,
        Shape::LongCall => wire::StrategyShape::LongCall,
        Shape::ShortCall => wire::StrategyShape::ShortCall,
        Shape::LongPut => wire::StrategyShape::LongPut,
        Shape::ShortPut => wire::StrategyShape::ShortPut,
        Shape::Custom => wire::StrategyShape::Custom,
    }
}
