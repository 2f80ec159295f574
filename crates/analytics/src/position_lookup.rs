//! Finding positions and the results of trades in an analysis.

use std::collections::{HashMap, HashSet};

use crate::analysis::Analysis;
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

    /// Returns the current key of each position, as [`Self::find_position`] finds it.
    pub fn resolve_positions(&self, keys: &[FillKey]) -> Vec<Option<FillKey>> {
        let mut missing: HashSet<FillKey> = keys.iter().copied().collect();
        let mut current = HashMap::new();
        for key in self.ledgers().flat_map(|ledger| &ledger.positions).filter_map(Position::key) {
            if missing.remove(&key) {
                current.insert(key, key);
            }
        }
        // In one pass, because many positions may have become part of another one.
        for ledger in self.ledgers() {
            if missing.is_empty() {
                break;
            }
            for position in &ledger.positions {
                let Some(key) = position.key() else { continue };
                for fill in ledger.fill_keys(position).filter(|fill| missing.contains(fill)) {
                    current.entry(fill).or_insert(key);
                }
            }
        }
        keys.iter().map(|key| current.get(key).copied()).collect()
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
