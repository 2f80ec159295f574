//! Lines of contract notes with charges of other terms.

use std::collections::HashMap;

use super::Analysis;
use crate::broker_terms::BrokerTerms;
use crate::charges::{ContractNote, NoteLine, NoteLot, charge_note};
use crate::parallel::parallel_map;

impl Analysis {
    /// Returns the lines of the chosen contract notes, with their charges under `terms`.
    pub fn charge_notes_with(
        &self,
        is_chosen: impl Fn(&ContractNote) -> bool,
        terms: &BrokerTerms,
    ) -> HashMap<ContractNote, Vec<NoteLine<'_>>> {
        let mut notes: HashMap<ContractNote, Vec<NoteLot>> = HashMap::new();
        for (key, index) in &self.ledger_indices {
            let Some(ledger) = self.ledgers.get(*index) else { continue };
            for (day, lot) in ledger.lots_by_day() {
                let note = key.contract_note(*day);
                if is_chosen(&note) {
                    notes.entry(note).or_default().extend(ledger.note_lot(*index, *lot));
                }
            }
        }
        let charge_one = |(note, lots)| (note, charge_note(lots, self.rates, terms));
        parallel_map(notes.into_iter().collect(), charge_one).into_iter().collect()
    }
}
