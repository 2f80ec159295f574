//! Expiry of contracts and their settlement at a price that the trader entered.

use rust_decimal::Decimal;
use time::OffsetDateTime;
use time::macros::time;

use super::matcher::{Matcher, OpenLots};
use crate::fill::{Fill, INDIA, Side, Source, TradeKind};
use crate::instrument::Expiry;

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
        let Some((first, _)) = open_lots.front().and_then(|open_lot| self.fill(open_lot.lot)) else { return };
        match (expired, price) {
            (Some(expiry), Some(price)) => self.settle(&mut open_lots, long, expiry, price),
            (expired, _) => {
                let position = self.open_position(first, &open_lots, long, expired.is_some());
                self.result.positions.push(position);
            }
        }
    }

    /// Closes all open lots of a contract on the day of its expiry at `price`.
    pub(super) fn settle(&mut self, open_lots: &mut OpenLots, long: bool, expiry: Expiry, price: Decimal) {
        let Some((_, opened)) = open_lots.front().and_then(|open_lot| self.fill(open_lot.lot)) else { return };
        let quantity: Decimal = open_lots.iter().map(|open_lot| open_lot.quantity).sum();
        let kind = if opened.instrument.is_option() { TradeKind::Options } else { TradeKind::Futures };
        let settlement = Fill {
            trade_id: 0,
            source: Source::Settled,
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
        self.result.fills.push(settlement);
        self.last_exit = None;
        if let Some((lot, quantity)) = self.add_whole_fill(self.result.fills.len() - 1, kind) {
            self.close_lots(open_lots, lot, quantity, kind, long);
        }
    }
}
