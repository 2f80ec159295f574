//! Malicious files, also used by the tests of the server.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::fixtures::{patched, tradebook, with_entry, xlsx};

const STRINGS: &str = "xl/sharedStrings.xml";
const SHEET: &str = "xl/worksheets/sheet1.xml";

/// Returns a tradebook with shared strings that unpack to `bytes`.
fn long_shared_strings(bytes: usize) -> Vec<u8> {
    let good = patched(&xlsx(&[tradebook()]), STRINGS, |_| String::new());
    let mut out = ZipWriter::new_append(Cursor::new(good)).unwrap();
    out.start_file(STRINGS, SimpleFileOptions::default().large_file(true)).unwrap();
    out.write_all(b"<sst uniqueCount=\"400000000\">").unwrap();
    let block = "<si><t/></si>".repeat(80_000);
    for _ in 0..bytes / block.len() {
        out.write_all(block.as_bytes()).unwrap();
    }
    out.finish().unwrap().into_inner()
}

/// Returns the archive with a false size of the shared strings in its directory.
fn with_false_size(file: &[u8], size: u32) -> Vec<u8> {
    let mut file = file.to_vec();
    let headers: [(&[u8], usize, usize); 2] = [(b"PK\x03\x04", 30, 22), (b"PK\x01\x02", 46, 24)];
    for (signature, name_at, size_at) in headers {
        for at in 0..file.len().saturating_sub(name_at + STRINGS.len()) {
            if file[at..].starts_with(signature) && file[at + name_at..].starts_with(STRINGS.as_bytes()) {
                file[at + size_at..at + size_at + 4].copy_from_slice(&size.to_le_bytes());
            }
        }
    }
    file
}

pub const TRADEBOOK_XLS: &[u8] = include_bytes!("../../src/tests/fixtures/xls/tradebook.xls");

/// Returns an .xls file whose cells refer to missing strings.
fn without_shared_strings() -> Vec<u8> {
    let mut file = TRADEBOOK_XLS.to_vec();
    // Replaces the type of the shared strings record by an unknown type.
    let at = file.windows(2).position(|kind| kind == [0xFC, 0x00]).unwrap();
    file[at] = 0x77;
    file
}

/// Returns a name, the file, and the expected reason code for each file; empty if its five rows are read.
pub fn hostile_files() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let good = xlsx(&[tradebook()]);
    let entities =
        "<!DOCTYPE sst [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]>";
    let strings = long_shared_strings(120_000_000);
    vec![
        ("shared strings of 1.2 GB", with_false_size(&strings, 1_200_000_000), "FILE_UNREADABLE"),
        ("shared strings of 120 MB", strings.clone(), "FILE_UNREADABLE"),
        ("shared strings with a small declared size", with_false_size(&strings, 1_000_000), "FILE_UNREADABLE"),
        ("many declared strings", long_shared_strings(2_000_000), "FILE_UNREADABLE"),
        (
            "an entity bomb",
            {
                patched(&good, STRINGS, |xml| {
                    let xml = xml.replacen("<sst", &format!("{entities}<sst"), 1);
                    xml.replace("<t>Symbol</t>", &format!("<t>{}</t>", "&b;&c;".repeat(1_000)))
                })
            },
            "FILE_UNREADABLE",
        ),
        (
            "two cells in A1 and XFD1048576",
            {
                let cell = |row, cell| format!("<row r=\"{row}\"><c r=\"{cell}\"><v>1</v></c></row>");
                let cells = [cell(1, "A1"), cell(1_048_576, "XFD1048576")].concat();
                patched(&good, SHEET, |xml| {
                    let (start, end) = (xml.find("<sheetData>").unwrap(), xml.find("</sheetData>").unwrap());
                    format!("{}<sheetData>{cells}{}", &xml[..start], &xml[end..])
                })
            },
            "FILE_NOT_SUPPORTED",
        ),
        ("a zip bomb", with_entry(&good, "xl/media/image1.png", &vec![0; 64 << 20]), "FILE_UNREADABLE"),
        ("a macro part", with_entry(&good, "xl/vbaProject.bin", b"x"), "FILE_UNREADABLE"),
        ("a truncated archive", good[..good.len() - 30].to_vec(), "FILE_UNREADABLE"),
        (
            "a cell with a column that overflows",
            { patched(&good, SHEET, |xml| xml.replace("r=\"B16\"", "r=\"ZZZZZZZZZZZZZZZ16\"")) },
            "FILE_UNREADABLE",
        ),
        (
            "a sheet of great depth",
            {
                patched(&good, SHEET, |xml| {
                    xml.replace("<sheetData>", &format!("<sheetData>{}", "<a>".repeat(200_000)))
                })
            },
            "",
        ),
        (
            "a string that is not there",
            { patched(&good, SHEET, |xml| xml.replace("t=\"s\"><v>0</v>", "t=\"s\"><v>99999999</v>")) },
            "FILE_UNREADABLE",
        ),
        ("not a number", patched(&good, SHEET, |xml| xml.replace("<v>480.5</v>", "<v>NaN</v>")), ""),
        (
            "an .xls with two distant cells",
            include_bytes!("../../src/tests/corpus/xls/far-cells.xls").to_vec(),
            "TOO_MANY_ROWS",
        ),
        ("a truncated .xls", TRADEBOOK_XLS[..TRADEBOOK_XLS.len() / 2].to_vec(), "FILE_UNREADABLE"),
        ("an .xls without shared strings", without_shared_strings(), "FILE_NOT_SUPPORTED"),
        ("garbage", (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect(), "FILE_UNREADABLE"),
        ("a quote that never ends", [b"\"", vec![b'x'; 8 << 20].as_slice()].concat(), "FILE_NOT_SUPPORTED"),
    ]
}
