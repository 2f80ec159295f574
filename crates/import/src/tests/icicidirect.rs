//! Tests of ICICI Direct's order book and of its portfolio with all transactions.

use super::fixtures::TestCell;
use super::layouts::{Layout, NO_TRADES, csv_file, row};
use super::read;

const ORDERS_HEADER: &str = "Date,Stock,Action,Qty,Price,Trade Value,Order Ref.,Settlement,Segment,DP Id - Client DP Id,\
                             Exchange,ISIN,STT,Transaction and SEBI Turnover charges,Stamp Duty,Brokerage + Service Tax,\
                             Brokerage Incl. Taxes";

fn build_orders(rows: &[Vec<TestCell>]) -> Vec<u8> {
    csv_file("", ORDERS_HEADER, rows, "")
}

fn order(day: &str, code: &str, side: &str, quantity: &str, price: &str, order: &str, isin: &str) -> Vec<TestCell> {
    row([
        day,
        code,
        side,
        quantity,
        price,
        "1",
        order,
        "2026141",
        "Rolling T1",
        "IN000000 - 00000000",
        "NSE",
        isin,
        "1.00",
        "0.10",
        "0.50",
        "10.00",
        "10.00",
    ])
}

/// The fills of an order share its number; two equal fills are two trades.
pub(super) fn orders() -> Layout {
    Layout {
        format: "icicidirect-orders",
        is_verified: false,
        rows: vec![
            order("28-Jul-26", "STABAN", "Buy", "1,000", "800.05", "20260728N100000001", "INE062A01020"),
            order("28-Jul-26", "STABAN", "Buy", "1,000", "800.05", "20260728N100000001", "INE062A01020"),
            order("28-Jul-26", "STABAN", "Buy", "1,000", "800.05", "20260728N100000002", "INE062A01020"),
            order("29-Jul-2026", "3MIND", "Sell", "2", "30,000.00", "20260729N100000001", ""),
        ],
        day_column: 0,
        build: build_orders,
        equity: [(3, 3000, "2400150"), (1, 2, "60000")],
        fno: NO_TRADES,
        skipped: [0, 0],
    }
}

#[test]
fn does_not_take_a_code_of_the_broker_for_a_symbol() {
    // Also the symbol of another share at NSE.
    let rows = [order("29-Jul-2026", "SBIN", "Sell", "2", "30,000.00", "1", "")];
    let outcome = read(&build_orders(&rows));
    assert_eq!(outcome.trades[0].symbol, "SBIN");
    assert!(outcome.warnings().contains(&(2, "B", "share_name_unknown")), "{:?}", outcome.warnings());
    assert_eq!(read(&orders().file()).trades[0].symbol, "SBIN");
}

#[test]
fn reads_an_order_book_without_the_column_for_the_isin() {
    let rows: Vec<_> = orders()
        .rows
        .into_iter()
        .map(|mut row| {
            row.remove(11);
            row
        })
        .collect();
    let outcome = read(&csv_file("\u{feff}", &ORDERS_HEADER.replace("ISIN,", ""), &rows, ""));
    assert_eq!((outcome.trades.len(), outcome.trades[0].symbol.as_str()), (4, "STABAN"));
}

fn build_portfolio(rows: &[Vec<TestCell>]) -> Vec<u8> {
    let header = "Stock Symbol,Company Name,ISIN Code,Action,Quantity,Transaction Price,Brokerage,Transaction Charges,\
                  StampDuty,Segment,STT Paid/Not Paid,Remarks,Transaction Date,Exchange,";
    csv_file("", header, rows, "")
}

fn transaction(side: &str, quantity: &str, price: &str, remarks: &str, day: &str) -> Vec<TestCell> {
    row([
        "STABAN",
        "STATE BANK OF INDIA",
        "INE062A01020",
        side,
        quantity,
        price,
        "10.00",
        "1.00",
        "1.00",
        "Rolling",
        "STT Paid",
        remarks,
        day,
        "NSE",
        "",
    ])
}

/// Each row ends with a comma. A split or a bonus is no purchase.
pub(super) fn portfolio() -> Layout {
    Layout {
        format: "icicidirect-portfolio",
        is_verified: true,
        rows: vec![
            transaction("Buy", "10", "280.50", "icicidirect", "11-Jul-2017"),
            transaction("Buy", "10", "280.50", "icicidirect", "11-Jul-2017"),
            transaction("Buy", "90", "0", "Split/bonus", "12-Jul-2017"),
            transaction("Sell", "20", "300", "icicidirect", "13-Jul-2017"),
        ],
        day_column: 12,
        build: build_portfolio,
        equity: [(2, 20, "5610"), (1, 20, "6000")],
        fno: NO_TRADES,
        skipped: [1, 0],
    }
}
