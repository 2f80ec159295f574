//! Formats of numbers in sentences. The values are plain decimals such as `-1234.5`.

/// Formats a decimal with Indian grouping, such as 12,34,567.5.
pub(crate) fn number(value: &str) -> String {
    let (sign, digits) = split_sign(value);
    let (whole, decimals) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    format!("{sign}{}{decimals}", group_digits(whole))
}

/// Formats an amount with at most two decimals, such as ₹1,23,456.50.
pub(crate) fn rupees(value: &str) -> String {
    let (sign, digits) = split_sign(value);
    let (whole, paise) = digits.split_once('.').unwrap_or((digits, ""));
    format!("{sign}₹{}.{paise:0<2}", group_digits(whole))
}

fn split_sign(value: &str) -> (&'static str, &str) {
    value.strip_prefix('-').map_or(("", value), |digits| ("−", digits))
}

/// Separates the last three digits, and each pair of digits before them.
fn group_digits(whole: &str) -> String {
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        let remaining = whole.len() - index;
        if index > 0 && (remaining == 3 || remaining > 3 && remaining % 2 == 1) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_numbers_with_indian_grouping() {
        for (value, text) in [("0", "0"), ("999", "999"), ("10000", "10,000"), ("-1234567.5", "−12,34,567.5")] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn formats_rupees_with_paise() {
        for (value, text) in [
            ("0.5", "₹0.50"),
            ("-12345.67", "−₹12,345.67"),
            ("123456789.1", "₹12,34,56,789.10"),
            ("100000", "₹1,00,000.00"),
            ("999", "₹999.00"),
        ] {
            assert_eq!(rupees(value), text);
        }
    }
}
