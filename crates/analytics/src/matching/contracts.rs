//! Matching of futures and options: one running position per contract.

use rust_decimal::Decimal;
use time::Date;

use super::lots::CorporateActions;
use super::matcher::{Matcher, OpenLot, OpenLots};
use super::shares::apply_split;
use crate::adjustment::Ratio;
use crate::fill::{Side, TradeKind};
use crate::instrument::Expiry;

impl Matcher {
    /// Matches the fills of one contract up to its expiry. `settlements` are the prices that the trader entered, with
    /// their days, and `splits` those of the underlying; a fill that exceeds the open position opens one in the other
    /// direction.
    pub(super) fn match_contract(
        &mut self,
        fills: &[(Date, usize)],
        settlements: &[(Date, Decimal)],
        splits: &[(Date, Ratio)],
        today: Date,
    ) {
        // Some trades of a contract may state the day of expiry, others only the month.
        let expiry =
            self.result.fills.iter().filter_map(|fill| fill.instrument.expiry).max_by_key(|expiry| expiry.exact);
        // If no trade states the day of expiry, the day of the settlement is used.
        let is_exact = expiry.is_some_and(|expiry| expiry.exact);
        let mut settlements_by_day = settlements.iter().filter(|_| !is_exact).peekable();
        let mut splits = splits.iter().peekable();
        let mut open_lots = OpenLots::new();
        let mut long = true;
        for (day, index) in fills {
            while let Some((settled, price)) = settlements_by_day.next_if(|(settled, _)| settled < day) {
                self.settle(&mut open_lots, long, Expiry { day: *settled, exact: true }, *price);
            }
            while let Some((_, ratio)) = splits.next_if(|(split, _)| split <= day) {
                apply_split(*ratio, &mut open_lots);
            }
            let Some(fill) = self.result.fills.get(*index) else { continue };
            let kind = if fill.instrument.is_option() { TradeKind::Options } else { TradeKind::Futures };
            let is_buy = fill.side == Side::Buy;
            let Some((lot, quantity)) = self.add_whole_fill(*index, kind) else { continue };
            let remaining = if open_lots.is_empty() || long == is_buy {
                quantity
            } else {
                self.close_lots(&mut open_lots, lot, quantity, kind, long)
            };
            if remaining > Decimal::ZERO {
                long = is_buy;
                open_lots.push_back(OpenLot {
                    lot,
                    closed: quantity - remaining,
                    remaining,
                    quantity: remaining,
                    corporate_actions: CorporateActions::default(),
                });
            }
        }
        let last_day = expiry.map_or(today, |expiry| expiry.day.min(today));
        while let Some((_, ratio)) = splits.next_if(|(split, _)| *split <= last_day) {
            apply_split(*ratio, &mut open_lots);
        }
        while let Some((settled, price)) = settlements_by_day.next_if(|(settled, _)| *settled <= today) {
            self.settle(&mut open_lots, long, Expiry { day: *settled, exact: true }, *price);
        }
        let price = settlements.last().filter(|_| is_exact).map(|(_, price)| *price);
        self.expire(open_lots, long, expiry.filter(|expiry| expiry.day < today), price);
    }
}
