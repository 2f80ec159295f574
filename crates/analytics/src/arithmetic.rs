//! Exact decimal arithmetic for amounts of money.

use rust_decimal::Decimal;

/// Returns the part of `amount` that belongs to the range from `from` to `to` of `whole`, rounded to 4 decimals.
///
/// It is the difference of two rounded cumulative amounts, so the parts of all ranges add up to `amount`.
pub fn prorate(amount: Decimal, from: Decimal, to: Decimal, whole: Decimal) -> Decimal {
    let cumulative = |end: Decimal| {
        if end >= whole || amount.is_zero() {
            return amount;
        }
        prorate_integers(amount, end, whole).unwrap_or_else(|| {
            let exact = amount.checked_mul(end).and_then(|product| product.checked_div(whole)).unwrap_or_default();
            exact.round_dp(4)
        })
    };
    if from.is_zero() { cumulative(to) } else { cumulative(to) - cumulative(from) }
}

/// Computes `amount * end / whole` for positive numbers, rounded to 4 decimals; none if an integer overflows.
///
/// Dividing decimals would take most of the time of an analysis; dividing integers is much faster.
fn prorate_integers(amount: Decimal, end: Decimal, whole: Decimal) -> Option<Decimal> {
    let units = |number: Decimal, scale: u32| {
        number.mantissa().checked_mul(10_i128.checked_pow(scale.checked_sub(number.scale())?)?)
    };
    let scale = end.scale().max(whole.scale());
    let whole = units(whole, scale)?;
    let product = units(amount, 4)?.checked_mul(units(end, scale)?)?;
    let rounded = product.checked_add(whole / 2)?.checked_div(whole)?;
    Decimal::try_from_i128_with_scale(rounded, 4).ok()
}

/// Divides an amount in proportion to weights, which are not negative. The parts have 4 decimals and add up to the amount.
pub fn allocate(amount: Decimal, weights: &[Decimal]) -> Vec<Decimal> {
    allocate_integers(amount, weights).unwrap_or_else(|| {
        let total: Decimal = weights.iter().sum();
        let (mut end, mut allocated) = (Decimal::ZERO, Decimal::ZERO);
        let part = |weight: &Decimal| {
            end += weight;
            let cumulative = prorate(amount, Decimal::ZERO, end, total);
            let part = cumulative - allocated;
            allocated = cumulative;
            part
        };
        weights.iter().map(part).collect()
    })
}

/// Computes the parts with integers, in a fraction of the time; none if a number is negative or too large for them.
fn allocate_integers(amount: Decimal, weights: &[Decimal]) -> Option<Vec<Decimal>> {
    let units = |number: Decimal, scale: u32| {
        let mantissa = u64::try_from(number.mantissa()).ok()?;
        mantissa.checked_mul(10_u64.checked_pow(scale.checked_sub(number.scale())?)?)
    };
    let scale = weights.iter().map(Decimal::scale).max()?;
    let amount = units(amount, 4)?;
    let mut ends = Vec::with_capacity(weights.len());
    let mut total = 0_u64;
    for weight in weights {
        total = total.checked_add(units(*weight, scale)?)?;
        ends.push(total);
    }
    if total == 0 {
        return None;
    }
    let mut parts = Vec::with_capacity(weights.len());
    let mut allocated = 0_u64;
    for end in ends {
        let cumulative = (u128::from(amount) * u128::from(end) + u128::from(total / 2)) / u128::from(total);
        let cumulative = u64::try_from(cumulative).ok()?;
        parts.push(Decimal::from_i128_with_scale((cumulative - allocated).into(), 4));
        allocated = cumulative;
    }
    Some(parts)
}

/// Divides and rounds to 4 decimals; none if `divisor` is zero.
pub fn divide(amount: Decimal, divisor: Decimal) -> Option<Decimal> {
    amount.checked_div(divisor).map(|quotient| quotient.round_dp(4))
}

/// Divides positive numbers and rounds half up to the paisa; none if `divisor` is zero or an integer overflows.
///
/// Integers are divided, which is much faster than dividing decimals.
pub fn divide_to_paise(amount: Decimal, divisor: Decimal) -> Option<Decimal> {
    let scaled = |number: Decimal, scale: u32| number.mantissa().checked_mul(10_i128.checked_pow(scale)?);
    let (dividend, divisor) = (scaled(amount, divisor.scale() + 2)?, scaled(divisor, amount.scale())?);
    let rounded = dividend.checked_add(divisor / 2)?.checked_div(divisor)?;
    Decimal::try_from_i128_with_scale(rounded, 2).ok()
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;

    #[test]
    fn allocated_parts_add_up_and_are_those_of_the_ranges_of_the_weights() {
        let decimals = |texts: &[&str]| texts.iter().map(|text| Decimal::from_str(text).unwrap()).collect::<Vec<_>>();
        for (amount, weights, expected) in [
            ("20", &["1", "1", "1"][..], Some(&["6.6667", "6.6666", "6.6667"][..])),
            ("1.0001", &["0.5", "0", "1.25"], Some(&["0.2857", "0", "0.7144"])),
            ("0", &["5", "7"], Some(&["0", "0"])),
            // The integers are too small for these.
            ("-1.5", &["1", "2"], None),
            ("0.00005", &["1", "3"], None),
            ("3", &["100000000000000000000", "50000000000000000000"], Some(&["2", "1"])),
        ] {
            let (total, weights) = (Decimal::from_str(amount).unwrap(), decimals(weights));
            let parts = allocate(total, &weights);
            assert_eq!(parts.iter().sum::<Decimal>(), total, "{amount}");
            let whole: Decimal = weights.iter().sum();
            let ends: Vec<Decimal> = weights
                .iter()
                .scan(Decimal::ZERO, |end, weight| {
                    *end += weight;
                    Some(*end)
                })
                .collect();
            for ((part, end), weight) in parts.iter().zip(ends).zip(&weights) {
                assert_eq!(*part, prorate(total, end - weight, end, whole), "{amount} {weights:?}");
            }
            if let Some(expected) = expected {
                assert_eq!(parts, decimals(expected), "{amount}");
            }
        }
        assert_eq!(allocate(Decimal::ONE, &[]), []);
        assert_eq!(allocate(Decimal::ONE, &decimals(&["0", "0"])), decimals(&["1", "0"]));
    }

    #[test]
    fn divides_and_rounds_half_up_to_the_paisa() {
        for (amount, divisor, expected) in [
            ("150003", "60000", Some("2.50")),
            ("15000300", "60000", Some("250.01")),
            ("15000299.99", "60000", Some("250.00")),
            ("100", "3", Some("33.33")),
            ("200.0000", "3.000000", Some("66.67")),
            ("1", "0", None),
        ] {
            let decimal = |text| Decimal::from_str(text).unwrap();
            assert_eq!(divide_to_paise(decimal(amount), decimal(divisor)), expected.map(decimal), "{amount} {divisor}");
        }
    }
}
