//! Tests of the check of resumes.

use rpc::careers::v1::download_own_resume_response::Part;
use rpc::careers::v1::{ApplicationForm, DownloadOwnResumeRequest};
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;
use tonic::Code;

use crate::fixtures::{archive, doc_with, docx_with, encrypted_docx, pdf, pdf_with, pdf_with_size, relationships};
use crate::{Careers, access_key, form, reason, violations};

const MAX_RESUME_BYTES: usize = 5_242_880;

fn form_with_file(file_name: &str) -> ApplicationForm {
    ApplicationForm { file_name: file_name.to_owned(), ..form() }
}

/// [5A-06] [9A-01]
#[sqlx::test(migrations = "../../migrations")]
async fn pdf_doc_and_docx_files_are_stored_unchanged(pool: PgPool) {
    let careers = Careers::new(&pool);
    for (file_name, resume) in [
        ("resume.pdf", pdf()),
        ("Resume.PDF", pdf_with_size(MAX_RESUME_BYTES)),
        ("resume.docx", docx_with(&[])),
        ("resume.doc", doc_with(0, &[])),
    ] {
        let response = careers
            .apply(form_with_file(file_name), &resume)
            .await
            .unwrap_or_else(|status| panic!("{file_name}: {status}"));
        assert_eq!(response.resume_sha256, Sha256::digest(&resume).to_vec(), "{file_name}");
        let Some(email) = careers.emails().await.pop() else { continue };
        let request = DownloadOwnResumeRequest { key: access_key(&email) };
        let mut parts = careers.client.clone().download_own_resume(request).await.unwrap().into_inner();
        let Some(Part::Head(head)) = parts.message().await.unwrap().unwrap().part else { panic!("no head") };
        assert_eq!((head.file_name.as_str(), head.sha256), (file_name, response.resume_sha256));
        let mut downloaded = Vec::new();
        while let Some(part) = parts.message().await.unwrap() {
            let Some(Part::Chunk(chunk)) = part.part else { panic!("no chunk") };
            assert!(chunk.len() <= 256 * 1024);
            downloaded.extend(chunk);
        }
        assert!(downloaded == resume, "{file_name}");
    }
    assert_eq!(careers.resume_files().len(), 4);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_a_resume_above_the_size_limit(pool: PgPool) {
    let careers = Careers::new(&pool);
    let rejected = careers.apply(form(), &pdf_with_size(MAX_RESUME_BYTES + 1)).await.unwrap_err();
    assert_eq!((rejected.code(), reason(&rejected)), (Code::OutOfRange, "RESUME_TOO_LARGE".to_owned()));
    assert_eq!(violations(&rejected), [("chunk".to_owned(), "RESUME_TOO_LARGE".to_owned())]);
    assert_eq!(careers.resume_files(), Vec::<String>::new());
}

#[sqlx::test(migrations = "../../migrations")]
async fn s9_rejects_an_invalid_file_with_the_reason(pool: PgPool) {
    let careers = Careers::new(&pool);
    let template =
        relationships("http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate");
    let macro_types = br#"<Types><Override PartName="/word/document.xml"
        ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>"#;
    let zip_bomb = vec![0; 80 * 1024 * 1024];
    let mut without_end = pdf_with(b"x");
    without_end.truncate(without_end.len() - 6);
    let append = |resume: Vec<u8>, suffix: &[u8]| [resume, suffix.to_vec()].concat();
    let truncate = |mut resume: Vec<u8>| {
        resume.truncate(resume.len() / 2);
        resume
    };
    for (file_name, resume, want) in [
        ("a.pdf", truncate(pdf_with_size(4_000)), "RESUME_UNREADABLE"),
        ("a.docx", truncate(docx_with(&[])), "RESUME_UNREADABLE"),
        ("a.doc", truncate(doc_with(0, &[])), "RESUME_UNREADABLE"),
        ("a.docx", docx_with(&[("word/media/image.bmp", &zip_bomb)]), "RESUME_UNREADABLE"),
        ("a.docx", docx_with(&[("../evil", b"x")]), "RESUME_UNREADABLE"),
        ("a.docx", docx_with(&[("_rels/.rels", b"<!DOCTYPE a><Relationships/>")]), "RESUME_UNREADABLE"),
        ("a.pdf", docx_with(&[]), "RESUME_MISLABELLED"),
        ("a.docx", pdf(), "RESUME_MISLABELLED"),
        ("a.doc", pdf(), "RESUME_MISLABELLED"),
        ("a.pdf", b"MZ\x90 a program".to_vec(), "RESUME_MISLABELLED"),
        ("a.docx", archive(&[("classes.dex", b"x")]), "RESUME_MISLABELLED"),
        ("a.doc", doc_with(0, &[]).len().to_string().into_bytes(), "RESUME_MISLABELLED"),
        ("a.doc", encrypted_docx(), "RESUME_ENCRYPTED"),
        ("a.pdf", append(pdf(), &archive(&[("a", b"b")])), "RESUME_MISLABELLED"),
        ("a.pdf", pdf_with(&[archive(&[("a", b"b")]), b"\n".to_vec()].concat()), "RESUME_MISLABELLED"),
        ("a.pdf", pdf_with(b"<HTML><script>alert(1)</script>"), "RESUME_MISLABELLED"),
        ("a.docx", append(b"%PDF-1.7\n".to_vec(), &docx_with(&[])), "RESUME_MISLABELLED"),
        ("a.docx", append(docx_with(&[]), b"more"), "RESUME_MISLABELLED"),
        ("a.doc", append(doc_with(0, &[]), &archive(&[("a", b"b")])), "RESUME_MISLABELLED"),
        ("a.pdf", append(without_end, b"\ntrailer\n<< /Encrypt 12 0 R >>\n%%EOF\n"), "RESUME_ENCRYPTED"),
        ("a.docx", encrypted_docx(), "RESUME_ENCRYPTED"),
        ("a.doc", doc_with(0x0100, &[]), "RESUME_ENCRYPTED"),
        ("a.doc", doc_with(0, &["/Macros"]), "RESUME_HAS_MACROS"),
        ("a.doc", doc_with(0, &["/ObjectPool", "/ObjectPool/_1"]), "RESUME_HAS_MACROS"),
        ("a.pdf", pdf_with(b"\n2 0 obj << /S /Java#53cript /JS (app.alert\\(1\\)) >> endobj"), "RESUME_HAS_MACROS"),
        ("a.docx", docx_with(&[("word/vbaProject.bin", b"x")]), "RESUME_HAS_MACROS"),
        ("a.docx", docx_with(&[("[Content_Types].xml", macro_types)]), "RESUME_HAS_MACROS"),
        ("a.docx", docx_with(&[("word/_rels/settings.xml.rels", template.as_bytes())]), "RESUME_HAS_MACROS"),
    ] {
        let start = String::from_utf8_lossy(&resume[..resume.len().min(12)]).into_owned();
        let rejected = careers
            .apply(form_with_file(file_name), &resume)
            .await
            .expect_err(&format!("{file_name} {start:?} {want}"));
        assert_eq!(reason(&rejected), want, "{file_name} {start:?}");
        assert_eq!(rejected.code(), Code::InvalidArgument);
        assert_eq!(violations(&rejected), [("chunk".to_owned(), want.to_owned())]);
    }
    assert_eq!(careers.resume_files(), Vec::<String>::new());
    assert_eq!(careers.count("application").await, 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_a_missing_file_an_empty_file_and_an_unknown_format(pool: PgPool) {
    let careers = Careers::new(&pool);
    for (file_name, resume, field, want) in [
        ("", b"".as_slice(), "form.file_name", "REQUIRED"),
        ("resume.pdf", b"", "chunk", "EMPTY"),
        ("resume.exe", b"MZ", "form.file_name", "UNKNOWN"),
        ("resume", b"%PDF-1.7", "form.file_name", "UNKNOWN"),
    ] {
        let rejected = careers.apply(form_with_file(file_name), resume).await.unwrap_err();
        assert_eq!(violations(&rejected), [(field.to_owned(), want.to_owned())], "{file_name}");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_the_resume_if_the_parser_process_fails_or_returns_unknown_output(pool: PgPool) {
    for program in ["/bin/false", "/bin/echo", "/bin/true", "/bin/cat"] {
        let careers = Careers::with(&pool, |settings| settings.parser_program = program.into());
        let rejected = careers.apply(form(), &pdf()).await.unwrap_err();
        assert_eq!(reason(&rejected), "RESUME_UNREADABLE", "{program}");
    }
}
