//! Changes of trades and adjustments: recomputes the ledgers and contract notes that they affect.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use time::Date;

use super::{Analysis, NoteLots, TradeChanges};
use crate::adjustment::Adjustment;
use crate::adjustment_index::{AdjustmentIndex, ChangedSymbols};
use crate::charges::{ContractNote, LotCharges};
use crate::fill::{Fill, Source};
use crate::instrument_ledger::{InstrumentLedger, LedgerKey};
use crate::matching::adjustment_fill;
use crate::strategies::ConfirmedStrategies;

impl Analysis {
    /// Applies changes of trades. The result is the same as that of a new analysis of all trades.
    pub fn apply(&mut self, changes: TradeChanges) {
        let adjustments = self.adjustments.clone();
        let adjustments = AdjustmentIndex::new(&adjustments);
        let TradeChanges { ids, trades } = changes;
        let max_trade_id = self.max_trade_id;
        let mut affected = self.group_by_ledger(trades.into_iter(), &adjustments);
        self.add_empty_ledgers(&adjustments);
        // Most changes only add trades, which no ledger contains yet, so the ledgers need not be searched.
        let has_old_ids = ids.first().is_some_and(|first| *first <= max_trade_id);
        for (index, ledger) in self.ledgers.iter().enumerate().filter(|_| has_old_ids) {
            if ledger.fills().any(|fill| ids.contains(&fill.trade_id)) {
                affected.entry(index).or_default();
            }
        }
        for (index, fills) in &mut affected {
            let Some(ledger) = self.ledgers.get(*index) else { continue };
            fills.extend(ledger.fills().filter(|fill| !ids.contains(&fill.trade_id)).cloned());
        }
        self.rebuild_ledgers(affected, &adjustments);
    }

    /// Replaces the adjustments. Only the ledgers of their instruments are rebuilt; the result is the same as that of a new
    /// analysis.
    pub fn apply_adjustments(&mut self, adjustments: &[Adjustment]) {
        let previous = std::mem::replace(&mut self.adjustments, adjustments.into());
        self.issues = OnceLock::new();
        let (before, after) = (AdjustmentIndex::new(&previous), AdjustmentIndex::new(adjustments));
        let changed = ChangedSymbols::new(&previous, adjustments, [&before, &after]);
        let is_affected = |key: &LedgerKey, ledger: &InstrumentLedger| {
            let has_changed = |symbol: &String| changed.has_share(symbol);
            if key.contracts {
                ledger.symbols().iter().any(has_changed)
                    || ledger.fills().next().is_some_and(|fill| changed.has_share(&fill.instrument.underlying))
            } else {
                changed.ledgers.contains(&*key.symbol)
            }
        };
        let affected: Vec<usize> = self
            .ledger_indices
            .iter()
            .filter_map(|(key, index)| Some((key, *index, self.ledgers.get(*index)?)))
            .filter(|(key, _, ledger)| is_affected(key, ledger))
            .map(|(_, index, _)| index)
            .collect();
        let trades: Vec<Fill> = affected
            .iter()
            .filter_map(|index| self.ledgers.get(*index))
            .flat_map(|ledger| ledger.fills())
            .filter(|fill| fill.source == Source::Trade)
            .cloned()
            .collect();
        let entered = adjustments.iter().filter(|adjustment| changed.has_share(&adjustment.symbol));
        let fills = trades.into_iter().chain(entered.filter_map(adjustment_fill));
        let mut groups = self.group_by_ledger(fills, &after);
        // A ledger whose fills moved to another one becomes empty.
        for index in affected {
            groups.entry(index).or_default();
        }
        // Shares that contracts delivered may move without any other fill.
        let is_moved = |delivery: &&Fill| changed.has_share(&delivery.instrument.symbol);
        let deliveries: Vec<Fill> =
            self.ledgers.iter().flat_map(|ledger| ledger.deliveries()).filter(is_moved).cloned().collect();
        for index in self.group_by_ledger(deliveries.into_iter(), &after).into_keys() {
            groups.entry(index).or_insert_with(|| self.entered_fills(index));
        }
        self.rebuild_ledgers(groups, &after);
    }

    /// Returns the fills of a ledger except those that contracts delivered.
    fn entered_fills(&self, index: usize) -> Vec<Fill> {
        self.ledgers.get(index).map(|ledger| ledger.fills().cloned().collect()).unwrap_or_default()
    }

    /// Rebuilds ledgers from all their entered fills, and what depends on them: shares that contracts deliver, and the
    /// charges of contract notes.
    fn rebuild_ledgers(&mut self, mut fills_by_ledger: BTreeMap<usize, Vec<Fill>>, adjustments: &AdjustmentIndex) {
        self.issues = OnceLock::new();
        self.add_empty_ledgers(adjustments);
        let mut changed_days: HashMap<usize, Vec<Date>> = HashMap::new();
        // Contracts first: shares that they deliver, or no longer deliver, change the ledgers of the shares.
        let contract_indices: HashSet<usize> =
            self.ledger_indices.iter().filter(|(key, _)| key.contracts).map(|(_, index)| *index).collect();
        let contracts: BTreeMap<_, _> =
            fills_by_ledger.extract_if(.., |index, _| contract_indices.contains(index)).collect();
        let mut changed_deliveries: Vec<Fill> = Vec::new();
        for (index, fills) in contracts {
            let before = self.ledgers.get(index).cloned();
            changed_days.insert(index, self.rebuild_ledger(index, fills, adjustments));
            let (before, after) = (before.as_ref().map(|ledger| ledger.deliveries()), self.ledgers.get(index));
            let (before, after) =
                (before.unwrap_or_default(), after.map(|ledger| ledger.deliveries()).unwrap_or_default());
            if before.len() != after.len() || !before.iter().zip(after).all(|(one, other)| one.compare(other).is_eq()) {
                changed_deliveries.extend(before.iter().chain(after).cloned());
            }
        }
        for index in self.group_by_ledger(changed_deliveries.into_iter(), adjustments).into_keys() {
            fills_by_ledger.entry(index).or_insert_with(|| self.entered_fills(index));
        }
        let mut deliveries = if fills_by_ledger.is_empty() { BTreeMap::new() } else { self.deliveries(adjustments) };
        self.add_empty_ledgers(adjustments);
        for (index, mut fills) in fills_by_ledger {
            fills.extend(deliveries.remove(&index).unwrap_or_default());
            changed_days.insert(index, self.rebuild_ledger(index, fills, adjustments));
        }
        let charges: Mutex<HashMap<usize, Vec<(usize, LotCharges)>>> = Mutex::default();
        self.charge_notes(self.affected_notes(&changed_days), |line| {
            let mut charges = charges.lock().unwrap_or_else(PoisonError::into_inner);
            charges.entry(line.ledger).or_default().push((line.index, line.lot_charges));
        });
        let charges = charges.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.mark_strategies_changed(changed_days.keys().chain(charges.keys()).copied());
        for (index, charges) in charges {
            let Some(ledger) = self.ledgers.get_mut(index) else { continue };
            let changed: Vec<_> = charges
                .into_iter()
                .filter(|(lot, lot_charges)| ledger.lot_charges(*lot) != Some(lot_charges))
                .collect();
            if changed.is_empty() {
                continue;
            }
            let ledger = Arc::make_mut(ledger);
            let lots: Vec<usize> = changed.iter().map(|(lot, _)| *lot).collect();
            changed.into_iter().for_each(|(lot, lot_charges)| ledger.set_lot_charges(lot, lot_charges));
            if !changed_days.contains_key(&index) {
                ledger.rebuild_closed_trades(&lots);
            }
        }
        for index in changed_days.keys() {
            if let Some(ledger) = self.ledgers.get_mut(*index) {
                Arc::make_mut(ledger).build_closed_trades(*index);
            }
        }
        self.update_order(&|index| changed_days.contains_key(&index));
    }

    /// Replaces the confirmed strategies. Only the underlyings that they affect are grouped again.
    pub fn set_confirmed_strategies(&mut self, confirmed: Arc<ConfirmedStrategies>) {
        let changed = self.confirmed_strategies.changed_fills(&confirmed);
        self.strategy_units = OnceLock::new();
        self.confirmed_strategies = confirmed;
        let book = self.strategies.get().or(self.previous_strategies.as_ref().map(|(book, _)| book));
        match book.and_then(|book| book.ledgers_with(&changed)) {
            Some(ledgers) => self.mark_strategies_changed(ledgers.into_iter()),
            None => (self.strategies, self.previous_strategies) = (OnceLock::new(), None),
        }
    }

    /// Lets the strategies of these ledgers be grouped again when they are needed.
    fn mark_strategies_changed(&mut self, changed: impl Iterator<Item = usize>) {
        self.strategy_units = OnceLock::new();
        if let Some(book) = self.strategies.take() {
            self.previous_strategies = Some((book, HashSet::new()));
        }
        if let Some((_, ledgers)) = &mut self.previous_strategies {
            ledgers.extend(changed);
        }
    }

    /// Adds a ledger without fills for each new key.
    fn add_empty_ledgers(&mut self, adjustments: &AdjustmentIndex) {
        let today = self.today;
        self.ledgers
            .resize_with(self.ledger_indices.len(), || Arc::new(InstrumentLedger::new(Vec::new(), adjustments, today)));
    }

    /// Rebuilds a ledger from all its fills; returns the days whose lots changed.
    fn rebuild_ledger(&mut self, index: usize, fills: Vec<Fill>, adjustments: &AdjustmentIndex) -> Vec<Date> {
        let Some(ledger) = self.ledgers.get_mut(index) else { return Vec::new() };
        let mut rebuilt = InstrumentLedger::new(fills, adjustments, self.today);
        let changed_days = rebuilt.copy_charges(ledger);
        *ledger = Arc::new(rebuilt);
        changed_days
    }

    /// Returns the contract notes of the changed days of these ledgers, with all lots on the notes.
    fn affected_notes(&self, changed_days: &HashMap<usize, Vec<Date>>) -> HashMap<ContractNote, NoteLots> {
        let mut notes: HashMap<ContractNote, NoteLots> = HashMap::new();
        for (key, ledger) in &self.ledger_indices {
            for day in changed_days.get(ledger).into_iter().flatten() {
                notes.entry(key.contract_note(*day)).or_default();
            }
        }
        for (key, index) in &self.ledger_indices {
            let Some(ledger) = self.ledgers.get(*index) else { continue };
            for (note, lots) in notes.iter_mut().filter(|(note, _)| key.contract_note(note.day) == **note) {
                lots.extend(ledger.lots_on(note.day).iter().map(|(_, lot)| (*index, *lot)));
            }
        }
        notes
    }
}
