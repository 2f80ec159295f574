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

/// Maximum depth of nested fields; more than any resume has.
const MAX_FIELD_DEPTH: usize = 64;
/// Types of relationships whose target is active content, wherever it is.
const ACTIVE_RELATIONSHIPS: [&str; 8] =
    ["oleObject", "package", "aFChunk", "control", "attachedTemplate", "vbaProject", "subDocument", "frame"];
/// Fields that load or start something.
const ACTIVE_FIELDS: [&str; 10] = [
    "DDE",
    "DDEAUTO",
    "LINK",
    "EMBED",
    "INCLUDE",
    "INCLUDETEXT",
    "INCLUDEPICTURE",
    "IMPORT",
    "DATABASE",
    "MACROBUTTON",
];

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
    let is_active =
        |name: &String| name.ends_with("vbaproject.bin") || name.contains("/activex/") || name.contains("/embeddings/");
    if names.iter().any(is_active) {
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
        } else if name.ends_with(".xml") {
            let mut content = Vec::new();
            part.by_ref().read_to_end(&mut content).map_err(|_| Rejection::Unreadable)?;
            check_content(&content)?;
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
            && !name.starts_with('/')
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
        let Some(kind) = attribute(element, "ContentType")? else {
            return Ok(());
        };
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

/// Rejects relationships to active content, such as a template or an OLE object, and those that load a part from
/// elsewhere. Only web and email links may lead outside; they load nothing until they are clicked.
fn check_relationships(list: &[u8]) -> Result<(), Rejection> {
    for_each_element(list, "Relationships", |element| {
        let kind = attribute(element, "Type")?.unwrap_or_default();
        let kind = kind.rsplit('/').next().unwrap_or_default();
        if ACTIVE_RELATIONSHIPS.iter().any(|active| kind.eq_ignore_ascii_case(active)) {
            return Err(Rejection::Macros);
        }
        let mode = attribute(element, "TargetMode")?.unwrap_or_default();
        if !mode.eq_ignore_ascii_case("external") {
            return Ok(());
        }
        let target = attribute(element, "Target")?.unwrap_or_default();
        if kind == "hyperlink" && is_ordinary_link(&target) { Ok(()) } else { Err(Rejection::Macros) }
    })
}

/// Returns true for a web, email or telephone link, also without a scheme, as some editors write them. Links to files
/// and network shares are not ordinary: opening one sends the password hash of a Windows account.
fn is_ordinary_link(target: &str) -> bool {
    let target = target.trim().to_ascii_lowercase();
    match target.split_once(':') {
        Some((scheme, _)) => matches!(scheme, "http" | "https" | "mailto" | "tel"),
        None => !target.starts_with('/') && !target.contains('\\'),
    }
}

/// Rejects a part with a document type, an embedded object, or a field that loads or starts something.
fn check_content(content: &[u8]) -> Result<(), Rejection> {
    let mut reader = Reader::from_reader(content);
    // Codes of the open fields. A code may be split over many runs, and fields may be nested.
    let mut codes = vec![String::new()];
    let mut in_code = false;
    loop {
        match reader.read_event().map_err(|_| Rejection::Unreadable)? {
            Event::Start(element) | Event::Empty(element) => match element.local_name().as_ref() {
                "instrText" => in_code = true,
                "fldSimple" => check_field(&attribute(&element, "instr")?.unwrap_or_default())?,
                "fldChar" => match attribute(&element, "fldCharType")?.as_deref() {
                    Some("begin") if codes.len() <= MAX_FIELD_DEPTH => codes.push(String::new()),
                    Some("begin") => return Err(Rejection::Unreadable),
                    Some("end") => check_field(&codes.pop().unwrap_or_default())?,
                    Some(_) | None => {}
                },
                "OLEObject" | "altChunk" | "attachedTemplate" | "control" | "subDoc" => {
                    return Err(Rejection::Macros);
                }
                _ => {}
            },
            Event::End(element) if element.local_name().as_ref() == "instrText" => in_code = false,
            Event::Text(text) if in_code => append_code(&mut codes, &text),
            Event::CData(text) if in_code => append_code(&mut codes, &text),
            Event::GeneralRef(reference) if in_code => {
                let character = reference.resolve_char_ref().map_err(|_| Rejection::Unreadable)?;
                append_code(&mut codes, character.unwrap_or(' ').encode_utf8(&mut [0; 4]));
            }
            // A document type could declare entities that change the meaning of the text.
            Event::DocType(_) => return Err(Rejection::Unreadable),
            // Also checks fields without an end.
            Event::Eof => return codes.iter().try_for_each(|code| check_field(code)),
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

fn append_code(codes: &mut Vec<String>, text: &str) {
    match codes.last_mut() {
        Some(code) => code.push_str(text),
        None => codes.push(text.to_owned()),
    }
}

/// Rejects the code of a field that loads or starts something.
fn check_field(code: &str) -> Result<(), Rejection> {
    let tokens = || code.split(|c: char| c.is_whitespace() || c == '"');
    let name = tokens().find(|token| !token.is_empty()).unwrap_or_default();
    // DDE is rejected anywhere in a code, because a nested field may build the name.
    if is_active_field(name) || tokens().any(|token| matches!(token.to_ascii_uppercase().as_str(), "DDE" | "DDEAUTO")) {
        return Err(Rejection::Macros);
    }
    Ok(())
}

/// Returns true if fields of this name load or start something.
pub(super) fn is_active_field(name: &str) -> bool {
    ACTIVE_FIELDS.iter().any(|active| name.eq_ignore_ascii_case(active))
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
            Event::Eof => {
                return if has_root { Ok(()) } else { Err(Rejection::Unreadable) };
            }
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
    let mut value = None;
    // Reads all attributes, because the reader reports a duplicate only when it reaches it. Names with another prefix
    // are duplicates, too, for readers that ignore prefixes.
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|_| Rejection::Unreadable)?;
        if attribute.key.local_name().as_ref() == name {
            let normalized = attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0);
            let normalized = normalized.map_err(|_| Rejection::Unreadable)?.into_owned();
            if value.replace(normalized).is_some() {
                return Err(Rejection::Unreadable);
            }
        }
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    const TYPES: &str = r#"<Types><Override PartName="/word/document.xml"
        ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;

    /// Checks a document with this body, and with another entry.
    fn check_document(body: &str, (name, content): (&str, &str)) -> Result<(), Rejection> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let document = format!("<w:document><w:body>{body}</w:body></w:document>");
        let parts = [("[Content_Types].xml", TYPES), ("word/document.xml", &document), (name, content)];
        for (name, content) in parts {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(content.as_bytes()).unwrap();
        }
        check(&zip.finish().unwrap().into_inner())
    }

    fn check_relationship(attributes: &str) -> Result<(), Rejection> {
        check_relationships(format!("<Relationships><Relationship {attributes}/></Relationships>").as_bytes())
    }

    #[test]
    fn s9_rejects_a_docx_with_an_absolute_entry_a_document_type_or_an_embedded_object() {
        assert_eq!(check_document("", ("word/styles.xml", "<w:styles/>")), Ok(()));
        for (body, part, rejection) in [
            ("", ("/etc/x", "x"), Rejection::Unreadable),
            ("", ("word/styles.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><w:styles/>"), Rejection::Unreadable),
            ("", ("word/embeddings/oleObject1.bin", "x"), Rejection::Macros),
            ("<w:object><o:OLEObject/></w:object>", ("a", ""), Rejection::Macros),
            ("<w:altChunk r:id='1'/>", ("a", ""), Rejection::Macros),
        ] {
            assert_eq!(check_document(body, part), Err(rejection), "{body} {part:?}");
        }
    }

    #[test]
    fn s9_rejects_external_targets_except_ordinary_links() {
        for (attributes, want) in [
            (r#"Type="a/hyperlink" Target="https://x.example" TargetMode="External""#, Ok(())),
            (r#"Type="a/hyperlink" Target="mailto:a@b.example" TargetMode="External""#, Ok(())),
            (r#"Type="a/hyperlink" Target="www.x.example" TargetMode="External""#, Ok(())),
            (r#"Type="a/image" Target="media/image1.png""#, Ok(())),
            (r#"Type="a/image" Target="\\evil.example\a.png" TargetMode="External""#, Err(Rejection::Macros)),
            (r#"Type="a/hyperlink" Target="\\evil.example\a" TargetMode="External""#, Err(Rejection::Macros)),
            (r#"Type="a/hyperlink" Target="file://evil.example/a" TargetMode="External""#, Err(Rejection::Macros)),
            (r#"Type="a/oleObject" Target="embeddings/a.bin""#, Err(Rejection::Macros)),
            (r#"Type="a/image" Target="x" TargetMode="Internal" TargetMode="External""#, Err(Rejection::Unreadable)),
        ] {
            assert_eq!(check_relationship(attributes), want, "{attributes}");
        }
    }

    #[test]
    fn s9_rejects_fields_that_load_or_start_something() {
        let begin = r#"<w:r><w:fldChar w:fldCharType="begin"/></w:r>"#;
        let end = r#"<w:r><w:fldChar w:fldCharType="end"/></w:r>"#;
        let run = |text: &str| format!("<w:r><w:instrText>{text}</w:instrText></w:r>");
        for (body, want) in [
            (format!("{begin}{}{end}", run(" HYPERLINK \"https://x.example/dde\" ")), Ok(())),
            (format!("{begin}{}{end}<w:fldSimple w:instr=\"PAGE\"/>", run(" NUMPAGES ")), Ok(())),
            ("<w:r><w:t>DDEAUTO cmd</w:t></w:r>".to_owned(), Ok(())),
            (format!("{begin}{}{end}", run("DDEAUTO c:\\\\a.exe")), Err(Rejection::Macros)),
            (format!("{begin}{}{}{end}", run("DD"), run("E&#65;UTO c:\\\\a.exe")), Err(Rejection::Macros)),
            (
                format!("{begin}{}{begin}{}{end}{}{end}", run("DDE"), run("QUOTE 1"), run("AUTO a")),
                Err(Rejection::Macros),
            ),
            (format!("{begin}{}", run("dde a")), Err(Rejection::Macros)),
            ("<w:fldSimple w:instr=' ddeauto a b'/>".to_owned(), Err(Rejection::Macros)),
            ("<w:fldSimple w:instr='INCLUDETEXT \"http://x.example\"'/>".to_owned(), Err(Rejection::Macros)),
        ] {
            assert_eq!(check_content(body.as_bytes()), want, "{body}");
            assert_eq!(check_document(&body, ("a", "")), want, "{body}");
        }
    }
}
