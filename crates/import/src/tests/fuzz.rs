//! Parses randomly damaged files in the test process: our own code never panics, and every parsed trade is valid.
//!
//! `FUZZ_ROUNDS=100000 cargo test -p import fuzz` runs longer; `FUZZ_SEED` selects other inputs. An input that fails is
//! saved in the directory for temporary files; add it to `corpus/`, which every run parses. The libraries that read .xlsx
//! and .xls may panic, because the sandbox limits the damage to one file.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Once;

use super::fixtures::mutation::{Rng, env_number, mutate};
use super::fixtures::{
    self, groww_fno, ledgers, orders, patched, profit_reports, tax_reports, text, tradebook, tradebook_csv, xlsx,
};
use super::layouts::LAYOUTS;
use super::ledgers::read_ledger;
use super::pdf_fixtures::contract_notes as notes;
use super::{Segment, profit_report, read, read_segment, tax_report};

/// Source paths of libraries that may panic.
const LIBRARIES: [&str; 7] = ["/lopdf-", "/calamine-", "/cfb-", "/zip-", "/quick-xml-", "/zlib-rs-", "/encoding_rs-"];
const SHEET: &str = "xl/worksheets/sheet1.xml";

thread_local! {
    static FUZZING: Cell<bool> = const { Cell::new(false) };
    static PANIC_MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `work` and returns the message and place of its panic.
fn catch_panic(work: impl FnOnce()) -> Option<String> {
    static INSTALL_HOOK: Once = Once::new();
    INSTALL_HOOK.call_once(|| {
        let default_hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if FUZZING.get() {
                PANIC_MESSAGE.set(info.to_string());
            } else {
                default_hook(info);
            }
        }));
    });
    FUZZING.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    FUZZING.set(false);
    result.err().map(|_| PANIC_MESSAGE.take())
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/corpus").join(target);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Runs `work` on the seeds and the corpus of `target`, then on `FUZZ_ROUNDS` mutations of them.
fn fuzz(target: &str, seeds: Vec<Vec<u8>>, allow_library_panics: bool, work: impl Fn(&[u8])) {
    let inputs: Vec<_> = seeds.into_iter().chain(corpus(target)).collect();
    let mut rng = Rng(env_number("FUZZ_SEED", 1));
    let library_panics = Cell::new(0);
    let try_one = |input: &[u8], name: &str| {
        let Some(message) = catch_panic(|| work(input)) else { return };
        if allow_library_panics && LIBRARIES.iter().any(|library| message.contains(library)) {
            library_panics.set(library_panics.get() + 1);
            return;
        }
        let saved = std::env::temp_dir().join(format!("import-fuzz-{target}"));
        std::fs::write(&saved, input).unwrap();
        panic!("{target}, {name}, saved as {}: {message}", saved.display());
    };
    for (number, input) in inputs.iter().enumerate() {
        try_one(input, &format!("input {number}"));
    }
    for round in 0..env_number("FUZZ_ROUNDS", 300) {
        let input = rng.choose(&inputs).clone();
        try_one(&mutate(input, &inputs, &mut rng), &format!("round {round}"));
    }
    println!("{target}: a library panicked on {} inputs", library_panics.get());
}

/// Returns the XML of the first sheet.
fn sheet_xml(file: &[u8]) -> Vec<u8> {
    let content = std::cell::RefCell::default();
    patched(file, SHEET, |xml| content.replace(xml).clone() + "<!-- -->");
    content.into_inner().into_bytes()
}

/// Returns the rows of a sheet as CSV.
pub(super) fn to_csv(sheet: &fixtures::Sheet) -> Vec<u8> {
    let mut lines = vec![String::new(); usize::try_from(sheet.table_start.0).unwrap()];
    for (row, _, cell) in &sheet.extra_cells {
        lines[usize::try_from(*row).unwrap()] += &format!("\"{}\"", display(cell));
    }
    lines.extend(sheet.table.iter().map(|row| {
        let cells: Vec<_> = row.iter().map(|cell| format!("\"{}\"", display(cell))).collect();
        cells.join(",")
    }));
    lines.join("\n").into_bytes()
}

pub(super) fn display(cell: &fixtures::TestCell) -> String {
    match cell {
        fixtures::TestCell::Text(text) => text.clone(),
        fixtures::TestCell::Number(number) | fixtures::TestCell::Date(number) => number.to_string(),
        fixtures::TestCell::Bool(value) => value.to_string(),
        fixtures::TestCell::Blank => String::new(),
    }
}

#[test]
fn fuzz_csv_and_every_format() {
    let sheets = [tradebook(), fixtures::fno_tradebook(), orders(text("1")), groww_fno::trades()];
    let layouts = LAYOUTS.iter().map(|layout| layout().as_csv());
    let seeds = sheets.iter().map(to_csv).chain([tradebook_csv().into_bytes()]).chain(layouts).collect();
    fuzz("csv", seeds, false, |input| {
        read_segment(input, Segment::Equity).assert_valid();
        read_segment(input, Segment::Fno).assert_valid();
    });
}

#[test]
fn fuzz_the_cells_of_xlsx() {
    let book = xlsx(&[tradebook()]);
    let seeds = [&book, &xlsx(&[orders(text("1"))]), &xlsx(&[groww_fno::trades()])].map(|file| sheet_xml(file));
    fuzz("sheet", seeds.to_vec(), true, |input| {
        let sheet = String::from_utf8_lossy(input).into_owned();
        read(&patched(&book, SHEET, |_| sheet.clone())).assert_valid();
    });
}

#[test]
fn fuzz_the_archive_of_xlsx() {
    let seeds = vec![xlsx(&[tradebook()]), xlsx(&[groww_fno::trades(), groww_fno::contracts()])];
    fuzz("xlsx", seeds, true, |input| read(input).assert_valid());
}

#[test]
fn fuzz_contract_notes() {
    let seeds = notes::LAYOUTS.map(|layout| notes::file(&notes::note(layout, 7, "05-06-2026", 12)));
    fuzz("pdf", seeds.to_vec(), true, |input| read(input).assert_valid());
}

/// Checks the limits and the numbers of a report. A rejected file passes.
fn assert_valid_report(input: &[u8]) {
    let Ok(report) = profit_report::read(input) else { return };
    assert!((1..=5_000).contains(&report.rows.len()) && report.charges.len() <= 200 && report.errors.len() <= 100);
    for row in &report.rows {
        for number in [&row.quantity, &row.buy_value, &row.sell_value, &row.realised] {
            number.parse::<rust_decimal::Decimal>().unwrap();
        }
        assert!(!(row.symbol.is_empty() && row.name.is_empty()), "{row:?}");
    }
    for line in &report.charges {
        line.amount.parse::<rust_decimal::Decimal>().unwrap();
        assert!(line.label.chars().count() <= 100 && !line.label.contains(char::is_control), "{line:?}");
    }
}

#[test]
fn fuzz_profit_reports() {
    let sheets = [
        profit_reports::zerodha_equity(),
        profit_reports::zerodha_debits(),
        profit_reports::zerodha_fno(),
        profit_reports::groww_trades(),
    ];
    fuzz("report", sheets.iter().map(to_csv).collect(), false, assert_valid_report);
}

#[test]
fn fuzz_tax_reports() {
    let seeds = [tax_reports::zerodha(), tax_reports::groww()];
    fuzz("report", seeds.iter().map(to_csv).collect(), false, |input| {
        let Ok(report) = tax_report::read(input) else { return };
        assert!((1..=10_000).contains(&report.lines.len()) && report.errors.len() <= 100);
        for line in &report.lines {
            for number in [&line.quantity, &line.buy_value, &line.sell_value, &line.profit] {
                number.parse::<rust_decimal::Decimal>().unwrap();
            }
            assert!(line.rows > 0 && line.entry_day <= line.exit_day, "{line:?}");
            assert!(!(line.symbol.is_empty() && line.name.is_empty()), "{line:?}");
        }
    });
}

#[test]
fn fuzz_ledgers() {
    let seeds = [ledgers::zerodha_csv().into_bytes(), to_csv(&ledgers::groww_sheet())];
    fuzz("report", seeds.into(), false, |input| {
        let Ok(ledger) = read_ledger(input) else { return };
        assert!((1..=10_000).contains(&ledger.entries.len()));
        for entry in &ledger.entries {
            assert!(entry.source_key.len() == 16 && entry.particulars.chars().count() <= 120);
            assert!(!entry.amount.parse::<rust_decimal::Decimal>().unwrap().is_zero());
        }
    });
}

#[test]
fn fuzz_xls() {
    let seeds = [
        &include_bytes!("fixtures/xls/tradebook.xls")[..],
        include_bytes!("fixtures/xls/tradebook-resaved.xls"),
        include_bytes!("fixtures/xls/orders.xls"),
        include_bytes!("fixtures/xls/groww-fno.xls"),
    ];
    fuzz("xls", seeds.map(<[u8]>::to_vec).to_vec(), true, |input| read(input).assert_valid());
}
