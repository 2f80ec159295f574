//! Analysis of an account's trades: ledgers with their charges, and all closed trades in order. A change of trades
//! recomputes only the ledgers and contract notes that it affects.

mod note_lines;
mod past;
mod recompute;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rust_decimal::Decimal;
use time::Date;

use crate::adjustment::Adjustment;
use crate::adjustment_index::AdjustmentIndex;
use crate::broker_terms::BrokerTerms;
use crate::charge_rates::ChargeRates;
use crate::charges::{ContractNote, LotCharges, NoteLine, NoteLot, charge_note};
use crate::closed_trade::ClosedTrade;
use crate::data_issues::IssueQueue;
use crate::error::Error;
use crate::fill::{BrokerAccount, Fill, Source};
use crate::fill_key::FillKey;
use crate::instrument::Instrument;
use crate::instrument_ledger::{InstrumentLedger, LedgerKey};
use crate::matching::adjustment_fill;
use crate::parallel::parallel_map;
use crate::position::Position;
use crate::strategies::{
    ConfirmedStrategies, Decision, LotPart, Strategy, StrategyBook, StrategyChange, StrategyUnits,
};

/// Analysis of an account's trades with its adjustments, as of a day.
#[derive(Clone, Debug)]
pub struct Analysis {
    ledgers: Vec<Arc<InstrumentLedger>>,
    /// Index of each ledger in `ledgers`.
    ledger_indices: HashMap<LedgerKey, usize>,
    /// Closed trades in the order of their closing.
    closed_trades: Vec<ClosedTradeRef>,
    /// Closed positions in the order of their closing.
    closed_positions: Vec<ClosedTradeRef>,
    adjustments: Arc<[Adjustment]>,
    /// Day of the analysis, on which the expiry of contracts depends.
    today: Date,
    /// Number of trades.
    pub trade_count: usize,
    /// Highest trade number ever seen.
    max_trade_id: i64,
    issues: OnceLock<Arc<IssueQueue>>,
    strategies: OnceLock<Arc<StrategyBook>>,
    strategy_units: OnceLock<Arc<StrategyUnits>>,
    confirmed_strategies: Arc<ConfirmedStrategies>,
    /// Strategies before the last changes, and the ledgers that changed since.
    previous_strategies: Option<(Arc<StrategyBook>, HashSet<usize>)>,
    pub(crate) rates: &'static ChargeRates,
    pub(crate) terms: Arc<BrokerTerms>,
}

/// Location of a closed trade or a position.
#[derive(Clone, Copy, Debug)]
struct ClosedTradeRef {
    /// Unix time of the closing, which decides nearly all comparisons.
    closed_at: i64,
    ledger: usize,
    /// Index in the ledger.
    index: usize,
    is_position: bool,
}

/// Changes of trades in the trade log.
#[derive(Debug, Default)]
pub struct TradeChanges {
    /// Numbers of all added, edited and deleted trades.
    pub ids: BTreeSet<i64>,
    /// Added and edited trades as they are now.
    pub trades: Vec<Fill>,
}

/// Lots on a contract note: indices of their ledgers, and of the lots in the ledgers.
type NoteLots = Vec<(usize, usize)>;

impl Analysis {
    /// Analyses trades of accounts without agreed terms.
    #[cfg(test)]
    pub fn new(trades: Vec<Fill>, adjustments: &[Adjustment], rates: &'static ChargeRates, today: Date) -> Self {
        Self::with_terms(trades, adjustments, rates, Arc::default(), today)
    }

    /// Analyses trades, given in any order.
    pub fn with_terms(
        trades: Vec<Fill>,
        adjustments: &[Adjustment],
        rates: &'static ChargeRates,
        terms: Arc<BrokerTerms>,
        today: Date,
    ) -> Self {
        let mut analysis = Self::empty(adjustments, rates, terms, today);
        let index = AdjustmentIndex::new(adjustments);
        analysis.match_trades(trades, &index);
        let mut notes: HashMap<ContractNote, NoteLots> = HashMap::new();
        for (key, ledger) in &analysis.ledger_indices {
            let Some(lots) = analysis.ledgers.get(*ledger).map(|ledger| ledger.lots_by_day()) else { continue };
            for lots in lots.chunk_by(|(day, _), (other, _)| day == other) {
                let Some((day, _)) = lots.first() else { continue };
                let note = notes.entry(key.contract_note(*day)).or_default();
                note.extend(lots.iter().map(|(_, lot)| (*ledger, *lot)));
            }
        }
        let take_charges = |ledger: &mut Arc<InstrumentLedger>| Mutex::new(Arc::make_mut(ledger).take_lot_charges());
        let lot_charges: Vec<Mutex<Vec<LotCharges>>> = analysis.ledgers.iter_mut().map(take_charges).collect();
        analysis.charge_notes(notes, |line| {
            let of_ledger = lot_charges.get(line.ledger).map(|of_ledger| of_ledger.lock());
            let mut of_ledger = of_ledger.map(|of_ledger| of_ledger.unwrap_or_else(PoisonError::into_inner));
            if let Some(of_lot) = of_ledger.as_mut().and_then(|of_ledger| of_ledger.get_mut(line.index)) {
                *of_lot = line.lot_charges;
            }
        });
        let ledgers = analysis.ledgers.iter_mut().map(Arc::make_mut).zip(lot_charges).enumerate().collect();
        parallel_map(ledgers, |(index, (ledger, lot_charges))| {
            ledger.restore_lot_charges(lot_charges.into_inner().unwrap_or_else(PoisonError::into_inner));
            ledger.build_closed_trades(index);
        });
        analysis.update_order(&|_| true);
        analysis
    }

    /// Returns an analysis without trades.
    fn empty(adjustments: &[Adjustment], rates: &'static ChargeRates, terms: Arc<BrokerTerms>, today: Date) -> Self {
        Self {
            ledgers: Vec::new(),
            ledger_indices: HashMap::new(),
            closed_trades: Vec::new(),
            closed_positions: Vec::new(),
            adjustments: adjustments.into(),
            today,
            trade_count: 0,
            max_trade_id: 0,
            issues: OnceLock::new(),
            strategies: OnceLock::new(),
            strategy_units: OnceLock::new(),
            confirmed_strategies: Arc::default(),
            previous_strategies: None,
            rates,
            terms,
        }
    }

    /// Matches trades, given in any order, without their charges.
    fn match_trades(&mut self, trades: Vec<Fill>, index: &AdjustmentIndex) {
        let adjustments = self.adjustments.clone();
        let fills = trades.into_iter().chain(adjustments.iter().filter_map(adjustment_fill));
        let fills_by_ledger = self.group_by_ledger(fills, index);
        self.ledgers = self.match_ledgers(fills_by_ledger, index);
    }

    /// Matches the fills of every ledger, given by its index: contracts first, because they may deliver shares.
    fn match_ledgers(
        &mut self,
        mut fills_by_ledger: BTreeMap<usize, Vec<Fill>>,
        adjustments: &AdjustmentIndex,
    ) -> Vec<Arc<InstrumentLedger>> {
        let today = self.today;
        let match_one =
            |(index, fills): (usize, Vec<Fill>)| (index, Arc::new(InstrumentLedger::new(fills, adjustments, today)));
        let is_contract = |fills: &Vec<Fill>| fills.first().is_some_and(|fill| fill.instrument.is_contract());
        let contracts = fills_by_ledger.extract_if(.., |_, fills| is_contract(fills)).collect();
        let mut ledgers: BTreeMap<_, _> = parallel_map(contracts, match_one).into_iter().collect();
        let deliveries: Vec<Fill> = ledgers.values().flat_map(|ledger| ledger.deliveries()).cloned().collect();
        for (index, fills) in self.group_by_ledger(deliveries.into_iter(), adjustments) {
            fills_by_ledger.entry(index).or_default().extend(fills);
        }
        ledgers.extend(parallel_map(fills_by_ledger.into_iter().collect(), match_one));
        ledgers.into_values().collect()
    }

    /// Returns the shares that contracts deliver, by the index of the share's ledger.
    fn deliveries(&mut self, adjustments: &AdjustmentIndex) -> BTreeMap<usize, Vec<Fill>> {
        let deliveries: Vec<Fill> = self.ledgers.iter().flat_map(|ledger| ledger.deliveries()).cloned().collect();
        self.group_by_ledger(deliveries.into_iter(), adjustments)
    }

    pub fn adjustments(&self) -> &[Adjustment] {
        &self.adjustments
    }

    /// Returns the open data issues, found when they are needed first.
    pub fn issues(&self) -> &IssueQueue {
        self.issues.get_or_init(|| IssueQueue::new(&self.ledgers, &self.adjustments).into())
    }

    /// Returns the strategies, grouped when they are needed first.
    pub fn strategies(&self) -> &StrategyBook {
        let previous = self.previous_strategies.as_ref().map(|(book, changed)| (book.as_ref(), changed));
        let (confirmed, holders) = (&self.confirmed_strategies, &self.terms.holders);
        let group = || Arc::new(StrategyBook::new(&self.ledgers, confirmed, holders, previous));
        self.strategies.get_or_init(group)
    }

    /// Returns the results of strategies and of what belongs to none, made when they are needed first.
    pub fn strategy_units(&self) -> &StrategyUnits {
        self.strategy_units.get_or_init(|| StrategyUnits::new(self.strategies(), &self.ledgers).into())
    }

    /// Returns whether the answer to an open issue may change a part of a position, given by its ledger and index.
    pub fn is_doubtful_member(&self, ledger: usize, position: usize) -> bool {
        let position = self.ledgers.get(ledger).and_then(|ledger| ledger.positions.get(position));
        position.is_some_and(|position| self.is_doubtful_position(position))
    }

    pub fn confirmed_strategies(&self) -> Arc<ConfirmedStrategies> {
        self.confirmed_strategies.clone()
    }

    /// Returns the change that a decision about a strategy makes. `grouping` is the grouping that the trader saw.
    ///
    /// # Errors
    /// Those of [`Decision::apply`], and [`Error::StrategyChanged`] if the strategy is grouped in another way now.
    pub fn decide(&self, id: FillKey, grouping: Option<FillKey>, decision: &Decision) -> Result<StrategyChange, Error> {
        let is_other = |strategy: &Strategy| grouping.is_some_and(|grouping| grouping != strategy.grouping_id());
        if self.strategies().find(id).is_some_and(is_other) {
            return Err(Error::StrategyChanged);
        }
        let list_lots = |key| {
            let ledgers = self.ledgers.iter().enumerate();
            let position = ledgers.flat_map(|(index, ledger)| {
                let positions = ledger.positions.iter().filter(move |position| position.key() == Some(key));
                positions.map(move |position| (index, ledger, position))
            });
            position.flat_map(|(index, ledger, position)| LotPart::list(index, ledger, position)).collect()
        };
        decision.apply(self.strategies(), &list_lots, self.strategy_version(), id)
    }

    /// Returns the version of the confirmed strategies.
    pub fn strategy_version(&self) -> i64 {
        self.confirmed_strategies.version
    }

    /// Returns whether the answer to an open issue may change a closed trade.
    pub fn is_doubtful(&self, closed_trade: &ClosedTrade) -> bool {
        self.ledger(closed_trade).is_some_and(|ledger| self.issues().is_doubtful(ledger, closed_trade))
    }

    /// Returns whether the answer to an open issue may change a part of a position.
    pub fn is_doubtful_position(&self, position: &Position) -> bool {
        let ledger = self.ledger(&position.result);
        let parts = ledger.and_then(|ledger| ledger.closed_trades.get(position.closed_trades.clone()));
        parts.unwrap_or_default().iter().any(|part| self.is_doubtful(part))
    }

    /// Returns the analysis of the same trades with other adjustments.
    pub fn with_adjustments(&self, adjustments: &[Adjustment]) -> Self {
        let mut changed = self.clone();
        changed.apply_adjustments(adjustments);
        changed
    }

    /// Returns the net result of all closed trades.
    pub fn net(&self) -> Decimal {
        self.ledgers().flat_map(|ledger| &ledger.closed_trades).map(|closed_trade| closed_trade.net).sum()
    }

    /// Returns the day as of which it was made.
    pub fn today(&self) -> Date {
        self.today
    }

    /// Returns whether it was made with these adjustments and terms as of this day.
    pub fn is_current(&self, adjustments: &[Adjustment], terms: &BrokerTerms, today: Date) -> bool {
        (&*self.adjustments, &*self.terms, self.today) == (adjustments, terms, today)
    }

    /// Returns whether it was made with these terms as of this day; the adjustments may differ.
    pub fn is_made_with(&self, terms: &BrokerTerms, today: Date) -> bool {
        (&*self.terms, self.today) == (terms, today)
    }

    /// Groups fills by the index of their ledger. A fill of a new ledger gets the next index.
    fn group_by_ledger(
        &mut self,
        fills: impl Iterator<Item = Fill>,
        adjustments: &AdjustmentIndex,
    ) -> BTreeMap<usize, Vec<Fill>> {
        let mut groups: BTreeMap<usize, Vec<Fill>> = BTreeMap::new();
        // Most fills share an `Instrument`, so comparing its address saves a lookup by symbol.
        let mut by_address: HashMap<(BrokerAccount, *const Instrument), usize> = HashMap::new();
        for fill in fills {
            self.max_trade_id = self.max_trade_id.max(fill.trade_id);
            // The key of an option also depends on the day if its underlying was split.
            let depends_on_day = fill.instrument.is_option() && adjustments.has_splits(&fill.instrument.underlying);
            let mut find_index = || {
                let next = self.ledger_indices.len();
                *self.ledger_indices.entry(LedgerKey::new(&fill, adjustments)).or_insert(next)
            };
            let address = (fill.account, Arc::as_ptr(&fill.instrument));
            let index =
                if depends_on_day { find_index() } else { *by_address.entry(address).or_insert_with(find_index) };
            groups.entry(index).or_default().push(fill);
        }
        groups
    }

    /// Computes the charges of contract notes on two threads; `receive` gets each line.
    fn charge_notes(&self, notes: HashMap<ContractNote, NoteLots>, receive: impl Fn(&NoteLine) + Sync) {
        let charge_one = |lots: NoteLots| {
            let note_lot = |(ledger, lot): (usize, usize)| self.ledgers.get(ledger)?.note_lot(ledger, lot);
            let lots: Vec<NoteLot> = lots.into_iter().filter_map(note_lot).collect();
            charge_note(lots, self.rates, &self.terms).iter().for_each(&receive);
        };
        parallel_map(notes.into_values().collect(), charge_one);
    }

    /// Counts the trades and sorts the closed trades and positions; `is_rebuilt` tells which ledgers have new ones.
    fn update_order(&mut self, is_rebuilt: &(dyn Fn(usize) -> bool + Sync)) {
        self.trade_count = self.ledgers.iter().map(|ledger| ledger.trade_count).sum();
        let rebuilt = || self.ledgers.iter().enumerate().filter(|(index, _)| is_rebuilt(*index));
        let reference = |ledger: usize, index: usize, item: &ClosedTrade| ClosedTradeRef {
            closed_at: item.closed_at.unix_timestamp(),
            ledger,
            index,
            is_position: item.position_key.is_some(),
        };
        let (mut closed_trades, mut closed_positions) = (Vec::new(), Vec::new());
        for (ledger_index, ledger) in rebuilt() {
            let items = ledger.closed_trades.iter().enumerate();
            closed_trades.extend(items.map(|(index, item)| reference(ledger_index, index, item)));
            let items = ledger.positions.iter().enumerate().filter(|(_, position)| position.is_closed());
            closed_positions.extend(items.map(|(index, position)| reference(ledger_index, index, &position.result)));
        }
        let keep = |item: &&ClosedTradeRef| !is_rebuilt(item.ledger);
        // The retained part is already sorted, which makes the sort fast.
        let sort = |old: &[ClosedTradeRef], new: Vec<ClosedTradeRef>| {
            let mut order: Vec<ClosedTradeRef> = old.iter().filter(keep).copied().chain(new).collect();
            order.sort_by(|one, other| one.closed_at.cmp(&other.closed_at).then_with(|| self.compare(*one, *other)));
            order
        };
        let orders = vec![(&*self.closed_trades, closed_trades), (&*self.closed_positions, closed_positions)];
        let mut orders = parallel_map(orders, |(old, new)| sort(old, new)).into_iter();
        (self.closed_trades, self.closed_positions) =
            (orders.next().unwrap_or_default(), orders.next().unwrap_or_default());
    }

    fn compare(&self, one: ClosedTradeRef, other: ClosedTradeRef) -> Ordering {
        let (Some(one), Some(other)) = (self.closed_trade(one), self.closed_trade(other)) else {
            return Ordering::Equal;
        };
        let key = |closed_trade| {
            let ClosedTrade { closed_at, opened_at, instrument, net, trade_id, kind, .. }: &ClosedTrade = closed_trade;
            (*closed_at, *opened_at, instrument.symbol.as_str(), *net, *trade_id, *kind)
        };
        key(one).cmp(&key(other))
    }

    fn closed_trade(&self, location: ClosedTradeRef) -> Option<&ClosedTrade> {
        let ledger = self.ledgers.get(location.ledger)?;
        if location.is_position {
            ledger.positions.get(location.index).map(|position| &position.result)
        } else {
            ledger.closed_trades.get(location.index)
        }
    }

    /// Returns the results of the closed positions in the order of their closing.
    pub fn closed_positions(&self) -> impl DoubleEndedIterator<Item = &ClosedTrade> + Clone {
        self.closed_positions.iter().filter_map(|location| self.closed_trade(*location))
    }

    /// Returns the position of a closed trade.
    pub fn position(&self, closed_trade: &ClosedTrade) -> Option<&Position> {
        self.ledger(closed_trade)?.positions.get(closed_trade.position)
    }

    /// Returns the closed trades in the order of their closing.
    pub fn closed_trades(&self) -> impl DoubleEndedIterator<Item = &ClosedTrade> + Clone {
        self.closed_trades.iter().filter_map(|location| self.closed_trade(*location))
    }

    pub fn ledgers(&self) -> impl Iterator<Item = &InstrumentLedger> {
        self.ledgers.iter().map(Arc::as_ref)
    }

    /// Returns the ledger of a closed trade.
    pub fn ledger(&self, closed_trade: &ClosedTrade) -> Option<&InstrumentLedger> {
        self.ledger_at(closed_trade.ledger)
    }

    pub fn ledger_at(&self, index: usize) -> Option<&InstrumentLedger> {
        self.ledgers.get(index).map(Arc::as_ref)
    }

    /// Returns copies of all trades.
    pub fn to_trades(&self) -> Vec<Fill> {
        self.ledgers().flat_map(InstrumentLedger::fills).filter(|fill| fill.source == Source::Trade).cloned().collect()
    }
}
