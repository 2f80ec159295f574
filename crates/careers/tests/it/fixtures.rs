//! Resumes, sound and unsound.

use std::io::{Cursor, Write as _};

use cfb::CompoundFile;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const TYPES: &str = r#"<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
const LINK: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink";

/// A PDF with this much in it beside the frame.
pub fn pdf_with(filling: &[u8]) -> Vec<u8> {
    let head = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /EncryptMetadata false >>\nendobj\n%".as_slice();
    [head, filling, b"\ntrailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF\n"].concat()
}

pub fn pdf() -> Vec<u8> {
    pdf_with(b"Asha Rao, trader of ledgers")
}

/// A PDF of exactly so many bytes.
pub fn pdf_of(bytes: usize) -> Vec<u8> {
    pdf_with(&vec![b'x'; bytes - pdf_with(b"").len()])
}

/// A DOCX with a link that a reader follows, and these parts beside or instead of its own.
pub fn docx_with(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let rels = relations(LINK);
    let own: [(&str, &[u8]); 4] = [
        ("[Content_Types].xml", TYPES.as_bytes()),
        ("_rels/.rels", b"<Relationships/>"),
        ("word/document.xml", b"<w:document/>"),
        ("word/_rels/document.xml.rels", rels.as_bytes()),
    ];
    let replaced = |name: &str| parts.iter().any(|(part, _)| *part == name);
    archive(&own.into_iter().filter(|(name, _)| !replaced(name)).chain(parts.iter().copied()).collect::<Vec<_>>())
}

pub fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A list of relations with one to elsewhere, of this kind.
pub fn relations(kind: &str) -> String {
    format!(
        r#"<Relationships><Relationship Id="1" Type="{kind}" Target="http://x.example/" TargetMode="Ex&#116;ernal"/></Relationships>"#
    )
}

/// A DOC with these flags in its head and these parts beside its main one.
pub fn doc_with(flags: u16, storages: &[&str]) -> Vec<u8> {
    let mut file = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    let mut head = vec![0; 4096];
    head[..2].copy_from_slice(&0xA5EC_u16.to_le_bytes());
    head[10..12].copy_from_slice(&flags.to_le_bytes());
    file.create_stream("/WordDocument").unwrap().write_all(&head).unwrap();
    for storage in storages {
        file.create_storage(storage).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}

/// A newer document behind a password.
pub fn encrypted_docx() -> Vec<u8> {
    let mut file = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    file.create_stream("/EncryptedPackage").unwrap().write_all(b"secret").unwrap();
    file.flush().unwrap();
    file.into_inner().into_inner()
}
