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
        manual: true,
        order_id: None,
        labels: None,
        stop_loss: None,
    })
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
        let (mut buys, mut sells) = (Vec::new(), Vec::new());
        let (mut bought, mut sold) = (Decimal::ZERO, Decimal::ZERO);
        for (_, index) in fills {
            let Some(fill) = self.result.fills.get(*index) else { continue };
            match (fill.source, fill.side) {
                (Source::Trade, Side::Buy) => {
                    bought += fill.quantity;
                    buys.push(*index);
                }
                (Source::Trade, Side::Sell) => {
                    sold += fill.quantity;
                    sells.push(*index);
                }
                (Source::Opening | Source::Bonus | Source::Settled, _) => {
                    self.add_to_holding(*index, open_lots);
                }
            }
        }
        let intraday = bought.min(sold);
        let (intraday_buys, delivery_buys) = self.split_intraday(&buys, intraday);
        let (intraday_sells, delivery_sells) = self.split_intraday(&sells, intraday);
        self.match_same_day(&intraday_buys, &intraday_sells);
        for lot in delivery_buys {
            open_lots.extend(self.new_open_lot(lot));
        }
        for lot in delivery_sells {
            let Some(quantity) = self.result.lots.get(lot).map(|lot| lot.quantity) else { continue };
            let missing = self.close_lots(open_lots, lot, quantity, TradeKind::Delivery, true);
            if missing > Decimal::ZERO {
                self.result.missing_cost_basis.push(LotRange { lot, from: quantity - missing, to: quantity });
            }
        }
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

    /// Splits the fills of one side into intraday lots for the first `intraday` shares, and delivery lots for the rest.
    fn split_intraday(&mut self, fills: &[usize], mut intraday: Decimal) -> (Vec<usize>, Vec<usize>) {
        let (mut intraday_lots, mut delivery_lots) = (Vec::new(), Vec::new());
        for index in fills {
            let Some((quantity, value)) = self.result.fills.get(*index).map(|fill| (fill.quantity, fill.value)) else {
                continue;
            };
            let first = intraday.min(quantity);
            intraday -= first;
            let first_value = prorate(value, Decimal::ZERO, first, quantity);
            if first > Decimal::ZERO {
                intraday_lots.push(self.add_lot(*index, TradeKind::Intraday, first, first_value));
            }
            if first < quantity {
                let rest = (quantity - first, value - first_value);
                delivery_lots.push(self.add_lot(*index, TradeKind::Delivery, rest.0, rest.1));
            }
        }
        (intraday_lots, delivery_lots)
    }

    /// Matches purchases and sales of one day, which have equal quantities. The earlier fill of a pair is the entry.
    fn match_same_day(&mut self, buys: &[usize], sells: &[usize]) {
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
            self.add_match(lot_match, TradeKind::Intraday, long);
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
