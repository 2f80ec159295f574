//! Files that are rejected.

use super::fixtures::{self, TestCell, archive, patched, report, text, tradebook, with_entry, xlsx};
use super::ole_check::{ole_file, records};
use super::read;
use crate::error::RejectionReason;

#[test]
fn names_unsupported_reports_and_what_to_download() {
    let cases: [(&str, &str, &str, &[&str]); 17] = [
        (
            "Zerodha's profit and loss",
            "Equity",
            "P&L Statement for Equity from 2025-04-01 to 2025-06-30",
            &["Symbol", "ISIN", "Quantity", "Buy Value", "Sell Value", "Realized P&L"],
        ),
        (
            "Zerodha's positions",
            "Positions",
            "Positions Statement for Equity as on 2025-06-30",
            &["Symbol", "Quantity"],
        ),
        (
            "Zerodha's tax profit",
            "Tradewise Exits from 2025-04-01",
            "Tax P&L Statement",
            &["Symbol", "Entry Date", "Exit Date", "Quantity"],
        ),
        (
            "Zerodha's holdings",
            "Equity",
            "Equity Holdings Statement as on 2025-06-30",
            &["Symbol", "ISIN", "Quantity Available", "Average Price"],
        ),
        (
            "Zerodha's contract note",
            "05-06-2025",
            "CONTRACT NOTE CUM TAX INVOICE",
            &["Order No.", "Trade No.", "Quantity"],
        ),
        ("Zerodha's tradebook for mutual funds", "MF", "Tradebook for Mutual Funds from 2025-06-01", &["Symbol"]),
        ("Zerodha's tradebook for currency", "Currency", "Tradebook for Currency from 2025-06-01", &["Symbol"]),
        (
            "Groww's profit and loss statement for stocks",
            "Trade Level",
            "P&L Statement for stocks from 01-04-2025 TO 30-06-2025",
            &[
                "Stock name",
                "ISIN",
                "Quantity",
                "Buy date",
                "Buy price",
                "Buy value",
                "Sell date",
                "Sell price",
                "Sell value",
            ],
        ),
        (
            "a part of Groww's profit and loss report for futures",
            "Contract Level",
            "P&L Statement for Futures & Options from 01 Oct 2025 to 18 Jan 2026",
            &["Scrip Name", "Quantity", "Buy Price", "Buy Value", "Sell Price", "Sell Value"],
        ),
        (
            "Zerodha's profit and loss",
            "F&O",
            "P&L Statement for F&O from 2025-04-01 to 2025-06-30",
            &["Symbol", "ISIN", "Quantity", "Buy Value", "Sell Value", "Realized P&L"],
        ),
        (
            "Zerodha's holdings",
            "Combined",
            "Combined Holdings Statement as on 2025-06-30",
            &["Symbol", "ISIN", "Quantity Available", "Average Price"],
        ),
        ("Zerodha's tradebook for currency", "Commodity", "Tradebook for Commodity from 2025-06-01", &["Symbol"]),
        ("Groww's capital gains", "Sheet1", "Tax Statement for Commodities from 01 Apr 2025", &["Scrip Name"]),
        (
            "Groww's holdings",
            "Sheet1",
            "Holdings statement for stocks as on 30-06-2025",
            &["Stock Name", "ISIN", "Quantity", "Average buy price"],
        ),
        (
            "Groww's order history for mutual funds",
            "Transactions",
            "",
            &["Scheme Name", "Transaction Type", "Units", "NAV", "Amount", "Date"],
        ),
        ("Groww's capital gains", "Capital Gains", "Capital gains report", &["Stock name", "ISIN"]),
        (
            "an order history of Groww without the column Value",
            "Sheet1",
            "Order history for stocks from 01-06-2025",
            &["Stock name", "Symbol", "ISIN", "Type", "Quantity", "Price", "Exchange Order Id"],
        ),
    ];
    for (name, sheet, title, header) in cases {
        let (reason, message) = read(&xlsx(&[report(sheet, title, header)])).rejection.unwrap();
        assert_eq!(reason, RejectionReason::Unsupported, "{name}");
        assert!(message.contains(name), "{name}: {message}");
        let paths = ["Console, Reports, Tradebook", "Profile, Reports, Stocks", "Profile, Reports, F&O"];
        assert!(paths.iter().any(|path| message.contains(path)), "{name}: {message}");
    }
}

#[test]
fn recognises_some_reports_by_the_sheet_name() {
    for (sheet, name) in
        [("Capital Gains Report", "Groww's capital gains"), ("Tradewise Exits from 2025-04-01", "Zerodha's tax profit")]
    {
        let (reason, message) = read(&xlsx(&[report(sheet, "x", &["y"])])).rejection.unwrap();
        assert_eq!(reason, RejectionReason::Unsupported, "{sheet}");
        assert!(message.contains(name), "{sheet}: {message}");
    }
}

#[test]
fn finds_a_header_in_the_first_hundred_rows_only() {
    let with_blank_rows = |rows| {
        let file = "\n".repeat(rows) + &fixtures::tradebook_csv();
        read(file.as_bytes())
    };
    assert_eq!(with_blank_rows(99).trades.len(), 5);
    assert_eq!(with_blank_rows(100).rejection.unwrap().0, RejectionReason::Unknown);
}

#[test]
fn the_rejection_of_an_unknown_file_lists_all_supported_reports() {
    let (_, message) = read(b"a,b\n").rejection.unwrap();
    assert_eq!(
        message,
        "This file is not supported yet. Upload Zerodha's tradebook (Console, Reports, Tradebook), Groww's order \
         history for stocks (Profile, Reports, Stocks – order history) or Groww's P&L report for futures and options \
         (Profile, Reports, F&O – P&L), or the list of trades of Upstox, Angel One, Dhan, Fyers, ICICI Direct, Kotak \
         Securities, Paytm Money, 5paisa or HDFC Securities, unchanged."
    );
}

#[test]
fn recognises_a_tradebook_of_mutual_funds_by_its_rows() {
    let csv = fixtures::tradebook_csv().replace(",EQ,EQ,", ",MF,,").replace(",EQ,BE,", ",MF,,");
    let (reason, message) = read(csv.as_bytes()).rejection.unwrap();
    assert_eq!(reason, RejectionReason::Unsupported);
    assert!(message.contains("mutual funds"), "{message}");
}

#[test]
fn rejects_files_that_are_not_a_spreadsheet_with_trades() {
    let good = xlsx(&[tradebook()]);
    let strings = "xl/sharedStrings.xml";
    let bomb = |xml: String| {
        let bomb = "<!DOCTYPE sst [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\"><!ENTITY f SYSTEM \"file:///etc/passwd\">]>";
        xml.replacen("<sst", &format!("{bomb}<sst"), 1).replace("<t>Symbol</t>", "<t>&b;&f;</t>")
    };
    let cases: [(&str, Vec<u8>, RejectionReason, &str); 23] = [
        ("empty", Vec::new(), RejectionReason::Empty, "empty"),
        ("a blank sheet", xlsx(&[report("Sheet1", "", &[]).without_cells()]), RejectionReason::Empty, "empty"),
        ("blank lines", b"\n\n,,\n".to_vec(), RejectionReason::Empty, "empty"),
        ("prose", b"Dear customer,\nthank you.\n".to_vec(), RejectionReason::Unknown, "tradebook"),
        (
            "another table",
            xlsx(&[report("Sheet1", "Marks", &["Name", "Class"])]),
            RejectionReason::Unknown,
            "tradebook",
        ),
        ("two distant cells", distant_cells(), RejectionReason::Unknown, "tradebook"),
        ("garbage", (0..5_000_u32).map(|n| (n * 7 % 251) as u8).collect(), RejectionReason::Unreadable, "damaged"),
        ("Latin-1", b"Symbol,Caf\xe9\n".to_vec(), RejectionReason::Unreadable, "damaged"),
        (
            "a broken .xls",
            [&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], &[0_u8; 600][..]].concat(),
            RejectionReason::Unreadable,
            "damaged",
        ),
        ("an .xlsx with a password", ole_file(&[("EncryptedPackage", b"x")]), RejectionReason::Password, "password"),
        (
            "an .xls with a password",
            ole_file(&[("Workbook", &records(&[(0x2F, &[1, 0])]))]),
            RejectionReason::Password,
            "password",
        ),
        ("a .doc", ole_file(&[("WordDocument", b"x")]), RejectionReason::NotASpreadsheet, "not a spreadsheet"),
        (
            "an .xls with macros",
            ole_file(&[("Workbook", b""), ("_VBA_PROJECT_CUR/dir", b"x")]),
            RejectionReason::Macros,
            "macros",
        ),
        (
            "an .xls of 9 MB",
            [&ole_file(&[])[..], &vec![0; 9 << 20]].concat(),
            RejectionReason::XlsTooLarge,
            "larger than 8 MB",
        ),
        ("a web page called .xls", b"\r\n<html><table><tr><td>Symbol".to_vec(), RejectionReason::WebPage, "web page"),
        ("PDF", b"%PDF-1.7 ...".to_vec(), RejectionReason::PdfDamaged, "damaged"),
        ("a truncated archive", good[..good.len() / 2].to_vec(), RejectionReason::Unreadable, "damaged"),
        (
            "a document",
            archive(&[("word/document.xml", b"<w/>")]),
            RejectionReason::NotASpreadsheet,
            "not a spreadsheet",
        ),
        (
            "a binary workbook",
            archive(&[("xl/workbook.bin", b"x")]),
            RejectionReason::OtherWorkbook,
            "save it as .xlsx",
        ),
        ("macros", with_entry(&good, "xl/vbaProject.bin", b"x"), RejectionReason::Macros, "macros"),
        (
            "a name with a parent directory",
            with_entry(&good, "xl/../../etc/passwd", b"x"),
            RejectionReason::Unreadable,
            "damaged",
        ),
        ("a duplicate name", with_entry(&good, "XL/Workbook.xml", b"x"), RejectionReason::Unreadable, "damaged"),
        ("entities", patched(&good, strings, bomb), RejectionReason::Unreadable, "damaged"),
    ];
    for (name, file, reason, text) in cases {
        let outcome = read(&file);
        let (actual, message) = outcome.rejection.unwrap_or_else(|| panic!("{name} was accepted"));
        assert_eq!(actual, reason, "{name}");
        assert!(message.contains(text), "{name}: {message}");
    }
}

/// Returns a workbook with the first and the last possible cell of a sheet.
fn distant_cells() -> Vec<u8> {
    let mut sheet = report("Sheet1", "", &[]).without_cells();
    sheet.extra_cells = vec![(0, 0, text("a")), (1_048_575, 16_383, TestCell::Number(1.0))];
    xlsx(&[sheet])
}

#[test]
fn rejects_an_archive_with_many_entries_or_a_high_compression_ratio() {
    let good = xlsx(&[tradebook()]);
    let zeros = vec![b' '; 4 << 20];
    assert_eq!(
        read(&with_entry(&good, "docProps/padding.xml", &zeros)).rejection.unwrap().0,
        RejectionReason::Unreadable
    );
    let names: Vec<_> = (0..260).map(|n| format!("part{n}.xml")).collect();
    let mut entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    entries.push(("xl/workbook.xml", b"x"));
    assert_eq!(read(&archive(&entries)).rejection.unwrap().0, RejectionReason::Unreadable);
}
