//! An old Word document: a strict compound file with its main stream, without macros and without a password.

use std::io::{Cursor, Read};

use cfb::CompoundFile;

use super::Fault;

const COMPOUND_FILE: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
/// What the main stream begins with.
const WORD: u16 = 0xA5EC;
/// Of the flags in its head.
const ENCRYPTED: u16 = 0x0100;
/// More parts than any resume has.
const MOST_PARTS: usize = 4_096;

pub(super) fn judge(resume: &[u8]) -> Result<(), Fault> {
    if !resume.starts_with(COMPOUND_FILE) {
        return Err(Fault::Mislabelled);
    }
    let mut file = CompoundFile::open_strict(Cursor::new(resume)).map_err(|_| Fault::Unreadable)?;
    let names: Vec<String> = file.walk().take(MOST_PARTS + 1).map(|entry| entry.name().to_ascii_lowercase()).collect();
    if names.len() > MOST_PARTS {
        return Err(Fault::Unreadable);
    }
    if is_encrypted_package(&names) {
        return Err(Fault::Encrypted);
    }
    if names.iter().any(|name| matches!(name.as_str(), "macros" | "vba" | "_vba_project" | "_vba_project_cur")) {
        return Err(Fault::Macros);
    }
    let mut head = [0; 12];
    let mut main = file.open_stream("/WordDocument").map_err(|_| Fault::Mislabelled)?;
    main.read_exact(&mut head).map_err(|_| Fault::Unreadable)?;
    let [mark_low, mark_high, .., flags_low, flags_high] = head;
    if u16::from_le_bytes([mark_low, mark_high]) != WORD {
        return Err(Fault::Unreadable);
    }
    let encrypted = u16::from_le_bytes([flags_low, flags_high]) & ENCRYPTED != 0;
    if encrypted { Err(Fault::Encrypted) } else { Ok(()) }
}

/// Whether the file is a newer document behind a password.
pub(super) fn is_encrypted_document(resume: &[u8]) -> bool {
    if !resume.starts_with(COMPOUND_FILE) {
        return false;
    }
    CompoundFile::open(Cursor::new(resume)).is_ok_and(|file| {
        let names = file.walk().take(MOST_PARTS).map(|entry| entry.name().to_ascii_lowercase());
        is_encrypted_package(&names.collect::<Vec<_>>())
    })
}

fn is_encrypted_package(names: &[String]) -> bool {
    names.iter().any(|name| name == "encryptedpackage")
}
