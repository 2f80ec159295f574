mod fuzz;

use time::Date;
use time::macros::date;

use super::{Contract, Kind, parse_contract, parse_description, parse_symbol};

/// Underlying, expiry, kind and strike, which is empty for a future.
fn fields(contract: Option<Contract>) -> Option<(String, String, Kind, String)> {
    contract
        .map(|c| (c.underlying.clone(), c.expiry.clone(), c.kind, c.strike.map(|s| s.to_string()).unwrap_or_default()))
}

/// Symbol and day of the trade; the expected name, expiry, kind and strike; then the expiry column of the file and the
/// expected expiry if that column is used.
type Case = (&'static str, Date, &'static str, &'static str, Kind, &'static str, Option<Date>, &'static str);

const SYMBOLS: [Case; 17] = {
    use Kind::{Call, Future, Put};
    const JUNE: Date = date!(2025 - 06 - 03);
    [
        ("NIFTY2560524750PE", JUNE, "NIFTY", "2025-06-05", Put, "24750", Some(date!(2025 - 06 - 05)), "2025-06-05"),
        ("NIFTY25JUN24750CE", JUNE, "NIFTY", "2025-06", Call, "24750", Some(date!(2025 - 06 - 26)), "2025-06-26"),
        ("NIFTY26MAY23050PE", JUNE, "NIFTY", "2026-05", Put, "23050", None, ""),
        (
            "BANKNIFTY24FEBFUT",
            date!(2024 - 02 - 01),
            "BANKNIFTY",
            "2024-02",
            Future,
            "",
            Some(date!(2024 - 02 - 29)),
            "2024-02-29",
        ),
        ("NIFTYNXT502560565000PE", JUNE, "NIFTYNXT50", "2025-06-05", Put, "65000", None, ""),
        (
            "NIFTYNXT5025JUN65000PE",
            JUNE,
            "NIFTYNXT50",
            "2025-06",
            Put,
            "65000",
            Some(date!(2025 - 06 - 24)),
            "2025-06-24",
        ),
        ("360ONE25JUN1000CE", JUNE, "360ONE", "2025-06", Call, "1000", None, ""),
        ("M&M25JUN3000CE", JUNE, "M&M", "2025-06", Call, "3000", Some(date!(2025 - 06 - 26)), "2025-06-26"),
        ("BAJAJ-AUTO25JUN8600PE", JUNE, "BAJAJ-AUTO", "2025-06", Put, "8600", None, ""),
        ("BAJAJ-AUTO25JUNFUT", JUNE, "BAJAJ-AUTO", "2025-06", Future, "", Some(date!(2025 - 06 - 26)), "2025-06-26"),
        (
            "TATAPOWER25JUN392.5CE",
            JUNE,
            "TATAPOWER",
            "2025-06",
            Call,
            "392.5",
            Some(date!(2025 - 06 - 26)),
            "2025-06-26",
        ),
        ("NIFTY25O0724750PE", date!(2025 - 10 - 01), "NIFTY", "2025-10-07", Put, "24750", None, ""),
        ("NIFTY25N0424750PE", date!(2025 - 10 - 30), "NIFTY", "2025-11-04", Put, "24750", None, ""),
        (
            "SENSEX25D0481000CE",
            date!(2025 - 11 - 30),
            "SENSEX",
            "2025-12-04",
            Call,
            "81000",
            Some(date!(2025 - 12 - 04)),
            "2025-12-04",
        ),
        // Traded in one year, expires in the next.
        ("NIFTY2610126000CE", date!(2025 - 12 - 29), "NIFTY", "2026-01-01", Call, "26000", None, ""),
        // A share whose own name ends in CE.
        ("RELIANCE25JUN1400CE", JUNE, "RELIANCE", "2025-06", Call, "1400", None, ""),
        ("BAJFINANCE25JUNFUT", JUNE, "BAJFINANCE", "2025-06", Future, "", None, ""),
    ]
};

#[test]
fn parses_the_symbols_of_exchanges() {
    for (symbol, traded, name, expiry, kind, strike, day, with_day) in SYMBOLS {
        let expected = |expiry: &str| Some((name.to_owned(), expiry.to_owned(), kind, strike.to_owned()));
        assert_eq!(fields(parse_symbol(symbol, traded, None)), expected(expiry), "{symbol}");
        assert_eq!(fields(parse_symbol(&symbol.to_lowercase(), traded, None)), expected(expiry), "{symbol}");
        if day.is_some() {
            assert_eq!(fields(parse_symbol(symbol, traded, day)), expected(with_day), "{symbol}");
        }
    }
}

#[test]
fn rejects_symbols_that_are_not_contracts() {
    let traded = date!(2025 - 06 - 03);
    for symbol in [
        "RELIANCE",
        "BAJFINANCE",
        "ITC",
        "CE",
        "FUT",
        "25JUN100CE",
        "NIFTY25JUNCE",
        "NIFTY25JUN0CE",
        "NIFTY25JUN1.2.3CE",
        "NIFTY25JUN100FUT",
        "NIFTY25XXX100CE",
        "NIFTY2563124750PE",
        "NIFTY24MAY23050PE",
        "NIFTY₹25JUN100CE",
        "",
    ] {
        assert_eq!(fields(parse_symbol(symbol, traded, None)), None, "{symbol}");
        assert_eq!(fields(parse_symbol(symbol, traded, Some(date!(2025 - 06 - 26)))), None, "{symbol}");
    }
}

#[test]
fn ignores_an_expiry_column_that_contradicts_the_symbol() {
    let contract = fields(parse_symbol("NIFTY25JUN24750CE", date!(2025 - 06 - 03), Some(date!(2025 - 07 - 31))));
    assert_eq!(contract.unwrap().1, "2025-06");
}

#[test]
fn parses_descriptions_of_groww() {
    let cases = [
        ("NIFTY 16 JUN 26 23900 Call", Some(("NIFTY", "2026-06-16", Kind::Call, "23900"))),
        ("EICHERMOT 30 SEP 25 Fut", Some(("EICHERMOT", "2025-09-30", Kind::Future, ""))),
        ("BANKNIFTY 25 Nov 2025 58700 put", Some(("BANKNIFTY", "2025-11-25", Kind::Put, "58700"))),
        ("M&M 30 DEC 25 3162.5 Call", Some(("M&M", "2025-12-30", Kind::Call, "3162.5"))),
        ("NIFTY NEXT 50 30 DEC 25 70000 Put", Some(("NIFTY NEXT 50", "2025-12-30", Kind::Put, "70000"))),
        ("NIFTY 31 JUN 26 23900 Call", None),
        ("NIFTY 16 JUN 26 Call", None),
        ("16 JUN 26 23900 Call", None),
        ("Total", None),
        ("Call", None),
        ("", None),
    ];
    for (text, expected) in cases {
        let expected = expected.map(|(name, expiry, kind, strike): (&str, &str, _, &str)| {
            (name.to_owned(), expiry.to_owned(), kind, strike.to_owned())
        });
        assert_eq!(fields(parse_description(text)), expected, "{text}");
    }
}

#[test]
fn parses_a_contract_in_either_form() {
    let traded = date!(2025 - 06 - 03);
    let parse = |symbol| fields(parse_contract(symbol, traded)).map(|(name, expiry, ..)| (name, expiry));
    let nifty = |expiry: &str| Some(("NIFTY".to_owned(), expiry.to_owned()));
    assert_eq!(parse("NIFTY2560524750PE"), nifty("2025-06-05"));
    assert_eq!(parse("NIFTY 05 JUN 25 24750 PUT"), nifty("2025-06-05"));
    assert_eq!(parse("NIFTY"), None);
}

#[test]
fn parses_each_kind_from_its_name() {
    for kind in [Kind::Future, Kind::Call, Kind::Put] {
        assert_eq!(Kind::from_name(kind.name()), Some(kind));
    }
    assert_eq!(Kind::from_name("EQ"), None);
}
