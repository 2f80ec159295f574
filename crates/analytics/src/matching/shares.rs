//! Matching of shares: same-day netting, then the holding with its corporate actions.

use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, Time};

use super::lots::{CorporateActions, LotMatch, LotRange};
use super::matcher::{Matcher, OpenLot, OpenLots};
use crate::adjustment::{Adjustment, AdjustmentKind, Ratio};
use crate::arithmetic::prorate;
use crate::fill::{Exchange, Fill, INDIA, Side, Source, TradeKind};
use crate::instrument::Instrument;

/// Shares of one company in one holding: 10^15. No company has as many shares, so splits and bonuses that would exceed
/// it are wrong and are ignored.
const MAX_SHARES_HELD: Decimal = Decimal::from_parts(0xA4C6_8000, 0x0003_8D7E, 0, false, 0);

/// Returns an opening holding as a fill; none for other adjustments.
pub fn opening_fill(adjustment: &Adjustment) -> Option<Fill> {
    let AdjustmentKind::Opening { account, quantity, price } = adjustment.kind else { return None };
    Some(Fill {
        trade_id: 0,
        source: Source::Opening,
        account,
        exchange: Exchange::Nse,
        instrument: Arc::new(Instrument::equity(&adjustment.symbol, "")),
        side: Side::Buy,
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
    fn add(&mut self, index: usize, fill: &Fill) {
        let (indices, quantity) = match fill.side {
            Side::Buy => (&mut self.buys, &mut self.bought),
            Side::Sell => (&mut self.sells, &mut self.sold),
        };
        indices.push(index);
        *quantity += fill.quantity;
    }
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
        LotRange { lot: self.lot, from, to: from + quantity }
    }
}

impl Matcher {
    /// Matches the fills of one share, applying the adjustments up to `today`.
    pub(super) fn match_shares(&mut self, fills: &[(Date, usize)], adjustments: &[&Adjustment], today: Date) {
        let mut open_lots = OpenLots::new();
        let mut adjustments = adjustments.iter().peekable();
        for day_fills in fills.chunk_by(|one, other| one.0 == other.0) {
            let Some((day, _)) = day_fills.first() else { continue };
            while let Some(adjustment) = adjustments.next_if(|adjustment| adjustment.day <= *day) {
                self.apply_adjustment(adjustment, &mut open_lots);
            }
            self.match_day(day_fills, &mut open_lots);
        }
        while let Some(adjustment) = adjustments.next_if(|adjustment| adjustment.day <= today) {
            self.apply_adjustment(adjustment, &mut open_lots);
        }
        if let Some((first, _)) = open_lots.front().and_then(|open_lot| self.fill(open_lot.lot)) {
            let position = self.open_position(first, &open_lots, true, false);
            self.result.positions.push(position);
        }
    }

    /// Matches the fills of one day with each other, then adds the rest to the holding or closes lots of it.
    fn match_day(&mut self, fills: &[(Date, usize)], open_lots: &mut OpenLots) {
        let (mut trades, mut delivered, mut delivery_only) = (SidesOfDay::default(), SidesOfDay::default(), Vec::new());
        for (_, index) in fills {
            let Some(fill) = self.result.fills.get(*index) else { continue };
            match fill.source {
                Source::Trade if fill.delivery_only => delivery_only.push(*index),
                Source::Trade => trades.add(*index, fill),
                Source::Delivered => delivered.add(*index, fill),
                Source::Opening | Source::Bonus | Source::Settled => self.add_to_holding(*index, open_lots),
            }
        }
        // Contracts that expire on one day receive and deliver the difference only.
        let mut rest = self.net_day(&delivered, TradeKind::Futures);
        rest.extend(self.net_day(&trades, TradeKind::Intraday));
        let whole = delivery_only.into_iter().filter_map(|fill| self.add_whole_fill(fill, TradeKind::Delivery));
        rest.extend(whole.map(|(lot, _)| lot).collect::<Vec<_>>());
        rest.sort_by_key(|lot| self.result.lots.get(*lot).map(|lot| lot.fill));
        let side = |matcher: &Self, lot: usize| matcher.fill(lot).map(|(_, fill)| fill.side);
        let (buys, sells): (Vec<_>, Vec<_>) = rest.into_iter().partition(|lot| side(self, *lot) == Some(Side::Buy));
        for lot in buys {
            open_lots.extend(self.new_open_lot(lot));
        }
        for lot in sells {
            let Some(quantity) = self.result.lots.get(lot).map(|lot| lot.quantity) else { continue };
            let missing = self.close_lots(open_lots, lot, quantity, TradeKind::Delivery, true);
            if missing > Decimal::ZERO {
                self.result.missing_cost_basis.push(LotRange { lot, from: quantity - missing, to: quantity });
            }
        }
    }

    /// Matches the purchases and sales of one day with each other, as trades of `kind`; returns the lots of the rest.
    fn net_day(&mut self, day: &SidesOfDay, kind: TradeKind) -> Vec<usize> {
        let netted = day.bought.min(day.sold);
        let (netted_buys, mut rest) = self.split_netted(&day.buys, netted, kind);
        let (netted_sells, sold_rest) = self.split_netted(&day.sells, netted, kind);
        self.match_same_day(&netted_buys, &netted_sells, kind);
        rest.extend(sold_rest);
        rest
    }

    fn new_open_lot(&self, lot: usize) -> Option<OpenLot> {
        let quantity = self.result.lots.get(lot)?.quantity;
        let corporate_actions = CorporateActions::default();
        Some(OpenLot { lot, closed: Decimal::ZERO, remaining: quantity, quantity, corporate_actions })
    }

    fn add_to_holding(&mut self, fill: usize, open_lots: &mut OpenLots) {
        if let Some((lot, _)) = self.add_whole_fill(fill, TradeKind::Delivery) {
            open_lots.extend(self.new_open_lot(lot));
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

    /// Applies an adjustment to the holding at the start of its day.
    fn apply_adjustment(&mut self, adjustment: &Adjustment, open_lots: &mut OpenLots) {
        match &adjustment.kind {
            AdjustmentKind::Split(ratio) => apply_split(*ratio, open_lots),
            AdjustmentKind::Bonus(ratio) => self.add_bonus_shares(adjustment, *ratio, open_lots),
            AdjustmentKind::Rename(_) => {
                open_lots.iter_mut().for_each(|open_lot| open_lot.corporate_actions.renamed = true);
            }
            // An opening holding is a fill, and a settlement applies to contracts only.
            AdjustmentKind::Settlement(_) | AdjustmentKind::Opening { .. } => {}
        }
    }

    /// Adds bonus shares at no cost, held from the day of the bonus. Fractions of a share are paid out, so rounded down.
    fn add_bonus_shares(&mut self, adjustment: &Adjustment, ratio: Ratio, open_lots: &mut OpenLots) {
        let holding: Decimal = open_lots.iter().map(|open_lot| open_lot.quantity).sum();
        let quantity = apply_ratio(holding, ratio).map(|bonus| bonus.floor());
        let quantity = quantity.filter(|bonus| holding + bonus <= MAX_SHARES_HELD).unwrap_or_default();
        let Some((_, first)) = open_lots.front().and_then(|open_lot| self.fill(open_lot.lot)) else { return };
        if quantity.is_zero() {
            return;
        }
        let bonus = Fill {
            trade_id: 0,
            source: Source::Bonus,
            side: Side::Buy,
            quantity,
            value: Decimal::ZERO,
            executed_at: adjustment.day.with_time(Time::MIDNIGHT).assume_offset(INDIA),
            day: adjustment.day,
            has_time: false,
            delivery_only: false,
            manual: false,
            order_id: None,
            labels: None,
            stop_loss: None,
            ..first.clone()
        };
        self.result.fills.push(bonus);
        self.add_to_holding(self.result.fills.len() - 1, open_lots);
    }
}

/// Replaces the shares of every open lot by the ratio, at unchanged cost.
pub(super) fn apply_split(ratio: Ratio, open_lots: &mut OpenLots) {
    if apply_ratio(open_lots.iter().map(|open_lot| open_lot.quantity).sum(), ratio).is_none() {
        return;
    }
    // Rounds cumulative quantities rather than each lot, so that the lots add up to the rounded whole holding.
    let (mut before_split, mut after_split) = (Decimal::ZERO, Decimal::ZERO);
    for open_lot in open_lots {
        before_split += open_lot.quantity;
        let cumulative = apply_ratio(before_split, ratio).unwrap_or(before_split).round_dp(6);
        open_lot.quantity = cumulative - after_split;
        after_split = cumulative;
        open_lot.corporate_actions.split = true;
    }
}

/// Multiplies a quantity by the ratio; none if the result exceeds [`MAX_SHARES_HELD`].
fn apply_ratio(quantity: Decimal, Ratio { new, old }: Ratio) -> Option<Decimal> {
    let result = quantity.checked_mul(new.into())?.checked_div(old.into())?;
    (result <= MAX_SHARES_HELD).then_some(result)
}
