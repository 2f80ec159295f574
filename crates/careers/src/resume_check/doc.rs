//! Word 97-2003 documents: a strict OLE file with a `WordDocument` stream, without macros and without a password.

use std::io::{Cursor, Read};

use cfb::CompoundFile as OleFile;

use super::rejection::Rejection;

const OLE_SIGNATURE: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
/// First two bytes of the `WordDocument` stream.
const WORD_SIGNATURE: u16 = 0xA5EC;
/// Flag in the header of the `WordDocument` stream.
const ENCRYPTED_FLAG: u16 = 0x0100;
/// Maximum number of streams and storages; more than any resume has.
const MAX_ENTRIES: usize = 4_096;

pub(super) fn check(resume: &[u8]) -> Result<(), Rejection> {
    if !resume.starts_with(OLE_SIGNATURE) {
        return Err(Rejection::Mislabelled);
    }
    let mut file = OleFile::open_strict(Cursor::new(resume)).map_err(|_| Rejection::Unreadable)?;
    let names: Vec<String> = file.walk().take(MAX_ENTRIES + 1).map(|entry| entry.name().to_ascii_lowercase()).collect();
    if names.len() > MAX_ENTRIES {
        return Err(Rejection::Unreadable);
    }
    if is_encrypted_package(&names) {
        return Err(Rejection::Encrypted);
    }
    if names.iter().any(|name| matches!(name.as_str(), "macros" | "vba" | "_vba_project" | "_vba_project_cur")) {
        return Err(Rejection::Macros);
    }
    let mut header = [0; 12];
    let mut stream = file.open_stream("/WordDocument").map_err(|_| Rejection::Mislabelled)?;
    stream.read_exact(&mut header).map_err(|_| Rejection::Unreadable)?;
    let [signature_low, signature_high, .., flags_low, flags_high] = header;
    if u16::from_le_bytes([signature_low, signature_high]) != WORD_SIGNATURE {
        return Err(Rejection::Unreadable);
    }
    let is_encrypted = u16::from_le_bytes([flags_low, flags_high]) & ENCRYPTED_FLAG != 0;
    if is_encrypted { Err(Rejection::Encrypted) } else { Ok(()) }
}

/// Returns true for a DOCX with a password, which is an OLE file around the encrypted archive.
pub(super) fn is_encrypted_docx(resume: &[u8]) -> bool {
    if !resume.starts_with(OLE_SIGNATURE) {
        return false;
    }
    OleFile::open(Cursor::new(resume)).is_ok_and(|file| {
        let names = file.walk().take(MAX_ENTRIES).map(|entry| entry.name().to_ascii_lowercase());
        is_encrypted_package(&names.collect::<Vec<_>>())
    })
}

fn is_encrypted_package(names: &[String]) -> bool {
    names.iter().any(|name| name == "encryptedpackage")
}
