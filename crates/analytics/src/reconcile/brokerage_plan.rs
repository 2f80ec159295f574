//! Brokerage plans: a price of an order by which the report's brokerage follows from the trades.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rust_decimal::Decimal;
use time::Date;

use super::charges::reconcile_charges;
use super::report::{ChargeKind, Report};
use crate::analysis::Analysis;
use crate::charge_rates::{AgreedBrokerage, BrokerPrice};
use crate::fill::{Source, TradeKind};
use crate::instrument_ledger::InstrumentLedger;

/// Prices of an order are multiples of half a rupee. Any sum divided by few orders would be some amount of paise.
const PRICE_STEP: Decimal = Decimal::from_parts(5, 0, 0, false, 1);
/// Highest price of an order, in rupees.
const MAX_PRICE: Decimal = Decimal::from_parts(1_000, 0, 0, false, 0);

/// Price of each order of a kind, from the first day of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderPrice {
    pub kind: TradeKind,
    pub from: Date,
    /// Rupees.
    pub flat: Decimal,
}

/// Returns the prices by which the brokerage of the report follows: one for all orders, otherwise one for the orders of a
/// kind. Empty if there are none. The trades of both sides must be the same.
pub(super) fn find_prices(analysis: &Analysis, report: &Report, brokerage: Decimal) -> Vec<OrderPrice> {
    let mut orders = BTreeSet::new();
    let mut kinds: BTreeMap<TradeKind, (BTreeSet<_>, Decimal)> = BTreeMap::new();
    for detail in analysis.ledgers().flat_map(InstrumentLedger::lot_details) {
        if report.covers_fill(detail.fill) && detail.fill.source == Source::Trade {
            let (orders_of_kind, sum) = kinds.entry(detail.lot.kind).or_default();
            orders_of_kind.insert(detail.fill.order_key());
            orders.insert(detail.fill.order_key());
            *sum += detail.charges.brokerage;
        }
    }
    let all: Decimal = kinds.values().map(|(_, sum)| sum).sum();
    let for_all = (kinds.keys().copied().collect::<Vec<_>>(), order_price(brokerage, orders.len()));
    let for_one = kinds
        .iter()
        .map(|(kind, (orders_of_kind, sum))| (vec![*kind], order_price(brokerage - (all - sum), orders_of_kind.len())));
    let candidates = std::iter::once(for_all).chain(for_one);
    let mut candidates = candidates.filter_map(|(kinds, price)| {
        let flat = price?;
        Some(kinds.into_iter().map(|kind| OrderPrice { kind, from: report.from, flat }).collect::<Vec<_>>())
    });
    candidates.find(|prices| agrees_with(analysis, report, prices)).unwrap_or_default()
}

/// Returns the price of one order; none if it is not a usual one.
fn order_price(brokerage: Decimal, orders: usize) -> Option<Decimal> {
    let price = brokerage.checked_div(orders.into())?;
    let is_usual = price >= Decimal::ZERO && price <= MAX_PRICE && (price % PRICE_STEP).is_zero();
    is_usual.then(|| price.normalize())
}

/// Returns whether the brokerage agrees if the trader pays these prices.
fn agrees_with(analysis: &Analysis, report: &Report, prices: &[OrderPrice]) -> bool {
    let prices = prices.iter().map(|OrderPrice { kind, from, flat }| {
        BrokerPrice::agreed(*from, *kind, AgreedBrokerage { flat: Some(*flat), ..AgreedBrokerage::default() })
    });
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
