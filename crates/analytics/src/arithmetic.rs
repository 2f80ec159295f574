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
