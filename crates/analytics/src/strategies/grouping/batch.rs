//! Combination of parts that were opened together into strategies.

use std::collections::HashSet;

use rust_decimal::Decimal;

use super::classify_merged;
use crate::strategies::shape::{Shape, ShapeLeg};
use crate::strategies::strategy::Candidate;
use crate::strategies::time_part::TimePart;

/// Parts that are combined at once; the combinations of more would take too long.
const MAX_COMBINED_PARTS: usize = 10;
/// Legs of the largest shape.
const MAX_LEGS: usize = 4;

/// New strategy of parts that were opened together.
pub struct Combination {
    pub parts: Vec<TimePart>,
    pub shape: Shape,
    /// All equally good combinations, if there are several.
    pub candidates: Vec<Candidate>,
}

/// Indices of the parts of a possible strategy, with the quantity of each.
struct Subset {
    parts: Vec<(usize, Decimal)>,
    shape: Shape,
    /// Number of accounts with brokers that have the parts.
    accounts: usize,
}

/// Combines parts into strategies of two or more legs; returns also the parts that belong to none. Whole parts and large
/// shapes are preferred, then parts of one account with a broker.
pub fn combine(mut parts: Vec<TimePart>) -> (Vec<Combination>, Vec<TimePart>) {
    let (mut combinations, mut single) = (Vec::new(), Vec::new());
    loop {
        let is_large = parts.len() > MAX_COMBINED_PARTS;
        let best = if is_large && is_first_alone(&parts) { None } else { find_best(&parts) };
        let Some((chosen, candidates)) = best else {
            if !is_large {
                break;
            }
            // The first forms nothing with those after it; a later one takes its place.
            single.push(parts.remove(0));
            continue;
        };
        let mut taken = Vec::new();
        let mut rest = Vec::new();
        for (index, part) in parts.into_iter().enumerate() {
            match chosen.parts.iter().find(|(chosen, _)| *chosen == index) {
                Some((_, quantity)) => {
                    let (first, other) = part.split(*quantity);
                    taken.extend(first);
                    rest.extend(other);
                }
                None => rest.push(part),
            }
        }
        combinations.push(Combination { parts: taken, shape: chosen.shape, candidates });
        parts = rest;
    }
    single.extend(parts);
    (combinations, single)
}

/// Returns whether the first part was never open together with one of those that are considered with it. Scalps are alone,
/// and there may be hundreds of them.
fn is_first_alone(parts: &[TimePart]) -> bool {
    let Some((first, rest)) = parts.split_first() else { return true };
    !rest.iter().take(MAX_COMBINED_PARTS - 1).any(|other| are_open_together(&[first, other]))
}

/// Returns the best subset of parts, and all equally good ones if others contain some of the same parts.
fn find_best(parts: &[TimePart]) -> Option<(Subset, Vec<Candidate>)> {
    let considered = parts.get(..parts.len().min(MAX_COMBINED_PARTS)).unwrap_or_default();
    for is_whole in [true, false] {
        for size in (2..=MAX_LEGS.min(considered.len())).rev() {
            let mut subsets: Vec<Subset> = index_sets(considered.len(), size)
                .into_iter()
                .filter_map(|indices| fit(considered, &indices, is_whole))
                .collect();
            subsets.sort_by_key(|subset| (subset.accounts, subset.shape));
            let Some(best) = subsets.first() else { continue };
            let is_equal = |other: &&Subset| {
                other.accounts == best.accounts
                    && other.parts.iter().any(|(index, _)| best.parts.iter().any(|(of_best, _)| of_best == index))
            };
            let equal: Vec<Candidate> = subsets.iter().filter(is_equal).map(|subset| subset.candidate(parts)).collect();
            let candidates = if equal.len() < 2 { Vec::new() } else { equal };
            return subsets.into_iter().next().map(|best| (best, candidates));
        }
    }
    None
}

impl Subset {
    fn candidate(&self, parts: &[TimePart]) -> Candidate {
        let part = |(index, quantity): &(usize, Decimal)| parts.get(*index)?.clone().split(*quantity).0;
        Candidate::new(self.shape, self.parts.iter().filter_map(part).collect::<Vec<_>>().iter())
    }
}

/// Returns all sets of `size` indices below `count`, in ascending order.
fn index_sets(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let extend = |set: Vec<usize>| {
            let next = set.last().map_or(0, |last| last + 1);
            (next..count).map(move |index| set.iter().copied().chain([index]).collect())
        };
        sets = sets.into_iter().flat_map(extend).collect();
    }
    sets
}

/// Returns the strategy that parts form with their whole quantities, or with a part of them. Several accounts that have
/// the same contract each have a strategy of their own.
fn fit(parts: &[TimePart], indices: &[usize], is_whole: bool) -> Option<Subset> {
    let chosen: Vec<&TimePart> = indices.iter().filter_map(|index| parts.get(*index)).collect();
    if !are_open_together(&chosen) {
        return None;
    }
    let legs: Vec<ShapeLeg> = chosen.iter().map(|part| part.leg).collect();
    let accounts = chosen.iter().map(|part| part.account()).collect::<HashSet<_>>().len();
    let contracts = legs.iter().map(|leg| (leg.class, leg.strike, leg.expiry)).collect::<HashSet<_>>().len();
    if accounts > 1 && contracts < legs.len() {
        return None;
    }
    let subset = |legs: &[ShapeLeg]| {
        let shape = classify_merged(legs)?;
        let parts = indices.iter().copied().zip(legs.iter().map(|leg| leg.quantity)).collect();
        Some(Subset { parts, shape, accounts })
    };
    if is_whole {
        // A ratio of two legs is meant only if nothing else was opened with them.
        return subset(&legs).filter(|subset| subset.shape != Shape::Ratio || parts.len() == 2);
    }
    let with_ratio = |ratio: &dyn Fn(usize) -> Decimal| {
        let unit = legs.iter().enumerate().map(|(index, leg)| leg.quantity / ratio(index)).min()?;
        let scaled: Vec<ShapeLeg> =
            (legs.iter().enumerate()).map(|(index, leg)| ShapeLeg { quantity: unit * ratio(index), ..*leg }).collect();
        subset(&scaled).filter(|_| unit.fract().is_zero())
    };
    let body = || {
        let mut order: Vec<usize> = (0..legs.len()).collect();
        order.sort_by_key(|index| legs.get(*index).map(|leg| leg.strike));
        order.get(1).copied().filter(|_| order.len() == 3)
    };
    with_ratio(&|_| Decimal::ONE).or_else(|| {
        let body = body()?;
        with_ratio(&|index| if index == body { Decimal::TWO } else { Decimal::ONE })
    })
}

/// Returns whether there is a time at which all parts are open. Without times, one day counts as one time.
fn are_open_together(parts: &[&TimePart]) -> bool {
    let has_times = parts.iter().all(|part| part.has_time);
    let opened = parts.iter().map(|part| part.opened_at).max();
    let ended = parts.iter().filter_map(|part| part.ended_at).min();
    match (opened, ended) {
        (Some(opened), Some(ended)) => opened < ended || (!has_times && opened == ended),
        (Some(_), None) | (None, _) => true,
    }
}
