//! Tests of the import service with a real parser process and a fake trade log.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may panic; clippy allows it only in test functions"
)]

mod fake_trade_log;
#[path = "../../src/tests/fixtures/mod.rs"]
#[allow(dead_code, reason = "only the unit tests use all fixtures")]
mod fixtures;
mod hostile;
mod hostile_files;
mod hostile_pdf;
mod inspection;
mod layout;
mod ledger;
#[path = "../../src/tests/pdf_fixtures/mod.rs"]
#[allow(dead_code, reason = "only the unit tests use all fixtures")]
mod pdf_fixtures;
mod profit_report;
mod service;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fake_trade_log::FakeTradeLog;
use import::Settings;
use rpc::caller::{Caller, Trader};
use rpc::imports::v1::import_file_request::Part;
use rpc::imports::v1::import_service_client::ImportServiceClient;
use rpc::imports::v1::{ImportFileRequest, ImportFileResponse, ImportOptions};
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::{Book, Broker, Segment};
use rpc::transport;
use tonic::service::interceptor::InterceptedService;
use tonic::{Request, Status};
use tonic_types::StatusExt;
use uuid::Uuid;

/// Program of the parser process.
const PARSER: &str = env!("CARGO_BIN_EXE_parse-file");
const CHUNK_BYTES: usize = 256 * 1024;

/// Import service with a fake trade log.
struct ImportService {
    trade_log: FakeTradeLog,
    client: ImportServiceClient<transport::Transport>,
}

impl ImportService {
    fn new() -> Self {
        Self::with(Settings { parser_program: PathBuf::from(PARSER), ..Settings::default() }, FakeTradeLog::default())
    }

    fn with(settings: Settings, trade_log: FakeTradeLog) -> Self {
        let trades = TradesServiceClient::new(transport::local(trade_log.server()));
        let server = import::server(settings, trades);
        // Replaces the verifier of access tokens: the token is the account id.
        let authenticate = |mut request: Request<()>| {
            if let Some(token) = request.metadata().get("authorization") {
                let account = token.to_str().ok().and_then(|token| token.strip_prefix("Bearer ")?.parse().ok());
                let (name, email) = ("A Trader".to_owned(), "trader@example.com".to_owned());
                request.extensions_mut().insert(Caller::from(Trader {
                    account_id: account.unwrap_or_default(),
                    session_id: Uuid::nil(),
                    name,
                    email,
                    email_confirmed: true,
                }));
            }
            Ok(request)
        };
        let client = ImportServiceClient::new(transport::local(InterceptedService::new(server, authenticate)));
        Self { trade_log, client }
    }

    /// Imports a file: sends the options first, then the chunks.
    async fn import(&self, options: ImportOptions, file: &[u8]) -> Result<ImportFileResponse, Status> {
        self.import_as("token", options, file).await
    }

    /// Imports a file with an access token, which is the account id.
    async fn import_as(&self, token: &str, options: ImportOptions, file: &[u8]) -> Result<ImportFileResponse, Status> {
        let options = ImportFileRequest { part: Some(Part::Options(options)) };
        self.send_as(token, std::iter::once(options).chain(chunks(file)).collect()).await
    }

    async fn send(&self, parts: Vec<ImportFileRequest>) -> Result<ImportFileResponse, Status> {
        self.send_as("token", parts).await
    }

    async fn send_as(&self, token: &str, parts: Vec<ImportFileRequest>) -> Result<ImportFileResponse, Status> {
        let mut request = Request::new(tokio_stream::iter(parts));
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        self.client.clone().import_file(request).await.map(tonic::Response::into_inner)
    }
}

fn chunks(file: &[u8]) -> impl Iterator<Item = ImportFileRequest> {
    file.chunks(CHUNK_BYTES).map(|chunk| ImportFileRequest { part: Some(Part::Chunk(chunk.to_vec())) })
}

fn book(broker: Broker, segment: Segment) -> Book {
    Book { broker: broker.into(), segment: segment.into(), ..Book::default() }
}

fn options(broker: Broker, segment: Segment) -> ImportOptions {
    ImportOptions {
        idempotency_key: Default::default(),
        book: Some(book(broker, segment)),
        file_name: "report.xlsx".to_owned(),
        password: String::new(),
        confirm: false,
    }
}

fn equity() -> ImportOptions {
    options(Broker::Zerodha, Segment::Equity)
}

/// Returns the reason code of a failure.
fn reason(status: &Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

/// Writes a shell script to use as the parser program.
///
/// Another process writes it: a process started by a parallel test could inherit a descriptor opened here, and a file that
/// is open for writing cannot be executed.
fn script(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("parser");
    let write = ["-c", "printf '#!/bin/sh\n%s\n' \"$1\" > \"$0\" && chmod 755 \"$0\""];
    assert!(Command::new("sh").args(write).arg(&path).arg(text).status().unwrap().success());
    path
}

const SHORT_TIME: Duration = Duration::from_millis(300);
