//! Limits on the records of an .xls file.

use std::io::{Cursor, Write};

use super::read;
use crate::error::RejectionReason;
use crate::ole_check::{check, check_records};

#[test]
fn rejects_an_xls_with_too_large_tables_before_reading_it() {
    let corner = |row: u16, column: u16| [row.to_le_bytes(), column.to_le_bytes(), [0; 2]].concat();
    let number = |row, column| [corner(row, column), vec![0; 8]].concat();
    let far_cells =
        records(&[(BOF, &[0, 6, 16, 0]), (0x0203, &number(0, 0)), (0x0203, &number(65_535, 255)), (EOF, &[])]);
    let numbers = [corner(9, 3), vec![0; 4], 9_000_u16.to_le_bytes().to_vec()].concat();
    let wide = records(&[(BOF, &[0, 6, 16, 0]), (0x00BD, &numbers), (0x0203, &number(999, 0)), (EOF, &[])]);
    let declared =
        [&0_u32.to_le_bytes()[..], &65_536_u32.to_le_bytes(), &[0, 0], &256_u16.to_le_bytes(), &[0, 0]].concat();
    let large_declaration = records(&[(BOF, &[0, 6, 16, 0]), (0x0200, &declared), (EOF, &[])]);
    let reversed = [&9_u32.to_le_bytes()[..], &3_u32.to_le_bytes(), &[0, 0], &5_u16.to_le_bytes(), &[0, 0]].concat();
    let reversed = records(&[(BOF, &[0, 6, 16, 0]), (0x0200, &reversed), (EOF, &[])]);
    let long = records(&vec![(0x1234, &[][..]); 1_000_000]);
    let cases = [
        ("far cells", workbook(&far_cells, 1), RejectionReason::XlsRangeTooLarge),
        ("a wide row of numbers", workbook(&wide, 1), RejectionReason::XlsRangeTooLarge),
        ("a declared size", workbook(&large_declaration, 1), RejectionReason::XlsRangeTooLarge),
        ("a sheet that ends before it starts", workbook(&reversed, 1), RejectionReason::Unreadable),
        ("too many sheets", workbook(&far_cells, 65), RejectionReason::Unreadable),
        ("a long sheet many times", workbook(&long, 20), RejectionReason::Unreadable),
        (
            "a sheet after the end of the stream",
            ole_file(&[("Workbook", &records(&[(0x85, &[255; 12])]))]),
            RejectionReason::Unreadable,
        ),
        ("a truncated record", ole_file(&[("Workbook", &[9, 8, 255])]), RejectionReason::Unreadable),
    ];
    for (name, file, reason) in cases {
        assert_eq!(read(&file).rejection.unwrap_or_else(|| panic!("{name} was accepted")).0, reason, "{name}");
    }
}

#[test]
fn rejects_an_xls_above_8_mib() {
    let is_too_large = |bytes: usize| {
        let file = [&ole_file(&[])[..], &vec![0; bytes]].concat();
        let rejection = check(&mut Cursor::new(&file[..bytes])).unwrap_err();
        rejection.reason == RejectionReason::XlsTooLarge
    };
    assert_eq!([is_too_large(8 << 20), is_too_large((8 << 20) + 1)], [false, true]);
}

/// Last row and column of a table with the maximum number of cells.
const MAX_TABLE: (u16, u16) = (15_624, 255);

/// Returns the reason for rejecting a workbook with one sheet of these records; none if it is accepted.
fn reject_sheet(sheet: &[(u16, &[u8])]) -> Option<RejectionReason> {
    check_records(&workbook_stream(&records(sheet), 1)).err().map(|rejection| rejection.reason)
}

/// Data of a record that starts with a cell.
fn cell(row: u16, column: u16) -> Vec<u8> {
    [row.to_le_bytes(), column.to_le_bytes(), [0; 2]].concat()
}

/// Data of a record of numbers, from the first column to the last.
fn multiple_numbers(row: u16, first: u16, last: u16) -> Vec<u8> {
    [row.to_le_bytes(), first.to_le_bytes(), last.to_le_bytes()].concat()
}

/// Data of a DIMENSIONS record in the newer form: first row and column, and those after the last.
fn dimensions(top: u32, bottom: u32, left: u16, right: u16) -> Vec<u8> {
    [&top.to_le_bytes()[..], &bottom.to_le_bytes(), &left.to_le_bytes(), &right.to_le_bytes(), &[0, 0]].concat()
}

#[test]
fn counts_the_bounding_box_of_all_cells() {
    let (row, column) = MAX_TABLE;
    assert_eq!(reject_sheet(&[(CELL, &cell(0, 0)), (CELL, &cell(row, column)), (EOF, &[])]), None);
    assert_eq!(
        reject_sheet(&[(CELL, &cell(0, 0)), (CELL, &cell(row + 1, column)), (EOF, &[])]),
        Some(RejectionReason::XlsRangeTooLarge)
    );
    assert_eq!(reject_sheet(&[(CELL, &cell(7, 0)), (CELL, &cell(row + 7, column)), (EOF, &[])]), None);
    assert_eq!(reject_sheet(&[(CELL, &cell(row, 7)), (CELL, &cell(0, column + 7)), (EOF, &[])]), None);
    assert_eq!(
        reject_sheet(&[(MULTIPLE_NUMBERS, &multiple_numbers(row, 0, column)), (CELL, &cell(0, 3)), (EOF, &[])]),
        None
    );
    assert_eq!(
        reject_sheet(&[(MULTIPLE_NUMBERS, &multiple_numbers(row, 0, column + 1)), (CELL, &cell(0, 3))]),
        Some(RejectionReason::XlsRangeTooLarge)
    );
    assert_eq!(reject_sheet(&[(MULTIPLE_NUMBERS, &multiple_numbers(3, 4, 4))]), None);
    assert_eq!(reject_sheet(&[(MULTIPLE_NUMBERS, &multiple_numbers(3, 4, 3))]), Some(RejectionReason::Unreadable));
}

#[test]
fn counts_the_declared_size_of_a_sheet() {
    assert_eq!(reject_sheet(&[(DIMENSIONS, &dimensions(10, 15_635, 4, 260))]), None);
    assert_eq!(reject_sheet(&[(DIMENSIONS, &dimensions(10, 15_636, 4, 260))]), Some(RejectionReason::XlsRangeTooLarge));
    // Half of the limit declared and half used; then one row more.
    let half = dimensions(0, 7_812, 0, 256);
    assert_eq!(reject_sheet(&[(DIMENSIONS, &half), (CELL, &cell(0, 0)), (CELL, &cell(7_812, 255))]), None);
    assert_eq!(
        reject_sheet(&[(DIMENSIONS, &half), (CELL, &cell(0, 0)), (CELL, &cell(7_813, 255))]),
        Some(RejectionReason::XlsRangeTooLarge)
    );
    // A first column that is invalid, or after the last one, counts as 0.
    assert_eq!(reject_sheet(&[(DIMENSIONS, &dimensions(0, 15_626, 9, 3))]), None);
    assert_eq!(
        reject_sheet(&[(DIMENSIONS, &dimensions(0, 15_626, 256, 300))]),
        Some(RejectionReason::XlsRangeTooLarge)
    );
    assert_eq!(reject_sheet(&[(DIMENSIONS, &dimensions(0, 15_626, 255, 300))]), None);
    // An empty sheet is valid; a sheet that ends where it starts would make the reader panic.
    assert_eq!(reject_sheet(&[(DIMENSIONS, &dimensions(9, 0, 0, 5))]), None);
    assert_eq!(reject_sheet(&[(DIMENSIONS, &dimensions(0, 9, 0, 0))]), None);
    assert_eq!(reject_sheet(&[(DIMENSIONS, &dimensions(9, 9, 0, 5))]), Some(RejectionReason::Unreadable));
    assert_eq!(reject_sheet(&[(DIMENSIONS, &dimensions(0, 9, 5, 5))]), Some(RejectionReason::Unreadable));
    // The older form has row numbers of two bytes. Other lengths are invalid.
    let older = |bottom: u16| [[0, 0], bottom.to_le_bytes(), [0, 0], [0, 1], [0, 0]].concat();
    assert_eq!(reject_sheet(&[(DIMENSIONS, &older(15_625))]), None);
    assert_eq!(reject_sheet(&[(DIMENSIONS, &older(15_626))]), Some(RejectionReason::XlsRangeTooLarge));
    assert_eq!(reject_sheet(&[(DIMENSIONS, &[0; 12])]), Some(RejectionReason::Unreadable));
    assert_eq!(reject_sheet(&[(DIMENSIONS, &[&dimensions(0, 9, 0, 5)[..], &[0, 0]].concat())]), None);
}

#[test]
fn nested_charts_do_not_end_a_sheet_and_later_records_do_not_count() {
    let (near, far) = (cell(0, 0), cell(u16::MAX, 255));
    let begin = (BOF, &[0, 6, 16, 0][..]);
    let end = (EOF, &[][..]);
    let charts = [begin, begin, end, begin, end];
    let cells = [(CELL, &near[..]), (CELL, &far[..])];
    assert_eq!(reject_sheet(&[&charts[..], &cells, &[end]].concat()), Some(RejectionReason::XlsRangeTooLarge));
    assert_eq!(reject_sheet(&[&charts[..], &[end], &cells].concat()), None);
    assert_eq!(reject_sheet(&[&[end][..], &cells].concat()), None);
}

#[test]
fn rejects_more_than_64_sheets_and_passwords() {
    let sheet = records(&[(BOF, &[0, 6, 16, 0]), (EOF, &[])]);
    assert!(check_records(&workbook_stream(&sheet, 64)).is_ok());
    assert!(check_records(&workbook_stream(&sheet, 65)).is_err());
    assert!(check_records(&records(&[(0x2F, &[0, 0]), (EOF, &[])])).is_ok());
    assert!(check_records(&records(&[(0x2F, &[0, 1]), (EOF, &[])])).is_err());
}

const BOF: u16 = 0x0809;
const EOF: u16 = 0x000A;
const CELL: u16 = 0x0203;
const MULTIPLE_NUMBERS: u16 = 0x00BD;
const DIMENSIONS: u16 = 0x0200;

/// Returns the bytes of records: type, length, data.
pub(super) fn records(records: &[(u16, &[u8])]) -> Vec<u8> {
    let record = |(kind, data): &(u16, &[u8])| {
        let length = u16::try_from(data.len()).unwrap();
        [&kind.to_le_bytes()[..], &length.to_le_bytes(), data].concat()
    };
    records.iter().flat_map(record).collect()
}

/// Returns an .xls file that lists the same sheet `sheets` times.
fn workbook(sheet: &[u8], sheets: usize) -> Vec<u8> {
    ole_file(&[("Workbook", &workbook_stream(sheet, sheets))])
}

/// Returns the records of such a file.
fn workbook_stream(sheet: &[u8], sheets: usize) -> Vec<u8> {
    let bof = records(&[(BOF, &[0, 6, 5, 0])]);
    // A sheet entry has its position, its type, and the length, encoding and characters of its name.
    let entry = |at: usize| [&u32::try_from(at).unwrap().to_le_bytes()[..], &[0, 0, 1, 0, b'S']].concat();
    let at = bof.len() + sheets * (4 + entry(0).len()) + 4;
    let listed = vec![(0x85, &entry(at)[..]); sheets].iter().flat_map(|one| records(&[*one])).collect::<Vec<_>>();
    [&bof[..], &listed, &records(&[(EOF, &[])]), sheet].concat()
}

/// Returns an OLE compound file with these streams.
pub(super) fn ole_file(streams: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    for (path, content) in streams {
        if let Some((folder, _)) = path.split_once('/') {
            file.create_storage(folder).unwrap();
        }
        file.create_stream(path).unwrap().write_all(content).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}
