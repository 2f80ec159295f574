//! What whoever watches the server finds in its log: an event for each thing that may have to be explained later, with
//! the request and the account that it belongs to.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{PASSWORD, Upload, registration};
use crate::careers::Applying;
use crate::files::{Fill, zerodha_csv};
use crate::process::Process;
use crate::resumes::pdf;

const JSON: (&str, &str) = ("content-type", "application/json");

/// A server as the world sees one, so that every limit counts, with its log in a file.
struct Watched<'a> {
    server: Process,
    folder: &'a Path,
}

impl<'a> Watched<'a> {
    fn start(pool: &PgPool, folder: &'a Path) -> Self {
        let log = File::options().create(true).append(true).open(folder.join("log")).unwrap();
        let server = Process::start_with(pool, &folder.join("data"), |command| {
            command.args(["--public-url", "https://tradebahi.example", "--erase-after-days", "0"]).stdout(log)
        });
        Self { server, folder }
    }

    fn ask(
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
        self.ask("POST", path, &[JSON], body.to_string().as_bytes(), status)
    }

    fn sign_in(&self, email: &str) -> (String, Vec<String>) {
        let (reply, cookies) = self.post("/auth/login", &json!({ "email": email, "password": PASSWORD }), 200);
        (format!("Bearer {}", reply["data"]["token"].as_str().unwrap()), cookies)
    }

    /// The events that are logged by now, by their names.
    fn events(&self) -> BTreeMap<String, Vec<Value>> {
        let mut events: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for line in fs::read_to_string(self.folder.join("log")).unwrap().lines() {
            let event: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            events.entry(event["message"].as_str().unwrap().to_owned()).or_default().push(event);
        }
        events
    }

    /// The secret behind `link` in a letter, once it is written.
    fn letter(&self, link: &str) -> String {
        wait_for(link, || {
            let letters = fs::read_dir(self.folder.join("data/mail")).into_iter().flatten();
            let mut letters = letters.filter_map(|letter| fs::read_to_string(letter.ok()?.path()).ok());
            letters.find_map(|letter| Some(letter.split_once(link)?.1.lines().next()?.to_owned()))
        })
    }
}

fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "no {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Signs in rightly, wrongly, too often, and with a token that somebody else has used.
fn come_and_go(watched: &Watched<'_>) {
    for (email, phone) in [("asha@example.in", "9820041537"), ("ravi@example.in", "9820041538")] {
        watched.post("/auth/register", &registration("Asha Rao", email, phone), 201);
    }
    // Each failure makes the next wait longer, so that a slow machine is held a little later.
    let wrong = json!({ "email": "ravi@example.in", "password": "not this one" }).to_string();
    let mut tries = (0..16).map(|_| watched.server.json("POST", "/auth/login", &[JSON], wrong.as_bytes()).0);
    assert!(tries.any(|status| status == 429), "nobody is held");
    watched.post("/auth/login", &json!({ "email": "nobody@example.in", "password": "not this one" }), 401);
    let (_, first) = watched.sign_in("asha@example.in");
    let refresh = |cookies: &[String], status| {
        watched.ask("POST", "/auth/refresh", &[("cookie", cookies.join("; ").as_str())], b"", status).1
    };
    let second = refresh(&first, 200);
    refresh(&second, 200);
    refresh(&first, 401);
    watched.ask("GET", "/trades/client", &[("authorization", "Bearer of-nothing")], b"", 401);
    watched.ask("POST", "/auth/logout", &[("sec-fetch-site", "cross-site")], b"", 403);
    for status in [[204; 10].as_slice(), &[429]].concat() {
        watched.ask(
            "POST",
            "/api/csp-report",
            &[("content-type", "application/csp-report")],
            br#"{ "csp-report": {} }"#,
            status,
        );
    }
}

/// Signs out and in again, imports, enters, exports, and closes the account.
fn trade(watched: &Watched<'_>) {
    let (_, cookies) = watched.sign_in("asha@example.in");
    watched.ask("POST", "/auth/logout", &[("cookie", cookies.join("; ").as_str())], b"", 204);
    let (bearer, _) = watched.sign_in("asha@example.in");
    let fills: Vec<Fill> = (0..3).map(Fill::nth).collect();
    let headers = [("authorization", bearer.as_str()), ("content-type", Upload::TYPE)];
    for (file, status) in [(zerodha_csv(&fills), 200), (b"no, nothing".to_vec(), 422)] {
        watched.ask("POST", "/uploadexcel", &headers, &Upload::new("book.csv", &file, "zerodha").form(), status);
    }
    let headers = [("authorization", bearer.as_str()), JSON];
    watched.ask("POST", "/trades/add", &headers, crate::trades::entry(&json!({})).to_string().as_bytes(), 200);
    watched.ask("GET", "/account/export?format=json", &headers, b"", 200);
    watched.ask("GET", "/trades/client?email=ravi@example.in", &headers, b"", 403);
    let password = json!({ "password": PASSWORD }).to_string();
    watched.ask("POST", "/account/close", &headers, password.as_bytes(), 200);
}

/// Applies, and takes it back.
fn apply(watched: &Watched<'_>) {
    for (resume, status) in [(pdf(), 201), (b"no resume".to_vec(), 422)] {
        let form = Applying::new("resume.pdf", &resume).form();
        watched.ask("POST", "/api/apply/FE101", &[("content-type", Applying::TYPE)], &form, status);
    }
    let key = watched.letter("/application/");
    let headers = [("application-key", key.as_str()), JSON];
    watched.ask("POST", "/api/application/withdraw", &headers, b"", 200);
    watched.ask("DELETE", "/api/application", &headers, b"", 204);
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_may_have_to_be_explained_is_in_the_log(pool: PgPool) {
    let folder = tempfile::tempdir().unwrap();
    let watched = Watched::start(&pool, folder.path());
    come_and_go(&watched);
    trade(&watched);
    apply(&watched);
    drop(watched);
    // A server sweeps soon after it starts, and the account's time to come back is over.
    let watched = Watched::start(&pool, folder.path());
    let erased = || Some(watched.events()).filter(|events| events.contains_key("account_erased"));
    let events = wait_for("account_erased", erased);
    let of_request = [
        "account_registered",
        "application_erased",
        "application_received",
        "application_refused",
        "application_withdrawn",
        "call_refused",
        "cross_site_refused",
        "limit_reached",
    ];
    let of_account = [
        "account_closed",
        "account_exported",
        "file_imported",
        "file_refused",
        "refresh_reuse",
        "sign_in",
        "sign_in_held",
        "sign_in_refused",
        "sign_out",
        "trade_added",
        "trades_imported",
    ];
    for name in of_request.iter().chain(&of_account) {
        let found = events.get(*name).unwrap_or_else(|| panic!("no {name} in {:?}", events.keys()));
        for event in found {
            let request = &event["span"];
            assert!(request["id"].is_string() && request["route"].is_string(), "{event:#}");
            let answered = events["answered"].iter().any(|line| line["span"]["id"] == request["id"]);
            assert!(answered && event["timestamp"].as_str().unwrap().ends_with('Z'), "{event:#}");
        }
    }
    for name in of_account {
        let account = |event: &Value| event["account_id"].is_string() || event["span"]["account_id"].is_string();
        assert!(events[name].iter().any(account), "{name}: {:#}", events[name][0]);
    }
    assert!(events["account_erased"][0]["account_id"].is_string());
    assert_eq!(events["file_refused"][0]["code"], "FILE_UNKNOWN");
    // Nobody is named but by an id.
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    for secret in ["asha", "ravi", "nobody@", "98200", PASSWORD, "not this one", "INFY"] {
        assert!(!log.to_lowercase().contains(&secret.to_lowercase()), "{secret}");
    }
}

/// The last text of each thing that is logged in `folder`, where it is an event's name and no sentence.
fn logged(folder: &Path, events: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            logged(&path, events);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(path).unwrap();
            for level in ["debug", "info", "warn", "error"] {
                let begin = format!("tracing::{level}!(");
                let calls = text.split(begin.as_str()).skip(1);
                events.extend(calls.filter_map(message).filter(|name| is_name(name)).map(str::to_owned));
            }
        }
    }
}

/// The last text before the call ends.
fn message(call: &str) -> Option<&str> {
    let mut open = 1;
    let end = call.find(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0
    })?;
    call[..end].rsplit('"').nth(1)
}

fn is_name(message: &str) -> bool {
    !message.is_empty() && message.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

#[test]
fn the_readme_names_every_event_and_no_other() {
    let mut events = BTreeSet::new();
    for package in fs::read_dir("..").unwrap() {
        logged(&package.unwrap().path().join("src"), &mut events);
    }
    let (_, table) = include_str!("../../../../README.md").split_once("\n| Event | When |\n").unwrap();
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let told = rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split('`').skip(1).step_by(2));
    assert_eq!(told.map(str::to_owned).collect::<BTreeSet<_>>(), events);
}
