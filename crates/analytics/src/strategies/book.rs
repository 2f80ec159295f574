//! All strategies of an account. A change regroups only the underlyings that it affects.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use time::Duration;

use super::grouping::Grouping;
use super::lot_part::LotPart;
use super::pairs::pair_futures;
use super::shape::Shape;
use super::strategy::Strategy;
use super::time_part::TimePart;
use crate::fill::BrokerAccount;
use crate::fill_key::FillKey;
use crate::instrument_ledger::InstrumentLedger;

/// Time within which legs of one strategy are opened, unless the trader chose another.
pub const DEFAULT_WINDOW: Duration = Duration::minutes(5);

/// Account with a broker, and underlying.
type SectionKey = (BrokerAccount, String);

/// Strategies on one underlying in one account with a broker.
#[derive(Debug)]
struct Section {
    strategies: Vec<Arc<Strategy>>,
    /// Shares and futures that belong to none of them.
    free: Vec<TimePart>,
}

/// Strategies of an account.
#[derive(Debug)]
pub struct StrategyBook {
    window: Duration,
    sections: BTreeMap<SectionKey, Arc<Section>>,
    /// All strategies, the newest first.
    strategies: Vec<Arc<Strategy>>,
}

impl StrategyBook {
    /// Groups the positions of all ledgers. Sections of `previous` are kept unless one of their ledgers changed.
    pub fn new(
        ledgers: &[Arc<InstrumentLedger>],
        window: Duration,
        previous: Option<(&Self, &HashSet<usize>)>,
    ) -> Self {
        let previous = previous.filter(|(book, _)| book.window == window);
        let mut indices: BTreeMap<SectionKey, Vec<usize>> = BTreeMap::new();
        for (index, ledger) in ledgers.iter().enumerate() {
            // The last position, because a share may have been renamed.
            let Some(last) = ledger.positions.last().map(|position| &position.result) else { continue };
            indices.entry((last.account, last.instrument.underlying.clone())).or_default().push(index);
        }
        let section = |(key, indices): (SectionKey, Vec<usize>)| {
            let unchanged = previous.filter(|(_, changed)| !indices.iter().any(|index| changed.contains(index)));
            let kept = unchanged.and_then(|(book, _)| book.sections.get(&key).cloned());
            let section = kept.unwrap_or_else(|| Arc::new(Section::new(ledgers, &indices, window)));
            (key, section)
        };
        let sections: BTreeMap<SectionKey, Arc<Section>> = indices.into_iter().map(section).collect();
        let pairs = find_pairs(&sections, window);
        let grouped = sections.values().flat_map(|section| section.strategies.iter().cloned());
        let mut strategies: Vec<Arc<Strategy>> = grouped.chain(pairs).collect();
        strategies.sort_by_key(|strategy| std::cmp::Reverse((strategy.opened_at, strategy.id)));
        Self { window, sections, strategies }
    }

    /// Returns all strategies, the newest first.
    pub fn strategies(&self) -> &[Arc<Strategy>] {
        &self.strategies
    }

    pub fn find(&self, id: FillKey) -> Option<&Strategy> {
        self.strategies.iter().find(|strategy| strategy.id == id).map(Arc::as_ref)
    }

    /// Returns the strategies that were rolled into each other, the oldest first; none if it was not rolled.
    pub fn chain<'b>(&'b self, strategy: &'b Strategy) -> Vec<&'b Strategy> {
        let walk = |next: fn(&Strategy) -> Option<FillKey>| {
            std::iter::successors(Some(strategy), move |current| self.find(next(current)?)).skip(1)
        };
        let mut chain: Vec<&Strategy> = walk(|strategy| strategy.previous).collect();
        chain.reverse();
        chain.push(strategy);
        chain.extend(walk(|strategy| strategy.next));
        if chain.len() < 2 { Vec::new() } else { chain }
    }
}

impl Section {
    fn new(ledgers: &[Arc<InstrumentLedger>], indices: &[usize], window: Duration) -> Self {
        let of_index = |index: &usize| ledgers.get(*index).map(|ledger| (*index, ledger));
        let has_contracts = |(_, ledger): &(usize, &Arc<InstrumentLedger>)| {
            ledger.positions.last().is_some_and(|position| position.result.instrument.is_contract())
        };
        // Shares alone form no strategies.
        if !indices.iter().filter_map(of_index).any(|ledger| has_contracts(&ledger)) {
            return Self { strategies: Vec::new(), free: Vec::new() };
        }
        let divide = |(index, ledger): (usize, &Arc<InstrumentLedger>)| {
            let positions = ledger.positions.iter();
            let parts = positions.flat_map(|position| TimePart::divide(LotPart::list(index, ledger, position), window));
            parts.collect::<Vec<_>>()
        };
        let parts: Vec<TimePart> = indices.iter().filter_map(of_index).flat_map(divide).collect();
        let Grouping { groups, free, .. } = Grouping::new(parts, window);
        let links: Vec<Option<usize>> = groups.iter().map(|group| group.previous).collect();
        let mut strategies: Vec<Option<Strategy>> =
            groups.into_iter().map(|group| Strategy::new(group.parts, group.shape, group.candidates, window)).collect();
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
        Self { strategies: strategies.into_iter().flatten().map(Arc::new).collect(), free }
    }
}

fn find_pairs(sections: &BTreeMap<SectionKey, Arc<Section>>, window: Duration) -> Vec<Arc<Strategy>> {
    let mut by_account: HashMap<BrokerAccount, Vec<&TimePart>> = HashMap::new();
    for ((account, _), section) in sections {
        by_account.entry(*account).or_default().extend(&section.free);
    }
    let pairs = by_account.into_values().flat_map(|parts| pair_futures(parts.into_iter(), window));
    pairs.filter_map(|pair| Strategy::new(pair.parts, Shape::Pair, pair.candidates, window)).map(Arc::new).collect()
}
