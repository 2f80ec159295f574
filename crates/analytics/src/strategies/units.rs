//! Strategies as the unit of figures: each strategy, and each position or part of it that belongs to none.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use rust_decimal::Decimal;
use time::OffsetDateTime;

use super::book::StrategyBook;
use super::lot_part::LotPart;
use super::strategy::first_option;
use crate::closed_trade::{ClosedTrade, Flags, Opening};
use crate::fill::{BrokerAccount, TradeKind};
use crate::fill_key::FillKey;
use crate::instrument::Instrument;
use crate::instrument_ledger::InstrumentLedger;
use crate::matching::LotRange;
use crate::position::Position;

/// Results of the strategies of an account, and of what belongs to none, in the order of closing.
#[derive(Debug, Default)]
pub struct StrategyUnits {
    units: Vec<Unit>,
    /// Closed parts with the indices of their units.
    parts: Vec<(usize, Part)>,
}

/// Closed part of a unit.
#[derive(Debug)]
struct Part {
    result: ClosedTrade,
    /// Ranges of its lots, each with the index of its ledger.
    ranges: Vec<(usize, LotRange)>,
}

/// Strategy, or position or part of it outside of strategies.
#[derive(Debug)]
pub struct Unit {
    /// Sums of its closed parts, as one closed trade; its `position` is the index of the unit.
    pub result: ClosedTrade,
    pub is_closed: bool,
    pub members: Vec<Member>,
}

/// Position of which a unit has lots.
#[derive(Debug)]
pub struct Member {
    pub ledger: usize,
    /// Index of the position in the ledger.
    pub position: usize,
    pub account: BrokerAccount,
    pub instrument: Arc<Instrument>,
}

impl StrategyUnits {
    pub fn new(book: &StrategyBook, ledgers: &[Arc<InstrumentLedger>]) -> Self {
        let lots = book.strategies().iter().flat_map(|strategy| &strategy.lots);
        let in_strategies: HashSet<FillKey> = lots.map(|lot| lot.position).collect();
        let mut free: BTreeMap<FillKey, Vec<LotPart>> = BTreeMap::new();
        for lot in book.unassigned_lots().filter(|lot| in_strategies.contains(&lot.position)) {
            free.entry(lot.position).or_default().push(lot.clone());
        }
        let strategies = book.strategies().iter().filter_map(|one| unit_of_lots(&one.lots, Some(one.id)));
        let rests = free.values().filter_map(|lots| unit_of_lots(lots, None));
        let positions = ledgers.iter().enumerate().flat_map(|(index, ledger)| {
            let is_free = |position: &&Position| position.key().is_some_and(|key| !in_strategies.contains(&key));
            ledger.positions.iter().filter(is_free).map(move |position| unit_of_position(index, ledger, position))
        });
        let order = |result: &ClosedTrade| (result.closed_at, result.opened_at, result.position_key, result.trade_id);
        let mut units: Vec<(Unit, Vec<Part>)> = strategies.chain(rests).chain(positions).collect();
        units.sort_by_key(|(unit, _)| order(&unit.result));
        let mut sorted = Self::default();
        for (index, (mut unit, parts)) in units.into_iter().enumerate() {
            unit.result.position = index;
            sorted.units.push(unit);
            sorted.parts.extend(parts.into_iter().map(|part| (index, part)));
        }
        sorted.parts.sort_by_key(|(unit, part)| (order(&part.result), *unit));
        sorted
    }

    /// Returns the units in the order of closing.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Returns the unit of a result.
    pub fn unit(&self, result: &ClosedTrade) -> Option<&Unit> {
        self.units.get(result.position)
    }

    /// Returns the closed parts in the order of closing, each with its unit and the ranges of its lots.
    pub fn parts(&self) -> impl Iterator<Item = (&Unit, &ClosedTrade, &[(usize, LotRange)])> {
        let parts = self.parts.iter();
        parts.filter_map(|(unit, part)| Some((self.units.get(*unit)?, &part.result, part.ranges.as_slice())))
    }
}

/// Returns the unit of a position of which no lot belongs to a strategy, given with its ledger.
fn unit_of_position(index: usize, ledger: &InstrumentLedger, position: &Position) -> (Unit, Vec<Part>) {
    let part = |part: &ClosedTrade| {
        let lot_matches = ledger.lot_matches(&part.lot_matches).iter();
        let ranges = lot_matches.flat_map(|one| [(index, one.entry), (index, one.exit)]).collect();
        Part { result: part.clone(), ranges }
    };
    let parts = ledger.closed_trades.get(position.closed_trades.clone()).unwrap_or_default();
    let result = position.result.clone();
    let member = Member {
        ledger: index,
        position: result.position,
        account: result.account,
        instrument: result.instrument.clone(),
    };
    let unit = Unit { result, is_closed: position.is_closed(), members: vec![member] };
    (unit, parts.iter().map(part).collect())
}

/// Returns the unit of a strategy, given by its id, or of the lots of a position that belong to none.
fn unit_of_lots(lots: &[LotPart], strategy: Option<FillKey>) -> Option<(Unit, Vec<Part>)> {
    let member = |lot: &LotPart| Member {
        ledger: lot.ledger,
        position: lot.position_index,
        account: lot.account,
        instrument: lot.instrument.clone(),
    };
    let mut members: Vec<Member> = lots.iter().map(member).collect();
    members.sort_by_key(|member| (member.ledger, member.position));
    members.dedup_by_key(|member| (member.ledger, member.position));
    // One part for each exit of a position, however many lots it closed.
    let mut parts: BTreeMap<(FillKey, OffsetDateTime), Part> = BTreeMap::new();
    for (lot, result) in lots.iter().filter_map(|lot| Some((lot, closed_part(lot)?))) {
        let ranges = lot.ranges().map(|range| (lot.ledger, range));
        match parts.entry((lot.position, result.closed_at)) {
            Entry::Vacant(entry) => {
                entry.insert(Part { result, ranges: ranges.collect() });
            }
            Entry::Occupied(mut entry) => {
                let part = entry.get_mut();
                add(&mut part.result, &result);
                part.ranges.extend(ranges);
            }
        }
    }
    let is_closed = lots.iter().all(|lot| lot.exit.is_some());
    Some((Unit { result: sum_up(lots, strategy)?, is_closed, members }, parts.into_values().collect()))
}

/// Returns the sums of the closed lots; those of nothing if all are open. `id` is that of a strategy.
fn sum_up(lots: &[LotPart], id: Option<FillKey>) -> Option<ClosedTrade> {
    // The option that expires first, on which the days to expiry depend.
    let expiry = |lot: &&LotPart| lot.instrument.expiry.map(|expiry| expiry.day);
    let first = lots.iter().filter(|lot| lot.instrument.is_option()).min_by_key(expiry).or_else(|| lots.first())?;
    let earliest = first_option(lots)?;
    let opening = Opening {
        at: earliest.opened_at,
        day: earliest.opened_day,
        has_time: earliest.has_time,
        labels: earliest.labels.clone(),
        ..opening(first)
    };
    let mut sum = ClosedTrade::without_result(opening, id.unwrap_or(first.position));
    if id.is_some() {
        // A strategy that was opened for a debit gains like a bought option.
        let premium: Decimal = lots.iter().map(|lot| lot.sign() * lot.entry_value).sum();
        sum.long = premium > Decimal::ZERO;
        sum.is_strategy = true;
    }
    for part in lots.iter().filter_map(closed_part) {
        add(&mut sum, &part);
    }
    Some(sum)
}

/// Adds a closed part.
fn add(sum: &mut ClosedTrade, part: &ClosedTrade) {
    sum.entry_value += part.entry_value;
    sum.exit_value += part.exit_value;
    sum.add(part);
}

fn kind_of(lot: &LotPart) -> TradeKind {
    match (lot.instrument.is_option(), lot.instrument.is_contract()) {
        (true, _) => TradeKind::Options,
        (false, true) => TradeKind::Futures,
        (false, false) => lot.kind,
    }
}

fn opening(lot: &LotPart) -> Opening {
    Opening {
        ledger: lot.ledger,
        trade_id: lot.trade_id,
        kind: kind_of(lot),
        long: lot.long,
        account: lot.account,
        instrument: lot.instrument.clone(),
        at: lot.opened_at,
        day: lot.opened_day,
        has_time: lot.has_time,
        labels: lot.labels.clone(),
    }
}

/// Returns a closed lot as a closed trade; none if it is open.
fn closed_part(lot: &LotPart) -> Option<ClosedTrade> {
    let exit = lot.exit.as_ref()?;
    let (gross, charges) = (lot.gross()?, lot.all_charges());
    Some(ClosedTrade {
        quantity: lot.quantity,
        entry_value: lot.entry_value,
        exit_value: exit.value,
        gross,
        charges: charges.total,
        stated_charges: charges.stated,
        stt: charges.stt,
        net: gross - charges.total,
        closed_at: exit.at,
        closed_day: exit.day,
        has_times: lot.has_time && exit.has_time,
        flags: Flags { settled: exit.settled, rates_missing: lot.rates_missing, ..Flags::default() },
        ..ClosedTrade::without_result(opening(lot), lot.position)
    })
}
