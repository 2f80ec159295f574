use rust_decimal::Decimal;

use super::*;

fn dec(text: &str) -> Decimal {
    text.parse().unwrap()
}

#[test]
fn parses_numbers_with_commas_spaces_and_rupee_signs() {
    let cases = [
        (Cell::Number(960.849_976), Some("960.849976")),
        (Cell::Number(100_000.0), Some("100000")),
        (Cell::Number(f64::NAN), None),
        (Cell::Number(f64::INFINITY), None),
        (Cell::Number(1e300), None),
        (Cell::Text("10.000000"), Some("10")),
        (Cell::Text(" ₹ 1,00,000.50 "), Some("100000.50")),
        (Cell::Text("-5"), Some("-5")),
        (Cell::Text("1e5"), None),
        (Cell::Text("1_000"), None),
        (Cell::Text("."), None),
        (Cell::Text("1.2.3"), None),
        (Cell::Text("NaN"), None),
        (Cell::Text(""), None),
        (Cell::Serial(45_000.0), None),
        (Cell::Bool(true), None),
    ];
    for (cell, expected) in cases {
        assert_eq!(parse_decimal(cell), expected.map(dec), "{cell:?}");
    }
}

#[test]
fn rejects_a_number_in_a_too_long_text() {
    let padded = |bytes: usize| format!("{:>bytes$}", "1,000");
    assert_eq!(parse_decimal(Cell::Text(&padded(MAX_TEXT_CHARS))), Some(dec("1000")));
    assert_eq!(parse_decimal(Cell::Text(&padded(MAX_TEXT_CHARS + 1))), None);
    let digits = |count: usize| parse_decimal(Cell::Text(&format!("1.{}", "0".repeat(count - 2))));
    assert_eq!((digits(40), digits(41)), (Some(dec("1")), None));
}

#[test]
fn the_maximum_text_length_counts_characters() {
    let longest = "𑄌".repeat(MAX_TEXT_CHARS);
    assert_eq!(parse_text(Cell::Text(&longest)).as_deref(), Some(longest.as_str()));
    assert_eq!(parse_text(Cell::Text(&format!("{longest}a"))), None);
}

#[test]
fn removes_float_noise_from_prices_with_two_decimals() {
    let cases = [
        ("960.849976", "960.85"),
        ("2578.8999", "2578.9"),
        ("82.09999999999999", "82.1"),
        ("101.2345", "101.2345"),
        ("101.23456", "101.2346"),
        ("87654.2969", "87654.3"),
        ("0.05", "0.05"),
        ("100.005", "100.005"),
    ];
    for (price, expected) in cases {
        assert_eq!(round_price(dec(price)), dec(expected), "{price}");
    }
}

#[test]
fn parses_ids_and_recognises_rounded_ones() {
    let valid = |id: &'static str| Id::Valid(Cow::Borrowed(id));
    let cases = [
        (Cell::Text(" 1100000012345678 "), valid("1100000012345678")),
        (Cell::Text("'0012"), valid("0012")),
        (Cell::Text("204512345.0"), valid("204512345")),
        (Cell::Text("INE154A01025"), valid("INE154A01025")),
        (Cell::Text("INE-1_a"), valid("INE-1_a")),
        (Cell::Number(204_512_345.0), valid("204512345")),
        (Cell::Number(1.749e18), Id::Missing),
        (Cell::Text("1.749E+18"), Id::Missing),
        (Cell::Text("2e8"), Id::Missing),
        (Cell::Text("1.10000e+15"), Id::Missing),
        (Cell::Text("-"), Id::Missing),
        (Cell::Text("NA"), Id::Missing),
        (Cell::Empty, Id::Missing),
        (Cell::Number(1.5), Id::Invalid),
        (Cell::Number(-3.0), Id::Invalid),
        (Cell::Number(f64::NAN), Id::Invalid),
        (Cell::Text("a b"), Id::Invalid),
        // Ids that look like a number with an exponent only at the start.
        (Cell::Text("E5"), valid("E5")),
        (Cell::Text("1E"), valid("1E")),
        (Cell::Text("1EX"), valid("1EX")),
        (Cell::Text("1aE5"), valid("1aE5")),
        (Cell::Text("1.E5"), Id::Invalid),
        (Cell::Text("1.aE5"), Id::Invalid),
    ];
    for (cell, expected) in cases {
        assert_eq!(parse_id(cell), expected, "{cell:?}");
    }
}

#[test]
fn parses_dates_and_times_in_all_layouts() {
    let cases = [
        ("2025-06-05", Some("2025-06-05 0:00:00.0 +05:30:00")),
        ("05-06-2025", Some("2025-06-05 0:00:00.0 +05:30:00")),
        ("5/6/2025", Some("2025-06-05 0:00:00.0 +05:30:00")),
        ("2025-06-05T09:15:23", Some("2025-06-05 9:15:23.0 +05:30:00")),
        ("2025-06-05 09:15:23.123", Some("2025-06-05 9:15:23.0 +05:30:00")),
        ("05-06-2025 03:29 PM", Some("2025-06-05 15:29:00.0 +05:30:00")),
        ("05-06-2025 12:00 am", Some("2025-06-05 0:00:00.0 +05:30:00")),
        ("31-02-2025", None),
        ("2025-006-05", None),
        ("2025-06-05T25:00:00", None),
        ("2025-06-05 13:00 PM", None),
        ("05-06-25", None),
        ("1989-12-31", None),
        ("2101-01-01", None),
        ("٠٥-06-2025", None),
        ("", None),
    ];
    for (text, expected) in cases {
        let moment = parse_moment_text(text).map(|moment| moment.instant().to_string());
        assert_eq!(moment.as_deref(), expected, "{text}");
    }
}

#[test]
fn rounds_serials_to_the_second() {
    let at = |days: f64| parse_serial(days).map(|moment| moment.instant().to_string());
    assert_eq!(at(45_813.0).as_deref(), Some("2025-06-05 0:00:00.0 +05:30:00"));
    assert_eq!(at(45_813.385_682_870_37).as_deref(), Some("2025-06-05 9:15:23.0 +05:30:00"));
    assert_eq!(at(45_813.999_999).as_deref(), Some("2025-06-06 0:00:00.0 +05:30:00"));
    assert_eq!((at(1.0), at(1e9), at(f64::NAN)), (None, None, None));
}

#[test]
fn parses_a_time_of_day_without_a_date() {
    let at = |cell| parse_time_of_day(cell).map(|time| time.to_string());
    for cell in [Cell::Number(0.385_682_870_37), Cell::Serial(0.385_682_870_37), Cell::Text(" 09:15:23 ")] {
        assert_eq!(at(cell).as_deref(), Some("9:15:23.0"), "{cell:?}");
    }
    for cell in [Cell::Number(1.5), Cell::Serial(-0.5), Cell::Text("noon"), Cell::Empty] {
        assert_eq!(at(cell), None, "{cell:?}");
    }
}
