//! Positions: one instrument in one account with a broker, from flat to flat.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use rust_decimal::Decimal;

use crate::arithmetic::divide;
use crate::closed_trade::{ClosedTrade, Opening};
use crate::fill::{Fill, Side, TradeKind};
use crate::fill_key::FillKey;
use crate::instrument_ledger::InstrumentLedger;
use crate::matching::{LotRange, OpenPosition, PositionRange};

/// Position with the sums of its closed trades.
#[derive(Clone, Debug)]
pub struct Position {
    /// Sums of its closed trades, as one closed trade. All zero if nothing was closed yet.
    pub result: ClosedTrade,
    /// Indices of its closed trades in the ledger.
    pub closed_trades: Range<usize>,
    /// Index of its open part in the ledger; none if it is closed.
    pub open: Option<usize>,
}

/// Trade of a position, or the part of it that belongs to the position.
pub struct PositionTrade<'a> {
    pub fill: &'a Fill,
    pub quantity: Decimal,
    pub value: Decimal,
    pub charges: Decimal,
    /// Number of the lot that it opened, from 1.
    pub lot: Option<usize>,
    /// Numbers of the lots that it closed, with gross and net result.
    pub closed: Option<ClosedLots>,
    pub stop_loss: Option<Decimal>,
}

/// Lots that one trade closed.
#[derive(Default)]
pub struct ClosedLots {
    /// Numbers of the lots, ascending.
    pub numbers: Vec<usize>,
    pub quantity: Decimal,
    pub gross: Decimal,
    /// Charges of the lots, at their opening and closing.
    pub charges: Decimal,
}

impl ClosedLots {
    pub fn net(&self) -> Decimal {
        self.gross - self.charges
    }
}

/// Result of the lots that a trade closed, and its position.
pub struct TradeResult {
    pub trade_id: i64,
    /// Position that it closes or reduces, otherwise that which it opens or increases.
    pub position: FillKey,
    /// None if it only opens.
    pub closed: Option<ClosedLots>,
}

impl Position {
    /// Sums up the closed trades of a position, given its index in its ledger.
    pub fn new(
        (ledger, index): (usize, usize),
        range: &PositionRange,
        first: &Fill,
        all: &[ClosedTrade],
        closed_trades: Range<usize>,
    ) -> Self {
        let long = first.side == Side::Buy;
        let parts = all.get(closed_trades.clone()).unwrap_or_default();
        let opening = Opening {
            ledger,
            trade_id: first.trade_id,
            kind: match first.instrument.is_contract() {
                true if first.instrument.is_option() => TradeKind::Options,
                true => TradeKind::Futures,
                false => TradeKind::Delivery,
            },
            long,
            account: first.account,
            instrument: first.instrument.clone(),
            at: first.executed_at,
            day: first.day,
            has_time: first.has_time,
            labels: first.labels.clone(),
        };
        let mut result = ClosedTrade {
            position: index,
            lot_matches: range.lot_matches.clone(),
            risk: Some(Decimal::ZERO),
            ..ClosedTrade::without_result(opening, range.key)
        };
        for part in parts {
            // Same-day matching may connect a short sale to a holding. Its sale is an exit of the holding.
            let (entry, exit) = if part.long == long {
                (part.entry_value, part.exit_value)
            } else {
                (part.exit_value, part.entry_value)
            };
            result.entry_value += entry;
            result.exit_value += exit;
            result.risk = result.risk.zip(part.risk).map(|(sum, risk)| sum + risk);
            if result.add(part) {
                result.instrument = part.instrument.clone();
            }
        }
        let is_intraday = range.open.is_none() && parts.iter().all(|part| part.kind == TradeKind::Intraday);
        result.kind = match result.kind {
            TradeKind::Intraday | TradeKind::Delivery if is_intraday => TradeKind::Intraday,
            TradeKind::Intraday => TradeKind::Delivery,
            kind => kind,
        };
        if parts.is_empty() {
            result.risk = None;
        }
        Self { result, closed_trades, open: range.open }
    }

    pub fn is_closed(&self) -> bool {
        self.open.is_none()
    }

    pub fn key(&self) -> Option<FillKey> {
        self.result.position_key
    }
}

impl InstrumentLedger {
    /// Returns the open part of a position.
    pub fn open_part(&self, position: &Position) -> Option<&OpenPosition> {
        self.open_positions().get(position.open?)
    }

    /// Returns the trades of a position in the order of time, with the lots that they opened and closed.
    pub fn position_trades(&self, position: &Position) -> Vec<PositionTrade<'_>> {
        let mut parts: BTreeMap<usize, PositionTrade> = BTreeMap::new();
        let mut opened_lots: Vec<usize> = Vec::new();
        let open_lots = self.open_part(position).map(|open| open.lots.as_slice()).unwrap_or_default();
        let lot_matches = self.lot_matches(&position.result.lot_matches);
        let entries = lot_matches.iter().map(|lot_match| &lot_match.entry).chain(open_lots);
        let exits = lot_matches.iter().map(|lot_match| &lot_match.exit);
        for (range, opens) in entries.map(|range| (range, true)).chain(exits.map(|range| (range, false))) {
            let (Some(detail), Some(fill)) = (self.range_detail(range), self.fill_index(range.lot)) else { continue };
            let part = parts.entry(fill).or_insert_with(|| PositionTrade {
                fill: detail.fill,
                quantity: Decimal::ZERO,
                value: Decimal::ZERO,
                charges: Decimal::ZERO,
                lot: None,
                closed: None,
                stop_loss: self.stop_loss(detail.fill),
            });
            part.quantity += range.quantity();
            part.value += detail.value;
            part.charges += detail.charges.total();
            if opens {
                opened_lots.push(fill);
            }
        }
        let by_time = |one: &usize, other: &usize| match (self.fill(*one), self.fill(*other)) {
            (Some(one), Some(other)) => one.compare(other),
            _ => one.cmp(other),
        };
        opened_lots.sort_by(by_time);
        opened_lots.dedup();
        let numbers: HashMap<usize, usize> = opened_lots.into_iter().zip(1..).collect();
        for (fill, number) in &numbers {
            if let Some(part) = parts.get_mut(fill) {
                part.lot = Some(*number);
            }
        }
        for lot_match in lot_matches {
            let (Some(entry), Some(exit)) = (self.fill_index(lot_match.entry.lot), self.fill_index(lot_match.exit.lot))
            else {
                continue;
            };
            if let (Some(part), Some(number)) = (parts.get_mut(&exit), numbers.get(&entry)) {
                let closed = part.closed.get_or_insert_default();
                closed.numbers.push(*number);
                self.add_lot_match(closed, &lot_match.entry, &lot_match.exit);
            }
        }
        let mut trades: Vec<PositionTrade> = parts.into_values().collect();
        trades.sort_by(|one, other| one.fill.compare(other.fill));
        for closed in trades.iter_mut().filter_map(|trade| trade.closed.as_mut()) {
            closed.numbers.sort_unstable();
            closed.numbers.dedup();
        }
        trades
    }

    /// Adds the result of a lot match.
    fn add_lot_match(&self, closed: &mut ClosedLots, entry: &LotRange, exit: &LotRange) {
        let (Some(entry), Some(exit)) = (self.range_detail(entry), self.range_detail(exit)) else { return };
        let gain = exit.value - entry.value;
        closed.gross += if entry.fill.side == Side::Buy { gain } else { -gain };
        closed.charges += entry.charges.total() + exit.charges.total();
    }

    /// Adds the results of the trades with these numbers.
    pub fn collect_trade_results(&self, trade_ids: &HashSet<i64>, results: &mut HashMap<i64, TradeResult>) {
        if !self.fills().any(|fill| trade_ids.contains(&fill.trade_id)) {
            return;
        }
        let trade_id = |lot| self.fill_of_lot(lot).map(|fill| fill.trade_id).filter(|id| trade_ids.contains(id));
        for position in &self.positions {
            let Some(key) = position.key() else { continue };
            for lot_match in self.lot_matches(&position.result.lot_matches) {
                if let Some(trade_id) = trade_id(lot_match.exit.lot) {
                    let result =
                        results.entry(trade_id).or_insert(TradeResult { trade_id, position: key, closed: None });
                    result.position = key;
                    let closed = result.closed.get_or_insert_default();
                    closed.quantity += lot_match.exit.quantity();
                    self.add_lot_match(closed, &lot_match.entry, &lot_match.exit);
                }
            }
            let open_lots = self.open_part(position).map(|open| open.lots.as_slice()).unwrap_or_default();
            let closed_lots =
                self.lot_matches(&position.result.lot_matches).iter().map(|lot_match| lot_match.entry.lot);
            for trade_id in closed_lots.chain(open_lots.iter().map(|range| range.lot)).filter_map(trade_id) {
                results.entry(trade_id).or_insert(TradeResult { trade_id, position: key, closed: None });
            }
        }
    }

    /// Returns the average stop loss of the entries of a position; none if an entry has none.
    pub fn average_stop_loss(&self, position: &Position) -> Option<Decimal> {
        let open_lots = self.open_part(position).map(|open| open.lots.as_slice()).unwrap_or_default();
        let closed_lots = self.lot_matches(&position.result.lot_matches).iter().map(|lot_match| &lot_match.entry);
        let (mut value, mut quantity) = (Decimal::ZERO, Decimal::ZERO);
        for range in closed_lots.chain(open_lots) {
            value += self.stop_loss(self.fill_of_lot(range.lot)?)? * range.quantity();
            quantity += range.quantity();
        }
        divide(value, quantity)
    }
}
