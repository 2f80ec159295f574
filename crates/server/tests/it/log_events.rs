//! Log events for operators, each with its request and account.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{PASSWORD, Upload, registration};
use crate::broker_files::{Fill, zerodha_csv};
use crate::careers::ApplicationForm;
use crate::email_files::{read_emails, text_after};
use crate::process::Process;
use crate::resumes::pdf;

const JSON: (&str, &str) = ("content-type", "application/json");

/// Server with a public URL, so that all limits apply, and its log in a file.
struct LoggedServer<'a> {
    server: Process,
    folder: &'a Path,
}

impl<'a> LoggedServer<'a> {
    fn start(pool: &PgPool, folder: &'a Path) -> Self {
        let log = File::options().create(true).append(true).open(folder.join("log")).unwrap();
        let server = Process::start_with(pool, &folder.join("data"), |command| {
            command.args(["--public-url", "https://tradebahi.example", "--erase-after-days", "0"]).stdout(log)
        });
        Self { server, folder }
    }

    fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
        status: u16,
    ) -> (Value, Vec<String>) {
        let mut reply = self.server.send(method, path, headers, body);
        let mut body = Vec::new();
        reply.reader.read_to_end(&mut body).unwrap();
        assert_eq!(reply.status, status, "{method} {path}: {}", String::from_utf8_lossy(&body));
        let set = reply.headers.iter().filter(|(name, _)| name == "set-cookie");
        let cookies = set.filter_map(|(_, value)| value.split(';').next().map(str::to_owned)).collect();
        (serde_json::from_slice(&body).unwrap_or_default(), cookies)
    }

    fn post(&self, path: &str, body: &Value, status: u16) -> (Value, Vec<String>) {
        self.request("POST", path, &[JSON], body.to_string().as_bytes(), status)
    }

    fn log_in(&self, email: &str) -> (String, Vec<String>) {
        let (reply, cookies) = self.post("/auth/login", &json!({ "email": email, "password": PASSWORD }), 200);
        (format!("Bearer {}", reply["data"]["token"].as_str().unwrap()), cookies)
    }

    /// Returns the events logged so far, by name.
    fn events(&self) -> BTreeMap<String, Vec<Value>> {
        let mut events: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for line in fs::read_to_string(self.folder.join("log")).unwrap().lines() {
            let event: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            events.entry(event["message"].as_str().unwrap().to_owned()).or_default().push(event);
        }
        events
    }

    /// Waits for an email with `link`, and returns the token in the link.
    fn wait_for_link_token(&self, link: &str) -> String {
        self.wait_for_link_token_to("", link)
    }

    /// As [`Self::wait_for_link_token`], for an email to `address`.
    fn wait_for_link_token_to(&self, address: &str, link: &str) -> String {
        wait_for(link, || {
            let folder = self.folder.join("data/mail");
            let email = read_emails(&folder).find(|email| email.contains(link) && email.contains(address))?;
            Some(text_after(&email, link))
        })
    }
}

fn wait_for<T>(name: &str, mut poll: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(value) = poll() {
            return value;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "no {name}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Logs in with right and wrong passwords, too often, and with a reused refresh token.
fn use_sessions(server: &LoggedServer<'_>) {
    for (email, phone) in [("asha@example.in", "9820041537"), ("ravi@example.in", "9820041538")] {
        server.post("/auth/register", &registration("Asha Rao", email, phone), 201);
    }
    // Each failure makes the next wait longer, so a slow machine is blocked a little later.
    let wrong = json!({ "email": "ravi@example.in", "password": "not this one" }).to_string();
    let mut attempts = (0..16).map(|_| server.server.send_json("POST", "/auth/login", &[JSON], wrong.as_bytes()).0);
    assert!(attempts.any(|status| status == 429), "no login was blocked");
    server.post("/auth/login", &json!({ "email": "nobody@example.in", "password": "not this one" }), 401);
    let (_, first) = server.log_in("asha@example.in");
    let refresh = |cookies: &[String], status| {
        server.request("POST", "/auth/refresh", &[("cookie", cookies.join("; ").as_str())], b"", status).1
    };
    let second = refresh(&first, 200);
    refresh(&second, 200);
    refresh(&first, 401);
    server.request("GET", "/trades/client", &[("authorization", "Bearer of-nothing")], b"", 401);
    server.request("POST", "/auth/logout", &[("sec-fetch-site", "cross-site")], b"", 403);
    for status in [[204; 10].as_slice(), &[429]].concat() {
        server.request(
            "POST",
            "/api/csp-report",
            &[("content-type", "application/csp-report")],
            br#"{ "csp-report": {} }"#,
            status,
        );
    }
}

/// Logs out and in, imports, adds a trade, exports, and closes the account.
fn use_account(server: &LoggedServer<'_>) {
    let (_, cookies) = server.log_in("asha@example.in");
    server.request("POST", "/auth/logout", &[("cookie", cookies.join("; ").as_str())], b"", 204);
    let (bearer, _) = server.log_in("asha@example.in");
    let fills: Vec<Fill> = (0..3).map(Fill::nth).collect();
    let headers = [("authorization", bearer.as_str()), ("content-type", Upload::CONTENT_TYPE)];
    for (file, status) in [(zerodha_csv(&fills), 200), (b"no, nothing".to_vec(), 422)] {
        server.request("POST", "/uploadexcel", &headers, &Upload::new("book.csv", &file, "zerodha").form(), status);
    }
    let headers = [("authorization", bearer.as_str()), JSON];
    server.request("POST", "/trades/add", &headers, crate::trades::entry(&json!({})).to_string().as_bytes(), 200);
    server.request("GET", "/account/export?format=json", &headers, b"", 200);
    server.request("GET", "/trades/client?email=ravi@example.in", &headers, b"", 403);
    let password = json!({ "password": PASSWORD }).to_string();
    server.request("POST", "/account/close", &headers, password.as_bytes(), 200);
}

/// Applies, withdraws and deletes the application.
fn use_application(server: &LoggedServer<'_>) {
    let apply = |resume: &[u8], status| {
        let form = ApplicationForm::new("resume.pdf", resume).form();
        server.request("POST", "/api/apply/FE101", &[("content-type", ApplicationForm::CONTENT_TYPE)], &form, status).0
    };
    let receipt = apply(&pdf(), 201);
    apply(b"no resume", 422);
    let key = server.wait_for_link_token("/application#");
    let headers = [("application-key", key.as_str()), JSON];
    server.request("POST", "/api/application/link", &headers, b"", 202);
    let token = receipt["emailCorrectionToken"].as_str().unwrap();
    let headers = [("email-correction-token", token), JSON];
    server.request("PUT", "/api/application/email", &headers, br#"{ "email": "right@example.in" }"#, 204);
    let key = server.wait_for_link_token_to("right@example.in", "/application#");
    let headers = [("application-key", key.as_str()), JSON];
    server.request("POST", "/api/application/withdraw", &headers, b"", 200);
    server.request("DELETE", "/api/application", &headers, b"", 204);
}

#[sqlx::test(migrations = "../../migrations")]
async fn actions_are_logged_with_request_and_account(pool: PgPool) {
    let folder = tempfile::tempdir().unwrap();
    let server = LoggedServer::start(&pool, folder.path());
    use_sessions(&server);
    use_account(&server);
    use_application(&server);
    drop(server);
    // The cleanup job runs soon after the start, and the account can no longer be restored.
    let server = LoggedServer::start(&pool, folder.path());
    let deleted = || Some(server.events()).filter(|events| events.contains_key("account_deleted"));
    let events = wait_for("account_deleted", deleted);
    let request_events = [
        "account_registered",
        "application_deleted",
        "application_received",
        "application_rejected",
        "application_withdrawn",
        "call_rejected",
        "cross_site_rejected",
        "limit_reached",
    ];
    let account_events = [
        "account_closed",
        "account_exported",
        "file_imported",
        "file_rejected",
        "refresh_token_reused",
        "login",
        "login_throttled",
        "login_failed",
        "logout",
        "trade_added",
        "trades_imported",
    ];
    for name in request_events.iter().chain(&account_events) {
        let logged = events.get(*name).unwrap_or_else(|| panic!("no {name} in {:?}", events.keys()));
        for event in logged {
            let request = &event["span"];
            assert!(request["id"].is_string() && request["route"].is_string(), "{event:#}");
            let has_reply = events["answered"].iter().any(|line| line["span"]["id"] == request["id"]);
            assert!(has_reply && event["timestamp"].as_str().unwrap().ends_with('Z'), "{event:#}");
        }
    }
    for name in account_events {
        let account = |event: &Value| event["account_id"].is_string() || event["span"]["account_id"].is_string();
        assert!(events[name].iter().any(account), "{name}: {:#}", events[name][0]);
    }
    assert!(events["account_deleted"][0]["account_id"].is_string());
    assert_eq!(events["file_rejected"][0]["code"], "FILE_NOT_SUPPORTED");
    if cfg!(target_os = "linux") {
        let support = events.get("sandbox_complete").or_else(|| events.get("sandbox_incomplete")).unwrap();
        assert!(support[0]["landlock"].is_number() && support[0]["seccomp"].is_boolean(), "{:#}", support[0]);
    }
    // People appear by id only.
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    for secret in ["asha", "ravi", "nobody@", "98200", PASSWORD, "not this one", "INFY"] {
        assert!(!log.to_lowercase().contains(&secret.to_lowercase()), "{secret}");
    }
}

/// Collects the event names in the log calls below `folder`. Sentences are ignored.
fn collect_events(folder: &Path, events: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            collect_events(&path, events);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(path).unwrap();
            for level in ["debug", "info", "warn", "error"] {
                let begin = format!("tracing::{level}!(");
                let calls = text.split(begin.as_str()).skip(1);
                events.extend(calls.filter_map(last_string).filter(|name| is_event_name(name)).map(str::to_owned));
            }
        }
    }
}

/// Returns the last string of a log call.
fn last_string(call: &str) -> Option<&str> {
    let mut open = 1;
    let end = call.find(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0
    })?;
    call[..end].rsplit('"').nth(1)
}

fn is_event_name(message: &str) -> bool {
    !message.is_empty() && message.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

#[test]
fn the_operations_guide_lists_every_event() {
    let mut events = BTreeSet::new();
    for package in fs::read_dir("..").unwrap() {
        let sources = package.unwrap().path().join("src");
        if sources.is_dir() {
            collect_events(&sources, &mut events);
        }
    }
    let (_, table) = include_str!("../../README.md").split_once("\n| Event | When |\n").unwrap();
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let documented = rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split('`').skip(1).step_by(2));
    assert_eq!(documented.map(str::to_owned).collect::<BTreeSet<_>>(), events);
}
