//! Steps of a strategy: its opening, additions, adjustments, rolls and closings.

use std::collections::BTreeMap;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, Duration, OffsetDateTime};

use super::lot_part::LotPart;
use crate::fill::INDIA;
use crate::instrument::Instrument;

/// Kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    Opening,
    /// Legs were added, such as a hedge.
    Addition,
    /// Legs were replaced by others of the same expiry.
    Adjustment,
    /// Legs were replaced by others of a later expiry.
    Roll,
    /// Some legs, or parts of them, were closed.
    Reduction,
    /// All that was open was closed.
    Closing,
    /// Contracts expired and were settled, in cash or by delivery.
    Settlement,
}

impl StepKind {
    /// Returns whether legs were opened that belong to the strategy's premium.
    pub fn opens(self) -> bool {
        matches!(self, Self::Opening | Self::Addition | Self::Adjustment | Self::Roll)
    }
}

/// Trades of a strategy within minutes of each other.
#[derive(Clone, Debug)]
pub struct Step {
    pub kind: StepKind,
    pub at: OffsetDateTime,
    /// True if the time of day is known.
    pub has_time: bool,
    pub opened: Vec<StepLeg>,
    pub closed: Vec<StepLeg>,
    /// Sales less purchases in rupees.
    pub cash: Decimal,
    /// Part of `cash` from options.
    pub premium: Decimal,
}

/// Contract or share that a step opened or closed.
#[derive(Clone, Debug)]
pub struct StepLeg {
    pub instrument: Arc<Instrument>,
    pub long: bool,
    pub quantity: Decimal,
    pub value: Decimal,
}

/// Steps of a strategy, and the steps that opened and closed each of its lots.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    pub steps: Vec<Step>,
    /// Indices of the steps of the entry and the exit of each lot; no exit if it is open.
    pub lots: Vec<(usize, Option<usize>)>,
}

/// Entry or exit of a lot.
#[derive(Clone, Copy)]
struct Event {
    lot: usize,
    is_exit: bool,
    at: OffsetDateTime,
    has_time: bool,
}

impl Timeline {
    pub fn new(lots: &[LotPart], window: Duration) -> Self {
        let entry = |(lot, part): (usize, &LotPart)| {
            let exit = part.exit.as_ref();
            // Delivered shares have no time of their own, but never belong to the trades of the day.
            let has_time = part.has_time || part.delivered;
            let entry = Event { lot, is_exit: false, at: part.opened_at, has_time };
            let exit = exit.map(|exit| Event { lot, is_exit: true, at: exit.at, has_time: exit.has_time });
            [Some(entry), exit]
        };
        let mut events: Vec<Event> = lots.iter().enumerate().flat_map(entry).flatten().collect();
        events.sort_by_key(|event| (event.at, event.is_exit, event.lot));
        let mut clusters: Vec<Vec<Event>> = Vec::new();
        for event in events {
            let belongs = |cluster: &Vec<Event>| {
                let mut opened = cluster.iter().filter(|other| !other.is_exit);
                cluster.first().is_some_and(|first| is_together(*first, event, window))
                    && !opened.any(|other| {
                        // An entry after one of the legs was closed replaces it.
                        if event.is_exit { other.lot == event.lot } else { is_closed_by(lots, *other, event) }
                    })
            };
            match clusters.last_mut() {
                Some(cluster) if belongs(cluster) => cluster.push(event),
                _ => clusters.push(vec![event]),
            }
        }
        let mut timeline = Self { steps: Vec::new(), lots: vec![(0, None); lots.len()] };
        let mut open = 0_usize;
        for (index, cluster) in clusters.iter().enumerate() {
            for event in cluster {
                let Some(steps) = timeline.lots.get_mut(event.lot) else { continue };
                if event.is_exit {
                    steps.1 = Some(index);
                    open = open.saturating_sub(1);
                } else {
                    steps.0 = index;
                    open += 1;
                }
            }
            timeline.steps.extend(Step::new(cluster, lots, index == 0, open > 0));
        }
        timeline
    }

    /// Returns the lots that are open after a step.
    pub fn open_after<'l>(&self, step: usize, lots: &'l [LotPart]) -> Vec<&'l LotPart> {
        let is_open = |(entry, exit): &(usize, Option<usize>)| *entry <= step && exit.is_none_or(|exit| exit > step);
        self.lots.iter().zip(lots).filter(|(steps, _)| is_open(steps)).map(|(_, lot)| lot).collect()
    }

    /// Returns the lots that are closed after a step.
    pub fn closed_after<'l>(&self, step: usize, lots: &'l [LotPart]) -> Vec<&'l LotPart> {
        let is_closed = |(_, exit): &(usize, Option<usize>)| exit.is_some_and(|exit| exit <= step);
        self.lots.iter().zip(lots).filter(|(steps, _)| is_closed(steps)).map(|(_, lot)| lot).collect()
    }

    /// Returns the index of the last step that opened legs.
    pub fn last_opening(&self) -> usize {
        self.steps.iter().rposition(|step| step.kind.opens()).unwrap_or_default()
    }
}

/// Returns whether the lot of an entry was closed when another one was opened, as far as the times are known.
fn is_closed_by(lots: &[LotPart], entry: Event, next: Event) -> bool {
    let exit = lots.get(entry.lot).and_then(|lot| lot.exit.as_ref());
    next.has_time && exit.is_some_and(|exit| exit.has_time && exit.at <= next.at)
}

/// Returns whether two events are within the window. Without times, those of one day are together.
fn is_together(first: Event, event: Event, window: Duration) -> bool {
    let day = |event: Event| event.at.to_offset(INDIA).date();
    if first.has_time && event.has_time { event.at - first.at <= window } else { day(first) == day(event) }
}

impl Step {
    fn new(events: &[Event], lots: &[LotPart], is_first: bool, is_open: bool) -> Option<Self> {
        let first = events.first()?;
        let parts = |is_exit: bool| {
            let events = events.iter().filter(move |event| event.is_exit == is_exit);
            events.filter_map(|event| lots.get(event.lot))
        };
        let expiry = |is_exit: bool| parts(is_exit).filter_map(expiry_of).max();
        let (opens, closes) = (parts(false).next().is_some(), parts(true).next().is_some());
        let settles = parts(true).any(|lot| lot.exit.as_ref().is_some_and(|exit| exit.settled));
        let kind = match (opens, closes) {
            _ if settles => StepKind::Settlement,
            (true, true) if expiry(false) > expiry(true) => StepKind::Roll,
            (true, true) => StepKind::Adjustment,
            (true, false) if is_first => StepKind::Opening,
            (true, false) => StepKind::Addition,
            (false, _) if is_open => StepKind::Reduction,
            (false, _) => StepKind::Closing,
        };
        let exit_value = |lot: &LotPart| lot.exit.as_ref().map(|exit| exit.value).unwrap_or_default();
        let cash = |only_options: bool| {
            let counts = |lot: &&LotPart| !only_options || lot.instrument.is_option();
            let entries: Decimal = parts(false).filter(counts).map(|lot| -lot.sign() * lot.entry_value).sum();
            let exits: Decimal = parts(true).filter(counts).map(|lot| lot.sign() * exit_value(lot)).sum();
            entries + exits
        };
        Some(Self {
            kind,
            at: first.at,
            has_time: events.iter().all(|event| event.has_time),
            opened: add_up(parts(false).map(|lot| (lot, lot.entry_value))),
            closed: add_up(parts(true).map(|lot| (lot, exit_value(lot)))),
            cash: cash(false),
            premium: cash(true),
        })
    }
}

fn expiry_of(lot: &LotPart) -> Option<Date> {
    lot.instrument.expiry.map(|expiry| expiry.day)
}

/// Adds up lots of the same instrument and side.
fn add_up<'l>(lots: impl Iterator<Item = (&'l LotPart, Decimal)>) -> Vec<StepLeg> {
    let mut legs: BTreeMap<(&str, bool), StepLeg> = BTreeMap::new();
    for (lot, value) in lots {
        let empty = || StepLeg {
            instrument: lot.instrument.clone(),
            long: lot.long,
            quantity: Decimal::ZERO,
            value: Decimal::ZERO,
        };
        let leg = legs.entry((&lot.instrument.symbol, lot.long)).or_insert_with(empty);
        leg.quantity += lot.quantity;
        leg.value += value;
    }
    legs.into_values().collect()
}
