//! Matching of futures and options: one running position per contract.

use std::sync::Arc;

use rust_decimal::Decimal;
use time::Date;

use super::matcher::{Matcher, OpenLot, OpenLots};
use crate::adjustment_index::ContractAction;
use crate::fill::{Side, TradeKind};
use crate::instrument::{Expiry, Instrument};

impl Matcher {
    /// Matches the fills of one contract up to its expiry. `settlements` are the prices that the trader entered, with
    /// their days, and `actions` the changes by the exchange; a fill that exceeds the open position opens one in the other
    /// direction.
    pub(super) fn match_contract(
        &mut self,
        fills: &[(Date, usize)],
        settlements: &[(Date, Decimal)],
        actions: &[ContractAction<'_>],
        today: Date,
    ) {
        // Some trades of a contract may state the day of expiry, others only the month.
        let expiry =
            self.result.fills.iter().filter_map(|fill| fill.instrument.expiry).max_by_key(|expiry| expiry.exact);
        // If no trade states the day of expiry, the day of the settlement is used.
        let is_exact = expiry.is_some_and(|expiry| expiry.exact);
        let mut settlements_by_day = settlements.iter().filter(|_| !is_exact).peekable();
        let mut actions = actions.iter().peekable();
        let mut open_lots = OpenLots::new();
        let mut long = true;
        for (day, index) in fills {
            while let Some((settled, price)) = settlements_by_day.next_if(|(settled, _)| settled < day) {
                self.settle(&mut open_lots, long, Expiry { day: *settled, exact: true }, *price);
            }
            while let Some(action) = actions.next_if(|action| action.day <= *day) {
                self.adjust_contract(action, &mut open_lots);
            }
            let Some(fill) = self.result.fills.get(*index) else { continue };
            let kind = if fill.instrument.is_option() { TradeKind::Options } else { TradeKind::Futures };
            let is_buy = fill.side == Side::Buy;
            let Some((lot, quantity)) = self.add_whole_fill(*index, kind) else { continue };
            self.latest_contract = self.fill(lot).map(|(_, fill)| fill.instrument.clone());
            let remaining = if open_lots.is_empty() || long == is_buy {
                quantity
            } else {
                self.close_lots(&mut open_lots, lot, quantity, kind, long)
            };
            if remaining > Decimal::ZERO {
                long = is_buy;
                open_lots.push_back(OpenLot::new(lot, quantity - remaining, remaining));
            }
        }
        let last_day = expiry.map_or(today, |expiry| expiry.day.min(today));
        while let Some(action) = actions.next_if(|action| action.day <= last_day) {
            self.adjust_contract(action, &mut open_lots);
        }
        while let Some((settled, price)) = settlements_by_day.next_if(|(settled, _)| *settled <= today) {
            self.settle(&mut open_lots, long, Expiry { day: *settled, exact: true }, *price);
        }
        let price = settlements.last().filter(|_| is_exact).map(|(_, price)| *price);
        self.expire(open_lots, long, expiry.filter(|expiry| expiry.day < today), price);
    }

    /// Applies a change by the exchange to the open lots of a contract.
    fn adjust_contract(&mut self, action: &ContractAction<'_>, open_lots: &mut OpenLots) {
        if !self.multiply_lots(action.ratio, open_lots) {
            return;
        }
        if let Some((symbol, before)) = action.new_symbol.zip(self.latest_contract.as_deref()) {
            let strike = instrument::parse_symbol(symbol, action.day, None).and_then(|contract| contract.strike);
            let changed = Instrument { symbol: symbol.to_owned(), strike: strike.or(before.strike), ..before.clone() };
            self.latest_contract = Some(Arc::new(changed));
        }
        for open_lot in open_lots {
            if !action.price_cut.is_zero() {
                self.reduce_cost(open_lot, action.price_cut);
            }
            open_lot.corporate_actions.split |= action.is_split;
            open_lot.corporate_actions.contract_adjusted |= !action.is_split;
        }
    }
}
