//! Layouts of contract notes with names and numbers masked, with a real parser process.

use std::time::Duration;

use import::Settings;
use rpc::imports::v1::redact_layout_request::Part;
use rpc::imports::v1::{RedactLayoutOptions, RedactLayoutRequest};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt;

use super::fake_trade_log::FakeTradeLog;
use super::pdf_fixtures::contract_notes::{Layout, Misprint, Note, document, file, note};
use super::pdf_fixtures::documents::{Encryption, save_encrypted};
use super::{CHUNK_BYTES, ImportService, SHORT_TIME, reason, script};

const PAN: &str = "ABCDE1234F";

impl ImportService {
    /// Returns the layout of a file. The options are sent after it.
    pub(crate) async fn layout(&self, password: &str, file: &[u8]) -> Result<String, Status> {
        let chunks = file.chunks(CHUNK_BYTES).map(|chunk| Part::Chunk(chunk.to_vec()));
        let parts = chunks.chain([Part::Options(RedactLayoutOptions { password: password.to_owned() })]);
        let messages: Vec<_> = parts.map(|part| RedactLayoutRequest { part: Some(part) }).collect();
        let mut request = Request::new(tokio_stream::iter(messages));
        request.metadata_mut().insert("authorization", "Bearer token".parse().unwrap());
        Ok(self.client.clone().redact_layout(request).await?.into_inner().text)
    }
}

#[tokio::test]
async fn a_rejected_note_has_a_layout_and_nothing_is_stored() {
    let service = ImportService::new();
    let note = Note { misprint: Some(Misprint::Net), ..note(Layout::Zerodha, 7, "05-06-2026", 12) };
    let status = service.import(super::equity(), &file(&note)).await.unwrap_err();
    assert_eq!(status.get_details_error_info().unwrap().metadata["cause"], "NOTE_CHECK_FAILED");
    let text = service.layout("", &file(&note)).await.unwrap();
    assert!(text.contains("{30-115}Zerodha Broking Limited\n") && !text.contains("RELIANCE"), "{text}");
    assert!(service.trade_log.recorded().is_empty());
}

#[tokio::test]
async fn an_encrypted_note_needs_its_password() {
    let service = ImportService::new();
    let file = save_encrypted(document(&[note(Layout::Groww, 7, "05-06-2026", 12)]), Encryption::Aes256Revision6, PAN);
    for password in ["", "ABCDE1234G"] {
        let status = service.layout(password, &file).await.unwrap_err();
        assert_eq!((status.code(), reason(&status).as_str()), (Code::InvalidArgument, "FILE_PASSWORD_NEEDED"));
    }
    assert!(service.layout(PAN, &file).await.unwrap().contains("{page 1}"));
    let status = service.layout(&"x".repeat(128), &file).await.unwrap_err();
    assert_eq!(reason(&status), "INVALID");
}

#[tokio::test]
async fn rejects_other_files_and_files_above_the_limit() {
    let service = ImportService::new();
    for (file, code) in [
        (Vec::new(), "FILE_EMPTY"),
        (b"a,b\n1,2\n".to_vec(), "FILE_NOT_SUPPORTED"),
        (b"PK\x03\x04 no zip".to_vec(), "FILE_UNREADABLE"),
        (vec![b'x'; (32 << 20) + 1], "FILE_TOO_LARGE"),
    ] {
        assert_eq!(reason(&service.layout("", &file).await.unwrap_err()), code);
    }
}

#[tokio::test]
async fn a_caller_without_a_token_is_rejected() {
    let request = Request::new(tokio_stream::iter(Vec::<RedactLayoutRequest>::new()));
    let status = ImportService::new().client.clone().redact_layout(request).await.unwrap_err();
    assert_eq!(status.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn ends_a_slow_parser_and_rejects_the_output_of_a_broken_one() {
    let dir = tempfile::tempdir().unwrap();
    let parse_timeout = SHORT_TIME;
    let note = file(&note(Layout::Groww, 7, "05-06-2026", 12));
    for text in ["exec sleep 30", "printf garbage", "true"] {
        let folder = dir.path().join(text.replace(' ', "-"));
        std::fs::create_dir(&folder).unwrap();
        let settings = Settings { parser_program: script(&folder, text), parse_timeout, ..Settings::default() };
        let service = ImportService::with(settings, FakeTradeLog::default());
        let result = tokio::time::timeout(Duration::from_secs(10), service.layout("", &note)).await.unwrap();
        assert_eq!(reason(&result.unwrap_err()), "FILE_UNREADABLE", "{text}");
    }
}
