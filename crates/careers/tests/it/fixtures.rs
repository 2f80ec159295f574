//! Valid and invalid resumes.

use std::io::{Cursor, Write as _};

use cfb::CompoundFile as OleFile;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const TYPES: &str = r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
const HYPERLINK: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink";

/// Creates a PDF that contains `content`.
pub fn pdf_with(content: &[u8]) -> Vec<u8> {
    let head = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /EncryptMetadata false >>\nendobj\n%".as_slice();
    [head, content, b"\ntrailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF\n"].concat()
}

pub fn pdf() -> Vec<u8> {
    pdf_with(b"Asha Rao, trader of ledgers")
}

/// Creates a PDF of exactly this size.
pub fn pdf_with_size(bytes: usize) -> Vec<u8> {
    pdf_with(&vec![b'x'; bytes - pdf_with(b"").len()])
}

/// Creates a DOCX with a hyperlink. `parts` are added, or replace parts of the same name.
pub fn docx_with(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let rels = relationships(HYPERLINK);
    let default_parts: [(&str, &[u8]); 4] = [
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("_rels/.rels", b"<Relationships/>"),
        ("word/document.xml", b"<w:document/>"),
        ("word/_rels/document.xml.rels", rels.as_bytes()),
    ];
    let is_replaced = |name: &str| parts.iter().any(|(part, _)| *part == name);
    archive(
        &default_parts
            .into_iter()
            .filter(|(name, _)| !is_replaced(name))
            .chain(parts.iter().copied())
            .collect::<Vec<_>>(),
    )
}

pub fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns a relationship list with one external relationship of this kind.
pub fn relationships(kind: &str) -> String {
    format!(
        r#"<Relationships><Relationship Id="1" Type="{kind}" Target="http://x.example/" TargetMode="Ex&#116;ernal"/></Relationships>"#
    )
}

/// Creates a DOC with these flags in its header and these additional storages.
pub fn doc_with(flags: u16, storages: &[&str]) -> Vec<u8> {
    let mut file = OleFile::create(Cursor::new(Vec::new())).unwrap();
    let mut header = vec![0; 4096];
    header[..2].copy_from_slice(&0xA5EC_u16.to_le_bytes());
    header[10..12].copy_from_slice(&flags.to_le_bytes());
    file.create_stream("/WordDocument").unwrap().write_all(&header).unwrap();
    for storage in storages {
        file.create_storage(storage).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}

/// Creates a DOCX with a password.
pub fn encrypted_docx() -> Vec<u8> {
    let mut file = OleFile::create(Cursor::new(Vec::new())).unwrap();
    file.create_stream("/EncryptedPackage").unwrap().write_all(b"secret").unwrap();
    file.flush().unwrap();
    file.into_inner().into_inner()
}
