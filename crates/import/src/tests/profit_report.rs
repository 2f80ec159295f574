//! Profit and loss reports in all known layouts.

use std::io::Write;

use rpc::imports::v1::{ChargeKind, ProfitReport};
use rpc::trades::v1::{Broker, Segment};

use super::error_text;
use super::fixtures::profit_reports::{groww_scrips, groww_trades, zerodha_debits, zerodha_equity, zerodha_fno};
use super::fixtures::{self, Sheet, TestCell, groww_fno, orders, report, text, tradebook, xlsx};
use super::fuzz::to_csv;
use crate::error::{Rejection, RejectionReason};
use crate::profit_report::Report;

pub fn read(content: &[u8]) -> Result<ProfitReport, Rejection> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    Ok(match crate::profit_report::parse(file)? {
        Report::ProfitReport(report) => report,
        Report::TaxReport(report) => panic!("{report:?}"),
    })
}

/// Returns symbol or name, ISIN, quantity, buy value, sell value and result of every row.
fn rows(report: &ProfitReport) -> Vec<[&str; 6]> {
    let row = |row: &'_ rpc::imports::v1::ProfitRow| -> [String; 6] {
        let name = row.symbol.clone() + &row.name;
        [
            name,
            row.isin.clone(),
            row.quantity.clone(),
            row.buy_value.clone(),
            row.sell_value.clone(),
            row.realised.clone(),
        ]
    };
    report.rows.iter().map(|one| row(one).map(|text| &*text.leak())).collect()
}

fn charges(report: &ProfitReport) -> Vec<(ChargeKind, &str, &str)> {
    report.charges.iter().map(|line| (line.kind(), line.label.as_str(), line.amount.as_str())).collect()
}

const EQUITY_ROWS: [[&str; 6]; 2] = [
    ["INFY", "INE009A01021", "10", "14000", "15200.5", "1200.5"],
    ["ITC", "INE154A01025", "40", "16000", "15500", "-500"],
];

#[test]
fn reads_zerodhas_statement_for_equity_with_its_charges() {
    let report = read(&xlsx(&[zerodha_equity(), zerodha_debits()])).unwrap();
    assert_eq!(
        (report.format.as_str(), report.from.as_str(), report.to.as_str()),
        ("zerodha-equity-pnl", "2025-06-01", "2025-06-30")
    );
    assert_eq!(report.title, "P&L Statement for Equity from 2025-06-01 to 2025-06-30");
    let book = report.book.unwrap();
    assert_eq!((book.broker(), book.segment()), (Broker::Zerodha, Segment::Equity));
    assert_eq!(rows(&report), EQUITY_ROWS);
    // TCS has an open position only.
    assert_eq!((report.realised.as_str(), report.open_positions, report.error_count), ("700.5", 1, 0));
    assert_eq!(
        charges(&report),
        [
            (ChargeKind::Brokerage, "Brokerage - Z", "0"),
            (ChargeKind::Exchange, "Exchange Transaction Charges - Z", "1.8"),
            (ChargeKind::Clearing, "Clearing Charges - Z", "0"),
            (ChargeKind::Gst, "Central GST - Z", "0.17"),
            (ChargeKind::Gst, "State GST - Z", "0.17"),
            (ChargeKind::Gst, "Integrated GST - Z", "0"),
            (ChargeKind::Stt, "Securities Transaction Tax - Z", "61"),
            (ChargeKind::Sebi, "SEBI Turnover Fees - Z", "0.06"),
            (ChargeKind::StampDuty, "Stamp Duty - Z", "5"),
            (ChargeKind::Ipft, "IPFT", "0.06"),
            // 2 × 15.93.
            (ChargeKind::Dp, "DP Charges", "31.86"),
            (ChargeKind::Other, "AMC for Demat Account", "88.5"),
            (ChargeKind::Other, "Reversal of Brokerage", "-10"),
        ]
    );
}

#[test]
fn reads_a_company_whose_name_starts_with_total() {
    for name in ["TOTAL", "Total Transport Systems"] {
        let mut sheet = zerodha_equity();
        sheet.table[38][0] = text(name);
        assert_eq!(rows(&read(&xlsx(&[sheet])).unwrap())[0][2..], EQUITY_ROWS[0][2..], "{name}");
    }
}

#[test]
fn ignores_a_total_below_the_table() {
    let mut sheet = zerodha_equity();
    let totals = [50.0, 30_000.0, 30_700.5, 700.5].map(TestCell::Number);
    sheet.table.push([text("Total"), TestCell::Blank].into_iter().chain(totals).collect());
    assert_eq!(read(&xlsx(&[sheet])).unwrap(), read(&xlsx(&[zerodha_equity()])).unwrap());
}

#[test]
fn the_result_is_the_stated_one_or_calculated_if_blank() {
    let mut sheet = zerodha_equity();
    sheet.table[38][5] = TestCell::Blank;
    sheet.table[39][5] = TestCell::Number(-499.5);
    let report = read(&xlsx(&[sheet])).unwrap();
    assert_eq!(rows(&report).iter().map(|row| row[5]).collect::<Vec<_>>(), ["1200.5", "-499.5"]);
}

#[test]
fn reads_contracts_that_expired_worthless() {
    for (bought, sold, result) in [(7578.75, 0.0, -7578.75), (0.0, 9030.0, 9030.0)] {
        let mut sheet = zerodha_fno();
        sheet.table[38][3..6].clone_from_slice(&[bought, sold, result].map(TestCell::Number));
        let report = read(&xlsx(&[sheet])).unwrap();
        let numbers = [75.0, bought, sold, result].map(|number| number.to_string());
        assert_eq!(rows(&report)[0][2..], numbers);
    }
}

#[test]
fn without_a_list_of_debits_their_total_is_a_charge() {
    let report = read(&xlsx(&[zerodha_equity()])).unwrap();
    assert_eq!(charges(&report).last(), Some(&(ChargeKind::Other, "Other Credit & Debit", "110.36")));
    assert!(charges(&report).iter().all(|(kind, _, _)| *kind != ChargeKind::Dp));
}

/// The charges have no heading, one of them is unknown, and the summary is below them.
#[test]
fn recognises_charges_by_their_section_and_totals_by_their_name() {
    let mut sheet = zerodha_equity();
    sheet.table[20].clear();
    sheet.table[32][0] = text("New Levy");
    (14..18).for_each(|row| sheet.table.swap(row, row + 19));
    let report = read(&xlsx(&[sheet])).unwrap();
    assert_eq!(report.realised, "700.5");
    assert_eq!(
        charges(&report)[9..],
        [(ChargeKind::Other, "New Levy", "0.06"), (ChargeKind::Other, "Other Credit & Debit", "110.36")]
    );
}

#[test]
fn counts_a_repeated_table_once() {
    let repeated = Sheet { name: "Again", ..zerodha_equity() };
    let once = read(&xlsx(&[zerodha_equity()])).unwrap();
    assert_eq!(read(&xlsx(&[zerodha_equity(), repeated])).unwrap(), once);
}

#[test]
fn reads_zerodhas_statement_for_futures_and_options() {
    let report = read(&xlsx(&[zerodha_fno()])).unwrap();
    assert_eq!((report.format.as_str(), report.book.unwrap().segment()), ("zerodha-fno-pnl", Segment::Fno));
    assert_eq!(rows(&report), [["NIFTY2560524750PE", "", "75", "7578.75", "9030", "1451.25"]]);
    assert_eq!(charges(&report)[2], (ChargeKind::Gst, "Integrated GST - Z", "8.25"));
}

#[test]
fn adds_up_growws_report_by_share_and_counts_charges_once() {
    for sheets in [vec![groww_trades(), groww_scrips()], vec![groww_scrips(), groww_trades()]] {
        let report = read(&xlsx(&sheets)).unwrap();
        assert_eq!((report.format.as_str(), report.from.as_str()), ("groww-stocks-pnl", "2025-06-01"));
        // 60 and 40 of ITC: bought for 24,000 and 16,000, sold for 24,600 and 15,800.
        assert_eq!(
            rows(&report),
            [
                ["ITC LTD", "INE154A01025", "100", "40000", "40400", "400"],
                ["INFOSYS LTD", "INE009A01021", "10", "15000", "15050.5", "50.5"],
            ]
        );
        assert_eq!((report.realised.as_str(), report.open_positions), ("450.5", 1));
        let charges = charges(&report);
        assert_eq!(charges.len(), 10);
        let sum = charges.iter().map(|(_, _, amount)| super::decimal(amount)).sum::<rust_decimal::Decimal>();
        assert_eq!(sum, super::decimal("224.85"), "the report's own total");
        assert_eq!(
            charges[6..9],
            [
                (ChargeKind::Dp, "CDSL DP Charges", "7"),
                (ChargeKind::Dp, "Groww DP Charges", "33"),
                (ChargeKind::Other, "MTF interest", "12.5"),
            ]
        );
    }
}

/// Changes numbers to text, one of them in Indian format, and a column name to snake case, as programs do on saving.
fn as_text(sheet: &Sheet) -> Sheet {
    let to_text = |cell: &TestCell| match cell {
        TestCell::Number(number) if *number == 15_200.5 => text("₹ 15,200.50"),
        TestCell::Number(number) => text(&number.to_string()),
        TestCell::Text(name) if name == "Buy Value" => text("buy_value"),
        other => other.clone(),
    };
    let table = sheet.table.iter().map(|row| row.iter().map(to_text).collect()).collect();
    Sheet { table, ..sheet.clone() }
}

#[test]
fn every_layout_gives_the_same_report() {
    let original = read(&xlsx(&[zerodha_equity()])).unwrap();
    let sheet = zerodha_equity();
    let moved = Sheet { table_start: (30, 7), hidden_rows: vec![68], ..sheet.clone() };
    let mut swapped = sheet.clone();
    for row in swapped.table.iter_mut().skip(37) {
        row.swap(3, 5);
    }
    let without_blanks =
        Sheet { table: sheet.table.iter().filter(|row| !row.is_empty()).cloned().collect(), ..sheet.clone() };
    let left = Sheet { table_start: (0, 0), name: "Sheet1", ..sheet.clone() };
    let files = [
        ("moved, with a hidden row", xlsx(&[moved])),
        ("columns in another order", xlsx(&[swapped])),
        ("without its blank rows", xlsx(&[without_blanks])),
        ("starting in column A", xlsx(&[left])),
        ("as text", xlsx(&[as_text(&sheet)])),
        ("CSV", to_csv(&sheet)),
        ("CSV of text", to_csv(&as_text(&sheet))),
    ];
    for (layout, file) in files {
        assert_eq!(read(&file).unwrap(), original, "{layout}");
    }
    let groww = read(&xlsx(&[groww_trades()])).unwrap();
    assert_eq!(read(&to_csv(&groww_trades())).unwrap(), groww);
}

/// Statement with one share, to which tests add rows.
const STATEMENT: &str = "P&L Statement for Equity from 2025-06-01 to 2025-06-30,
Symbol,Quantity,Buy Value,Sell Value,Realized P&L
A,1,1,2,1
";

#[test]
fn an_invalid_row_is_an_error_and_the_others_are_read() {
    let mut sheet = zerodha_equity();
    sheet.table[38][3] = text("n/a");
    let report = read(&xlsx(&[sheet])).unwrap();
    assert_eq!(rows(&report), EQUITY_ROWS[1..]);
    assert_eq!(report.error_count, 1);
    let error = &report.errors[0];
    assert_eq!((error.row, error.column.as_str(), error.value.as_str()), (39, "E", "n/a"));
    assert_eq!(error.code, "value_not_a_number");
}

#[test]
fn rejects_negative_quantities_and_values_without_a_quantity() {
    let csv = STATEMENT.to_owned() + "B,-1,1,2,1\nC,0,1,2,1\n";
    let report = read(csv.as_bytes()).unwrap();
    let errors: Vec<_> = report.errors.iter().map(|error| (error.row, error.code.as_str())).collect();
    assert_eq!(errors, [(4, "quantity_not_a_number"), (5, "quantity_not_positive")]);
    assert_eq!((report.rows.len(), report.open_positions), (1, 0));
}

/// Groww has both the closing date and the closing price.
#[test]
fn recognises_open_positions_by_either_closing_column() {
    for column in [6, 7] {
        let mut sheet = groww_trades();
        let header = sheet
            .table
            .iter_mut()
            .rfind(|row| matches!(&row[..], [TestCell::Text(name), ..] if name == "Stock name"))
            .unwrap();
        header[column] = text("Mark");
        let below =
            sheet.table.iter().position(|row| matches!(&row[..], [TestCell::Text(name), ..] if name == "TCS LTD"));
        sheet.table[below.unwrap() + 1] = vec![text("Prices"), text("at the close")];
        assert_eq!(read(&xlsx(&[sheet])).unwrap(), read(&xlsx(&[groww_trades()])).unwrap(), "{column}");
    }
}

#[test]
fn lists_a_hundred_errors_and_counts_all() {
    let mut csv = STATEMENT.to_owned();
    csv.extend((0..120).map(|n| format!("S{n},many,1,2,1\n")));
    let report = read(csv.as_bytes()).unwrap();
    assert_eq!((report.rows.len(), report.error_count, report.errors.len()), (1, 120, 100));
}

#[test]
fn rejects_other_files_with_a_message_that_names_them() {
    let titled = |title: &str| {
        let mut sheet = zerodha_equity();
        sheet.table[10] = vec![text(title)];
        xlsx(&[sheet])
    };
    let mut only_open = zerodha_equity();
    only_open.table.drain(38..40);
    let mut unreadable = zerodha_fno();
    unreadable.table[38][2] = text("many");
    let ledger =
        report("Sheet1", "", &["particulars", "posting_date", "cost_center", "voucher_type", "debit", "credit"]);
    let cases = [
        ("a tradebook", xlsx(&[tradebook()]), RejectionReason::TradesFile, "Zerodha tradebook"),
        (
            "a tradebook as CSV",
            fixtures::tradebook_csv().into_bytes(),
            RejectionReason::TradesFile,
            "Upload it on the dashboard",
        ),
        ("Groww's orders", xlsx(&[orders(text("1"))]), RejectionReason::TradesFile, "Groww order history"),
        (
            "Groww's report for F&O",
            xlsx(&[groww_fno::trades()]),
            RejectionReason::GrowwFnoPnl,
            "imported from this report",
        ),
        ("a part of it", xlsx(&[groww_fno::contracts()]), RejectionReason::GrowwFnoPnl, "imported from this report"),
        ("Groww's scrips", xlsx(&[groww_scrips()]), RejectionReason::GrowwStocksPnlPart, "sheet Trade Level"),
        ("a ledger", xlsx(&[ledger]), RejectionReason::UnsupportedNotPnl, "This is Zerodha's ledger. To compare"),
        (
            "mutual funds",
            titled("P&L Statement for Mutual Funds from 2025-06-01 to 2025-06-30"),
            RejectionReason::OtherSegment,
            "not supported",
        ),
        (
            "two segments",
            xlsx(&[zerodha_equity(), zerodha_fno()]),
            RejectionReason::TwoSegments,
            "one segment at a time",
        ),
        ("no title", titled(""), RejectionReason::UnknownPeriod, "period"),
        ("no period", titled("P&L Statement for Equity"), RejectionReason::UnknownPeriod, "period"),
        ("nothing closed", xlsx(&[only_open]), RejectionReason::NothingClosed, "longer period"),
        (
            "only a title",
            b"P&L Statement for Equity from 2025-06-01 to 2025-06-30\n".to_vec(),
            RejectionReason::NothingClosed,
            "longer period",
        ),
        ("nothing readable", xlsx(&[unreadable]), RejectionReason::PnlOnlyIssues, "Row 39: The quantity"),
        ("prose", b"Dear customer,\nthank you.\n".to_vec(), RejectionReason::UnknownNotPnl, "Console, Reports, P&L"),
        ("nothing", Vec::new(), RejectionReason::Empty, "empty"),
        ("a blank sheet", xlsx(&[report("Sheet1", "", &[]).without_cells()]), RejectionReason::Empty, "empty"),
        ("half an archive", xlsx(&[zerodha_fno()])[..900].to_vec(), RejectionReason::Unreadable, "damaged"),
    ];
    for (name, file, reason, text) in cases {
        let rejection = read(&file).expect_err(name);
        assert_eq!(rejection.reason, reason, "{name}");
        let shown = error_text(&rejection.into());
        assert!(shown.contains(text), "{name}: {shown}");
    }
}

#[test]
fn rejects_more_than_5000_shares() {
    let row = |n: usize| format!("S{n},,1,1,1,0\n");
    let csv = |rows: usize| {
        let head = "P&L Statement for Equity from 2025-06-01 to 2025-06-30,,,,,\nSymbol,ISIN,Quantity,Buy Value,Sell Value,Realized P&L\n";
        std::iter::once(head.to_owned()).chain((0..rows).map(row)).collect::<String>()
    };
    assert_eq!(read(csv(5_000).as_bytes()).unwrap().rows.len(), 5_000);
    assert_eq!(read(csv(5_001).as_bytes()).unwrap_err().reason, RejectionReason::PnlReportTooLarge);
}

#[test]
fn adds_up_charges_beyond_the_maximum_number_of_labels() {
    let mut csv = STATEMENT.to_owned() + "Particulars,Posting Date,Debit,Credit\n";
    csv.extend((0..300).map(|n| format!("Fee {n},2025-06-05,1,0\n")));
    csv += "DP Charges for Sale of A,2025-06-05,15.93,0\n";
    let report = read(csv.as_bytes()).unwrap();
    assert_eq!(report.charges.len(), 191);
    let amounts =
        |kind| report.charges.iter().filter(move |line| line.kind() == kind).map(|line| super::decimal(&line.amount));
    assert_eq!(amounts(ChargeKind::Other).sum::<rust_decimal::Decimal>(), super::decimal("300"));
    assert_eq!(amounts(ChargeKind::Dp).collect::<Vec<_>>(), [super::decimal("15.93")]);
}
