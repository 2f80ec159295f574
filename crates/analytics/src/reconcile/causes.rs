//! Why a row differs, from what is known of it. What is said first is what explains more.

use rust_decimal::Decimal;

use super::rows::Facts;
use super::{Remark, Sums, rupees};

/// The cause of a difference.
pub(super) fn of(facts: &Facts) -> Remark {
    let difference = facts.difference();
    let found = if difference.quantity.is_zero() {
        of_values(facts, &difference)
    } else if difference.quantity < Decimal::ZERO {
        of_too_few(facts, -difference.quantity)
    } else {
        of_too_many(facts, difference.quantity)
    };
    found.unwrap_or_else(Remark::none)
}

fn count(quantity: Decimal) -> Decimal {
    quantity.normalize()
}

/// As many were closed, for another amount.
fn of_values(facts: &Facts, difference: &Sums) -> Option<Remark> {
    if difference.largest_amount() <= Decimal::ONE {
        return Some(Remark::new("rounding", "Prices are rounded to paise: the amounts differ by no more than ₹1."));
    }
    by_hand(facts)
        .or_else(|| {
            let sentence = "Some of it was bought at a cost that you entered. Compare that with the report's.";
            facts.opening.then(|| Remark::new("opening_cost", sentence))
        })
        .or_else(|| expiry(facts))
}

/// The report closes more of it.
fn of_too_few(facts: &Facts, missing: Decimal) -> Option<Remark> {
    let symbol = facts.symbol();
    if facts.missing_cost_basis > Decimal::ZERO && facts.symbols.len() > 1 {
        let symbols: Vec<&str> = facts.symbols.iter().map(String::as_str).collect();
        let sentence = format!(
            "{} have one ISIN: the share was renamed. Enter the new name, and the sale finds its purchase.",
            symbols.join(" and ")
        );
        return Some(Remark::new("renamed", sentence));
    }
    if facts.missing_cost_basis == missing && arrived_without_purchase(facts) {
        let theirs = facts.theirs.unwrap_or_default().quantity;
        let sentence = format!(
            "The report closes {} for what {} had cost: a split or a bonus is not entered. Enter it, and the sale \
             finds its purchase.",
            count(theirs),
            count(theirs - missing)
        );
        return Some(Remark::new("split_or_bonus", sentence));
    }
    if facts.missing_cost_basis > Decimal::ZERO {
        let sentence = format!(
            "{} were sold without a purchase in the log. Upload the trades from before, or enter what the shares cost.",
            count(facts.missing_cost_basis)
        );
        return Some(Remark::new("purchase_missing", sentence));
    }
    if facts.expired_open >= missing {
        let sentence =
            format!("{} are open in the log past their expiry. Enter the settlement.", count(facts.expired_open));
        return Some(Remark::new("expiry", sentence));
    }
    if let Some(by_hand) = by_hand(facts) {
        return Some(by_hand);
    }
    let sentence = if facts.trades == 0 {
        format!("The log has no trade in {symbol}. Upload the file with its trades.")
    } else {
        format!(
            "The log closes {} fewer than the report. Upload the files of the whole period, and from before.",
            count(missing)
        )
    };
    Some(Remark::new("trades_missing", sentence))
}

/// The same cost, for more of them than were bought.
fn arrived_without_purchase(facts: &Facts) -> bool {
    let (Some(ours), Some(theirs)) = (facts.ours, facts.theirs) else { return false };
    ours.quantity > Decimal::ZERO && (ours.buy_value - theirs.buy_value).abs() <= Decimal::ONE
}

/// The log closes more of it.
fn of_too_many(facts: &Facts, surplus: Decimal) -> Option<Remark> {
    let edges = [("first", facts.on_first_day), ("last", facts.on_last_day)];
    if let Some((day, _)) = edges.iter().find(|(_, closed)| *closed == surplus) {
        let sentence = format!(
            "{} were closed on the {day} day of the report, which seems not to count that day. Download it again \
             for a day more.",
            count(surplus)
        );
        return Some(Remark::new("period_end", sentence));
    }
    if facts.at_expiry >= surplus {
        return expiry(facts);
    }
    by_hand(facts)
}

fn expiry(facts: &Facts) -> Option<Remark> {
    let sentence = format!(
        "{} ended by expiry in the log: as worthless, unless you entered a settlement. Compare that with the report.",
        count(facts.at_expiry)
    );
    (facts.at_expiry > Decimal::ZERO).then(|| Remark::new("expiry", sentence))
}

fn by_hand(facts: &Facts) -> Option<Remark> {
    let sentence = match facts.by_hand {
        0 => return None,
        1 => "One of its trades was entered or changed by hand. Compare it with the broker's.".to_owned(),
        trades => format!("{trades} of its trades were entered or changed by hand. Compare them with the broker's."),
    };
    let gross = facts.difference().gross;
    let sentence =
        if gross.is_zero() { sentence } else { format!("{sentence} The result differs by {}.", rupees(gross)) };
    Some(Remark::new("entered_by_hand", sentence))
}
