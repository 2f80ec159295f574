//! Tests of Paytm Money's tradebook.

use super::fixtures::TestCell;
use super::layouts::{Layout, NO_TRADES, row, xlsx_file};
use super::read;

const HEADER: [&str; 17] = [
    "Date",
    "Script",
    "ISIN",
    "Exchange",
    "Product Type",
    "Type",
    "Quantity",
    "Price",
    "Brokerage",
    "ETT",
    "GST",
    "STT",
    "SEBI",
    "Stamp Duty",
    "Order Number",
    "Trade Number",
    "Trade Time",
];

fn build(rows: &[Vec<TestCell>]) -> Vec<u8> {
    let preamble: [(u32, &[&str]); 4] = [
        (1, &["UCC", "1000001"]),
        (2, &["Name", "A TRADER"]),
        (3, &["PAN Number", "ABCDE1234F"]),
        (4, &["Period", "01-06-2026 to 31-07-2026"]),
    ];
    xlsx_file("Sheet1", &preamble, 6, &HEADER, rows)
}

fn fill(
    day: &str,
    script: &str,
    isin: &str,
    market: [&str; 2],
    quantity: &str,
    price: &str,
    ids: [&str; 3],
) -> Vec<TestCell> {
    row([
        day, script, isin, market[0], "EQ", market[1], quantity, price, "#0", "#0.1", "#0.02", "#1", "#0.01", "#1",
        ids[0], ids[1], ids[2],
    ])
}

/// The script is a symbol in older months and a number in newer ones; a trade number of 0 has no time.
pub(super) fn layout() -> Layout {
    let day = "01-07-2026";
    Layout {
        format: "paytmmoney-tradebook",
        is_verified: true,
        rows: vec![
            fill(
                "30-06-2026",
                "SBIN",
                "INE062A01020",
                ["NSE", "Buy"],
                "#10",
                "#800",
                ["1100000000000001", "31", "09:15:02"],
            ),
            fill(day, "#3045", "INE062A01020", ["NSE", "Sell"], "#5", "#810.5", ["1100000000000002", "31", "10:00:00"]),
            fill(day, "#3045", "INE062A01020", ["NSE", "Sell"], "#5", "#810.5", ["1100000000000002", "32", "10:00:00"]),
            fill(day, "#99999", "INE000X01010", ["BSE", "Buy"], "#1", "#50", ["1100000000000003", "#0", ""]),
            fill(day, "#99999", "INE000X01010", ["BSE", "Buy"], "#1", "#50", ["1100000000000003", "#0", ""]),
        ],
        day_column: 0,
        build,
        equity: [(3, 12, "8100"), (2, 10, "8105")],
        fno: NO_TRADES,
        skipped: [0, 0],
    }
}

#[test]
fn joins_a_share_by_its_isin() {
    let outcome = read(&layout().file());
    let symbols: Vec<_> = outcome.trades.iter().map(|trade| trade.symbol.as_str()).collect();
    assert_eq!(symbols, ["SBIN", "SBIN", "SBIN", "INE000X01010", "INE000X01010"]);
    assert_eq!(outcome.warnings(), [(10, "C", "share_name_unknown")]);
}

#[test]
fn rejects_a_row_without_an_isin() {
    let mut rows = layout().rows;
    rows[0][2] = TestCell::Blank;
    assert_eq!(read(&build(&rows)).errors(), [(7, "C", "isin_missing")]);
}

#[test]
fn adds_the_charges_of_a_day() {
    let outcome = read(&layout().file());
    assert_eq!(
        outcome.stated_charges(),
        [
            ("2026-07-01", "8205", ["0", "4", "0.4", "0.04", "0", "4", "0.08"]),
            ("2026-06-30", "8000", ["0", "1", "0.1", "0.01", "0", "1", "0.02"]),
        ]
    );
}
