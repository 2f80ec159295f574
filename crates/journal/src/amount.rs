//! Decimals in messages.

use rust_decimal::Decimal;

/// Maximum number of digits before the decimal point, and after it: half of the 28 digits of a decimal.
const MAX_DIGITS: usize = 14;

/// Error of [`parse_amount`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AmountError {
    NotANumber,
    /// Too many digits before the decimal point.
    TooLarge,
    /// Too many digits after the decimal point.
    TooPrecise,
}

pub(crate) const fn quantity_reason(error: AmountError) -> &'static str {
    match error {
        AmountError::NotANumber => "QUANTITY_NOT_A_NUMBER",
        AmountError::TooLarge => "QUANTITY_OUT_OF_RANGE",
        AmountError::TooPrecise => "QUANTITY_TOO_PRECISE",
    }
}

pub(crate) const fn price_reason(error: AmountError) -> &'static str {
    match error {
        AmountError::NotANumber => "PRICE_NOT_A_NUMBER",
        AmountError::TooLarge => "PRICE_OUT_OF_RANGE",
        AmountError::TooPrecise => "PRICE_TOO_PRECISE",
    }
}

/// Parses digits with an optional fraction and an optional leading minus; no exponent, no plus sign.
pub(crate) fn parse_amount(text: &str) -> Result<Decimal, AmountError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return Err(AmountError::NotANumber);
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    if whole.len() > MAX_DIGITS {
        return Err(AmountError::TooLarge);
    }
    if fraction.len() > MAX_DIGITS {
        return Err(AmountError::TooPrecise);
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    Decimal::from_str_exact(&format!("{sign}0{whole}.{fraction}0")).map_err(|_| AmountError::NotANumber)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_plain_decimals_only() {
        for (text, want) in [("1", "1"), ("-1.50", "-1.5"), ("007", "7"), ("0.000001", "0.000001"), ("-0", "0")] {
            assert_eq!(parse_amount(text).unwrap(), want.parse().unwrap(), "{text}");
        }
        for text in ["", "-", "1.", ".5", "+1", "1e3", "1,000", "NaN", "1_0"] {
            assert_eq!(parse_amount(text), Err(AmountError::NotANumber), "{text}");
        }
        assert_eq!(parse_amount(&"9".repeat(15)), Err(AmountError::TooLarge));
        assert_eq!(parse_amount(&format!("1.{}", "1".repeat(15))), Err(AmountError::TooPrecise));
    }
}
