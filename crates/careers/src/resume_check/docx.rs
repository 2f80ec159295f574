//! DOCX files (Office Open XML): a complete zip archive whose main document part is declared and present.

use std::collections::HashSet;
use std::io::{self, Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::CompressionMethod;
use zip::read::ZipArchive;

use super::doc;
use super::rejection::Rejection;

const MIB: u64 = 1024 * 1024;
const MAX_PARTS: usize = 1_024;
/// Maximum size of all parts together after decompression, against zip bombs.
const MAX_TOTAL_BYTES: u64 = 64 * MIB;
/// Maximum compression ratio of a part, against zip bombs.
const MAX_COMPRESSION_RATIO: u64 = 300;
/// Decompressed size up to which a part may have any compression ratio.
const RATIO_EXEMPT_BYTES: u64 = MIB;
/// Maximum size of a content type list or a relationship list.
const MAX_LIST_BYTES: u64 = 4 * MIB;
/// Size of the end record of a zip archive without its comment.
const END_RECORD_BYTES: usize = 22;

const CONTENT_TYPES: &str = "[content_types].xml";
const MAIN_DOCUMENT_TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

pub(super) fn check(resume: &[u8]) -> Result<(), Rejection> {
    if !resume.starts_with(b"PK\x03\x04") {
        return Err(if doc::is_encrypted_docx(resume) { Rejection::Encrypted } else { Rejection::Mislabelled });
    }
    let mut archive = Archive::new(Cursor::new(resume)).map_err(|_| Rejection::Unreadable)?;
    if !spans_file(resume, &archive) {
        return Err(Rejection::Mislabelled);
    }
    let names = part_names(&mut archive)?;
    if names.iter().any(|name| name.ends_with("vbaproject.bin") || name.contains("/activex/")) {
        return Err(Rejection::Macros);
    }
    let is_list = |name: &str| name == CONTENT_TYPES || name.ends_with(".rels");
    let mut main = None;
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(|_| Rejection::Unreadable)?;
        let name = part.name().map_err(|_| Rejection::Unreadable)?.to_ascii_lowercase();
        if is_list(&name) {
            let mut list = Vec::new();
            part.by_ref().take(MAX_LIST_BYTES + 1).read_to_end(&mut list).map_err(|_| Rejection::Unreadable)?;
            if u64::try_from(list.len()).is_ok_and(|length| length > MAX_LIST_BYTES) {
                return Err(Rejection::Unreadable);
            }
            if name == CONTENT_TYPES {
                main = find_main_part(&list)?;
            } else {
                check_relationships(&list)?;
            }
        }
        // Reads to the end, which also verifies the checksum.
        io::copy(&mut part, &mut io::sink()).map_err(|_| Rejection::Unreadable)?;
    }
    // Without a main document it is another kind of archive, such as a spreadsheet or an app.
    let main = main.ok_or(Rejection::Mislabelled)?;
    if names.contains(&main) { Ok(()) } else { Err(Rejection::Unreadable) }
}

/// Returns true if the archive is the whole file, with nothing before or behind it.
fn spans_file(resume: &[u8], archive: &Archive<'_>) -> bool {
    let end = resume.len().checked_sub(END_RECORD_BYTES + archive.comment().len());
    archive.offset() == 0 && end.and_then(|end| resume.get(end..)).is_some_and(|end| end.starts_with(b"PK\x05\x06"))
}

/// Returns the names of all parts in lower case. Rejects parts that are unsafe or too large to decompress.
fn part_names(archive: &mut Archive<'_>) -> Result<HashSet<String>, Rejection> {
    if archive.len() > MAX_PARTS || archive.has_duplicate_names() {
        return Err(Rejection::Unreadable);
    }
    let mut names = HashSet::new();
    let mut total: u64 = 0;
    for index in 0..archive.len() {
        let part = archive.by_index_raw(index).map_err(|_| Rejection::Unreadable)?;
        if part.encrypted() {
            return Err(Rejection::Encrypted);
        }
        let name = part.name().map_err(|_| Rejection::Unreadable)?.to_ascii_lowercase();
        let (size, compressed_size) = (part.size(), part.compressed_size());
        total = total.saturating_add(size);
        let is_safe = matches!(part.compression(), CompressionMethod::Stored | CompressionMethod::Deflated)
            && !name.contains('\\')
            && !name.split('/').any(|segment| segment == "..")
            && (size <= RATIO_EXEMPT_BYTES || size <= compressed_size.saturating_mul(MAX_COMPRESSION_RATIO));
        if !is_safe || total > MAX_TOTAL_BYTES || !names.insert(name) {
            return Err(Rejection::Unreadable);
        }
    }
    Ok(names)
}

/// Returns the name of the main document part that the content type list declares.
fn find_main_part(list: &[u8]) -> Result<Option<String>, Rejection> {
    let mut main = None;
    for_each_element(list, "Types", |element| {
        let Some(kind) = attribute(element, "ContentType")? else { return Ok(()) };
        let lower = kind.to_ascii_lowercase();
        if lower.contains("macroenabled") || lower.contains("vbaproject") {
            return Err(Rejection::Macros);
        }
        if kind == MAIN_DOCUMENT_TYPE
            && let Some(name) = attribute(element, "PartName")?
        {
            main = Some(name.trim_start_matches('/').to_ascii_lowercase());
        }
        Ok(())
    })?;
    Ok(main)
}

/// Rejects relationships that load a part from elsewhere, such as a template. Hyperlinks and images are allowed: a
/// hyperlink loads nothing until it is clicked, and an image contains no code.
fn check_relationships(list: &[u8]) -> Result<(), Rejection> {
    for_each_element(list, "Relationships", |element| {
        let mode = attribute(element, "TargetMode")?.unwrap_or_default();
        if !mode.eq_ignore_ascii_case("external") {
            return Ok(());
        }
        let kind = attribute(element, "Type")?.unwrap_or_default();
        match kind.rsplit('/').next() {
            Some("hyperlink" | "image") => Ok(()),
            Some(_) | None => Err(Rejection::Macros),
        }
    })
}

/// Calls `visit` with every element of a document whose root must be `root`.
fn for_each_element(
    document: &[u8],
    root: &str,
    mut visit: impl FnMut(&BytesStart<'_>) -> Result<(), Rejection>,
) -> Result<(), Rejection> {
    let mut reader = Reader::from_reader(document);
    let mut has_root = false;
    loop {
        match reader.read_event().map_err(|_| Rejection::Unreadable)? {
            Event::Start(element) | Event::Empty(element) => {
                if !has_root && element.local_name().as_ref() != root {
                    return Err(Rejection::Unreadable);
                }
                has_root = true;
                visit(&element)?;
            }
            // A document type could declare entities that change the meaning of attributes.
            Event::DocType(_) => return Err(Rejection::Unreadable),
            Event::Eof => return if has_root { Ok(()) } else { Err(Rejection::Unreadable) },
            Event::End(_)
            | Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::GeneralRef(_) => {}
        }
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, Rejection> {
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|_| Rejection::Unreadable)?;
        if attribute.key.local_name().as_ref() == name {
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
            return value.map(|value| Some(value.into_owned())).map_err(|_| Rejection::Unreadable);
        }
    }
    Ok(None)
}
