//! Strategies as the unit of figures: each strategy, and each position or part of it that belongs to none.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::OffsetDateTime;

use super::book::StrategyBook;
use super::lot_part::LotPart;
use super::strategy::{Strategy, first_option};
use crate::closed_trade::{ClosedTrade, Flags};
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
    parts: Vec<Part>,
}

/// Closed part of a unit.
#[derive(Debug)]
struct Part {
    /// Index of the unit.
    unit: usize,
    result: ClosedTrade,
    /// Ranges of its lots, each with the index of its ledger.
    ranges: Vec<(usize, LotRange)>,
}

/// Closed part with the ranges of its lots, each with the index of its ledger.
type PartWithRanges = (ClosedTrade, Vec<(usize, LotRange)>);

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
        let mut units = Self::default();
        let in_strategies: HashSet<FillKey> =
            book.strategies().iter().flat_map(|strategy| &strategy.lots).map(|lot| lot.position).collect();
        for strategy in book.strategies() {
            units.add_lots(&strategy.lots, Some(strategy));
        }
        // The book lists the futures of pairs as free.
        let starts: HashSet<(usize, usize, Decimal)> =
            book.strategies().iter().flat_map(|strategy| &strategy.lots).map(LotPart::start).collect();
        let mut free: BTreeMap<FillKey, Vec<LotPart>> = BTreeMap::new();
        for lot in book.free_lots().filter(|lot| in_strategies.contains(&lot.position)) {
            if !starts.contains(&lot.start()) {
                free.entry(lot.position).or_default().push(lot.clone());
            }
        }
        for lots in free.values() {
            units.add_lots(lots, None);
        }
        for (index, ledger) in ledgers.iter().enumerate() {
            let is_free = |position: &&Position| position.key().is_some_and(|key| !in_strategies.contains(&key));
            for position in ledger.positions.iter().filter(is_free) {
                let parts = ledger.closed_trades.get(position.closed_trades.clone()).unwrap_or_default().iter();
                let parts = parts.map(|part| {
                    let lot_matches = ledger.lot_matches(&part.lot_matches).iter();
                    let ranges = lot_matches.flat_map(|one| [(index, one.entry), (index, one.exit)]).collect();
                    (part.clone(), ranges)
                });
                let ClosedTrade { account, ref instrument, position: place, .. } = position.result;
                let members = vec![Member { ledger: index, position: place, account, instrument: instrument.clone() }];
                let result = position.result.clone();
                units.add(Unit { result, is_closed: position.is_closed(), members }, parts.collect());
            }
        }
        units.sort();
        units
    }

    /// Adds the unit of a strategy, or of the lots of a position that belong to none.
    fn add_lots(&mut self, lots: &[LotPart], strategy: Option<&Arc<Strategy>>) {
        let Some(result) = sum_up(lots, strategy.map(|strategy| strategy.id)) else { return };
        let member = |lot: &LotPart| Member {
            ledger: lot.ledger,
            position: lot.position_index,
            account: lot.account,
            instrument: lot.instrument.clone(),
        };
        let mut members: Vec<Member> = lots.iter().map(member).collect();
        members.sort_by_key(|member| (member.ledger, member.position));
        members.dedup_by_key(|member| (member.ledger, member.position));
        let is_closed = lots.iter().all(|lot| lot.exit.is_some());
        // One part for each exit of a position, however many lots it closed.
        let mut parts: BTreeMap<(FillKey, OffsetDateTime), PartWithRanges> = BTreeMap::new();
        for (lot, part) in lots.iter().filter_map(|lot| Some((lot, closed_part(lot)?))) {
            let ranges = lot.ranges().map(|range| (lot.ledger, range));
            match parts.entry((lot.position, part.closed_at)) {
                Entry::Vacant(entry) => {
                    entry.insert((part, ranges.collect()));
                }
                Entry::Occupied(mut entry) => {
                    let (sum, all) = entry.get_mut();
                    add(sum, &part);
                    all.extend(ranges);
                }
            }
        }
        let parts = parts.into_values().collect();
        self.add(Unit { result, is_closed, members }, parts);
    }

    fn add(&mut self, unit: Unit, parts: Vec<PartWithRanges>) {
        let index = self.units.len();
        self.units.push(unit);
        self.parts.extend(parts.into_iter().map(|(result, ranges)| Part { unit: index, result, ranges }));
    }

    fn sort(&mut self) {
        let order = |result: &ClosedTrade| (result.closed_at, result.opened_at, result.position_key, result.trade_id);
        let mut indices: Vec<usize> = (0..self.units.len()).collect();
        indices.sort_by_key(|index| self.units.get(*index).map(|unit| order(&unit.result)));
        let mut new_indices = vec![0; indices.len()];
        for (new, old) in indices.iter().enumerate() {
            if let Some(index) = new_indices.get_mut(*old) {
                *index = new;
            }
        }
        let mut units: Vec<(usize, Unit)> = new_indices.iter().copied().zip(std::mem::take(&mut self.units)).collect();
        units.sort_by_key(|(index, _)| *index);
        self.units = units.into_iter().map(|(_, unit)| unit).collect();
        for (index, unit) in self.units.iter_mut().enumerate() {
            unit.result.position = index;
        }
        for part in &mut self.parts {
            part.unit = new_indices.get(part.unit).copied().unwrap_or_default();
        }
        self.parts.sort_by_key(|part| (order(&part.result), part.unit));
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
        self.parts.iter().filter_map(|part| Some((self.units.get(part.unit)?, &part.result, part.ranges.as_slice())))
    }
}

/// Returns the sums of the closed lots; those of nothing if all are open. `id` is that of a strategy.
fn sum_up(lots: &[LotPart], id: Option<FillKey>) -> Option<ClosedTrade> {
    // The option that expires first, on which the days to expiry depend.
    let expiry = |lot: &&LotPart| lot.instrument.expiry.map(|expiry| expiry.day);
    let first = lots.iter().filter(|lot| lot.instrument.is_option()).min_by_key(expiry).or_else(|| lots.first())?;
    let mut sum = empty_result(first, id.unwrap_or(first.position));
    let opening = first_option(lots)?;
    (sum.opened_at, sum.opened_day) = (opening.opened_at, opening.opened_day);
    (sum.closed_at, sum.closed_day) = (opening.opened_at, opening.opened_day);
    (sum.has_opening_time, sum.labels) = (opening.has_time, opening.labels.clone());
    if id.is_some() {
        // A strategy that was opened for a debit gains like a bought option.
        let premium: Decimal = lots.iter().map(|lot| lot.sign() * lot.entry_value).sum();
        sum.long = premium > Decimal::ZERO;
        sum.is_strategy = true;
    }
    for part in lots.iter().filter_map(closed_part) {
        add(&mut sum, &part);
        if part.closed_at >= sum.closed_at {
            (sum.closed_at, sum.closed_day) = (part.closed_at, part.closed_day);
        }
    }
    Some(sum)
}

/// Adds the amounts and flags of a closed part.
fn add(sum: &mut ClosedTrade, part: &ClosedTrade) {
    sum.quantity += part.quantity;
    sum.entry_value += part.entry_value;
    sum.exit_value += part.exit_value;
    sum.gross += part.gross;
    sum.charges += part.charges;
    sum.stated_charges += part.stated_charges;
    sum.stt += part.stt;
    sum.net += part.net;
    sum.has_times &= part.has_times;
    sum.flags.settled |= part.flags.settled;
    sum.flags.rates_missing |= part.flags.rates_missing;
}

fn kind_of(lot: &LotPart) -> TradeKind {
    match (lot.instrument.is_option(), lot.instrument.is_contract()) {
        (true, _) => TradeKind::Options,
        (false, true) => TradeKind::Futures,
        (false, false) => lot.kind,
    }
}

fn empty_result(first: &LotPart, key: FillKey) -> ClosedTrade {
    ClosedTrade {
        ledger: first.ledger,
        trade_id: first.trade_id,
        position_key: Some(key),
        position: 0,
        is_strategy: false,
        lot_matches: Range::default(),
        kind: kind_of(first),
        long: first.long,
        account: first.account,
        instrument: first.instrument.clone(),
        quantity: Decimal::ZERO,
        entry_value: Decimal::ZERO,
        exit_value: Decimal::ZERO,
        gross: Decimal::ZERO,
        charges: Decimal::ZERO,
        stated_charges: Decimal::ZERO,
        stt: Decimal::ZERO,
        net: Decimal::ZERO,
        risk: None,
        opened_at: first.opened_at,
        closed_at: first.opened_at,
        opened_day: first.opened_day,
        closed_day: first.opened_day,
        has_opening_time: first.has_time,
        has_times: first.has_time,
        labels: first.labels.clone(),
        flags: Flags::default(),
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
        ..empty_result(lot, lot.position)
    })
}
