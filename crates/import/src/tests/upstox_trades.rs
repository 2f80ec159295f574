//! Tests of Upstox's trade report.

use rpc::trades::v1::Segment;

use super::fixtures::TestCell;
use super::layouts::{Layout, row, xlsx_file};
use super::{assert_contract, read_segment};

const HEADER: [&str; 14] = [
    "Date",
    "Company",
    "Amount",
    "Exchange",
    "Segment",
    "Scrip Code",
    "Instrument Type",
    "Strike Price",
    "Expiry",
    "Trade Num",
    "Trade Time",
    "Side",
    "Quantity",
    "Price",
];

fn build(rows: &[Vec<TestCell>]) -> Vec<u8> {
    let preamble: [(u32, &[&str]); 7] = [
        (1, &["UPSTOX SECURITIES PRIVATE LIMITED"]),
        (2, &["(Formerly EPX Uptech Private Limited)"]),
        (5, &["UCC", "AB1234"]),
        (6, &["Name", "A TRADER"]),
        (7, &["PAN", "ABCDE1234F"]),
        (8, &["Report Time Period", "01-04-2026 to 31-07-2026"]),
        (9, &["Generated On", "01-08-2026"]),
    ];
    let note = row(["From 8 March 2024, the trade time is that of the exchange."]);
    xlsx_file("TRADE", &preamble, 11, &HEADER, &[rows, &[note]].concat())
}

/// Newest first. Two fills differ only in the trade number; the shares of an issue have none, and no time.
pub(super) fn layout() -> Layout {
    Layout {
        format: "upstox-trades",
        is_verified: true,
        rows: vec![
            row([
                "@46204",
                "FINNIFTY  ",
                "#9750",
                "FON",
                "FO",
                "",
                "European Call",
                "#24150.5",
                "28-07-2026",
                "300",
                "09:20:01",
                "Buy",
                "#65",
                "#150",
            ]),
            row([
                "@46204",
                "FINNIFTY  ",
                "#9815",
                "FON",
                "FO",
                "",
                "European Call",
                "#24150.5",
                "28-07-2026",
                "301",
                "09:25:41",
                "Sell",
                "#65",
                "#151",
            ]),
            row([
                "@46204",
                "SENSEX",
                "#2010",
                "FOB",
                "FO",
                "",
                "European Put",
                "#80000",
                "30-07-2026",
                "301",
                "10:00:00",
                "Sell",
                "#20",
                "#100.5",
            ]),
            row(["@46204", "F179K01WM1", "#999.95", "BMF", "MF", "", "MF", "", "", "", "", "Buy", "#12.345", "#81"]),
            row([
                "@46203",
                "ANGEL ONE LIMITED",
                "#24512.4",
                "NSE",
                "EQ",
                "#543235",
                "Equity",
                "#0",
                "",
                "7001",
                "11:00:00",
                "Buy",
                "#10",
                "#2451.25",
            ]),
            row([
                "@46203",
                "ANGEL ONE LIMITED",
                "#24512.4",
                "NSE",
                "EQ",
                "#543235",
                "Equity",
                "#0",
                "",
                "7002",
                "11:00:00",
                "Buy",
                "#10",
                "#2451.25",
            ]),
            row([
                "@46203",
                "State Bank of India",
                "#4000",
                "BSE",
                "EQ",
                "#500112",
                "Equity",
                "#0",
                "",
                "7001",
                "11:00:00",
                "Sell",
                "#5",
                "#800",
            ]),
            row([
                "@46202",
                "An Issue Limited",
                "#1500",
                "NSE",
                "EQ",
                "",
                "Equity",
                "",
                "",
                "",
                "",
                "Buy",
                "#15",
                "#100",
            ]),
        ],
        day_column: 0,
        build,
        equity: [(3, 35, "50525"), (1, 5, "4000")],
        fno: [(1, 65, "9750"), (2, 85, "11825")],
        skipped: [1, 0],
    }
}

#[test]
fn reads_contracts_symbols_and_owner() {
    let fno = read_segment(&layout().file(), Segment::Fno);
    let option = &fno.trades[0];
    assert_eq!(option.symbol, "FINNIFTY 28 JUL 26 24150.5 CE");
    let contract = option.contract.as_ref().unwrap();
    assert_contract(contract);
    assert_eq!((contract.underlying.as_str(), contract.expiry.as_str()), ("FINNIFTY", "2026-07-28"));
    assert_eq!(fno.warnings(), [(1, "", "other_segment")]);

    let equity = read_segment(&layout().file(), Segment::Equity);
    let symbols: Vec<_> = equity.trades.iter().map(|trade| trade.symbol.as_str()).collect();
    assert_eq!(symbols, ["ANGELONE", "ANGELONE", "SBIN", "An Issue Limited"]);
    assert_eq!(
        equity.warnings(),
        [(1, "", "other_segment"), (15, "E", "mutual_fund"), (19, "B", "share_name_unknown")]
    );
}

#[test]
fn rejects_a_contract_that_cannot_be_read() {
    for (column, content) in [(6, "Swap"), (7, ""), (8, "soon")] {
        let mut rows = layout().rows;
        rows[0][column] = super::fixtures::text(content);
        let outcome = read_segment(&build(&rows), Segment::Fno);
        assert_eq!(outcome.errors().iter().map(|error| error.2).collect::<Vec<_>>(), ["contract_invalid"]);
        assert_eq!(outcome.trades.len(), 2);
    }
}
