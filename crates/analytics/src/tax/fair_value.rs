//! Fair market value of shares on 31 January 2018, which may count as their cost (Income-tax Act 1961, section 55(2)(ac)).
//!
//! Gains until that day were exempt. The cost is the higher of what was paid and of the lower of that day's price and the
//! sale value.

use rust_decimal::Decimal;
use time::Date;
use time::macros::date;

use super::gains_rules::{TaxRate, gains_rule};
use crate::adjustment::{Adjustment, AdjustmentKind, Ratio};
use crate::fill::{Fill, Source};
use crate::instrument_ledger::{InstrumentLedger, RangeDetail};
use crate::matching::LotMatch;

/// Day whose highest price counts. Shares bought until then are concerned.
pub const FAIR_VALUE_DAY: Date = date!(2018 - 01 - 31);

/// Returns true if the price of 31 January 2018 may count as the cost of shares that were bought with this fill and sold on
/// that day. Shares of a demerger are not concerned, because they were not listed then.
pub fn may_have_fair_value(fill: &Fill, lot_match: &LotMatch, sold: Date) -> bool {
    let has_exemption = || {
        let rule = gains_rule(fill.instrument.security, fill.day, sold);
        let rate = rule.filter(|rule| rule.is_long_term(fill.day, sold)).and_then(|rule| rule.rate(true));
        rate.is_some_and(|rate| TaxRate::has_exemption(rate.rate))
    };
    let actions = lot_match.corporate_actions;
    fill.day <= FAIR_VALUE_DAY
        && !fill.instrument.is_contract()
        && fill.source != Source::Demerger
        && !actions.demerged
        && !actions.capital_returned
        && has_exemption()
}

/// Returns the value on 31 January 2018 of the shares that a match sold; none if it does not count or is unknown.
pub fn fair_value(
    adjustments: &[Adjustment],
    entry: &RangeDetail,
    lot_match: &LotMatch,
    sold: Date,
) -> Option<Decimal> {
    if !may_have_fair_value(entry.fill, lot_match, sold) {
        return None;
    }
    let symbol = &entry.fill.instrument.symbol;
    let of_share = || adjustments.iter().filter(|adjustment| adjustment.symbol.eq_ignore_ascii_case(symbol));
    let price = of_share().find_map(|adjustment| match adjustment.kind {
        AdjustmentKind::FairValue(price) => Some(price),
        _ => None,
    })?;
    let splits = of_share().filter(|adjustment| adjustment.day > entry.fill.day && adjustment.day <= FAIR_VALUE_DAY);
    let quantity =
        splits.filter_map(split_ratio).try_fold(lot_match.entry.quantity(), |quantity, Ratio { new, old }| {
            quantity.checked_mul(new.into())?.checked_div(old.into())
        });
    Some(quantity?.checked_mul(price)?.round_dp(4))
}

fn split_ratio(adjustment: &Adjustment) -> Option<Ratio> {
    match adjustment.kind {
        AdjustmentKind::Split(ratio) => Some(ratio),
        _ => None,
    }
}

/// Returns the sales of a ledger for which the price of 31 January 2018 may count: fills of purchase, quantities in their
/// units, and days of sale.
pub fn sales_with_fair_value(ledger: &InstrumentLedger) -> impl Iterator<Item = (&Fill, Decimal, Date)> {
    let closed_trades = ledger.closed_trades.iter().filter(|closed_trade| closed_trade.opened_day <= FAIR_VALUE_DAY);
    let lot_matches = closed_trades.flat_map(|closed_trade| ledger.lot_matches(&closed_trade.lot_matches));
    lot_matches.filter_map(|lot_match| {
        let (entry, exit) = (ledger.fill_of_lot(lot_match.entry.lot)?, ledger.fill_of_lot(lot_match.exit.lot)?);
        may_have_fair_value(entry, lot_match, exit.day).then(|| (entry, lot_match.entry.quantity(), exit.day))
    })
}
