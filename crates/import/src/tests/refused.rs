//! Files that are not taken.

use super::compound::{compound, records};
use super::fixtures::{self, Put, archive, patched, report, text, tradebook, with_part, xlsx};
use super::read;
use crate::error::Reason;

#[test]
fn reports_that_we_know_are_named() {
    let cases: [(&str, &str, &str, &[&str]); 19] = [
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
        (
            "Zerodha's ledger",
            "Sheet1",
            "",
            &["particulars", "posting_date", "cost_center", "voucher_type", "debit", "credit", "net_balance"],
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
        ("Groww's balance statement", "Sheet1", "Balance statement from 01-04-2025", &["Date", "Amount"]),
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
    for (what, sheet, title, header) in cases {
        let (reason, message) = read(&xlsx(&[report(sheet, title, header)])).refused.unwrap();
        assert_eq!(reason, Reason::Unsupported, "{what}");
        assert!(message.contains(what), "{what}: {message}");
        // What to download instead, and the way to it.
        let way = ["Console, Reports, Tradebook", "Profile, Reports, Stocks", "Profile, Reports, F&O"];
        assert!(way.iter().any(|way| message.contains(way)), "{what}: {message}");
    }
}

#[test]
fn some_reports_are_known_by_the_name_of_their_sheet_alone() {
    for (sheet, what) in [
        ("Capital Gains Report", "Groww's capital gains"),
        (" balance statement", "Groww's balance statement"),
        ("Tradewise Exits from 2025-04-01", "Zerodha's tax profit"),
    ] {
        let (reason, message) = read(&xlsx(&[report(sheet, "x", &["y"])])).refused.unwrap();
        assert_eq!(reason, Reason::Unsupported, "{sheet}");
        assert!(message.contains(what), "{sheet}: {message}");
    }
}

#[test]
fn a_header_stands_in_one_of_the_first_hundred_rows() {
    let below = |rows| {
        let file = "\n".repeat(rows) + &fixtures::tradebook_csv();
        read(file.as_bytes())
    };
    assert_eq!(below(99).trades.len(), 5);
    assert_eq!(below(100).refused.unwrap().0, Reason::Unknown);
}

#[test]
fn what_we_do_not_know_is_told_all_that_we_do() {
    let (_, message) = read(b"a,b\n").refused.unwrap();
    assert_eq!(
        message,
        "This file is none that we know. Upload Zerodha's tradebook (Console, Reports, Tradebook), Groww's order \
         history for stocks (Profile, Reports, Stocks – order history) or Groww's P&L report for futures and options \
         (Profile, Reports, F&O – P&L), as it comes."
    );
}

#[test]
fn a_tradebook_of_mutual_funds_is_known_by_its_rows() {
    let csv = fixtures::tradebook_csv().replace(",EQ,EQ,", ",MF,,").replace(",EQ,BE,", ",MF,,");
    let (reason, message) = read(csv.as_bytes()).refused.unwrap();
    assert_eq!(reason, Reason::Unsupported);
    assert!(message.contains("mutual funds"), "{message}");
}

#[test]
fn files_that_are_no_spreadsheet_are_refused() {
    let good = xlsx(&[tradebook()]);
    let strings = "xl/sharedStrings.xml";
    let bomb = |xml: String| {
        let bomb = "<!DOCTYPE sst [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\"><!ENTITY f SYSTEM \"file:///etc/passwd\">]>";
        xml.replacen("<sst", &format!("{bomb}<sst"), 1).replace("<t>Symbol</t>", "<t>&b;&f;</t>")
    };
    let cases: [(&str, Vec<u8>, Reason, &str); 23] = [
        ("empty", Vec::new(), Reason::Empty, "empty"),
        ("a blank sheet", xlsx(&[report("Sheet1", "", &[]).blank()]), Reason::Empty, "empty"),
        ("blank lines", b"\n\n,,\n".to_vec(), Reason::Empty, "empty"),
        ("prose", b"Dear customer,\nthank you.\n".to_vec(), Reason::Unknown, "tradebook"),
        ("another table", xlsx(&[report("Sheet1", "Marks", &["Name", "Class"])]), Reason::Unknown, "tradebook"),
        ("two far cells", far_cells(), Reason::Unknown, "tradebook"),
        ("garbage", (0..5_000_u32).map(|n| (n * 7 % 251) as u8).collect(), Reason::Unreadable, "damaged"),
        ("Latin-1", b"Symbol,Caf\xe9\n".to_vec(), Reason::Unreadable, "damaged"),
        (
            "a broken .xls",
            [&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], &[0_u8; 600][..]].concat(),
            Reason::Unreadable,
            "damaged",
        ),
        ("an .xlsx with a password", compound(&[("EncryptedPackage", b"x")]), Reason::Unreadable, "password"),
        (
            "an .xls with a password",
            compound(&[("Workbook", &records(&[(0x2F, &[1, 0])]))]),
            Reason::Unreadable,
            "password",
        ),
        ("a .doc", compound(&[("WordDocument", b"x")]), Reason::Unreadable, "not a spreadsheet"),
        (
            "an .xls with macros",
            compound(&[("Workbook", b""), ("_VBA_PROJECT_CUR/dir", b"x")]),
            Reason::Unreadable,
            "macros",
        ),
        ("an .xls of 9 MB", [&compound(&[])[..], &vec![0; 9 << 20]].concat(), Reason::Unreadable, "larger than 8 MB"),
        ("a web page called .xls", b"\r\n<html><table><tr><td>Symbol".to_vec(), Reason::Unreadable, "web page"),
        ("PDF", b"%PDF-1.7 ...".to_vec(), Reason::Unreadable, "PDF"),
        ("a truncated archive", good[..good.len() / 2].to_vec(), Reason::Unreadable, "damaged"),
        ("a document", archive(&[("word/document.xml", b"<w/>")]), Reason::Unreadable, "not a spreadsheet"),
        ("a binary workbook", archive(&[("xl/workbook.bin", b"x")]), Reason::Unreadable, "save it as .xlsx"),
        ("macros", with_part(&good, "xl/vbaProject.bin", b"x"), Reason::Unreadable, "macros"),
        ("a name that climbs", with_part(&good, "xl/../../etc/passwd", b"x"), Reason::Unreadable, "damaged"),
        ("a name twice", with_part(&good, "XL/Workbook.xml", b"x"), Reason::Unreadable, "damaged"),
        ("entities", patched(&good, strings, bomb), Reason::Unreadable, "damaged"),
    ];
    for (what, file, reason, part) in cases {
        let outcome = read(&file);
        let (found, message) = outcome.refused.unwrap_or_else(|| panic!("{what} was taken"));
        assert_eq!(found, reason, "{what}");
        assert!(message.contains(part), "{what}: {message}");
    }
}

/// A cell in each corner of the largest sheet there can be.
fn far_cells() -> Vec<u8> {
    let mut sheet = report("Sheet1", "", &[]).blank();
    sheet.loose = vec![(0, 0, text("a")), (1_048_575, 16_383, Put::Number(1.0))];
    xlsx(&[sheet])
}

#[test]
fn an_archive_of_many_parts_or_a_high_ratio_is_refused() {
    let good = xlsx(&[tradebook()]);
    let zeros = vec![b' '; 4 << 20];
    assert_eq!(read(&with_part(&good, "docProps/padding.xml", &zeros)).refused.unwrap().0, Reason::Unreadable);
    let names: Vec<_> = (0..260).map(|n| format!("part{n}.xml")).collect();
    let mut parts: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    parts.push(("xl/workbook.xml", b"x"));
    assert_eq!(read(&archive(&parts)).refused.unwrap().0, Reason::Unreadable);
}
