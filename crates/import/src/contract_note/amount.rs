//! Amounts as contract notes print them.

use rust_decimal::Decimal;

use crate::formats::trade_fields::AMOUNT_LIMIT;

const MAX_AMOUNT_CHARS: usize = 30;

/// Printed amount.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Amount {
    /// Negative in parentheses, after a minus sign and before `DR`.
    pub value: Decimal,
    /// Has decimals, parentheses or a suffix, as amounts of money have and footnote digits have not.
    pub is_money: bool,
}

/// Parses a number with an optional sign, parentheses, or suffix `DR` or `CR`.
pub(super) fn parse(text: &str) -> Option<Amount> {
    if text.len() > MAX_AMOUNT_CHARS {
        return None;
    }
    let upper = text.to_ascii_uppercase();
    let (text, suffix) = match (upper.strip_suffix("DR"), upper.strip_suffix("CR")) {
        (Some(text), _) => (text, Some(true)),
        (_, Some(text)) => (text, Some(false)),
        (None, None) => (upper.as_str(), None),
    };
    let in_parentheses = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let text = in_parentheses.unwrap_or(text).trim_start_matches(['₹', ' ']);
    let (text, has_minus) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(text) => (text, true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    };
    let digits: String = text.chars().filter(|c| *c != ',').collect();
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|c| c.is_ascii_digit() || c == b'.')
        && digits.bytes().filter(|c| *c == b'.').count() <= 1;
    let number: Decimal = if is_number { digits.parse().ok()? } else { return None };
    // A product of two such numbers is still a decimal.
    if number >= AMOUNT_LIMIT {
        return None;
    }
    let is_negative = has_minus || in_parentheses.is_some() || suffix == Some(true);
    let is_money = digits.contains('.') || in_parentheses.is_some() || suffix.is_some();
    Some(Amount { value: if is_negative { -number } else { number }, is_money })
}

/// Returns true for the suffix of an amount that is printed as a word of its own.
pub(crate) fn is_suffix(text: &str) -> bool {
    text.eq_ignore_ascii_case("dr") || text.eq_ignore_ascii_case("cr")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_every_sign() {
        for (text, value, is_money) in [
            ("1,234.50", "1234.50", true),
            ("(1,234.50)", "-1234.50", true),
            ("-5", "-5", false),
            ("\u{2212}0.01", "-0.01", true),
            ("7.00DR", "-7.00", true),
            ("7Cr", "7", true),
            ("₹12.00", "12.00", true),
            ("2", "2", false),
        ] {
            assert_eq!(parse(text), Some(Amount { value: value.parse().unwrap(), is_money }), "{text}");
        }
        for text in ["", "9%", "DR", "1.2.3", "NSE", "()", "-", "10:15:00", "1e5", "100000000000"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
