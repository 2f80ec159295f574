use rust_decimal::Decimal;

use super::*;

fn dec(text: &str) -> Decimal {
    text.parse().unwrap()
}

#[test]
fn numbers_are_read_without_their_dress() {
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
        (Cell::Truth(true), None),
    ];
    for (cell, expected) in cases {
        assert_eq!(decimal(cell), expected.map(dec), "{cell:?}");
    }
}

#[test]
fn a_number_in_too_long_a_text_is_none() {
    let dressed = |bytes: usize| format!("{:>bytes$}", "1,000");
    assert_eq!(decimal(Cell::Text(&dressed(LONGEST_TEXT))), Some(dec("1000")));
    assert_eq!(decimal(Cell::Text(&dressed(LONGEST_TEXT + 1))), None);
    let digits = |count: usize| decimal(Cell::Text(&format!("1.{}", "0".repeat(count - 2))));
    assert_eq!((digits(40), digits(41)), (Some(dec("1")), None));
}

#[test]
fn a_text_may_be_as_long_in_every_script() {
    let longest = "𑄌".repeat(LONGEST_TEXT);
    assert_eq!(text(Cell::Text(&longest)).as_deref(), Some(longest.as_str()));
    assert_eq!(text(Cell::Text(&format!("{longest}a"))), None);
}

#[test]
fn float_noise_is_taken_off_prices_of_two_decimals_alone() {
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
        assert_eq!(tidy_price(dec(price)), dec(expected), "{price}");
    }
}

#[test]
fn ids_are_digits_or_lost() {
    let known = |id: &'static str| Id::Known(Cow::Borrowed(id));
    let cases = [
        (Cell::Text(" 1100000012345678 "), known("1100000012345678")),
        (Cell::Text("'0012"), known("0012")),
        (Cell::Text("204512345.0"), known("204512345")),
        (Cell::Text("INE154A01025"), known("INE154A01025")),
        (Cell::Text("INE-1_a"), known("INE-1_a")),
        (Cell::Number(204_512_345.0), known("204512345")),
        (Cell::Number(1.749e18), Id::Missing),
        (Cell::Text("1.749E+18"), Id::Missing),
        (Cell::Text("2e8"), Id::Missing),
        (Cell::Text("1.10000e+15"), Id::Missing),
        (Cell::Text("-"), Id::Missing),
        (Cell::Text("NA"), Id::Missing),
        (Cell::Empty, Id::Missing),
        (Cell::Number(1.5), Id::Odd),
        (Cell::Number(-3.0), Id::Odd),
        (Cell::Number(f64::NAN), Id::Odd),
        (Cell::Text("a b"), Id::Odd),
        // Ids that only begin as a number with an exponent does.
        (Cell::Text("E5"), known("E5")),
        (Cell::Text("1E"), known("1E")),
        (Cell::Text("1EX"), known("1EX")),
        (Cell::Text("1aE5"), known("1aE5")),
        (Cell::Text("1.E5"), Id::Odd),
        (Cell::Text("1.aE5"), Id::Odd),
    ];
    for (cell, expected) in cases {
        assert_eq!(id(cell), expected, "{cell:?}");
    }
}

#[test]
fn moments_are_read_in_every_form() {
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
        let moment = moment_text(text).map(|moment| moment.instant().to_string());
        assert_eq!(moment.as_deref(), expected, "{text}");
    }
}

#[test]
fn serials_are_rounded_to_the_second() {
    let at = |days: f64| serial(days).map(|moment| moment.instant().to_string());
    assert_eq!(at(45_813.0).as_deref(), Some("2025-06-05 0:00:00.0 +05:30:00"));
    assert_eq!(at(45_813.385_682_870_37).as_deref(), Some("2025-06-05 9:15:23.0 +05:30:00"));
    assert_eq!(at(45_813.999_999).as_deref(), Some("2025-06-06 0:00:00.0 +05:30:00"));
    assert_eq!((at(1.0), at(1e9), at(f64::NAN)), (None, None, None));
}

#[test]
fn a_time_alone_is_a_text_or_a_part_of_a_day() {
    let at = |cell| time_of_day(cell).map(|time| time.to_string());
    for cell in [Cell::Number(0.385_682_870_37), Cell::Serial(0.385_682_870_37), Cell::Text(" 09:15:23 ")] {
        assert_eq!(at(cell).as_deref(), Some("9:15:23.0"), "{cell:?}");
    }
    for cell in [Cell::Number(1.5), Cell::Serial(-0.5), Cell::Text("noon"), Cell::Empty] {
        assert_eq!(at(cell), None, "{cell:?}");
    }
}
