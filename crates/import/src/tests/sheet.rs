//! Limit on the cells of a file.

use std::io::Write;

use super::fixtures::{Sheet, TestCell, xlsx};
use crate::error::RejectionReason;
use crate::sheet::CellBudget;
use crate::workbook::Workbook;

/// Reads all sheets of a file with a budget of `cells`.
fn read(content: &[u8], cells: u64) -> Result<(), RejectionReason> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    let mut book = Workbook::open(file).unwrap();
    let mut budget = CellBudget::with_cells(cells);
    for sheet in book.sheets() {
        let mut rows = book.rows(&sheet).unwrap();
        while rows.next(&mut budget).map_err(|rejection| rejection.reason)?.is_some() {}
    }
    Ok(())
}

#[test]
fn the_budget_covers_the_cells_of_all_sheets() {
    let wide = |name| {
        let table = vec![vec![TestCell::Bool(true); 2_500], vec![TestCell::Blank, TestCell::Bool(false)], vec![]];
        Sheet { name, table_start: (0, 0), extra_cells: vec![], table, hidden_rows: vec![] }
    };
    let book = xlsx(&[wide("one"), wide("two")]);
    assert_eq!(read(&book, 5_002), Ok(()));
    assert_eq!(read(&book, 5_001), Err(RejectionReason::TooManyCells));
    assert_eq!(read(b"a,b\n,\n\nc,d,e\n", 7), Ok(()));
    assert_eq!(read(b"a,b\n,\n\nc,d,e\n", 6), Err(RejectionReason::TooManyCells));
}
