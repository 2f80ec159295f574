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
