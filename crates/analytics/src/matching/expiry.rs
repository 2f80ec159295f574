//! Expiry of contracts: settlement at an entered price, and options that expired worthless.

use rust_decimal::Decimal;
use time::OffsetDateTime;
use time::macros::time;

use super::lots::OpenPosition;
use super::matcher::{Matcher, OpenLots};
use crate::fill::{Fill, INDIA, Side, Source, TradeKind};
use crate::instrument::Expiry;

impl Matcher {
    /// Closes the lots that were open when the contract expired. `expired` is none if it has not expired yet.
    ///
    /// Without an entered settlement price an option is closed at 0 and also listed as an open position; a future stays
    /// open, because its settlement price cannot be guessed.
    pub(super) fn expire(
        &mut self,
        mut open_lots: OpenLots,
        long: bool,
        expired: Option<Expiry>,
        price: Option<Decimal>,
    ) {
        let Some((first, opened)) = open_lots.front().and_then(|open_lot| self.fill(open_lot.lot)) else { return };
        let position = self.open_position(first, &open_lots, long, expired.is_some());
        let Some(expiry) = expired.filter(|_| price.is_some() || opened.instrument.is_option()) else {
            self.result.positions.push(position);
            return;
        };
        if price.is_none() {
            self.result.positions.push(OpenPosition { worthless: true, ..position });
        }
        self.settle(&mut open_lots, long, expiry, price);
    }

    /// Closes all open lots of a contract on the day of its expiry at `price`, or at 0 if there is none.
    pub(super) fn settle(&mut self, open_lots: &mut OpenLots, long: bool, expiry: Expiry, price: Option<Decimal>) {
        let Some((_, opened)) = open_lots.front().and_then(|open_lot| self.fill(open_lot.lot)) else { return };
        let quantity: Decimal = open_lots.iter().map(|open_lot| open_lot.quantity).sum();
        let kind = if opened.instrument.is_option() { TradeKind::Options } else { TradeKind::Futures };
        let settlement = Fill {
            trade_id: 0,
            source: if price.is_some() { Source::Settled } else { Source::Worthless },
            side: if long { Side::Sell } else { Side::Buy },
            quantity,
            value: (quantity * price.unwrap_or_default()).round_dp(4),
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
