//! Periods of a tax year that end with the due days of advance tax and with the year. The return asks for gains and
//! dividends by period, because advance tax on them is due later.

use rust_decimal::Decimal;
use time::{Date, Month};

use crate::financial_year::FinancialYear;

pub const TAX_PERIODS: usize = 5;

/// Returns the last day of each period: 15 June, 15 September, 15 December, 15 March and 31 March.
pub fn period_ends(year: FinancialYear) -> [Date; TAX_PERIODS] {
    let day = |month, day| {
        let calendar_year = if month == Month::March { year.0 + 1 } else { year.0 };
        Date::from_calendar_date(calendar_year, month, day).unwrap_or(year.last_day())
    };
    [day(Month::June, 15), day(Month::September, 15), day(Month::December, 15), day(Month::March, 15), year.last_day()]
}

/// Returns the index of the period that a day lies in.
pub fn tax_period(day: Date) -> usize {
    let ends = period_ends(FinancialYear::from_day(day));
    ends.iter().position(|end| day <= *end).unwrap_or(TAX_PERIODS - 1)
}

/// Returns what is left of the gains of each period if `remaining` is left of the year. Losses reduce the earliest gains
/// first: neither the law nor the return says which, and no interest is due for gains that arise later.
pub fn reduce_earliest(gains: [Decimal; TAX_PERIODS], remaining: Decimal) -> [Decimal; TAX_PERIODS] {
    let gains = gains.map(|gain| gain.max(Decimal::ZERO));
    let mut reduction = gains.iter().sum::<Decimal>() - remaining;
    gains.map(|gain| {
        let part = reduction.min(gain);
        reduction -= part;
        gain - part
    })
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn days_on_both_sides_of_each_period() {
        for (day, period) in [
            (date!(2025 - 04 - 01), 0),
            (date!(2025 - 06 - 15), 0),
            (date!(2025 - 06 - 16), 1),
            (date!(2025 - 09 - 15), 1),
            (date!(2025 - 09 - 16), 2),
            (date!(2025 - 12 - 15), 2),
            (date!(2025 - 12 - 16), 3),
            (date!(2026 - 03 - 15), 3),
            (date!(2026 - 03 - 16), 4),
            (date!(2026 - 03 - 31), 4),
        ] {
            assert_eq!(tax_period(day), period, "{day}");
        }
    }

    #[test]
    fn losses_reduce_the_earliest_gains_first() {
        let reduced = |gains: [i64; 5], remaining: i64| {
            reduce_earliest(gains.map(Decimal::from), Decimal::from(remaining)).map(|gain| gain.to_string()).join(" ")
        };
        assert_eq!(reduced([100, 50, 0, 30, 20], 200), "100 50 0 30 20");
        assert_eq!(reduced([100, 50, 0, 30, 20], 80), "0 30 0 30 20");
        // A loss of a period is set off against the gains of the others.
        assert_eq!(reduced([-40, 50, 0, 30, 0], 40), "0 10 0 30 0");
        assert_eq!(reduced([100, 0, 0, 0, 0], 0), "0 0 0 0 0");
    }
}
