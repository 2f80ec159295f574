//! Tests of Dhan's global transaction report and of its trade history.

use rpc::trades::v1::{Segment, TimePrecision};

use super::fixtures::TestCell;
use super::layouts::{Layout, NO_TRADES, csv_file, row};
use super::{decimal, read_segment};

const TOTALS_HEADER: &str = "Date,Scrip Name,Exchange,Bill No.,Buy Qty.,Buy Value,Sell Qty.,Sell Value,Brokerage,GST,STT,\
                             SEBI Fees,Stamp Duty,Txn. Charges,Oth. Charges,Gross Amount";

fn build_totals(rows: &[Vec<TestCell>]) -> Vec<u8> {
    let preamble = "Global transction report,From 01-07-2026 to 31-07-2026\nName,A TRADER\nUCC,1100000001\n\
                    Mobile,0000000000\nEmail ID,trader@example.com\n\n";
    let end = "\"Net P&L\",\"1.00\",\"Brokerage\",\"2.00\",\"Gross P&L\",\"3.00\",\"Total Charges\",\"2.00\"\n\
               \"NOTE : This sheet was downloaded at 7/29/2026 12:03 AM\"\n";
    csv_file(preamble, TOTALS_HEADER, rows, end)
}

/// Returns a row with charges of 28.61 rupees. The amount after charges is called gross.
fn total(day: &str, name: &str, exchange: &str, bill: &str, bought: [&str; 2], sold: [&str; 2]) -> Vec<TestCell> {
    let value = |text: &str| decimal(&text.replace(',', ""));
    let net = (value(sold[1]) - value(bought[1]) - decimal("28.61")).to_string();
    row([
        day, name, exchange, bill, bought[0], bought[1], sold[0], sold[1], "20.00", "4.10", "1.00", "0.01", "1.00",
        "2.50", "0.00", &net,
    ])
}

/// Buys and sells of a day are on one row, and dates have the older or the newer form.
pub(super) fn totals() -> Layout {
    Layout {
        format: "dhan-transactions",
        is_verified: true,
        rows: vec![
            total("01 Jul 2026 00:00:00", "State Bank of India", "NSE", "N1", ["100", "80,005.55"], ["40", "32100.00"]),
            total(
                "01 Jul 2026 00:00:00",
                "OPT NIFTY 07 Jul 2026 23000 CE",
                "NSE",
                "N2",
                ["75", "7500.00"],
                ["75", "9001.50"],
            ),
            total("02-07-2026 00:00", "State Bank of India", "NSE", "N3", ["0", "0"], ["60", "48000.00"]),
            total("02-07-2026 00:00", "FUT WIPRO 28 Jul 2026", "NSE", "N4", ["3000", "7,50,000.00"], ["0", "0.00"]),
        ],
        day_column: 0,
        build: build_totals,
        equity: [(1, 100, "80005.55"), (2, 100, "80100")],
        fno: [(2, 3075, "757500"), (1, 75, "9001.5")],
        skipped: [0, 0],
    }
}

#[test]
fn a_total_that_changed_later_is_the_same_trade() {
    let keys = |file: Vec<u8>| {
        let outcome = read_segment(&file, Segment::Equity);
        assert!(outcome.trades.iter().all(|trade| trade.time_precision() == TimePrecision::Day));
        outcome.trades.iter().map(|trade| trade.source_key.clone()).collect::<Vec<_>>()
    };
    let mut later = totals().rows;
    later[0] = total("01-07-2026 00:00", "STATE BANK OF INDIA", "NSE", "N1", ["120", "96000"], ["40", "32100.00"]);
    assert_eq!(keys(build_totals(&later)), keys(totals().file()));
    assert_eq!(keys(totals().file()).iter().collect::<std::collections::HashSet<_>>().len(), 3);
}

#[test]
fn adds_the_charges_of_a_day_if_they_agree_with_the_amount_after_charges() {
    let mut rows = totals().rows;
    let stated = ["20", "1", "2.5", "0.01", "0", "1", "4.1"];
    let bought_and_sold = ("2026-07-01", "112105.55", stated);
    assert_eq!(
        read_segment(&build_totals(&rows), Segment::Equity).stated_charges(),
        [("2026-07-02", "48000", stated), bought_and_sold]
    );
    assert_eq!(read_segment(&build_totals(&rows), Segment::Fno).stated_charges()[1].1, "16501.5");
    rows[2][15] = super::fixtures::text("48000.00");
    let outcome = read_segment(&build_totals(&rows), Segment::Equity);
    assert_eq!(outcome.stated_charges(), [bought_and_sold]);
    assert!(outcome.warnings().contains(&(10, "P", "charges_disagree")), "{:?}", outcome.warnings());
}

#[test]
fn charges_without_quantity_count_and_a_possible_dp_charge_does_not() {
    let mut rows = totals().rows;
    rows.push(total("02-07-2026 00:00", "State Bank of India", "NSE", "N5", ["0", "0"], ["0", "0"]));
    let days = |rows: &[Vec<TestCell>]| {
        let outcome = read_segment(&build_totals(rows), Segment::Equity);
        outcome
            .stated_charges()
            .iter()
            .map(|(day, _, [brokerage, ..])| format!("{day} {brokerage}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(days(&rows), ["2026-07-02 40", "2026-07-01 20"]);
    if let Some(last) = rows.last_mut() {
        last[14] = super::fixtures::text("12.50");
        last[15] = super::fixtures::text("-41.11");
    }
    assert_eq!(days(&rows), ["2026-07-01 20"]);
    for (other, is_stated) in [("3.49", true), ("3.50", false), ("15.93", false)] {
        let mut rows = totals().rows;
        let net = decimal("48000") - decimal("28.61") - decimal(other);
        rows[2][14] = super::fixtures::text(other);
        rows[2][15] = super::fixtures::text(&net.to_string());
        assert_eq!(days(&rows).len(), if is_stated { 2 } else { 1 }, "{other}");
    }
}

fn build_with_status(rows: &[Vec<TestCell>]) -> Vec<u8> {
    csv_file("", "Name,Date,Time,Buy/Sell,Order,Exchange,Segment,Quantity,Trade Price,Trade Value,Status", rows, "")
}

/// Layout with a status and without ids: two equal fills are two trades.
pub(super) fn trades_with_status() -> Layout {
    let sbi = [
        "State Bank of India",
        "01-07-2026",
        "09:15:02",
        "BUY",
        "DELIVERY",
        "NSE",
        "Equity",
        "10",
        "800.05",
        "8000.50",
        "Traded",
    ];
    let option = "NIFTY 25 JUN 2026 24500 CALL";
    Layout {
        format: "dhan-trades",
        is_verified: false,
        rows: vec![
            row(sbi),
            row(sbi),
            row([
                "State Bank of India",
                "02-07-2026",
                "10:00:00",
                "SELL",
                "DELIVERY",
                "BSE",
                "Equity",
                "20",
                "810",
                "16200",
                "Traded",
            ]),
            row([
                "State Bank of India",
                "02-07-2026",
                "10:00:01",
                "SELL",
                "DELIVERY",
                "BSE",
                "Equity",
                "20",
                "810",
                "16200",
                "Rejected",
            ]),
            row([
                option,
                "24-06-2026",
                "10:00:00",
                "BUY",
                "INTRADAY",
                "NSE",
                "Derivatives",
                "75",
                "10.5",
                "787.5",
                "Traded",
            ]),
            row([
                "USDINR 28 JUL 2026 FUT",
                "24-06-2026",
                "10:00:00",
                "BUY",
                "INTRADAY",
                "NSE",
                "Currency",
                "1",
                "85",
                "85",
                "Traded",
            ]),
        ],
        day_column: 1,
        build: build_with_status,
        equity: [(2, 20, "16001"), (1, 20, "16200")],
        fno: [(1, 75, "787.5"), (0, 0, "0")],
        skipped: [1, 1],
    }
}

fn build_with_ids(rows: &[Vec<TestCell>]) -> Vec<u8> {
    csv_file("", "Date,Time,Exchange,Segment,Security Name,Buy/Sell,Quantity,Trade Price,Order No,Trade No", rows, "")
}

/// Layout with ids.
pub(super) fn trades_with_ids() -> Layout {
    Layout {
        format: "dhan-trades",
        is_verified: false,
        rows: vec![
            row([
                "2026-06-24",
                "09:20:00",
                "NSE",
                "FNO",
                "NIFTY 25 JUN 2026 24500 CALL",
                "B",
                "75",
                "10.5",
                "7001",
                "1",
            ]),
            row([
                "2026-06-24",
                "09:20:00",
                "NSE",
                "FNO",
                "NIFTY 25 JUN 2026 24500 CALL",
                "B",
                "75",
                "10.5",
                "7001",
                "2",
            ]),
            row([
                "2026-06-25",
                "09:20:00",
                "NSE",
                "FNO",
                "NIFTY 25 JUN 2026 24500 CALL",
                "S",
                "150",
                "12",
                "7002",
                "1",
            ]),
        ],
        day_column: 0,
        build: build_with_ids,
        equity: NO_TRADES,
        fno: [(2, 150, "1575"), (1, 150, "1800")],
        skipped: [0, 0],
    }
}
