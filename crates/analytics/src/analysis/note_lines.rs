//! Lines of contract notes with the estimate of their charges.

use std::collections::HashMap;

use super::Analysis;
use crate::broker_terms::BrokerTerms;
use crate::charges::{ContractNote, NoteLine, charge_note};

impl Analysis {
    /// Returns the lines of contract notes, with charges as if no note stated them.
    pub fn estimate_notes(&self, notes: &[ContractNote]) -> HashMap<ContractNote, Vec<NoteLine<'_>>> {
        let mut lines: HashMap<ContractNote, Vec<NoteLine>> = notes.iter().map(|note| (*note, Vec::new())).collect();
        for (key, index) in &self.ledger_indices {
            let Some(ledger) = self.ledgers.get(*index) else { continue };
            for (note, lines) in lines.iter_mut().filter(|(note, _)| key.contract_note(note.day) == **note) {
                lines.extend(ledger.lots_on(note.day).iter().filter_map(|(_, lot)| ledger.note_line(*index, *lot)));
            }
        }
        let terms = BrokerTerms { notes: HashMap::new(), ..BrokerTerms::clone(&self.terms) };
        for lines in lines.values_mut() {
            lines.sort_by(NoteLine::compare);
            charge_note(lines, self.rates, &terms);
        }
        lines
    }
}
