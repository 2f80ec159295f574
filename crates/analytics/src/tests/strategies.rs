//! Strategies: shapes, adjustments, rolls and payoffs, compared with results computed by hand.

mod decisions;
mod grouping;
mod payoff;
mod property;
mod results;
mod settings;
mod timing;

use super::*;
use crate::strategies::{Step, StepKind, Strategy, StrategyState};

/// Returns the strategies of an analysis in the order of their openings, then of their shapes.
fn strategies(analysis: &Analysis) -> Vec<&Strategy> {
    let mut strategies: Vec<&Strategy> = analysis.strategies().strategies().iter().map(AsRef::as_ref).collect();
    strategies.sort_by_key(|strategy| (strategy.opened_at, strategy.shape, strategy.id));
    strategies
}

/// Formats a strategy, such as `ironCondor closed 65: opening -1.5, closing 1`, with the premium of each step.
fn describe_strategy(strategy: &Strategy) -> String {
    let state = match strategy.state {
        StrategyState::Open => "open",
        StrategyState::Closed => "closed",
        StrategyState::AwaitingSettlement => "awaiting",
    };
    let legs: Vec<String> = strategy
        .legs()
        .iter()
        .map(|leg| {
            let sign = if leg.long { "+" } else { "-" };
            let name = leg.instrument.strike.map_or_else(|| leg.instrument.symbol.clone(), |strike| strike.to_string());
            format!("{sign}{}x{name}", leg.quantity.normalize())
        })
        .collect();
    let kind = |step: &Step| match step.kind {
        StepKind::Opening => "opening",
        StepKind::Addition => "addition",
        StepKind::Adjustment => "adjustment",
        StepKind::Roll => "roll",
        StepKind::Reduction => "reduction",
        StepKind::Closing => "closing",
        StepKind::Settlement => "settlement",
    };
    let steps: Vec<String> =
        strategy.steps().iter().map(|step| format!("{} {}", kind(step), step.cash.normalize())).collect();
    format!("{} {state} {}: {}", strategy.shape.name(), legs.join(" "), steps.join(", "))
}

#[track_caller]
fn check_strategies(lines: &str, adjustments: &[Adjustment], expected: &[&str]) -> Analysis {
    let analysis = analysis(lines, adjustments);
    let actual: Vec<String> = strategies(&analysis).into_iter().map(describe_strategy).collect();
    assert_eq!(actual, expected);
    analysis
}
