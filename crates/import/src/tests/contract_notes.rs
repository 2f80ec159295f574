//! Contract notes: every layout and encryption, the checks, and the same trades as in tradebooks.

use std::collections::BTreeMap;

use rpc::trades::v1::ContractNote;

use super::note_workbooks::{WorkbookLayout, workbook};
use super::pdf_fixtures::contract_notes::{
    Fill, LAYOUTS, Layout, MISPRINT, Misprint, Note, document, file, note, note_with_contracts,
};
use super::pdf_fixtures::documents::{self, ENCRYPTIONS, Text, save, save_encrypted};
use super::*;
use crate::contract_note::rows;

const PAN: &str = "ABCDE1234F";

/// Returns the sum of the stated charges by day.
fn stated_charges(outcome: &Outcome) -> BTreeMap<String, Decimal> {
    let mut sums = BTreeMap::new();
    for note in &outcome.summary.as_ref().unwrap().contract_notes {
        let ContractNote { brokerage, stt, exchange, sebi, ipft, stamp_duty, gst, .. } = note;
        let charges = [brokerage, stt, exchange, sebi, ipft, stamp_duty, gst];
        *sums.entry(note.date.clone()).or_insert(Decimal::ZERO) +=
            charges.into_iter().map(|amount| decimal(amount)).sum::<Decimal>();
    }
    sums
}

fn assert_refused(outcome: &Outcome) {
    let (reason, text) = outcome.rejection.as_ref().unwrap();
    assert_eq!(*reason, RejectionReason::NotePartMissing, "{text}");
    assert!(text.contains("could be counted twice"), "{text}");
}

/// Checks that the file has exactly the fills and charges of these notes.
fn assert_notes(outcome: &Outcome, notes: &[Note]) {
    assert!(outcome.rejection.is_none(), "{:?}", outcome.rejection);
    assert_eq!(outcome.errors(), []);
    outcome.assert_valid();
    let fills = || notes.iter().flat_map(|note| &note.fills);
    for side in [Side::Buy, Side::Sell] {
        let side_fills = || fills().filter(|fill| fill.is_buy == (side == Side::Buy));
        let (_, quantity, value) = outcome.sum(side);
        assert_eq!(quantity, side_fills().map(|fill| Decimal::from(fill.quantity)).sum::<Decimal>());
        assert_eq!(value, side_fills().map(Fill::value).sum::<Decimal>());
    }
    let stated = &outcome.summary.as_ref().unwrap().contract_notes;
    let turnover: Decimal = stated.iter().map(|note| decimal(&note.turnover)).sum();
    assert_eq!(turnover, fills().map(Fill::value).sum::<Decimal>());
    let expected: Decimal = notes.iter().map(|note| note.total_charges(false) + note.total_charges(true)).sum();
    assert_eq!(stated_charges(outcome).values().sum::<Decimal>(), expected);
    if notes.iter().all(|note| note.layout != Layout::Groww) {
        let orders: Vec<_> = outcome.trades.iter().map(|trade| trade.order_id.as_str()).collect();
        assert_eq!(orders, fills().map(|fill| fill.order.as_str()).collect::<Vec<_>>());
        let isins: Vec<_> = outcome.trades.iter().map(|trade| trade.isin.as_str()).collect();
        assert_eq!(isins, fills().map(|fill| fill.isin).collect::<Vec<_>>());
    }
}

#[test]
fn reads_every_layout_exactly() {
    for layout in LAYOUTS {
        for count in [1, 12, 130] {
            let note = note(layout, 7, "05-06-2026", count);
            let outcome = read(&file(&note));
            if layout.is_refused() {
                assert_refused(&outcome);
            } else {
                assert_notes(&outcome, std::slice::from_ref(&note));
            }
        }
    }
}

#[test]
fn reads_several_notes_in_one_file() {
    for layout in LAYOUTS {
        let notes = [note(layout, 7, "05-06-2026", 40), note(layout, 8, "08-06-2026", 9)];
        let outcome = read(&save(document(&notes)));
        if layout.is_refused() {
            assert_refused(&outcome);
            continue;
        }
        assert_notes(&outcome, &notes);
        assert_eq!(
            stated_charges(&outcome).into_keys().collect::<Vec<_>>(),
            ["2026-06-05", "2026-06-08"],
            "{layout:?}"
        );
    }
}

#[test]
fn reads_every_encryption_with_its_password_only() {
    let note = note(Layout::Zerodha, 7, "05-06-2026", 12);
    for encryption in ENCRYPTIONS {
        let file = save_encrypted(document(std::slice::from_ref(&note)), encryption, PAN);
        let read = |password: Option<&str>| {
            let options = ParserOptions { password: password.unwrap_or_default().to_owned(), ..Default::default() };
            read_with(&file, Segment::Equity, &options)
        };
        let reason = |password| read(password).rejection.map(|(reason, _)| reason);
        assert_eq!(reason(None), Some(RejectionReason::PdfPassword), "{encryption:?}");
        assert_eq!(reason(Some("ABCDE1234G")), Some(RejectionReason::PdfWrongPassword), "{encryption:?}");
        assert_notes(&read(Some(PAN)), std::slice::from_ref(&note));
    }
}

#[test]
fn a_note_that_does_not_add_up_is_rejected_with_the_check_and_both_figures() {
    for layout in LAYOUTS {
        let good = note(layout, 7, "05-06-2026", 12);
        let bought = good.fills.iter().filter(|fill| fill.isin == good.fills[0].isin && fill.is_buy);
        let amounts = good.amounts(false);
        let checks = [
            (Misprint::Line, "the value of a trade does not match", good.fills[0].value()),
            (Misprint::Quantity, "the quantity of a share", bought.map(|fill| Decimal::from(fill.quantity)).sum()),
            (Misprint::Obligation, "the obligation does not match", amounts.obligation),
            (Misprint::Net, "the net amount does not match", amounts.net),
            (Misprint::Gst, "GST does not match", amounts.gst),
            (Misprint::Total, "a total does not match its segments", amounts.brokerage),
        ];
        for (misprint, check, right) in checks {
            let (reason, text) =
                read(&file(&Note { misprint: Some(misprint), ..good.clone() })).rejection.expect("a rejection");
            assert_eq!(reason, RejectionReason::NoteCheckFailed, "{layout:?} {misprint:?} {text}");
            for part in [check, &right.normalize().to_string(), &(right + MISPRINT).normalize().to_string()] {
                assert!(text.contains(part), "{layout:?} {misprint:?}: {part:?} in {text:?}");
            }
        }
    }
}

#[test]
fn reads_the_contracts_of_zerodha() {
    for layout in [Layout::Zerodha, Layout::ZerodhaBefore2025] {
        for shares in [0, 12] {
            let note = note_with_contracts(layout, 7, "05-06-2026", shares);
            let outcome = read_segment(&file(&note), Segment::Fno);
            assert!(outcome.rejection.is_none(), "{layout:?} {:?}", outcome.rejection);
            assert_eq!(outcome.errors(), []);
            let trades: Vec<_> = outcome
                .trades
                .iter()
                .map(|trade| (trade.symbol.as_str(), trade.side(), trade.quantity.as_str(), decimal(&trade.price)))
                .collect();
            let expected: Vec<_> = note.fills[shares..]
                .iter()
                .map(|fill| {
                    let side = if fill.is_buy { Side::Buy } else { Side::Sell };
                    (fill.symbol, side, fill.quantity.to_string(), fill.price)
                })
                .collect();
            let expected: Vec<_> = expected.iter().map(|(a, b, c, d)| (*a, *b, c.as_str(), *d)).collect();
            assert_eq!(trades, expected, "{layout:?}");
            let notes = &outcome.summary.as_ref().unwrap().contract_notes;
            let of_segment = |segment: Segment| notes.iter().find(|note| note.book.unwrap().segment() == segment);
            let contracts = of_segment(Segment::Fno).unwrap();
            assert_eq!(decimal(&contracts.stt), note.amounts(true).stt);
            assert_eq!(decimal(&contracts.gst), note.amounts(true).gst);
            let turnover: Decimal = note.fills[shares..].iter().map(Fill::value).sum();
            assert_eq!(decimal(&contracts.turnover), turnover, "the carried position is no trade");
            if shares > 0 {
                assert_eq!(decimal(&of_segment(Segment::Equity).unwrap().gst), note.amounts(false).gst);
            }
        }
    }
}

#[test]
fn contracts_of_unknown_layouts_are_rejected() {
    for layout in [Layout::Groww, Layout::Upstox] {
        let (reason, text) = read(&file(&note_with_contracts(layout, 7, "05-06-2026", 12))).rejection.unwrap();
        assert_eq!(reason, RejectionReason::NotePartMissing, "{layout:?}");
        assert!(text.contains("futures or options"), "{text}");
    }
}

#[test]
fn a_note_without_a_number_is_rejected() {
    let note = Note { number: String::new(), ..note(Layout::Zerodha, 7, "05-06-2026", 4) };
    let (reason, text) = read(&file(&note)).rejection.unwrap();
    assert_eq!(reason, RejectionReason::NotePartMissing);
    assert!(text.contains("no number"), "{text}");
}

#[test]
fn a_file_with_the_notes_of_two_persons_is_rejected() {
    for layout in LAYOUTS.into_iter().filter(|layout| !layout.is_refused()) {
        let (first, mut second) = (note(layout, 7, "05-06-2026", 4), note(layout, 8, "08-06-2026", 4));
        second.client_code = "XY9876".to_owned();
        let (reason, text) = read(&save(document(&[first, second]))).rejection.unwrap();
        assert_eq!(reason, RejectionReason::NotePartMissing, "{layout:?}");
        assert!(text.contains("another client code"), "{text}");
    }
}

#[test]
fn a_fill_has_the_key_of_the_tradebook() {
    let note = note(Layout::Zerodha, 7, "05-06-2026", 4);
    let outcome = read(&file(&note));
    let keys = note.fills.iter().map(|fill| {
        format!("2026-06-05/{}/EQ/{}/{}", fill.exchange, fill.trade, if fill.is_buy { "BUY" } else { "SELL" })
    });
    assert_eq!(outcome.keys(), keys.collect::<Vec<_>>());
    assert_eq!(outcome.trades[0].symbol, "RELIANCE");
}

#[test]
fn a_document_without_text_or_with_another_content_is_rejected() {
    let reason = |file: &[u8]| read(file).rejection.map(|(reason, _)| reason);
    assert_eq!(reason(&save(documents::document(&[vec![]], 8.0))), Some(RejectionReason::PdfWithoutText));
    let other_document = vec![Text { x: 50.0, y: 500.0, is_right: false, text: "Dear trader".to_owned() }];
    assert_eq!(reason(&save(documents::document(&[other_document], 8.0))), Some(RejectionReason::Pdf));
    let good = file(&note(Layout::Groww, 7, "05-06-2026", 4));
    assert_eq!(reason(b"%PDF-1.7\nnothing else"), Some(RejectionReason::PdfDamaged));
    assert_eq!(reason(&good[..good.len() / 3]), Some(RejectionReason::PdfDamaged));
}

#[test]
fn a_table_cannot_pass_for_a_checked_note() {
    let header = rows::COLUMNS.into_iter().chain(["zerodha-contract-note"]).collect::<Vec<_>>().join(",");
    let row = "2026-06-05,09:15:01,1,2,NSE,EQ,SBIN-EQ/INE062A01020,INE062A01020,B,10,100,";
    let outcome = read(format!("{header}\n{row}\n").as_bytes());
    assert_eq!(outcome.rejection.map(|(reason, _)| reason), Some(RejectionReason::Unknown));
}

#[test]
fn reads_the_workbook_of_a_period() {
    for layout in [WorkbookLayout::Since2022, WorkbookLayout::Before2022] {
        let days = ["05-06-2026", "08-06-2026", "09-06-2026"];
        let notes: Vec<Note> =
            (1..).zip(days).map(|(number, day)| note(Layout::ZerodhaBefore2025, number, day, 12)).collect();
        let outcome = read(&workbook(layout, &notes));
        assert_notes(&outcome, &notes);
        assert_eq!(outcome.trades[0].symbol, "RELIANCE", "{layout:?}");
        assert_eq!(stated_charges(&outcome).len(), days.len());
        let of_documents: Vec<Outcome> = notes.iter().map(|note| read(&file(note))).collect();
        let keys = of_documents.iter().flat_map(Outcome::keys).collect::<Vec<_>>();
        assert_eq!(outcome.keys(), keys, "the same trades as in the documents");
    }
}

#[test]
fn reads_the_contracts_of_a_workbook() {
    for layout in [WorkbookLayout::Since2022, WorkbookLayout::Before2022] {
        let note = note_with_contracts(Layout::ZerodhaBefore2025, 7, "05-06-2026", 4);
        let outcome = read_segment(&workbook(layout, std::slice::from_ref(&note)), Segment::Fno);
        assert!(outcome.rejection.is_none(), "{layout:?} {:?}", outcome.rejection);
        assert_eq!(outcome.errors(), []);
        assert_eq!(outcome.trades.len(), 3, "the carried position is no trade");
        let turnover: Decimal = note.fills.iter().map(Fill::value).sum();
        let stated = &outcome.summary.as_ref().unwrap().contract_notes;
        assert_eq!(stated.iter().map(|note| decimal(&note.turnover)).sum::<Decimal>(), turnover);
    }
}

#[test]
fn a_workbook_with_one_wrong_figure_or_sheet_is_rejected() {
    let good = note(Layout::ZerodhaBefore2025, 7, "05-06-2026", 12);
    let wrong = |misprint| Note { misprint: Some(misprint), day: "08-06-2026".to_owned(), ..good.clone() };
    for layout in [WorkbookLayout::Since2022, WorkbookLayout::Before2022] {
        for misprint in [Misprint::Line, Misprint::Obligation, Misprint::Net, Misprint::Gst, Misprint::Total] {
            let reason = read(&workbook(layout, &[good.clone(), wrong(misprint)])).rejection.unwrap().0;
            assert_eq!(reason, RejectionReason::NoteCheckFailed, "{layout:?} {misprint:?}");
        }
        let without_number = Note { number: String::new(), day: "08-06-2026".to_owned(), ..good.clone() };
        let reason = read(&workbook(layout, &[good.clone(), without_number])).rejection.unwrap().0;
        assert_eq!(reason, RejectionReason::NotePartMissing, "{layout:?}");
    }
}

#[test]
fn a_workbook_with_too_many_days_is_rejected_as_a_whole() {
    let days = (0..401).map(|day| format!("{:02}-{:02}-{}", 1 + day % 28, 1 + day / 28 % 12, 2024 + day / 336));
    let notes: Vec<Note> =
        (1..).zip(days).map(|(number, day)| note(Layout::ZerodhaBefore2025, number, &day, 1)).collect();
    let reason = |notes: &[Note]| read(&workbook(WorkbookLayout::Since2022, notes)).rejection.map(|(reason, _)| reason);
    assert_eq!(reason(&notes[..400]), None);
    assert_eq!(reason(&notes), Some(RejectionReason::PdfTooLarge));
}

/// Note of the browser tests, which `writes_the_note_of_the_browser_tests` writes.
const BROWSER_NOTE: &str = "src/tests/fixtures/pdf/zerodha-contract-note.pdf";

fn browser_note() -> Note {
    note(Layout::Zerodha, 7, "05-06-2026", 12)
}

#[test]
fn reads_the_note_of_the_browser_tests() {
    let options = ParserOptions { password: PAN.to_owned(), ..ParserOptions::default() };
    let file = std::fs::read(BROWSER_NOTE).unwrap();
    assert_notes(&read_with(&file, Segment::Equity, &options), &[browser_note()]);
}

#[test]
#[ignore = "writes a file: run it after a change of the generator"]
fn writes_the_note_of_the_browser_tests() {
    std::fs::write(BROWSER_NOTE, save_encrypted(document(&[browser_note()]), ENCRYPTIONS[0], PAN)).unwrap();
}

/// Note of the browser tests that does not add up.
const REJECTED_BROWSER_NOTE: &str = "src/tests/fixtures/pdf/zerodha-contract-note-rejected.pdf";

#[test]
fn rejects_the_rejected_note_of_the_browser_tests() {
    let options = ParserOptions { password: PAN.to_owned(), ..ParserOptions::default() };
    let file = std::fs::read(REJECTED_BROWSER_NOTE).unwrap();
    let reason = read_with(&file, Segment::Equity, &options).rejection.map(|(reason, _)| reason);
    assert_eq!(reason, Some(RejectionReason::NoteCheckFailed));
}

#[test]
#[ignore = "writes a file: run it after a change of the generator"]
fn writes_the_rejected_note_of_the_browser_tests() {
    let note = Note { misprint: Some(Misprint::Net), ..browser_note() };
    std::fs::write(REJECTED_BROWSER_NOTE, save_encrypted(document(&[note]), ENCRYPTIONS[0], PAN)).unwrap();
}
