//! Charges that contract notes state, which replace the estimates.

use rust_decimal::Decimal;

use super::{Charges, NoteLine};
use crate::arithmetic::{allocate, prorate};

/// Replaces the estimates of trades by the amounts of a contract note, which has no charge of the depository participant.
/// Settlements and deliveries remain estimated: whether the note has their charges is not known, and its turnover does
/// not have them.
pub(super) fn apply_stated_charges(lines: &mut [NoteLine], stated: &Charges) {
    let lines: &mut Vec<&mut NoteLine> = &mut lines.iter_mut().filter(|line| line.is_trade()).collect();
    let dp_gst: Vec<Decimal> = lines.iter().map(|line| estimate_dp_gst(&line.lot_charges.charges)).collect();
    for (line, dp_gst) in lines.iter_mut().zip(&dp_gst) {
        line.lot_charges.charges.gst -= dp_gst;
    }
    allocate_stated(lines, stated.brokerage, |charges| &mut charges.brokerage);
    allocate_stated(lines, stated.stt, |charges| &mut charges.stt);
    allocate_stated(lines, stated.exchange, |charges| &mut charges.exchange);
    allocate_stated(lines, stated.sebi, |charges| &mut charges.sebi);
    allocate_stated(lines, stated.ipft, |charges| &mut charges.ipft);
    allocate_stated(lines, stated.stamp_duty, |charges| &mut charges.stamp_duty);
    allocate_stated(lines, stated.gst, |charges| &mut charges.gst);
    for (line, dp_gst) in lines.iter_mut().zip(dp_gst) {
        let charges = &mut line.lot_charges.charges;
        charges.stated = charges.total() - charges.dp;
        charges.gst += dp_gst;
        (line.lot_charges.rates_missing, line.lot_charges.is_stated) = (false, true);
    }
}

/// Returns the part of the estimated GST that is due on the charge of the depository participant.
fn estimate_dp_gst(charges: &Charges) -> Decimal {
    let taxable = charges.brokerage + charges.exchange + charges.sebi + charges.ipft + charges.dp;
    if charges.dp.is_zero() { Decimal::ZERO } else { prorate(charges.gst, Decimal::ZERO, charges.dp, taxable) }
}

/// Returns the part of the estimate that a contract note would state: without the charge of the depository participant.
pub fn trade_estimate(charges: &Charges) -> Charges {
    Charges { dp: Decimal::ZERO, gst: charges.gst - estimate_dp_gst(charges), ..*charges }
}

/// Allocates a stated amount to the lines in proportion to their estimates, or to their values if all are zero.
fn allocate_stated(lines: &mut [&mut NoteLine], amount: Decimal, field: fn(&mut Charges) -> &mut Decimal) {
    let mut weights: Vec<Decimal> = lines.iter_mut().map(|line| *field(&mut line.lot_charges.charges)).collect();
    let is_estimated = weights.iter().any(|weight| *weight > Decimal::ZERO);
    if !is_estimated {
        weights = lines.iter().map(|line| line.lot.value).collect();
    }
    for (line, part) in lines.iter_mut().zip(allocate(amount, &weights)) {
        *field(&mut line.lot_charges.charges) = part;
    }
}
