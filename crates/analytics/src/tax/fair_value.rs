//! Fair market value of shares on 31 January 2018, which may count as their cost (Income-tax Act 1961, section 55(2)(ac)).
//!
//! Gains until that day were exempt. The cost is the higher of what was paid and of the lower of that day's price and the
//! sale value.

use rust_decimal::Decimal;
use time::Date;
use time::macros::date;

use super::gains_rules::{TaxRate, gains_rule};
use crate::adjustment::{Adjustment, AdjustmentKind, Ratio};
use crate::adjustment_index::AdjustmentIndex;
use crate::fill::{Fill, Source};
use crate::instrument_ledger::{InstrumentLedger, RangeDetail};
use crate::matching::LotMatch;

/// Day whose highest price counts. Shares bought until then are concerned.
pub const FAIR_VALUE_DAY: Date = date!(2018 - 01 - 31);

/// Returns true if shares of a kind that has an exemption were bought until 31 January 2018 and sold in the long term.
pub fn is_from_before_2018(fill: &Fill, sold: Date) -> bool {
    let has_exemption = || {
        let rule = gains_rule(fill.instrument.security, fill.day, sold);
        let rate = rule.filter(|rule| rule.is_long_term(fill.day, sold)).and_then(|rule| rule.rate(true));
        rate.is_some_and(|rate| TaxRate::has_exemption(rate.rate))
    };
    fill.day <= FAIR_VALUE_DAY && !fill.instrument.is_contract() && has_exemption()
}

/// Returns true if the share that was bought is the one that was held on 31 January 2018 and sold: no merger came before that
/// day, and no demerger or capital return moved a part of the cost after it.
pub fn has_same_share(fill: &Fill, sold: Date, adjustments: &AdjustmentIndex) -> bool {
    let changes_share = |adjustment: &&Adjustment| {
        let is_relevant = fill.day < adjustment.day && adjustment.day <= sold;
        is_relevant
            && match adjustment.kind {
                AdjustmentKind::Merger { .. } => adjustment.day <= FAIR_VALUE_DAY,
                AdjustmentKind::Demerger { .. } | AdjustmentKind::CapitalReturn(_) => adjustment.day > FAIR_VALUE_DAY,
                _ => false,
            }
    };
    fill.source != Source::Demerger
        && !adjustments.for_share(&fill.instrument.symbol).iter().copied().any(|one| changes_share(&one))
}

/// Returns the value on 31 January 2018 of the shares that a match sold; none if it does not count or is unknown.
pub fn fair_value(
    adjustments: &AdjustmentIndex,
    entry: &RangeDetail,
    lot_match: &LotMatch,
    sold: Date,
) -> Option<Decimal> {
    if !is_from_before_2018(entry.fill, sold) || !has_same_share(entry.fill, sold, adjustments) {
        return None;
    }
    let of_share = || adjustments.for_share(&entry.fill.instrument.symbol).iter();
    let price = of_share().find_map(|adjustment| match adjustment.kind {
        AdjustmentKind::FairValue(price) => Some(price),
        _ => None,
    })?;
    let splits = of_share().filter(|adjustment| adjustment.day > entry.fill.day && adjustment.day <= FAIR_VALUE_DAY);
    let quantity = splits
        .filter_map(|adjustment| split_ratio(adjustment))
        .try_fold(lot_match.entry.quantity(), |quantity, Ratio { new, old }| {
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
pub fn sales_with_fair_value<'a>(
    ledger: &'a InstrumentLedger,
    adjustments: &'a AdjustmentIndex,
) -> impl Iterator<Item = (&'a Fill, Decimal, Date)> {
    let closed_trades = ledger.closed_trades.iter().filter(|closed_trade| closed_trade.opened_day <= FAIR_VALUE_DAY);
    let lot_matches = closed_trades.flat_map(|closed_trade| ledger.lot_matches(&closed_trade.lot_matches));
    lot_matches.filter_map(move |lot_match| {
        let (entry, exit) = (ledger.fill_of_lot(lot_match.entry.lot)?, ledger.fill_of_lot(lot_match.exit.lot)?);
        let counts = is_from_before_2018(entry, exit.day) && has_same_share(entry, exit.day, adjustments);
        counts.then(|| (entry, lot_match.entry.quantity(), exit.day))
    })
}
