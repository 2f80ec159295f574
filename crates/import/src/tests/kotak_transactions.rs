//! Tests of Kotak Securities' transaction statement.

use rpc::trades::v1::Segment;

use super::fixtures::TestCell;
use super::layouts::{Layout, csv_file, row};
use super::read_segment;

fn build(rows: &[Vec<TestCell>]) -> Vec<u8> {
    let header = "Trade Date,Trade Time,Order Time,Security Name,ISIN,Exchange,Order Source,Transaction Type,Quantity,\
                  Market Rate,Total,GST,Brokerage,Misc.,Total Charges,STT/CTT";
    csv_file("\u{feff}", header, rows, "")
}

fn fill(
    day: &str,
    time: &str,
    name: &str,
    isin: &str,
    market: [&str; 2],
    quantity: &str,
    price: &str,
) -> Vec<TestCell> {
    row([
        day, time, time, name, isin, market[0], "WEB", market[1], quantity, price, "1.00", "0.10", "5.00", "0.50",
        "6.60", "1.00",
    ])
}

/// No ids: two equal fills of one second are two trades.
pub(super) fn layout() -> Layout {
    let sbi = fill("01/07/2026", "09:15:02", "STATE BANK OF INDIA", "INE062A01020", ["NSE", "BUY"], "10", "800.05");
    let option = "NIFTY 28 JUL 26 24150 CE";
    Layout {
        format: "kotak-transactions",
        is_verified: true,
        rows: vec![
            sbi.clone(),
            sbi,
            fill("02/07/2026", "10:00:00", "KOTAK MAHINDRA BANK LTD", "INE237A01036", ["BSE", "SELL"], "3", "400"),
            fill("02/07/2026", "10:00:00", option, "", ["NSE", "SELL"], "75", "100"),
            fill("03/07/2026", "10:00:00", option, "", ["NSE", "BUY"], "75", "90.5"),
            fill("03/07/2026", "10:00:00", "GOLD 05 AUG 26 FUT", "", ["MCX", "BUY"], "1", "90000"),
        ],
        day_column: 0,
        build,
        equity: [(2, 20, "16001"), (1, 3, "1200")],
        fno: [(1, 75, "6787.5"), (1, 75, "7500")],
        skipped: [0, 1],
    }
}

#[test]
fn rejects_a_row_that_is_neither_a_share_nor_a_known_contract() {
    let rows =
        [layout().rows[3].clone(), fill("02/07/2026", "10:00:00", "Something", "", ["NSE", "SELL"], "75", "100")];
    let outcome = read_segment(&build(&rows), Segment::Fno);
    assert_eq!(outcome.errors(), [(3, "D", "contract_invalid")]);
    assert_eq!(outcome.trades.len(), 1);
}
