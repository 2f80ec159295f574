//! Checks that hold for every broker's file: exact sums, the same keys in any order and overlap, and its own format.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use rpc::trades::v1::{ImportedTrade, Segment, Side};

use super::fixtures::{Sheet, TestCell, text, xlsx};
use super::fuzz::display;
use super::*;
use crate::formats::format::Format;
use crate::formats::header::Header;
use crate::sheet::CellBudget;
use crate::workbook::Workbook;

/// Layouts of all brokers except Zerodha and Groww, which have more detailed tests of their own.
pub(super) const LAYOUTS: &[fn() -> Layout] = &[
    super::upstox_trades::layout,
    super::angelone_trades::layout,
    super::dhan::totals,
    super::dhan::trades_with_status,
    super::dhan::trades_with_ids,
    super::fyers_tradebook::layout,
    super::fyers_tradebook::without_codes,
    super::icicidirect::orders,
    super::icicidirect::portfolio,
    super::kotak_transactions::layout,
    super::paytmmoney_tradebook::layout,
    super::fivepaisa_transactions::layout,
    super::hdfcsecurities_trades::layout,
];

/// File of a broker with invented trades, and its expected content.
pub(super) struct Layout {
    pub format: &'static str,
    /// Read in a real file.
    pub is_verified: bool,
    /// Rows of the table, without its header.
    pub rows: Vec<Vec<TestCell>>,
    /// Column of `rows` with the day of the trade.
    pub day_column: usize,
    /// Builds a file from rows.
    pub build: fn(&[Vec<TestCell>]) -> Vec<u8>,
    /// Number, quantity and value of the buys and of the sells, of shares.
    pub equity: [Totals; 2],
    /// The same of futures and options.
    pub fno: [Totals; 2],
    /// Skipped rows, by segment.
    pub skipped: [i64; 2],
}

pub(super) type Totals = (usize, i64, &'static str);

pub(super) const NO_TRADES: [Totals; 2] = [(0, 0, "0"), (0, 0, "0")];

/// Returns a row of texts. A cell that starts with `#` is a number, one that starts with `@` a date as a serial.
pub(super) fn row<const N: usize>(cells: [&str; N]) -> Vec<TestCell> {
    let cell = |content: &str| match content.split_at_checked(1) {
        Some(("#", number)) => TestCell::Number(number.parse().unwrap()),
        Some(("@", serial)) => TestCell::Date(serial.parse().unwrap()),
        Some(_) => text(content),
        None => TestCell::Blank,
    };
    cells.map(cell).to_vec()
}

/// Returns a CSV file with every value in quotes.
pub(super) fn csv_file(preamble: &str, header: &str, rows: &[Vec<TestCell>], end: &str) -> Vec<u8> {
    let mut file = format!("{preamble}{header}\n");
    for row in rows {
        let cells: Vec<_> = row.iter().map(|cell| format!("\"{}\"", display(cell).replace('"', "\"\""))).collect();
        file += &cells.join(",");
        file.push('\n');
    }
    (file + end).into_bytes()
}

/// Returns an .xlsx file with a preamble in the first column, and a header in this row, from 1.
pub(super) fn xlsx_file(
    sheet: &'static str,
    preamble: &[(u32, &[&str])],
    header_row: u32,
    header: &[&str],
    rows: &[Vec<TestCell>],
) -> Vec<u8> {
    let lines = preamble.iter().flat_map(|(row, cells)| {
        cells.iter().enumerate().map(|(column, cell)| (*row - 1, u16::try_from(column).unwrap(), text(cell)))
    });
    let table = std::iter::once(header.iter().map(|name| text(name)).collect()).chain(rows.iter().cloned());
    xlsx(&[Sheet {
        name: sheet,
        extra_cells: lines.collect(),
        table_start: (header_row - 1, 0),
        table: table.collect(),
        hidden_rows: Vec::new(),
    }])
}

impl Layout {
    pub fn file(&self) -> Vec<u8> {
        (self.build)(&self.rows)
    }

    /// Returns the file as CSV, for formats that are another file type.
    pub fn as_csv(&self) -> Vec<u8> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&self.file()).unwrap();
        let mut book = Workbook::open(file).unwrap();
        let mut budget = CellBudget::new();
        let sheet = book.sheets().remove(0);
        let mut rows = book.rows(&sheet).unwrap();
        let mut lines = String::new();
        while let Some(row) = rows.next(&mut budget).unwrap() {
            let cells = row.cells().map(|cell| format!("\"{}\"", crate::cell_value::display_text(cell, 100)));
            lines += &(cells.collect::<Vec<_>>().join(",") + "\n");
        }
        lines.into_bytes()
    }

    /// Returns the trades of both segments by their keys.
    fn trades(&self, rows: &[Vec<TestCell>]) -> BTreeMap<String, ImportedTrade> {
        let file = (self.build)(rows);
        let outcomes = [Segment::Equity, Segment::Fno].map(|segment| read_segment(&file, segment));
        let trades = outcomes.into_iter().flat_map(|outcome| outcome.trades);
        trades.map(|trade| (trade.source_key.clone(), ImportedTrade { row: 0, ..trade })).collect()
    }
}

fn each_layout(check: impl Fn(&Layout)) {
    for layout in LAYOUTS {
        check(&layout());
    }
}

#[test]
fn every_layout_is_imported_exactly() {
    each_layout(|layout| {
        let segments = [(Segment::Equity, &layout.equity, 0), (Segment::Fno, &layout.fno, 1)];
        for (segment, expected, index) in segments {
            if *expected == NO_TRADES {
                continue;
            }
            let outcome = read_segment(&layout.file(), segment);
            assert!(outcome.rejection.is_none(), "{}: {:?}", layout.format, outcome.rejection);
            assert_eq!(outcome.format, Some((layout.format.to_owned(), segment)));
            assert_eq!(outcome.errors(), [], "{}", layout.format);
            let totals = [Side::Buy, Side::Sell].map(|side| outcome.sum(side));
            let expected = expected.map(|(count, quantity, value)| (count, Decimal::from(quantity), decimal(value)));
            assert_eq!(totals, expected, "{} {segment:?}", layout.format);
            outcome.assert_valid();
            let summary = outcome.summary.as_ref().unwrap();
            assert_eq!(summary.skipped, layout.skipped[index], "{} {segment:?}", layout.format);
            let other = [layout.fno, layout.equity][index];
            assert_eq!(summary.other_segment_rows > 0, other != NO_TRADES, "{}", layout.format);
            let is_marked = outcome.warnings().iter().any(|(_, _, code)| *code == "format_unverified");
            assert_eq!(is_marked, !layout.is_verified, "{}", layout.format);
            assert!(layout.is_verified || summary.odd_count > 0, "{}: a review must open", layout.format);
        }
    });
}

#[test]
fn a_file_with_trades_of_the_other_segment_only_is_imported_as_that() {
    each_layout(|layout| {
        if layout.equity == NO_TRADES || layout.fno == NO_TRADES {
            let only = if layout.equity == NO_TRADES { Segment::Fno } else { Segment::Equity };
            let outcomes = [Segment::Equity, Segment::Fno].map(|segment| read_segment(&layout.file(), segment));
            for outcome in outcomes {
                assert_eq!(outcome.format, Some((layout.format.to_owned(), only)));
                assert_eq!(outcome.summary.unwrap().other_segment_rows, 0, "{}", layout.format);
            }
        }
    });
}

#[test]
fn the_order_of_the_rows_changes_no_trade() {
    each_layout(|layout| {
        let trades = layout.trades(&layout.rows);
        let expected = [layout.equity, layout.fno].iter().flatten().map(|(count, ..)| count).sum::<usize>();
        assert_eq!(trades.len(), expected, "{}", layout.format);
        let mut rows = layout.rows.clone();
        for _ in 0..rows.len() {
            rows.rotate_left(1);
            assert_eq!(layout.trades(&rows), trades, "{}", layout.format);
        }
        rows.reverse();
        assert_eq!(layout.trades(&rows), trades, "{}", layout.format);
    });
}

#[test]
fn overlapping_files_of_whole_days_add_nothing() {
    each_layout(|layout| {
        let all = layout.trades(&layout.rows);
        assert_eq!(layout.trades(&layout.rows), all, "{}: the same file", layout.format);
        let day = |row: &Vec<TestCell>| display(&row[layout.day_column]);
        let days: BTreeSet<String> = layout.rows.iter().map(day).collect();
        assert!(days.len() > 1, "{}: trades of several days are needed", layout.format);
        for left_out in &days {
            let rows: Vec<_> = layout.rows.iter().filter(|row| day(row) != *left_out).cloned().collect();
            for (key, trade) in layout.trades(&rows) {
                assert_eq!(all.get(&key), Some(&trade), "{}", layout.format);
            }
        }
    });
}

/// Returns the names of all formats that match a row of the file.
fn matching_formats(content: &[u8]) -> BTreeSet<&'static str> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    let mut book = Workbook::open(file).unwrap();
    let mut names = BTreeSet::new();
    for sheet in book.sheets() {
        let mut titles = Vec::new();
        let mut budget = CellBudget::new();
        let mut rows = book.rows(&sheet).unwrap();
        while let Some(row) = rows.next(&mut budget).unwrap() {
            let header = Header::from_row(&row, &titles);
            let matches = formats::ALL.into_iter().filter(|format| format.match_header(&header).is_some());
            names.extend(matches.map(Format::name));
            let texts = row.cells().filter_map(crate::cell_value::parse_text).map(|text| text.to_lowercase());
            titles.extend(texts.collect::<Vec<_>>());
        }
    }
    names
}

#[test]
fn no_file_matches_the_format_of_another_broker() {
    each_layout(|layout| assert_eq!(matching_formats(&layout.file()), BTreeSet::from([layout.format])));
    let others = [
        (xlsx(&[fixtures::tradebook()]), "zerodha-tradebook"),
        (xlsx(&[fixtures::fno_tradebook()]), "zerodha-tradebook"),
        (fixtures::tradebook_csv().into_bytes(), "zerodha-tradebook"),
        (xlsx(&[fixtures::orders(text("1"))]), "groww-stock-orders"),
        (xlsx(&[fixtures::groww_fno::trades()]), "groww-fno-pnl"),
    ];
    for (file, format) in others {
        assert_eq!(matching_formats(&file), BTreeSet::from([format]));
    }
}

#[test]
fn every_format_has_a_layout() {
    let tested: BTreeSet<_> = LAYOUTS.iter().map(|layout| layout().format).collect();
    let own_tests = ["zerodha-tradebook", "groww-stock-orders", "groww-fno-pnl"];
    for format in formats::ALL {
        let is_note = format.name().ends_with("-contract-note");
        assert!(tested.contains(format.name()) || own_tests.contains(&format.name()) || is_note, "{}", format.name());
    }
}
