//! A Word document: a zip archive whose parts are declared, whole, and all there.

use std::collections::HashSet;
use std::io::{self, Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::CompressionMethod;
use zip::read::ZipArchive;

use super::{Fault, doc};

const MIB: u64 = 1024 * 1024;
const MOST_PARTS: usize = 1_024;
const LARGEST_SUM: u64 = 64 * MIB;
/// Below it, the ratio does not matter.
const SMALL: u64 = MIB;
const HIGHEST_RATIO: u64 = 300;
const LARGEST_LIST: u64 = 4 * MIB;
/// The end of an archive, without its comment.
const END: usize = 22;

const CONTENT_TYPES: &str = "[content_types].xml";
const MAIN: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";

type Archive<'a> = ZipArchive<Cursor<&'a [u8]>>;

pub(super) fn judge(resume: &[u8]) -> Result<(), Fault> {
    if !resume.starts_with(b"PK\x03\x04") {
        return Err(if doc::is_encrypted_document(resume) { Fault::Encrypted } else { Fault::Mislabelled });
    }
    let mut archive = Archive::new(Cursor::new(resume)).map_err(|_| Fault::Unreadable)?;
    if !is_all_of(resume, &archive) {
        return Err(Fault::Mislabelled);
    }
    let names = names(&mut archive)?;
    if names.iter().any(|name| name.ends_with("vbaproject.bin") || name.contains("/activex/")) {
        return Err(Fault::Macros);
    }
    let lists: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| *name == CONTENT_TYPES || name.ends_with(".rels")).collect();
    let mut main = None;
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).map_err(|_| Fault::Unreadable)?;
        let name = part.name().map_err(|_| Fault::Unreadable)?.to_ascii_lowercase();
        if lists.contains(&name.as_str()) {
            let mut list = Vec::new();
            part.by_ref().take(LARGEST_LIST + 1).read_to_end(&mut list).map_err(|_| Fault::Unreadable)?;
            if u64::try_from(list.len()).is_ok_and(|length| length > LARGEST_LIST) {
                return Err(Fault::Unreadable);
            }
            if name == CONTENT_TYPES {
                main = main_part(&list)?;
            } else {
                judge_relations(&list)?;
            }
        }
        // To its end, which also tells a damaged part.
        io::copy(&mut part, &mut io::sink()).map_err(|_| Fault::Unreadable)?;
    }
    // A spreadsheet and an app are archives as well.
    let main = main.ok_or(Fault::Mislabelled)?;
    if names.contains(&main) { Ok(()) } else { Err(Fault::Unreadable) }
}

/// Whether the archive is the whole file, with nothing before it and nothing behind.
fn is_all_of(resume: &[u8], archive: &Archive<'_>) -> bool {
    let end = resume.len().checked_sub(END + archive.comment().len());
    archive.offset() == 0 && end.and_then(|end| resume.get(end..)).is_some_and(|end| end.starts_with(b"PK\x05\x06"))
}

/// The names of the parts, in small letters, where none costs too much to read.
fn names(archive: &mut Archive<'_>) -> Result<HashSet<String>, Fault> {
    if archive.len() > MOST_PARTS || archive.has_duplicate_names() {
        return Err(Fault::Unreadable);
    }
    let mut names = HashSet::new();
    let mut sum: u64 = 0;
    for index in 0..archive.len() {
        let part = archive.by_index_raw(index).map_err(|_| Fault::Unreadable)?;
        if part.encrypted() {
            return Err(Fault::Encrypted);
        }
        let name = part.name().map_err(|_| Fault::Unreadable)?.to_ascii_lowercase();
        let (size, packed) = (part.size(), part.compressed_size());
        sum = sum.saturating_add(size);
        let sound = matches!(part.compression(), CompressionMethod::Stored | CompressionMethod::Deflated)
            && !name.contains('\\')
            && !name.split('/').any(|step| step == "..")
            && (size <= SMALL || size <= packed.saturating_mul(HIGHEST_RATIO));
        if !sound || sum > LARGEST_SUM || !names.insert(name) {
            return Err(Fault::Unreadable);
        }
    }
    Ok(names)
}

/// The name of the main part that the list of types declares.
fn main_part(list: &[u8]) -> Result<Option<String>, Fault> {
    let mut main = None;
    each_element(list, "Types", |element| {
        let Some(kind) = attribute(element, "ContentType")? else { return Ok(()) };
        let lower = kind.to_ascii_lowercase();
        if lower.contains("macroenabled") || lower.contains("vbaproject") {
            return Err(Fault::Macros);
        }
        if kind == MAIN
            && let Some(name) = attribute(element, "PartName")?
        {
            main = Some(name.trim_start_matches('/').to_ascii_lowercase());
        }
        Ok(())
    })?;
    Ok(main)
}

/// Refuses a part that is to be loaded from elsewhere. A link that a reader follows is none, and a picture shows itself
/// at most.
fn judge_relations(list: &[u8]) -> Result<(), Fault> {
    each_element(list, "Relationships", |element| {
        let mode = attribute(element, "TargetMode")?.unwrap_or_default();
        if !mode.eq_ignore_ascii_case("external") {
            return Ok(());
        }
        let kind = attribute(element, "Type")?.unwrap_or_default();
        match kind.rsplit('/').next() {
            Some("hyperlink" | "image") => Ok(()),
            Some(_) | None => Err(Fault::Macros),
        }
    })
}

/// Calls `see` with every element of a small document that must have this root.
fn each_element(
    document: &[u8],
    root: &str,
    mut see: impl FnMut(&BytesStart<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut reader = Reader::from_reader(document);
    let mut rooted = false;
    loop {
        match reader.read_event().map_err(|_| Fault::Unreadable)? {
            Event::Start(element) | Event::Empty(element) => {
                if !rooted && element.local_name().as_ref() != root {
                    return Err(Fault::Unreadable);
                }
                rooted = true;
                see(&element)?;
            }
            // It could declare what other attributes stand for.
            Event::DocType(_) => return Err(Fault::Unreadable),
            Event::Eof => return if rooted { Ok(()) } else { Err(Fault::Unreadable) },
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

fn attribute(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, Fault> {
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|_| Fault::Unreadable)?;
        if attribute.key.local_name().as_ref() == name {
            let value = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
            return value.map(|value| Some(value.into_owned())).map_err(|_| Fault::Unreadable);
        }
    }
    Ok(None)
}
