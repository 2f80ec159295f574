//! Strategies that the trader confirmed or arranged. Their lots are never regrouped.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rust_decimal::Decimal;
use time::OffsetDateTime;

use super::lot_part::LotPart;
use super::settings::GroupingSettings;
use super::shape::Shape;
use super::strategy::Strategy;
use crate::fill_key::FillKey;

/// Range of the quantity of a fill. It stays valid if the fill is imported again or matched with other fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FillRange {
    pub fill: FillKey,
    pub from: Decimal,
    /// None for the end of the fill, even if a correction changes its quantity.
    pub to: Option<Decimal>,
}

impl FillRange {
    fn new(lot: &LotPart) -> Self {
        Self { fill: lot.fill, from: lot.from, to: (!lot.ends_fill).then(|| lot.from + lot.quantity) }
    }

    /// Returns the identity of a grouping, which depends on its ranges only.
    pub fn identify(ranges: &[Self]) -> FillKey {
        let text = |range: &Self| {
            let to = range.to.map(|to| to.normalize().to_string()).unwrap_or_default();
            format!("{} {} {to}", range.fill, range.from.normalize())
        };
        FillKey::of_texts(&ranges.iter().map(text).collect::<Vec<_>>())
    }

    /// Returns whether it contains another range.
    fn contains(&self, other: &Self) -> bool {
        let ends_before = self.to.is_some_and(|end| other.to.is_none_or(|other| other > end));
        self.fill == other.fill && self.from <= other.from && !ends_before
    }

    /// Returns whether `ranges` contain all of `others`.
    pub fn contain_all(ranges: &[Self], others: &[Self]) -> bool {
        others.iter().all(|other| ranges.iter().any(|range| range.contains(other)))
    }

    /// Returns the ranges of lots, adjacent ones as one.
    pub fn list<'l>(lots: impl Iterator<Item = &'l LotPart>) -> Vec<Self> {
        let mut ranges: Vec<Self> = lots.map(Self::new).collect();
        ranges.sort_unstable_by_key(|range| (range.fill, range.from));
        ranges.dedup_by(|next, range| {
            let is_adjacent = next.fill == range.fill && range.to == Some(next.from);
            if is_adjacent {
                range.to = next.to;
            }
            is_adjacent
        });
        ranges
    }
}

/// Strategy that the trader confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmedStrategy {
    pub id: FillKey,
    /// Name by the trader; none if it is named after its shape.
    pub name: Option<String>,
    pub shape: Shape,
    pub ranges: Vec<FillRange>,
    pub confirmed_at: OffsetDateTime,
}

impl ConfirmedStrategy {
    /// Returns whether all its fills are among these lots.
    pub fn is_complete(&self, lots: &[LotPart]) -> bool {
        let fills: HashSet<FillKey> = lots.iter().map(|lot| lot.fill).collect();
        self.ranges.iter().all(|range| fills.contains(&range.fill))
    }
}

/// All confirmed strategies of an account, in the order of their ids, and the settings for the others.
#[derive(Clone, Debug, Default)]
pub struct ConfirmedStrategies {
    /// Version in the database.
    pub version: i64,
    pub settings: GroupingSettings,
    pub strategies: Vec<Arc<ConfirmedStrategy>>,
}

impl ConfirmedStrategies {
    /// Returns the fills of the strategies that only one of both contains, or that differ.
    pub fn changed_fills(&self, other: &Self) -> HashSet<FillKey> {
        let changed = |all: &Self, others: &Self| -> Vec<FillKey> {
            let others: HashMap<FillKey, _> = others.strategies.iter().map(|one| (one.id, one)).collect();
            let changed = all.strategies.iter().filter(|one| others.get(&one.id) != Some(one));
            changed.flat_map(|one| one.ranges.iter().map(|range| range.fill)).collect()
        };
        changed(self, other).into_iter().chain(changed(other, self)).collect()
    }
}

/// Confirmed strategies by their fills.
#[derive(Default)]
pub struct ConfirmedIndex<'c> {
    by_fill: HashMap<FillKey, Vec<(FillRange, &'c Arc<ConfirmedStrategy>)>>,
    ids: HashSet<FillKey>,
}

impl<'c> ConfirmedIndex<'c> {
    pub fn new(confirmed: &'c ConfirmedStrategies) -> Self {
        let mut by_fill: HashMap<FillKey, Vec<(FillRange, &Arc<ConfirmedStrategy>)>> = HashMap::new();
        for strategy in &confirmed.strategies {
            for range in &strategy.ranges {
                by_fill.entry(range.fill).or_default().push((*range, strategy));
            }
        }
        by_fill.values_mut().for_each(|ranges| ranges.sort_unstable_by_key(|(range, _)| range.from));
        Self { by_fill, ids: confirmed.strategies.iter().map(|strategy| strategy.id).collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.by_fill.is_empty()
    }

    /// Returns the id of a proposed strategy: another one if a confirmed strategy has it, whose first leg was moved.
    pub fn unused_id(&self, strategy: &Strategy) -> FillKey {
        let mut id = strategy.id;
        while self.has_id(id) {
            id = id.derive("strategy", "", strategy.opened_day);
        }
        id
    }

    pub fn has_id(&self, id: FillKey) -> bool {
        self.ids.contains(&id)
    }

    pub fn contains(&self, fill: FillKey) -> bool {
        self.by_fill.contains_key(&fill)
    }

    /// Divides a lot into the parts that belong to confirmed strategies and those that belong to none.
    pub fn divide(&self, lot: LotPart) -> Vec<(LotPart, Option<&'c Arc<ConfirmedStrategy>>)> {
        let (mut parts, mut rest) = (Vec::new(), Some(lot));
        for (range, strategy) in rest.as_ref().and_then(|lot| self.by_fill.get(&lot.fill)).into_iter().flatten() {
            let Some(lot) = rest.take() else { break };
            let is_before = range.to.is_some_and(|to| to <= lot.from);
            if is_before || range.from >= lot.from + lot.quantity {
                rest = Some(lot);
                continue;
            }
            let inside = if range.from > lot.from {
                let offset = range.from - lot.from;
                let (before, inside) = lot.split(offset);
                parts.push((before, None));
                inside
            } else {
                Some(lot)
            };
            let Some(inside) = inside else { break };
            let quantity = range.to.map_or(inside.quantity, |to| to - inside.from);
            let (inside, after) = inside.split(quantity);
            parts.push((inside, Some(*strategy)));
            rest = after;
        }
        parts.extend(rest.map(|lot| (lot, None)));
        parts
    }
}
