//! What the file alone can tell of a trade that goes in all the same.

use rpc::trades::v1::Segment;

use super::fixtures::{self, EQUITY, text, tradebook, xlsx};
use super::{Outcome, read, tradebook_header};

/// A tradebook of these lines: symbol, ISIN, day and maybe time, price.
fn book(segment: &str, lines: &[(&str, &str, &str, &str)]) -> Outcome {
    let mut file = tradebook_header();
    for (number, (symbol, isin, day, price)) in lines.iter().enumerate() {
        let (day, time) = day.split_once('T').unwrap_or((day, "10:00:00"));
        file += &format!("\n{symbol},{isin},{day},NSE,{segment},,buy,false,1,{price},{number}1,7,{day}T{time}");
    }
    read(file.as_bytes())
}

const DAY: &str = "2025-06-05";

#[test]
fn a_price_that_no_share_can_have_that_day_is_told_and_taken() {
    let prices = |prices: &[&str]| {
        let lines: Vec<_> = prices.iter().map(|price| ("ITC", "", DAY, *price)).collect();
        book("EQ", &lines)
    };
    let outcome = prices(&["100", "120", "1000", "80"]);
    assert_eq!((outcome.located(), outcome.trades.len()), (vec![], 4));
    assert_eq!(outcome.warned(), [(4, "", "price_far")]);
    let message = &outcome.end.as_ref().unwrap().warnings[0].message;
    assert_eq!(message, "The price of ₹1000 is far from the day's other prices, which lie about ₹120. Check it.");
    // From the lowest a share can fall to, to the highest it can rise to.
    assert_eq!(prices(&["100", "80", "120", "80", "120"]).warned(), []);
    assert_eq!(prices(&["100", "100", "150.01"]).warned(), [(4, "", "price_far")]);
    assert_eq!(prices(&["100", "100", "150"]).warned(), []);
    assert_eq!(prices(&["100", "100", "66.66"]).warned(), [(4, "", "price_far")]);
    assert_eq!(prices(&["100", "100", "66.67"]).warned(), []);
    // Of two, nobody knows which is odd.
    assert_eq!(prices(&["100", "1000"]).warned(), []);
}

#[test]
fn other_days_and_other_shares_say_nothing_about_a_price() {
    let outcome = book(
        "EQ",
        &[
            ("ITC", "", DAY, "100"),
            ("ITC", "", "2025-06-06", "1000"),
            ("TCS", "", DAY, "3000"),
            ("ITC", "", DAY, "100"),
        ],
    );
    assert_eq!(outcome.warned(), []);
}

#[test]
fn a_day_is_one_of_india_from_its_first_second_to_its_last() {
    let prices = |moments: [&str; 3]| {
        let [first, second, third] = moments;
        book("EQ", &[("ITC", "", first, "100"), ("ITC", "", second, "100"), ("ITC", "", third, "1000")])
    };
    let whole = prices(["2025-06-05T00:00:00", "2025-06-05T09:15:00", "2025-06-05T23:59:59"]);
    assert_eq!(whole.warned(), [(4, "", "price_far")]);
    assert_eq!(prices(["2025-06-04T23:59:59", DAY, DAY]).warned(), []);
    assert_eq!(prices([DAY, DAY, "2025-06-06T00:00:00"]).warned(), []);
}

#[test]
fn an_option_may_fall_to_nothing_but_a_future_moves_as_its_share() {
    let prices = |symbol: &str| {
        let lines: Vec<_> = ["100", "100", "0.05"].iter().map(|price| (symbol, "", DAY, *price)).collect();
        let outcome = book("FO", &lines);
        assert_eq!(outcome.found.as_ref().unwrap().1, Segment::Fno);
        outcome.warned().iter().map(|(row, _, code)| (*row, (*code).to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(prices("NIFTY2560524750PE"), []);
    assert_eq!(prices("NIFTY25JUNFUT"), [(4, "price_far".to_owned())]);
}

#[test]
fn a_share_that_was_split_or_renamed_is_told_once() {
    let outcome = book(
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
    assert_eq!(outcome.warned(), [(3, "", "isin_changed"), (5, "", "symbol_changed")]);
    let warnings = &outcome.end.as_ref().unwrap().warnings;
    assert!(warnings[0].message.contains("than in row 2."), "{}", warnings[0].message);
    assert!(warnings[1].message.contains("than in row 3,"), "{}", warnings[1].message);
    assert_eq!(outcome.counts(), (7, 7, 0, 2, 0));
}

#[test]
fn a_share_that_the_exchanges_call_differently_was_not_renamed() {
    let lines = ["ITC,INE154A01025,2025-06-05,NSE", "ITCLTD,INE154A01025,2025-06-05,BSE"];
    let lines = lines.map(|line| format!("{line},EQ,,buy,false,1,100,{},7,", line.len()));
    let outcome = read(format!("{}\n{}", tradebook_header(), lines.join("\n")).as_bytes());
    assert_eq!((outcome.trades.len(), outcome.warned()), (2, vec![]));
}

#[test]
fn a_doubt_over_two_sheets_names_the_sheet() {
    let mut second = tradebook();
    second.name = "Equity 2";
    second.table.truncate(2);
    second.table[1][1] = text("INE019C01034");
    second.table[1][10] = text("999");
    let outcome = read(&xlsx(&[tradebook(), second]));
    assert_eq!(outcome.warned(), [(16, "", "isin_changed")]);
    let warning = &outcome.end.as_ref().unwrap().warnings[0];
    assert_eq!(warning.sheet, "Equity 2");
    assert!(warning.message.contains("in row 16 of the sheet Equity."), "{}", warning.message);
}

#[test]
fn a_contract_that_the_symbol_does_not_say_is_told_and_goes_in() {
    let outcome = book("FO", &[("SOMETHING", "", DAY, "100"), ("NIFTY2560524750PE", "", DAY, "100")]);
    assert_eq!(outcome.warned(), [(2, "A", "contract_unknown")]);
    assert_eq!(outcome.trades[0].contract, None);
    assert_eq!(outcome.trades[1].contract.as_ref().unwrap().expiry, "2025-06-05");
}

#[test]
fn a_thousand_warnings_are_kept_and_all_are_counted() {
    let mut sheet = fixtures::orders(text("1"));
    let rejected = sheet.table[4].clone();
    sheet.table.extend(std::iter::repeat_n(rejected, 1_500));
    let end = read(&xlsx(&[sheet])).end.unwrap();
    assert_eq!((end.warnings.len(), end.warning_count, end.skipped), (1_000, 1_502, 1_502));
}

#[test]
fn a_clean_file_has_no_warning() {
    assert_eq!(read(fixtures::tradebook_csv().as_bytes()).counts(), (EQUITY.len() as i64, 5, 0, 0, 0));
}
