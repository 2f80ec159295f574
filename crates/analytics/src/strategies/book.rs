//! All strategies of an account. A change regroups only the underlyings that it affects.

mod section;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rust_decimal::Decimal;
use time::Duration;

use self::section::Section;
use super::confirmed::{ConfirmedIndex, ConfirmedStrategies, ConfirmedStrategy, FillRange};
use super::lot_part::LotPart;
use super::pairs::{FuturePair, pair_futures};
use super::settings::{GroupingScope, GroupingSettings};
use super::shape::Shape;
use super::strategy::{Strategy, derive_id, strategy_id};
use super::time_part::TimePart;
use crate::fill::BrokerAccount;
use crate::fill_key::FillKey;
use crate::instrument_ledger::InstrumentLedger;

/// Accounts that are grouped together, and underlying.
type SectionKey = (GroupingScope, String);

/// Strategies of an account.
#[derive(Debug)]
pub struct StrategyBook {
    settings: GroupingSettings,
    sections: BTreeMap<SectionKey, Arc<Section>>,
    /// All strategies, the newest first.
    strategies: Vec<Arc<Strategy>>,
}

impl StrategyBook {
    /// Groups the positions of all ledgers; `holders` are those of the accounts with brokers. Sections of `previous` are kept
    /// unless one of their ledgers changed.
    pub fn new(
        ledgers: &[Arc<InstrumentLedger>],
        confirmed: &ConfirmedStrategies,
        holders: &HashMap<BrokerAccount, String>,
        previous: Option<(&Self, &HashSet<usize>)>,
    ) -> Self {
        let settings = confirmed.settings;
        let window = settings.window;
        let previous = previous.filter(|(book, _)| book.settings == settings);
        let confirmed = ConfirmedIndex::new(confirmed);
        let mut indices: BTreeMap<SectionKey, Vec<usize>> = BTreeMap::new();
        for (index, ledger) in ledgers.iter().enumerate() {
            // The last position, because a share may have been renamed.
            let Some(last) = ledger.positions.last().map(|position| &position.result) else { continue };
            let scope = GroupingScope::new(last.account, holders, settings);
            indices.entry((scope, last.instrument.underlying.clone())).or_default().push(index);
        }
        let section = |(key, indices): (SectionKey, Vec<usize>)| {
            let unchanged = previous.filter(|(_, changed)| !indices.iter().any(|index| changed.contains(index)));
            // A ledger that became empty or moved to another underlying is not among the indices any more.
            let kept = unchanged.and_then(|(book, _)| book.sections.get(&key).cloned());
            let kept = kept.filter(|section| section.ledgers == indices && section.has_current_ids(&confirmed));
            let section = kept.unwrap_or_else(|| Arc::new(Section::new(ledgers, &indices, &confirmed, window)));
            (key, section)
        };
        let sections: BTreeMap<SectionKey, Arc<Section>> = indices.into_iter().map(section).collect();
        let pairs = find_pairs(&sections, &confirmed, window);
        let grouped = sections.values().flat_map(|section| section.strategies.iter().cloned());
        let mut strategies: Vec<Arc<Strategy>> = grouped.chain(pairs).chain(join_sections(&sections, window)).collect();
        strategies.sort_by_key(|strategy| std::cmp::Reverse((strategy.opened_at, strategy.id)));
        Self { settings, sections, strategies }
    }

    pub fn window(&self) -> Duration {
        self.settings.window
    }

    /// Returns the lots of all strategies, and those of shares and futures that belong to none.
    pub fn lots(&self) -> impl Iterator<Item = &LotPart> {
        let strategies = self.strategies.iter().flat_map(|strategy| &strategy.lots);
        strategies.chain(self.free_lots())
    }

    /// Returns the lots of shares and futures that belong to no strategy.
    pub fn unassigned_lots(&self) -> impl Iterator<Item = &LotPart> {
        let in_strategies = self.strategies.iter().flat_map(|strategy| &strategy.lots);
        let starts: HashSet<(usize, usize, Decimal)> = in_strategies.map(LotPart::start).collect();
        self.free_lots().filter(move |lot| !starts.contains(&lot.start()))
    }

    /// Returns the lots of shares and futures that no section grouped. Futures of pairs are among them.
    fn free_lots(&self) -> impl Iterator<Item = &LotPart> {
        self.sections.values().flat_map(|section| &section.free).flat_map(|part| &part.lots)
    }

    /// Returns the id of a strategy of the lots in these ranges.
    pub fn strategy_id(&self, ranges: &[FillRange]) -> Option<FillKey> {
        let starts: HashMap<FillKey, Decimal> = ranges.iter().map(|range| (range.fill, range.from)).collect();
        let start = |lot: &LotPart| Some(LotPart { from: *starts.get(&lot.fill)?, ..lot.clone() });
        let mut lots: Vec<LotPart> = self.lots().filter_map(start).collect();
        lots.sort_by(LotPart::compare);
        strategy_id(&lots)
    }

    /// Returns the indices of the ledgers of fills; none if one of them is missing.
    pub fn ledgers_with(&self, fills: &HashSet<FillKey>) -> Option<HashSet<usize>> {
        let lots = || self.lots().filter(|lot| fills.contains(&lot.fill));
        let present: HashSet<FillKey> = lots().map(|lot| lot.fill).collect();
        (present.len() == fills.len()).then(|| lots().map(|lot| lot.ledger).collect())
    }

    /// Returns all strategies, the newest first.
    pub fn strategies(&self) -> &[Arc<Strategy>] {
        &self.strategies
    }

    pub fn find(&self, id: FillKey) -> Option<&Strategy> {
        self.strategies.iter().find(|strategy| strategy.id == id).map(Arc::as_ref)
    }

    /// Returns the strategies that have lots of these fills, the first opened one first.
    pub fn find_by_fills(&self, fills: &HashSet<FillKey>) -> Vec<&Strategy> {
        let has_fill = |strategy: &&Strategy| strategy.lots.iter().any(|lot| fills.contains(&lot.fill));
        let mut strategies: Vec<&Strategy> = self.strategies.iter().map(Arc::as_ref).filter(has_fill).collect();
        strategies.sort_by_key(|strategy| strategy.lots.iter().map(|lot| lot.opened_at).min());
        strategies
    }

    /// Returns the strategy with each id, or the one that contains the lot from which the id was derived.
    pub fn find_current(&self, ids: &[FillKey]) -> Vec<Option<FillKey>> {
        let mut current: HashMap<FillKey, FillKey> =
            self.strategies.iter().map(|strategy| (strategy.id, strategy.id)).collect();
        if !ids.iter().all(|id| current.contains_key(id)) {
            for (strategy, lot) in self.strategies.iter().flat_map(|one| one.lots.iter().map(move |lot| (one, lot))) {
                current.entry(derive_id(lot)).or_insert(strategy.id);
            }
        }
        ids.iter().map(|id| current.get(id).copied()).collect()
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

fn find_pairs(
    sections: &BTreeMap<SectionKey, Arc<Section>>,
    confirmed: &ConfirmedIndex,
    window: Duration,
) -> Vec<Arc<Strategy>> {
    let mut by_scope: HashMap<&GroupingScope, Vec<&TimePart>> = HashMap::new();
    for ((scope, _), section) in sections {
        by_scope.entry(scope).or_default().extend(&section.free);
    }
    let pairs = by_scope.into_values().flat_map(|parts| pair_futures(parts.into_iter(), window));
    let lots = |parts: [TimePart; 2]| parts.into_iter().flat_map(|part| part.lots).collect();
    let strategy = |pair: FuturePair| {
        let strategy = Strategy::new(lots(pair.parts), Shape::Pair, pair.candidates, window)?;
        Some(Strategy { id: confirmed.unused_id(&strategy), ..strategy })
    };
    pairs.filter_map(strategy).map(Arc::new).collect()
}

/// Returns the confirmed strategies whose lots are in several sections.
fn join_sections(sections: &BTreeMap<SectionKey, Arc<Section>>, window: Duration) -> Vec<Arc<Strategy>> {
    let mut lots: BTreeMap<FillKey, (&Arc<ConfirmedStrategy>, Vec<LotPart>)> = BTreeMap::new();
    for (confirmed, section_lots) in sections.values().flat_map(|section| &section.partial) {
        let (_, all) = lots.entry(confirmed.id).or_insert_with(|| (confirmed, Vec::new()));
        all.extend_from_slice(section_lots);
    }
    let joined = lots.into_values();
    joined
        .filter_map(|(confirmed, lots)| Strategy::from_confirmed(lots, confirmed.clone(), window))
        .map(Arc::new)
        .collect()
}
