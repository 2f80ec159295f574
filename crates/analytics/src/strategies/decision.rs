//! Decisions of the trader about strategies: confirm, choose, join, split and release.

use std::collections::HashSet;

use rpc::failure::Violation;
use rust_decimal::Decimal;
use time::Duration;

use super::book::StrategyBook;
use super::confirmed::FillRange;
use super::grouping::{Group, classify_merged};
use super::lot_part::LotPart;
use super::shape::{Shape, ShapeLeg};
use super::strategy::Strategy;
use super::time_part::TimePart;
use crate::error::Error;
use crate::fill_key::FillKey;

/// Reason code of a quantity that is larger than the leg's.
const TOO_MUCH: &str = "TOO_MUCH";
/// Reason code of a split that leaves nothing.
const NOTHING_LEFT: &str = "NOTHING_LEFT";
/// Reason code of a part of a contract.
const NOT_WHOLE: &str = "NOT_WHOLE";
/// Reason code of strategies or positions that do not exist, or no longer.
const NOT_FOUND: &str = "NOT_FOUND";

/// Ranges of fills of one confirmed strategy; the analysis of an account holds those of all in memory.
const MAX_CONFIRMED_FILLS: usize = 2_000;

/// Decision about a strategy.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Keeps it as it is; with this name, or named after its shape.
    Confirm { name: Option<String> },
    /// Keeps one of its candidates.
    Choose { candidate: FillKey },
    /// Adds the lots of other strategies, and the shares and futures of positions that belong to none.
    Join { strategies: Vec<FillKey>, positions: Vec<FillKey> },
    /// Moves the oldest lots of its legs, given by position and quantity, to a new strategy.
    Split { legs: Vec<(FillKey, Decimal)> },
    /// Lets its lots be grouped automatically again.
    Release,
}

/// Confirmed strategy to store.
#[derive(Clone, Debug)]
pub struct NewConfirmedStrategy {
    pub id: FillKey,
    pub name: Option<String>,
    pub shape: Shape,
    pub ranges: Vec<FillRange>,
}

/// Change of the confirmed strategies.
#[derive(Clone, Debug, Default)]
pub struct StrategyChange {
    /// Confirmed strategies that end.
    pub removed: Vec<FillKey>,
    pub added: Vec<NewConfirmedStrategy>,
}

/// Stored decision.
#[derive(Debug)]
pub struct Decided {
    /// Number of the change, for undoing it.
    pub change_id: i64,
    /// Ids of the confirmed strategies; none after a release.
    pub ids: Vec<FillKey>,
    /// Fills of the strategy before the decision.
    pub fills: HashSet<FillKey>,
}

impl Decision {
    /// Returns the change that a decision about a strategy makes; `list_lots` returns the lots of a position, and `version`
    /// is that of the confirmed strategies.
    ///
    /// # Errors
    /// [`Error::StrategyNotFound`], [`Error::StrategyNotConfirmed`], or invalid fields.
    pub fn apply(
        &self,
        book: &StrategyBook,
        list_lots: &dyn Fn(FillKey) -> Vec<LotPart>,
        version: i64,
        id: FillKey,
    ) -> Result<StrategyChange, Error> {
        let strategy = book.find(id).ok_or(Error::StrategyNotFound)?;
        let removed: Vec<FillKey> = strategy.confirmed.iter().map(|confirmed| confirmed.id).collect();
        let name = strategy.confirmed.as_ref().and_then(|confirmed| confirmed.name.clone());
        let added = match self {
            Self::Confirm { name } => {
                let ranges = match &strategy.confirmed {
                    Some(confirmed) => confirmed.ranges.clone(),
                    None => FillRange::list(strategy.lots.iter()),
                };
                vec![NewConfirmedStrategy { id, name: name.clone(), shape: strategy.shape, ranges }]
            }
            Self::Choose { candidate } => {
                let chosen = strategy.candidates.iter().find(|one| one.id() == *candidate);
                let chosen = chosen.ok_or_else(|| Violation::new("candidate_id", NOT_FOUND))?;
                // Another id if it does not contain the first leg, which then begins another strategy.
                let chosen_id = book.strategy_id(&chosen.ranges).ok_or(Error::StrategyNotFound)?;
                let is_free = chosen_id == id || book.find(chosen_id).is_none();
                let id =
                    if is_free { chosen_id } else { id.derive("choice", &version.to_string(), strategy.opened_day) };
                vec![NewConfirmedStrategy { id, name, shape: chosen.shape, ranges: chosen.ranges.clone() }]
            }
            Self::Join { strategies, positions } => {
                let change = join(book, list_lots, strategy, strategies, positions)?;
                return check_size(change);
            }
            Self::Split { legs } => split(strategy, legs, version, book.window())?,
            Self::Release if removed.is_empty() => return Err(Error::StrategyNotConfirmed),
            Self::Release => Vec::new(),
        };
        check_size(StrategyChange { removed, added })
    }
}

fn check_size(change: StrategyChange) -> Result<StrategyChange, Error> {
    let is_large = |strategy: &NewConfirmedStrategy| strategy.ranges.len() > MAX_CONFIRMED_FILLS;
    if change.added.iter().any(is_large) { Err(Error::StrategyTooLarge) } else { Ok(change) }
}

/// Returns the ranges of confirmed strategies whose fills are not in the log now; they stay, because the trades may return.
fn absent_ranges<'s>(strategies: impl Iterator<Item = &'s Strategy>) -> Vec<FillRange> {
    let mut absent = Vec::new();
    for strategy in strategies {
        let fills: HashSet<FillKey> = strategy.lots.iter().map(|lot| lot.fill).collect();
        let ranges = strategy.confirmed.iter().flat_map(|confirmed| &confirmed.ranges);
        absent.extend(ranges.filter(|range| !fills.contains(&range.fill)).copied());
    }
    absent
}

fn join(
    book: &StrategyBook,
    list_lots: &dyn Fn(FillKey) -> Vec<LotPart>,
    strategy: &Strategy,
    others: &[FillKey],
    positions: &[FillKey],
) -> Result<StrategyChange, Error> {
    let mut joined = vec![strategy];
    for other in others {
        let other = book.find(*other).filter(|other| joined.iter().all(|one| one.id != other.id));
        joined.push(other.ok_or_else(|| Violation::new("strategy_ids", NOT_FOUND))?);
    }
    let mut lots: Vec<LotPart> = joined.iter().flat_map(|one| one.lots.iter().cloned()).collect();
    for position in positions {
        let free: Vec<LotPart> = if book.lots().any(|lot| lot.position == *position) {
            book.unassigned_lots().filter(|lot| lot.position == *position).cloned().collect()
        } else {
            // The book has no shares of companies without contracts.
            list_lots(*position)
        };
        if free.is_empty() {
            return Err(Violation::new("position_ids", NOT_FOUND).into());
        }
        lots.extend(free);
    }
    let confirmed = || joined.iter().filter_map(|one| one.confirmed.as_ref());
    Ok(StrategyChange {
        removed: confirmed().map(|confirmed| confirmed.id).collect(),
        added: vec![NewConfirmedStrategy {
            id: strategy.id,
            name: confirmed().find_map(|confirmed| confirmed.name.clone()),
            ranges: [FillRange::list(lots.iter()), absent_ranges(joined.iter().copied())].concat(),
            shape: shape_of(lots, book.window()),
        }],
    })
}

/// Returns what stays of a strategy, and the new one with parts of its legs.
fn split(
    strategy: &Strategy,
    legs: &[(FillKey, Decimal)],
    version: i64,
    window: Duration,
) -> Result<Vec<NewConfirmedStrategy>, Error> {
    let is_whole = |position: FillKey| {
        strategy.lots.iter().filter(|lot| lot.position == position).all(|lot| lot.quantity.fract().is_zero())
    };
    if legs.iter().any(|(position, quantity)| !quantity.fract().is_zero() && is_whole(*position)) {
        return Err(Violation::new("legs", NOT_WHOLE).into());
    }
    let mut missing: Vec<(FillKey, Decimal)> = legs.to_vec();
    let (mut moved, mut kept) = (Vec::new(), Vec::new());
    for lot in &strategy.lots {
        let Some((_, quantity)) = missing.iter_mut().find(|(position, _)| *position == lot.position) else {
            kept.push(lot.clone());
            continue;
        };
        if quantity.is_zero() {
            kept.push(lot.clone());
            continue;
        }
        let (first, rest) = lot.clone().split(*quantity);
        *quantity -= first.quantity;
        moved.push(first);
        kept.extend(rest);
    }
    if missing.iter().any(|(_, quantity)| !quantity.is_zero()) {
        return Err(Violation::new("legs", TOO_MUCH).into());
    }
    if kept.is_empty() {
        return Err(Violation::new("legs", NOTHING_LEFT).into());
    }
    let name = strategy.confirmed.as_ref().and_then(|confirmed| confirmed.name.clone());
    // What stays keeps the id, and with it the journal. The new id depends on the change, so it is never given again.
    let moved_id = strategy.id.derive("split", &version.to_string(), strategy.opened_day);
    let part = |id, name, absent: Vec<FillRange>, lots: Vec<LotPart>| NewConfirmedStrategy {
        id,
        name,
        ranges: [FillRange::list(lots.iter()), absent].concat(),
        shape: shape_of(lots, window),
    };
    let absent = absent_ranges(std::iter::once(strategy));
    Ok(vec![part(strategy.id, name, absent, kept), part(moved_id, None, Vec::new(), moved)])
}

/// Returns the shape of what is open after the last opening.
fn shape_of(lots: Vec<LotPart>, window: Duration) -> Shape {
    let underlyings: HashSet<String> = lots.iter().map(|lot| lot.instrument.underlying.clone()).collect();
    let group = Group::new(TimePart::divide_by_position(lots, window), Shape::Custom, Vec::new());
    let Some(last) = group.parts.iter().map(|part| part.opened_at).max() else { return Shape::Custom };
    let opening = group.opening(window);
    let at_once: Vec<ShapeLeg> = opening.parts.iter().map(|part| part.leg).collect();
    // A replaced leg may be closed after the new one is opened. Without times, nothing is open between two trades of a day.
    let legs = [group.open_legs(last), group.open_legs(last + window)];
    let all_at_once = (opening.parts.len() == group.parts.len()).then_some(at_once);
    let mut shapes = legs.into_iter().chain(all_at_once).filter_map(|legs| classify_merged(&legs));
    shapes.next().filter(|_| underlyings.len() == 1).unwrap_or(Shape::Custom)
}
