//! Grouping of the positions of one account with a broker on one underlying, in the order of time.
//!
//! Parts that were opened within the window form a batch. A part of it that replaces a leg of an open strategy adjusts
//! that strategy, and one that limits its risk joins it, if need be with another one that was bought before. The others
//! form new strategies. A new strategy whose legs follow the same legs of an earlier expiry continues it: it was rolled.
//! Confirmed strategies are only linked to rolls, and get the shares that their contracts deliver.

mod batch;
mod group;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use rust_decimal::Decimal;
use time::{Duration, OffsetDateTime};

use self::batch::{Combination, combine};
pub use self::group::{Group, classify_merged};
use super::shape::{Shape, ShapeLeg, classify};
use super::strategy::Candidate;
use super::time_part::TimePart;
use crate::arithmetic::prorate;
use crate::fill::BrokerAccount;
use crate::fill_key::FillKey;
use crate::instrument::Class;

/// Result of grouping.
#[derive(Debug, Default)]
pub struct Grouping {
    pub groups: Vec<Group>,
    /// Shares and futures that belong to no strategy.
    pub free: Vec<TimePart>,
    window: Duration,
    /// Indices of the proposed groups that are open or were just closed.
    active: Vec<usize>,
    /// Number of confirmed groups, which come first.
    confirmed: usize,
    /// Ends of the closed confirmed groups, with their indices, in ascending order.
    confirmed_ends: Vec<(OffsetDateTime, usize)>,
    /// Indices of the groups that were rolled into others.
    followed: HashSet<usize>,
}

impl Grouping {
    /// Groups the parts of positions, given in any order, except those of confirmed groups.
    pub fn new(mut parts: Vec<TimePart>, confirmed: Vec<Group>, window: Duration) -> Self {
        sort_by_opening(&mut parts);
        let mut grouping = Self {
            window,
            confirmed: confirmed.len(),
            confirmed_ends: list_ends(&confirmed),
            groups: confirmed,
            ..Self::default()
        };
        let mut batch: Vec<TimePart> = Vec::new();
        for part in parts {
            if batch.first().is_some_and(|first| part.opened_at - first.opened_at > window) {
                grouping.add_batch(std::mem::take(&mut batch));
            }
            batch.push(part);
        }
        grouping.add_batch(batch);
        grouping.link_confirmed();
        grouping.remove_absorbed_groups();
        grouping
    }

    fn add_batch(&mut self, batch: Vec<TimePart>) {
        let Some(first) = batch.first().map(|part| part.opened_at) else { return };
        let (groups, window) = (&self.groups, self.window);
        self.active.retain(|index| groups.get(*index).is_some_and(|group| group.is_open_after(first - window)));
        let batch = self.add_deliveries(batch);
        let batch = self.replace_legs(batch);
        let batch = self.hedge_open_groups(batch);
        let (combinations, rest) = combine(batch);
        for combination in combinations {
            self.add_combination(combination);
        }
        // A leg of a new strategy can be replaced at once.
        for part in self.replace_legs(rest) {
            self.add_single(part);
        }
    }

    /// Adds delivered shares to the strategy of the contract that delivered them; returns the other parts.
    fn add_deliveries(&mut self, batch: Vec<TimePart>) -> Vec<TimePart> {
        if !batch.iter().any(|part| part.delivered) {
            return batch;
        }
        // Groups with the settled quantity of the contract that delivered the shares.
        let mut sources: HashMap<FillKey, Vec<(usize, Decimal)>> = HashMap::new();
        for (index, group) in self.groups.iter().enumerate() {
            for (key, quantity) in group.parts.iter().filter_map(TimePart::delivery) {
                sources.entry(key).or_default().push((index, quantity));
            }
        }
        let mut rest = Vec::new();
        for part in batch {
            let key = part.lots.first().filter(|_| part.delivered).map(|lot| lot.fill);
            match key.and_then(|key| sources.get(&key)) {
                Some(sources) => self.distribute_delivery(part, sources),
                None => rest.push(part),
            }
        }
        rest
    }

    /// Distributes delivered shares to the groups of the contract in proportion to their settled quantities.
    fn distribute_delivery(&mut self, part: TimePart, sources: &[(usize, Decimal)]) {
        let whole = part.leg.quantity;
        let mut settled: Decimal = sources.iter().map(|(_, quantity)| *quantity).sum();
        let (mut missing, mut rest) = (whole, Some(part));
        for (index, quantity) in sources {
            let Some(part) = rest.take() else { break };
            let shares =
                if *quantity == settled { missing } else { prorate(missing, Decimal::ZERO, *quantity, settled) };
            settled -= quantity;
            missing -= shares;
            let (first, other) = part.split(shares);
            rest = other;
            if let (Some(group), Some(first)) = (self.groups.get_mut(*index), first) {
                group.parts.push(first);
            }
        }
    }

    /// Adds parts to the strategies of which they replace a leg; returns the other parts.
    fn replace_legs(&mut self, batch: Vec<TimePart>) -> Vec<TimePart> {
        let mut rest = Vec::new();
        let mut changed = HashSet::new();
        for part in batch {
            let window = self.window;
            let find = |index: &usize| Some((*index, self.groups.get(*index)?.replaced_leg(&part, window)?));
            match self.active_for(&part).iter().find_map(find) {
                Some((index, leg)) => {
                    let Some(group) = self.groups.get_mut(index) else { continue };
                    group.replaced.insert(leg);
                    group.parts.push(part);
                    changed.insert(index);
                }
                None => rest.push(part),
            }
        }
        for index in changed {
            if let Some(group) = self.groups.get_mut(index) {
                group.update_shape();
            }
        }
        rest
    }

    /// Returns the proposed groups that are open or were just closed, the newest first, those in the account of a part before
    /// others.
    fn active_for(&self, part: &TimePart) -> Vec<usize> {
        let is_other = |index: &usize| self.groups.get(*index).is_some_and(|group| !group.shares_account(part));
        let mut indices: Vec<usize> = self.active.iter().rev().copied().collect();
        indices.sort_by_key(is_other);
        indices
    }

    /// Adds the parts of each account to an open strategy as far as they limit its risk; returns the others.
    fn hedge_open_groups(&mut self, batch: Vec<TimePart>) -> Vec<TimePart> {
        let mut by_account: BTreeMap<Option<BrokerAccount>, Vec<TimePart>> = BTreeMap::new();
        for part in batch {
            by_account.entry(part.account()).or_default().push(part);
        }
        let mut rest: Vec<TimePart> = by_account.into_values().flat_map(|parts| self.hedge_open_group(parts)).collect();
        sort_by_opening(&mut rest);
        rest
    }

    /// Adds all parts to an open strategy if each limits the risk of one of its legs and all form a known shape.
    fn hedge_open_group(&mut self, batch: Vec<TimePart>) -> Vec<TimePart> {
        let Some(at) = batch.iter().map(|part| part.opened_at).max() else { return batch };
        let matches = self.hedged_groups(&batch, at);
        let Some((index, _)) = matches.first() else { return batch };
        let candidates = self.to_candidates(&matches, &batch);
        if let Some(group) = self.groups.get_mut(*index) {
            group.parts.extend(batch);
            group.candidates.extend(candidates);
            group.update_shape();
        }
        Vec::new()
    }

    /// Returns the strategies that parts of one account hedge, with the shapes of the result; the newest first. Those of
    /// other accounts only if there is none of this one.
    fn hedged_groups(&self, parts: &[TimePart], at: OffsetDateTime) -> Vec<(usize, Shape)> {
        let Some(first) = parts.first() else { return Vec::new() };
        let legs: Vec<ShapeLeg> = parts.iter().map(|part| part.leg).collect();
        let shape = |index: &usize| {
            let group = self.groups.get(*index)?;
            let open = group.open_legs(at);
            let hedges = |leg: &ShapeLeg| open.iter().any(|other| leg.hedges(other));
            let all: Vec<ShapeLeg> = open.iter().chain(&legs).copied().collect();
            Some((*index, legs.iter().all(hedges).then(|| classify_merged(&all)).flatten()?))
        };
        let mut matches: Vec<(usize, Shape)> = self.active_for(first).iter().filter_map(shape).collect();
        let shares_account = |(index, _): &(usize, Shape)| self.groups.get(*index).map(|one| one.shares_account(first));
        let of_first = matches.first().map(shares_account);
        matches.retain(|one| Some(shares_account(one)) == of_first);
        matches
    }

    /// Returns the strategies that parts could form with each of several open ones; none if there is only one.
    fn to_candidates(&self, matches: &[(usize, Shape)], parts: &[TimePart]) -> Vec<Candidate> {
        let candidate = |(index, shape): &(usize, Shape)| {
            let group = self.groups.get(*index)?;
            Some(Candidate::new(*shape, group.parts.iter().chain(parts)))
        };
        if matches.len() < 2 { Vec::new() } else { matches.iter().filter_map(candidate).collect() }
    }

    fn add_combination(&mut self, combination: Combination) {
        let Combination { parts, shape, candidates } = combination;
        let group = Group::new(parts, shape, candidates);
        let confirmed = Self::ended_near(&self.confirmed_ends, &group, self.window);
        let active = group.parts.first().map(|part| self.active_for(part)).unwrap_or_default();
        let previous = self.find_rolled(&group, active.into_iter().chain(confirmed));
        self.followed.extend(previous);
        self.active.push(self.groups.len());
        self.groups.push(Group { previous, ..group });
    }

    /// Returns the first of some groups that was rolled into a group and into no other.
    fn find_rolled(&self, group: &Group, mut indices: impl Iterator<Item = usize>) -> Option<usize> {
        let is_rolled = |index: &usize| {
            !self.followed.contains(index)
                && self.groups.get(*index).is_some_and(|other| other.is_rolled_to(group, self.window))
        };
        indices.find(is_rolled)
    }

    /// Links the confirmed groups to those that were rolled into them.
    fn link_confirmed(&mut self) {
        let ends = list_ends(&self.groups);
        for index in 0..self.confirmed {
            let Some(opening) = self.groups.get(index).map(|group| group.opening(self.window)) else { continue };
            let near = Self::ended_near(&ends, &opening, self.window).filter(|other| *other != index);
            let previous = self.find_rolled(&opening, near);
            self.followed.extend(previous);
            if let Some(group) = self.groups.get_mut(index) {
                group.previous = previous;
            }
        }
    }

    /// Returns the groups that were closed within the window of the opening of a group.
    fn ended_near<'e>(
        ends: &'e [(OffsetDateTime, usize)],
        group: &Group,
        window: Duration,
    ) -> impl Iterator<Item = usize> + 'e {
        let opened = group.parts.iter().map(|part| part.opened_at).min();
        let from = opened.map_or(ends.len(), |opened| ends.partition_point(|(ended, _)| *ended < opened - window));
        let near = ends.iter().skip(from).take_while(move |(ended, _)| opened.is_some_and(|at| *ended <= at + window));
        near.map(|(_, index)| *index)
    }

    /// Adds a part that forms no strategy with others of its batch: to an open strategy or to shares or a future that it
    /// hedges; otherwise an option is a strategy of its own.
    fn add_single(&mut self, part: TimePart) {
        let rest = self.hedge_open_group(vec![part]);
        let Some(part) = rest.into_iter().next().and_then(|part| self.complete_open_group(part)) else { return };
        match classify(&[part.leg]) {
            Some(shape) => match self.take_base(&part) {
                (Some(base), candidates) => {
                    let legs: Vec<ShapeLeg> = base.iter().chain([&part]).map(|part| part.leg).collect();
                    let shape = classify_merged(&legs).unwrap_or(shape);
                    let parts = base.into_iter().chain([part]).collect();
                    self.add_combination(Combination { parts, shape, candidates });
                }
                (None, _) => self.add_combination(Combination { parts: vec![part], shape, candidates: Vec::new() }),
            },
            None => self.add_base(part),
        }
    }

    /// Adds a bought option to an open strategy, with another one that was bought before and forms a known shape only
    /// together with this one: the second wing of an iron condor. Returns the part if there is none.
    fn complete_open_group(&mut self, part: TimePart) -> Option<TimePart> {
        let find = |index: usize| Some((index, self.find_other_hedge(index, &part)?));
        let Some((index, other)) = self.active_for(&part).into_iter().find_map(find) else { return Some(part) };
        let absorbed = self.groups.get_mut(other).map(|group| std::mem::take(&mut group.parts));
        self.active.retain(|active| *active != other);
        if let Some(group) = self.groups.get_mut(index) {
            group.parts.extend(absorbed.into_iter().flatten().chain([part]));
            group.candidates.clear();
            group.update_shape();
        }
        None
    }

    /// Returns the strategy of one bought option that limits, together with a part, the risk of an open strategy.
    fn find_other_hedge(&self, index: usize, part: &TimePart) -> Option<usize> {
        let (group, at) = (self.groups.get(index)?, part.opened_at);
        let open = group.open_legs(at);
        let opened = group.parts.iter().map(|part| part.opened_at).min()?;
        let limits_risk = |leg: &ShapeLeg| leg.long && leg.is_option() && open.iter().any(|other| leg.hedges(other));
        if open.len() < 2 || !limits_risk(&part.leg) {
            return None;
        }
        let is_hedge = |other: &usize| {
            let Some(lone) = self.groups.get(*other).filter(|_| *other != index) else { return false };
            let [only] = lone.parts.as_slice() else { return false };
            let all: Vec<ShapeLeg> = open.iter().copied().chain([only.leg, part.leg]).collect();
            lone.previous.is_none()
                && !self.followed.contains(other)
                && only.opened_at >= opened
                && only.open_leg(at) == Some(only.leg)
                && limits_risk(&only.leg)
                && classify_merged(&all).is_some()
        };
        self.active_for(part).into_iter().find(is_hedge)
    }

    /// Removes the proposed groups whose parts were added to others.
    fn remove_absorbed_groups(&mut self) {
        let is_kept = |index: usize, group: &Group| index < self.confirmed || !group.parts.is_empty();
        let mut kept = 0;
        let indices: Vec<Option<usize>> = (self.groups.iter().enumerate())
            .map(|(index, group)| {
                let new_index = is_kept(index, group).then_some(kept);
                kept += usize::from(new_index.is_some());
                new_index
            })
            .collect();
        if kept == indices.len() {
            return;
        }
        let groups = std::mem::take(&mut self.groups).into_iter().zip(&indices);
        self.groups = groups.filter(|(_, index)| index.is_some()).map(|(group, _)| group).collect();
        for group in &mut self.groups {
            group.previous = group.previous.and_then(|previous| indices.get(previous).copied().flatten());
        }
    }

    /// Adds a share or future to the option that it hedges, as far as their quantities agree.
    fn add_base(&mut self, part: TimePart) {
        let hedged = self.active_for(&part).iter().find_map(|index| {
            let [leg] = self.groups.get(*index)?.open_legs(part.opened_at).try_into().ok()?;
            let base = ShapeLeg { quantity: leg.quantity, ..part.leg };
            (leg.quantity < part.leg.quantity).then(|| classify(&[base, leg])).flatten()?;
            Some(leg.quantity)
        });
        let Some(quantity) = hedged else { return self.free.push(part) };
        let (first, rest) = part.split(quantity);
        let unused = self.hedge_open_group(first.into_iter().collect());
        self.free.extend(unused.into_iter().chain(rest));
    }

    /// Takes as many free shares or futures as an option hedges, and returns what else it could hedge.
    fn take_base(&mut self, option: &TimePart) -> (Option<Vec<TimePart>>, Vec<Candidate>) {
        let at = option.opened_at;
        let is_base = |part: &&TimePart| {
            let base = part.open_leg(at).map(|leg| ShapeLeg { quantity: option.leg.quantity, ..leg });
            base.is_some_and(|base| classify(&[base, option.leg]).is_some())
        };
        let mut quantities: Vec<(FillKey, Class, Decimal)> = Vec::new();
        for part in self.free.iter().filter(is_base) {
            let open = part.open_leg(at).map(|leg| leg.quantity).unwrap_or_default();
            match quantities.iter_mut().find(|(position, ..)| *position == part.position) {
                Some((.., quantity)) => *quantity += open,
                None => quantities.push((part.position, part.leg.class, open)),
            }
        }
        quantities.retain(|(.., quantity)| *quantity >= option.leg.quantity);
        let of_account: HashSet<FillKey> =
            self.free.iter().filter(|part| part.account() == option.account()).map(|part| part.position).collect();
        if quantities.iter().any(|(position, ..)| of_account.contains(position)) {
            quantities.retain(|(position, ..)| of_account.contains(position));
        }
        let Some((position, ..)) = quantities.first().copied() else { return (None, Vec::new()) };
        let candidate = |(position, class, _): &(FillKey, Class, _)| {
            let base =
                ShapeLeg { class: *class, long: option.leg.long == (option.leg.class == Class::Put), ..option.leg };
            let (bases, _) = divide_free(self.free.clone(), *position, at, option.leg.quantity);
            Some(Candidate::new(classify(&[base, option.leg])?, bases.iter().chain([option])))
        };
        let candidates =
            if quantities.len() < 2 { Vec::new() } else { quantities.iter().filter_map(candidate).collect() };
        let free = std::mem::take(&mut self.free);
        let (base, free) = divide_free(free, position, at, option.leg.quantity);
        self.free = free;
        (Some(base), candidates)
    }
}

fn sort_by_opening(parts: &mut [TimePart]) {
    parts.sort_by_key(|part| (part.opened_at, part.position, part.lots.first().map(|lot| (lot.lot, lot.from))));
}

/// Divides free parts into an open quantity of a position, and the rest. Those that stay open for longer are taken first,
/// because an option hedges what is held with it; otherwise the oldest.
fn divide_free(
    free: Vec<TimePart>,
    position: FillKey,
    at: OffsetDateTime,
    mut missing: Decimal,
) -> (Vec<TimePart>, Vec<TimePart>) {
    let (mut taken, mut rest, mut open_parts) = (Vec::new(), Vec::new(), Vec::new());
    for part in free {
        if part.position == position {
            let (open, ended) = part.split_open(at);
            open_parts.extend(open.into_iter().flat_map(TimePart::split_by_end));
            rest.extend(ended);
        } else {
            rest.push(part);
        }
    }
    open_parts.sort_by_key(|part| (part.ended_at.is_some(), Reverse(part.ended_at), part.opened_at));
    for part in open_parts {
        let (first, other) = if missing.is_zero() { (None, Some(part)) } else { part.split(missing) };
        missing -= first.as_ref().map(|first| first.leg.quantity).unwrap_or_default();
        taken.extend(first);
        rest.extend(other);
    }
    (taken, rest)
}

/// Returns the ends of the closed groups with their indices, in ascending order.
fn list_ends(groups: &[Group]) -> Vec<(OffsetDateTime, usize)> {
    let end = |(index, group): (usize, &Group)| {
        let ends: Option<Vec<OffsetDateTime>> = group.parts.iter().map(|part| part.ended_at).collect();
        Some((ends?.into_iter().max()?, index))
    };
    let mut ends: Vec<_> = groups.iter().enumerate().filter_map(end).collect();
    ends.sort_unstable();
    ends
}
