//! How much an archive may say that it holds.

use std::io::Cursor;

use super::fixtures::archive;
use crate::precheck::check;

const MIB: u32 = 1 << 20;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// A part of an archive, as its directory tells it.
struct Part {
    name: &'static str,
    size: u32,
    packed: u32,
    method: u16,
    flags: u16,
}

/// A part that is stored as it is.
const fn stored(name: &'static str, size: u32) -> Part {
    Part { name, size, packed: size, method: STORED, flags: 0 }
}

/// What the refusal of a workbook with those parts says, if it is one.
fn refused(parts: &[Part]) -> Option<String> {
    let names: Vec<(&str, &[u8])> = parts.iter().map(|part| (part.name, &b""[..])).collect();
    let mut file = archive(&names);
    let mut from = 0;
    for part in parts {
        let entry = from + file[from..].windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
        let mut put = |at: usize, bytes: &[u8]| file[entry + at..entry + at + bytes.len()].copy_from_slice(bytes);
        put(8, &part.flags.to_le_bytes());
        put(10, &part.method.to_le_bytes());
        put(20, &part.packed.to_le_bytes());
        put(24, &part.size.to_le_bytes());
        from = entry + 4;
    }
    check(&mut Cursor::new(file)).err().map(|refusal| refusal.message)
}

/// Whether a workbook with that part too is refused as a damaged one.
fn damaged(part: Part) -> bool {
    let sentence = refused(&[stored("xl/workbook.xml", 1), part]);
    assert!(sentence.as_ref().is_none_or(|sentence| sentence.contains("damaged")), "{sentence:?}");
    sentence.is_some()
}

#[test]
fn a_part_may_say_384_mib_and_the_shared_texts_96() {
    let sheet = |size| damaged(stored("xl/worksheets/sheet1.xml", size));
    assert_eq!([sheet(384 * MIB), sheet(384 * MIB + 1)], [false, true]);
    for name in ["xl/sharedStrings.xml", "xl/SHAREDSTRINGS.XML"] {
        let texts = |size| damaged(stored(name, size));
        assert_eq!([texts(96 * MIB), texts(96 * MIB + 1)], [false, true], "{name}");
    }
}

#[test]
fn all_parts_together_may_say_512_mib() {
    let both = |size| refused(&[stored("xl/workbook.xml", 128 * MIB), stored("xl/worksheets/sheet1.xml", size)]);
    assert_eq!(both(384 * MIB), None);
    let sheet = || stored("xl/worksheets/sheet1.xml", 384 * MIB);
    assert!(refused(&[stored("xl/workbook.xml", 128 * MIB + 1), sheet()]).is_some());
}

#[test]
fn what_is_larger_than_a_mib_may_be_packed_300_times() {
    let packed = |size, packed| damaged(Part { packed, method: DEFLATED, ..stored("xl/worksheets/sheet1.xml", size) });
    assert_eq!([packed(MIB, 1), packed(MIB + 1, 1)], [false, true]);
    assert_eq!([packed(300 * 5_000, 5_000), packed(300 * 5_000 + 1, 5_000)], [false, true]);
}

#[test]
fn a_part_is_packed_in_a_known_way_and_has_no_password() {
    for (method, flags, is_damaged) in [(STORED, 0, false), (DEFLATED, 0, false), (12, 0, true), (STORED, 1, true)] {
        let part = Part { method, flags, ..stored("xl/worksheets/sheet1.xml", 0) };
        assert_eq!(damaged(part), is_damaged, "{method} {flags}");
    }
}

#[test]
fn an_archive_has_256_parts_at_most() {
    let of = |parts: usize| {
        let names: Vec<_> = (1..parts).map(|n| format!("part{n}.xml")).collect();
        let names = names.iter().map(|name| (name.as_str(), &b""[..]));
        let parts: Vec<_> = names.chain([("xl/workbook.xml", &b""[..])]).collect();
        check(&mut Cursor::new(archive(&parts))).is_err()
    };
    assert_eq!([of(256), of(257)], [false, true]);
}

#[test]
fn the_names_of_the_parts_say_what_it_is() {
    let of = |names: &[&'static str]| {
        refused(&names.iter().map(|name| stored(name, 0)).collect::<Vec<_>>()).unwrap_or_default()
    };
    assert_eq!(of(&["xl/workbook.xml"]), "");
    assert_eq!(of(&["XL\\WORKBOOK.XML"]), "");
    for name in ["xl/macrosheets/sheet1.xml", "xl/vbaProject.bin"] {
        assert!(of(&["xl/workbook.xml", name]).contains("macros"), "{name}");
    }
    for name in ["xl/workbook.bin", "content.xml"] {
        assert!(of(&[name]).contains("save it as .xlsx"), "{name}");
    }
    for name in ["word/document.xml", "other/xl/workbook.xml", "xl/workbook.txt", "sheets/workbook.bin"] {
        assert!(of(&[name]).contains("not a spreadsheet"), "{name}");
    }
}
