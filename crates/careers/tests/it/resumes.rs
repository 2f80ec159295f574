//! Which files are taken as a resume.

use rpc::careers::v1::download_own_resume_response::Part;
use rpc::careers::v1::{ApplicationForm, DownloadOwnResumeRequest};
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use tonic::Code;

use crate::fixtures::{archive, doc_with, docx_with, encrypted_docx, pdf, pdf_of, pdf_with, relations};
use crate::{Careers, fields, form, key, reason};

const LARGEST: usize = 5_242_880;

fn named(file_name: &str) -> ApplicationForm {
    ApplicationForm { file_name: file_name.to_owned(), ..form() }
}

/// [5A-06] [9A-01]
#[sqlx::test(migrations = "../../migrations")]
async fn a_pdf_a_doc_and_a_docx_are_kept_as_they_were_sent(pool: PgPool) {
    let careers = Careers::new(&pool);
    for (file_name, resume) in [
        ("resume.pdf", pdf()),
        ("Resume.PDF", pdf_of(LARGEST)),
        ("resume.docx", docx_with(&[])),
        ("resume.doc", doc_with(0, &[])),
    ] {
        let taken =
            careers.apply(named(file_name), &resume).await.unwrap_or_else(|status| panic!("{file_name}: {status}"));
        assert_eq!(taken.resume_sha256, Sha256::digest(&resume).to_vec(), "{file_name}");
        let Some(letter) = careers.letters().await.pop() else { continue };
        let request = DownloadOwnResumeRequest { key: key(&letter) };
        let mut parts = careers.client.clone().download_own_resume(request).await.unwrap().into_inner();
        let Some(Part::Head(head)) = parts.message().await.unwrap().unwrap().part else { panic!("no head") };
        assert_eq!((head.file_name.as_str(), head.sha256), (file_name, taken.resume_sha256));
        let mut back = Vec::new();
        while let Some(part) = parts.message().await.unwrap() {
            let Some(Part::Chunk(chunk)) = part.part else { panic!("no chunk") };
            assert!(chunk.len() <= 256 * 1024);
            back.extend(chunk);
        }
        assert!(back == resume, "{file_name}");
    }
    assert_eq!(careers.files().len(), 4);
}

#[sqlx::test(migrations = "../../migrations")]
async fn one_byte_more_than_five_mebibytes_is_too_large(pool: PgPool) {
    let careers = Careers::new(&pool);
    let refused = careers.apply(form(), &pdf_of(LARGEST + 1)).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused)), (Code::OutOfRange, "RESUME_TOO_LARGE".to_owned()));
    assert_eq!(refused.message(), "File size must be less than 5MB.");
    assert_eq!(careers.files(), Vec::<String>::new());
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_file_that_is_no_sound_resume_is_refused_with_the_reason(pool: PgPool) {
    let careers = Careers::new(&pool);
    let template = relations("http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate");
    let macro_types = br#"<Types><Override PartName="/word/document.xml"
        ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>"#;
    let bomb = vec![0; 80 * 1024 * 1024];
    let mut locked = pdf_with(b"x");
    locked.truncate(locked.len() - 6);
    let behind = |resume: Vec<u8>, more: &[u8]| [resume, more.to_vec()].concat();
    let cut = |mut resume: Vec<u8>| {
        resume.truncate(resume.len() / 2);
        resume
    };
    for (file_name, resume, want) in [
        ("a.pdf", cut(pdf_of(4_000)), "RESUME_UNREADABLE"),
        ("a.docx", cut(docx_with(&[])), "RESUME_UNREADABLE"),
        ("a.doc", cut(doc_with(0, &[])), "RESUME_UNREADABLE"),
        ("a.docx", docx_with(&[("word/media/image.bmp", &bomb)]), "RESUME_UNREADABLE"),
        ("a.docx", docx_with(&[("../evil", b"x")]), "RESUME_UNREADABLE"),
        ("a.docx", docx_with(&[("_rels/.rels", b"<!DOCTYPE a><Relationships/>")]), "RESUME_UNREADABLE"),
        ("a.pdf", docx_with(&[]), "RESUME_MISLABELLED"),
        ("a.docx", pdf(), "RESUME_MISLABELLED"),
        ("a.doc", pdf(), "RESUME_MISLABELLED"),
        ("a.pdf", b"MZ\x90 a program".to_vec(), "RESUME_MISLABELLED"),
        ("a.docx", archive(&[("classes.dex", b"x")]), "RESUME_MISLABELLED"),
        ("a.doc", doc_with(0, &[]).len().to_string().into_bytes(), "RESUME_MISLABELLED"),
        ("a.doc", encrypted_docx(), "RESUME_ENCRYPTED"),
        ("a.pdf", behind(pdf(), &archive(&[("a", b"b")])), "RESUME_MISLABELLED"),
        ("a.pdf", pdf_with(&[archive(&[("a", b"b")]), b"\n".to_vec()].concat()), "RESUME_MISLABELLED"),
        ("a.pdf", pdf_with(b"<HTML><script>alert(1)</script>"), "RESUME_MISLABELLED"),
        ("a.docx", behind(b"%PDF-1.7\n".to_vec(), &docx_with(&[])), "RESUME_MISLABELLED"),
        ("a.docx", behind(docx_with(&[]), b"more"), "RESUME_MISLABELLED"),
        ("a.doc", behind(doc_with(0, &[]), &archive(&[("a", b"b")])), "RESUME_MISLABELLED"),
        ("a.pdf", behind(locked, b"\ntrailer\n<< /Encrypt 12 0 R >>\n%%EOF\n"), "RESUME_ENCRYPTED"),
        ("a.docx", encrypted_docx(), "RESUME_ENCRYPTED"),
        ("a.doc", doc_with(0x0100, &[]), "RESUME_ENCRYPTED"),
        ("a.doc", doc_with(0, &["/Macros"]), "RESUME_HAS_MACROS"),
        ("a.docx", docx_with(&[("word/vbaProject.bin", b"x")]), "RESUME_HAS_MACROS"),
        ("a.docx", docx_with(&[("[Content_Types].xml", macro_types)]), "RESUME_HAS_MACROS"),
        ("a.docx", docx_with(&[("word/_rels/settings.xml.rels", template.as_bytes())]), "RESUME_HAS_MACROS"),
    ] {
        let start = String::from_utf8_lossy(&resume[..resume.len().min(12)]).into_owned();
        let refused =
            careers.apply(named(file_name), &resume).await.expect_err(&format!("{file_name} {start:?} {want}"));
        assert_eq!(reason(&refused), want, "{file_name} {start:?}");
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert_eq!(fields(&refused), [("resume".to_owned(), want.to_owned())]);
    }
    assert_eq!(careers.files(), Vec::<String>::new());
    assert_eq!(careers.count("application").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_missing_empty_or_foreign_file_is_named(pool: PgPool) {
    let careers = Careers::new(&pool);
    for (file_name, resume, want) in [
        ("", b"".as_slice(), "REQUIRED"),
        ("resume.pdf", b"", "EMPTY"),
        ("resume.exe", b"MZ", "UNKNOWN"),
        ("resume", b"%PDF-1.7", "UNKNOWN"),
    ] {
        let refused = careers.apply(named(file_name), resume).await.unwrap_err();
        assert_eq!(fields(&refused), [("resume".to_owned(), want.to_owned())], "{file_name}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_child_that_dies_or_says_what_it_should_not_costs_the_file_alone(pool: PgPool) {
    for program in ["/bin/false", "/bin/echo", "/bin/true", "/bin/cat"] {
        let careers = Careers::with(&pool, |settings| settings.child = program.into());
        let refused = careers.apply(form(), &pdf()).await.unwrap_err();
        assert_eq!(reason(&refused), "RESUME_UNREADABLE", "{program}");
    }
}
