//! Responses of the operations for login and account settings.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use axum::body::Body;
use http::{Method, Request};
use mail::Mailer;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::api_description::DocumentedResponse;
use crate::app::{App, PASSWORD, Reply, Trader, receive_phone_code};
use crate::email_files::{read_emails, text_after};

/// Responses of a login with Google. They need a Google server and are covered by the tests with a fake one.
pub const GOOGLE_RESPONSES: [(&str, &str); 8] = [
    ("POST /auth/google/link", "403"),
    ("GET /auth/google", "303"),
    ("POST /auth/exchange", "200"),
    ("POST /auth/exchange", "403"),
    ("POST /auth/google/register", "200"),
    ("POST /auth/google/link", "200"),
    ("POST /auth/google/link", "401"),
    ("POST /auth/google/link", "429"),
];

/// Responses covered so far, and the product.
struct Coverage<'a> {
    app: &'a App,
    covered: &'a mut BTreeSet<DocumentedResponse>,
}

impl Coverage<'_> {
    /// Records the documented response that the reply matches.
    fn record(&mut self, reply: Reply) -> Reply {
        self.covered.extend(reply.documented.clone());
        reply
    }

    async fn post(&mut self, path: &str, body: Value) -> Reply {
        let reply = self.app.post(path, &body).await;
        self.record(reply)
    }

    async fn send(&mut self, trader: &Trader<'_>, method: Method, path: &str, body: Option<Value>) -> Reply {
        let request = trader.request(method, path);
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(Body::from(body.to_string())),
            None => request.body(Body::empty()),
        };
        let reply = self.app.send(request.unwrap()).await;
        self.record(reply)
    }

    /// Sends a body that is not JSON.
    async fn send_malformed(&mut self, trader: &Trader<'_>, method: Method, path: &str) {
        let request = trader.request(method, path).header("content-type", "application/json");
        let reply = self.app.send(request.body(Body::from("{")).unwrap()).await;
        self.record(reply);
    }
}

pub async fn cover(app: &App, pool: &PgPool, covered: &mut BTreeSet<DocumentedResponse>) {
    let mut coverage = Coverage { app, covered };
    cover_missing_session(&mut coverage).await;
    cover_emailed_links(&mut coverage, pool).await;
    cover_own_account(&mut coverage, pool).await;
    cover_phone_verification(&mut coverage, pool).await;
    cover_passwords(&mut coverage, pool).await;
    cover_token_exchanges(&mut coverage, pool).await;
    cover_missing_google_settings(&mut coverage).await;
}

async fn cover_missing_session(coverage: &mut Coverage<'_>) {
    for (method, path) in [
        (Method::GET, "/account"),
        (Method::PATCH, "/account"),
        (Method::POST, "/account/password"),
        (Method::GET, "/account/sessions"),
        (Method::DELETE, "/account/sessions"),
        (Method::DELETE, "/account/sessions/x"),
        (Method::POST, "/account/confirmation"),
        (Method::POST, "/account/phone/code"),
        (Method::POST, "/account/phone/verify"),
        (Method::GET, "/account/export"),
        (Method::POST, "/account/close"),
        (Method::POST, "/auth/handoff"),
    ] {
        let reply = coverage.app.send(Request::builder().method(method).uri(path).body(Body::empty()).unwrap()).await;
        coverage.record(reply).expect_problem(401, "unauthenticated");
    }
    for path in [
        "/auth/forgot-password",
        "/auth/reset-password",
        "/auth/confirm-email",
        "/auth/google/register",
        "/auth/google/link",
        "/auth/check-link",
        "/auth/exchange",
        "/analytics/session",
    ] {
        let broken = Request::post(path).header("content-type", "application/json").body(Body::from("{")).unwrap();
        let reply = coverage.app.send(broken).await;
        coverage.record(reply).expect_problem(400, "malformed");
        coverage.post(path, json!({})).await.expect_problem(422, "invalid");
    }
}

async fn cover_emailed_links(coverage: &mut Coverage<'_>, pool: &PgPool) {
    let trader = coverage.app.register_trader().await;
    assert_eq!(coverage.send(&trader, Method::POST, "/account/confirmation", None).await.status, 202);
    assert_eq!(coverage.post("/auth/forgot-password", json!({ "email": trader.email })).await.status, 202);
    let folder = tempfile::tempdir().unwrap();
    let mailer = Mailer::new(&mail::Settings::default(), folder.path().to_owned()).unwrap();
    let settings = auth::Settings { site_url: "http://127.0.0.1:8080".to_owned(), ..Default::default() };
    let sender = tokio::spawn(auth::send_emails(pool.clone(), mailer, settings));
    let confirmation = wait_for_token(folder.path(), &trader.email, "/confirm-email").await;
    let reset = wait_for_token(folder.path(), &trader.email, "/reset-password").await;
    sender.abort();
    assert_eq!(coverage.post("/auth/confirm-email", json!({ "token": confirmation })).await.status, 204);
    let passwords = json!({ "token": reset, "password": "Winter 77 snow", "confirmPassword": "Winter 77 snow" });
    assert_eq!(coverage.post("/auth/reset-password", passwords.clone()).await.status, 204);
    coverage.post("/auth/reset-password", passwords).await.expect_problem(422, "link_expired");
}

/// Waits for an email to `email` with a link to `page`, and returns the token in the link.
async fn wait_for_token(folder: &std::path::Path, email: &str, page: &str) -> String {
    let link = format!("http://127.0.0.1:8080{page}?token=");
    let started = Instant::now();
    loop {
        if let Some(text) = read_emails(folder).find(|text| text.contains(email) && text.contains(&link)) {
            return text_after(&text, &link);
        }
        assert!(started.elapsed() < Duration::from_secs(10), "no email with a link to {page}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn cover_phone_verification(coverage: &mut Coverage<'_>, pool: &PgPool) {
    let (asha, ravi) = (coverage.app.register_trader().await, coverage.app.register_trader().await);
    coverage.send_malformed(&asha, Method::POST, "/account/phone/verify").await;
    let mut ravis_code = String::new();
    for trader in [&asha, &ravi] {
        sqlx::query("update auth.account set phone = '7111111111' where email = $1")
            .bind(&trader.email)
            .execute(pool)
            .await
            .unwrap();
        assert_eq!(coverage.send(trader, Method::POST, "/account/phone/code", None).await.status, 202);
        // Both messages go to this number, so each is received before the next one is requested.
        ravis_code = receive_phone_code(pool, "7111111111").await;
    }
    let verify = |code: &str| Some(json!({ "code": code }));
    coverage.send(&asha, Method::POST, "/account/phone/verify", verify("")).await.expect_problem(422, "invalid");
    assert_eq!(coverage.send(&ravi, Method::POST, "/account/phone/verify", verify(&ravis_code)).await.status, 200);
    coverage.send(&asha, Method::POST, "/account/phone/code", None).await.expect_problem(409, "phone_taken");

    sqlx::query("update auth.account set phone = '7111111112' where email = $1")
        .bind(&asha.email)
        .execute(pool)
        .await
        .unwrap();
    assert_eq!(coverage.send(&asha, Method::POST, "/account/phone/code", None).await.status, 202);
    let ashas_code = receive_phone_code(pool, "7111111112").await;
    sqlx::query("update auth.account set phone = '7111111111' where email = $1")
        .bind(&asha.email)
        .execute(pool)
        .await
        .unwrap();
    sqlx::query("update auth.phone_code set phone = '7111111111'").execute(pool).await.unwrap();
    coverage
        .send(&asha, Method::POST, "/account/phone/verify", verify(&ashas_code))
        .await
        .expect_problem(409, "phone_taken");
    sqlx::query("update auth.account set phone = null where email = $1").bind(&asha.email).execute(pool).await.unwrap();
    coverage.send(&asha, Method::POST, "/account/phone/code", None).await.expect_problem(422, "invalid");

    let tara = coverage.app.register_trader().await;
    for _ in 0..3 {
        coverage.send(&tara, Method::POST, "/account/phone/code", None).await;
    }
    let limited = coverage.send(&tara, Method::POST, "/account/phone/code", None).await;
    assert!(limited.headers.contains_key("retry-after"));
    limited.expect_problem(429, "sms_limit_reached");

    // With an https address there are no files in place of text messages.
    let without_sms = App::with_arguments(pool, &["--public-url", "https://tradebahi.example"]).await;
    let request = tara.request(Method::POST, "/account/phone/code").header("host", "tradebahi.example");
    let reply = without_sms.send(request.body(Body::empty()).unwrap()).await;
    coverage.record(reply).expect_problem(404, "sms_not_configured");
}

async fn cover_own_account(coverage: &mut Coverage<'_>, pool: &PgPool) {
    let (trader, other) = (coverage.app.register_trader().await, coverage.app.register_trader().await);
    other.verify_phone(pool).await;
    assert_eq!(coverage.send(&trader, Method::GET, "/account", None).await.json()["email"], trader.email.as_str());
    let changed = coverage.send(&trader, Method::PATCH, "/account", Some(json!({ "name": "Asha R" }))).await;
    assert_eq!((changed.status.as_u16(), &changed.json()["name"]), (200, &json!("Asha R")));
    let taken = coverage.send(&trader, Method::PATCH, "/account", Some(json!({ "phone": other.phone }))).await;
    taken.expect_problem(409, "phone_taken");
    coverage.send(&trader, Method::PATCH, "/account", Some(json!({ "name": "" }))).await.expect_problem(422, "invalid");
    coverage.send_malformed(&trader, Method::PATCH, "/account").await;

    let login = json!({ "email": trader.email, "password": PASSWORD });
    coverage.post("/auth/login", login.clone()).await;
    let sessions = coverage.send(&trader, Method::GET, "/account/sessions", None).await.json()["sessions"].clone();
    let id = |current: bool| {
        let session = sessions.as_array().unwrap().iter().find(|session| session["current"] == current);
        session.unwrap()["id"].as_str().unwrap().to_owned()
    };
    let another = format!("/account/sessions/{}", id(false));
    assert_eq!(coverage.send(&trader, Method::DELETE, &another, None).await.status, 204);
    coverage.send(&trader, Method::DELETE, &another, None).await.expect_problem(404, "session_not_found");
    let foreign_session = format!("/account/sessions/{}", id(true));
    coverage.send(&other, Method::DELETE, &foreign_session, None).await.expect_problem(404, "session_not_found");
    coverage.post("/auth/login", login).await;
    let ended = coverage.send(&trader, Method::DELETE, "/account/sessions", None).await;
    assert_eq!(ended.json(), json!({ "endedSessions": 1 }));
    sqlx::query("update auth.session set authenticated_at = null").execute(pool).await.unwrap();
    for path in ["/account/sessions", another.as_str()] {
        let refused = coverage.send(&trader, Method::DELETE, path, None).await;
        refused.expect_problem(403, "reauthentication_required");
    }
    sqlx::query("update auth.session set authenticated_at = now()").execute(pool).await.unwrap();

    let all = coverage.send(&trader, Method::GET, "/account/export", None).await.json();
    assert_eq!((&all["account"]["email"], &all["trades"]), (&json!(trader.email), &json!([])));
    assert_eq!(coverage.send(&trader, Method::GET, "/account/export?format=csv", None).await.status, 200);
    coverage.send(&trader, Method::GET, "/account/export?format=pdf", None).await.expect_problem(422, "invalid");
}

async fn cover_passwords(coverage: &mut Coverage<'_>, pool: &PgPool) {
    let trader = coverage.app.register_trader().await;
    let change = |current: &str| json!({ "currentPassword": current, "password": "Winter 77 snow", "confirmPassword": "Winter 77 snow" });
    coverage.send_malformed(&trader, Method::POST, "/account/password").await;
    coverage.send_malformed(&trader, Method::POST, "/account/close").await;
    let changed = coverage.send(&trader, Method::POST, "/account/password", Some(change(PASSWORD))).await;
    assert_eq!(changed.json(), json!({ "endedSessions": 0 }));
    let close = |password: &str| Some(json!({ "password": password }));
    coverage.send(&trader, Method::POST, "/account/close", close("wrong")).await.expect_problem(422, "invalid");
    let closed = coverage.send(&trader, Method::POST, "/account/close", close("Winter 77 snow")).await;
    assert_eq!(closed.status, 200);
    let login = json!({ "email": trader.email, "password": "Winter 77 snow" });
    let refused = coverage.post("/auth/login", login.clone()).await.expect_problem(403, "account_closed").json();
    assert_eq!(refused["deletedOn"], closed.json()["deletedOn"]);
    let mut restore = login;
    restore["restore"] = json!(true);
    assert_eq!(coverage.post("/auth/login", restore).await.status, 200);

    let blocked = coverage.app.register_trader().await;
    for _ in 0..5 {
        coverage
            .send(&blocked, Method::POST, "/account/password", Some(change("wrong")))
            .await
            .expect_problem(422, "invalid");
    }
    coverage
        .send(&blocked, Method::POST, "/account/password", Some(change("wrong")))
        .await
        .expect_problem(429, "login_throttled");
    coverage
        .send(&blocked, Method::POST, "/account/close", close("wrong"))
        .await
        .expect_problem(429, "login_throttled");
    for _ in 0..5 {
        coverage.post("/auth/login", json!({ "email": "nobody@example.in", "password": "wrong" })).await;
    }
    let reply = coverage.post("/auth/login", json!({ "email": "nobody@example.in", "password": "wrong" })).await;
    assert_eq!(reply.expect_problem(429, "login_throttled").json()["success"], false);

    let by_google = coverage.app.register_trader().await;
    let without = sqlx::query("update auth.account set password_hash = null where email = $1").bind(&by_google.email);
    without.execute(pool).await.unwrap();
    coverage
        .send(&by_google, Method::POST, "/account/password", Some(change("x")))
        .await
        .expect_problem(403, "no_password");
    coverage.send(&by_google, Method::POST, "/account/close", close("x")).await.expect_problem(403, "no_password");
}

async fn cover_token_exchanges(coverage: &mut Coverage<'_>, pool: &PgPool) {
    let trader = coverage.app.register_trader().await;
    // {"jti":"x"}
    let token = "head.eyJqdGkiOiJ4In0.signature";
    coverage.post("/auth/exchange", json!({ "token": token })).await.expect_problem(409, "confirm_login");
    coverage
        .post("/auth/exchange", json!({ "token": token, "confirm": true }))
        .await
        .expect_problem(401, "session_ended");

    coverage.post("/auth/check-link", json!({ "token": token })).await.expect_problem(401, "session_ended");
    let link = json!({ "token": trader.token });
    coverage.post("/auth/check-link", link.clone()).await.expect_problem(403, "email_not_confirmed");
    let confirm = sqlx::query("update auth.account set email_confirmed_at = now() where email = $1");
    confirm.bind(&trader.email).execute(pool).await.unwrap();
    let account = coverage.post("/auth/check-link", link).await.json();
    assert_eq!((&account["email"], &account["startedHere"]), (&json!(trader.email), &json!(false)));

    let request = trader.request(Method::POST, "/auth/handoff").header("host", "127.0.0.1:8080");
    let reply = coverage.app.send(request.body(Body::empty()).unwrap()).await;
    let url = coverage.record(reply).json()["url"].as_str().unwrap().to_owned();
    let token = url.strip_prefix("http://127.0.0.1:8080/analytics?token=").unwrap();
    let session = coverage.post("/analytics/session", json!({ "token": token })).await.json();
    let bearer = format!("Bearer {}", session["token"].as_str().unwrap());
    for (request, status) in [
        (Request::get("/account"), 200),
        (Request::get("/trades/client"), 200),
        (Request::get("/account/sessions"), 403),
        (Request::post("/auth/handoff").header("host", "127.0.0.1:8080"), 403),
    ] {
        let reply = coverage.app.send(request.header("authorization", &bearer).body(Body::empty()).unwrap()).await;
        assert_eq!(reply.status, status);
    }
    coverage.post("/analytics/session", json!({ "token": token })).await.expect_problem(401, "session_ended");
}

async fn cover_missing_google_settings(coverage: &mut Coverage<'_>) {
    let get = |path: &str| Request::get(path).header("host", "127.0.0.1:8080").body(Body::empty()).unwrap();
    let reply = coverage.app.send(get("/auth/google/callback?state=x&code=y")).await;
    assert_eq!(coverage.record(reply).headers["location"], "/login?google=expired");
    coverage.post("/auth/google/link", json!({ "password": "x" })).await.expect_problem(422, "link_expired");
    let notice = json!({ "noticeVersion": "2026-11-23" });
    coverage.post("/auth/google/register", notice).await.expect_problem(422, "link_expired");
    let reply = coverage.app.get("/auth/options").await;
    assert_eq!(coverage.record(reply).json(), json!({ "google": false }));
    let reply = coverage.app.send(get("/auth/google")).await;
    coverage.record(reply).expect_problem(404, "google_not_configured");
}
