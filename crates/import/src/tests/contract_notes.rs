//! Contract notes: every layout and encryption, the checks, and the same trades as in tradebooks.

use std::collections::BTreeMap;

use rpc::trades::v1::ContractNote;

use super::pdf_fixtures::contract_notes::{Fill, LAYOUTS, Layout, Note, document, file, note};
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
    let expected: Decimal = notes.iter().map(Note::total_charges).sum();
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
            assert_notes(&read(&file(&note)), std::slice::from_ref(&note));
        }
    }
}

#[test]
fn reads_several_notes_in_one_file() {
    for layout in LAYOUTS {
        let notes = [note(layout, 7, "05-06-2026", 40), note(layout, 8, "08-06-2026", 9)];
        let outcome = read(&save(document(&notes)));
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
        let mut bad_quantity = good.clone();
        bad_quantity.fills[3].quantity += 1;
        let net = Note { error: decimal("0.01"), ..good.clone() };
        let mut gst = good.clone();
        gst.charges[0] += decimal("1");
        let (reason, text) = read(&file(&net)).rejection.unwrap();
        assert_eq!(reason, RejectionReason::NoteCheckFailed, "{layout:?} {text}");
        assert!(text.contains("net amount does not match"), "{text}");
        assert_notes(&read(&file(&bad_quantity)), &[bad_quantity]);
        assert_notes(&read(&file(&gst)), &[gst]);
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
