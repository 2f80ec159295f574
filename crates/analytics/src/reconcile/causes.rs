//! Causes of differences between closed trades and rows of a report. If several causes are possible, the one that
//! explains more is returned.

use rust_decimal::Decimal;

use super::facts::Facts;
use super::remark::{Remark, format_rupees};
use super::sums::ClosedSums;

/// Returns the cause of the difference between both sides.
pub(super) fn find_cause(facts: &Facts) -> Remark {
    let difference = facts.difference();
    let cause = if difference.quantity.is_zero() {
        different_values(facts, &difference)
    } else if difference.quantity < Decimal::ZERO {
        fewer_closed(facts, -difference.quantity)
    } else {
        more_closed(facts, difference.quantity)
    };
    cause.unwrap_or_else(Remark::unknown_cause)
}

/// Returns the cause if both sides closed the same quantity for different amounts.
fn different_values(facts: &Facts, difference: &ClosedSums) -> Option<Remark> {
    if difference.max_amount() <= Decimal::ONE {
        return Some(Remark::new("rounding", "Prices are rounded to paise: the amounts differ by no more than ₹1."));
    }
    manual_trades(facts)
        .or_else(|| {
            let sentence = "Some of it was bought at a cost that you entered. Compare that with the report's.";
            facts.opening.then(|| Remark::new("opening_cost", sentence))
        })
        .or_else(|| closed_at_expiry(facts))
}

/// Returns the cause if the trade log closed `missing` less than the report.
fn fewer_closed(facts: &Facts, missing: Decimal) -> Option<Remark> {
    let symbol = facts.symbol();
    if facts.missing_cost_basis > Decimal::ZERO && facts.symbols.len() > 1 {
        let symbols: Vec<&str> = facts.symbols.iter().map(String::as_str).collect();
        let sentence = format!(
            "{} have one ISIN: the share was renamed. Enter the new name, and the sale finds its purchase.",
            symbols.join(" and ")
        );
        return Some(Remark::new("renamed", sentence));
    }
    if facts.missing_cost_basis == missing && has_more_shares_at_same_cost(facts) {
        let theirs = facts.theirs.unwrap_or_default().quantity;
        let sentence = format!(
            "The report closes {} for what {} had cost: a split or a bonus is not entered. Enter it, and the sale \
             finds its purchase.",
            theirs.normalize(),
            (theirs - missing).normalize()
        );
        return Some(Remark::new("split_or_bonus", sentence));
    }
    if facts.missing_cost_basis > Decimal::ZERO {
        let sentence = format!(
            "{} were sold without a purchase in the log. Upload the trades from before, or enter what the shares cost.",
            facts.missing_cost_basis.normalize()
        );
        return Some(Remark::new("purchase_missing", sentence));
    }
    if facts.open_after_expiry >= missing {
        let sentence = format!(
            "{} are open in the log past their expiry. Enter the settlement.",
            facts.open_after_expiry.normalize()
        );
        return Some(Remark::new("expiry", sentence));
    }
    if let Some(remark) = manual_trades(facts) {
        return Some(remark);
    }
    let sentence = if facts.trades == 0 {
        format!("The log has no trade in {symbol}. Upload the file with its trades.")
    } else {
        format!(
            "The log closes {} fewer than the report. Upload the files of the whole period, and from before.",
            missing.normalize()
        )
    };
    Some(Remark::new("trades_missing", sentence))
}

/// Returns whether both sides state the same cost. The additional shares then came from a split or a bonus.
fn has_more_shares_at_same_cost(facts: &Facts) -> bool {
    let (Some(ours), Some(theirs)) = (facts.ours, facts.theirs) else { return false };
    ours.quantity > Decimal::ZERO && (ours.buy_value - theirs.buy_value).abs() <= Decimal::ONE
}

/// Returns the cause if the trade log closed `surplus` more than the report.
fn more_closed(facts: &Facts, surplus: Decimal) -> Option<Remark> {
    let days = [("first", facts.closed_on_first_day), ("last", facts.closed_on_last_day)];
    if let Some((day, _)) = days.iter().find(|(_, closed)| *closed == surplus) {
        let sentence = format!(
            "{} were closed on the {day} day of the report, which seems not to count that day. Download it again \
             for a day more.",
            surplus.normalize()
        );
        return Some(Remark::new("period_end", sentence));
    }
    if facts.closed_at_expiry >= surplus {
        return closed_at_expiry(facts);
    }
    manual_trades(facts)
}

fn closed_at_expiry(facts: &Facts) -> Option<Remark> {
    let sentence = format!(
        "{} ended by expiry in the log: as worthless, unless you entered a settlement. Compare that with the report.",
        facts.closed_at_expiry.normalize()
    );
    (facts.closed_at_expiry > Decimal::ZERO).then(|| Remark::new("expiry", sentence))
}

fn manual_trades(facts: &Facts) -> Option<Remark> {
    let sentence = match facts.manual_trades {
        0 => return None,
        1 => "One of its trades was entered or changed by hand. Compare it with the broker's.".to_owned(),
        trades => format!("{trades} of its trades were entered or changed by hand. Compare them with the broker's."),
    };
    let gross = facts.difference().gross;
    let sentence =
        if gross.is_zero() { sentence } else { format!("{sentence} The result differs by {}.", format_rupees(gross)) };
    Some(Remark::new("entered_by_hand", sentence))
}
