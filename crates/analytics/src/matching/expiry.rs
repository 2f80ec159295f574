//! Expiry of contracts and their settlement at a price that the trader entered: in cash, or by delivery of shares.

use std::sync::Arc;

use rust_decimal::Decimal;
use time::macros::time;
use time::{Date, OffsetDateTime};

use super::lots::OpenPosition;
use super::matcher::{Matcher, OpenLot, OpenLots};
use crate::fill::{Fill, INDIA, Side, Source, TradeKind};
use crate::fill_key::FillKey;
use crate::instrument::{Class, Expiry, Instrument};

impl Matcher {
    /// Closes the lots that were open when the contract expired. `expired` is none if it has not expired yet.
    ///
    /// Without an entered settlement price the position stays open and awaits its settlement: no file states the price,
    /// and an option may have expired in the money.
    pub(super) fn expire(
        &mut self,
        mut open_lots: OpenLots,
        long: bool,
        expired: Option<Expiry>,
        price: Option<Decimal>,
    ) {
        match (expired, price) {
            (Some(expiry), Some(price)) => self.settle(&mut open_lots, long, expiry, price),
            (expired, _) => {
                let position = self.open_position(&open_lots, self.latest_contract.clone());
                let position = position.map(|position| OpenPosition { long, expired: expired.is_some(), ..position });
                self.result.positions.extend(position);
            }
        }
    }

    /// Closes all open lots of a contract on the day of its expiry at `price`.
    pub(super) fn settle(&mut self, open_lots: &mut OpenLots, long: bool, expiry: Expiry, price: Decimal) {
        let Some((_, opened)) = open_lots.front().and_then(|open_lot| self.fill(open_lot.lot)) else { return };
        let quantity: Decimal = open_lots.iter().map(|open_lot| open_lot.quantity).sum();
        let kind = if opened.instrument.is_option() { TradeKind::Options } else { TradeKind::Futures };
        let delivery = self.delivery(open_lots, opened, long, expiry.day, price);
        // The shares of a delivered option are received or delivered at the strike, so the option itself is worth nothing.
        let price = if delivery.is_some() && opened.instrument.is_option() { Decimal::ZERO } else { price };
        let settlement = Fill {
            trade_id: 0,
            key: FillKey::from_adjustment(opened.account, &opened.instrument.symbol, expiry.day, "settlement"),
            source: Source::Settled,
            instrument: self.latest_contract.clone().unwrap_or_else(|| opened.instrument.clone()),
            side: if long { Side::Sell } else { Side::Buy },
            quantity,
            value: (quantity * price).round_dp(4),
            executed_at: OffsetDateTime::new_in_offset(expiry.day, time!(15:30), INDIA),
            day: expiry.day,
            has_time: expiry.exact,
            manual: false,
            order_id: None,
            labels: None,
            stop_loss: None,
            ..opened.clone()
        };
        self.result.deliveries.extend(delivery);
        self.result.fills.push(settlement);
        self.last_exit = None;
        if let Some((lot, quantity)) = self.add_whole_fill(self.result.fills.len() - 1, kind) {
            self.close_lots(open_lots, lot, quantity, kind, long);
        }
    }

    /// Returns the shares that a contract receives or delivers at its expiry; none for contracts that are settled in cash
    /// and for options that expire worthless. Of an option they cost the strike, of a future its settlement price.
    fn delivery(&self, open_lots: &OpenLots, opened: &Fill, long: bool, day: Date, price: Decimal) -> Option<Fill> {
        let instrument = &opened.instrument;
        if price.is_zero() || !instrument.is_settled_by_delivery(day) {
            return None;
        }
        let quantity: Decimal = open_lots.iter().map(|open_lot| open_lot.quantity).sum();
        let value = if instrument.is_option() {
            // A split multiplies the quantity and divides the strike, so the lots keep their contract value.
            let latest_strike = self.latest_contract.as_ref().and_then(|contract| contract.strike);
            let contract_value = |open_lot: &OpenLot| {
                if open_lot.corporate_actions.contract_adjusted {
                    return latest_strike?.checked_mul(open_lot.quantity);
                }
                let (_, fill) = self.fill(open_lot.lot)?;
                fill.instrument.strike?.checked_mul(open_lot.remaining)
            };
            open_lots.iter().map(contract_value).sum::<Option<Decimal>>()?
        } else {
            quantity.checked_mul(price)?
        };
        let receives = long != (instrument.class == Class::Put);
        Some(Fill {
            key: FillKey::from_adjustment(opened.account, &opened.instrument.symbol, day, "delivery"),
            source: Source::Delivered,
            side: if receives { Side::Buy } else { Side::Sell },
            instrument: Arc::new(Instrument::equity(&instrument.underlying, "")),
            quantity,
            value: value.round_dp(4),
            executed_at: OffsetDateTime::new_in_offset(day, time!(15:30), INDIA),
            day,
            has_time: false,
            delivery_only: true,
            manual: false,
            order_id: None,
            labels: None,
            stop_loss: None,
            ..opened.clone()
        })
    }
}
