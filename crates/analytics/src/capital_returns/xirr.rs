//! Annual rate of dated cash flows, as the spreadsheet function XIRR defines it.

use std::collections::BTreeMap;

use time::Date;

const DAYS_PER_YEAR: f64 = 365.0;
/// Intervals in which roots are searched. They are narrow near a rate of zero: about 0.04 in the logarithm of growth.
const SEARCH_STEPS: u32 = 512;
/// Steps of a bisection; each halves the interval.
const BISECTIONS: u32 = 100;

/// Returns the annual rate `r` with the sum of `flow / (1 + r)^(days / 365)` equal to zero (actual/365, as in Excel and
/// LibreOffice). Money that the investor pays in is negative. None if no rate or more than one solves it.
pub fn xirr(flows: &BTreeMap<Date, f64>) -> Option<f64> {
    let first = *flows.iter().find(|(_, amount)| **amount != 0.0)?.0;
    let years = |day: Date| f64::from(i32::try_from((day - first).whole_days()).unwrap_or(i32::MAX)) / DAYS_PER_YEAR;
    let terms: Vec<(f64, f64)> =
        flows.iter().filter(|(_, amount)| **amount != 0.0).map(|(day, amount)| (years(*day), *amount)).collect();
    let (lowest, highest) = growth_bounds(&terms)?;
    // The number of sign changes of the flows limits the number of rates (Descartes' rule for exponential sums).
    let has_one_rate = count_sign_changes(terms.iter().map(|(_, amount)| *amount)) == 1;
    let growth = if has_one_rate { bisect(&terms, lowest, highest) } else { find_only_root(&terms, lowest, highest)? };
    Some(growth.exp_m1())
}

/// Returns the limits between which every root is: beyond them, the first or the last flow outweighs all others. None if
/// no rate can solve the sum.
fn growth_bounds(terms: &[(f64, f64)]) -> Option<(f64, f64)> {
    let ([(_, first), (second_at, _), ..], [.., (before_last_at, _), (last_at, last)]) = (terms, terms) else {
        return None;
    };
    if count_sign_changes(terms.iter().map(|(_, amount)| *amount)) == 0 {
        return None;
    }
    let sum: f64 = terms.iter().map(|(_, amount)| amount.abs()).sum();
    let bound = |amount: &f64, gap: f64| (sum / amount.abs()).ln() / gap;
    Some((-bound(last, last_at - before_last_at) - 1.0, bound(first, *second_at) + 1.0))
}

fn count_sign_changes(values: impl Iterator<Item = f64>) -> usize {
    let signs: Vec<bool> = values.map(f64::is_sign_negative).collect();
    signs.array_windows().filter(|[one, next]| one != next).count()
}

/// Returns whether the present value is negative for a continuous growth. The largest discount factor is divided out, so
/// that no term overflows.
fn is_negative(terms: &[(f64, f64)], growth: f64) -> bool {
    let largest = terms.iter().map(|(at, _)| -growth * at).fold(f64::NEG_INFINITY, f64::max);
    terms.iter().map(|(at, amount)| amount * (-growth * at - largest).exp()).sum::<f64>() < 0.0
}

fn bisect(terms: &[(f64, f64)], mut low: f64, mut high: f64) -> f64 {
    let is_negative_below = is_negative(terms, low);
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if is_negative(terms, middle) == is_negative_below { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// Returns the root if there is exactly one.
fn find_only_root(terms: &[(f64, f64)], lowest: f64, highest: f64) -> Option<f64> {
    let (from, to) = (lowest.asinh(), highest.asinh());
    let step = (to - from) / f64::from(SEARCH_STEPS);
    let points: Vec<f64> = (0..=SEARCH_STEPS).map(|index| step.mul_add(f64::from(index), from).sinh()).collect();
    let signs: Vec<bool> = points.iter().map(|growth| is_negative(terms, *growth)).collect();
    let mut brackets = points
        .array_windows()
        .zip(signs.array_windows())
        .filter_map(|([low, high], [one, next])| (one != next).then_some((*low, *high)));
    let (low, high) = brackets.next()?;
    brackets.next().is_none().then(|| bisect(terms, low, high))
}

#[cfg(test)]
mod tests {
    use time::macros::{date, format_description};

    use super::*;

    fn rate(flows: &[(&str, f64)]) -> Option<f64> {
        let format = format_description!("[year]-[month]-[day]");
        xirr(&flows.iter().map(|(day, amount)| (Date::parse(day, format).unwrap(), *amount)).collect())
    }

    /// The first case is that of Microsoft's reference of XIRR; all rates were computed by LibreOffice 7.4 (`=XIRR(…)`).
    #[test]
    fn equals_the_spreadsheet_function() {
        for (flows, expected) in EXPECTED {
            let rate = rate(flows).unwrap();
            assert!((rate - expected).abs() < 1e-7 * (1.0 + expected.abs()), "{flows:?}: {rate}, {expected}");
        }
    }

    /// Flows and rates.
    const EXPECTED: &[(&[(&str, f64)], f64)] = &[
        (
            &[
                ("2008-01-01", -10_000.0),
                ("2008-03-01", 2_750.0),
                ("2008-10-30", 4_250.0),
                ("2009-02-15", 3_250.0),
                ("2009-04-01", 2_750.0),
            ],
            0.373362535,
        ),
        (&[("2025-04-01", -100_000.0), ("2026-04-01", 112_000.0)], 0.12),
        (&[("2025-03-31", -1_000.0), ("2025-04-01", -1_000.0), ("2026-03-31", 2_025.0)], 0.0125172534997947),
        (
            &[
                ("2024-04-01", -100_000.0),
                ("2024-07-15", -50_000.0),
                ("2025-01-10", 30_000.0),
                ("2025-06-20", -20_000.0),
                ("2025-11-28", 155_000.55),
            ],
            0.0677245254971569,
        ),
        (&[("2025-04-01", -100_000.0), ("2025-08-01", -50_000.0), ("2026-03-31", 40_000.0)], -0.782663190433519),
        (&[("2025-01-01", -1_000.0), ("2025-04-01", 2_500.0)], 40.1024597710876),
        (&[("2020-02-29", -75_000.25), ("2021-03-01", -12_500.5), ("2024-02-29", 250_000.75)], 0.311160177890959),
        (&[("2025-04-01", -1_000.0), ("2025-05-01", 999.0), ("2026-03-31", 1.0)], 0.0),
    ];

    #[test]
    fn needs_money_in_both_directions() {
        assert_eq!(rate(&[]), None);
        assert_eq!(rate(&[("2025-04-01", -100.0)]), None);
        assert_eq!(rate(&[("2025-04-01", -100.0), ("2026-04-01", -50.0)]), None);
        assert_eq!(rate(&[("2025-04-01", 0.0), ("2026-04-01", 0.0)]), None);
    }

    #[test]
    fn has_no_rate_if_none_or_several_solve_it() {
        // (1 + r) is 1.1 or 1.2: 1.32 - 2.3 (1 + r) + (1 + r)² = 0.
        let several = [("2023-01-01", -100.0), ("2024-01-01", 230.0), ("2024-12-31", -132.0)];
        assert_eq!(rate(&several), None);
        // x² - 2x + 2 has no real root.
        assert_eq!(rate(&[("2023-01-01", -100.0), ("2024-01-01", 200.0), ("2024-12-31", -200.0)]), None);
    }

    #[test]
    fn has_one_rate_in_spite_of_several_sign_changes() {
        // A trader who pays in and takes out by turns.
        let flows: Vec<(Date, f64)> = (0_i32..24)
            .map(|month| {
                let day = date!(2024 - 01 - 01) + time::Duration::days(i64::from(month) * 30);
                (day, if month % 2 == 0 { -1_000.0 } else { 400.0 })
            })
            .chain([(date!(2025 - 12 - 31), 9_000.0)])
            .collect();
        let flows: BTreeMap<Date, f64> = flows.into_iter().collect();
        let rate = xirr(&flows).unwrap();
        let value: f64 = flows
            .iter()
            .map(|(day, amount)| {
                let years = (*day - date!(2024 - 01 - 01)).whole_days() as f64 / 365.0;
                amount / (1.0 + rate).powf(years)
            })
            .sum();
        assert!(value.abs() < 1e-6 && rate > 0.0, "{rate} {value}");
    }
}
