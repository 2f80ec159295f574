//! Layouts of contract notes without data: nothing that could identify a person or a trade survives.

use std::collections::HashSet;

use lopdf::dictionary;
use proptest::prelude::*;

use super::note_workbooks::{WorkbookLayout, workbook};
use super::pdf_fixtures::contract_notes::{LAYOUTS, Layout, Misprint, Note, document, file, note, note_with_contracts};
use super::pdf_fixtures::documents::{self, ENCRYPTIONS, Text, save, save_encrypted};
use super::*;
use crate::note_layout;
use crate::pdf::{Line, TextItem};
use crate::protocol::MAX_LAYOUT_BYTES;

const LABELS: &str = include_str!("../../data/note-labels.txt");
const PAN: &str = "ABCDE1234F";

/// Returns the layout of a file, or the reason why it is rejected.
fn layout_with(content: &[u8], password: &str) -> Result<String, RejectionReason> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    let options = ParserOptions { password: password.to_owned(), ..ParserOptions::default() };
    let mut result = None;
    file_parser::parse_layout(file, &options, &mut |event| {
        result = Some(match event {
            Event::Layout(layout) => Ok(layout.text),
            Event::Rejected(file) => {
                let reason = file.reason();
                drop(rejection_text(file));
                Err(reason)
            }
            other => panic!("{other:?}"),
        });
        Ok(())
    })
    .unwrap();
    result.unwrap()
}

fn layout(content: &[u8]) -> Result<String, RejectionReason> {
    layout_with(content, "")
}

/// Returns the text outside braces.
fn without_braces(text: &str) -> String {
    text.split('{').map(|part| part.split_once('}').map_or(part, |(_, text)| text)).collect::<Vec<_>>().join(" ")
}

/// Checks that every digit is 9, and every letter is masked or part of a label.
#[track_caller]
fn assert_redacted(text: &str) {
    let labels: HashSet<&str> = LABELS.split_whitespace().collect();
    let shown = without_braces(text);
    let is_word = |c: char| c.is_alphanumeric() || c == '&';
    for word in shown.split(|c| !is_word(c)).filter(|word| word.contains(char::is_alphabetic)) {
        let is_masked = word.chars().all(|c| "9xXmM&".contains(c));
        let amount_suffix = word.trim_start_matches('9').to_lowercase();
        assert!(
            is_masked
                || labels.contains(word.to_lowercase().as_str())
                || ["dr", "cr"].contains(&amount_suffix.as_str()),
            "{word} in {shown}"
        );
    }
    assert!(shown.chars().all(|c| !c.is_numeric() || c == '9'), "{shown}");
    assert!(shown.chars().all(|c| c.is_ascii() || "₹–—\u{2212}".contains(c)), "{shown}");
}

fn text_at(x: f32, y: f32, text: &str) -> Text {
    Text { x, y, is_right: false, text: text.to_owned() }
}

/// Returns the masked cells of a line of texts at columns 100 points apart.
fn mask(texts: &[&str]) -> String {
    let mut items = Vec::new();
    for (left, text) in (0_u16..).step_by(100).map(f32::from).zip(texts) {
        let mut left = left;
        for word in text.split(' ') {
            let right = left + 2.0 * word.chars().count() as f32;
            items.push(TextItem { text: word.to_owned(), left, right, baseline: 0.0, size: 6.0 });
            left = right + 2.0;
        }
    }
    let text = note_layout::format(&[Line { page: 1, items }], Some(0.2));
    assert_redacted(&text);
    let cells = text.lines().nth(2).unwrap().split('{').skip(1);
    cells.map(|cell| cell.split_once('}').unwrap().1.trim_end()).collect::<Vec<_>>().join(" | ")
}

#[test]
fn labels_stay_and_data_is_masked() {
    for (texts, expected) in [
        (&["Trade Date: 05/06/2026"][..], "Trade Date: | 99/99/9999"),
        (&["5-Jun-2026", "28Apr2026", "JUNE 2026"], "9-Mmm-9999 | 99Mmm9999 | MMMM | 9999"),
        (&["Contract Note No. CN/26/7"], "Contract Note No. XX/99/9"),
        (&["Buy(B)/Sell(S)/BF/CF", "B/S"], "Buy(B)/Sell(S)/BF/CF | B/S"),
        (&["NCL-Cash", "NCL-F&O", "NET TOTAL"], "NCL-Cash | NCL-F&O | NET TOTAL"),
        (&["CGST (@9% of Brok, SEBI, Trans &"], "CGST | (@9% | of Brok, SEBI, Trans &"),
        (&["[STT-DEL.]", "(1,234.50)", "7.00DR", "7.00 CR"], "[STT-DEL.] | (9,999.99) | 9.99DR | 9.99 | CR"),
        (&["Zerodha Broking Limited"], "Zerodha Broking Limited"),
        (&["AB1234", "INE002A01018"], "XX9999 | XXX999X99999"),
    ] {
        assert_eq!(mask(texts), expected);
    }
}

#[test]
fn a_name_or_address_with_a_label_in_it_is_masked() {
    for (text, expected) in [
        ("Netaji", "Xxxxxx"),
        ("Net-Aji Rao", "Xxx-Xxx Xxx"),
        ("Dr Rahul Rate", "Xx Xxxxx Xxxx"),
        ("12 Market Road", "99 | Xxxxxx Xxxx"),
        ("Client Name: Total Sharma", "Client Name: Xxxxx Xxxxxx"),
        ("Kotak", "Xxxxx"),
        ("ANGEL ONE LIMITED", "XXXXX XXX XXXXXXX"),
        ("S B Sharma", "X | X | Xxxxxx"),
        ("net.total@cash.com", "xxx.xxxxx@xxxx.xxx"),
        ("net@cash", "xxx@xxxx"),
        ("cash.net", "xxxx.xxx"),
        ("https://cash/net", "xxxxx://xxxx/xxx"),
        ("PAN: ABCDE1234S", "PAN: XXXXX9999X"),
        ("TOTAL1234B", "XXXXX9999X"),
        ("L&T", "X&X"),
        ("STATE BANK OF INDIA", "XXXXX XXXX XX XXXXX"),
    ] {
        assert_eq!(mask(&[text]), expected);
    }
}

#[test]
fn text_in_other_scripts_and_signs_within_names_are_masked() {
    for text in [
        "नेताजी",
        "०१२ १२३",
        "Ｎｅｔ",
        "ﬁnal",
        "Net\u{200d}aji",
        "Net\u{ad}aji",
        "Ne\u{301}t",
        "Nеt",
        "broKer",
        "Net\u{e000}",
        "Ⅷ ½ ²",
        "{123}",
        "🙂Net",
        "Net aji\u{2028}x",
    ] {
        let masked = mask(&[text]);
        assert!(!masked.to_lowercase().contains("net"), "{masked}");
    }
    assert_eq!(mask(&["नेट"]), "xxx");
    assert_eq!(mask(&["{12}"]), "(99)");
}

#[test]
fn the_side_of_a_fill_stays_and_a_traded_exchange_is_masked() {
    let fill = |cells: &[&str]| {
        let head = ["1100000000000001", "09:15:01", "200000001", "09:15:01"];
        let masked = mask(&[&head, cells].concat());
        masked.strip_prefix("9999999999999999 | 99:99:99 | 999999999 | 99:99:99 | ").unwrap().to_owned()
    };
    assert_eq!(
        fill(&["SBIN-EQ/INE062A01020", "B", "NSE", "10", "5.00", "50.00"]),
        "XXXX-XX/XXX999X99999 | B | NSE | 99 | 9.99 | 99.99"
    );
    assert_eq!(fill(&["RELIANCE", "NSE", "S", "10", "5.00", "50.00"]), "XXXXXXXX | NSE | S | 99 | 9.99 | 99.99");
    assert_eq!(fill(&["BSE", "B", "NSE", "10", "5.00", "50.00"]), "XXX | B | NSE | 99 | 9.99 | 99.99");
    assert_eq!(fill(&["BSE", "BSE", "S", "10", "5.00", "50.00"]), "XXX | BSE | S | 99 | 9.99 | 99.99");
    assert_eq!(fill(&["BSE", "B", "10", "NSE", "5.00", "50.00"]), "XXX | B | 99 | NSE | 9.99 | 99.99");
    assert_eq!(mask(&["INE118H01025", "BSE", "10", "5.00"]), "XXX999X99999 | XXX | 99 | 9.99");
    // The boxes of a PAN, and an address.
    assert_eq!(mask(&["A", "B", "1", "2", "3", "4", "S"]), "X | X | 9 | 9 | 9 | 9 | X");
    assert_eq!(mask(&["Flat", "B", "400001"]), "Xxxx | X | 999999");
}

#[test]
fn a_word_that_is_drawn_in_parts_is_masked_as_a_whole() {
    let item = |text: &str, left, right| TextItem { text: text.to_owned(), left, right, baseline: 0.0, size: 10.0 };
    let of_items = |items| note_layout::format(&[Line { page: 1, items }], Some(0.2));
    let parts = of_items(vec![item("Net", 0.0, 18.0), item("aji", 19.9, 36.0)]);
    assert!(parts.contains("{0}Xxxxxx\n"), "{parts}");
    let bold = of_items(vec![item("Total", 0.0, 30.0), item("Total", 0.3, 30.3)]);
    assert!(bold.contains("{0-30}Total\n"), "{bold}");
}

#[test]
fn a_cell_with_masked_text_has_no_width() {
    let text = layout(&save(documents::document(
        &[vec![text_at(50.0, 500.0, "Ravi Kumar"), text_at(200.0, 500.0, "Total"), text_at(300.0, 500.0, "1.00")]],
        10.0,
    )));
    assert!(text.unwrap().contains("{50}Xxxx Xxxxx {200-230}Total {300-324}9.99\n"));
}

#[test]
fn the_layout_of_every_note_is_redacted_and_has_its_labels() {
    for layout_of_note in LAYOUTS {
        for note in [note(layout_of_note, 7, "05-06-2026", 12), note_with_contracts(layout_of_note, 7, "05-06-2026", 4)]
        {
            for misprint in [None, Some(Misprint::Net)] {
                let text = layout(&file(&Note { misprint, ..note.clone() })).unwrap();
                assert_redacted(&text);
                let lower = text.to_lowercase();
                for label in ["contract note", "sebi", "stamp duty", "brokerage", "igst", "order", "{page 1}"] {
                    assert!(lower.contains(label), "{layout_of_note:?} {label}: {text}");
                }
                for data in ["RELIANCE", "SBIN", "NIFTY", "INE0", "AB1", "STATE BANK"] {
                    assert!(!text.contains(data), "{layout_of_note:?} {data}: {text}");
                }
            }
        }
    }
}

#[test]
fn the_layout_of_a_workbook_is_redacted() {
    for layout_of_note in [WorkbookLayout::Since2022, WorkbookLayout::Before2022] {
        let notes = ["05-06-2026", "08-06-2026"].map(|day| note_with_contracts(Layout::ZerodhaBefore2025, 7, day, 4));
        let text = layout(&workbook(layout_of_note, &notes)).unwrap();
        assert_redacted(&text);
        assert!(text.contains("ZERODHA BROKING LIMITED") && text.contains("{page 2}"), "{text}");
        assert!(text.contains("SEBI turnover fees") && !text.contains("RELIANCE"), "{text}");
    }
}

#[test]
fn an_encrypted_note_needs_its_password() {
    let note = note(Layout::Zerodha, 7, "05-06-2026", 12);
    for encryption in ENCRYPTIONS {
        let file = save_encrypted(document(std::slice::from_ref(&note)), encryption, PAN);
        assert_eq!(layout(&file), Err(RejectionReason::PdfPassword), "{encryption:?}");
        assert_eq!(layout_with(&file, "ABCDE1234G"), Err(RejectionReason::PdfWrongPassword), "{encryption:?}");
        let text = layout_with(&file, PAN).unwrap();
        assert_redacted(&text);
        assert!(text.contains("Contract Note No:"), "{text}");
    }
}

#[test]
fn metadata_is_not_part_of_a_layout() {
    let mut document = document(&[note(Layout::Zerodha, 7, "05-06-2026", 4)]);
    let info = dictionary! {
        "Author" => lopdf::Object::string_literal("TOTAL"), "Title" => lopdf::Object::string_literal("WEIGHTED"),
    };
    let info = document.add_object(info);
    document.trailer.set("Info", info);
    let text = layout(&save(document)).unwrap();
    assert!(!text.contains("WEIGHTED"), "{text}");
}

#[test]
fn a_long_layout_is_cut_and_says_so() {
    let page = |count: usize| (0..count).map(|line| text_at(30.0, 800.0 - line as f32, "Total")).collect::<Vec<_>>();
    let pages = |count| layout(&save(documents::document(&vec![page(1); count], 1.0))).unwrap();
    assert!(!pages(40).contains("{cut"));
    let text = pages(41);
    assert!(text.ends_with("{cut: the layout has only the first 40 pages}\n"), "{text}");
    assert!(text.contains("{page 40}") && !text.contains("{page 41}"));
    let text = layout(&save(documents::document(&vec![page(700); 30], 1.0))).unwrap();
    assert!(text.ends_with("}Total\n{cut: the layout has only the first 200 kB}\n"));
    assert!((MAX_LAYOUT_BYTES - 200..=MAX_LAYOUT_BYTES).contains(&text.len()), "{}", text.len());
}

#[test]
fn other_files_are_rejected_as_by_an_import() {
    let other = vec![text_at(50.0, 500.0, "Dear trader")];
    assert!(layout(&save(documents::document(&[other], 8.0))).unwrap().contains("{50}Xxxx xxxxxx"));
    assert_eq!(layout(&save(documents::document(&[vec![]], 8.0))), Err(RejectionReason::PdfWithoutText));
    assert_eq!(layout(b"%PDF-1.7\nnothing else"), Err(RejectionReason::PdfDamaged));
    assert_eq!(layout(b""), Err(RejectionReason::Empty));
    assert_eq!(layout(b"a,b\n1,2\n"), Err(RejectionReason::NotAContractNote));
    assert_eq!(layout(&fixtures::xlsx(&[fixtures::tradebook()])), Err(RejectionReason::NotAContractNote));
}

#[test]
fn labels_are_sorted_and_in_lower_case() {
    let lines: Vec<&str> = LABELS.lines().skip_while(|line| line.contains(' ')).collect();
    assert!(lines.is_sorted() && lines.iter().all(|line| !line.contains(' ')));
    let is_plain = |c: char| c.is_ascii_lowercase() || c == '&' || c == ' ';
    assert!(LABELS.lines().all(|line| !line.is_empty() && line.chars().all(is_plain)));
    assert_eq!(lines.iter().collect::<HashSet<_>>().len(), lines.len());
}

/// Texts of a client: names, codes and addresses, some with labels in them.
fn data() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Z][a-z]{2,8} [A-Z][a-z]{3,9}",
        "[A-Z]{5}[0-9]{4}[A-Z]",
        "[a-z]{2,6}@[a-z]{2,6}.in",
        "\\PC{1,20}",
        "(Net|Total|Rate)[a-z]{1,5}"
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_data_of_a_generated_note_survives(
        texts in prop::collection::vec(data(), 4),
        layout_of_note in prop::sample::select(LAYOUTS.to_vec()),
        count in 1_usize..20,
        number in 1_u32..9999,
    ) {
        let mut note = note(layout_of_note, number, "05-06-2026", count);
        note.client_code = texts[0].clone();
        for (fill, text) in note.fills.iter_mut().zip(texts.iter().cycle()) {
            fill.symbol = text.clone().leak();
            fill.name = text.clone().leak();
        }
        assert_redacted(&layout(&file(&note)).unwrap());
    }

    #[test]
    fn no_text_survives(texts in prop::collection::vec("\\PC{1,30}", 1..8)) {
        drop(mask(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
    }

    /// Names that are no labels are masked wherever they are.
    #[test]
    fn no_name_survives(name in "[A-Z][a-z]{5,9}", before in "[ -~]{0,6}", after in "[ -~]{0,6}") {
        let is_label = LABELS.split_whitespace().any(|label| name.to_lowercase().starts_with(label) || label.starts_with(&name.to_lowercase()));
        prop_assume!(!is_label);
        let masked = mask(&[&format!("{before}{name}{after}")]);
        prop_assert!(!masked.contains(&name), "{masked}");
    }
}
