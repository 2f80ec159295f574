//! Finding positions and the results of trades in an analysis.

use std::collections::{HashMap, HashSet};

use crate::analysis::Analysis;
use crate::closed_trade::ClosedTrade;
use crate::figures::Figures;
use crate::fill_key::FillKey;
use crate::instrument_ledger::InstrumentLedger;
use crate::position::{Position, TradeResult};

impl Analysis {
    /// Returns the position with this key, or the one that contains the fill with this key.
    pub fn find_position(&self, key: FillKey) -> Option<(&InstrumentLedger, &Position)> {
        let exact = self
            .ledgers()
            .find_map(|ledger| Some((ledger, ledger.positions.iter().find(|position| position.key() == Some(key))?)));
        exact.or_else(|| self.ledgers().find_map(|ledger| Some((ledger, ledger.position_with_fill(key)?))))
    }

    /// Returns the position of each key, as [`Self::find_position`] finds it.
    pub fn find_positions(&self, keys: &[FillKey]) -> Vec<Option<&Position>> {
        let mut missing: HashSet<FillKey> = keys.iter().copied().collect();
        let mut current = HashMap::new();
        for position in self.ledgers().flat_map(|ledger| &ledger.positions) {
            if let Some(key) = position.key().filter(|key| missing.remove(key)) {
                current.insert(key, position);
            }
        }
        // In one pass, because many positions may have become part of another one.
        for ledger in self.ledgers() {
            if missing.is_empty() {
                break;
            }
            for position in &ledger.positions {
                for fill in ledger.fill_keys(position).filter(|fill| missing.contains(fill)) {
                    current.entry(fill).or_insert(position);
                }
            }
        }
        keys.iter().map(|key| current.get(key).copied()).collect()
    }

    /// Computes the figures of the closed positions in each group. `groups` are indices of `keys`. Keys that belong to the
    /// same position count once.
    pub fn figures_of_positions(&self, keys: &[FillKey], groups: &[Vec<usize>]) -> Vec<Figures> {
        let positions = self.find_positions(keys);
        let figures = |group: &Vec<usize>| {
            let members = group.iter().filter_map(|index| positions.get(*index).copied().flatten());
            let closed = members.filter(|position| position.is_closed()).map(|position| &position.result);
            let mut closed: Vec<&ClosedTrade> = closed.collect();
            closed.sort_unstable_by_key(|result| (result.closed_at, result.position_key));
            closed.dedup_by_key(|result| result.position_key);
            Figures::new(closed.into_iter())
        };
        groups.iter().map(figures).collect()
    }

    /// Returns the results of the trades with these numbers; none for trades that belong to no position.
    pub fn trade_results(&self, trade_ids: &HashSet<i64>) -> Vec<TradeResult> {
        let mut results = HashMap::new();
        for ledger in self.ledgers() {
            ledger.collect_trade_results(trade_ids, &mut results);
        }
        results.into_values().collect()
    }
}
