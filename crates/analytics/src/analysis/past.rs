//! Positions of an earlier day, from the trades and adjustments until then.

use rust_decimal::Decimal;
use time::Date;

use super::Analysis;
use crate::adjustment::Adjustment;
use crate::adjustment_index::AdjustmentIndex;
use crate::fill::{BrokerAccount, Fill, Side, Source};
use crate::instrument_ledger::InstrumentLedger;

impl Analysis {
    /// Returns an analysis of the end of `day` that has the positions of some accounts that were open then, without closed
    /// trades and charges. Most instruments that were flat are missing, because matching them again takes most of the time.
    pub fn open_on(&self, day: Date, contains: impl Fn(BrokerAccount) -> bool) -> Self {
        let adjustments: Vec<Adjustment> =
            self.adjustments().iter().filter(|adjustment| adjustment.day <= day).cloned().collect();
        let index = AdjustmentIndex::new(&adjustments);
        let is_trade = |fill: &&Fill| fill.source == Source::Trade && fill.day <= day && contains(fill.account);
        let trades = self.ledgers().filter(|ledger| may_be_open(ledger, day, &index));
        let trades = trades.flat_map(InstrumentLedger::fills).filter(is_trade).cloned().collect();
        // On the next day, contracts that expire on `day` have expired.
        let today = day.next_day().map_or(self.today, |next| self.today.min(next));
        let mut analysis = Self::empty(&adjustments, self.rates, self.terms.clone(), today);
        analysis.match_trades(trades, &index);
        analysis
    }
}

/// Returns false if the trades of an instrument until the end of `day` left nothing open.
fn may_be_open(ledger: &InstrumentLedger, day: Date, adjustments: &AdjustmentIndex) -> bool {
    let mut quantity = Decimal::ZERO;
    let mut is_uncertain = !ledger.missing_cost_basis().is_empty() || ledger.has_deliveries();
    for fill in ledger.fills().take_while(|fill| fill.day <= day) {
        let instrument = &fill.instrument;
        let is_adjusted = |symbol: &str| !adjustments.for_share(symbol).is_empty();
        // A split or bonus of the underlying changes the quantity of a contract.
        is_uncertain |= is_adjusted(&instrument.symbol) || is_adjusted(&instrument.underlying);
        quantity += match fill.side {
            Side::Buy => fill.quantity,
            Side::Sell => -fill.quantity,
        };
    }
    is_uncertain || !quantity.is_zero()
}
