//! What the rows of a file may cost.

use std::io::Write;

use super::fixtures::{Put, Sheet, xlsx};
use crate::error::Reason;
use crate::sheet::Budget;
use crate::workbook::Workbook;

/// Reads every sheet of a file to its end, or until it has cost that many cells.
fn read(content: &[u8], cells: u64) -> Result<(), Reason> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    let mut book = Workbook::open(file).unwrap();
    let mut budget = Budget::of(cells);
    for sheet in book.sheets() {
        let mut rows = book.rows(&sheet).unwrap();
        while rows.next(&mut budget).map_err(|refusal| refusal.reason)?.is_some() {}
    }
    Ok(())
}

#[test]
fn the_cells_of_all_sheets_are_paid_for_together() {
    let wide = |name| {
        let table = vec![vec![Put::Truth(true); 2_500], vec![Put::Nothing, Put::Truth(false)], vec![]];
        Sheet { name, at: (0, 0), loose: vec![], table, hidden_rows: vec![] }
    };
    let book = xlsx(&[wide("one"), wide("two")]);
    assert_eq!(read(&book, 5_002), Ok(()));
    assert_eq!(read(&book, 5_001), Err(Reason::TooManyRows));
    assert_eq!(read(b"a,b\n,\n\nc,d,e\n", 7), Ok(()));
    assert_eq!(read(b"a,b\n,\n\nc,d,e\n", 6), Err(Reason::TooManyRows));
}
