//! Everything that is known of an account's trades. After a change only what it touches is worked out again.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use time::Date;

use crate::adjustment::{Adjustment, Entries};
use crate::charges::{Charged, Note, charge};
use crate::closed_trade::ClosedTrade;
use crate::cores::shared;
use crate::fill::{Broker, Fill, Source};
use crate::group::{Group, Key};
use crate::instrument::Instrument;
use crate::matching::opening;
use crate::tariff::Tariff;

/// What the trades come to, with what the trader entered and as of a day.
#[derive(Clone, Debug)]
pub struct Analysis {
    groups: Vec<Arc<Group>>,
    /// Where the group of an instrument is.
    places: HashMap<Key, usize>,
    /// The closed trades in the order of their closing.
    order: Vec<Place>,
    adjustments: Arc<[Adjustment]>,
    /// What expires depends on the day.
    today: Date,
    /// How many trades there are, and the highest of their numbers.
    pub trades: usize,
    newest: i64,
    pub(crate) tariff: &'static Tariff,
}

/// Where a closed trade is.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// When it was closed, which orders nearly all of them.
    closed: i64,
    group: usize,
    closed_trade: usize,
}

/// Trades as they are since: each with its number.
#[derive(Debug, Default)]
pub struct Changes {
    /// All that were added, changed or taken out.
    pub ids: BTreeSet<i64>,
    /// Those of them that there are.
    pub trades: Vec<Fill>,
}

/// Parts on a contract note: the places of their groups and their own.
type Parts = Vec<(usize, usize)>;

impl Analysis {
    /// Works out trades, in any order, from nothing.
    pub fn of(trades: Vec<Fill>, adjustments: &[Adjustment], tariff: &'static Tariff, today: Date) -> Self {
        let mut analysis = Self {
            groups: Vec::new(),
            places: HashMap::new(),
            order: Vec::new(),
            adjustments: adjustments.into(),
            today,
            trades: 0,
            newest: 0,
            tariff,
        };
        let entries = Entries::of(adjustments);
        let fills = trades.into_iter().chain(adjustments.iter().filter_map(opening));
        let groups = analysis.sorted_out(fills, &entries).into_values().collect();
        analysis.groups = shared(groups, |fills| Arc::new(Group::of(fills, &entries, today)));
        let mut notes: HashMap<Note, Parts> = HashMap::new();
        for (key, group) in &analysis.places {
            let Some(days) = analysis.groups.get(*group).map(|group| group.days()) else { continue };
            for (day, part) in days {
                notes.entry(key.note(*day)).or_default().push((*group, *part));
            }
        }
        let mut charged = analysis.charged(notes);
        let groups = analysis.groups.iter_mut().map(Arc::make_mut).enumerate();
        let groups = groups.map(|(place, group)| (place, group, charged.remove(&place).unwrap_or_default())).collect();
        shared(groups, |(place, group, parts)| {
            parts.into_iter().for_each(|(part, charged)| group.charge(part, charged));
            group.make_closed_trades(place);
        });
        analysis.finish(&|_| true);
        analysis
    }

    /// Whether it is with those entries, and as of that day.
    pub fn is_of(&self, adjustments: &[Adjustment], today: Date) -> bool {
        (&*self.adjustments, self.today) == (adjustments, today)
    }

    /// Works in what changed about the trades: the same comes out as from nothing.
    pub fn change(&mut self, changes: Changes) {
        let adjustments = self.adjustments.clone();
        let entries = Entries::of(&adjustments);
        let Changes { ids, trades } = changes;
        let newest = self.newest;
        let mut touched = self.sorted_out(trades.into_iter(), &entries);
        self.groups.resize_with(self.places.len(), || Arc::new(Group::of(Vec::new(), &entries, self.today)));
        // Most changes add trades, which no group holds yet.
        let known = ids.first().is_some_and(|first| *first <= newest);
        for (place, group) in self.groups.iter().enumerate().filter(|_| known) {
            if group.fills().any(|fill| ids.contains(&fill.trade_id)) {
                touched.entry(place).or_default();
            }
        }
        let mut different: HashMap<usize, Vec<Date>> = HashMap::new();
        for (place, mut fills) in touched {
            let Some(group) = self.groups.get_mut(place) else { continue };
            fills.extend(group.fills().filter(|fill| !ids.contains(&fill.trade_id)).cloned());
            let mut anew = Group::of(fills, &entries, self.today);
            different.insert(place, anew.take_charges(group));
            *group = Arc::new(anew);
        }
        let charged = self.charged(self.notes(&different));
        for (place, parts) in charged {
            let Some(group) = self.groups.get_mut(place) else { continue };
            let parts: Vec<_> = parts.into_iter().filter(|(part, is)| group.charged(*part) != Some(is)).collect();
            if parts.is_empty() {
                continue;
            }
            let group = Arc::make_mut(group);
            let places: Vec<usize> = parts.iter().map(|(part, _)| *part).collect();
            parts.into_iter().for_each(|(part, charged)| group.charge(part, charged));
            if !different.contains_key(&place) {
                group.renew_closed_trades(&places);
            }
        }
        for place in different.keys() {
            if let Some(group) = self.groups.get_mut(*place) {
                Arc::make_mut(group).make_closed_trades(*place);
            }
        }
        self.finish(&|place| different.contains_key(&place));
    }

    /// Fills by the places of their groups; those that are new get the next.
    fn sorted_out(&mut self, fills: impl Iterator<Item = Fill>, entries: &Entries) -> BTreeMap<usize, Vec<Fill>> {
        let mut groups: BTreeMap<usize, Vec<Fill>> = BTreeMap::new();
        // Most fills share what their instrument is, and need not be looked up by its name.
        let mut known: HashMap<(Broker, *const Instrument), usize> = HashMap::new();
        for fill in fills {
            self.newest = self.newest.max(fill.trade_id);
            let instrument = (fill.broker, Arc::as_ptr(&fill.instrument));
            let place = *known.entry(instrument).or_insert_with(|| {
                let next = self.places.len();
                *self.places.entry(Key::of(&fill, entries)).or_insert(next)
            });
            groups.entry(place).or_default().push(fill);
        }
        groups
    }

    /// The contract notes on which something of those groups and days stands, with all that stands on them.
    fn notes(&self, different: &HashMap<usize, Vec<Date>>) -> HashMap<Note, Parts> {
        let mut notes: HashMap<Note, Parts> = HashMap::new();
        for (key, group) in &self.places {
            for day in different.get(group).into_iter().flatten() {
                notes.entry(key.note(*day)).or_default();
            }
        }
        for (key, place) in &self.places {
            let Some(group) = self.groups.get(*place) else { continue };
            for (note, parts) in notes.iter_mut().filter(|(note, _)| key.note(note.day) == **note) {
                parts.extend(group.parts_of(note.day).iter().map(|(_, part)| (*place, *part)));
            }
        }
        notes
    }

    /// The charges of the parts on contract notes, by the places of their groups.
    fn charged(&self, notes: HashMap<Note, Parts>) -> HashMap<usize, Vec<(usize, Charged)>> {
        let of_note = |parts: Parts| {
            let line = |(group, part): &(usize, usize)| self.groups.get(*group)?.line(*part);
            let mut found: Vec<_> = parts.iter().filter_map(|part| Some((*part, line(part)?))).collect();
            found.sort_by(|(_, one), (_, other)| one.order(other));
            let (parts, mut lines): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            charge(&mut lines, self.tariff);
            parts.into_iter().zip(lines).map(|(part, line)| (part, line.charged)).collect::<Vec<_>>()
        };
        let mut charged: HashMap<usize, Vec<(usize, Charged)>> = HashMap::new();
        for ((group, part), of_part) in shared(notes.into_values().collect(), of_note).into_iter().flatten() {
            charged.entry(group).or_default().push((part, of_part));
        }
        charged
    }

    /// Counts the trades and puts the closed trades in order; `anew` says of which groups they are others than before.
    fn finish(&mut self, anew: &dyn Fn(usize) -> bool) {
        self.trades = self.groups.iter().map(|group| group.trades).sum();
        let mut order = std::mem::take(&mut self.order);
        order.retain(|place| !anew(place.group));
        for (group, closed_trades) in self.groups.iter().enumerate().filter(|(group, _)| anew(*group)) {
            let places = closed_trades.closed_trades.iter().enumerate();
            order.extend(places.map(|(place, closed_trade)| Place {
                closed: closed_trade.closed.unix_timestamp(),
                group,
                closed_trade: place,
            }));
        }
        // What was in order before is nearly so, which makes this quick.
        order.sort_by(|one, other| one.closed.cmp(&other.closed).then_with(|| self.in_order(*one, *other)));
        self.order = order;
    }

    fn in_order(&self, one: Place, other: Place) -> Ordering {
        let (Some(one), Some(other)) = (self.closed_trade(one), self.closed_trade(other)) else {
            return Ordering::Equal;
        };
        let key = |closed_trade| {
            let ClosedTrade { closed, opened, instrument, net, trade_id, kind, .. }: &ClosedTrade = closed_trade;
            (*closed, *opened, instrument.symbol.as_str(), *net, *trade_id, *kind)
        };
        key(one).cmp(&key(other))
    }

    fn closed_trade(&self, place: Place) -> Option<&ClosedTrade> {
        self.groups.get(place.group)?.closed_trades.get(place.closed_trade)
    }

    /// The closed trades in the order of their closing.
    pub fn closed_trades(&self) -> impl DoubleEndedIterator<Item = &ClosedTrade> + Clone {
        self.order.iter().filter_map(|place| self.closed_trade(*place))
    }

    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().map(Arc::as_ref)
    }

    /// The group of a closed trade.
    pub fn group(&self, closed_trade: &ClosedTrade) -> Option<&Group> {
        self.groups.get(closed_trade.group).map(Arc::as_ref)
    }

    /// The trades themselves.
    pub fn to_trades(&self) -> Vec<Fill> {
        self.groups().flat_map(Group::fills).filter(|fill| fill.source == Source::Trade).cloned().collect()
    }
}
