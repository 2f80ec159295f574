//! Figures of closed strategies, in total and by group.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::strategy::Strategy;
use crate::arithmetic::divide;
use crate::figures::{Interval, wilson_interval};

/// Property by which strategies are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrategyGrouping {
    Shape,
    Underlying,
    DaysToExpiryAtEntry,
    DaysToExpiryAtExit,
    /// Weekday of the opening.
    Weekday,
    Width,
    Adjusted,
    Risk,
}

impl StrategyGrouping {
    /// Returns the key of a strategy; none if the property is unknown.
    pub fn key(self, strategy: &Strategy) -> Option<String> {
        let yes_or_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        Some(match self {
            Self::Shape => strategy.shape.name().to_owned(),
            Self::Underlying => strategy.underlying.clone(),
            Self::DaysToExpiryAtEntry => strategy.days_to_expiry_at_entry()?.to_string(),
            Self::DaysToExpiryAtExit => strategy.days_to_expiry_at_exit()?.to_string(),
            Self::Weekday => strategy.opening_weekday().to_string(),
            Self::Width => strategy.width()?.normalize().to_string(),
            Self::Adjusted => yes_or_no(strategy.is_adjusted()),
            Self::Risk => if strategy.has_defined_risk() { "defined" } else { "undefined" }.to_owned(),
        })
    }
}

/// Figures of closed strategies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrategyFigures {
    pub strategies: usize,
    pub wins: usize,
    /// None without strategies.
    pub win_rate: Option<Interval>,
    pub gross: Decimal,
    pub charges: Decimal,
    pub net: Decimal,
    /// Average net result.
    pub expectancy: Option<Decimal>,
    /// Largest net loss as a negative number; none without losses.
    pub worst_loss: Option<Decimal>,
    /// Average credit of those that were opened for one.
    pub average_credit: Option<Decimal>,
    /// The worst loss of those opened for a credit as a multiple of the average credit.
    pub worst_loss_to_credit: Option<Decimal>,
    /// Gross result of those opened for a credit, divided by their credits.
    pub credit_kept: Option<Decimal>,
}

impl StrategyFigures {
    /// Sums up those of the strategies that are closed.
    pub fn new<'s>(strategies: impl IntoIterator<Item = &'s Strategy>) -> Self {
        let closed: Vec<&Strategy> = strategies.into_iter().filter(|strategy| strategy.is_closed()).collect();
        let mut figures = Self { strategies: closed.len(), ..Self::default() };
        let (mut credits, mut credit_gross, mut credit_count) = (Decimal::ZERO, Decimal::ZERO, 0_usize);
        let mut worst_credit_loss = Decimal::ZERO;
        for strategy in &closed {
            let net = strategy.net();
            figures.gross += strategy.gross;
            figures.charges += strategy.charges;
            figures.net += net;
            figures.wins += usize::from(net > Decimal::ZERO);
            if net < Decimal::ZERO {
                figures.worst_loss = Some(figures.worst_loss.map_or(net, |worst| worst.min(net)));
            }
            if let Some(credit) = strategy.credit() {
                credits += credit;
                credit_gross += strategy.option_gross();
                credit_count += 1;
                worst_credit_loss = worst_credit_loss.min(net);
            }
        }
        figures.win_rate = wilson_interval(figures.wins, figures.strategies);
        figures.expectancy = divide(figures.net, Decimal::from(figures.strategies));
        figures.average_credit = divide(credits, Decimal::from(credit_count));
        figures.worst_loss_to_credit = figures.average_credit.and_then(|credit| divide(-worst_credit_loss, credit));
        figures.credit_kept = divide(credit_gross, credits);
        figures
    }
}

/// Returns the figures of each group, in the order of numbers or texts.
pub fn group_strategies<'s>(
    by: StrategyGrouping,
    strategies: impl Iterator<Item = &'s Strategy>,
) -> Vec<(String, StrategyFigures)> {
    let mut groups: BTreeMap<(Option<Decimal>, String), Vec<&Strategy>> = BTreeMap::new();
    for strategy in strategies.filter(|strategy| strategy.is_closed()) {
        if let Some(key) = by.key(strategy) {
            groups.entry((key.parse().ok(), key)).or_default().push(strategy);
        }
    }
    groups.into_iter().map(|((_, key), strategies)| (key, StrategyFigures::new(strategies))).collect()
}
