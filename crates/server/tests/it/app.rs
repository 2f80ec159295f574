//! Runs the whole product in the test process, with test traders as clients.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use clap::Parser as _;
use db::ReadPool;
use edge::SiteFiles;
use http::header::HOST;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use rpc::transport::Transport;
use rpc::verifier::Verifier;
use serde_json::{Value, json};
use server::config::{Cli, Command, Serve};
use server::core::Core;
use server::database::Pools;
use sqlx::PgPool;
use tempfile::TempDir;
use tonic::transport::Endpoint;
use tower::ServiceExt as _;

use crate::api_description::{API_DESCRIPTION, DocumentedResponse};

pub const PASSWORD: &str = "correct horse battery";

/// Edge and core in this process, on the database of the test.
pub struct App {
    router: Router,
    verifier: Verifier,
    /// Settings of applications and resumes.
    pub settings: Box<Serve>,
    pub careers: careers::Settings,
    _folder: TempDir,
}

/// Reply that matches the API description.
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Documented operation and status; `None` if the status is not listed.
    pub documented: Option<DocumentedResponse>,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// Returns the refresh cookie as a browser would send it.
    pub fn cookie(&self) -> String {
        self.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
    }

    /// Asserts the status and the problem code.
    #[track_caller]
    pub fn expect_problem(self, status: u16, code: &str) -> Self {
        let actual = self.json()["code"].as_str().map(str::to_owned);
        assert_eq!((self.status.as_u16(), actual.as_deref()), (status, Some(code)), "{:#}", self.json());
        self
    }
}

/// Returns pools whose statements run on the connections of `pool`; reads have connections of their own.
pub fn pools(pool: &PgPool) -> Pools {
    let reads = ReadPool::new(pool.connect_options().as_ref().clone(), 4);
    Pools { requests: pool.clone(), reads, imports: pool.clone(), readiness: pool.clone() }
}

impl App {
    pub async fn new(pool: &PgPool) -> Self {
        Self::with_arguments(pool, &[]).await
    }

    /// Starts the product with arguments of `tradebahi serve`.
    pub async fn with_arguments(pool: &PgPool, arguments: &[&str]) -> Self {
        let arguments = ["tradebahi", "serve"].iter().chain(arguments);
        let Command::Serve(mut settings) = Cli::parse_from(arguments).command else { unreachable!() };
        settings.auth =
            auth::Settings { hash_memory_kib: 8, hash_passes: 1, max_concurrent_hashes: 2, ..Default::default() };
        settings.import.parser_program = env!("CARGO_BIN_EXE_tradebahi").into();
        settings.web_dir = "../../web/build/client".into();
        let folder = tempfile::tempdir().unwrap();
        settings.careers.parser_program = settings.import.parser_program.clone();
        settings.journal.encoder_program = settings.import.parser_program.clone();
        settings.database.data_dir = Some(folder.path().to_owned());
        let pools = pools(pool);
        let verifier = Verifier::default();
        let core = Core::build(&pools, &settings, &verifier).await.unwrap();
        tokio::spawn(server::start_verifier(&verifier, &core.transport()).await);
        let pages = SiteFiles::load(&settings.edge()).unwrap();
        let (router, _) = server::edge(&settings.edge(), pages, core.transport(), verifier.clone()).unwrap();
        Self { router, verifier, careers: settings.careers(), settings, _folder: folder }
    }

    /// Returns an edge with the same verifier and an unreachable core.
    pub fn with_unreachable_core(&self) -> Self {
        let unreachable = rpc::transport::remote(Endpoint::from_static("http://127.0.0.1:1"), []);
        Self::with_core(unreachable, self.verifier.clone())
    }

    /// Returns an edge in front of an existing core, without rate limits.
    pub fn with_core(core: Transport, verifier: Verifier) -> Self {
        let arguments = ["tradebahi", "serve", "--rate-limits", "off", "--web-dir", "../../web/build/client"];
        let Command::Serve(settings) = Cli::parse_from(arguments).command else { unreachable!() };
        let pages = SiteFiles::load(&settings.edge()).unwrap();
        let (router, _) = server::edge(&settings.edge(), pages, core, verifier.clone()).unwrap();
        Self { router, verifier, careers: settings.careers(), settings, _folder: tempfile::tempdir().unwrap() }
    }

    /// Sends a request and checks the reply against the API description.
    pub async fn send(&self, mut request: Request<Body>) -> Reply {
        self.wait_for_verifier().await;
        request.headers_mut().entry(HOST).or_insert(HeaderValue::from_static("localhost:8080"));
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let documented = API_DESCRIPTION.check(&method, &path, parts.status, &parts.headers, &body);
        Reply { status: parts.status, headers: parts.headers, body, documented }
    }

    /// Waits until tokens can be verified, for at most as long as their state is valid.
    ///
    /// The task that fetches the state shares the thread with the test, so on a busy machine it may be late.
    async fn wait_for_verifier(&self) {
        for _ in 0..100 {
            if self.verifier.is_current() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(json_request(path, body)).await
    }

    /// Registers a new trader and logs in.
    pub async fn register_trader(&self) -> Trader<'_> {
        static COUNT: AtomicU32 = AtomicU32::new(1);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let email = format!("trader{number}@example.in");
        let phone = format!("98{number:08}");
        let registered = self.post("/auth/register", &registration("Asha Rao", &email, &phone)).await;
        assert_eq!(registered.status, 201, "{:#}", registered.json());
        let login = self.post("/auth/login", &json!({ "email": email, "password": PASSWORD })).await;
        let token = login.json()["data"]["token"].as_str().unwrap().to_owned();
        Trader { app: self, email, phone, token, cookie: login.cookie() }
    }
}

impl Trader<'_> {
    /// Verifies the phone number by the code of an SMS, which a sender in this test writes to a file.
    pub async fn verify_phone(&self, pool: &PgPool) {
        let reply = self.send_phone_code().await;
        assert_eq!(reply.status, 202, "{:?}", reply.body);
        let code = receive_phone_code(pool, &self.phone).await;
        let reply = self.enter_phone_code(&code).await;
        assert_eq!((reply.status.as_u16(), &reply.json()["phoneVerified"]), (200, &json!(true)));
    }

    pub async fn send_phone_code(&self) -> Reply {
        self.app.send(self.request(Method::POST, "/account/phone/code").body(Body::empty()).unwrap()).await
    }

    pub async fn enter_phone_code(&self, code: &str) -> Reply {
        let request = self.request(Method::POST, "/account/phone/verify").header("content-type", "application/json");
        self.app.send(request.body(Body::from(json!({ "code": code }).to_string())).unwrap()).await
    }
}

/// Sends what is queued, and returns the code of the SMS to `phone`.
pub async fn receive_phone_code(pool: &PgPool, phone: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mailer = mail::Mailer::new(&mail::Settings::default(), folder.path().to_owned()).unwrap();
    let sms = Some(auth::Sms::Files(folder.path().to_owned()));
    let sender = tokio::spawn(auth::send_emails(pool.clone(), mailer, auth::Settings { sms, ..Default::default() }));
    let (path, phone) = (folder.path().to_owned(), phone.to_owned());
    let code =
        tokio::task::spawn_blocking(move || crate::email_files::wait_for_phone_code(&path, &phone)).await.unwrap();
    sender.abort();
    code
}

pub fn registration(name: &str, email: &str, phone: &str) -> Value {
    json!({ "name": name, "email": email, "phone": phone, "password": PASSWORD, "confirmPassword": PASSWORD })
}

pub fn json_request(path: &str, body: &Value) -> Request<Body> {
    Request::post(path).header("content-type", "application/json").body(Body::from(body.to_string())).unwrap()
}

/// Logged-in trader.
pub struct Trader<'a> {
    pub app: &'a App,
    pub email: String,
    pub phone: String,
    pub token: String,
    pub cookie: String,
}

/// Upload of a file with its form fields.
pub struct Upload<'a> {
    pub file: &'a [u8],
    pub name: &'a str,
    pub fields: Vec<(&'a str, &'a str)>,
    pub minimal: bool,
}

impl<'a> Upload<'a> {
    pub fn new(name: &'a str, file: &'a [u8], broker: &'a str) -> Self {
        Self { file, name, fields: vec![("broker", broker), ("tradetype", "equity")], minimal: true }
    }

    /// Content type of [`form`](Self::form).
    pub const CONTENT_TYPE: &'static str = "multipart/form-data; boundary=x";

    /// Returns the multipart body.
    pub fn form(&self) -> Vec<u8> {
        let mut form = Vec::new();
        for (name, value) in &self.fields {
            form.extend(format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes());
        }
        let head = format!(
            "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\
             content-type: application/octet-stream\r\n\r\n",
            self.name
        );
        form.extend(head.bytes());
        form.extend(self.file);
        form.extend(b"\r\n--x--\r\n");
        form
    }
}

impl Trader<'_> {
    pub fn request(&self, method: Method, path: &str) -> http::request::Builder {
        Request::builder().method(method).uri(path).header("authorization", format!("Bearer {}", self.token))
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.app.send(self.request(Method::GET, path).body(Body::empty()).unwrap()).await
    }

    /// Requests the preview of an import.
    pub async fn preview(&self, upload: &Upload<'_>) -> Reply {
        let request = self.request(Method::POST, "/uploadexcel/preview").header("content-type", Upload::CONTENT_TYPE);
        self.app.send(request.body(Body::from(upload.form())).unwrap()).await
    }

    /// Commits a previewed import.
    pub async fn commit(&self, fields: &[(&str, &str)]) -> Reply {
        let request = self.request(Method::POST, "/uploadexcel").header("content-type", Upload::CONTENT_TYPE);
        let field = |(name, value): &(&str, &str)| {
            format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let form: String = fields.iter().map(field).chain(["--x--\r\n".to_owned()]).collect();
        self.app.send(request.header("prefer", "return=minimal").body(Body::from(form)).unwrap()).await
    }

    pub async fn upload(&self, upload: &Upload<'_>) -> Reply {
        let mut request =
            self.request(Method::POST, "/api/v1/uploadexcel").header("content-type", Upload::CONTENT_TYPE);
        if upload.minimal {
            request = request.header("prefer", "return=minimal");
        }
        self.app.send(request.body(Body::from(upload.form())).unwrap()).await
    }

    /// Returns the number of trades in the log.
    pub async fn count_trades(&self) -> i64 {
        self.get("/trades/client?limit=1").await.json()["total"].as_i64().unwrap()
    }
}
