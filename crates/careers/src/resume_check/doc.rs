//! Word 97-2003 documents: a strict OLE file with a `WordDocument` stream, without a password and without macros,
//! embedded objects or fields that load or start something.

use std::ffi::OsStr;
use std::io::{Cursor, Read};
use std::path::Path;

use cfb::CompoundFile as OleFile;

use super::docx;
use super::rejection::Rejection;

const OLE_SIGNATURE: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];
/// First two bytes of the `WordDocument` stream.
const WORD_SIGNATURE: u16 = 0xA5EC;
/// Flag in the header of the `WordDocument` stream.
const ENCRYPTED_FLAG: u16 = 0x0100;
/// Maximum number of streams and storages; more than any resume has.
const MAX_ENTRIES: usize = 4_096;
/// Character that begins a field. Its code follows, then the separator or the end of the field.
const FIELD_START: u8 = 0x13;
/// Maximum length of a field's name in characters, and of the blanks before it.
const MAX_FIELD_NAME: usize = 64;

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
    // Word writes an empty pool, too.
    if file.walk().take(MAX_ENTRIES).any(|entry| is_in_object_pool(entry.path())) {
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
    if is_encrypted {
        return Err(Rejection::Encrypted);
    }
    let mut text = Vec::new();
    stream.read_to_end(&mut text).map_err(|_| Rejection::Unreadable)?;
    if has_active_field(&text) { Err(Rejection::Macros) } else { Ok(()) }
}

fn is_in_object_pool(path: &Path) -> bool {
    let is_pool = |part: &OsStr| part.eq_ignore_ascii_case("ObjectPool");
    path.parent().is_some_and(|parent| parent.iter().any(is_pool))
}

/// Returns true if `stream` contains a field that loads or starts something. Text has one byte per character, or two.
fn has_active_field(stream: &[u8]) -> bool {
    let starts = stream.iter().enumerate().filter(|(_, byte)| **byte == FIELD_START);
    starts.map(|(start, _)| stream.get(start + 1..).unwrap_or_default()).any(|code| {
        let wide = code.get(1..).unwrap_or_default().iter().step_by(2);
        docx::is_active_field(&field_name(code.iter())) || docx::is_active_field(&field_name(wide))
    })
}

/// Returns the name at the start of a field's code.
fn field_name<'a>(code: impl Iterator<Item = &'a u8>) -> String {
    let is_blank = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'"');
    let name = code.take(MAX_FIELD_NAME).skip_while(is_blank);
    name.take_while(|byte| byte.is_ascii_alphabetic()).map(|byte| char::from(*byte)).collect()
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// Checks a document with this text and these additional storages.
    fn check_document(text: &[u8], storages: &[&str]) -> Result<(), Rejection> {
        let mut file = OleFile::create(Cursor::new(Vec::new())).unwrap();
        let mut content = vec![0; 4096];
        content[..2].copy_from_slice(&WORD_SIGNATURE.to_le_bytes());
        content.extend(text);
        file.create_stream("/WordDocument").unwrap().write_all(&content).unwrap();
        for storage in storages {
            file.create_storage(storage).unwrap();
        }
        file.flush().unwrap();
        check(&file.into_inner().into_inner())
    }

    #[test]
    fn s9_rejects_fields_of_a_doc_that_load_or_start_something() {
        for (code, want) in [
            (" HYPERLINK \"https://x.example/dde\" ", Ok(())),
            (" PAGE ", Ok(())),
            (" DDEAUTO c:\\a.exe ", Err(Rejection::Macros)),
            ("dde a b", Err(Rejection::Macros)),
            ("\t INCLUDEPICTURE \"\\\\evil.example\\a.png\"", Err(Rejection::Macros)),
            (" EMBED Package", Err(Rejection::Macros)),
        ] {
            let text = format!("Asha \u{13}{code}\u{14}result\u{15} DDEAUTO");
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(check_document(text.as_bytes(), &[]), want, "{code}");
            assert_eq!(check_document(&wide, &[]), want, "{code}, two bytes per character");
        }
    }

    #[test]
    fn s9_rejects_a_doc_with_an_embedded_object() {
        assert_eq!(check_document(b"", &["/ObjectPool"]), Ok(()));
        assert_eq!(check_document(b"", &["/ObjectPool", "/ObjectPool/_1234"]), Err(Rejection::Macros));
    }
}
