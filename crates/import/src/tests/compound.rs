//! What an .xls file says of itself, and may not say.

use std::io::{Cursor, Write};

use super::read;
use crate::compound::{check, judge};
use crate::error::Reason;

#[test]
fn an_xls_whose_tables_would_be_too_large_is_refused_before_they_are_made() {
    let corner = |row: u16, column: u16| [row.to_le_bytes(), column.to_le_bytes(), [0; 2]].concat();
    let number = |row, column| [corner(row, column), vec![0; 8]].concat();
    let far = records(&[(BOF, &[0, 6, 16, 0]), (0x0203, &number(0, 0)), (0x0203, &number(65_535, 255)), (EOF, &[])]);
    let numbers = [corner(9, 3), vec![0; 4], 9_000_u16.to_le_bytes().to_vec()].concat();
    let wide = records(&[(BOF, &[0, 6, 16, 0]), (0x00BD, &numbers), (0x0203, &number(999, 0)), (EOF, &[])]);
    let declared =
        [&0_u32.to_le_bytes()[..], &65_536_u32.to_le_bytes(), &[0, 0], &256_u16.to_le_bytes(), &[0, 0]].concat();
    let lying = records(&[(BOF, &[0, 6, 16, 0]), (0x0200, &declared), (EOF, &[])]);
    let turned = [&9_u32.to_le_bytes()[..], &3_u32.to_le_bytes(), &[0, 0], &5_u16.to_le_bytes(), &[0, 0]].concat();
    let turned = records(&[(BOF, &[0, 6, 16, 0]), (0x0200, &turned), (EOF, &[])]);
    let long = records(&vec![(0x1234, &[][..]); 1_000_000]);
    let cases = [
        ("far cells", book_of(&far, 1), Reason::TooManyRows),
        ("a wide row of numbers", book_of(&wide, 1), Reason::TooManyRows),
        ("a declared size", book_of(&lying, 1), Reason::TooManyRows),
        ("a sheet that ends before it begins", book_of(&turned, 1), Reason::Unreadable),
        ("more sheets than there are", book_of(&far, 65), Reason::Unreadable),
        ("a long sheet many times", book_of(&long, 20), Reason::Unreadable),
        ("a sheet behind the end", compound(&[("Workbook", &records(&[(0x85, &[255; 12])]))]), Reason::Unreadable),
        ("a cut record", compound(&[("Workbook", &[9, 8, 255])]), Reason::Unreadable),
    ];
    for (what, file, reason) in cases {
        assert_eq!(read(&file).refused.unwrap_or_else(|| panic!("{what} was taken")).0, reason, "{what}");
    }
}

#[test]
fn an_xls_has_8_mib_at_most() {
    let refused = |bytes: usize| {
        let file = [&compound(&[])[..], &vec![0; bytes]].concat();
        let refusal = check(&mut Cursor::new(&file[..bytes])).unwrap_err();
        refusal.message.contains("larger than 8 MB")
    };
    assert_eq!([refused(8 << 20), refused((8 << 20) + 1)], [false, true]);
}

/// As many cells as a file may have.
const MOST: (u16, u16) = (15_624, 255);

/// What is said of one sheet of these records; `None` where it may be read.
fn judged(sheet: &[(u16, &[u8])]) -> Option<Reason> {
    judge(&stream_of(&records(sheet), 1)).err().map(|refusal| refusal.reason)
}

fn cell(row: u16, column: u16) -> Vec<u8> {
    [row.to_le_bytes(), column.to_le_bytes(), [0; 2]].concat()
}

/// A row of numbers, from the first column to the last.
fn numbers(row: u16, first: u16, last: u16) -> Vec<u8> {
    [row.to_le_bytes(), first.to_le_bytes(), last.to_le_bytes()].concat()
}

/// What a sheet says of its size in the newer form: from the first row and column to those behind the last.
fn declared(top: u32, bottom: u32, left: u16, right: u16) -> Vec<u8> {
    [&top.to_le_bytes()[..], &bottom.to_le_bytes(), &left.to_le_bytes(), &right.to_le_bytes(), &[0, 0]].concat()
}

#[test]
fn cells_are_counted_from_the_first_to_the_last_in_both_directions() {
    let (row, column) = MOST;
    assert_eq!(judged(&[(CELL, &cell(0, 0)), (CELL, &cell(row, column)), (EOF, &[])]), None);
    assert_eq!(judged(&[(CELL, &cell(0, 0)), (CELL, &cell(row + 1, column)), (EOF, &[])]), Some(Reason::TooManyRows));
    assert_eq!(judged(&[(CELL, &cell(7, 0)), (CELL, &cell(row + 7, column)), (EOF, &[])]), None);
    assert_eq!(judged(&[(CELL, &cell(row, 7)), (CELL, &cell(0, column + 7)), (EOF, &[])]), None);
    assert_eq!(judged(&[(NUMBERS, &numbers(row, 0, column)), (CELL, &cell(0, 3)), (EOF, &[])]), None);
    assert_eq!(judged(&[(NUMBERS, &numbers(row, 0, column + 1)), (CELL, &cell(0, 3))]), Some(Reason::TooManyRows));
    assert_eq!(judged(&[(NUMBERS, &numbers(3, 4, 4))]), None);
    assert_eq!(judged(&[(NUMBERS, &numbers(3, 4, 3))]), Some(Reason::Unreadable));
}

#[test]
fn what_a_sheet_says_of_its_size_is_counted_too() {
    assert_eq!(judged(&[(SIZE, &declared(10, 15_635, 4, 260))]), None);
    assert_eq!(judged(&[(SIZE, &declared(10, 15_636, 4, 260))]), Some(Reason::TooManyRows));
    // Half of it said, half of it there, and one cell more.
    let half = declared(0, 7_812, 0, 256);
    assert_eq!(judged(&[(SIZE, &half), (CELL, &cell(0, 0)), (CELL, &cell(7_812, 255))]), None);
    assert_eq!(judged(&[(SIZE, &half), (CELL, &cell(0, 0)), (CELL, &cell(7_813, 255))]), Some(Reason::TooManyRows));
    // A first column that cannot be, or that lies behind the last, counts as the first there is.
    assert_eq!(judged(&[(SIZE, &declared(0, 15_626, 9, 3))]), None);
    assert_eq!(judged(&[(SIZE, &declared(0, 15_626, 256, 300))]), Some(Reason::TooManyRows));
    assert_eq!(judged(&[(SIZE, &declared(0, 15_626, 255, 300))]), None);
    // An empty sheet, in whatever order; one that ends where it begins would trip its reader.
    assert_eq!(judged(&[(SIZE, &declared(9, 0, 0, 5))]), None);
    assert_eq!(judged(&[(SIZE, &declared(0, 9, 0, 0))]), None);
    assert_eq!(judged(&[(SIZE, &declared(9, 9, 0, 5))]), Some(Reason::Unreadable));
    assert_eq!(judged(&[(SIZE, &declared(0, 9, 5, 5))]), Some(Reason::Unreadable));
    // The older form has rows of two bytes; there is no third.
    let older = |bottom: u16| [[0, 0], bottom.to_le_bytes(), [0, 0], [0, 1], [0, 0]].concat();
    assert_eq!(judged(&[(SIZE, &older(15_625))]), None);
    assert_eq!(judged(&[(SIZE, &older(15_626))]), Some(Reason::TooManyRows));
    assert_eq!(judged(&[(SIZE, &[0; 12])]), Some(Reason::Unreadable));
    assert_eq!(judged(&[(SIZE, &[&declared(0, 9, 0, 5)[..], &[0, 0]].concat())]), None);
}

#[test]
fn charts_in_a_sheet_do_not_end_it_and_what_follows_it_is_not_its_own() {
    let (near, far) = (cell(0, 0), cell(u16::MAX, 255));
    let begin = (BOF, &[0, 6, 16, 0][..]);
    let end = (EOF, &[][..]);
    let charts = [begin, begin, end, begin, end];
    let cells = [(CELL, &near[..]), (CELL, &far[..])];
    assert_eq!(judged(&[&charts[..], &cells, &[end]].concat()), Some(Reason::TooManyRows));
    assert_eq!(judged(&[&charts[..], &[end], &cells].concat()), None);
    assert_eq!(judged(&[&[end][..], &cells].concat()), None);
}

#[test]
fn a_workbook_has_64_sheets_at_most_and_no_password_but_an_empty_one() {
    let sheet = records(&[(BOF, &[0, 6, 16, 0]), (EOF, &[])]);
    assert!(judge(&stream_of(&sheet, 64)).is_ok());
    assert!(judge(&stream_of(&sheet, 65)).is_err());
    assert!(judge(&records(&[(0x2F, &[0, 0]), (EOF, &[])])).is_ok());
    assert!(judge(&records(&[(0x2F, &[0, 1]), (EOF, &[])])).is_err());
}

const BOF: u16 = 0x0809;
const EOF: u16 = 0x000A;
const CELL: u16 = 0x0203;
const NUMBERS: u16 = 0x00BD;
const SIZE: u16 = 0x0200;

/// Records of an .xls file: a type, a length, data.
pub(super) fn records(records: &[(u16, &[u8])]) -> Vec<u8> {
    let record = |(kind, data): &(u16, &[u8])| {
        let length = u16::try_from(data.len()).unwrap();
        [&kind.to_le_bytes()[..], &length.to_le_bytes(), data].concat()
    };
    records.iter().flat_map(record).collect()
}

/// An .xls file in which so many sheets are one and the same.
fn book_of(sheet: &[u8], sheets: usize) -> Vec<u8> {
    compound(&[("Workbook", &stream_of(sheet, sheets))])
}

/// The records of such a file.
fn stream_of(sheet: &[u8], sheets: usize) -> Vec<u8> {
    let bof = records(&[(BOF, &[0, 6, 5, 0])]);
    // A sheet is known by its place, its kind, and the length, form and letters of its name.
    let entry = |at: usize| [&u32::try_from(at).unwrap().to_le_bytes()[..], &[0, 0, 1, 0, b'S']].concat();
    let at = bof.len() + sheets * (4 + entry(0).len()) + 4;
    let listed = vec![(0x85, &entry(at)[..]); sheets].iter().flat_map(|one| records(&[*one])).collect::<Vec<_>>();
    [&bof[..], &listed, &records(&[(EOF, &[])]), sheet].concat()
}

/// A compound file of these streams.
pub(super) fn compound(streams: &[(&str, &[u8])]) -> Vec<u8> {
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
