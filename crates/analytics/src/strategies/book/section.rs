//! Strategies on one underlying in the accounts that are grouped together.

use std::collections::BTreeMap;
use std::sync::Arc;

use time::Duration;

use crate::fill_key::FillKey;
use crate::instrument_ledger::InstrumentLedger;
use crate::strategies::confirmed::{ConfirmedIndex, ConfirmedStrategy};
use crate::strategies::grouping::{Group, Grouping};
use crate::strategies::lot_part::LotPart;
use crate::strategies::strategy::Strategy;
use crate::strategies::time_part::TimePart;

/// Strategies on one underlying in the accounts that are grouped together.
#[derive(Debug, Default)]
pub struct Section {
    /// Indices of its ledgers.
    pub ledgers: Vec<usize>,
    pub strategies: Vec<Arc<Strategy>>,
    /// Shares and futures that belong to none of them.
    pub free: Vec<TimePart>,
    /// Lots of confirmed strategies that have others in another section, or that were removed.
    pub partial: Vec<(Arc<ConfirmedStrategy>, Vec<LotPart>)>,
    /// Ids that its strategies did not get, because confirmed ones have them.
    taken_ids: Vec<FillKey>,
}

impl Section {
    /// Groups the positions of ledgers, given by their indices.
    pub fn new(
        ledgers: &[Arc<InstrumentLedger>],
        indices: &[usize],
        confirmed: &ConfirmedIndex,
        window: Duration,
    ) -> Self {
        let of_index = |index: &usize| ledgers.get(*index).map(|ledger| (*index, ledger));
        let has_contracts = |(_, ledger): &(usize, &Arc<InstrumentLedger>)| {
            ledger.positions.last().is_some_and(|position| position.result.instrument.is_contract())
        };
        // Shares alone form no strategies, unless the trader joined them with others.
        let has_confirmed = |(_, ledger): &(usize, &Arc<InstrumentLedger>)| {
            !confirmed.is_empty() && ledger.has_fill(|fill| confirmed.contains(fill))
        };
        let is_relevant = |ledger| has_contracts(&ledger) || has_confirmed(&ledger);
        if !indices.iter().filter_map(of_index).any(is_relevant) {
            return Self { ledgers: indices.to_vec(), ..Self::default() };
        }
        let mut confirmed_lots: BTreeMap<FillKey, (&Arc<ConfirmedStrategy>, Vec<LotPart>)> = BTreeMap::new();
        let mut parts: Vec<TimePart> = Vec::new();
        for (index, ledger) in indices.iter().filter_map(of_index) {
            for position in &ledger.positions {
                let mut lots = Vec::new();
                let divided = LotPart::list(index, ledger, position).into_iter().flat_map(|lot| confirmed.divide(lot));
                for (lot, strategy) in divided {
                    match strategy {
                        Some(strategy) => {
                            confirmed_lots.entry(strategy.id).or_insert((strategy, Vec::new())).1.push(lot);
                        }
                        None => lots.push(lot),
                    }
                }
                parts.extend(TimePart::divide(lots, window));
            }
        }
        let confirmed_groups = confirmed_lots.into_values().map(|(confirmed, lots)| {
            let mut group = Group::new(TimePart::divide_by_position(lots, window), confirmed.shape, Vec::new());
            group.confirmed = Some(confirmed.clone());
            group
        });
        let grouping = Grouping::new(parts, confirmed_groups.collect(), window);
        Self { ledgers: indices.to_vec(), ..Self::from_grouping(grouping, confirmed, window) }
    }

    /// Returns whether its strategies would get the same ids now.
    pub fn has_current_ids(&self, confirmed: &ConfirmedIndex) -> bool {
        self.taken_ids.iter().all(|id| confirmed.has_id(*id))
    }

    fn from_grouping(grouping: Grouping, confirmed: &ConfirmedIndex, window: Duration) -> Self {
        let mut section = Self { free: grouping.free, ..Self::default() };
        let links: Vec<Option<usize>> = grouping.groups.iter().map(|group| group.previous).collect();
        let mut strategies: Vec<Option<Strategy>> = Vec::new();
        for group in grouping.groups {
            let lots: Vec<LotPart> = group.parts.into_iter().flat_map(|part| part.lots).collect();
            strategies.push(match group.confirmed {
                Some(stored) if stored.is_complete(&lots) => Strategy::from_confirmed(lots, stored, window),
                Some(stored) => {
                    section.partial.push((stored, lots));
                    None
                }
                None => {
                    let strategy = Strategy::new(lots, group.shape, group.candidates, window);
                    strategy.map(|strategy| {
                        let id = confirmed.unused_id(&strategy);
                        section.taken_ids.extend(Some(strategy.id).filter(|own| *own != id));
                        Strategy { id, ..strategy }
                    })
                }
            });
        }
        let id = |strategies: &[Option<Strategy>], index: usize| Some(strategies.get(index)?.as_ref()?.id);
        for (index, previous) in links.into_iter().enumerate() {
            let Some(previous) = previous else { continue };
            let (id, previous_id) = (id(&strategies, index), id(&strategies, previous));
            if let Some(Some(strategy)) = strategies.get_mut(index) {
                strategy.previous = previous_id;
            }
            if let Some(Some(strategy)) = strategies.get_mut(previous) {
                strategy.next = id;
            }
        }
        section.strategies = strategies.into_iter().flatten().map(Arc::new).collect();
        section
    }
}
