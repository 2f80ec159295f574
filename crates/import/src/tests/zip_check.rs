//! Limits on the directory of a ZIP archive.

use std::io::Cursor;

use super::fixtures::archive;
use crate::error::RejectionReason;
use crate::zip_check::check;

const MIB: u32 = 1 << 20;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// Entry in the directory of an archive.
struct Entry {
    name: &'static str,
    size: u32,
    packed: u32,
    method: u16,
    flags: u16,
}

/// Entry that is not compressed.
const fn stored(name: &'static str, size: u32) -> Entry {
    Entry { name, size, packed: size, method: STORED, flags: 0 }
}

/// Returns the reason for rejecting an archive with these entries; none if it is accepted.
fn rejection(entries: &[Entry]) -> Option<RejectionReason> {
    let names: Vec<(&str, &[u8])> = entries.iter().map(|entry| (entry.name, &b""[..])).collect();
    let mut file = archive(&names);
    let mut from = 0;
    for entry in entries {
        let start = from + file[from..].windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
        let mut put = |at: usize, bytes: &[u8]| file[start + at..start + at + bytes.len()].copy_from_slice(bytes);
        put(8, &entry.flags.to_le_bytes());
        put(10, &entry.method.to_le_bytes());
        put(20, &entry.packed.to_le_bytes());
        put(24, &entry.size.to_le_bytes());
        from = start + 4;
    }
    check(&mut Cursor::new(file)).err().map(|rejection| rejection.reason)
}

/// Returns true if a workbook with this further entry is rejected as damaged.
fn is_damaged(entry: Entry) -> bool {
    let reason = rejection(&[stored("xl/workbook.xml", 1), entry]);
    assert!(matches!(reason, None | Some(RejectionReason::Unreadable)), "{reason:?}");
    reason.is_some()
}

#[test]
fn rejects_an_entry_above_384_mib_and_shared_strings_above_96_mib() {
    let sheet = |size| is_damaged(stored("xl/worksheets/sheet1.xml", size));
    assert_eq!([sheet(384 * MIB), sheet(384 * MIB + 1)], [false, true]);
    for name in ["xl/sharedStrings.xml", "xl/SHAREDSTRINGS.XML"] {
        let strings = |size| is_damaged(stored(name, size));
        assert_eq!([strings(96 * MIB), strings(96 * MIB + 1)], [false, true], "{name}");
    }
}

#[test]
fn rejects_entries_above_512_mib_in_total() {
    let both = |size| rejection(&[stored("xl/workbook.xml", 128 * MIB), stored("xl/worksheets/sheet1.xml", size)]);
    assert_eq!(both(384 * MIB), None);
    let sheet = || stored("xl/worksheets/sheet1.xml", 384 * MIB);
    assert!(rejection(&[stored("xl/workbook.xml", 128 * MIB + 1), sheet()]).is_some());
}

#[test]
fn rejects_a_compression_ratio_above_300_for_entries_above_1_mib() {
    let packed =
        |size, packed| is_damaged(Entry { packed, method: DEFLATED, ..stored("xl/worksheets/sheet1.xml", size) });
    assert_eq!([packed(MIB, 1), packed(MIB + 1, 1)], [false, true]);
    assert_eq!([packed(300 * 5_000, 5_000), packed(300 * 5_000 + 1, 5_000)], [false, true]);
}

#[test]
fn rejects_unknown_compression_methods_and_encryption() {
    for (method, flags, expected) in [(STORED, 0, false), (DEFLATED, 0, false), (12, 0, true), (STORED, 1, true)] {
        let entry = Entry { method, flags, ..stored("xl/worksheets/sheet1.xml", 0) };
        assert_eq!(is_damaged(entry), expected, "{method} {flags}");
    }
}

#[test]
fn rejects_more_than_512_entries() {
    let is_rejected = |entries: usize| {
        let names: Vec<_> = (1..entries).map(|n| format!("part{n}.xml")).collect();
        let names = names.iter().map(|name| (name.as_str(), &b""[..]));
        let entries: Vec<_> = names.chain([("xl/workbook.xml", &b""[..])]).collect();
        check(&mut Cursor::new(archive(&entries))).is_err()
    };
    assert_eq!([is_rejected(512), is_rejected(513)], [false, true]);
}

#[test]
fn entry_names_decide_the_kind_of_file() {
    let reason = |names: &[&'static str]| rejection(&names.iter().map(|name| stored(name, 0)).collect::<Vec<_>>());
    assert_eq!(reason(&["xl/workbook.xml"]), None);
    assert_eq!(reason(&["XL\\WORKBOOK.XML"]), None);
    for name in ["xl/macrosheets/sheet1.xml", "xl/vbaProject.bin"] {
        assert_eq!(reason(&["xl/workbook.xml", name]), Some(RejectionReason::Macros), "{name}");
    }
    for name in ["xl/workbook.bin", "content.xml"] {
        assert_eq!(reason(&[name]), Some(RejectionReason::OtherWorkbook), "{name}");
    }
    for name in ["word/document.xml", "other/xl/workbook.xml", "xl/workbook.txt", "sheets/workbook.bin"] {
        assert_eq!(reason(&[name]), Some(RejectionReason::NotASpreadsheet), "{name}");
    }
}
