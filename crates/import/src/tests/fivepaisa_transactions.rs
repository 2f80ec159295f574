//! Tests of 5paisa's transaction report.

use super::fixtures::TestCell;
use super::layouts::{Layout, NO_TRADES, row, xlsx_file};

const HEADER: [&str; 9] = [
    "Transaction Date",
    "Company Name",
    "Exchange",
    "Type",
    "Quantity",
    "Price",
    "Tax/Charges",
    "Brokerage",
    "Remarks",
];

fn build(rows: &[Vec<TestCell>]) -> Vec<u8> {
    xlsx_file("Sheet1", &[(1, &["Client Code", "50000001"]), (2, &["Name", "A TRADER"])], 8, &HEADER, rows)
}

/// Days without times or ids: two equal transactions are two trades.
pub(super) fn layout() -> Layout {
    let bought = ["Aug 19 2026", "5Paisa Capital Limited", "NSE", "Buy", "#10", "#400.5", "#1.2", "#20", ""];
    Layout {
        format: "5paisa-transactions",
        is_verified: false,
        rows: vec![
            row(bought),
            row(bought),
            row(["Aug 20 2026", "5Paisa Capital Limited", "BSE", "Sell", "#20", "1,000.00", "#1.2", "#20", ""]),
        ],
        day_column: 0,
        build,
        equity: [(2, 20, "8010"), (1, 20, "20000")],
        fno: NO_TRADES,
        skipped: [0, 0],
    }
}
