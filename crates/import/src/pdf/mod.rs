//! Reads the text of a PDF document as lines of words with their positions, and compares it with its signatures.
//!
//! `lopdf` reads objects and decrypts; nothing of a document is executed. The limits here reject a hostile document early;
//! the memory limit of the parser process stops one that passes them.

mod fonts;
mod lines;
mod matrix;
mod signatures;
mod signed_data;
mod text_items;

use std::fs::File;
use std::io::{self, Read, Seek};

use lopdf::{Dictionary, Document, Error, LoadOptions, Object};
use rpc::trades::v1::DocumentSignature;

pub(crate) use self::lines::Line;
pub(crate) use self::text_items::TextItem;
use self::text_items::{MAX_STREAM_BYTES, PageReader, content_error};
use crate::error::{Rejection, RejectionReason};

/// First bytes of a PDF document.
pub(crate) const MAGIC: &[u8] = b"%PDF";
/// Size of a document in bytes; contract notes of a whole year in one file are smaller.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;
const MAX_PAGES: usize = 500;
const MAX_OBJECTS: usize = 50_000;
/// Decompressed size in bytes of the content of all pages.
const MAX_CONTENT_BYTES: usize = 32 * 1024 * 1024;
/// Words of a document; a note of 700 fills has 12,000.
const MAX_ITEMS: usize = 150_000;
/// Levels of arrays and dictionaries in an object.
const MAX_DEPTH: usize = 64;

/// Returns true if the file begins like a PDF document.
pub(crate) fn is_pdf(mut file: &File) -> io::Result<bool> {
    let mut start = Vec::new();
    file.rewind()?;
    file.take(MAGIC.len() as u64).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == MAGIC)
}

/// Text of a document.
pub(crate) struct PdfText {
    pub lines: Vec<Line>,
    /// Texts of the document information, such as author and producer.
    pub info: String,
    pub signature: DocumentSignature,
}

/// Reads the text of `file`, which is decrypted with `password` if it needs one.
pub(crate) fn read(mut file: File, password: Option<&str>) -> Result<PdfText, Rejection> {
    let mut bytes = Vec::new();
    file.rewind()
        .and_then(|()| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|_| RejectionReason::Unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(RejectionReason::PdfTooLarge.into());
    }
    let document = load(&bytes, password)?;
    if document.objects.len() > MAX_OBJECTS {
        return Err(RejectionReason::PdfTooLarge.into());
    }
    let signature = signatures::check(&document, &bytes);
    drop(bytes);
    if document.objects.values().any(|object| has_active_content(object, MAX_DEPTH)) {
        return Err(RejectionReason::PdfActiveContent.into());
    }
    let lines = read_lines(&document)?;
    Ok(PdfText { lines, info: read_info(&document), signature })
}

fn load(bytes: &[u8], password: Option<&str>) -> Result<Document, Rejection> {
    let options = LoadOptions {
        password: password.map(str::to_owned),
        max_decompressed_size: Some(MAX_STREAM_BYTES),
        ..LoadOptions::default()
    };
    let password_reason =
        if password.is_some() { RejectionReason::PdfWrongPassword } else { RejectionReason::PdfPassword };
    match Document::load_mem_with_options(bytes, options) {
        // Without a usable password no object is loaded.
        Ok(document) if document.trailer.has(b"Encrypt") && !document.was_encrypted() => Err(password_reason.into()),
        Ok(document) => Ok(document),
        Err(Error::InvalidPassword | Error::Decryption(lopdf::encryption::DecryptionError::IncorrectPassword)) => {
            Err(password_reason.into())
        }
        Err(Error::Decompress(lopdf::DecompressError::MemoryLimitExceeded { .. })) => {
            Err(RejectionReason::PdfTooLarge.into())
        }
        Err(_) => Err(RejectionReason::PdfDamaged.into()),
    }
}

fn read_lines(document: &Document) -> Result<Vec<Line>, Rejection> {
    let (mut lines, mut content_bytes, mut item_count) = (Vec::new(), 0_usize, 0_usize);
    let mut page_count = 0;
    for page in document.page_iter() {
        page_count += 1;
        if page_count > MAX_PAGES {
            return Err(RejectionReason::PdfTooLarge.into());
        }
        let content = document.get_page_content_with_limit(page, MAX_STREAM_BYTES).map_err(content_error)?;
        content_bytes += content.len();
        if content_bytes > MAX_CONTENT_BYTES {
            return Err(RejectionReason::PdfTooLarge.into());
        }
        let items = PageReader::new(document).read_page(page, &content, MAX_ITEMS - item_count)?;
        item_count += items.len();
        lines.extend(lines::group_items(page_count, items));
    }
    match (page_count, lines.is_empty()) {
        (0, _) => Err(RejectionReason::PdfDamaged.into()),
        (_, true) => Err(RejectionReason::PdfWithoutText.into()),
        (_, false) => Ok(lines),
    }
}

/// Returns true for scripts, programs to start, and embedded files; no contract note has any. Also for an object that is
/// nested too deeply to tell.
fn has_active_content(object: &Object, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    let in_dictionary = |dictionary: &Dictionary| {
        [&b"JS"[..], b"JavaScript", b"EmbeddedFiles", b"RichMedia", b"XFA"].iter().any(|key| dictionary.has(key))
            || dictionary
                .get(b"S")
                .and_then(Object::as_name)
                .is_ok_and(|name| [&b"JavaScript"[..], b"Launch"].contains(&name))
            || dictionary.iter().any(|(_, value)| has_active_content(value, depth))
    };
    match object {
        Object::Array(values) => values.iter().any(|value| has_active_content(value, depth)),
        Object::Dictionary(dictionary) => in_dictionary(dictionary),
        Object::Stream(stream) => in_dictionary(&stream.dict),
        Object::Null
        | Object::Boolean(_)
        | Object::Integer(_)
        | Object::Real(_)
        | Object::Name(_)
        | Object::String(..)
        | Object::Reference(_) => false,
    }
}

fn read_info(document: &Document) -> String {
    let info = document.trailer.get(b"Info").and_then(|info| document.dereference(info));
    let Ok((_, Object::Dictionary(info))) = info else { return String::new() };
    let texts = info.iter().filter_map(|(_, value)| lopdf::decode_text_string(value).ok());
    texts.collect::<Vec<_>>().join(" ")
}
