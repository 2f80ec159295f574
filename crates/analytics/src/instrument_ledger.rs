//! Ledger of one instrument at one broker: its fills, their matches and charges, and the closed trades.
//!
//! Ledgers are independent of each other except for contract notes, whose charges are computed over all instruments on
//! the note. A changed trade therefore rebuilds its own ledger, and in other ledgers only the charges of the same notes.

use std::collections::{BTreeSet, HashMap};
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::Date;

use crate::adjustment_index::AdjustmentIndex;
use crate::arithmetic::prorate;
use crate::charges::{Charges, ContractNote, LotCharges, NoteLot, is_on_contract_note};
use crate::closed_trade::{ClosedTrade, Flags};
use crate::fill::{BrokerAccount, Fill, Side, Source, TradeKind};
use crate::fill_key::FillKey;
use crate::matching::{
    Closing, Lot, LotMatch, LotRange, MatchResult, OpenPosition, PositionRange, divide_into_positions, match_fills,
};
use crate::position::Position;
use crate::proposals::{Proposal, propose, relevant_events};

/// Key of a ledger.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LedgerKey {
    pub account: BrokerAccount,
    /// True for futures and options, false for shares.
    pub contracts: bool,
    /// Symbol; of a renamed share or contract the latest one, of linked shares the first one. Symbols of contracts are in
    /// capitals.
    pub symbol: String,
}

impl LedgerKey {
    pub fn new(fill: &Fill, adjustments: &AdjustmentIndex) -> Self {
        let instrument = &fill.instrument;
        let symbol = if instrument.is_contract() {
            adjustments.contract_key(instrument, fill.day)
        } else {
            adjustments.ledger_symbol(&instrument.symbol).to_owned()
        };
        Self { account: fill.account, contracts: instrument.is_contract(), symbol }
    }

    /// Returns the contract note that lists the ledger's lots of `day`.
    pub fn contract_note(&self, day: Date) -> ContractNote {
        ContractNote { account: self.account, contracts: self.contracts, day }
    }
}

/// Fill, value and charges of a lot range.
pub struct RangeDetail<'a> {
    pub fill: &'a Fill,
    pub lot: &'a Lot,
    pub value: Decimal,
    pub charges: Charges,
    /// True if a charge rate is missing in the tables.
    pub rates_missing: bool,
    /// True if a contract note states the charges, except those of the depository participant.
    pub is_stated: bool,
}

/// Order number, day and side of an order.
type StopLossKey = (Arc<str>, Date, Side);

/// Ledger of one instrument in one account with a broker.
#[derive(Clone, Debug)]
pub struct InstrumentLedger {
    matched: MatchResult,
    /// Charges by lot.
    lot_charges: Vec<LotCharges>,
    /// Lots with the days of their fills, sorted.
    lots_by_day: Vec<(Date, usize)>,
    /// Stop loss per order, shared by its fills.
    stop_losses: HashMap<StopLossKey, Decimal>,
    /// Corporate actions that may have affected it and are not answered.
    pub proposals: Vec<Proposal>,
    /// Number of fills that are trades of the log.
    pub trade_count: usize,
    pub closed_trades: Vec<ClosedTrade>,
    position_ranges: Vec<PositionRange>,
    /// In the order of time.
    pub positions: Vec<Position>,
}

impl InstrumentLedger {
    /// Matches trades and opening holdings, given in any order. Charges and closed trades are added later.
    pub fn new(mut fills: Vec<Fill>, adjustments: &AdjustmentIndex, today: Date) -> Self {
        fills.sort_by(Fill::compare);
        let trade_count = fills.iter().filter(|fill| fill.source == Source::Trade).count();
        let mut stop_losses = HashMap::new();
        for fill in &fills {
            if let (Some(order_id), Some(stop_loss)) = (&fill.order_id, fill.stop_loss) {
                stop_losses.entry((order_id.clone(), fill.day, fill.side)).or_insert(stop_loss);
            }
        }
        let (events, probes) = relevant_events(&fills, adjustments);
        let fill_count = fills.len();
        let mut matched = match_fills(fills, adjustments, &probes, today);
        let given_fills = matched.fills.get(..fill_count).unwrap_or_default();
        let proposals = propose(&matched, given_fills, &events, adjustments);
        let position_ranges = divide_into_positions(&mut matched, fill_count, adjustments);
        let day = |lot: &Lot| matched.fills.get(lot.fill).map(|fill| fill.day);
        let mut lots_by_day: Vec<(Date, usize)> =
            matched.lots.iter().enumerate().filter_map(|(index, lot)| Some((day(lot)?, index))).collect();
        lots_by_day.sort();
        let lot_charges = vec![LotCharges::default(); matched.lots.len()];
        Self {
            matched,
            lot_charges,
            lots_by_day,
            stop_losses,
            proposals,
            trade_count,
            closed_trades: Vec::new(),
            position_ranges,
            positions: Vec::new(),
        }
    }

    /// Returns the fills from which it was made.
    pub fn fills(&self) -> impl Iterator<Item = &Fill> {
        self.matched.fills.iter().filter(|fill| fill.source.is_entered())
    }

    /// Returns the symbols of its fills, in capitals.
    pub fn symbols(&self) -> BTreeSet<String> {
        self.matched.symbols()
    }

    /// Returns true if it has shares that a stock derivative received or delivered.
    pub fn has_deliveries(&self) -> bool {
        self.matched.fills.iter().any(|fill| fill.source == Source::Delivered)
    }

    /// Returns the shares that it receives or delivers at the expiry of a stock derivative.
    pub fn deliveries(&self) -> &[Fill] {
        &self.matched.deliveries
    }

    pub fn fill_of_lot(&self, lot: usize) -> Option<&Fill> {
        self.fill(self.fill_index(lot)?)
    }

    /// Returns the index of a lot's fill.
    pub fn fill_index(&self, lot: usize) -> Option<usize> {
        self.matched.lots.get(lot).map(|lot| lot.fill)
    }

    /// Returns the start of a lot in the quantity of its fill: the lot that is netted within the day comes first.
    pub fn lot_start(&self, lot: usize) -> Decimal {
        let Some(one) = self.matched.lots.get(lot) else { return Decimal::ZERO };
        let Some(fill) = self.fill(one.fill).filter(|fill| fill.quantity != one.quantity) else {
            return Decimal::ZERO;
        };
        // A fill has at most two lots: the netted one and the rest.
        if one.kind == TradeKind::Delivery { fill.quantity - one.quantity } else { Decimal::ZERO }
    }

    /// Returns whether a fill with such a key belongs to it.
    pub fn has_fill(&self, is_wanted: impl Fn(FillKey) -> bool) -> bool {
        self.matched.fills.iter().any(|fill| is_wanted(fill.key))
    }

    pub fn fill(&self, index: usize) -> Option<&Fill> {
        self.matched.fills.get(index)
    }

    /// Returns the stop loss of a fill, or of another fill of its order.
    pub fn stop_loss(&self, fill: &Fill) -> Option<Decimal> {
        let of_order = || self.stop_losses.get(&(fill.order_id.clone()?, fill.day, fill.side)).copied();
        fill.stop_loss.or_else(|| if self.stop_losses.is_empty() { None } else { of_order() })
    }

    pub fn lot_matches(&self, indices: &Range<usize>) -> &[LotMatch] {
        self.matched.lot_matches.get(indices.clone()).unwrap_or_default()
    }

    /// Returns the sold shares without a purchase.
    pub fn missing_cost_basis(&self) -> &[LotRange] {
        &self.matched.missing_cost_basis
    }

    pub fn open_positions(&self) -> &[OpenPosition] {
        &self.matched.positions
    }

    /// Returns the open positions, each with its first open fill.
    pub fn positions(&self) -> impl Iterator<Item = (&OpenPosition, &Fill)> {
        let positions = self.matched.positions.iter();
        positions.filter_map(|position| Some((position, self.matched.fills.get(position.fill)?)))
    }

    pub fn range_detail(&self, range: &LotRange) -> Option<RangeDetail<'_>> {
        let (lot, lot_charges) = (self.matched.lots.get(range.lot)?, self.lot_charges.get(range.lot)?);
        Some(RangeDetail {
            fill: self.matched.fills.get(lot.fill)?,
            lot,
            value: range.cost.unwrap_or_else(|| prorate(lot.value, range.from, range.to, lot.quantity)),
            charges: lot_charges.charges.prorate(range.from, range.to, lot.quantity),
            rates_missing: lot_charges.rates_missing,
            is_stated: lot_charges.is_stated,
        })
    }

    /// Returns the details of every lot.
    pub fn lot_details(&self) -> impl Iterator<Item = RangeDetail<'_>> {
        let whole =
            |(index, lot): (usize, &Lot)| LotRange { lot: index, from: Decimal::ZERO, to: lot.quantity, cost: None };
        self.matched.lots.iter().enumerate().filter_map(move |lot| self.range_detail(&whole(lot)))
    }

    /// Returns the lots with the days of their fills, sorted.
    pub fn lots_by_day(&self) -> &[(Date, usize)] {
        &self.lots_by_day
    }

    /// Returns the lots of one day.
    pub fn lots_on(&self, day: Date) -> &[(Date, usize)] {
        let start = self.lots_by_day.partition_point(|(other, _)| *other < day);
        let end = self.lots_by_day.partition_point(|(other, _)| *other <= day);
        self.lots_by_day.get(start..end).unwrap_or_default()
    }

    /// Returns a lot as a line of a contract note without charges; none if it is not on one. `ledger` is the index of this
    /// ledger in the analysis.
    pub fn note_lot(&self, ledger: usize, lot: usize) -> Option<NoteLot<'_>> {
        let fill = self.fill_of_lot(lot).filter(|fill| is_on_contract_note(fill))?;
        Some(NoteLot { ledger, index: lot, lot: self.matched.lots.get(lot)?, fill })
    }

    pub fn lot_charges(&self, lot: usize) -> Option<&LotCharges> {
        self.lot_charges.get(lot)
    }

    pub fn set_lot_charges(&mut self, lot: usize, lot_charges: LotCharges) {
        if let Some(current) = self.lot_charges.get_mut(lot) {
            *current = lot_charges;
        }
    }

    /// Removes the charges of all lots, to compute them while the ledger is read.
    pub fn take_lot_charges(&mut self) -> Vec<LotCharges> {
        mem::take(&mut self.lot_charges)
    }

    /// Sets the charges of all lots, which were taken.
    pub fn restore_lot_charges(&mut self, lot_charges: Vec<LotCharges>) {
        self.lot_charges = lot_charges;
    }

    /// Copies the charges of all days whose lots are the same as in `previous`; returns the other days.
    pub fn copy_charges(&mut self, previous: &Self) -> Vec<Date> {
        let mut changed_days = Vec::new();
        let same_day = |one: &(Date, usize), other: &(Date, usize)| one.0 == other.0;
        let is_on = |lots: &&[(Date, usize)], day| lots.first().is_some_and(|(first, _)| *first == day);
        let mut old_days = previous.lots_by_day.chunk_by(same_day).peekable();
        let mut new_days = self.lots_by_day.chunk_by(same_day).peekable();
        while let Some((day, _)) =
            [old_days.peek(), new_days.peek()].into_iter().flatten().filter_map(|lots| lots.first()).min()
        {
            let day = *day;
            let old_lots = old_days.next_if(|lots| is_on(lots, day)).unwrap_or_default();
            let new_lots = new_days.next_if(|lots| is_on(lots, day)).unwrap_or_default();
            let is_same =
                |((_, old), (_, new)): (&(Date, usize), &(Date, usize))| previous.has_same_lot(*old, self, *new);
            if old_lots.len() != new_lots.len() || !old_lots.iter().zip(new_lots).all(is_same) {
                changed_days.push(day);
                continue;
            }
            for ((_, old), (_, new)) in old_lots.iter().zip(new_lots) {
                if let (Some(current), Some(lot_charges)) =
                    (self.lot_charges.get_mut(*new), previous.lot_charges.get(*old))
                {
                    *current = *lot_charges;
                }
            }
        }
        changed_days
    }

    /// Returns whether a lot and one of `other` are the same on a contract note.
    fn has_same_lot(&self, lot: usize, other: &Self, other_lot: usize) -> bool {
        let get = |ledger: &Self, lot: usize| ledger.matched.lots.get(lot).copied();
        let (Some(one), Some(two)) = (get(self, lot), get(other, other_lot)) else { return false };
        let (Some(fill), Some(other)) = (self.fill_of_lot(lot), other.fill_of_lot(other_lot)) else { return false };
        (one.kind, one.quantity, one.value) == (two.kind, two.quantity, two.value)
            && fill.compare(other).is_eq()
            && fill.instrument == other.instrument
    }

    /// Returns the loss of an entry if closed at its stop loss; none without a stop loss, or with one on the wrong side of
    /// the entry price.
    fn loss_at_stop(&self, entry: &RangeDetail, quantity: Decimal, sign: Decimal) -> Option<Decimal> {
        let loss = (entry.value - self.stop_loss(entry.fill)? * quantity) * sign;
        (loss > Decimal::ZERO).then_some(loss)
    }

    /// Sums up the lot matches of a closing; `index` is that of the ledger in the analysis.
    fn closed_trade(&self, index: usize, closing: &Closing) -> Option<ClosedTrade> {
        let (lot_matches, first_match) = (self.lot_matches(&closing.lot_matches), closing.lot_matches.start);
        let first = lot_matches.first()?;
        let (entry, exit) = (self.fill_of_lot(first.entry.lot)?, self.fill_of_lot(first.exit.lot)?);
        let mut flags = Flags::from_exit(exit);
        let (mut entry_value, mut exit_value, mut quantity) = (Decimal::ZERO, Decimal::ZERO, Decimal::ZERO);
        let (mut charges, mut stated_charges, mut stt) = (Decimal::ZERO, Decimal::ZERO, Decimal::ZERO);
        let (mut opened, mut closed, mut has_times) = (entry, exit, true);
        let mut risk = Some(Decimal::ZERO);
        for lot_match in lot_matches {
            let (entry, exit) = (self.range_detail(&lot_match.entry)?, self.range_detail(&lot_match.exit)?);
            entry_value += entry.value;
            exit_value += exit.value;
            quantity += lot_match.exit.quantity();
            let loss_at_stop = self.loss_at_stop(&entry, lot_match.entry.quantity(), closing.sign());
            risk = risk.zip(loss_at_stop).map(|(risk, loss)| risk + loss);
            for part in [&entry.charges, &exit.charges] {
                charges += part.total();
                stated_charges += part.stated;
                stt += part.stt;
            }
            opened = if entry.fill.executed_at < opened.executed_at { entry.fill } else { opened };
            closed = if exit.fill.executed_at > closed.executed_at { exit.fill } else { closed };
            has_times &= entry.fill.has_time && exit.fill.has_time;
            flags.add_entry(entry.fill, lot_match.corporate_actions);
            flags.rates_missing |= entry.rates_missing || exit.rates_missing;
        }
        let gross = (exit_value - entry_value) * closing.sign();
        Some(ClosedTrade {
            ledger: index,
            trade_id: match exit.source {
                Source::Buyback { adjustment } | Source::FractionPayment { adjustment } => adjustment,
                Source::Settled => entry.trade_id,
                _ => exit.trade_id,
            },
            position_key: None,
            is_strategy: false,
            position: self.position_index(first_match),
            lot_matches: closing.lot_matches.clone(),
            kind: closing.kind,
            long: closing.long,
            account: exit.account,
            instrument: exit.instrument.clone(),
            quantity,
            entry_value,
            exit_value,
            gross,
            charges,
            stated_charges,
            stt,
            net: gross - charges,
            risk,
            opened_at: opened.executed_at,
            closed_at: closed.executed_at,
            opened_day: opened.day,
            closed_day: closed.day,
            has_opening_time: opened.has_time,
            has_times,
            labels: entry.labels.clone(),
            flags,
        })
    }

    /// Builds all closed trades; `index` is that of the ledger in the analysis.
    pub fn build_closed_trades(&mut self, index: usize) {
        let closings = self.matched.closings.iter();
        let mut closed_trades = Vec::with_capacity(closings.len());
        closed_trades.extend(closings.filter_map(|closing| self.closed_trade(index, closing)));
        self.closed_trades = closed_trades;
        self.build_positions(index);
    }

    /// Returns the index of the position that contains a lot match.
    fn position_index(&self, lot_match: usize) -> usize {
        self.position_ranges.partition_point(|range| range.lot_matches.end <= lot_match)
    }

    /// Sums up the closed trades of each position.
    fn build_positions(&mut self, index: usize) {
        let mut end = 0;
        let position = |(number, range): (usize, &PositionRange)| {
            let start = end;
            end += self.closed_trades.iter().skip(start).take_while(|trade| trade.position == number).count();
            let first = self.fill(range.first_fill)?;
            Some(Position::new((index, number), range, first, &self.closed_trades, start..end))
        };
        let mut positions = Vec::with_capacity(self.position_ranges.len());
        positions.extend(self.position_ranges.iter().enumerate().filter_map(position));
        self.positions = positions;
    }

    /// Returns the position to which the opening or closing fill with this key belongs.
    pub fn position_with_fill(&self, key: FillKey) -> Option<&Position> {
        if !self.matched.fills.iter().any(|fill| fill.key == key) {
            return None;
        }
        self.positions.iter().find(|position| self.fill_keys(position).any(|fill| fill == key))
    }

    /// Returns the keys of the fills that opened and closed the lots of a position, repeatedly for several lots.
    pub fn fill_keys(&self, position: &Position) -> impl Iterator<Item = FillKey> {
        let open_lots = self.open_part(position).into_iter().flat_map(|open| &open.lots);
        let lot_matches = self.lot_matches(&position.result.lot_matches).iter();
        let lots = lot_matches.flat_map(|lot_match| [&lot_match.entry, &lot_match.exit]).chain(open_lots);
        lots.filter_map(move |range| self.fill_of_lot(range.lot)).map(|fill| fill.key)
    }

    /// Rebuilds the closed trades that contain one of the lots in `changed`, whose charges changed.
    pub fn rebuild_closed_trades(&mut self, changed: &[usize]) {
        let mut is_changed = vec![false; self.matched.lots.len()];
        for lot in changed {
            if let Some(flag) = is_changed.get_mut(*lot) {
                *flag = true;
            }
        }
        let is_changed = |range: &LotRange| is_changed.get(range.lot).is_some_and(|flag| *flag);
        let contains_changed = |closed_trade: &ClosedTrade| {
            let mut lot_matches = self.lot_matches(&closed_trade.lot_matches).iter();
            lot_matches.any(|lot_match| is_changed(&lot_match.entry) || is_changed(&lot_match.exit))
        };
        let rebuilt: Vec<(usize, ClosedTrade)> = self
            .closed_trades
            .iter()
            .enumerate()
            .filter(|(_, closed_trade)| contains_changed(closed_trade))
            .filter_map(|(index, closed_trade)| {
                Some((index, self.closed_trade(closed_trade.ledger, &closed_trade.closing())?))
            })
            .collect();
        for (index, closed_trade) in rebuilt {
            if let Some(current) = self.closed_trades.get_mut(index) {
                *current = closed_trade;
            }
        }
        if let Some(index) = self.closed_trades.first().map(|closed_trade| closed_trade.ledger) {
            self.build_positions(index);
        }
    }
}
