//! Shares: the trades of a day among themselves, then the holding, and what happens to it.

use std::sync::Arc;

use rust_decimal::Decimal;
use time::{Date, Time};

use super::{Lot, Lots, Marks, Matcher, Piece, Slice};
use crate::adjustment::{Adjustment, Ratio, What};
use crate::fill::{Exchange, Fill, INDIA, Side, Source, share};
use crate::instrument::Instrument;
use crate::tariff::Kind;

/// Shares of one company that somebody holds. There is none with as many: entries that make more of them are mistaken,
/// and are not followed any further.
const MOST_HELD: Decimal = Decimal::from_parts(0xA4C6_8000, 0x0003_8D7E, 0, false, 0);

/// Shares that were held before the first trade.
pub fn opening(adjustment: &Adjustment) -> Option<Fill> {
    let What::Opening { broker, quantity, price } = adjustment.what else { return None };
    Some(Fill {
        trade_id: 0,
        source: Source::Opening,
        broker,
        exchange: Exchange::Nse,
        instrument: Arc::new(Instrument::share(&adjustment.symbol)),
        side: Side::Buy,
        quantity,
        value: (quantity * price).round_dp(4),
        at: adjustment.day.with_time(Time::MIDNIGHT).assume_offset(INDIA),
        day: adjustment.day,
        timed: false,
        by_hand: true,
        order: None,
        words: None,
        stop_loss: None,
    })
}

impl Matcher {
    /// The shares of one company from the first trade to the last.
    pub(super) fn shares(&mut self, group: &[(Date, usize)], actions: &[&Adjustment], today: Date) {
        let mut lots = Lots::new();
        let mut actions = actions.iter().peekable();
        for day in group.chunk_by(|one, other| one.0 == other.0) {
            let Some((date, _)) = day.first() else { continue };
            while let Some(action) = actions.next_if(|action| action.day <= *date) {
                self.act(action, &mut lots);
            }
            self.day(day, &mut lots);
        }
        while let Some(action) = actions.next_if(|action| action.day <= today) {
            self.act(action, &mut lots);
        }
        if let Some((first, _)) = lots.front().and_then(|lot| self.fill(lot.part)) {
            let position = self.position(first, &lots, true, false);
            self.out.positions.push(position);
        }
    }

    fn day(&mut self, day: &[(Date, usize)], lots: &mut Lots) {
        let (mut buys, mut sells) = (Vec::new(), Vec::new());
        let (mut bought, mut sold) = (Decimal::ZERO, Decimal::ZERO);
        for (_, place) in day {
            let Some(fill) = self.out.fills.get(*place) else { continue };
            match (fill.source, fill.side) {
                (Source::Trade, Side::Buy) => {
                    bought += fill.quantity;
                    buys.push(*place);
                }
                (Source::Trade, Side::Sell) => {
                    sold += fill.quantity;
                    sells.push(*place);
                }
                (Source::Opening | Source::Bonus | Source::Settled | Source::Worthless, _) => {
                    self.hold(*place, lots);
                }
            }
        }
        let paired = bought.min(sold);
        let (same_day_buys, kept) = self.divide(&buys, paired);
        let (same_day_sells, delivered) = self.divide(&sells, paired);
        self.pair(&same_day_buys, &same_day_sells);
        for part in kept {
            lots.extend(self.lot(part));
        }
        for part in delivered {
            let Some(quantity) = self.out.parts.get(part).map(|part| part.quantity) else { continue };
            let left = self.take(lots, part, Decimal::ZERO, quantity, Kind::Delivery, true);
            if left > Decimal::ZERO {
                self.out.missing_cost_basis.push(Slice { part, from: quantity - left, to: quantity });
            }
        }
    }

    fn lot(&self, part: usize) -> Option<Lot> {
        let quantity = self.out.parts.get(part)?.quantity;
        Some(Lot { part, gone: Decimal::ZERO, left: quantity, now: quantity, marks: Marks::default() })
    }

    fn hold(&mut self, fill: usize, lots: &mut Lots) {
        if let Some((part, _)) = self.whole(fill, Kind::Delivery) {
            lots.extend(self.lot(part));
        }
    }

    /// Parts of the fills: those of the first `paired` shares, and those of the rest.
    fn divide(&mut self, fills: &[usize], mut paired: Decimal) -> (Vec<usize>, Vec<usize>) {
        let (mut same_day, mut rest) = (Vec::new(), Vec::new());
        for place in fills {
            let Some((quantity, value)) = self.out.fills.get(*place).map(|fill| (fill.quantity, fill.value)) else {
                continue;
            };
            let first = paired.min(quantity);
            paired -= first;
            let first_value = share(value, Decimal::ZERO, first, quantity);
            if first > Decimal::ZERO {
                same_day.push(self.part(*place, Kind::Intraday, first, first_value));
            }
            if first < quantity {
                rest.push(self.part(*place, Kind::Delivery, quantity - first, value - first_value));
            }
        }
        (same_day, rest)
    }

    /// Purchases and sales of one day, as many of each. What came first opened.
    fn pair(&mut self, buys: &[usize], sells: &[usize]) {
        let (mut buys, mut sells) = (buys.iter(), sells.iter());
        let (mut buy, mut sell) = (self.next(&mut buys), self.next(&mut sells));
        while let (Some(bought), Some(sold)) = (&mut buy, &mut sell) {
            let taken = (bought.1.to).min(sold.1.to);
            let at = |place: usize| self.out.fills.get(place).map(|fill| fill.at);
            let long = at(bought.0) <= at(sold.0);
            let cut = |slice: &mut Slice, whole: Decimal| {
                let from = whole - slice.to;
                slice.to -= taken;
                Slice { part: slice.part, from, to: from + taken }
            };
            let (of_buy, of_sell) = (cut(&mut bought.1, bought.2), cut(&mut sold.1, sold.2));
            let (buy_over, sell_over) = (bought.1.to.is_zero(), sold.1.to.is_zero());
            let (entry, exit) = if long { (of_buy, of_sell) } else { (of_sell, of_buy) };
            self.close(Piece { entry, exit, marks: Marks::default() }, Kind::Intraday, long);
            if buy_over {
                buy = self.next(&mut buys);
            }
            if sell_over {
                sell = self.next(&mut sells);
            }
        }
    }

    /// The next part: its fill, what is left of it (as a slice from 0), and its whole quantity.
    fn next<'p>(&self, parts: &mut impl Iterator<Item = &'p usize>) -> Option<(usize, Slice, Decimal)> {
        let place = *parts.next()?;
        let part = self.out.parts.get(place)?;
        Some((part.fill, Slice { part: place, from: Decimal::ZERO, to: part.quantity }, part.quantity))
    }

    /// What happens to a holding at the start of a day.
    fn act(&mut self, action: &Adjustment, lots: &mut Lots) {
        match &action.what {
            What::Split(ratio) => split(*ratio, lots),
            What::Bonus(ratio) => self.bonus(action, *ratio, lots),
            What::Rename(_) => lots.iter_mut().for_each(|lot| lot.marks.renamed = true),
            // An opening holding is among the fills; a settlement is of contracts.
            What::Settlement(_) | What::Opening { .. } => {}
        }
    }

    /// Shares on top cost nothing and are held from that day on. Fractions are paid out.
    fn bonus(&mut self, action: &Adjustment, ratio: Ratio, lots: &mut Lots) {
        let held: Decimal = lots.iter().map(|lot| lot.now).sum();
        let quantity = made(held, ratio).map(|made| made.floor()).filter(|made| held + made <= MOST_HELD);
        let quantity = quantity.unwrap_or_default();
        let Some((_, first)) = lots.front().and_then(|lot| self.fill(lot.part)) else { return };
        if quantity.is_zero() {
            return;
        }
        let given = Fill {
            trade_id: 0,
            source: Source::Bonus,
            side: Side::Buy,
            quantity,
            value: Decimal::ZERO,
            at: action.day.with_time(Time::MIDNIGHT).assume_offset(INDIA),
            day: action.day,
            timed: false,
            by_hand: false,
            order: None,
            words: None,
            stop_loss: None,
            ..first.clone()
        };
        self.out.fills.push(given);
        self.hold(self.out.fills.len() - 1, lots);
    }
}

/// Other shares for those that are held, at the same cost.
fn split(ratio: Ratio, lots: &mut Lots) {
    if made(lots.iter().map(|lot| lot.now).sum(), ratio).is_none() {
        return;
    }
    // It is the holding that is rounded, of which each lot is a part: lots that were rounded one by one would leave
    // crumbs.
    let (mut held, mut before) = (Decimal::ZERO, Decimal::ZERO);
    for lot in lots {
        held += lot.now;
        let up_to = made(held, ratio).unwrap_or(held).round_dp(6);
        lot.now = up_to - before;
        before = up_to;
        lot.marks.split = true;
    }
}

/// What that many shares become, or bring; none where it is more than there can be.
fn made(held: Decimal, Ratio { new, old }: Ratio) -> Option<Decimal> {
    let made = held.checked_mul(new.into())?.checked_div(old.into())?;
    (made <= MOST_HELD).then_some(made)
}
