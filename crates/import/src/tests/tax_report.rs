//! Tax reports in all known layouts.

use std::io::Write;

use rpc::imports::v1::{TaxReport, TaxReportHead};
use rpc::trades::v1::Broker;

use super::error_text;
use super::fixtures::profit_reports::zerodha_debits;
use super::fixtures::tax_reports::{groww, with_cell, zerodha, zerodha_sums};
use super::fixtures::{Sheet, TestCell, text, xlsx};
use super::fuzz::to_csv;
use crate::error::{Rejection, RejectionReason};
use crate::profit_report::Report;

pub fn read(content: &[u8]) -> Result<TaxReport, Rejection> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    match crate::profit_report::parse(file)? {
        Report::TaxReport(report) => Ok(report),
        Report::ProfitReport(_) => Err(RejectionReason::Unknown.into()),
    }
}

/// Formats a line: `short term ITC INE154A01025 2025-06-05 2025-06-09 rows=2 100 40000 40400 400`.
fn lines(report: &TaxReport) -> Vec<String> {
    let head = |head| match head {
        TaxReportHead::Intraday => "intraday",
        TaxReportHead::ShortTerm => "short",
        TaxReportHead::LongTerm => "long",
        TaxReportHead::Buyback => "buyback",
        TaxReportHead::OtherSecurities => "other",
        TaxReportHead::Fno => "fno",
        TaxReportHead::Unspecified => "unspecified",
    };
    let line = |line: &rpc::imports::v1::TaxReportLine| {
        let name = line.symbol.clone() + &line.name;
        let days = format!("{} {}", line.entry_day, line.exit_day);
        let values = format!("{} {} {} {}", line.quantity, line.buy_value, line.sell_value, line.profit);
        format!("{} {name} {} {days} rows={} {values}", head(line.head()), line.isin, line.rows)
    };
    report.lines.iter().map(line).collect()
}

const ZERODHA_LINES: [&str; 6] = [
    "intraday INFY INE009A01021 2025-06-11 2025-06-11 rows=1 10 15000 15050.5 50.5",
    "short ITC INE154A01025 2025-06-05 2025-06-09 rows=2 100 40000 40400 400",
    "long TOTAL INE000A01020 2017-01-02 2025-07-01 rows=1 5 1000 5000 4000",
    "buyback TCS INE467B01029 2024-12-02 2025-12-10 rows=1 2 7000 8000 1000",
    "other GOLDBEES INF204KB17I5 2025-05-02 2025-08-01 rows=1 100 8000 8100 100",
    "fno NIFTY2560524750PE  2025-06-03 2025-06-05 rows=1 75 7578.75 9030 1451.25",
];

fn skipped(report: &TaxReport) -> Vec<(&str, i64)> {
    report.skipped_sections.iter().map(|section| (section.title.as_str(), section.rows)).collect()
}

#[test]
fn reads_zerodhas_sections_and_counts_the_rows_of_others() {
    let report = read(&xlsx(&[zerodha(), zerodha_sums(), zerodha_debits()])).unwrap();
    assert_eq!(lines(&report), ZERODHA_LINES);
    assert_eq!(
        (report.format.as_str(), report.from.as_str(), report.to.as_str()),
        ("zerodha-tax-pnl", "2025-04-01", "2026-03-31")
    );
    assert_eq!(report.title, "Tradewise Exits from 2025-04-01 to 2026-03-31");
    assert_eq!((report.broker(), report.unverified, report.error_count), (Broker::Zerodha, false, 0));
    assert_eq!(skipped(&report), [("Mutual Funds", 2), ("Commodity", 1)]);
    assert_eq!(report.sections.len(), 6);
}

#[test]
fn reads_growws_sections_and_marks_the_layout() {
    let report = read(&xlsx(&[groww()])).unwrap();
    assert_eq!(
        lines(&report),
        [
            "intraday INFOSYS LTD INE009A01021 2025-06-11 2025-06-11 rows=1 10 15000 15050.5 50.5",
            "short ITC LTD INE154A01025 2025-06-05 2025-06-09 rows=1 60 24000 24600 600",
            "short ITC LTD INE154A01025 2025-06-05 2025-06-10 rows=1 40 16000 15800 -200",
            "long TOTAL LTD INE000A01020 2017-01-02 2025-07-01 rows=1 5 1000 5000 4000",
        ]
    );
    assert_eq!((report.format.as_str(), report.broker()), ("groww-capital-gains", Broker::Groww));
    // The section of buybacks has no rows.
    assert!(report.sections().any(|head| head == TaxReportHead::Buyback) && report.sections.len() == 4);
    assert!(report.unverified && report.skipped_sections.is_empty() && report.errors.is_empty(), "{report:?}");
}

#[test]
fn every_layout_gives_the_same_report() {
    let original = read(&xlsx(&[zerodha()])).unwrap();
    let sheet = zerodha();
    let without_blanks =
        Sheet { table: sheet.table.iter().filter(|row| !row.is_empty()).cloned().collect(), ..sheet.clone() };
    let left = Sheet { table_start: (0, 0), name: "Sheet1", ..sheet.clone() };
    let mut swapped = sheet.clone();
    for row in swapped.table.iter_mut().filter(|row| row.len() > 6) {
        row.swap(5, 6);
    }
    // One program writes a header above the first section only.
    let mut one_header = sheet.clone();
    let is_shares_header = |row: &Vec<TestCell>| row.get(1) == Some(&text("ISIN"));
    let first = one_header.table.iter().position(is_shares_header).unwrap();
    let mut number = 0;
    one_header.table.retain(|row| {
        number += 1;
        number - 1 == first || !is_shares_header(row)
    });
    for (layout, file) in [
        ("without its blank rows", xlsx(&[without_blanks])),
        ("starting in column A, renamed", xlsx(&[left])),
        ("columns in another order", xlsx(&[swapped])),
        ("one header", xlsx(&[one_header])),
        ("CSV", to_csv(&sheet)),
    ] {
        assert_eq!(read(&file).unwrap(), original, "{layout}");
    }
    assert_eq!(read(&to_csv(&groww())).unwrap(), read(&xlsx(&[groww()])).unwrap());
}

#[test]
fn counts_the_rows_of_a_section_whose_header_lacks_a_column() {
    let mut sheet = groww();
    let first = sheet.table.iter().position(|row| row.first() == Some(&text("Intraday trades"))).unwrap();
    sheet.table[first + 1][6] = text("Closing date");
    let report = read(&xlsx(&[sheet])).unwrap();
    assert_eq!(skipped(&report), [("Intraday trades", 1)]);
    assert_eq!(report.lines.len(), 3);
}

#[test]
fn an_unknown_section_is_not_read() {
    let mut sheet = zerodha();
    let heading = sheet.table.iter_mut().find(|row| row.first() == Some(&text("Equity - Long Term"))).unwrap();
    heading[0] = text("Equity - Grandfathered");
    let report = read(&xlsx(&[sheet])).unwrap();
    assert_eq!(skipped(&report)[0], ("Equity - Grandfathered", 1));
    assert_eq!(report.lines.len(), 5);
}

#[test]
fn an_invalid_row_is_an_error_and_the_others_are_read() {
    let nine = |count| TestCell::Text("9".repeat(count));
    for (column, cell, code, column_name) in [
        (0, TestCell::Blank, "symbol_missing", "B"),
        (1, text("INE"), "isin_invalid", "C"),
        (2, text("soon"), "date_invalid", "D"),
        (3, TestCell::Blank, "date_invalid", "E"),
        (4, TestCell::Number(-10.0), "quantity_not_a_number", "F"),
        (4, TestCell::Number(0.0), "quantity_not_positive", "F"),
        (4, nine(39), "quantity_not_a_number", "F"),
        (5, nine(12), "amount_too_large", "G"),
        (5, text("=1+1"), "value_not_a_number", "G"),
        (6, TestCell::Number(1e300), "value_not_a_number", "H"),
        (7, text("n/a"), "result_not_a_number", "I"),
    ] {
        let report = read(&xlsx(&[with_cell(zerodha(), "Equity - Intraday", column, cell)])).unwrap();
        assert_eq!((lines(&report).len(), report.error_count), (5, 1), "{code}");
        let error = &report.errors[0];
        assert_eq!((error.row, error.column.as_str(), error.code.as_str()), (10, column_name, code));
    }
}

#[test]
fn a_formula_as_text_stays_a_text() {
    let report = read(&xlsx(&[with_cell(zerodha(), "Equity - Intraday", 0, text("=HYPERLINK(\"x\")"))])).unwrap();
    assert_eq!(report.lines[0].symbol, "=HYPERLINK(\"x\")");
}

#[test]
fn a_row_without_quantity_and_values_is_ignored_and_a_blank_profit_calculated() {
    let mut sheet = with_cell(zerodha(), "Equity - Intraday", 7, TestCell::Blank);
    for column in [4, 5, 6] {
        sheet = with_cell(sheet, "Equity - Buyback", column, TestCell::Number(0.0));
    }
    let report = read(&xlsx(&[sheet])).unwrap();
    assert_eq!((lines(&report)[0].as_str(), report.lines.len()), (ZERODHA_LINES[0], 5));
    assert_eq!(report.error_count, 0);
}

#[test]
fn rejects_reports_that_cannot_be_compared() {
    let titled = |title: &str| {
        let mut sheet = zerodha();
        sheet.table[5] = vec![text(title)];
        xlsx(&[sheet])
    };
    let mut empty = zerodha();
    empty.table.truncate(9);
    let mut unreadable = zerodha();
    unreadable.table.truncate(10);
    unreadable.table[9][4] = text("many");
    for (name, file, reason, sentence) in [
        ("no period", titled("Tradewise Exits from 2025-04-01"), RejectionReason::UnknownPeriod, "period"),
        (
            "days in reverse",
            titled("Tradewise Exits from 2026-03-31 to 2025-04-01"),
            RejectionReason::UnknownPeriod,
            "period",
        ),
        ("nothing closed", xlsx(&[empty]), RejectionReason::NothingClosed, "in this Zerodha tax P&L"),
        ("nothing readable", xlsx(&[unreadable]), RejectionReason::PnlOnlyIssues, "Row 10: The quantity"),
        ("no title", titled(""), RejectionReason::UnsupportedNotPnl, "Zerodha's tax profit and loss report"),
    ] {
        let rejection = read(&file).expect_err(name);
        assert_eq!(rejection.reason, reason, "{name}");
        let shown = error_text(&rejection.into());
        assert!(shown.contains(sentence), "{name}: {shown}");
    }
}

#[test]
fn rejects_more_than_10000_lines() {
    let csv = |lines: usize| {
        let head = "Tradewise Exits from 2025-04-01 to 2026-03-31,,,,,\nF&O,,,,,\nSymbol,Entry Date,Exit Date,Quantity,Buy Value,Sell Value\n";
        let row = |n: usize| format!("S{n},2025-06-03,2025-06-04,1,1,2\n");
        std::iter::once(head.to_owned()).chain((0..lines).map(row)).collect::<String>()
    };
    assert_eq!(read(csv(10_000).as_bytes()).unwrap().lines.len(), 10_000);
    assert_eq!(read(csv(10_001).as_bytes()).unwrap_err().reason, RejectionReason::TaxReportTooLarge);
}

#[test]
fn an_import_names_the_report_and_where_to_compare_it() {
    for (sheet, name) in
        [(zerodha(), "Zerodha's tax profit and loss report"), (groww(), "Groww's capital gains report")]
    {
        let (_, shown) = super::read(&xlsx(&[sheet])).rejection.unwrap();
        assert!(shown.contains(name) && shown.contains("Reconcile"), "{shown}");
    }
}
