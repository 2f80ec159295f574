//! Tests of HDFC Securities' trade report.

use super::fixtures::TestCell;
use super::fuzz::display;
use super::layouts::{Layout, NO_TRADES, row};
use super::{RejectionReason, read};

const HEADER: [&str; 12] = [
    "Trade Date",
    "Order No",
    "Trade No",
    "Security Name",
    "ISIN",
    "Exchange",
    "Buy/Sell",
    "Quantity",
    "Rate",
    "Brokerage",
    "Net Rate",
    "Total",
];

fn build(rows: &[Vec<TestCell>]) -> Vec<u8> {
    let line = |cells: Vec<String>| {
        format!("<tr>{}</tr>\n", cells.iter().map(|cell| format!("<td>{cell}</td>")).collect::<String>())
    };
    let mut page = "<html><head><meta charset=\"utf-8\"></head><body><table border=1>\n".to_owned();
    page += &line(HEADER.map(str::to_owned).to_vec());
    page.extend(rows.iter().map(|row| line(row.iter().map(|cell| display(cell).replace('&', "&amp;")).collect())));
    (page + "</table></body></html>").into_bytes()
}

/// An HTML table that is named .xls.
pub(super) fn layout() -> Layout {
    let isin = "INE018A01030";
    Layout {
        format: "hdfcsecurities-trades",
        is_verified: false,
        rows: vec![
            row([
                "01/07/2026",
                "9001",
                "51",
                "LARSEN & TOUBRO LTD",
                isin,
                "NSE",
                "Buy",
                "10",
                "3,500.05",
                "1.00",
                "3,501.05",
                "35,010.50",
            ]),
            row([
                "01/07/2026",
                "9001",
                "52",
                "LARSEN & TOUBRO LTD",
                isin,
                "NSE",
                "Buy",
                "10",
                "3,500.05",
                "1.00",
                "3,501.05",
                "35,010.50",
            ]),
            row([
                "02/07/2026",
                "9002",
                "51",
                "LARSEN & TOUBRO LTD",
                isin,
                "BSE",
                "Sell",
                "20",
                "3,600",
                "1.00",
                "3,599.00",
                "71,980.00",
            ]),
        ],
        day_column: 0,
        build,
        equity: [(2, 20, "70001"), (1, 20, "72000")],
        fno: NO_TRADES,
        skipped: [0, 0],
    }
}

#[test]
fn a_web_page_with_another_table_is_an_unknown_file_and_one_without_a_table_is_a_web_page() {
    let page = String::from_utf8(layout().file()).unwrap().replace("Net Rate", "Other").replace("Order No", "Number");
    assert_eq!(read(page.as_bytes()).rejection.unwrap().0, RejectionReason::Unknown);
    let list = "<html><table><tr><td>Symbol</td><td>ITC</td></tr></table></html>";
    assert_eq!(read(list.as_bytes()).rejection.unwrap().0, RejectionReason::WebPage);
    assert_eq!(read(&layout().file()).trades[0].symbol, "LT");
}
