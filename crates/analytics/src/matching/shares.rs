//! Matching of shares: same-day netting, then the holding with its corporate actions.

use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, Time};

use super::lots::{CorporateActions, LotMatch, LotRange, OpenPosition};
use super::matcher::{Matcher, OpenLot, OpenLots};
use crate::adjustment::{Adjustment, AdjustmentKind, PricedShares};
use crate::adjustment_index::AdjustmentIndex;
use crate::arithmetic::prorate;
use crate::exchange::Exchange;
use crate::fill::{Fill, INDIA, Side, Source, TradeKind};
use crate::fill_key::FillKey;
use crate::instrument::Instrument;

/// Returns an opening holding, a rights issue or a buyback as a fill; none for other adjustments.
pub fn adjustment_fill(adjustment: &Adjustment) -> Option<Fill> {
    let (source, side, account, quantity, price) = match adjustment.kind {
        AdjustmentKind::Opening { account, quantity, price } => (Source::Opening, Side::Buy, account, quantity, price),
        AdjustmentKind::Rights(PricedShares { account, quantity, price }) => {
            (Source::Rights, Side::Buy, account, quantity, price)
        }
        AdjustmentKind::Buyback(PricedShares { account, quantity, price }) => {
            (Source::Buyback { adjustment: adjustment.id }, Side::Sell, account, quantity, price)
        }
        _ => return None,
    };
    Some(Fill {
        trade_id: 0,
        key: FillKey::from_adjustment(account, &adjustment.symbol, adjustment.day, adjustment.kind.name()),
        source,
        account,
        exchange: Exchange::Nse,
        instrument: Arc::new(Instrument::equity(&adjustment.symbol, "")),
        side,
        quantity,
        value: (quantity * price).round_dp(4),
        executed_at: adjustment.day.with_time(Time::MIDNIGHT).assume_offset(INDIA),
        day: adjustment.day,
        has_time: false,
        delivery_only: false,
        manual: true,
        order_id: None,
        labels: None,
        stop_loss: None,
    })
}

/// Fills of one day that are netted.
#[derive(Default)]
struct SidesOfDay {
    buys: Vec<usize>,
    sells: Vec<usize>,
    bought: Decimal,
    sold: Decimal,
}

impl SidesOfDay {
    fn is_empty(&self) -> bool {
        self.buys.is_empty() && self.sells.is_empty()
    }

    fn add(&mut self, index: usize, fill: &Fill) {
        let (indices, quantity) = match fill.side {
            Side::Buy => (&mut self.buys, &mut self.bought),
            Side::Sell => (&mut self.sells, &mut self.sold),
        };
        indices.push(index);
        *quantity += fill.quantity;
    }
}

/// Holding of one share.
pub(super) struct Holding<'a> {
    /// Latest symbol.
    pub symbol: &'a str,
    pub open_lots: OpenLots,
    /// Fractions of a share that corporate actions left.
    pub fractions: OpenLots,
    /// Day of the latest demerger, and the part of the cost that the demergers of that day moved, in percent.
    pub demerged: Option<(Date, Decimal)>,
}

impl<'a> Holding<'a> {
    fn new(symbol: &'a str) -> Self {
        Self { symbol, open_lots: OpenLots::new(), fractions: OpenLots::new(), demerged: None }
    }

    /// Returns its number of whole shares.
    pub fn quantity(&self) -> Decimal {
        self.open_lots.iter().map(|open_lot| open_lot.quantity).sum()
    }
}

/// Day on whose start the quantity of a holding is recorded, with the latest symbol of the share.
pub type HoldingProbe<'a> = (Date, &'a str);

/// Step between the fills.
enum Step<'a> {
    /// Records the quantity held.
    Probe(&'a str),
    Apply(&'a Adjustment),
}

/// Lot that is being matched with lots of the same day.
struct SameDayLot {
    lot: usize,
    fill: usize,
    quantity: Decimal,
    remaining: Decimal,
}

impl SameDayLot {
    /// Returns the next `quantity` of the lot.
    fn take(&mut self, quantity: Decimal) -> LotRange {
        let from = self.quantity - self.remaining;
        self.remaining -= quantity;
        LotRange { lot: self.lot, from, to: from + quantity, cost: None }
    }
}

impl Matcher {
    /// Matches the fills of one share, or of shares that mergers and demergers link, applying the adjustments up to
    /// `today`. Records the holdings of `probes`, which are sorted by day.
    pub(super) fn match_shares(
        &mut self,
        fills: &[(Date, usize)],
        index: &AdjustmentIndex,
        probes: &[HoldingProbe],
        today: Date,
    ) {
        let Some(instrument) = self.result.fills.first().map(|fill| fill.instrument.clone()) else { return };
        let (symbols, adjustments) = match index.linked_shares(&instrument.symbol) {
            Some(group) => (group.symbols.clone(), group.adjustments.as_slice()),
            None => (vec![index.latest_symbol(&instrument.symbol)], index.for_share(&instrument.symbol)),
        };
        let mut holdings: Vec<Holding> = symbols.into_iter().map(Holding::new).collect();
        let probes = probes.iter().map(|(day, symbol)| (*day, Step::Probe(symbol)));
        let mut steps: Vec<(Date, Step)> =
            probes.chain(adjustments.iter().map(|adjustment| (adjustment.day, Step::Apply(adjustment)))).collect();
        // Stable, so a probe precedes the adjustments of its day.
        steps.sort_by_key(|(day, _)| *day);
        let mut steps = steps.into_iter().peekable();
        for day_fills in fills.chunk_by(|one, other| one.0 == other.0) {
            let Some((day, _)) = day_fills.first() else { continue };
            while let Some((_, step)) = steps.next_if(|(step_day, _)| step_day <= day) {
                self.take_step(&step, &mut holdings, index);
            }
            if let [holding] = holdings.as_mut_slice() {
                self.match_day(day_fills, holding);
                continue;
            }
            for holding in &mut holdings {
                let is_of_share = |(_, fill): &&(Date, usize)| {
                    let fill = self.result.fills.get(*fill);
                    fill.is_some_and(|fill| index.latest_symbol(&fill.instrument.symbol) == holding.symbol)
                };
                let share_fills: Vec<(Date, usize)> = day_fills.iter().filter(is_of_share).copied().collect();
                self.match_day(&share_fills, holding);
            }
        }
        while let Some((_, step)) = steps.next_if(|(day, _)| *day <= today) {
            self.take_step(&step, &mut holdings, index);
        }
        for holding in holdings {
            self.add_positions(&holding);
        }
    }

    fn take_step(&mut self, step: &Step, holdings: &mut [Holding], index: &AdjustmentIndex) {
        match step {
            Step::Probe(symbol) => {
                let holding = holdings.iter().find(|holding| holding.symbol == *symbol);
                self.result.probed_holdings.push(holding.map(Holding::quantity).unwrap_or_default());
            }
            Step::Apply(adjustment) => self.apply_adjustment(adjustment, holdings, index),
        }
    }

    /// Adds the open lots and the fractions of a holding to the positions.
    fn add_positions(&mut self, holding: &Holding) {
        for (open_lots, fraction) in [(&holding.open_lots, false), (&holding.fractions, true)] {
            let first = open_lots.front().and_then(|open_lot| self.fill(open_lot.lot));
            let is_renamed = first.is_some_and(|(_, first)| first.instrument.symbol != holding.symbol);
            let instrument = is_renamed.then(|| Arc::new(Instrument::equity(holding.symbol, "")));
            let position = self.open_position(open_lots, instrument);
            self.result.positions.extend(position.map(|position| OpenPosition { fraction, ..position }));
        }
    }

    /// Matches the fills of one day with each other, then adds the rest to the holding or closes lots of it.
    fn match_day(&mut self, fills: &[(Date, usize)], holding: &mut Holding) {
        let open_lots = &mut holding.open_lots;
        let (mut trades, mut delivered) = (SidesOfDay::default(), SidesOfDay::default());
        let (mut delivery_only, mut bought_back) = (Vec::new(), Vec::new());
        for (_, index) in fills {
            let Some(fill) = self.result.fills.get(*index) else { continue };
            match fill.source {
                Source::Trade if fill.delivery_only => delivery_only.push(*index),
                Source::Trade => trades.add(*index, fill),
                Source::Delivered => delivered.add(*index, fill),
                Source::Buyback { .. } => bought_back.push(*index),
                Source::Opening
                | Source::Bonus
                | Source::Demerger
                | Source::Rights
                | Source::FractionPayment { .. }
                | Source::Settled => self.add_to_holding(*index, open_lots),
            }
        }
        let (mut buys, mut sells) = self.net_day(&trades, TradeKind::Intraday);
        if !delivered.is_empty() || !delivery_only.is_empty() || !bought_back.is_empty() {
            // Contracts that expire on one day receive and deliver the difference only.
            let (received, given) = self.net_day(&delivered, TradeKind::Futures);
            buys.extend(received);
            sells.extend(given);
            for fill in delivery_only.into_iter().chain(bought_back) {
                let is_buy = self.result.fills.get(fill).is_some_and(|fill| fill.side == Side::Buy);
                let lots = if is_buy { &mut buys } else { &mut sells };
                lots.extend(self.add_whole_fill(fill, TradeKind::Delivery).map(|(lot, _)| lot));
            }
            for lots in [&mut buys, &mut sells] {
                lots.sort_by_key(|lot| self.result.lots.get(*lot).map(|lot| lot.fill));
            }
        }
        for lot in buys {
            if let Some(quantity) = self.result.lots.get(lot).map(|lot| lot.quantity) {
                self.insert_lot(OpenLot::new(lot, Decimal::ZERO, quantity), open_lots);
            }
        }
        for lot in sells {
            let Some(quantity) = self.result.lots.get(lot).map(|lot| lot.quantity) else { continue };
            let missing = self.close_lots(open_lots, lot, quantity, TradeKind::Delivery, true);
            if missing > Decimal::ZERO {
                let range = LotRange { lot, from: quantity - missing, to: quantity, cost: None };
                self.result.missing_cost_basis.push(range);
            }
        }
    }

    /// Matches the purchases and sales of one day with each other, as trades of `kind`; returns the lots of the rest.
    fn net_day(&mut self, day: &SidesOfDay, kind: TradeKind) -> (Vec<usize>, Vec<usize>) {
        let netted = day.bought.min(day.sold);
        let (netted_buys, bought_rest) = self.split_netted(&day.buys, netted, kind);
        let (netted_sells, sold_rest) = self.split_netted(&day.sells, netted, kind);
        self.match_same_day(&netted_buys, &netted_sells, kind);
        (bought_rest, sold_rest)
    }

    pub(super) fn add_to_holding(&mut self, fill: usize, open_lots: &mut OpenLots) {
        if let Some((lot, quantity)) = self.add_whole_fill(fill, TradeKind::Delivery) {
            self.insert_lot(OpenLot::new(lot, Decimal::ZERO, quantity), open_lots);
        }
    }

    /// Adds a lot to a holding, after all lots that were bought on its day or earlier.
    pub(super) fn insert_lot(&self, open_lot: OpenLot, open_lots: &mut OpenLots) {
        let day = |open_lot: &OpenLot| self.fill(open_lot.lot).map(|(_, fill)| fill.day);
        let bought = day(&open_lot);
        if open_lots.back().is_none_or(|last| day(last) <= bought) {
            open_lots.push_back(open_lot);
        } else {
            open_lots.insert(open_lots.partition_point(|other| day(other) <= bought), open_lot);
        }
    }

    /// Splits the fills of one side into lots of `kind` for the first `netted` shares, and delivery lots for the rest.
    fn split_netted(&mut self, fills: &[usize], mut netted: Decimal, kind: TradeKind) -> (Vec<usize>, Vec<usize>) {
        let (mut netted_lots, mut delivery_lots) = (Vec::new(), Vec::new());
        for index in fills {
            let Some((quantity, value)) = self.result.fills.get(*index).map(|fill| (fill.quantity, fill.value)) else {
                continue;
            };
            let first = netted.min(quantity);
            netted -= first;
            let first_value = prorate(value, Decimal::ZERO, first, quantity);
            if first > Decimal::ZERO {
                netted_lots.push(self.add_lot(*index, kind, first, first_value));
            }
            if first < quantity {
                let rest = (quantity - first, value - first_value);
                delivery_lots.push(self.add_lot(*index, TradeKind::Delivery, rest.0, rest.1));
            }
        }
        (netted_lots, delivery_lots)
    }

    /// Matches purchases and sales of one day, which have equal quantities. The earlier fill of a pair is the entry.
    fn match_same_day(&mut self, buys: &[usize], sells: &[usize], kind: TradeKind) {
        let (mut buys, mut sells) = (buys.iter(), sells.iter());
        let (mut next_buy, mut next_sell) = (self.next_lot(&mut buys), self.next_lot(&mut sells));
        while let (Some(buy), Some(sell)) = (&mut next_buy, &mut next_sell) {
            let quantity = buy.remaining.min(sell.remaining);
            let executed_at = |fill: usize| self.result.fills.get(fill).map(|fill| fill.executed_at);
            let long = executed_at(buy.fill) <= executed_at(sell.fill);
            let (buy_range, sell_range) = (buy.take(quantity), sell.take(quantity));
            let (buy_matched, sell_matched) = (buy.remaining.is_zero(), sell.remaining.is_zero());
            let (entry, exit) = if long { (buy_range, sell_range) } else { (sell_range, buy_range) };
            let lot_match = LotMatch { entry, exit, corporate_actions: CorporateActions::default() };
            self.add_match(lot_match, kind, long);
            if buy_matched {
                next_buy = self.next_lot(&mut buys);
            }
            if sell_matched {
                next_sell = self.next_lot(&mut sells);
            }
        }
    }

    fn next_lot<'l>(&self, lots: &mut impl Iterator<Item = &'l usize>) -> Option<SameDayLot> {
        let index = *lots.next()?;
        let lot = self.result.lots.get(index)?;
        Some(SameDayLot { lot: index, fill: lot.fill, quantity: lot.quantity, remaining: lot.quantity })
    }
}
