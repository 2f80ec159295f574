//! Layouts of contract notes with names and numbers masked: nothing that could identify a person or a trade survives.

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

/// Returns the labels of the list.
fn labels() -> impl Iterator<Item = &'static str> {
    LABELS.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '[']))
}

/// Checks that every digit is 9, and that every word is masked or part of a label.
#[track_caller]
fn assert_redacted(text: &str) {
    let labels: HashSet<&str> = labels().flat_map(|label| label.split(' ')).collect();
    let shown = without_braces(text);
    let is_word = |c: char| c.is_alphanumeric() || c == '&';
    for word in shown.split(|c| !is_word(c)).filter(|word| word.contains(char::is_alphabetic)) {
        let lower = word.to_lowercase();
        let without_digits = lower.trim_matches('9');
        assert!(
            ["Xxxx", "Mmm", "99Mmm99", "99Mmm9999"].contains(&word)
                || labels.contains(lower.as_str())
                || ["b", "s", "dr", "cr", "ltd", "pvt", "rs"].contains(&without_digits),
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
            items.push(TextItem { text: word.to_owned(), left, right, baseline: 0.0, size: 6.0, has_characters: true });
            left = right + 2.0;
        }
    }
    let text = note_layout::format(&[Line { page: 1, items }], Some(0.2));
    assert_redacted(&text);
    without_braces(text.lines().nth(2).unwrap()).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn labels_stay_and_data_is_masked() {
    for (texts, expected) in [
        (&["Trade Date: 05/06/2026"][..], "Trade Date: 99/99/9999"),
        (&["Contract Note No. CN/26/7 Trade Date"], "Contract Note No. Xxxx Trade Date"),
        (&["Buy(B)/Sell(S)/BF/CF", "B/S"], "Buy(B)/Sell(S)/BF/CF | B/S"),
        (&["NCL-Cash", "NCL-F&O", "NET TOTAL"], "NCL-Cash | NCL-F&O | NET TOTAL"),
        (&["CGST (@9% of Brok, SEBI, Trans &"], "CGST (@9% of Brok, SEBI, Trans &"),
        (&["[STT-DEL.]", "(1,234.50)", "7.00DR", "7.00 CR"], "[STT-DEL.] | (9.99) | 9.99DR | 9.99 CR"),
        (&["Net amount receivable/(payable by client) (₹)"], "Net amount receivable/(payable by client) (₹)"),
        (&["Zerodha Broking Limited"], "Zerodha Broking Limited"),
        (&["AB1234", "INE002A01018"], "Xxxx | Xxxx"),
    ] {
        assert_eq!(mask(texts), expected.replace(" | ", " "));
    }
}

#[test]
fn a_name_or_address_with_a_label_in_it_is_masked() {
    for text in [
        "Netaji",
        "Net-Aji Rao",
        "Dr Rahul Rate",
        "Kotak",
        "ANGEL ONE LIMITED",
        "S B Sharma",
        "net.total@cash.com",
        "net@cash",
        "cash.net",
        "https://cash/net",
        "TOTAL1234B",
        "L&T",
        "STATE BANK OF INDIA",
        "Net Total Sharma",
        "Net Total of the Sharma Trade Note",
    ] {
        assert_eq!(mask(&[text]), "Xxxx");
    }
    assert_eq!(mask(&["12 Market Road"]), "9 Xxxx");
    assert_eq!(mask(&["Total: Rahul Rate"]), "Total: Xxxx");
}

#[test]
fn an_ambiguous_word_stays_only_in_a_label_of_the_list() {
    for word in [
        "Day",
        "Bill",
        "Page",
        "Square",
        "Market",
        "Stock",
        "Cash",
        "Spot",
        "Close",
        "Price",
        "Pan Day",
        "Corporation",
        "Trading",
        "Exchange",
        "BSE",
        "MCX",
        "NSE",
        "Services",
        "Securities",
        "Premium",
        "Future",
        "Time",
        "Share",
        "Credit",
        "Commodity",
        "Open",
        "Gross",
        "Unit",
        "Square Stock",
        "Page Market",
        "BSE Securities",
    ] {
        assert_eq!(mask(&[word]), "Xxxx");
    }
    for label in [
        "Bill No.",
        "Square off",
        "Market Type",
        "Stock Exchange",
        "NSE-EQ BSE-EQ",
        "Strike Price",
        "Clearing Corporation",
        "Trading Member",
        "Exchange transaction charges",
        "Securities transaction tax",
        "Future & Options",
        "Trade Time",
    ] {
        assert_eq!(mask(&[label]), label);
    }
}

#[test]
fn the_rest_of_a_line_is_masked_after_a_label_of_client_data() {
    for (texts, expected) in [
        (&["Client Name: Net Total", "Trade Date:", "05/06/2026"][..], "Client Name: Xxxx | Xxxx: | 99/99/9999"),
        (&["UCC: AB1234", "Contract Note"], "UCC: Xxxx | Xxxx"),
        (&["PAN", "Total"], "PAN | Xxxx"),
        (&["Address", "12", "Net Total", "Rate"], "Address | 9 | Xxxx | Xxxx"),
        (&["Father's Name: Net Total"], "Xxxx"),
        (&["Name/Total"], "Xxxx"),
        (&["Name Total"], "Name Xxxx"),
        (&["Security Name / Symbol", "Quantity"], "Security Name / Symbol | Quantity"),
    ] {
        assert_eq!(mask(texts), expected.replace(" | ", " "));
    }
    for label in ["Email", "E-mail ID", "Mobile No.", "Phone", "Tel. No.", "GSTIN", "DP ID", "Client", "UCC of Client"]
    {
        assert_eq!(mask(&[&format!("{label}: Net Total")]), format!("{label}: Xxxx"));
    }
}

#[test]
fn only_the_side_stays_in_a_line_of_trades() {
    for (texts, expected) in [
        (&["INE118H01025", "BSE", "10", "5.00"][..], "Xxxx | Xxxx | 9 | 9.99"),
        (&["Total", "INE118H01025"], "Xxxx | Xxxx"),
        (&["Net Rate (INE118H01025)"], "Xxxx (Xxxx)"),
        (&["Trade", "10", "5.00"], "Xxxx | 9 | 9.99"),
        (&["Total", "10", "5.00"], "Total | 9 | 9.99"),
        (&["1100000000000001", "Net Total", "10", "5.00"], "9 | Xxxx | 9 | 9.99"),
        (&["ADANI TOTAL GAS", "Trade", "10", "5.00"], "Xxxx | Xxxx | 9 | 9.99"),
        (&["Trade Date", "05 Jun 2026"], "Trade Date | 9 Mmm 9"),
        // The boxes of a PAN, and an address.
        (&["A", "B", "1", "2", "3", "4", "S"], "Xxxx | Xxxx | 9 | Xxxx"),
        (&["Flat", "B", "400001"], "Xxxx | Xxxx | 9"),
    ] {
        assert_eq!(mask(texts), expected.replace(" | ", " "));
    }
    let fill = |cells: &[&str]| {
        let head = ["1100000000000001", "09:15:01", "200000001", "09:15:01"];
        let masked = mask(&[&head, cells].concat());
        masked.strip_prefix("9 99:99:99 9 99:99:99 ").unwrap().to_owned()
    };
    for (cells, expected) in [
        (["SBIN-EQ/INE062A01020", "B", "NSE", "10", "5.00", "50.00"], "Xxxx/Xxxx | B | Xxxx | 9 | 9.99 | 9.99"),
        (["RELIANCE", "NSE", "S", "10", "5.00", "50.00"], "Xxxx | Xxxx | S | 9 | 9.99 | 9.99"),
        (["BSE", "Buy", "NSE", "10", "5.00", "50.00"], "Xxxx | Buy | Xxxx | 9 | 9.99 | 9.99"),
        (["MCX", "B", "10", "MCX", "5.00", "50.00"], "Xxxx | B | 9 | Xxxx | 9.99 | 9.99"),
        (
            ["Net Total [INE062A01020]", "SELL", "NSE", "1", "5.00", "5.00"],
            "Xxxx [Xxxx] | SELL | Xxxx | 9 | 9.99 | 9.99",
        ),
    ] {
        assert_eq!(fill(&cells), expected.replace(" | ", " "));
    }
}

#[test]
fn a_name_that_wraps_before_the_figures_of_its_row_is_masked() {
    let row = |texts: [&str; 3]| {
        let cells = texts.iter().zip([0.0, 200.0, 400.0]).filter(|(text, _)| !text.is_empty());
        cells.map(|(text, left)| item(text, left, left + 20.0)).collect()
    };
    let text = format(vec![
        row(["INE118H01025", "Adani", ""]),
        row(["", "Total", ""]),
        row(["Stamp", "10", "5.00"]),
        row(["Total", "10", "5.00"]),
    ]);
    let expected = ["Xxxx Xxxx", "Xxxx", "Xxxx 9 9.99", "{0-20}Total 9 9.99", ""];
    assert_eq!(text, expected.join("\n"));
}

#[test]
fn the_form_of_masked_text_does_not_show() {
    for text in
        ["Rao", "RAVI", "ravi", "M&M", "BAJAJ-AUTO", "D'Souza", "a.b@c.in", "Ravi Kumar Rao", "CN/26/7", "A. B. Rao"]
    {
        assert_eq!(mask(&[text]), "Xxxx");
    }
    for (text, expected) in [
        ("5-Jun-2026", "99-Mmm-9999"),
        ("15-JUNE-26", "99-Mmm-99"),
        ("28Apr2026", "99Mmm9999"),
        ("2026-06-05", "9999-99-99"),
        ("9:15:01", "99:99:99"),
        ("SEPTEMBER", "Mmm"),
    ] {
        assert_eq!(mask(&[text]), expected);
    }
}

#[test]
fn a_number_keeps_its_sign_and_decimals_but_not_its_size() {
    for (number, expected) in [
        ("5", "9"),
        ("1100000000000001", "9"),
        ("0.0000", "9.9999"),
        ("1,23,45,678.50", "9.99"),
        ("(1,234.50)", "(9.99)"),
        ("\u{2212}12", "\u{2212}9"),
        ("₹1,200.00", "₹9.99"),
        ("18%", "9%"),
        ("98765-43210", "9-9"),
        ("1".repeat(41).as_str(), "Xxxx"),
    ] {
        assert_eq!(mask(&[number]), expected);
    }
}

#[test]
fn dotted_labels_and_names_of_brokers_with_punctuation_stay() {
    for label in [
        "Sr.No.",
        "Sr. No.",
        "S.No.",
        "Sl.No",
        "Rs.Ps",
        "(Rs.Ps.)",
        "Zerodha Broking Limited,",
        "Zerodha Broking Ltd.",
        "ZERODHA BROKING LTD",
        "Raise Securities Pvt. Ltd.",
        "Contract Note of Upstox Securities Pvt Ltd",
    ] {
        assert_eq!(mask(&[label]), label);
    }
    for text in ["B.S.", "Rate.Net", "Broking Limited", "Zerodha Limited", "Pvt. Ltd."] {
        assert_eq!(mask(&[text]), "Xxxx");
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
    assert_eq!(mask(&["नेट"]), "Xxxx");
    assert_eq!(mask(&["{12}"]), "Xxxx");
}

fn item(text: &str, left: f32, right: f32) -> TextItem {
    TextItem { text: text.to_owned(), left, right, baseline: 0.0, size: 10.0, has_characters: true }
}

/// Returns the layout of lines of a page, without its first two lines.
fn format(lines: Vec<Vec<TextItem>>) -> String {
    let lines: Vec<Line> = lines.into_iter().map(|items| Line { page: 1, items }).collect();
    let text = note_layout::format(&lines, Some(0.2));
    text.split_inclusive('\n').skip(2).collect()
}

#[test]
fn a_word_that_is_drawn_in_parts_is_masked_as_a_whole() {
    assert_eq!(format(vec![vec![item("Net", 0.0, 18.0), item("aji", 19.9, 36.0)]]), "Xxxx\n");
    assert_eq!(format(vec![vec![item("Total", 0.0, 30.0), item("Total", 0.3, 30.3)]]), "{0-30}Total\n");
}

#[test]
fn positions_do_not_tell_the_width_of_masked_text() {
    let text = layout(&save(documents::document(
        &[vec![text_at(52.0, 500.0, "Ravi Kumar"), text_at(201.0, 500.0, "Total"), text_at(301.0, 500.0, "1.00")]],
        10.0,
    )));
    assert!(text.unwrap().contains("\nXxxx {200-230}Total 9.99\n"));
    // Cells within a word gap after another one.
    let line = |width: f32| {
        let end = 20.0 + width;
        format(vec![vec![
            item("Ravi", 20.0, end),
            item("12", end + 9.0, end + 20.0),
            item("Total", end + 29.0, end + 60.0),
            item("S", end + 65.0, end + 70.0),
            item("Kumar", end + 75.0, end + 99.0),
            item("Net", 400.0, 420.0),
        ]])
    };
    assert_eq!(line(50.0), "Xxxx 9 Total Xxxx {400-420}Net\n");
    assert_eq!(line(50.0), line(150.0));
}

#[test]
fn a_value_has_only_the_position_of_its_column() {
    let head = || vec![item("Total", 90.0, 120.0), item("Net", 280.0, 300.0)];
    let column = |left: &dyn Fn(f32) -> f32| {
        let cell = |width| vec![item("1.00", left(width), left(width) + width)];
        let values = [20.0, 40.0, 62.0, 81.0].map(cell);
        format([vec![head()], values.to_vec()].concat())
    };
    let expected = format!("{{90-120}}Total {{280-300}}Net\n{}", "{280}9.99\n".repeat(4));
    assert_eq!(column(&|width| 300.0 - width), expected);
    assert_eq!(column(&|width| 310.0 - width / 2.0), expected);
    assert_eq!(column(&|_| 265.0), expected);
    // Nothing shows how wide this amount is: it has no label above it.
    assert_eq!(column(&|width| 600.0 - width), expected.replace("{280}", ""));
    let name = |name: &str, right: f32| {
        format(vec![head(), vec![item(name, 90.0, right)], vec![item(name, 500.0, right + 410.0)]])
    };
    assert_eq!(name("Ravi", 110.0), "{90-120}Total {280-300}Net\n{90}Xxxx\nXxxx\n");
    assert_eq!(name("Ramanujan", 170.0), name("Ravi", 110.0));
    // The left edge of three labels of other widths.
    let labels =
        [("Net", 30.0), ("Total", 40.0), ("Quantity", 60.0)].map(|(text, width)| vec![item(text, 20.0, 20.0 + width)]);
    let lines = |text| [vec![vec![item(text, 20.0, 90.0)]], labels.to_vec()].concat();
    assert!(format(lines("Ravi")).starts_with("{20}Xxxx\n"));
    assert!(format(lines("1.00")).starts_with("9.99\n"));
}

#[test]
fn masked_cells_that_are_near_each_other_are_one() {
    let line = |gap: f32| {
        let next = 50.0 + gap;
        format(vec![vec![
            item("Ravi", 20.0, 50.0),
            item("Kumar", next, next + 40.0),
            item("Net", next + 69.0, next + 90.0),
        ]])
    };
    assert_eq!(line(29.0), "Xxxx Net\n");
    assert_eq!(line(31.0), "Xxxx Xxxx Net\n");
    let boxes = (0..8).map(|at| item("7", at as f32 * 50.0, at as f32 * 50.0 + 5.0)).collect();
    assert_eq!(format(vec![boxes]), "9\n");
}

#[test]
fn signs_stay_only_alone_or_within_figures() {
    for sign in ["-", "–", "—", ":", "/", "(", ")", "&", "*", "₹", "@", "%", "."] {
        assert_eq!(mask(&[&format!("Total {sign} Net")]), format!("Total {sign} Net"));
    }
    for text in [
        "5$9,", "$%", "((", "<=>", "#", "--", "().,-", ".,0", "5--9", "5//9", "7.,5", "12*", "****1234", "#12", "٣٤",
        "T$tal",
    ] {
        assert_eq!(mask(&[text]), "Xxxx", "{text}");
        let masked = mask(&[&format!("Total {text}")]);
        assert_eq!(masked.replace("Total ", "").trim_end_matches(" ("), "Xxxx", "{text}");
    }
    assert_eq!(mask(&["((9%"]), "(Xxxx");
}

#[test]
fn a_number_has_the_same_form_for_every_size() {
    for form in ["_/-", "Rs._", "₹_", "_-", "(_)", "_DR", "_", "[_]", "₹_*", "Total:_", "Rs_", "-_", "_CR"] {
        let masked = |number: &str| mask(&["Total", &form.replace('_', number), "5"]);
        for number in ["1,234.00", "1,23,456.00", "12,34,56,78,901.23"] {
            assert_eq!(masked(number), masked("1.00"), "{form} {number}");
        }
    }
    assert_eq!(mask(&["1,23,456.00/-"]), "9.99/-");
    assert_eq!(mask(&["Rs.1,23,45,678.50"]), "Rs.9.99");
    assert_eq!(mask(&["१,२३,४५६"]), mask(&["१"]));
    // Both are amounts of a line of trades.
    assert_eq!(mask(&["Trade", "Rs.10.00", "1,000.00/-"]), "Xxxx Rs.9.99 9.99/-");
}

#[test]
fn a_code_of_characters_and_digits_is_masked() {
    for code in [
        "DEL-12345",
        "CC-9",
        "MAY-1234",
        "OPTIDX-26JUN2026-CE-1400",
        "32May2026",
        "99-JUN-26",
        "PAN123",
        "10DR",
        "7Cr",
        "Net-5",
        "Page1",
        "JUN26",
    ] {
        assert_eq!(mask(&[code]), "Xxxx", "{code}");
    }
    assert_eq!(mask(&["99-99-2026"]), "9-9-9");
    assert_eq!(mask(&["Trade Date", "31/12/26", "05.06.2026"]), "Trade Date 99/99/99 99.99.9999");
    assert_eq!(mask(&["5", "DR"]), "9 Xxxx");
}

#[test]
fn a_short_word_that_may_be_a_name_is_masked() {
    for word in [
        "Del", "Am", "Pe", "Ce", "Cc", "Cf", "Sub", "Due", "Cum", "In", "At", "To", "Dp", "No", "By", "Fut", "OPTSTK",
        "On Off",
    ] {
        assert_eq!(mask(&[word]), "Xxxx", "{word}");
    }
}

#[test]
fn labels_of_the_notes_of_brokers_stay() {
    for label in [
        "Taxable value of Supply (Brokerage) (₹)",
        "IGST (@18% of Brok, SEBI, Trans & Clearing Charges) (₹)",
        "Pay in/Pay out obligation (₹)",
        "Order No.",
        "Trade No.",
        "Security / Contract Description",
        "Closing Rate per Unit",
        "Net Total (Before Levies)",
        "Net Rate per Unit",
        "Brokerage per unit (Rs)",
        "CONTRACT NOTE CUM TAX INVOICE",
        "Contract Note No:",
        "Invoice Reference Number(IRN):",
        "Trade Date:",
        "Settlement No:",
        "Settlement Date:",
        "NCL-Cash",
        "NCL-F&O",
        "EQ-CASH (Rs.)",
        "FO-EQ",
        "PAY IN / ( PAY OUT ) OBLIGATION",
        "[STT-DEL.]",
        "[STT-SQUP]",
        "[STT-Round off]",
        "Net amount (-) receivable by Client / (+) payable by Client (Rs.)",
        "Sub Total",
        "DP Charges",
        "Buy(B)/Sell(S)/BF/CF",
    ] {
        assert_eq!(mask(&[label]), label.replace("18%", "9%"));
    }
}

#[test]
fn data_after_unknown_or_joined_labels_is_masked() {
    for text in [
        "Constituent: Net Total",
        "Dealer Net Total",
        "Customer ID: Net Total",
        "Names: Net Total",
        "UPI ID Net Total",
        "Father's Name: Net Total",
        "Marital Status: Net Total",
        "ClientName Net Total",
        "Client_Name: Net Total",
        "D/o Net Total",
        "Authorised Signatory Net Total",
    ] {
        let masked = mask(&[text, "Stock Exchange"]);
        assert!(!masked.contains("Net") && !masked.contains("Stock"), "{text}: {masked}");
    }
    for texts in
        [&["Marital Status : Net Total", "Rate"][..], &["Status", ":", "Net Total", "Rate"], &["Status", ": Net Total"]]
    {
        assert!(!mask(texts).contains("Net"), "{texts:?}: {}", mask(texts));
    }
    assert_eq!(
        mask(&["Contract Note No. : CN/26/7", "Trade Date :", "05/06/2026"]),
        "Contract Note No. : Xxxx Trade Date : 99/99/9999"
    );
    // The value is below its label.
    let below = |label: &str, left: f32| {
        format(vec![vec![item(label, 0.0, 40.0), item("Rate", 200.0, 240.0)], vec![item("Total", left, left + 30.0)]])
    };
    assert!(below("Client", 10.0).ends_with("\nXxxx\n"));
    assert!(below("Date", 10.0).ends_with("Total\n"));
    assert!(below("Client", 210.0).ends_with("Total\n"));
}

#[test]
fn a_name_above_or_below_a_row_of_trades_is_masked() {
    let row = |isin: &str| {
        vec![item(isin, 0.0, 80.0), item("Rao", 200.0, 230.0), item("10", 400.0, 410.0), item("5.00", 500.0, 520.0)]
    };
    let name = || vec![item("Total", 200.0, 230.0)];
    let pages = |lines: Vec<(usize, Vec<TextItem>)>| {
        let lines: Vec<Line> = lines.into_iter().map(|(page, items)| Line { page, items }).collect();
        note_layout::format(&lines, Some(0.2))
    };
    for isin in ["INE118H01025", "ine118h01025"] {
        let text = pages(vec![(1, name()), (2, row(isin)), (3, name()), (3, name())]);
        assert_eq!(without_braces(&text).matches("Total").count(), 1, "{text}");
    }
    assert!(mask(&["Net Total ine118h01025 x"]).starts_with("Xxxx"));
    let header = ["Order", "Trade", "Quantity"].into_iter().zip([0.0, 200.0, 400.0]);
    let header = header.map(|(text, left)| item(text, left, left + 30.0)).collect();
    assert!(pages(vec![(1, header), (1, row("INE118H01025"))]).contains("Order {200-230}Trade {400-430}Quantity"));
}

#[test]
fn text_of_a_font_without_characters_is_masked() {
    let line = |has_characters| {
        let total = TextItem { has_characters, ..item("Total", 0.0, 30.0) };
        format(vec![vec![total, TextItem { has_characters, ..item("12.50", 100.0, 120.0) }]])
    };
    assert_eq!(line(true), "{0-30}Total 9.99\n");
    assert_eq!(line(false), "Xxxx Xxxx\n");
    let mut document = documents::document(&[vec![text_at(30.0, 500.0, "\0T\0o\0t\0a\0l")]], 10.0);
    let mut dictionaries = document.objects.values_mut().filter_map(|object| object.as_dict_mut().ok());
    let font = dictionaries.find(|dictionary| dictionary.has(b"BaseFont")).unwrap();
    font.set("Subtype", "Type0");
    font.set("Encoding", "Identity-H");
    let text = layout(&save(document)).unwrap();
    assert!(text.ends_with("{page 1}\nXxxx\n"), "{text}");
}

#[test]
fn a_page_has_its_number_in_the_document() {
    let page = |text: &str| vec![text_at(30.0, 500.0, text)];
    let text = layout(&save(documents::document(&[vec![], page("Total"), vec![], page("Net")], 10.0))).unwrap();
    assert!(text.ends_with("{page 2}\n{30-60}Total\n{page 4}\n{30-50}Net\n"), "{text}");
}

#[test]
fn a_long_line_is_cut_at_once() {
    let many =
        |count: usize| (0..count).map(|word| item("Net", word as f32 * 30.0, word as f32 * 30.0 + 20.0)).collect();
    assert!(!format(vec![many(200)]).contains("{cut}"));
    let text = format(vec![many(201), many(1)]);
    assert!(text.ends_with("Net {cut}\n{0-20}Net\n"), "{text}");
    assert_eq!(text.matches("Net").count(), 201);
    // As many words as a document may have, all of one cell.
    let items = vec![item("Net", 0.0, 5.0); 150_000].into_iter().enumerate();
    let items =
        items.map(|(word, item)| TextItem { left: word as f32 * 10.0, right: word as f32 * 10.0 + 5.0, ..item });
    assert!(format(vec![items.collect()]).len() < 2000);
    // Drawn letter by letter, which makes it one word.
    let chars = (0..150_000_u32).map(|at| item("N", at as f32, at as f32 + 1.0)).collect();
    assert_eq!(format(vec![chars]), "Xxxx\n");
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
        assert!(text.contains("ZERODHA BROKING LIMITED"), "{text}");
        assert!(text.contains("{page 1}") && text.contains("{page 2}") && !text.contains("{page 3}"), "{text}");
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
    assert!(layout(&save(documents::document(&[other], 8.0))).unwrap().ends_with("\nXxxx\n"));
    assert_eq!(layout(&save(documents::document(&[vec![]], 8.0))), Err(RejectionReason::PdfWithoutText));
    assert_eq!(layout(b"%PDF-1.7\nnothing else"), Err(RejectionReason::PdfDamaged));
    assert_eq!(layout(b""), Err(RejectionReason::Empty));
    assert_eq!(layout(b"a,b\n1,2\n"), Err(RejectionReason::NotAContractNote));
    assert_eq!(layout(&fixtures::xlsx(&[fixtures::tradebook()])), Err(RejectionReason::NotAContractNote));
}

#[test]
fn labels_are_sorted_and_in_lower_case() {
    let is_plain = |c: char| c.is_ascii_lowercase() || c == '&' || c == ' ';
    assert!(labels().all(|label| label.chars().all(is_plain) && !label.contains("  ")));
    let sections: Vec<&str> = LABELS.split("\n[").skip(1).collect();
    let names: Vec<&str> = sections.iter().filter_map(|section| section.split(']').next()).collect();
    assert_eq!(names, ["labels", "joining words", "charges and totals", "client data"]);
    for section in sections {
        assert!(section.lines().skip(1).filter(|line| !line.is_empty()).is_sorted(), "{section}");
    }
    assert_eq!(labels().collect::<HashSet<_>>().len(), labels().count());
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

/// Names of people, shares and places, some of which are labels.
fn name() -> impl Strategy<Value = String> {
    let tricky = [
        "BSE",
        "MCX",
        "NSE",
        "Page Industries",
        "Square Four",
        "Net Total",
        "Total",
        "Trade Rate",
        "Stock Exchange",
        "Securities",
        "Time Technoplast",
        "Bill Gross",
        "May Day",
        "Dr Reddy",
        "Stamp Duty",
        "Contract Note",
        "Client Name",
        "Ravi",
        "Market Road",
    ];
    prop_oneof![prop::sample::select(tricky.to_vec()).prop_map(str::to_owned), "[A-Z][a-z]{1,8}( [A-Z][a-z]{1,4})?"]
}

/// Data of a client and three shares.
#[derive(Clone, Debug)]
struct Data {
    client: String,
    places: [String; 2],
    shares: [[String; 2]; 3],
    isins: [String; 3],
    number: u32,
}

impl Data {
    fn any() -> impl Strategy<Value = Self> {
        let isins = ["INE0[A-Z0-9]{8}", "INE1[A-Z0-9]{8}", "INE2[A-Z0-9]{8}"];
        // The fixture prints a name of several words on two lines. A longer one would reach the next column.
        let two_names =
            || (name(), name()).prop_map(|(one, other)| format!("{one} {other}").chars().take(24).collect());
        let shares = std::array::from_fn(|_| [name().boxed(), two_names().boxed()]);
        (name(), [name(), name()], shares, isins, 1..u32::MAX)
            .prop_map(|(client, places, shares, isins, number)| Self { client, places, shares, isins, number })
    }

    /// Puts the data into a note.
    fn write_to(&self, note: &mut Note) {
        let number = self.number;
        note.number = format!("CN/26/{number}");
        note.client_code =
            format!("Ravi {} {} {} {} AB{number}", self.client, number % 1000, self.places[0], self.places[1]);
        let mut isins: Vec<&str> = note.fills.iter().map(|fill| fill.isin).collect();
        isins.dedup();
        for fill in &mut note.fills {
            let share = isins.iter().position(|isin| *isin == fill.isin).unwrap() % 3;
            let [symbol, name] = self.shares[share].clone();
            let is_contract = fill.is_contract();
            fill.symbol =
                if is_contract { format!("{}26JUN{number}CE", symbol.replace(' ', "")) } else { symbol }.leak();
            fill.name = name.leak();
            fill.isin = if is_contract { "" } else { self.isins[share].clone().leak() };
            for id in [&mut fill.order, &mut fill.trade] {
                *id = format!("{:0>1$}", u64::from(number) % 10_u64.pow(9), id.len());
            }
        }
    }
}

/// Multiplies the quantities and the amounts of a note.
fn scale(note: &mut Note, factor: i64) {
    let decimal = rust_decimal::Decimal::from(factor);
    for fill in &mut note.fills {
        fill.quantity *= factor;
        fill.price *= decimal;
    }
    let charges = note.charges.iter_mut().chain(&mut note.contract_charges).chain([&mut note.carried]);
    charges.for_each(|amount| *amount *= decimal * decimal);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The layout, with its positions, is the same for all names, ids and amounts.
    #[test]
    fn the_layout_does_not_depend_on_the_data_of_a_note(
        data in Data::any(),
        other in Data::any(),
        layout_of_note in prop::sample::select(LAYOUTS.to_vec()),
        count in 1_usize..20,
        factor in 2_i64..24,
    ) {
        let mut note = note_with_contracts(layout_of_note, 7, "05-06-2026", count);
        note.misprint = Some(Misprint::Net);
        data.write_to(&mut note);
        let masked = |note: &Note| {
            let text = layout(&file(note)).unwrap();
            assert_redacted(&text);
            text
        };
        let text = masked(&note);
        other.write_to(&mut note);
        prop_assert_eq!(&masked(&note), &text);
        scale(&mut note, factor);
        prop_assert_eq!(&masked(&note), &text);
    }

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
        let mut labels = LABELS.lines().filter(|line| !line.starts_with('#'));
        let is_label = labels.any(|label| label.contains(&name.to_lowercase()));
        prop_assume!(!is_label);
        let masked = mask(&[&format!("{before}{name}{after}")]);
        prop_assert!(!masked.contains(&name), "{masked}");
    }
}
