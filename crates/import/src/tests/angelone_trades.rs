//! Tests of Angel One's trades history.

use rpc::trades::v1::Segment;

use super::fixtures::{TestCell, text};
use super::layouts::{Layout, row, xlsx_file};
use super::read_segment;

const HEADER: [&str; 19] = [
    "Scrip/Contract",
    "Buy/Sell",
    "Buy Price",
    "Sell Price",
    "Quantity",
    "Brokerage",
    "GST",
    "STT",
    "Sebi Tax",
    "Exchange Turnover Charges",
    "Stamp Duty",
    "Other Charges",
    "IPFT Charges",
    "Order Type",
    "Segment",
    "Exchange",
    "Order ID",
    "Trade ID",
    "Date",
];

fn build(rows: &[Vec<TestCell>]) -> Vec<u8> {
    let preamble: [(u32, &[&str]); 6] = [
        (1, &["ClientCode", "A123456"]),
        (2, &["DateOfDownload", "01/09/2026"]),
        (4, &["StartDate", "01/07/2026"]),
        (8, &["Charges Summary"]),
        (20, &["Total Trade Charges", "12.50"]),
        (32, &["TradeBook And Charges"]),
    ];
    xlsx_file("TradesAndCharges", &preamble, 34, &HEADER, rows)
}

fn fill(
    name: &str,
    side: &str,
    price: &str,
    quantity: &str,
    market: [&str; 3],
    ids: [&str; 2],
    day: &str,
) -> Vec<TestCell> {
    let (buy, sell) = if side == "Buy" { (price, "") } else { ("", price) };
    let [kind, segment, exchange] = market;
    row([
        name, side, buy, sell, quantity, "#0", "#0.1", "#1", "#0.01", "#0.3", "#0.1", "#0", "#0.01", kind, segment,
        exchange, ids[0], ids[1], day,
    ])
}

/// The flat brokerage of an order of options is a row of its own.
pub(super) fn layout() -> Layout {
    let shares = ["Delivery", "CAPITAL", "NSE"];
    let contracts = ["Intraday", "FUTURES", "NSE"];
    let of_bse = ["Intraday", "FUTURES", "BSE"];
    let nifty = "OPTIDX NIFTY Aug 25 2026 24150.00 PE (BT)";
    Layout {
        format: "angelone-trades",
        is_verified: true,
        rows: vec![
            fill("PAYTM", "Buy", "#1021.5", "#10", shares, ["110000001", "51"], "@46261"),
            fill("PAYTM", "Buy", "#1021.5", "#10", shares, ["110000001", "52"], "@46261"),
            fill("RELIANCE", "Sell", "#1400", "#4", ["Delivery", "CAPITAL", "BSE"], ["110000002", "51"], "@46262"),
            fill(nifty, "Buy", "#150.05", "#75", contracts, ["210000001", "9001"], "@46261"),
            fill(nifty, "Sell", "#160", "#75", contracts, ["210000002", "9002"], "@46261"),
            fill(
                "BSXOPT SENSEX Aug 27 2026 80000.00 CE (BT)",
                "Sell",
                "#99.95",
                "#20",
                of_bse,
                ["210000003", "9002"],
                "@46262",
            ),
            fill(nifty, "Buy", "#0", "#0", contracts, ["210000001", ""], "@46261"),
            fill(nifty, "Sell", "#0", "#0", contracts, ["210000002", ""], "@46261"),
        ],
        day_column: 18,
        build,
        equity: [(2, 20, "20430"), (1, 4, "5600")],
        fno: [(1, 75, "11253.75"), (2, 95, "13999")],
        skipped: [0, 2],
    }
}

#[test]
fn reads_contracts_order_ids_and_dates_without_times() {
    let outcome = read_segment(&layout().file(), Segment::Fno);
    let option = &outcome.trades[0];
    assert_eq!(option.symbol, "NIFTY 25 AUG 26 24150 PE");
    assert_eq!((option.order_id.as_str(), option.time_precision()), ("210000001", super::TimePrecision::Day));
    assert_eq!(option.source_key, "2026-08-27/NSE/FO/9001/BUY");
    assert_eq!(outcome.warnings(), [(1, "", "other_segment"), (41, "E", "brokerage_row"), (42, "E", "brokerage_row")]);
}

#[test]
fn reads_a_date_that_a_spreadsheet_program_saved_in_american_order() {
    let mut rows = layout().rows;
    rows[0][18] = text("8/27/26 0:00");
    assert_eq!(read_segment(&build(&rows), Segment::Equity).keys()[0], "2026-08-27/NSE/EQ/51/BUY");
}

#[test]
fn adds_the_charges_of_a_day_with_those_of_its_orders() {
    let file = layout().file();
    // Each row states 1.52 rupees, and two trades of 27 August are shares.
    assert_eq!(
        read_segment(&file, Segment::Equity).stated_charges(),
        [
            ("2026-08-28", "5600", ["0", "1", "0.3", "0.01", "0.01", "0.1", "0.1"]),
            ("2026-08-27", "20430", ["0", "2", "0.6", "0.02", "0.02", "0.2", "0.2"]),
        ]
    );
    // Two trades, and two rows with only the brokerage of an order.
    let mut rows = layout().rows;
    for order in [6, 7] {
        rows[order][5] = TestCell::Number(20.0);
    }
    assert_eq!(
        read_segment(&build(&rows), Segment::Fno).stated_charges(),
        [
            ("2026-08-28", "1999", ["0", "1", "0.3", "0.01", "0.01", "0.1", "0.1"]),
            ("2026-08-27", "23253.75", ["40", "4", "1.2", "0.04", "0.04", "0.4", "0.4"]),
        ]
    );
}

#[test]
fn states_no_charges_of_a_day_that_is_not_read_completely() {
    let days = |change: fn(&mut Vec<Vec<TestCell>>)| {
        let mut rows = layout().rows;
        change(&mut rows);
        let outcome = read_segment(&build(&rows), Segment::Equity);
        let days: Vec<String> = outcome.stated_charges().iter().map(|(day, ..)| (*day).to_owned()).collect();
        (days, outcome.errors().len(), outcome.warnings().iter().any(|(.., code)| *code == "charge_invalid"))
    };
    let only_28 = vec!["2026-08-28".to_owned()];
    assert_eq!(days(|rows| rows[0][7] = text("unknown")), (only_28.clone(), 0, true));
    assert_eq!(days(|rows| rows[0][4] = text("-3")), (only_28.clone(), 1, false));
    assert_eq!(days(|rows| rows[0][18] = text("unknown")), (Vec::new(), 1, false));
    // A row again, and a day without charges.
    assert_eq!(days(|rows| rows.push(rows[0].clone())).0, only_28);
    assert_eq!(days(|rows| (0..2).for_each(|row| rows[row][5..13].fill(TestCell::Blank))).0, only_28);
    assert_eq!(days(|rows| (0..2).for_each(|row| rows[row][5..13].fill(TestCell::Number(0.0)))).0, only_28);
    // Charges with the sign of a debit.
    assert_eq!(days(|rows| (0..2).for_each(|row| rows[row][7] = TestCell::Number(-2.0))).0, only_28);
    // Numbers that are no charges, such as of a shifted column.
    assert_eq!(days(|rows| rows[0][7] = TestCell::Number(1_300_000_000_014.0)), (only_28.clone(), 0, true));
    let huge =
        |rows: &mut Vec<Vec<TestCell>>| (0..2).for_each(|row| rows[row][7] = text("50000000000000000000000000000"));
    assert_eq!(days(huge), (only_28, 0, true));
}

#[test]
fn rows_of_other_segments_and_repeated_rows_add_no_brokerage() {
    let charges = |change: fn(&mut Vec<Vec<TestCell>>)| {
        let mut rows = layout().rows;
        for order in [6, 7] {
            rows[order][5] = TestCell::Number(20.0);
        }
        change(&mut rows);
        let outcome = read_segment(&build(&rows), Segment::Fno);
        let days = outcome.stated_charges();
        days.iter().map(|(day, _, [brokerage, .., gst])| format!("{day} {brokerage} {gst}")).collect::<Vec<_>>()
    };
    assert_eq!(charges(|_| ()), ["2026-08-28 0 0.1", "2026-08-27 40 0.4"]);
    assert_eq!(charges(|rows| rows[7][14] = text("COMMODITY")), ["2026-08-28 0 0.1", "2026-08-27 20 0.3"]);
    assert_eq!(charges(|rows| rows[7][14] = text("unknown")), ["2026-08-28 0 0.1"]);
    assert_eq!(charges(|rows| rows.push(rows[7].clone())), ["2026-08-28 0 0.1"]);
    assert_eq!(charges(|rows| rows[7][18] = text("unknown")), [""; 0]);
}
