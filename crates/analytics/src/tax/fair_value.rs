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

/// Day whose highest price counts. Shares bought until then are concerned.
pub const FAIR_VALUE_DAY: Date = date!(2018 - 01 - 31);

/// Value on 31 January 2018 of shares that were sold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FairValue {
    /// The rule does not concern the sale.
    NotConcerned,
    /// A corporate action changed the share or its cost, so that the price of that day does not count here.
    Excluded,
    /// The price is not entered.
    Unknown,
    Known(Decimal),
}

impl FairValue {
    /// Returns the value on 31 January 2018 of `quantity` shares, in units of the fill with which they were bought.
    pub fn new(bought: &Fill, quantity: Decimal, sold: Date, adjustments: &AdjustmentIndex) -> Self {
        if !is_concerned(bought, sold) {
            return Self::NotConcerned;
        }
        let of_share = adjustments.for_share(&bought.instrument.symbol);
        if bought.source == Source::Demerger || of_share.iter().any(|one| changes_share(one, bought.day, sold)) {
            return Self::Excluded;
        }
        let Some(price) = of_share.iter().find_map(|one| entered_price(one)) else { return Self::Unknown };
        let until_day = of_share.iter().filter(|one| one.day > bought.day && one.day <= FAIR_VALUE_DAY);
        let on_day = until_day.filter_map(|one| split_ratio(one)).try_fold(quantity, |quantity, Ratio { new, old }| {
            quantity.checked_mul(new.into())?.checked_div(old.into())
        });
        on_day
            .and_then(|quantity| quantity.checked_mul(price))
            .map_or(Self::Unknown, |value| Self::Known(value.round_dp(4)))
    }

    /// Returns the amount if the price is entered and counts.
    pub fn amount(self) -> Option<Decimal> {
        match self {
            Self::Known(value) => Some(value),
            Self::NotConcerned | Self::Excluded | Self::Unknown => None,
        }
    }
}

/// Returns true if shares of a kind that has an exemption were bought until 31 January 2018 and sold in the long term.
fn is_concerned(bought: &Fill, sold: Date) -> bool {
    let has_exemption = || {
        let rule = gains_rule(bought.instrument.security, bought.day, sold);
        let rate = rule.filter(|rule| rule.is_long_term(bought.day, sold)).and_then(|rule| rule.rate(true));
        rate.is_some_and(|rate| TaxRate::has_exemption(rate.rate))
    };
    bought.day <= FAIR_VALUE_DAY && !bought.instrument.is_contract() && has_exemption()
}

/// Returns true for a merger before 31 January 2018, and for a demerger or capital return after it, which moved a part of the
/// cost, while the shares were held.
fn changes_share(adjustment: &Adjustment, bought: Date, sold: Date) -> bool {
    let is_while_held = bought < adjustment.day && adjustment.day <= sold;
    is_while_held
        && match adjustment.kind {
            AdjustmentKind::Merger { .. } => adjustment.day <= FAIR_VALUE_DAY,
            AdjustmentKind::Demerger { .. } | AdjustmentKind::CapitalReturn(_) => adjustment.day > FAIR_VALUE_DAY,
            _ => false,
        }
}

fn entered_price(adjustment: &Adjustment) -> Option<Decimal> {
    match adjustment.kind {
        AdjustmentKind::FairValue(price) => Some(price),
        _ => None,
    }
}

fn split_ratio(adjustment: &Adjustment) -> Option<Ratio> {
    match adjustment.kind {
        AdjustmentKind::Split(ratio) => Some(ratio),
        _ => None,
    }
}
