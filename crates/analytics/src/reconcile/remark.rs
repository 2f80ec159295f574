//! Remarks for the trader on differences, and the format of amounts in them.

use rust_decimal::Decimal;

/// Reason why something differs, or is not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Stable code for programs.
    pub code: &'static str,
    pub sentence: String,
}

impl Remark {
    pub(super) fn new(code: &'static str, sentence: impl Into<String>) -> Self {
        Self { code, sentence: sentence.into() }
    }

    /// Returns the remark on a difference without a known cause.
    pub(super) fn unknown_cause() -> Self {
        Self::new("none", "We could not find the reason.")
    }
}

/// Formats rupees with Indian grouping, such as ₹1,23,456.50.
pub(super) fn format_rupees(amount: Decimal) -> String {
    let text = format!("{:.2}", amount.abs().round_dp(2));
    let (whole, paise) = text.split_once('.').unwrap_or((&text, "00"));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        let remaining = whole.len() - index;
        if index > 0 && (remaining == 3 || remaining > 3 && remaining % 2 == 1) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if amount.is_sign_negative() && !amount.is_zero() { "−" } else { "" };
    format!("{sign}₹{grouped}.{paise}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_rupees_with_indian_grouping() {
        for (amount, text) in [
            (Decimal::new(5, 1), "₹0.50"),
            (Decimal::new(-1_234_567, 2), "−₹12,345.67"),
            (Decimal::new(1_234_567_891, 1), "₹12,34,56,789.10"),
            (Decimal::new(100_000, 0), "₹1,00,000.00"),
            (Decimal::new(999, 0), "₹999.00"),
        ] {
            assert_eq!(format_rupees(amount), text);
        }
    }
}
