//! A core that does what a test says.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::{Stream, StreamExt, stream};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use prost_types::Timestamp;
use rpc::auth::v1::auth_service_server::AuthService;
use rpc::auth::v1::*;
use rpc::caller::{AUDIENCE, Claims, ISSUER, TOKEN_TYPE};
use rpc::imports::v1::import_file_request::Part;
use rpc::imports::v1::import_service_server::ImportService;
use rpc::imports::v1::{Choice, ImportFileRequest, ImportFileResponse, Problem};
use rpc::trades::v1::list_trades_response::Part as Listed;
use rpc::trades::v1::trades_service_server::TradesService;
use rpc::trades::v1::*;
use time::OffsetDateTime;
use tokio::sync::Notify;
use tonic::{Request, Response, Status, Streaming};
use uuid::Uuid;

pub const VERSION: i64 = 7;

/// Clones are one core.
#[derive(Clone, Default)]
pub struct Core(pub Arc<Inner>);

pub struct Inner {
    key: Ed25519KeyPair,
    sign_in_id: Uuid,
    /// What every call but `GetVerification` answers, as long as it stands here.
    pub refusal: Mutex<Option<Status>>,
    /// Every token is refused, as of a sign-in that was just ended.
    pub distrusts: Mutex<bool>,
    pub name: Mutex<String>,
    pub device: Mutex<Option<Device>>,
    pub refresh_tokens: Mutex<Vec<String>>,
    pub queries: Mutex<Vec<QueryTradesRequest>>,
    pub authorizations: Mutex<Vec<String>>,
    pub calls: Mutex<Vec<&'static str>>,
    /// Pages of the list, after the head.
    pub pages: Mutex<Vec<Result<Vec<Trade>, Status>>>,
    /// Each page and each import waits for `go`.
    pub held: Mutex<bool>,
    pub go: Notify,
    pub imported: Mutex<Option<(Choice, Vec<u8>, usize)>>,
    pub began: Notify,
    /// Refuses a file at its first chunk.
    pub early: Mutex<Option<Status>>,
    pub done: Notify,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            key: Ed25519KeyPair::generate().unwrap(),
            sign_in_id: Uuid::new_v4(),
            refusal: Mutex::default(),
            distrusts: Mutex::default(),
            name: Mutex::new("Asha Rao".to_owned()),
            device: Mutex::default(),
            refresh_tokens: Mutex::default(),
            queries: Mutex::default(),
            authorizations: Mutex::default(),
            calls: Mutex::default(),
            pages: Mutex::default(),
            held: Mutex::default(),
            go: Notify::new(),
            imported: Mutex::default(),
            began: Notify::new(),
            early: Mutex::default(),
            done: Notify::new(),
        }
    }
}

impl Core {
    /// An access token of Asha's, who is `asha@example.in`.
    pub fn token(&self) -> String {
        self.token_until(OffsetDateTime::now_utc().unix_timestamp() + 600)
    }

    pub fn token_until(&self, exp: i64) -> String {
        let key = EncodingKey::from_ed_der(self.0.key.to_pkcs8v1().unwrap().as_ref());
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: Uuid::nil(),
            sid: self.0.sign_in_id,
            jti: Uuid::new_v4(),
            iat: exp - 600,
            nbf: exp - 600,
            exp,
            name: "Asha Rao".to_owned(),
            email: "Asha@Example.in".to_owned(),
        };
        let header =
            Header { kid: Some("k".to_owned()), typ: Some(TOKEN_TYPE.to_owned()), ..Header::new(Algorithm::EdDSA) };
        encode(&header, &claims, &key).unwrap()
    }

    pub fn refuse(&self, status: Status) {
        *self.0.refusal.lock().unwrap() = Some(status);
    }

    fn called<T>(&self, name: &'static str, request: &Request<T>) -> Result<(), Status> {
        self.0.calls.lock().unwrap().push(name);
        if let Some(value) = request.metadata().get("authorization") {
            self.0.authorizations.lock().unwrap().push(value.to_str().unwrap().to_owned());
            if *self.0.distrusts.lock().unwrap() {
                return Err(rpc::failure::status(&rpc::caller::Refused::SignedOut));
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

fn tokens(access_token: String) -> Option<Tokens> {
    let seconds = OffsetDateTime::now_utc().unix_timestamp() + 14 * 86_400;
    let refresh_expires_at = Some(Timestamp { seconds, nanos: 0 });
    Some(Tokens { access_token, refresh_token: "next-refresh-token".to_owned(), refresh_expires_at })
}

#[tonic::async_trait]
impl AuthService for Core {
    async fn register(&self, request: Request<RegisterRequest>) -> Result<Response<RegisterResponse>, Status> {
        self.called("register", &request)?;
        Ok(Response::new(RegisterResponse { account_id: Uuid::nil().to_string() }))
    }

    async fn log_in(&self, request: Request<LogInRequest>) -> Result<Response<LogInResponse>, Status> {
        self.called("log_in", &request)?;
        let request = request.into_inner();
        assert!(request.password != "panic", "told to panic");
        *self.0.device.lock().unwrap() = request.device;
        Ok(Response::new(LogInResponse { tokens: tokens(self.token()) }))
    }

    async fn refresh(&self, request: Request<RefreshRequest>) -> Result<Response<RefreshResponse>, Status> {
        self.called("refresh", &request)?;
        self.0.refresh_tokens.lock().unwrap().push(request.into_inner().refresh_token);
        Ok(Response::new(RefreshResponse { tokens: tokens(self.token()) }))
    }

    async fn log_out(&self, request: Request<LogOutRequest>) -> Result<Response<LogOutResponse>, Status> {
        self.called("log_out", &request)?;
        self.0.refresh_tokens.lock().unwrap().push(request.into_inner().refresh_token);
        Ok(Response::new(LogOutResponse {}))
    }

    async fn get_account(&self, request: Request<GetAccountRequest>) -> Result<Response<GetAccountResponse>, Status> {
        self.called("get_account", &request)?;
        assert!(*self.0.name.lock().unwrap() != "panic", "told to panic");
        Ok(Response::new(GetAccountResponse {
            account_id: Uuid::nil().to_string(),
            client_id: "TB-7K3M9Q".to_owned(),
            name: self.0.name.lock().unwrap().clone(),
            email: "asha@example.in".to_owned(),
            phone: "9876543210".to_owned(),
            created_at: None,
        }))
    }

    async fn get_verification(
        &self,
        _: Request<GetVerificationRequest>,
    ) -> Result<Response<GetVerificationResponse>, Status> {
        let x = URL_SAFE_NO_PAD.encode(self.0.key.public_key());
        let keys = vec![VerificationKey { kid: "k".to_owned(), x }];
        Ok(Response::new(GetVerificationResponse { keys, ended_sign_ins: Vec::new() }))
    }
}

pub fn book() -> Book {
    Book { broker: Broker::Zerodha.into(), segment: Segment::Equity.into() }
}

pub fn trade(id: i64) -> Trade {
    Trade {
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
    }
}

#[tonic::async_trait]
impl TradesService for Core {
    type ListTradesStream = Pin<Box<dyn Stream<Item = Result<ListTradesResponse, Status>> + Send>>;

    async fn list_trades(
        &self,
        request: Request<ListTradesRequest>,
    ) -> Result<Response<Self::ListTradesStream>, Status> {
        self.called("list_trades", &request)?;
        let pages = self.0.pages.lock().unwrap().clone();
        let total = pages.iter().flatten().map(Vec::len).sum::<usize>();
        let unchanged = request.into_inner().known_version == Some(VERSION);
        let last_book = (total > 0).then(book);
        let head = TradesHead { version: VERSION, unchanged, total: total as i64, last_book };
        let head = ListTradesResponse { part: Some(Listed::Head(head)) };
        let core = self.clone();
        let pages = stream::iter(pages).then(move |page| {
            let core = core.clone();
            async move {
                if *core.0.held.lock().unwrap() {
                    core.0.go.notified().await;
                }
                page.map(|trades| ListTradesResponse { part: Some(Listed::Page(TradesPage { trades })) })
            }
        });
        let pages = if unchanged { stream::empty().boxed() } else { pages.boxed() };
        Ok(Response::new(stream::once(async { Ok(head) }).chain(pages).boxed()))
    }

    async fn query_trades(
        &self,
        request: Request<QueryTradesRequest>,
    ) -> Result<Response<QueryTradesResponse>, Status> {
        self.called("query_trades", &request)?;
        let request = request.into_inner();
        let unchanged = request.known_version == Some(VERSION);
        self.0.queries.lock().unwrap().push(request);
        let head = TradesHead { version: VERSION, unchanged, total: 3, last_book: Some(book()) };
        let trades = if unchanged { Vec::new() } else { vec![trade(3), trade(2)] };
        Ok(Response::new(QueryTradesResponse { head: Some(head), trades, next_cursor: "after-2".to_owned() }))
    }

    async fn import_trades(
        &self,
        _: Request<Streaming<ImportTradesRequest>>,
    ) -> Result<Response<ImportTradesResponse>, Status> {
        Err(Status::unimplemented("the edge has no business here"))
    }
}

#[tonic::async_trait]
impl ImportService for Core {
    async fn import_file(
        &self,
        request: Request<Streaming<ImportFileRequest>>,
    ) -> Result<Response<ImportFileResponse>, Status> {
        self.called("import_file", &request)?;
        let mut parts = request.into_inner();
        let (mut choice, mut file, mut largest) = (None, Vec::new(), 0);
        while let Some(part) = parts.message().await? {
            match part.part.unwrap() {
                Part::Choice(said) => choice = Some(said),
                Part::Chunk(chunk) => {
                    self.0.began.notify_one();
                    largest = largest.max(chunk.len());
                    file.extend_from_slice(&chunk);
                    if let Some(status) = self.0.early.lock().unwrap().clone() {
                        return Err(status);
                    }
                }
            }
        }
        if *self.0.held.lock().unwrap() {
            self.0.began.notify_one();
            self.0.go.notified().await;
        }
        *self.0.imported.lock().unwrap() = Some((choice.unwrap(), file, largest));
        self.0.done.notify_one();
        let head = TradesHead { version: VERSION, unchanged: false, total: 2, last_book: Some(book()) };
        let at = Some(Timestamp { seconds: 1_774_981_800, nanos: 0 });
        let result = ImportTradesResponse {
            import_id: 4,
            added: 2,
            duplicates: 1,
            head: Some(head),
            first_executed_at: at,
            last_executed_at: at,
        };
        let problem = Problem {
            row: 9,
            column: "K".to_owned(),
            value: "abc".to_owned(),
            code: "price_not_a_number".to_owned(),
            message: "The price is not a number.".to_owned(),
            sheet: "Equity".to_owned(),
        };
        Ok(Response::new(ImportFileResponse {
            result: Some(result),
            book: Some(book()),
            format: "zerodha-tradebook".to_owned(),
            rows: 4,
            problems: vec![problem],
            problem_count: 1,
        }))
    }
}
