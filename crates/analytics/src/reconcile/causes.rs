//! Causes of differences between closed trades and rows of a report. If several causes are possible, the one that
//! explains more is returned.

use rust_decimal::Decimal;

use super::facts::Facts;
use super::sums::ClosedSums;
use crate::remark::Remark;

/// Returns the cause of the difference between both sides.
pub(super) fn find_cause(facts: &Facts) -> Remark {
    let difference = facts.difference();
    let cause = if difference.quantity.is_zero() {
        different_values(facts, &difference)
    } else if difference.quantity < Decimal::ZERO {
        Some(fewer_closed(facts, -difference.quantity))
    } else {
        more_closed(facts, difference.quantity)
    };
    cause.unwrap_or_else(Remark::unknown_cause)
}

/// Returns the cause if both sides closed the same quantity for different amounts.
fn different_values(facts: &Facts, difference: &ClosedSums) -> Option<Remark> {
    if difference.max_amount() <= Decimal::ONE {
        return Some(Remark::new("rounding"));
    }
    manual_trades(facts)
        .or_else(|| facts.opening.then(|| Remark::new("opening_cost")))
        .or_else(|| closed_at_expiry(facts))
}

/// Returns the cause if the trade log closed `missing` less than the report.
fn fewer_closed(facts: &Facts, missing: Decimal) -> Remark {
    let symbols: Vec<&str> = facts.symbols.iter().map(String::as_str).collect();
    if facts.missing_cost_basis > Decimal::ZERO
        && let [symbols @ .., last] = symbols.as_slice()
        && !symbols.is_empty()
    {
        return Remark::new("renamed").with("symbols", symbols.join(", ")).with("last_symbol", last);
    }
    if facts.missing_cost_basis == missing && has_more_shares_at_same_cost(facts) {
        let report = facts.report.unwrap_or_default().quantity;
        return Remark::new("split_or_bonus")
            .with("quantity", report.normalize())
            .with("bought", (report - missing).normalize());
    }
    if facts.missing_cost_basis > Decimal::ZERO {
        return Remark::new("missing_cost_basis").with("quantity", facts.missing_cost_basis.normalize());
    }
    if facts.open_after_expiry >= missing {
        return Remark::new("expiry").with("case", "open").with("quantity", facts.open_after_expiry.normalize());
    }
    if let Some(remark) = manual_trades(facts) {
        return remark;
    }
    let remark = Remark::new("trades_missing");
    if facts.trades == 0 {
        remark.with("case", "all").with("symbol", facts.symbol())
    } else {
        remark.with("case", "some").with("quantity", missing.normalize())
    }
}

/// Returns whether both sides state the same cost. The additional shares then came from a split or a bonus.
fn has_more_shares_at_same_cost(facts: &Facts) -> bool {
    let (Some(log), Some(report)) = (facts.log, facts.report) else { return false };
    log.quantity > Decimal::ZERO && (log.buy_value - report.buy_value).abs() <= Decimal::ONE
}

/// Returns the cause if the trade log closed `surplus` more than the report.
fn more_closed(facts: &Facts, surplus: Decimal) -> Option<Remark> {
    let days = [("first", facts.closed_on_first_day), ("last", facts.closed_on_last_day)];
    if let Some((day, _)) = days.iter().find(|(_, closed)| *closed == surplus) {
        return Some(Remark::new("period_end").with("day", day).with("quantity", surplus.normalize()));
    }
    if facts.closed_at_expiry >= surplus {
        return closed_at_expiry(facts);
    }
    manual_trades(facts)
}

fn closed_at_expiry(facts: &Facts) -> Option<Remark> {
    let remark = Remark::new("expiry").with("case", "closed").with("quantity", facts.closed_at_expiry.normalize());
    (facts.closed_at_expiry > Decimal::ZERO).then_some(remark)
}

fn manual_trades(facts: &Facts) -> Option<Remark> {
    let difference = facts.difference().gross;
    let remark = Remark::new("manual_trades").with("count", facts.manual_trades);
    let remark = if difference.is_zero() {
        remark.with("case", "same_result")
    } else {
        remark.with("case", "different_result").with_amount("difference", difference)
    };
    (facts.manual_trades > 0).then_some(remark)
}
