//! Files made to do damage. Each is answered soon and clearly, and the next file is read as ever.

use std::io::{Cursor, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rpc::imports::v1::Choice;
use tonic::Code;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::fixtures::damage::{Dice, damaged, setting};
use super::fixtures::{patched, tradebook, tradebook_csv, with_part, xlsx};
use super::{CHILD, Product, equity, reason};

const STRINGS: &str = "xl/sharedStrings.xml";
const SHEET: &str = "xl/worksheets/sheet1.xml";

/// The tradebook, with shared strings that unpack to so many bytes.
fn long_strings(bytes: usize) -> Vec<u8> {
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

/// The archive with another size of the shared strings in its directory.
fn lying(file: &[u8], size: u32) -> Vec<u8> {
    let mut file = file.to_vec();
    let marks: [(&[u8], usize, usize); 2] = [(b"PK\x03\x04", 30, 22), (b"PK\x01\x02", 46, 24)];
    for (mark, name_at, size_at) in marks {
        for at in 0..file.len().saturating_sub(name_at + STRINGS.len()) {
            if file[at..].starts_with(mark) && file[at + name_at..].starts_with(STRINGS.as_bytes()) {
                file[at + size_at..at + size_at + 4].copy_from_slice(&size.to_le_bytes());
            }
        }
    }
    file
}

const TRADEBOOK_XLS: &[u8] = include_bytes!("../../src/tests/fixtures/xls/tradebook.xls");

/// An .xls file whose cells point to strings that are not there.
fn without_strings() -> Vec<u8> {
    let mut file = TRADEBOOK_XLS.to_vec();
    // The record of the shared strings, by its type; a type that nobody knows takes its place.
    let at = file.windows(2).position(|kind| kind == [0xFC, 0x00]).unwrap();
    file[at] = 0x77;
    file
}

#[tokio::test]
async fn hostile_files_are_refused_soon_and_the_next_is_read() {
    let good = xlsx(&[tradebook()]);
    let entities =
        "<!DOCTYPE sst [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]>";
    let strings = long_strings(120_000_000);
    let cases = [
        ("shared strings of 1.2 GB", lying(&strings, 1_200_000_000), "FILE_UNREADABLE"),
        ("shared strings of 120 MB", strings.clone(), "FILE_UNREADABLE"),
        ("the same with a small size", lying(&strings, 1_000_000), "FILE_UNREADABLE"),
        ("many declared strings", long_strings(2_000_000), "FILE_UNREADABLE"),
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
        ("a zip bomb", with_part(&good, "xl/media/image1.png", &vec![0; 64 << 20]), "FILE_UNREADABLE"),
        ("a macro part", with_part(&good, "xl/vbaProject.bin", b"x"), "FILE_UNREADABLE"),
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
            "an .xls with two far cells",
            include_bytes!("../../src/tests/corpus/xls/far-cells.xls").to_vec(),
            "TOO_MANY_ROWS",
        ),
        ("a truncated .xls", TRADEBOOK_XLS[..TRADEBOOK_XLS.len() / 2].to_vec(), "FILE_UNREADABLE"),
        ("an .xls without its strings", without_strings(), "FILE_UNKNOWN"),
        ("garbage", (0..200_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect(), "FILE_UNREADABLE"),
        ("a quote that never ends", [b"\"", vec![b'x'; 8 << 20].as_slice()].concat(), "FILE_UNKNOWN"),
    ];
    let product = Product::new();
    for (what, file, code) in cases {
        let started = Instant::now();
        let answer = product.import(equity(), &file).await;
        assert!(started.elapsed() < Duration::from_secs(10), "{what}: {:?}", started.elapsed());
        match answer {
            Ok(reply) => assert_eq!((code, reply.rows), ("", 5), "{what}"),
            Err(status) => {
                assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, code), "{what}");
            }
        }
        assert_eq!(product.import(equity(), &good).await.unwrap().rows, 5, "after {what}");
    }
}

#[tokio::test]
async fn damaged_files_are_read_or_refused_in_time() {
    let (good, groww) = (xlsx(&[tradebook()]), include_bytes!("../../src/tests/fixtures/xls/groww-fno.xls").to_vec());
    let files = [good.clone(), groww, TRADEBOOK_XLS.to_vec(), tradebook_csv().into_bytes()];
    let mut dice = Dice(setting("FUZZ_SEED", 1));
    let product = Product::new();
    for round in 0..setting("FUZZ_ROUNDS", 60) {
        let file = dice.one_of(&files).clone();
        let file = damaged(file, &files, &mut dice);
        let started = Instant::now();
        // As what it is, which damage does not change.
        let answer = product.import(Choice { confirm: true, ..equity() }, &file).await;
        assert!(started.elapsed() < Duration::from_secs(10), "round {round}: {:?}", started.elapsed());
        if let Err(status) = answer {
            assert_eq!(status.code(), Code::InvalidArgument, "round {round}: {status:?}");
        }
    }
    assert_eq!(product.import(equity(), &good).await.unwrap().rows, 5);
}

#[test]
#[cfg(target_os = "linux")]
fn the_child_is_confined_before_it_reads() {
    // A pipe cannot be sought in, so the child must read from a file; here it waits for one that never says anything.
    let (reader, writer) = std::io::pipe().unwrap();
    let mut child = Command::new(CHILD).stdin(reader).stdout(Stdio::piped()).env_clear().spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", child.id())).unwrap_or_default();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    drop(writer);
    child.kill().unwrap();
    child.wait().unwrap();
    let most = |name: &str| {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line[name.len()..].split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = [
        ("Max address space", "805306368"),
        ("Max cpu time", "20"),
        ("Max file size", "0"),
        ("Max open files", "16"),
        ("Max core file size", "0"),
    ];
    for (name, bytes) in expected {
        assert_eq!(most(name), [bytes, bytes], "{name}");
    }
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
}
