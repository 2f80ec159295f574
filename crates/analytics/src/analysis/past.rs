//! Analysis of an earlier day: the trades and adjustments until then.

use rust_decimal::Decimal;
use time::Date;

use super::Analysis;
use crate::adjustment::Adjustment;
use crate::adjustment_index::AdjustmentIndex;
use crate::fill::{Fill, Side, Source};
use crate::instrument_ledger::InstrumentLedger;

impl Analysis {
    /// Returns an analysis of the end of `day` that has the positions that were open then. Most instruments that were flat
    /// are missing from it, because matching them again takes most of the time.
    pub fn open_on(&self, day: Date) -> Self {
        let adjustments: Vec<Adjustment> =
            self.adjustments().iter().filter(|adjustment| adjustment.day <= day).cloned().collect();
        let index = AdjustmentIndex::new(&adjustments);
        let is_trade = |fill: &&Fill| fill.source == Source::Trade && fill.day <= day;
        let trades = self.ledgers().filter(|ledger| may_be_open(ledger, day, &index));
        let trades = trades.flat_map(InstrumentLedger::fills).filter(is_trade).cloned().collect();
        Self::with_terms(trades, &adjustments, self.rates, self.terms.clone(), self.today.min(day))
    }
}

/// Returns false if the trades of an instrument until the end of `day` left nothing open.
fn may_be_open(ledger: &InstrumentLedger, day: Date, adjustments: &AdjustmentIndex) -> bool {
    let mut quantity = Decimal::ZERO;
    let mut has_adjustments = !ledger.missing_cost_basis().is_empty();
    for fill in ledger.fills().take_while(|fill| fill.day <= day) {
        has_adjustments |= !adjustments.for_share(&fill.instrument.symbol).is_empty();
        quantity += match fill.side {
            Side::Buy => fill.quantity,
            Side::Sell => -fill.quantity,
        };
    }
    has_adjustments || !quantity.is_zero()
}
