//! Tests of Fyers' tradebook.

use rpc::trades::v1::Segment;

use super::fixtures::{TestCell, text};
use super::layouts::{Layout, NO_TRADES, csv_file, row};
use super::read_segment;

const HEADER: &str = "Symbol name,Symbol code,Date & time,Side,Product type,Qty,Traded price,Total value,Segment,Exchange order ID,OMS order ID";
const PREAMBLE: &str = "Report Title,Tradebook report\nDate Range,01 Aug 2026 to 31 Aug 2026\nClient Name,A TRADER\n\
                        Client ID,XA00001\nPAN,ABCDE1234F\nDownload Timestamp,\"01 Sep 2026, 10:00:00 AM IST\"\n\n";

fn build(rows: &[Vec<TestCell>]) -> Vec<u8> {
    csv_file(PREAMBLE, HEADER, rows, "")
}

/// Newest first. A position carried over a night is printed again with the opposite side; ids are damaged.
pub(super) fn layout() -> Layout {
    let sbi = [
        "State Bank of India",
        "NSE:SBIN-EQ",
        "05 Aug 2026, 09:49:14 AM",
        "BUY",
        "CNC",
        "10",
        "800.50",
        "8,005.00",
        "Equity",
        "2.2E+15",
        "=\"1300000014614276\"",
    ];
    let option = "NIFTY 25 AUG 26 24150 CE";
    let code = "NSE:NIFTY26AUG24150CE";
    Layout {
        format: "fyers-tradebook",
        is_verified: true,
        rows: vec![
            row(sbi),
            row(sbi),
            row([
                "BSE Limited",
                "NSE:BSE-EQ",
                "04 Aug 2026, 03:10:00 PM",
                "SELL",
                "CNC",
                "4",
                "2,500",
                "10,000.00",
                "Equity",
                "2.2E+15",
                "x",
            ]),
            row([
                option,
                code,
                "04 Aug 2026, 03:10:00 PM",
                "BUY",
                "MARGIN",
                "75",
                "150",
                "11,250.00",
                "Derivatives",
                "2.2E+15",
                "2.2E+15",
            ]),
            row([
                option,
                code,
                "05 Aug 2026, 12:00:00 AM",
                "SELL",
                "-",
                "75",
                "150",
                "11,250.00",
                "Derivatives",
                "NDIR0001",
                "NDIR0001",
            ]),
            row([
                option,
                code,
                "05 Aug 2026, 12:00:00 PM",
                "SELL",
                "MARGIN",
                "75",
                "151",
                "11,325.00",
                "Derivatives",
                "2.2E+15",
                "2.2E+15",
            ]),
            row([
                "SENSEX 27 AUG 26 80000 PE",
                "BSE:SENSEX26AUG80000PE",
                "05 Aug 2026, 12:00:00 PM",
                "SELL",
                "MARGIN",
                "20",
                "100.05",
                "2,001.00",
                "Derivatives",
                "",
                "",
            ]),
            row([
                "CRUDEOIL 19 AUG 26 FUT",
                "MCX:CRUDEOIL26AUGFUT",
                "05 Aug 2026, 12:00:00 PM",
                "SELL",
                "MARGIN",
                "100",
                "6000",
                "6,00,000.00",
                "Commodity",
                "",
                "",
            ]),
        ],
        day_column: 2,
        build,
        equity: [(2, 20, "16010"), (1, 4, "10000")],
        fno: [(1, 75, "11250"), (2, 95, "13326")],
        skipped: [0, 2],
    }
}

fn build_without_codes(rows: &[Vec<TestCell>]) -> Vec<u8> {
    csv_file(PREAMBLE, &HEADER.replace("Symbol name,Symbol code", "Name"), rows, "")
}

/// Variant for shares with names only, which was never seen in a real file.
pub(super) fn without_codes() -> Layout {
    Layout {
        format: "fyers-tradebook",
        is_verified: false,
        rows: vec![
            row([
                "State Bank of India",
                "05 Aug 2026, 09:49:14 AM",
                "BUY",
                "CNC",
                "10",
                "800.50",
                "8,005.00",
                "Equity",
                "",
                "",
            ]),
            row([
                "State Bank of In",
                "06 Aug 2026, 09:49:14 AM",
                "SELL",
                "CNC",
                "10",
                "801",
                "8,010.00",
                "Equity",
                "",
                "",
            ]),
        ],
        day_column: 1,
        build: build_without_codes,
        equity: [(1, 10, "8005"), (1, 10, "8010")],
        fno: NO_TRADES,
        skipped: [0, 0],
    }
}

#[test]
fn skips_a_carried_position_only_with_all_three_signs() {
    let carried = layout().rows[4].clone();
    for (column, content) in [(2, "05 Aug 2026, 12:00:01 AM"), (4, "MARGIN"), (9, "2.2E+15")] {
        let mut one = carried.clone();
        one[column] = text(content);
        if column == 9 {
            one[10] = text(content);
        }
        let outcome = read_segment(&build(&[one]), Segment::Fno);
        assert_eq!((outcome.trades.len(), outcome.counts().4), (1, 0), "{content}");
    }
    assert!(read_segment(&build(&[carried]), Segment::Fno).rejection.is_none());
}

#[test]
fn takes_symbol_and_exchange_from_the_code() {
    let outcome = read_segment(&layout().file(), Segment::Equity);
    let symbols: Vec<_> = outcome.trades.iter().map(|trade| trade.symbol.as_str()).collect();
    assert_eq!(symbols, ["SBIN", "SBIN", "BSE"]);
    let fno = read_segment(&layout().file(), Segment::Fno);
    assert_eq!(fno.trades[2].exchange(), super::Exchange::Bse);
    assert_eq!(fno.trades[0].contract.as_ref().unwrap().expiry, "2026-08-25");
}
