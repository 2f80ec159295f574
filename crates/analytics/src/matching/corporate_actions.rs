//! Corporate actions on holdings of shares.
//!
//! Lots keep their fill, and so the day of purchase. A lot whose cost is no longer that of its fill states its cost. A
//! fraction of a share that a ratio leaves is set apart until the trader enters the payment for it: later sales and
//! corporate actions do not apply to it.

use std::mem;
use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, Time};

use super::matcher::{Matcher, OpenLot, OpenLots};
use super::shares::Holding;
use crate::adjustment::{Adjustment, AdjustmentKind, Ratio};
use crate::adjustment_index::AdjustmentIndex;
use crate::arithmetic::prorate;
use crate::fill::{Fill, INDIA, Side, Source, TradeKind};
use crate::instrument::Instrument;

/// Shares of one company in one holding: 10^15. No company has as many shares, so ratios that would exceed it are wrong
/// and are ignored.
const MAX_SHARES_HELD: Decimal = Decimal::from_parts(0xA4C6_8000, 0x0003_8D7E, 0, false, 0);

impl Matcher {
    /// Applies an adjustment to the holdings at the start of its day.
    pub(super) fn apply_adjustment(
        &mut self,
        adjustment: &Adjustment,
        holdings: &mut [Holding],
        index: &AdjustmentIndex,
    ) {
        let find = |symbol: &str| {
            let symbol = index.latest_symbol(symbol);
            holdings.iter().position(|holding| holding.symbol == symbol)
        };
        let other = adjustment.kind.other_symbol().and_then(find);
        let Some(holding_index) = find(&adjustment.symbol) else { return };
        let Some(holding) = holdings.get_mut(holding_index) else { return };
        match &adjustment.kind {
            AdjustmentKind::Split(ratio) => {
                if self.multiply_lots(*ratio, &mut holding.open_lots) {
                    holding.open_lots.iter_mut().for_each(|open_lot| open_lot.corporate_actions.split = true);
                    holding.fractions.extend(take_fraction(&mut holding.open_lots));
                }
            }
            AdjustmentKind::Bonus { ratio, allotted } => {
                self.add_bonus_shares(allotted.unwrap_or(adjustment.day), *ratio, holding);
            }
            AdjustmentKind::Rename(_) => {
                holding.open_lots.iter_mut().for_each(|open_lot| open_lot.corporate_actions.renamed = true);
            }
            AdjustmentKind::Merger { ratio, cash, .. } => {
                if let Some(target) = other.filter(|target| *target != holding_index) {
                    self.merge(holdings, (holding_index, target), *ratio, *cash);
                }
            }
            AdjustmentKind::Demerger { ratio, cost_percent, .. } => {
                if let Some(target) = other.filter(|target| *target != holding_index) {
                    self.demerge(holdings, (holding_index, target), adjustment.day, *ratio, *cost_percent);
                }
            }
            AdjustmentKind::CapitalReturn(amount) => {
                for open_lot in &mut holding.open_lots {
                    self.reduce_cost(open_lot, *amount);
                    open_lot.corporate_actions.capital_returned = true;
                }
            }
            AdjustmentKind::FractionPayment { account, amount } => {
                if self.result.fills.first().is_some_and(|fill| fill.account == *account) {
                    self.close_fractions(adjustment, *amount, holding);
                }
            }
            // Openings, rights and buybacks are fills; the others apply to contracts only, or to nothing.
            AdjustmentKind::Opening { .. }
            | AdjustmentKind::Rights(_)
            | AdjustmentKind::Buyback(_)
            | AdjustmentKind::Settlement(_)
            | AdjustmentKind::ContractAdjustment { .. }
            | AdjustmentKind::FairValue(_)
            | AdjustmentKind::NoAction
            | AdjustmentKind::Dismissal => {}
        }
    }

    /// Replaces the shares of every open lot by the ratio, at unchanged cost. Returns false if the result would exceed
    /// [`MAX_SHARES_HELD`]; the lots are unchanged then.
    pub(super) fn multiply_lots(&self, ratio: Ratio, open_lots: &mut OpenLots) -> bool {
        if apply_ratio(open_lots.iter().map(|open_lot| open_lot.quantity).sum(), ratio).is_none() {
            return false;
        }
        // Rounds cumulative quantities rather than each lot, so that the lots add up to the rounded whole holding.
        let (mut before, mut after) = (Decimal::ZERO, Decimal::ZERO);
        for open_lot in open_lots {
            before += open_lot.quantity;
            let cumulative = apply_ratio(before, ratio).unwrap_or(before).round_dp(6);
            // Parts of the lot are then exact in new shares; in units of the fill they may have endless decimals.
            open_lot.cost = Some(self.cost(open_lot));
            open_lot.quantity = cumulative - after;
            after = cumulative;
        }
        true
    }

    /// Reduces the cost of an open lot by an amount per share. The cost may become negative: the gain is then realised
    /// with the sale.
    pub(super) fn reduce_cost(&self, open_lot: &mut OpenLot, amount: Decimal) {
        let cut = amount.checked_mul(open_lot.quantity).unwrap_or_default().round_dp(4);
        open_lot.cost = Some(self.cost(open_lot) - cut);
    }

    /// Adds bonus shares at no cost, held from the day of their allotment.
    fn add_bonus_shares(&mut self, allotted: Date, ratio: Ratio, holding: &mut Holding) {
        let shares_held = holding.quantity();
        let quantity = apply_ratio(shares_held, ratio).map(|bonus| bonus.round_dp(6));
        let quantity = quantity.filter(|bonus| shares_held + bonus <= MAX_SHARES_HELD).unwrap_or_default();
        let Some((_, first)) = holding.open_lots.front().and_then(|open_lot| self.fill(open_lot.lot)) else { return };
        if quantity.is_zero() {
            return;
        }
        let bonus = Fill {
            key: first.key.derive("bonus", holding.symbol, allotted),
            source: Source::Bonus,
            side: Side::Buy,
            quantity,
            value: Decimal::ZERO,
            executed_at: allotted.with_time(Time::MIDNIGHT).assume_offset(INDIA),
            day: allotted,
            has_time: false,
            labels: None,
            ..derived_fill(first)
        };
        let Some(mut open_lot) = self.add_derived_lot(bonus) else { return };
        if !quantity.fract().is_zero() {
            holding.fractions.push_back(open_lot.split_off(quantity.fract()));
        }
        if !open_lot.quantity.is_zero() {
            self.insert_lot(open_lot, &mut holding.open_lots);
        }
    }

    /// Moves all lots of one holding to another one.
    fn merge(&self, holdings: &mut [Holding], (from, to): (usize, usize), ratio: Ratio, cash: Decimal) {
        let Some(holding) = holdings.get_mut(from) else { return };
        let mut lots = mem::take(&mut holding.open_lots);
        let before = lots.clone();
        for open_lot in &mut lots {
            if !cash.is_zero() {
                self.reduce_cost(open_lot, cash);
                open_lot.corporate_actions.merged_with_cash = true;
            }
            open_lot.corporate_actions.merged = true;
        }
        if !self.multiply_lots(ratio, &mut lots) {
            holding.open_lots = before;
            return;
        }
        let Some(target) = holdings.get_mut(to) else { return };
        target.fractions.extend(take_fraction(&mut lots));
        for open_lot in lots {
            self.insert_lot(open_lot, &mut target.open_lots);
        }
    }

    /// Adds shares of another company for the lots of a holding, and moves a part of the cost to them. The parts of all
    /// demergers of one day refer to the cost before that day.
    fn demerge(
        &mut self,
        holdings: &mut [Holding],
        (from, to): (usize, usize),
        day: Date,
        ratio: Ratio,
        cost_percent: Decimal,
    ) {
        let Some(symbol) = holdings.get(to).map(|target| target.symbol) else { return };
        let Some(holding) = holdings.get_mut(from) else { return };
        let moved = holding.demerged.filter(|(demerged, _)| *demerged == day).map_or(Decimal::ZERO, |(_, moved)| moved);
        let remaining = Decimal::ONE_HUNDRED - moved;
        let cost_percent = cost_percent.min(remaining);
        holding.demerged = Some((day, moved + cost_percent));
        let instrument = Arc::new(Instrument::equity(symbol, ""));
        let (mut shares_held, mut added, mut new_lots) = (Decimal::ZERO, Decimal::ZERO, OpenLots::new());
        for open_lot in &mut holding.open_lots {
            shares_held += open_lot.quantity;
            // Rounds cumulative quantities rather than each lot, so that the lots add up to the rounded whole.
            let cumulative = apply_ratio(shares_held, ratio).unwrap_or(added).round_dp(6);
            let quantity = cumulative - added;
            let Some((_, fill)) = self.fill(open_lot.lot).filter(|_| !quantity.is_zero()) else { continue };
            added = cumulative;
            let cost = self.cost(open_lot);
            let new_cost = prorate(cost, Decimal::ZERO, cost_percent, remaining);
            let new_fill = Fill {
                key: fill.key.derive("demerger", symbol, day),
                source: Source::Demerger,
                instrument: instrument.clone(),
                quantity,
                value: new_cost,
                ..derived_fill(fill)
            };
            open_lot.cost = Some(cost - new_cost);
            open_lot.corporate_actions.demerged = true;
            if let Some(mut new_lot) = self.add_derived_lot(new_fill) {
                new_lot.corporate_actions.demerged = true;
                new_lots.push_back(new_lot);
            }
        }
        let Some(target) = holdings.get_mut(to) else { return };
        target.fractions.extend(take_fraction(&mut new_lots));
        for new_lot in new_lots {
            self.insert_lot(new_lot, &mut target.open_lots);
        }
    }

    /// Closes the fractions of a holding with the payment for them.
    fn close_fractions(&mut self, adjustment: &Adjustment, amount: Decimal, holding: &mut Holding) {
        let quantity: Decimal = holding.fractions.iter().map(|open_lot| open_lot.quantity).sum();
        let Some((_, first)) = holding.fractions.front().and_then(|open_lot| self.fill(open_lot.lot)) else { return };
        let payment = Fill {
            key: first.key.derive("fraction-payment", holding.symbol, adjustment.day),
            source: Source::FractionPayment { adjustment: adjustment.id },
            instrument: Arc::new(Instrument::equity(holding.symbol, "")),
            side: Side::Sell,
            quantity,
            value: amount,
            executed_at: adjustment.day.with_time(Time::MIDNIGHT).assume_offset(INDIA),
            day: adjustment.day,
            has_time: false,
            manual: true,
            labels: None,
            ..derived_fill(first)
        };
        if let Some(exit) = self.add_derived_lot(payment) {
            self.last_exit = None;
            self.close_lots(&mut holding.fractions, exit.lot, quantity, TradeKind::Delivery, true);
        }
    }

    /// Adds a fill that is no trade, as one lot.
    fn add_derived_lot(&mut self, fill: Fill) -> Option<OpenLot> {
        self.result.fills.push(fill);
        let (lot, quantity) = self.add_whole_fill(self.result.fills.len() - 1, TradeKind::Delivery)?;
        Some(OpenLot::new(lot, Decimal::ZERO, quantity))
    }
}

/// Returns a copy of a fill without what belongs to its order.
fn derived_fill(fill: &Fill) -> Fill {
    Fill { trade_id: 0, delivery_only: false, manual: false, order_id: None, stop_loss: None, ..fill.clone() }
}

/// Removes the fraction of a share from the last lots of a holding and returns it.
fn take_fraction(open_lots: &mut OpenLots) -> OpenLots {
    let mut fraction = open_lots.iter().map(|open_lot| open_lot.quantity).sum::<Decimal>().fract();
    let mut taken = OpenLots::new();
    while fraction > Decimal::ZERO
        && let Some(last) = open_lots.back_mut()
    {
        let part = last.split_off(fraction);
        fraction -= part.quantity;
        if last.quantity.is_zero() {
            open_lots.pop_back();
        }
        taken.push_front(part);
    }
    taken
}

/// Multiplies a quantity by the ratio; none if the result exceeds [`MAX_SHARES_HELD`].
fn apply_ratio(quantity: Decimal, Ratio { new, old }: Ratio) -> Option<Decimal> {
    let result = quantity.checked_mul(new.into())?.checked_div(old.into())?;
    (result <= MAX_SHARES_HELD).then_some(result)
}
