//! Brokerage plans by which the report's brokerage follows from the trades.

use std::sync::Arc;

use rust_decimal::Decimal;

use super::charges::reconcile_charges;
use super::report::{ChargeKind, Report};
use crate::analysis::Analysis;
use crate::brokerage_plan::{OrderPrice, Orders};
use crate::fill::Source;
use crate::instrument_ledger::InstrumentLedger;

/// Returns the prices by which the brokerage of the report follows, from its first day on: one for all orders, otherwise
/// one for the orders of a kind. Empty if there are none. The trades of both sides must be the same.
pub(super) fn find_prices(analysis: &Analysis, report: &Report, brokerage: Decimal) -> Vec<OrderPrice> {
    let mut orders = Orders::default();
    for detail in analysis.ledgers().flat_map(InstrumentLedger::lot_details) {
        if report.covers_fill(detail.fill) && detail.fill.source == Source::Trade {
            orders.add(detail.fill, detail.lot.kind, detail.charges.brokerage);
        }
    }
    let plans = orders.plans(brokerage);
    let mut prices = plans.iter().map(|plan| plan.prices(report.from));
    prices.find(|prices| agrees_with(analysis, report, prices)).unwrap_or_default()
}

/// Returns whether the brokerage agrees if the trader pays these prices.
fn agrees_with(analysis: &Analysis, report: &Report, prices: &[OrderPrice]) -> bool {
    let prices = prices.iter().map(|price| price.to_broker_price());
    let terms = analysis.terms.with_prices(report.account, prices);
    let repaired = Analysis::with_terms(
        analysis.to_trades(),
        analysis.adjustments(),
        analysis.rates,
        Arc::new(terms),
        analysis.today(),
    );
    let charges = reconcile_charges(&repaired, report, true);
    charges.iter().any(|row| row.charge == ChargeKind::Brokerage && row.agrees)
}
