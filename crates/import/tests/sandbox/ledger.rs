//! Import of ledgers.

use rpc::imports::v1::import_ledger_request::Part as LedgerPart;
use rpc::imports::v1::{ImportLedgerRequest, ImportLedgerResponse, LedgerOptions};
use tonic::Code;

use super::fixtures::ledgers::{zerodha_csv, zerodha_sheet};
use super::fixtures::{tradebook, xlsx};
use super::*;

impl ImportService {
    async fn import_ledger(
        &self,
        token: Option<&str>,
        options: LedgerOptions,
        file: &[u8],
    ) -> Result<ImportLedgerResponse, Status> {
        let chunks = file.chunks(CHUNK_BYTES).map(|chunk| LedgerPart::Chunk(chunk.to_vec()));
        let parts = chunks.chain([LedgerPart::Options(options)]).map(|part| ImportLedgerRequest { part: Some(part) });
        let mut request = Request::new(tokio_stream::iter(parts.collect::<Vec<_>>()));
        if let Some(token) = token {
            request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        }
        self.client.clone().import_ledger(request).await.map(tonic::Response::into_inner)
    }
}

fn named(file_name: &str) -> LedgerOptions {
    LedgerOptions { file_name: file_name.to_owned(), ..LedgerOptions::default() }
}

#[tokio::test]
async fn sends_the_entries_with_the_client_code_of_the_file() {
    let service = ImportService::new();
    let response =
        service.import_ledger(Some("token"), named("ledger-AB1234.csv"), zerodha_csv().as_bytes()).await.unwrap();
    assert_eq!(
        [&*response.format, &response.from, &response.to, &response.closing_balance],
        ["zerodha-ledger", "2026-04-01", "2026-05-05", "7451.2844"]
    );
    let options = LedgerOptions { broker_account: 2, preview: true, ..named("\u{202e}l.xlsx") };
    service.import_ledger(Some("token"), options, &xlsx(&[zerodha_sheet()])).await.unwrap();
    let ledgers = service.trade_log.ledgers.lock().unwrap().clone();
    let sent = ledgers.iter().map(|ledger| {
        (
            ledger.client_code.as_str(),
            ledger.broker_account,
            ledger.preview,
            ledger.file_name.as_str(),
            ledger.entries.len(),
        )
    });
    assert_eq!(
        sent.collect::<Vec<_>>(),
        [("AB1234", 0, false, "ledger-AB1234.csv", 12), ("AB1234", 2, true, "l.xlsx", 12)]
    );
    let anonymous = service.import_ledger(None, named("l.csv"), zerodha_csv().as_bytes()).await.unwrap_err();
    assert_eq!(anonymous.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn rejects_other_files_and_sends_nothing() {
    let service = ImportService::new();
    for (file, code) in [
        (xlsx(&[tradebook()]), "FILE_NOT_SUPPORTED"),
        (zerodha_csv().replace("88.5", "88.6").into_bytes(), "LEDGER_BALANCE"),
        (zerodha_csv().replace("2026-04-06", "x").into_bytes(), "LEDGER_ROW"),
        (Vec::new(), "FILE_EMPTY"),
        (b"PK\x03\x04 no zip".to_vec(), "FILE_UNREADABLE"),
        (vec![b'\n'; (32 << 20) + 1], "FILE_TOO_LARGE"),
    ] {
        let status = service.import_ledger(Some("token"), named("l.csv"), &file).await.unwrap_err();
        assert_eq!(reason(&status), code);
    }
    // The output for trades, no output, and invalid output.
    for script_text in [format!("exec {PARSER} parse-file"), "exit 0".to_owned(), "echo rubbish".to_owned()] {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings { parser_program: script(dir.path(), &script_text), ..Settings::default() };
        let service = ImportService::with(settings, FakeTradeLog::default());
        let file = xlsx(&[tradebook()]);
        let status = service.import_ledger(Some("token"), named("l.csv"), &file).await.unwrap_err();
        assert_eq!(reason(&status), "FILE_UNREADABLE", "{script_text}");
        assert!(service.trade_log.ledgers.lock().unwrap().is_empty());
    }
    assert!(service.trade_log.ledgers.lock().unwrap().is_empty());
}
