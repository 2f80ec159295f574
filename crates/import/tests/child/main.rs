//! Files through the whole service: a real child, a trade log that only counts.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail; clippy knows so of functions marked as tests alone"
)]

#[path = "../../src/tests/fixtures/mod.rs"]
#[allow(dead_code, reason = "some shapes are for the unit tests alone")]
mod fixtures;
mod hostile;
mod hostile_files;
mod inspection;
mod log;
mod report;
mod service;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use import::Settings;
use log::Log;
use rpc::caller::{Caller, Trader};
use rpc::imports::v1::import_file_request::Part;
use rpc::imports::v1::import_service_client::ImportServiceClient;
use rpc::imports::v1::{Choice, ImportFileRequest, ImportFileResponse};
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::trades::v1::{Book, Broker, Segment};
use rpc::transport;
use tonic::service::interceptor::InterceptedService;
use tonic::{Request, Status};
use tonic_types::StatusExt;
use uuid::Uuid;

const CHILD: &str = env!("CARGO_BIN_EXE_parse-file");
const CHUNK: usize = 256 * 1024;

/// The import service in front of a trade log.
struct Product {
    log: Log,
    client: ImportServiceClient<transport::Transport>,
}

impl Product {
    fn new() -> Self {
        Self::with(Settings { child: PathBuf::from(CHILD), ..Settings::default() }, Log::default())
    }

    fn with(settings: Settings, log: Log) -> Self {
        let trades = TradesServiceClient::new(transport::local(log.server()));
        let server = import::server(settings, trades);
        // What the verifier of access tokens does.
        let signed_in = |mut request: Request<()>| {
            if let Some(token) = request.metadata().get("authorization") {
                let account = token.to_str().ok().and_then(|token| token.strip_prefix("Bearer ")?.parse().ok());
                let (name, email) = ("A Trader".to_owned(), "trader@example.com".to_owned());
                request.extensions_mut().insert(Caller::from(Trader {
                    account_id: account.unwrap_or_default(),
                    sign_in_id: Uuid::nil(),
                    name,
                    email,
                }));
            }
            Ok(request)
        };
        let client = ImportServiceClient::new(transport::local(InterceptedService::new(server, signed_in)));
        Self { log, client }
    }

    /// Sends a file as chosen: the choice first, then the chunks.
    async fn import(&self, choice: Choice, file: &[u8]) -> Result<ImportFileResponse, Status> {
        self.import_of("token", choice, file).await
    }

    /// The same by another trader, whose access token is the number of the account.
    async fn import_of(&self, token: &str, choice: Choice, file: &[u8]) -> Result<ImportFileResponse, Status> {
        let choice = ImportFileRequest { part: Some(Part::Choice(choice)) };
        self.send_of(token, std::iter::once(choice).chain(chunks(file)).collect()).await
    }

    async fn send(&self, parts: Vec<ImportFileRequest>) -> Result<ImportFileResponse, Status> {
        self.send_of("token", parts).await
    }

    async fn send_of(&self, token: &str, parts: Vec<ImportFileRequest>) -> Result<ImportFileResponse, Status> {
        let mut request = Request::new(tokio_stream::iter(parts));
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        self.client.clone().import_file(request).await.map(tonic::Response::into_inner)
    }
}

fn chunks(file: &[u8]) -> impl Iterator<Item = ImportFileRequest> {
    file.chunks(CHUNK).map(|chunk| ImportFileRequest { part: Some(Part::Chunk(chunk.to_vec())) })
}

fn book(broker: Broker, segment: Segment) -> Book {
    Book { broker: broker.into(), segment: segment.into() }
}

fn choice(broker: Broker, segment: Segment) -> Choice {
    Choice {
        idempotency_key: Default::default(),
        book: Some(book(broker, segment)),
        file_name: "report.xlsx".to_owned(),
        confirm: false,
    }
}

fn equity() -> Choice {
    choice(Broker::Zerodha, Segment::Equity)
}

/// The stable name of a failure.
fn reason(status: &Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

/// A program that is no child of ours. Another process writes it: while this one had it open for writing, a child
/// that a test beside starts would hold it open as well, and it could not be run.
fn script(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("child");
    let write = ["-c", "printf '#!/bin/sh\n%s\n' \"$1\" > \"$0\" && chmod 755 \"$0\""];
    assert!(Command::new("sh").args(write).arg(&path).arg(text).status().unwrap().success());
    path
}

const SHORT: Duration = Duration::from_millis(300);
