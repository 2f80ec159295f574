//! Bonus stripping: a loss on shares that were bought shortly before a bonus and sold shortly after it may not count
//! (Income-tax Act 1961, section 94(8); for shares since the Finance Act 2022, from assessment year 2023-24 on).

use time::macros::date;
use time::{Date, Duration, Month};

use super::lines::TaxLine;
use crate::adjustment::{Adjustment, AdjustmentKind};

/// First day of sale on which it concerns shares.
const FIRST_DAY_OF_SALE: Date = date!(2022 - 04 - 01);
/// Months before the bonus within which the shares were bought.
const MONTHS_BEFORE: i32 = 3;
/// Months after the bonus within which the shares were sold.
const MONTHS_AFTER: i32 = 9;

/// Returns true if the loss of a line may not count. The record date is taken to be the ex-date, and bonus shares are taken to
/// be still held at the sale.
pub fn may_be_stripped(line: &TaxLine, adjustments: &[Adjustment]) -> bool {
    let is_loss = line.rule.is_some() && line.sell_value < line.buy_value && line.sold >= FIRST_DAY_OF_SALE;
    is_loss
        && adjustments.iter().any(|adjustment| {
            matches!(adjustment.kind, AdjustmentKind::Bonus { .. })
                && adjustment.symbol.eq_ignore_ascii_case(&line.symbol)
                && line.bought < adjustment.day
                && line.bought >= add_months(adjustment.day, -MONTHS_BEFORE)
                && line.sold >= adjustment.day
                && line.sold <= add_months(adjustment.day, MONTHS_AFTER)
        })
}

/// Returns the same day of a later or earlier month, or the last day of a shorter month.
fn add_months(day: Date, months: i32) -> Date {
    let month = day.year() * 12 + i32::from(u8::from(day.month())) - 1 + months;
    let (year, number) = (month.div_euclid(12), month.rem_euclid(12) + 1);
    let month = u8::try_from(number).ok().and_then(|number| Month::try_from(number).ok());
    let of_month = |day_of_month| Date::from_calendar_date(year, month?, day_of_month).ok();
    let shorter = (0..4).find_map(|days| of_month(day.day().checked_sub(days)?));
    shorter.unwrap_or(day.saturating_add(Duration::days(i64::from(months) * 30)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_calendar_months() {
        for (day, months, expected) in [
            (date!(2024 - 06 - 28), -3, date!(2024 - 03 - 28)),
            (date!(2024 - 06 - 28), 9, date!(2025 - 03 - 28)),
            (date!(2024 - 05 - 31), 9, date!(2025 - 02 - 28)),
            (date!(2024 - 05 - 31), -3, date!(2024 - 02 - 29)),
            (date!(2025 - 01 - 15), -3, date!(2024 - 10 - 15)),
        ] {
            assert_eq!(add_months(day, months), expected, "{day} {months}");
        }
    }
}
