//! Warnings about odd trades, which are imported.

use rpc::trades::v1::Segment;

use super::fixtures::{self, EQUITY, text, tradebook, xlsx};
use super::{Outcome, issue_text, read, tradebook_header};

/// Parses a tradebook of these lines: symbol, ISIN, date with an optional time, price.
fn read_tradebook(segment: &str, lines: &[(&str, &str, &str, &str)]) -> Outcome {
    let mut file = tradebook_header();
    for (number, (symbol, isin, day, price)) in lines.iter().enumerate() {
        let (day, time) = day.split_once('T').unwrap_or((day, "10:00:00"));
        file += &format!("\n{symbol},{isin},{day},NSE,{segment},,buy,false,1,{price},{number}1,7,{day}T{time}");
    }
    read(file.as_bytes())
}

const DAY: &str = "2025-06-05";

#[test]
fn warns_about_a_price_outside_the_daily_limit_of_a_share() {
    let prices = |prices: &[&str]| {
        let lines: Vec<_> = prices.iter().map(|price| ("ITC", "", DAY, *price)).collect();
        read_tradebook("EQ", &lines)
    };
    let outcome = prices(&["100", "120", "1000", "80"]);
    assert_eq!((outcome.errors(), outcome.trades.len()), (vec![], 4));
    assert_eq!(outcome.warnings(), [(4, "", "price_outlier")]);
    let message = issue_text(&outcome.summary.as_ref().unwrap().warnings[0]);
    assert_eq!(
        message,
        "The price of ₹1000 is far from the other prices of the day, which are around ₹120. Check the price."
    );
    // From the lowest possible price of a day to the highest.
    assert_eq!(prices(&["100", "80", "120", "80", "120"]).warnings(), []);
    assert_eq!(prices(&["100", "100", "150.01"]).warnings(), [(4, "", "price_outlier")]);
    assert_eq!(prices(&["100", "100", "150"]).warnings(), []);
    assert_eq!(prices(&["100", "100", "66.66"]).warnings(), [(4, "", "price_outlier")]);
    assert_eq!(prices(&["100", "100", "66.67"]).warnings(), []);
    // With two trades it is unknown which price is odd.
    assert_eq!(prices(&["100", "1000"]).warnings(), []);
}

#[test]
fn compares_prices_of_one_share_on_one_day_only() {
    let outcome = read_tradebook(
        "EQ",
        &[
            ("ITC", "", DAY, "100"),
            ("ITC", "", "2025-06-06", "1000"),
            ("TCS", "", DAY, "3000"),
            ("ITC", "", DAY, "100"),
        ],
    );
    assert_eq!(outcome.warnings(), []);
}

#[test]
fn compares_prices_by_days_in_india_time() {
    let prices = |moments: [&str; 3]| {
        let [first, second, third] = moments;
        read_tradebook("EQ", &[("ITC", "", first, "100"), ("ITC", "", second, "100"), ("ITC", "", third, "1000")])
    };
    let whole = prices(["2025-06-05T00:00:00", "2025-06-05T09:15:00", "2025-06-05T23:59:59"]);
    assert_eq!(whole.warnings(), [(4, "", "price_outlier")]);
    assert_eq!(prices(["2025-06-04T23:59:59", DAY, DAY]).warnings(), []);
    assert_eq!(prices([DAY, DAY, "2025-06-06T00:00:00"]).warnings(), []);
}

#[test]
fn compares_prices_of_futures_but_not_of_options() {
    let prices = |symbol: &str| {
        let lines: Vec<_> = ["100", "100", "0.05"].iter().map(|price| (symbol, "", DAY, *price)).collect();
        let outcome = read_tradebook("FO", &lines);
        assert_eq!(outcome.format.as_ref().unwrap().1, Segment::Fno);
        outcome.warnings().iter().map(|(row, _, code)| (*row, (*code).to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(prices("NIFTY2560524750PE"), []);
    assert_eq!(prices("NIFTY25JUNFUT"), [(4, "price_outlier".to_owned())]);
}

#[test]
fn warns_once_about_a_changed_isin_or_symbol() {
    let outcome = read_tradebook(
        "EQ",
        &[
            ("ITC", "INE154A01025", DAY, "100"),
            ("ITC", "INE154A01033", "2025-06-06", "10"),
            ("ITC", "INE154A01033", "2025-06-06", "10"),
            ("ITCNEW", "INE154A01033", "2025-06-09", "10"),
            ("ITCNEW", "INE154A01033", "2025-06-09", "10"),
            ("TCS", "", DAY, "3000"),
            ("TCS", "INE467B01029", "2025-06-06", "3000"),
        ],
    );
    assert_eq!(outcome.warnings(), [(3, "", "isin_changed"), (5, "", "symbol_changed")]);
    let warnings = &outcome.summary.as_ref().unwrap().warnings;
    assert!(issue_text(&warnings[0]).contains("than in row 2."), "{}", issue_text(&warnings[0]));
    assert!(issue_text(&warnings[1]).contains("than in row 3,"), "{}", issue_text(&warnings[1]));
    assert_eq!(outcome.counts(), (7, 7, 0, 2, 0));
}

#[test]
fn allows_different_symbols_on_different_exchanges() {
    let lines = ["ITC,INE154A01025,2025-06-05,NSE", "ITCLTD,INE154A01025,2025-06-05,BSE"];
    let lines = lines.map(|line| format!("{line},EQ,,buy,false,1,100,{},7,", line.len()));
    let outcome = read(format!("{}\n{}", tradebook_header(), lines.join("\n")).as_bytes());
    assert_eq!((outcome.trades.len(), outcome.warnings()), (2, vec![]));
}

#[test]
fn names_the_sheet_of_a_row_in_another_sheet() {
    let mut second = tradebook();
    second.name = "Equity 2";
    second.table.truncate(2);
    second.table[1][1] = text("INE019C01034");
    second.table[1][10] = text("999");
    let outcome = read(&xlsx(&[tradebook(), second]));
    assert_eq!(outcome.warnings(), [(16, "", "isin_changed")]);
    let warning = &outcome.summary.as_ref().unwrap().warnings[0];
    assert_eq!(warning.sheet, "Equity 2");
    assert!(issue_text(warning).contains("in row 16 of the sheet Equity."), "{}", issue_text(warning));
}

#[test]
fn imports_an_unknown_contract_with_a_warning() {
    let outcome = read_tradebook("FO", &[("SOMETHING", "", DAY, "100"), ("NIFTY2560524750PE", "", DAY, "100")]);
    assert_eq!(outcome.warnings(), [(2, "A", "contract_unknown")]);
    assert_eq!(outcome.trades[0].contract, None);
    assert_eq!(outcome.trades[1].contract.as_ref().unwrap().expiry, "2025-06-05");
}

#[test]
fn lists_a_thousand_warnings_and_counts_all() {
    let mut sheet = fixtures::orders(text("1"));
    let rejected = sheet.table[4].clone();
    sheet.table.extend(std::iter::repeat_n(rejected, 1_500));
    let summary = read(&xlsx(&[sheet])).summary.unwrap();
    assert_eq!((summary.warnings.len(), summary.warning_count, summary.skipped), (1_000, 1_502, 1_502));
}

#[test]
fn a_file_without_odd_trades_has_no_warnings() {
    assert_eq!(read(fixtures::tradebook_csv().as_bytes()).counts(), (EQUITY.len() as i64, 5, 0, 0, 0));
}
