//! Fake core with configurable responses.

mod analytics;
mod auth;
pub mod careers;
pub mod journals;
mod trader_journals;
pub mod trades;

use std::sync::{Arc, Mutex};

use aws_lc_rs::signature::Ed25519KeyPair;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use prost_types::Timestamp;
use rpc::auth::v1::Device;
use rpc::auth::v1::finish_google_login_response::Outcome;
use rpc::imports::v1::import_file_request::Part;
use rpc::imports::v1::import_service_server::ImportService;
use rpc::imports::v1::{
    FileIssue, ImportFileRequest, ImportFileResponse, ImportOptions, InspectFileRequest, InspectFileResponse,
    MapColumnsRequest, MapColumnsResponse, PreviewFileRequest, PreviewFileResponse, ReadProfitReportRequest,
    ReadProfitReportResponse, RedactLayoutRequest, RedactLayoutResponse, preview_file_request,
};
use rpc::token::{Claims, ISSUER, Purpose};
use rpc::trades::v1::*;
use time::OffsetDateTime;
use tokio::sync::Notify;
use tonic::{Request, Response, Status, Streaming};
use uuid::Uuid;

pub const VERSION: i64 = 7;

/// Fake core; clones share their state.
#[derive(Clone, Default)]
pub struct Core(pub Arc<Inner>);

pub struct Inner {
    key: Ed25519KeyPair,
    session_id: Uuid,
    /// Error returned by every call except `GetVerification`, while set.
    pub refusal: Mutex<Option<Status>>,
    /// Rejects every access token, as after the end of its session.
    pub rejects_tokens: Mutex<bool>,
    pub name: Mutex<String>,
    pub device: Mutex<Option<Device>>,
    pub refresh_tokens: Mutex<Vec<String>>,
    /// Debug output of the requests for account settings, in order.
    pub auth_requests: Mutex<Vec<String>>,
    /// Outcome of the next log-in with Google.
    pub outcome: Mutex<Option<Outcome>>,
    pub writes: Mutex<trades::Writes>,
    pub journals: Mutex<journals::JournalRequests>,
    pub careers: Mutex<careers::CareersRequests>,
    pub queries: Mutex<Vec<ListTradesRequest>>,
    pub authorizations: Mutex<Vec<String>>,
    pub calls: Mutex<Vec<&'static str>>,
    /// Pages of the trade list, after its head.
    pub pages: Mutex<Vec<Result<Vec<Trade>, Status>>>,
    /// Makes pages, imports and other long calls wait for `unblock`.
    pub blocked: Mutex<bool>,
    pub unblock: Notify,
    pub inspected: Mutex<Option<Vec<u8>>>,
    pub imported: Mutex<Option<(ImportOptions, Vec<u8>, usize)>>,
    pub previewed: Mutex<Option<(ImportOptions, Vec<u8>)>>,
    /// Batch of the last preview that was requested.
    pub preview_batch: Mutex<Vec<String>>,
    pub started: Notify,
    /// Error returned at the first chunk of a file.
    pub early_error: Mutex<Option<Status>>,
    pub done: Notify,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            key: Ed25519KeyPair::generate().unwrap(),
            session_id: Uuid::new_v4(),
            refusal: Mutex::default(),
            rejects_tokens: Mutex::default(),
            name: Mutex::new("Asha Rao".to_owned()),
            device: Mutex::default(),
            refresh_tokens: Mutex::default(),
            auth_requests: Mutex::default(),
            outcome: Mutex::default(),
            writes: Mutex::default(),
            journals: Mutex::default(),
            careers: Mutex::default(),
            queries: Mutex::default(),
            authorizations: Mutex::default(),
            calls: Mutex::default(),
            pages: Mutex::default(),
            blocked: Mutex::default(),
            unblock: Notify::new(),
            inspected: Mutex::default(),
            imported: Mutex::default(),
            previewed: Mutex::default(),
            preview_batch: Mutex::default(),
            started: Notify::new(),
            early_error: Mutex::default(),
            done: Notify::new(),
        }
    }
}

impl Core {
    /// Returns an access token of the test trader, `asha@example.in`.
    pub fn token(&self) -> String {
        self.token_until(OffsetDateTime::now_utc().unix_timestamp() + 600)
    }

    pub fn token_until(&self, exp: i64) -> String {
        self.token_for(Purpose::Access, exp)
    }

    /// Returns a valid token of the test trader for `purpose`.
    pub fn valid_token(&self, purpose: Purpose) -> String {
        self.token_for(purpose, OffsetDateTime::now_utc().unix_timestamp() + 600)
    }

    /// Returns an access token of another account than the test trader's.
    pub fn token_of_other_account(&self) -> String {
        self.sign(Purpose::Access, OffsetDateTime::now_utc().unix_timestamp() + 600, Uuid::max())
    }

    /// Returns a token of the test trader for `purpose`.
    pub fn token_for(&self, purpose: Purpose, exp: i64) -> String {
        self.sign(purpose, exp, Uuid::nil())
    }

    fn sign(&self, purpose: Purpose, exp: i64, account_id: Uuid) -> String {
        let key = EncodingKey::from_ed_der(self.0.key.to_pkcs8v1().unwrap().as_ref());
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: purpose.audience().to_owned(),
            sub: account_id,
            sid: Some(self.0.session_id),
            jti: Uuid::new_v4(),
            iat: exp - 600,
            nbf: exp - 600,
            exp,
            name: "Asha Rao".to_owned(),
            email: "Asha@Example.in".to_owned(),
            email_verified: Some(true),
        };
        let header = Header {
            kid: Some("k".to_owned()),
            typ: Some(purpose.header_type().to_owned()),
            ..Header::new(Algorithm::EdDSA)
        };
        encode(&header, &claims, &key).unwrap()
    }

    pub fn refuse(&self, status: Status) {
        *self.0.refusal.lock().unwrap() = Some(status);
    }

    fn record_call<T>(&self, name: &'static str, request: &Request<T>) -> Result<(), Status> {
        self.0.calls.lock().unwrap().push(name);
        if let Some(value) = request.metadata().get("authorization") {
            self.0.authorizations.lock().unwrap().push(value.to_str().unwrap().to_owned());
            if *self.0.rejects_tokens.lock().unwrap() {
                return Err(rpc::failure::to_status(&rpc::caller::AuthError::Unauthenticated));
            }
        }
        match self.0.refusal.lock().unwrap().clone() {
            Some(status) => Err(status),
            None => Ok(()),
        }
    }

    pub fn count(&self, name: &str) -> usize {
        self.0.calls.lock().unwrap().iter().filter(|call| **call == name).count()
    }
}

pub fn book() -> Book {
    Book { broker: Broker::Zerodha.into(), segment: Segment::Equity.into(), ..Book::default() }
}

pub fn trade(id: i64) -> Trade {
    Trade {
        contract: Default::default(),
        edited: Default::default(),
        imported: Default::default(),
        notes: Default::default(),
        pair_id: Default::default(),
        id,
        book: Some(book()),
        side: Side::Buy.into(),
        symbol: "M&M \"X\"".to_owned(),
        quantity: "10".to_owned(),
        price: "82.1000".to_owned(),
        value: "99999999999.9999".to_owned(),
        executed_at: Some(Timestamp { seconds: 1_774_981_800, nanos: 0 }),
        time_precision: TimePrecision::Day.into(),
        exchange: Exchange::Nse.into(),
        order_id: Default::default(),
        isin: Default::default(),
        series: Default::default(),
        auction: Default::default(),
        source_key: Default::default(),
    }
}

fn sample() -> ImportedTrade {
    ImportedTrade {
        side: Side::Buy.into(),
        symbol: "INFY".to_owned(),
        quantity: "10".to_owned(),
        price: "1500.0500".to_owned(),
        executed_at: Some(Timestamp { seconds: 1_774_981_800, nanos: 0 }),
        time_precision: TimePrecision::Second.into(),
        exchange: Exchange::Nse.into(),
        ..ImportedTrade::default()
    }
}

fn file_issue() -> FileIssue {
    FileIssue {
        row: 9,
        column: "K".to_owned(),
        value: "abc".to_owned(),
        code: "price_not_a_number".to_owned(),
        sheet: "Equity".to_owned(),
        ..FileIssue::default()
    }
}

#[tonic::async_trait]
impl ImportService for Core {
    async fn import_file(
        &self,
        request: Request<Streaming<ImportFileRequest>>,
    ) -> Result<Response<ImportFileResponse>, Status> {
        self.record_call("import_file", &request)?;
        let mut parts = request.into_inner();
        let (mut options, mut file, mut largest) = (None, Vec::new(), 0);
        while let Some(part) = parts.message().await? {
            match part.part.unwrap() {
                Part::Options(value) => options = Some(value),
                Part::Chunk(chunk) => {
                    self.0.started.notify_one();
                    largest = largest.max(chunk.len());
                    file.extend_from_slice(&chunk);
                    if let Some(status) = self.0.early_error.lock().unwrap().clone() {
                        return Err(status);
                    }
                }
            }
        }
        if *self.0.blocked.lock().unwrap() {
            self.0.started.notify_one();
            self.0.unblock.notified().await;
        }
        *self.0.imported.lock().unwrap() = Some((options.unwrap(), file, largest));
        self.0.done.notify_one();
        let head = TradesHead {
            version: VERSION,
            unchanged: false,
            total: 2,
            last_book: Some(book()),
            ..TradesHead::default()
        };
        let at = Some(Timestamp { seconds: 1_774_981_800, nanos: 0 });
        let result = ImportTradesResponse {
            change_id: 11,
            replayed: self.0.writes.lock().unwrap().replayed,
            import_id: 4,
            added: 2,
            duplicates: 1,
            head: Some(head),
            first_executed_at: at,
            last_executed_at: at,
            ..ImportTradesResponse::default()
        };
        Ok(Response::new(ImportFileResponse {
            result: Some(result),
            book: Some(book()),
            format: "zerodha-tradebook".to_owned(),
            rows: 4,
            errors: vec![file_issue()],
            error_count: 1,
            ..ImportFileResponse::default()
        }))
    }

    async fn preview_file(
        &self,
        request: Request<Streaming<PreviewFileRequest>>,
    ) -> Result<Response<PreviewFileResponse>, Status> {
        self.record_call("preview_file", &request)?;
        let mut parts = request.into_inner();
        let (mut options, mut file) = (None, Vec::new());
        while let Some(part) = parts.message().await? {
            match part.part.unwrap() {
                preview_file_request::Part::Options(value) => options = Some(value),
                preview_file_request::Part::Chunk(chunk) => file.extend_from_slice(&chunk),
            }
        }
        *self.0.previewed.lock().unwrap() = Some((options.unwrap(), file));
        Ok(Response::new(PreviewFileResponse { preview: Some(trades::preview()) }))
    }

    async fn map_columns(
        &self,
        request: Request<Streaming<MapColumnsRequest>>,
    ) -> Result<Response<MapColumnsResponse>, Status> {
        self.record_call("map_columns", &request)?;
        let mut parts = request.into_inner();
        while parts.message().await?.is_some() {}
        Ok(Response::new(MapColumnsResponse { header: vec!["Scrip".to_owned()], ..MapColumnsResponse::default() }))
    }

    async fn redact_layout(
        &self,
        request: Request<Streaming<RedactLayoutRequest>>,
    ) -> Result<Response<RedactLayoutResponse>, Status> {
        self.record_call("redact_layout", &request)?;
        let mut parts = request.into_inner();
        while parts.message().await?.is_some() {}
        Ok(Response::new(RedactLayoutResponse { text: "{30-62}Order No.\n".to_owned() }))
    }

    async fn inspect_file(
        &self,
        request: Request<Streaming<InspectFileRequest>>,
    ) -> Result<Response<InspectFileResponse>, Status> {
        self.record_call("inspect_file", &request)?;
        let mut parts = request.into_inner();
        let mut file = Vec::new();
        while let Some(part) = parts.message().await? {
            self.0.started.notify_one();
            file.extend(part.chunk);
            if *self.0.blocked.lock().unwrap() {
                self.0.unblock.notified().await;
            }
        }
        *self.0.inspected.lock().unwrap() = Some(file);
        let at = Some(Timestamp { seconds: 1_774_981_800, nanos: 0 });
        Ok(Response::new(InspectFileResponse {
            book: Some(book()),
            format: "zerodha-tradebook".to_owned(),
            rows: 2,
            trades: 1,
            sample: vec![sample()],
            errors: vec![file_issue()],
            error_count: 1,
            first_executed_at: at,
            last_executed_at: at,
            ..InspectFileResponse::default()
        }))
    }

    async fn import_ledger(
        &self,
        request: Request<Streaming<rpc::imports::v1::ImportLedgerRequest>>,
    ) -> Result<Response<rpc::imports::v1::ImportLedgerResponse>, Status> {
        self.record_call("import_ledger", &request)?;
        let mut parts = request.into_inner();
        while parts.message().await?.is_some() {}
        Ok(Response::new(rpc::imports::v1::ImportLedgerResponse {
            format: "zerodha-ledger".to_owned(),
            ..Default::default()
        }))
    }

    async fn read_profit_report(
        &self,
        request: Request<Streaming<ReadProfitReportRequest>>,
    ) -> Result<Response<ReadProfitReportResponse>, Status> {
        self.record_call("read_profit_report", &request)?;
        let mut parts = request.into_inner();
        let mut file = Vec::new();
        while let Some(part) = parts.message().await? {
            file.extend(part.chunk);
        }
        let is_tax_report = file.starts_with(b"tax");
        *self.0.inspected.lock().unwrap() = Some(file);
        Ok(Response::new(if is_tax_report {
            ReadProfitReportResponse { report: None, tax_report: Some(analytics::tax_report()) }
        } else {
            ReadProfitReportResponse { report: Some(analytics::report()), tax_report: None }
        }))
    }
}
