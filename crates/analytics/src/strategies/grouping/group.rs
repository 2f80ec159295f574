//! Parts that form a strategy, and the rules by which a leg is replaced and a strategy is rolled.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use time::{Date, Duration, OffsetDateTime};

use crate::fill::INDIA;
use crate::strategies::confirmed::ConfirmedStrategy;
use crate::strategies::shape::{Shape, ShapeLeg, classify};
use crate::strategies::strategy::Candidate;
use crate::strategies::time_part::TimePart;

/// Parts that form a strategy.
#[derive(Clone, Debug)]
pub struct Group {
    pub parts: Vec<TimePart>,
    /// Shape after the last opening that formed a known one.
    pub shape: Shape,
    /// Other possible strategies of its parts; empty if the grouping is not ambiguous.
    pub candidates: Vec<Candidate>,
    /// Index of the group that was rolled into it.
    pub previous: Option<usize>,
    /// None if it is proposed.
    pub confirmed: Option<Arc<ConfirmedStrategy>>,
    /// Indices of the parts that others replaced.
    pub replaced: HashSet<usize>,
}

impl Group {
    pub fn new(parts: Vec<TimePart>, shape: Shape, candidates: Vec<Candidate>) -> Self {
        Self { parts, shape, candidates, previous: None, confirmed: None, replaced: HashSet::new() }
    }

    /// Returns the group with the parts that were opened first.
    pub fn opening(&self, window: Duration) -> Self {
        let first = self.parts.iter().map(|part| part.opened_at).min();
        let is_opening = |part: &&TimePart| first.is_some_and(|first| part.opened_at - first <= window);
        Self::new(self.parts.iter().filter(is_opening).cloned().collect(), self.shape, Vec::new())
    }

    /// Returns whether it has parts in the account of a part.
    pub fn shares_account(&self, part: &TimePart) -> bool {
        self.parts.iter().any(|own| own.account() == part.account())
    }

    /// Returns whether something of it is open after a time.
    pub fn is_open_after(&self, at: OffsetDateTime) -> bool {
        self.parts.iter().any(|part| part.ended_at.is_none_or(|ended| ended >= at))
    }

    /// Returns the legs that are open at a time and were not replaced.
    pub fn open_legs(&self, at: OffsetDateTime) -> Vec<ShapeLeg> {
        let parts = self.parts.iter().enumerate().filter(|(index, _)| !self.replaced.contains(index));
        merge(&parts.filter_map(|(_, part)| part.open_leg(at)).collect::<Vec<_>>())
    }

    pub fn update_shape(&mut self) {
        let last = self.parts.iter().map(|part| part.opened_at).max();
        if let Some(shape) = last.and_then(|last| classify_merged(&self.open_legs(last))) {
            self.shape = shape;
        }
    }

    /// Returns the index of the leg that a part replaces: one of the same class, side and quantity that was closed within
    /// the window. The only open leg is replaced by another strike if it was held from an earlier day; within a day these
    /// are two trades. A later expiry replaces a leg only if others stay open; otherwise the whole strategy is rolled.
    pub fn replaced_leg(&self, part: &TimePart, window: Duration) -> Option<usize> {
        let is_replaced = |(index, old): &(usize, &TimePart)| {
            let (leg, new) = (&old.leg, &part.leg);
            let stays_open = || {
                let others = self.parts.iter().enumerate().filter(|(other, _)| other != index);
                others.into_iter().any(|(_, other)| other.ended_at.is_none_or(|ended| ended > part.opened_at + window))
            };
            part.is_option()
                && part.has_time
                && old.has_time
                && !self.replaced.contains(index)
                && (leg.class, leg.long, leg.quantity) == (new.class, new.long, new.quantity)
                && old.opened_at < part.opened_at
                && old.ended_within(part.opened_at, window)
                && match leg.expiry.cmp(&new.expiry) {
                    Ordering::Equal => {
                        leg.strike != new.strike
                            && (stays_open() || india_day(old.opened_at) < india_day(part.opened_at))
                    }
                    Ordering::Less => stays_open(),
                    Ordering::Greater => false,
                }
        };
        self.parts.iter().enumerate().find(is_replaced).map(|(index, _)| index)
    }

    /// Returns whether another group has the same legs of a later expiry, opened while this one was closed.
    pub fn is_rolled_to(&self, other: &Self, window: Duration) -> bool {
        let Some(opened) = other.parts.iter().map(|part| part.opened_at).min() else { return false };
        let has_times = self.parts.iter().chain(&other.parts).all(|part| part.has_time);
        let is_closed = |part: &TimePart| part.ended_at.is_some_and(|ended| ended <= opened + window);
        let last: Vec<&TimePart> = self.parts.iter().filter(|part| part.ended_within(opened, window)).collect();
        let kinds = |parts: &mut dyn Iterator<Item = &TimePart>| {
            let mut kinds: Vec<_> =
                parts.filter(|part| part.is_option()).map(|part| (part.leg.class, part.leg.long)).collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds
        };
        let old = kinds(&mut last.iter().copied());
        let expiry = |parts: &mut dyn Iterator<Item = &TimePart>| parts.filter_map(|part| part.leg.expiry).max();
        has_times
            && self.parts.iter().all(is_closed)
            && !old.is_empty()
            && old == kinds(&mut other.parts.iter())
            && expiry(&mut last.iter().copied()) < expiry(&mut other.parts.iter())
    }
}

fn india_day(at: OffsetDateTime) -> Date {
    at.to_offset(INDIA).date()
}

/// Adds up legs of the same contract and side.
pub fn merge(legs: &[ShapeLeg]) -> Vec<ShapeLeg> {
    let mut merged: Vec<ShapeLeg> = Vec::new();
    for leg in legs {
        match merged.iter_mut().find(|other| ShapeLeg { quantity: other.quantity, ..*leg } == **other) {
            Some(other) => other.quantity += leg.quantity,
            None => merged.push(*leg),
        }
    }
    merged
}

/// Returns the shape of legs after adding up those of the same contract; none if a contract was bought and sold.
pub fn classify_merged(legs: &[ShapeLeg]) -> Option<Shape> {
    let merged = merge(legs);
    let contracts: HashSet<_> = merged.iter().map(|leg| (leg.class, leg.strike, leg.expiry)).collect();
    if contracts.len() == merged.len() { classify(&merged) } else { None }
}
