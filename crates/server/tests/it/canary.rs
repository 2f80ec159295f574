//! What nobody may read later: passwords, tokens, addresses and numbers are sent to every door in every place, and
//! looked for in the log, the metrics, the refusals and where browsers are led.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use sqlx::PgPool;

use crate::careers::Applying;
use crate::contract::CONTRACT;
use crate::process::Process;
use crate::resumes::pdf_with;

/// Stands in everything that is made up here.
const MARK: &str = "kanari";
const EMAIL: &str = "kanari.vogel@example.in";
const PHONE: &str = "9811122233";
const PASSWORD: &str = "kanari sings 77 songs";
const CLIENT_SECRET: &str = "kanari-between-us-and-google";

/// A server whose log is kept, and all that nobody may read in it.
struct Cage<'a> {
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

    /// The values of the cookies that it sets, by their names.
    fn cookies(&self) -> Vec<(&str, &str)> {
        let set = self.headers.iter().filter(|(name, _)| name == "set-cookie");
        set.filter_map(|(_, value)| value.split(';').next()?.split_once('=')).collect()
    }
}

impl<'a> Cage<'a> {
    fn new(pool: &PgPool, folder: &'a Path) -> Self {
        let log = File::create(folder.join("log")).unwrap();
        let errors = log.try_clone().unwrap();
        let server = Process::start_with(pool, &folder.join("data"), |command| {
            command
                .args(["--rate-limits", "off", "--google-client-id", "us", "--google-issuer", "http://127.0.0.1:1"])
                .env("GOOGLE_CLIENT_SECRET", CLIENT_SECRET)
                .env("TRADEBAHI_LOG", "debug")
                .stdout(log)
                .stderr(errors)
        });
        Self { server, folder, secrets: vec![MARK.to_owned(), PHONE.to_owned()], sent: 0 }
    }

    /// Sends a request. What refuses it must not repeat what was sent, and nobody is led anywhere with it.
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
            self.hold_against(&format!("{method} {path} answered {}", reply.status), &reply.body);
        }
        for (name, value) in reply.headers.iter().filter(|(name, _)| name != "set-cookie") {
            self.hold_against(&format!("{method} {path} answered {name}"), value);
        }
        reply
    }

    fn post(&mut self, path: &str, token: &str, body: &Value) -> Reply {
        let bearer = format!("Bearer {token}");
        let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        self.send("POST", path, &headers, body.to_string().as_bytes())
    }

    #[track_caller]
    fn hold_against(&self, place: &str, text: &str) {
        let text = text.to_lowercase();
        for secret in &self.secrets {
            assert!(!text.contains(&secret.to_lowercase()), "{place} with {secret}: {text:.2000}");
        }
    }

    /// From here on `secret` is looked for, too.
    fn keep(&mut self, secret: &str) -> String {
        assert!(secret.len() >= 32, "{secret} could be anything");
        self.secrets.push(secret.to_owned());
        secret.to_owned()
    }

    /// The secret behind `link` in a letter, once it is written.
    fn letter(&mut self, link: &str) -> String {
        let started = Instant::now();
        loop {
            let files = fs::read_dir(self.folder.join("data/mail")).into_iter().flatten();
            let letters = files.filter_map(|file| fs::read_to_string(file.unwrap().path()).ok());
            let found =
                letters.into_iter().find_map(|letter| Some(letter.split_once(link)?.1.lines().next()?.to_owned()));
            if let Some(token) = found {
                return self.keep(&token);
            }
            assert!(started.elapsed() < Duration::from_secs(20), "no letter with {link}");
        }
    }
}

/// A body that the schema allows, as far as one can tell, with something to be looked for in every text.
fn filled(name: &str, schema: &Value) -> Value {
    let schema = CONTRACT.resolved(schema);
    if let Some(properties) = schema["properties"].as_object() {
        return properties
            .iter()
            .map(|(name, schema)| (name.clone(), filled(name, schema)))
            .collect::<Map<_, _>>()
            .into();
    }
    if let Some(one) = schema["enum"].as_array().and_then(|all| all.first()) {
        return one.clone();
    }
    match (schema["type"].as_str(), name) {
        (Some("array"), _) => json!([filled(name, &schema["items"])]),
        (Some("integer" | "number"), _) => json!(7),
        (Some("boolean"), _) => json!(true),
        (_, "email") => json!(EMAIL),
        (_, "phone") => json!(PHONE),
        (_, "timestamp") => json!("2026-04-01T09:15"),
        _ => json!(PASSWORD),
    }
}

/// The same with every text a list, and every number a text.
fn spoilt(body: &Value) -> Value {
    match body {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), spoilt(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(spoilt).collect(),
        Value::String(text) => json!([text]),
        _ => json!(PASSWORD),
    }
}

/// Signs in and out and all that is between, and remembers every token that is given.
fn live(cage: &mut Cage<'_>) -> String {
    let account = json!({
        "name": "Kanari Vogel", "email": EMAIL, "phone": PHONE, "password": PASSWORD, "confirmPassword": PASSWORD,
    });
    assert_eq!(cage.post("/auth/register", "", &account).status, 201);
    cage.post("/auth/register", "", &account);
    for (login, password) in [(EMAIL, "kanari is wrong"), (PHONE, "kanari is wrong"), ("kanari nobody", PASSWORD)] {
        assert_eq!(cage.post("/auth/login", "", &json!({ "email": login, "password": password })).status, 401);
    }
    let signed_in = cage.post("/auth/login", "", &json!({ "email": PHONE, "password": PASSWORD }));
    let token = cage.keep(signed_in.json()["data"]["token"].as_str().unwrap());
    let cookies: Vec<String> =
        signed_in.cookies().iter().map(|(name, value)| format!("{name}={}", cage.keep(value))).collect();
    assert_eq!(cookies.len(), 2, "{cookies:?}");

    let cookies = cookies.join("; ");
    let refreshed = cage.send("POST", "/auth/refresh", &[("cookie", cookies.as_str())], b"");
    cage.keep(refreshed.json()["data"]["token"].as_str().unwrap());
    refreshed.cookies().iter().for_each(|(_, value)| drop(cage.keep(value)));

    let confirm = cage.letter("/confirm-email?token=");
    cage.send("GET", &format!("/confirm-email?token={confirm}"), &[], b"");
    assert_eq!(cage.post("/auth/confirm-email", "", &json!({ "token": confirm })).status, 204);
    assert_eq!(cage.post("/auth/forgot-password", "", &json!({ "email": EMAIL })).status, 202);
    let reset = cage.letter("/reset-password?token=");
    cage.send("GET", &format!("/reset-password?token={reset}"), &[], b"");
    let weak = json!({ "token": reset, "password": "kanari", "confirmPassword": "kanari" });
    assert_eq!(cage.post("/auth/reset-password", "", &weak).status, 422);

    let handoff = cage.post("/auth/handoff", &token, &Value::Null).json();
    let handoff = handoff["url"].as_str().unwrap().split_once("token=").unwrap().1;
    let handoff = cage.keep(handoff);
    cage.send("GET", &format!("/analytics?token={handoff}"), &[], b"");
    let analytics = cage.post("/analytics/session", "", &json!({ "token": handoff }));
    let analytics = cage.keep(analytics.json()["token"].as_str().unwrap());
    assert_eq!(cage.post("/analytics/session", "", &json!({ "token": analytics })).status, 401);

    let begun = cage.send("GET", "/auth/google", &[], b"");
    assert_eq!(begun.status, 303);
    let cookies: Vec<String> = begun.cookies().iter().map(|(name, value)| format!("{name}={value}")).collect();
    let state = cookies[0].split('|').nth(1).unwrap();
    cage.keep(cookies[0].rsplit('|').next().unwrap());
    let back = format!("/auth/google/callback?state={state}&code=kanari-code");
    let back = cage.send("GET", &back, &[("cookie", cookies[0].as_str())], b"");
    assert!(
        back.headers.contains(&("location".to_owned(), "/login?google=unreachable".to_owned())),
        "{:?}",
        back.headers
    );
    token
}

/// Applies, and does all that a candidate can.
fn apply(cage: &mut Cage<'_>) {
    let resume = pdf_with(b"kanari");
    let applying = Applying::new("resume.pdf", &resume).with("name", "Kanari Vogel").with("email", EMAIL);
    let applying = applying.with("mobile", PHONE).with("motivation", "kanari sings").form();
    let kind = [("content-type", Applying::TYPE)];
    assert_eq!(cage.send("POST", "/api/apply/FE101", &kind, &applying).status, 201);
    assert_eq!(cage.send("POST", "/api/apply/kanari", &kind, &applying).status, 422);
    let key = cage.letter("/application/");
    let shown = [("application-key", key.as_str()), ("content-type", "application/json")];
    cage.send("GET", &format!("/application/{key}"), &[], b"");
    cage.send("POST", &format!("/application/{key}"), &shown, b"{}");
    for (method, path, body, status) in [
        ("GET", "/api/application", "", 200),
        ("GET", "/api/application/resume", "", 200),
        ("PATCH", "/api/application", r#"{ "name": "Kanari V." }"#, 200),
        ("PATCH", "/api/application", r#"{ "linkedin": "kanari" }"#, 422),
        ("PUT", "/api/application/later-roles", "", 409),
        ("POST", "/api/application/withdraw", "", 200),
        ("PATCH", "/api/application", r#"{ "name": "Kanari" }"#, 409),
        ("DELETE", "/api/application", "", 204),
        ("GET", "/api/application", "", 404),
    ] {
        assert_eq!(cage.send(method, path, &shown, body.as_bytes()).status, status, "{method} {path}");
    }
}

/// Everything at every door.
fn knock(cage: &mut Cage<'_>, token: &str) {
    let query = "email=kanari.vogel@example.in&token=kanari-token&password=kanari&q=kanari&limit=kanari&cursor=kanari\
                 &code=kanari&state=kanari&phone=9811122233&format=kanari&from=kanari&broker=kanari&newer=kanari";
    let bearer = format!("Bearer {token}");
    let loud = [
        ("cookie", "rt=kanari-refresh; device=kanari-device; oauth=google|kanari|kanari|kanari; journal=kanari"),
        ("user-agent", "kanari 1.0"),
        ("referer", "http://127.0.0.1/?token=kanari"),
        ("x-forwarded-for", "kanari"),
        ("idempotency-key", "kanari-key"),
        ("application-key", "kanari-application"),
        ("if-none-match", "\"kanari\""),
        ("x-request-id", "kanari/9811122233"),
    ];
    let mut operations = CONTRACT.operations();
    let last = ["/account/close", "/auth/logout"];
    operations.sort_by_key(|(_, path, _)| last.contains(&path.as_str()));
    for (method, path, schema) in operations {
        // Until then it was a trader who asked, too.
        if last.first() == Some(&path.as_str()) {
            assert_eq!(cage.send("GET", "/account", &[("authorization", bearer.as_str())], b"").status, 200);
        }
        let path = path.replace("{id}", "kanari-id").replace("{jobid}", "kanari-job");
        let body = schema.map(|schema| filled("", schema)).unwrap_or_default();
        let whole = body.to_string();
        let broken = whole.trim_end_matches('}');
        let wrong = spoilt(&body).to_string();
        let form = "--x\r\ncontent-disposition: form-data; name=\"email\"\r\n\r\nkanari.other@example.in\r\n--x\r\n\
                    content-disposition: form-data; name=\"file\"; filename=\"kanari.csv\"\r\n\r\nkanari,9811122233\r\n--x--\r\n";
        for authorization in ["Bearer kanari-token", "Basic kanari", bearer.as_str()] {
            for (kind, body) in [
                ("application/json", broken),
                ("application/json", wrong.as_str()),
                ("text/kanari", whole.as_str()),
                ("multipart/form-data; boundary=x", form),
                ("multipart/form-data; boundary=x", "--x\r\nkanari"),
                ("application/json", whole.as_str()),
            ] {
                let mut headers = vec![("authorization", authorization), ("content-type", kind)];
                headers.extend(loud);
                let body = if method == "GET" { "" } else { body };
                cage.send(&method, &format!("/api/v1{path}?{query}"), &headers, body.as_bytes());
                cage.send(&method, &path, &headers, body.as_bytes());
            }
        }
    }
    for path in ["/kanari", "/api/v1/kanari?token=kanari", "/?token=kanari", "/login?password=kanari", "/%6banari%zz"] {
        for method in ["GET", "POST", "KANARI"] {
            cage.send(method, path, &loud, b"");
        }
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_is_secret_stands_in_no_log_no_metric_no_refusal_and_no_address(pool: PgPool) {
    let folder = tempfile::tempdir().unwrap();
    let mut cage = Cage::new(&pool, folder.path());
    let token = live(&mut cage);
    apply(&mut cage);
    knock(&mut cage, &token);
    let metrics = cage.send("GET", "/metrics", &[], b"");
    assert!(metrics.body.contains("/auth/login"), "{}", metrics.body);
    cage.hold_against("the metrics", &metrics.body);

    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let answered = log.lines().filter(|line| line.contains("\"answered\"")).count();
    assert!(answered + 1 >= cage.sent && log.contains("google_unreachable"), "{answered} of {}", cage.sent);
    for line in log.lines() {
        cage.hold_against("the log", line);
    }
}
