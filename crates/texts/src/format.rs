//! Formats of numbers and days in sentences. The values are plain decimals such as `-1234.5`, and ISO 8601 days.

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Formats a decimal with Indian grouping, such as 12,34,567.5.
pub fn number(value: &str) -> String {
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

/// Formats the day 2026-03-05 as 5 Mar 2026. Other values stay unchanged.
pub(crate) fn date(value: &str) -> String {
    let parts: Vec<&str> = value.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return value.to_owned() };
    let index = month.parse::<usize>().unwrap_or_default().wrapping_sub(1);
    let Some(month) = MONTHS.get(index) else { return value.to_owned() };
    format!("{} {month} {year}", day.trim_start_matches('0'))
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
    fn formats_days() {
        for (value, text) in
            [("2026-03-05", "5 Mar 2026"), ("2025-12-31", "31 Dec 2025"), ("2025-13-01", "2025-13-01"), ("x", "x")]
        {
            assert_eq!(date(value), text);
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
