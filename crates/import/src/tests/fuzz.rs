//! Every parser against damaged input, in this process: what is read of it is sound, and our own code never stumbles.
//!
//! `FUZZ_ROUNDS=100000 cargo test -p import fuzz` goes on for longer, `FUZZ_SEED` elsewhere. An input that fails is
//! kept in the system's folder for temporary files and named; put it into `corpus/`, where it is read in every run.
//! The libraries that unpack .xlsx and .xls may stumble: they do it in the child, where it costs one file.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Once;

use super::fixtures::damage::{Dice, damaged, setting};
use super::fixtures::{self, groww_fno, orders, patched, profit, text, tradebook, tradebook_csv, xlsx};
use super::{read, report};

/// Where a panic is the library's, and the child's end.
const LIBRARIES: [&str; 6] = ["/calamine-", "/cfb-", "/zip-", "/quick-xml-", "/zlib-rs-", "/encoding_rs-"];
const SHEET: &str = "xl/worksheets/sheet1.xml";

thread_local! {
    static FUZZING: Cell<bool> = const { Cell::new(false) };
    static STUMBLED_AT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Where `work` stumbled, if it did.
fn stumbles(work: impl FnOnce()) -> Option<String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if FUZZING.get() {
                STUMBLED_AT.set(info.to_string());
            } else {
                usual(info);
            }
        }));
    });
    FUZZING.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    FUZZING.set(false);
    result.err().map(|_| STUMBLED_AT.take())
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/corpus").join(target);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Reads every seed and every file of the corpus as it is, and then as many damaged ones as are wanted.
fn fuzz(target: &str, seeds: Vec<Vec<u8>>, libraries: bool, work: impl Fn(&[u8])) {
    let inputs: Vec<_> = seeds.into_iter().chain(corpus(target)).collect();
    let mut dice = Dice(setting("FUZZ_SEED", 1));
    let at_libraries = Cell::new(0);
    let try_one = |input: &[u8], what: &str| {
        let Some(place) = stumbles(|| work(input)) else { return };
        if libraries && LIBRARIES.iter().any(|library| place.contains(library)) {
            at_libraries.set(at_libraries.get() + 1);
            return;
        }
        let kept = std::env::temp_dir().join(format!("import-fuzz-{target}"));
        std::fs::write(&kept, input).unwrap();
        panic!("{target}, {what}, kept as {}: {place}", kept.display());
    };
    for (number, input) in inputs.iter().enumerate() {
        try_one(input, &format!("input {number}"));
    }
    for round in 0..setting("FUZZ_ROUNDS", 300) {
        let input = dice.one_of(&inputs).clone();
        try_one(&damaged(input, &inputs, &mut dice), &format!("round {round}"));
    }
    println!("{target}: a library stumbled over {} inputs", at_libraries.get());
}

fn sheet_of(file: &[u8]) -> Vec<u8> {
    let part = std::cell::RefCell::default();
    patched(file, SHEET, |xml| part.replace(xml).clone() + "<!-- -->");
    part.into_inner().into_bytes()
}

/// The rows of a sheet as lines of CSV, as somebody may save them.
pub(super) fn csv_of(sheet: &fixtures::Sheet) -> Vec<u8> {
    let mut lines = vec![String::new(); usize::try_from(sheet.at.0).unwrap()];
    for (row, _, put) in &sheet.loose {
        lines[usize::try_from(*row).unwrap()] += &format!("\"{}\"", shown(put));
    }
    lines.extend(sheet.table.iter().map(|row| {
        let cells: Vec<_> = row.iter().map(|put| format!("\"{}\"", shown(put))).collect();
        cells.join(",")
    }));
    lines.join("\n").into_bytes()
}

fn shown(put: &fixtures::Put) -> String {
    match put {
        fixtures::Put::Text(text) => text.clone(),
        fixtures::Put::Number(number) | fixtures::Put::Date(number) => number.to_string(),
        fixtures::Put::Truth(truth) => truth.to_string(),
        fixtures::Put::Nothing => String::new(),
    }
}

#[test]
fn fuzz_csv_and_every_format() {
    let sheets = [tradebook(), fixtures::fno_tradebook(), orders(text("1")), groww_fno::trades()];
    let seeds = sheets.iter().map(csv_of).chain([tradebook_csv().into_bytes()]).collect();
    fuzz("csv", seeds, false, |input| read(input).assert_sound());
}

#[test]
fn fuzz_the_cells_of_xlsx() {
    let book = xlsx(&[tradebook()]);
    let seeds = [&book, &xlsx(&[orders(text("1"))]), &xlsx(&[groww_fno::trades()])].map(|file| sheet_of(file));
    fuzz("sheet", seeds.to_vec(), true, |input| {
        let sheet = String::from_utf8_lossy(input).into_owned();
        read(&patched(&book, SHEET, |_| sheet.clone())).assert_sound();
    });
}

#[test]
fn fuzz_the_archive_of_xlsx() {
    let seeds = vec![xlsx(&[tradebook()]), xlsx(&[groww_fno::trades(), groww_fno::contracts()])];
    fuzz("xlsx", seeds, true, |input| read(input).assert_sound());
}

/// A report is sound where it was read at all: bounded, with numbers in it that are some.
fn assert_sound_report(input: &[u8]) {
    let Ok(read) = report::read(input) else { return };
    assert!((1..=5_000).contains(&read.rows.len()) && read.charges.len() <= 200 && read.problems.len() <= 100);
    for row in &read.rows {
        for number in [&row.quantity, &row.buy_value, &row.sell_value, &row.realised] {
            number.parse::<rust_decimal::Decimal>().unwrap();
        }
        assert!(!(row.symbol.is_empty() && row.name.is_empty()), "{row:?}");
    }
    for line in &read.charges {
        line.amount.parse::<rust_decimal::Decimal>().unwrap();
        assert!(line.label.chars().count() <= 100 && !line.label.contains(char::is_control), "{line:?}");
    }
}

#[test]
fn fuzz_reports() {
    let sheets = [profit::zerodha_equity(), profit::zerodha_debits(), profit::zerodha_fno(), profit::groww_trades()];
    fuzz("report", sheets.iter().map(csv_of).collect(), false, assert_sound_report);
}

#[test]
fn fuzz_xls() {
    let seeds = [
        &include_bytes!("fixtures/xls/tradebook.xls")[..],
        include_bytes!("fixtures/xls/tradebook-resaved.xls"),
        include_bytes!("fixtures/xls/orders.xls"),
        include_bytes!("fixtures/xls/groww-fno.xls"),
    ];
    fuzz("xls", seeds.map(<[u8]>::to_vec).to_vec(), true, |input| read(input).assert_sound());
}
