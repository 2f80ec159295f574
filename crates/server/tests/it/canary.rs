//! Canary secrets: passwords, tokens, email addresses and phone numbers are sent in every part of a request to every
//! operation, and must not appear in the log, the metrics, error replies or reply headers such as redirects.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use sqlx::PgPool;

use crate::api_description::API_DESCRIPTION;
use crate::careers::ApplicationForm;
use crate::email_files::{read_emails, text_after, wait_for_phone_code};
use crate::process::Process;
use crate::resumes::pdf_with;
use crate::secrets::{key_line, write_secret};

/// Part of every made-up secret.
const CANARY: &str = "kanari";
const EMAIL: &str = "kanari.vogel@example.in";
const PHONE: &str = "9811122233";
const PASSWORD: &str = "kanari sings 77 songs";
const CLIENT_SECRET: &str = "kanari-between-us-and-google";

/// Server with a captured log, and the secrets that must not appear in it.
struct CanaryServer<'a> {
    server: Process,
    folder: &'a Path,
    secrets: Vec<String>,
    sent: usize,
}

struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Returns names and values of the cookies that the reply sets.
    fn cookies(&self) -> Vec<(&str, &str)> {
        let set = self.headers.iter().filter(|(name, _)| name == "set-cookie");
        set.filter_map(|(_, value)| value.split(';').next()?.split_once('=')).collect()
    }
}

impl<'a> CanaryServer<'a> {
    fn new(pool: &PgPool, folder: &'a Path) -> Self {
        let log = File::create(folder.join("log")).unwrap();
        let errors = log.try_clone().unwrap();
        let secrets_dir = folder.join("secrets");
        fs::create_dir(&secrets_dir).unwrap();
        write_secret(&secrets_dir.join("encryption-key"), &key_line(7));
        write_secret(&secrets_dir.join("google-client-secret"), CLIENT_SECRET);
        write_secret(&secrets_dir.join("edge-token"), "kanari-of-an-edge");
        let server = Process::start_with(pool, &folder.join("data"), |command| {
            command
                .args(["--rate-limits", "off", "--google-client-id", "us", "--google-issuer", "http://127.0.0.1:1"])
                .arg("--secrets-dir")
                .arg(secrets_dir)
                .env("TRADEBAHI_LOG", "debug")
                .stdout(log)
                .stderr(errors)
        });
        Self {
            server,
            folder,
            secrets: vec![CANARY.to_owned(), PHONE.to_owned(), key_line(7).trim().to_owned()],
            sent: 0,
        }
    }

    /// Sends a request. Error replies and reply headers must not contain a secret.
    fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut incoming = self.server.send(method, path, headers, body);
        let mut body = Vec::new();
        incoming.reader.read_to_end(&mut body).unwrap();
        let reply = Reply {
            status: incoming.status,
            headers: incoming.headers,
            body: String::from_utf8_lossy(&body).into_owned(),
        };
        self.sent += 1;
        assert_ne!(reply.status, 500, "{method} {path}: {}", reply.body);
        if reply.status >= 400 {
            self.assert_no_secret(&format!("{method} {path} answered {}", reply.status), &reply.body);
        }
        for (name, value) in reply.headers.iter().filter(|(name, _)| name != "set-cookie") {
            self.assert_no_secret(&format!("{method} {path} answered {name}"), value);
        }
        reply
    }

    fn post(&mut self, path: &str, token: &str, body: &Value) -> Reply {
        let bearer = format!("Bearer {token}");
        let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        self.send("POST", path, &headers, body.to_string().as_bytes())
    }

    #[track_caller]
    fn assert_no_secret(&self, location: &str, text: &str) {
        let text = text.to_lowercase();
        for secret in &self.secrets {
            assert!(!text.contains(&secret.to_lowercase()), "{location} with {secret}: {text:.2000}");
        }
    }

    /// Adds `secret` to the secrets that must not appear, and returns it.
    fn add_secret(&mut self, secret: &str) -> String {
        assert!(secret.len() >= 32, "{secret} is too short to search for");
        self.secrets.push(secret.to_owned());
        secret.to_owned()
    }

    /// Waits for an email with `link`, and returns the token in the link.
    fn wait_for_link_token(&mut self, link: &str) -> String {
        let started = Instant::now();
        loop {
            if let Some(email) = read_emails(&self.folder.join("data/mail")).find(|email| email.contains(link)) {
                return self.add_secret(&text_after(&email, link));
            }
            assert!(started.elapsed() < Duration::from_secs(20), "no email with {link}");
        }
    }
}

/// Returns a body that matches the schema as far as possible, with a secret in every text.
fn sample_body(name: &str, schema: &Value) -> Value {
    let schema = API_DESCRIPTION.resolve_reference(schema);
    if let Some(properties) = schema["properties"].as_object() {
        return properties
            .iter()
            .map(|(name, schema)| (name.clone(), sample_body(name, schema)))
            .collect::<Map<_, _>>()
            .into();
    }
    if let Some(one) = schema["enum"].as_array().and_then(|all| all.first()) {
        return one.clone();
    }
    match (schema["type"].as_str(), name) {
        (Some("array"), _) => json!([sample_body(name, &schema["items"])]),
        (Some("integer" | "number"), _) => json!(7),
        (Some("boolean"), _) => json!(true),
        (_, "email") => json!(EMAIL),
        (_, "phone") => json!(PHONE),
        (_, "timestamp") => json!("2026-04-01T09:15"),
        _ => json!(PASSWORD),
    }
}

/// Returns the body with every text replaced by a list, and every number by a text.
fn with_wrong_types(body: &Value) -> Value {
    match body {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), with_wrong_types(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(with_wrong_types).collect(),
        Value::String(text) => json!([text]),
        _ => json!(PASSWORD),
    }
}

/// Uses every operation of an account and adds each token to the secrets. Returns an access token.
fn use_account(canary: &mut CanaryServer<'_>) -> String {
    let account = json!({
        "name": "Kanari Vogel", "email": EMAIL, "phone": PHONE, "password": PASSWORD, "confirmPassword": PASSWORD,
    });
    assert_eq!(canary.post("/auth/register", "", &account).status, 201);
    canary.post("/auth/register", "", &account);
    for (login, password) in [(EMAIL, "kanari is wrong"), (PHONE, "kanari is wrong"), ("kanari nobody", PASSWORD)] {
        assert_eq!(canary.post("/auth/login", "", &json!({ "email": login, "password": password })).status, 401);
    }
    let by_email = canary.post("/auth/login", "", &json!({ "email": EMAIL, "password": PASSWORD }));
    let token = canary.add_secret(by_email.json()["data"]["token"].as_str().unwrap());
    assert_eq!(canary.post("/account/phone/verify", &token, &json!({ "code": "kanari" })).status, 422);
    assert_eq!(
        canary.send("POST", "/account/phone/code", &[("authorization", &format!("Bearer {token}"))], b"").status,
        202
    );
    let code = wait_for_phone_code(&canary.folder.join("data/mail"), PHONE);
    assert_eq!(canary.post("/account/phone/verify", &token, &json!({ "code": code })).status, 200);
    let login = canary.post("/auth/login", "", &json!({ "email": PHONE, "password": PASSWORD }));
    let token = canary.add_secret(login.json()["data"]["token"].as_str().unwrap());
    let cookies: Vec<String> =
        login.cookies().iter().map(|(name, value)| format!("{name}={}", canary.add_secret(value))).collect();
    assert_eq!(cookies.len(), 2, "{cookies:?}");

    let cookies = cookies.join("; ");
    let refreshed = canary.send("POST", "/auth/refresh", &[("cookie", cookies.as_str())], b"");
    canary.add_secret(refreshed.json()["data"]["token"].as_str().unwrap());
    refreshed.cookies().iter().for_each(|(_, value)| drop(canary.add_secret(value)));

    let confirm = canary.wait_for_link_token("/confirm-email?token=");
    canary.send("GET", &format!("/confirm-email?token={confirm}"), &[], b"");
    assert_eq!(canary.post("/auth/confirm-email", "", &json!({ "token": confirm })).status, 204);
    assert_eq!(canary.post("/auth/forgot-password", "", &json!({ "email": EMAIL })).status, 202);
    let reset = canary.wait_for_link_token("/reset-password?token=");
    canary.send("GET", &format!("/reset-password?token={reset}"), &[], b"");
    let weak = json!({ "token": reset, "password": "kanari", "confirmPassword": "kanari" });
    assert_eq!(canary.post("/auth/reset-password", "", &weak).status, 422);

    let handoff = canary.post("/auth/handoff", &token, &Value::Null).json();
    let handoff = handoff["url"].as_str().unwrap().split_once("token=").unwrap().1;
    let handoff = canary.add_secret(handoff);
    canary.send("GET", &format!("/analytics?token={handoff}"), &[], b"");
    let analytics = canary.post("/analytics/session", "", &json!({ "token": handoff }));
    let analytics = canary.add_secret(analytics.json()["token"].as_str().unwrap());
    assert_eq!(canary.post("/analytics/session", "", &json!({ "token": analytics })).status, 401);

    let redirect = canary.send("GET", "/auth/google", &[], b"");
    assert_eq!(redirect.status, 303);
    let cookies: Vec<String> = redirect.cookies().iter().map(|(name, value)| format!("{name}={value}")).collect();
    let state = cookies[0].split('|').nth(1).unwrap();
    canary.add_secret(cookies[0].rsplit('|').next().unwrap());
    let callback = format!("/auth/google/callback?state={state}&code=kanari-code");
    let callback = canary.send("GET", &callback, &[("cookie", cookies[0].as_str())], b"");
    assert!(
        callback.headers.contains(&("location".to_owned(), "/login?google=unreachable".to_owned())),
        "{:?}",
        callback.headers
    );
    token
}

/// Applies, and uses every operation of a candidate.
fn use_application(canary: &mut CanaryServer<'_>) {
    let resume = pdf_with(b"kanari");
    let applying = ApplicationForm::new("resume.pdf", &resume).with("name", "Kanari Vogel").with("email", EMAIL);
    let applying = applying.with("mobile", PHONE).with("motivation", "kanari sings").form();
    let kind = [("content-type", ApplicationForm::CONTENT_TYPE)];
    assert_eq!(canary.send("POST", "/api/apply/FE101", &kind, &applying).status, 201);
    assert_eq!(canary.send("POST", "/api/apply/kanari", &kind, &applying).status, 422);
    let key = canary.wait_for_link_token("/application#");
    let shown = [("application-key", key.as_str()), ("content-type", "application/json")];
    canary.send("GET", &format!("/application/{key}"), &[], b"");
    canary.send("POST", &format!("/application/{key}"), &shown, b"{}");
    for (method, path, body, status) in [
        ("GET", "/api/application", "", 200),
        ("GET", "/api/application/resume", "", 200),
        ("PATCH", "/api/application", r#"{ "name": "Kanari V." }"#, 200),
        ("PATCH", "/api/application", r#"{ "linkedin": "kanari" }"#, 422),
        ("PUT", "/api/application/later-roles", "", 409),
        ("PUT", "/api/application/email", r#"{ "email": "kanari" }"#, 404),
        ("POST", "/api/application/links", r#"{ "email": "kanari@example.in" }"#, 202),
        ("POST", "/api/application/withdraw", "", 200),
        ("PATCH", "/api/application", r#"{ "name": "Kanari" }"#, 409),
        ("DELETE", "/api/application", "", 204),
        ("GET", "/api/application", "", 404),
    ] {
        assert_eq!(canary.send(method, path, &shown, body.as_bytes()).status, status, "{method} {path}");
    }
}

/// Sends secrets in every part of a request to every operation.
fn call_every_operation(canary: &mut CanaryServer<'_>, token: &str) {
    let query = "email=kanari.vogel@example.in&token=kanari-token&password=kanari&q=kanari&limit=kanari&cursor=kanari\
                 &code=kanari&state=kanari&phone=9811122233&format=kanari&from=kanari&broker=kanari&newer=kanari";
    let bearer = format!("Bearer {token}");
    let canary_headers = [
        ("cookie", "rt=kanari-refresh; device=kanari-device; oauth=google|kanari|kanari|kanari; journal=kanari"),
        ("user-agent", "kanari 1.0"),
        ("referer", "http://127.0.0.1/?token=kanari"),
        ("x-forwarded-for", "kanari"),
        ("idempotency-key", "kanari-key"),
        ("application-key", "kanari-application"),
        ("email-correction-token", "kanari-correction"),
        ("if-none-match", "\"kanari\""),
        ("x-request-id", "kanari/9811122233"),
    ];
    let mut operations = API_DESCRIPTION.operations();
    let session_ending = ["/account/close", "/auth/logout"];
    operations.sort_by_key(|(_, path, _)| session_ending.contains(&path.as_str()));
    for (method, path, schema) in operations {
        // The session was valid until here.
        if session_ending.first() == Some(&path.as_str()) {
            assert_eq!(canary.send("GET", "/account", &[("authorization", bearer.as_str())], b"").status, 200);
        }
        let path = path.replace("{id}", "kanari-id").replace("{jobid}", "kanari-job");
        let body = schema.map(|schema| sample_body("", schema)).unwrap_or_default();
        let valid = body.to_string();
        let broken = valid.trim_end_matches('}');
        let wrong = with_wrong_types(&body).to_string();
        let form = "--x\r\ncontent-disposition: form-data; name=\"email\"\r\n\r\nkanari.other@example.in\r\n--x\r\n\
                    content-disposition: form-data; name=\"file\"; filename=\"kanari.csv\"\r\n\r\nkanari,9811122233\r\n--x--\r\n";
        for authorization in ["Bearer kanari-token", "Basic kanari", bearer.as_str()] {
            for (kind, body) in [
                ("application/json", broken),
                ("application/json", wrong.as_str()),
                ("text/kanari", valid.as_str()),
                ("multipart/form-data; boundary=x", form),
                ("multipart/form-data; boundary=x", "--x\r\nkanari"),
                ("application/json", valid.as_str()),
            ] {
                let mut headers = vec![("authorization", authorization), ("content-type", kind)];
                headers.extend(canary_headers);
                let body = if method == "GET" { "" } else { body };
                canary.send(&method, &format!("/api/v1{path}?{query}"), &headers, body.as_bytes());
                canary.send(&method, &path, &headers, body.as_bytes());
            }
        }
    }
    for path in ["/kanari", "/api/v1/kanari?token=kanari", "/?token=kanari", "/login?password=kanari", "/%6banari%zz"] {
        for method in ["GET", "POST", "KANARI"] {
            canary.send(method, path, &canary_headers, b"");
        }
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn secrets_appear_in_no_log_metric_error_reply_or_redirect(pool: PgPool) {
    let folder = tempfile::tempdir().unwrap();
    let mut canary = CanaryServer::new(&pool, folder.path());
    let token = use_account(&mut canary);
    use_application(&mut canary);
    call_every_operation(&mut canary, &token);
    let metrics = canary.send("GET", "/metrics", &[], b"");
    assert!(metrics.body.contains("/auth/login"), "{}", metrics.body);
    canary.assert_no_secret("the metrics", &metrics.body);

    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let logged_requests = log.lines().filter(|line| line.contains("\"answered\"")).count();
    assert!(
        logged_requests + 1 >= canary.sent && log.contains("google_unreachable"),
        "{logged_requests} of {}",
        canary.sent
    );
    for line in log.lines() {
        canary.assert_no_secret("the log", line);
    }
}
