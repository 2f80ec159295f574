//! Brokerage plans by which the report's brokerage follows from the trades.

use rust_decimal::Decimal;

use super::report::Report;
use super::sums::PAISA;
use crate::analysis::Analysis;
use crate::broker_terms::BrokerTerms;
use crate::brokerage_plan::{OrderPrice, Orders, Plan};
use crate::charge_rates::{BrokerPrice, ChargeEvent};
use crate::fill::{Fill, Source};
use crate::instrument_ledger::{InstrumentLedger, RangeDetail};

/// Returns the prices by which the brokerage of the report follows, from its first day on. Empty if there are none, if
/// several would do, or if they would change the charges of later trades. The trades of both sides must be the same.
pub(super) fn find_prices(analysis: &Analysis, report: &Report, brokerage: Decimal) -> Vec<OrderPrice> {
    let mut orders = Orders::default();
    for detail in details(analysis).filter(|detail| report.covers_fill(detail.fill)) {
        orders.add(detail.fill, detail.lot.kind, detail.charges.brokerage);
    }
    let mut agreeing = orders.plans(brokerage).into_iter().filter_map(|plan: Plan| {
        let prices = plan.prices(report.from);
        let broker_prices: Vec<BrokerPrice> = prices.iter().map(|price| price.to_broker_price()).collect();
        let terms = analysis.terms.with_prices(report.account, &broker_prices, report.to);
        let agrees = (brokerage_under(analysis, report, &terms) - brokerage).abs() <= PAISA;
        (agrees && keeps_later_prices(analysis, report, &terms)).then_some(prices)
    });
    agreeing.next().filter(|_| agreeing.next().is_none()).unwrap_or_default()
}

/// Returns the brokerage of the report's trades under other terms.
fn brokerage_under(analysis: &Analysis, report: &Report, terms: &BrokerTerms) -> Decimal {
    let is_chosen = |note: &_| report.covers_note(note);
    let lines = analysis.charge_notes_with(is_chosen, terms).into_values().flatten();
    lines.map(|line| line.lot_charges.charges.brokerage).sum()
}

/// Returns whether the trades after the report cost the same under other terms.
fn keeps_later_prices(analysis: &Analysis, report: &Report, terms: &BrokerTerms) -> bool {
    let later = details(analysis).filter(|detail| is_later(report, detail.fill));
    let price = |terms: &BrokerTerms, detail: &RangeDetail| {
        let event = ChargeEvent::Trade(detail.lot.kind);
        terms.price(analysis.rates, report.account, detail.fill.day, event).map(BrokerPrice::terms)
    };
    later.into_iter().all(|detail| price(terms, &detail) == price(&analysis.terms, &detail))
}

fn is_later(report: &Report, fill: &Fill) -> bool {
    report.covers(fill.account, fill.instrument.is_contract()) && fill.day > report.to
}

/// Returns the lots of trades.
fn details(analysis: &Analysis) -> impl Iterator<Item = RangeDetail<'_>> {
    analysis.ledgers().flat_map(InstrumentLedger::lot_details).filter(|detail| detail.fill.source == Source::Trade)
}
