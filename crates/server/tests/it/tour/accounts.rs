//! The operations of signing in and of taking care of an account.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use axum::body::Body;
use http::{Method, Request};
use mail::Mailer;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, PASSWORD, Reply, Trader};
use crate::contract::Listed;

/// What the browser gets of a sign-in by Google needs a Google, and is met where one is played.
pub const AT_GOOGLE: [(&str, &str); 5] = [
    ("GET /auth/google", "303"),
    ("POST /auth/exchange", "200"),
    ("POST /auth/google/link", "200"),
    ("POST /auth/google/link", "401"),
    ("POST /auth/google/link", "429"),
];

/// What was met so far, and where to meet more.
struct Tour<'a> {
    app: &'a App,
    met: &'a mut BTreeSet<Listed>,
}

impl Tour<'_> {
    /// Remembers which status of the contract a reply is.
    fn note(&mut self, reply: Reply) -> Reply {
        self.met.extend(reply.listed.clone());
        reply
    }

    async fn post(&mut self, path: &str, body: Value) -> Reply {
        let reply = self.app.post(path, &body).await;
        self.note(reply)
    }

    async fn ask(&mut self, trader: &Trader<'_>, method: Method, path: &str, body: Option<Value>) -> Reply {
        let request = trader.request(method, path);
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(Body::from(body.to_string())),
            None => request.body(Body::empty()),
        };
        let reply = self.app.send(request.unwrap()).await;
        self.note(reply)
    }

    /// Asks with a body that is not JSON.
    async fn break_off(&mut self, trader: &Trader<'_>, method: Method, path: &str) {
        let request = trader.request(method, path).header("content-type", "application/json");
        let reply = self.app.send(request.body(Body::from("{")).unwrap()).await;
        self.note(reply);
    }
}

pub async fn meet(app: &App, pool: &PgPool, met: &mut BTreeSet<Listed>) {
    let mut tour = Tour { app, met };
    without_a_sign_in(&mut tour).await;
    letters(&mut tour, pool).await;
    own_account(&mut tour).await;
    passwords(&mut tour, pool).await;
    ways_elsewhere(&mut tour).await;
    without_google(&mut tour).await;
}

async fn without_a_sign_in(tour: &mut Tour<'_>) {
    for (method, path) in [
        (Method::GET, "/account"),
        (Method::PATCH, "/account"),
        (Method::POST, "/account/password"),
        (Method::GET, "/account/sign-ins"),
        (Method::DELETE, "/account/sign-ins"),
        (Method::DELETE, "/account/sign-ins/x"),
        (Method::POST, "/account/confirmation"),
        (Method::GET, "/account/export"),
        (Method::POST, "/account/close"),
        (Method::POST, "/auth/handoff"),
    ] {
        let reply = tour.app.send(Request::builder().method(method).uri(path).body(Body::empty()).unwrap()).await;
        tour.note(reply).expect(401, "signed_out");
    }
    for path in [
        "/auth/forgot-password",
        "/auth/reset-password",
        "/auth/confirm-email",
        "/auth/google/link",
        "/auth/exchange",
        "/analytics/session",
    ] {
        let broken = Request::post(path).header("content-type", "application/json").body(Body::from("{")).unwrap();
        let reply = tour.app.send(broken).await;
        tour.note(reply).expect(400, "malformed");
        tour.post(path, json!({})).await.expect(422, "invalid");
    }
}

async fn letters(tour: &mut Tour<'_>, pool: &PgPool) {
    let trader = tour.app.trader().await;
    assert_eq!(tour.ask(&trader, Method::POST, "/account/confirmation", None).await.status, 202);
    assert_eq!(tour.post("/auth/forgot-password", json!({ "email": trader.email })).await.status, 202);
    let folder = tempfile::tempdir().unwrap();
    let mailer = Mailer::new(&mail::Settings::default(), folder.path().to_owned()).unwrap();
    let settings = auth::Settings { site_url: "http://127.0.0.1:8080".to_owned(), ..Default::default() };
    let writer = tokio::spawn(auth::send_emails(pool.clone(), mailer, settings));
    let confirmation = token_of(folder.path(), &trader.email, "/confirm-email").await;
    let reset = token_of(folder.path(), &trader.email, "/reset-password").await;
    writer.abort();
    assert_eq!(tour.post("/auth/confirm-email", json!({ "token": confirmation })).await.status, 204);
    let passwords = json!({ "token": reset, "password": "Winter 77 snow", "confirmPassword": "Winter 77 snow" });
    assert_eq!(tour.post("/auth/reset-password", passwords.clone()).await.status, 204);
    tour.post("/auth/reset-password", passwords).await.expect(422, "link_expired");
}

/// The token in the link to `page` of a letter to `email`, once it is written.
async fn token_of(folder: &std::path::Path, email: &str, page: &str) -> String {
    let link = format!("http://127.0.0.1:8080{page}?token=");
    let started = Instant::now();
    loop {
        let letters = std::fs::read_dir(folder).unwrap().filter_map(|file| {
            let letter = std::fs::read_to_string(file.unwrap().path()).unwrap();
            letter.contains(email).then_some(letter)
        });
        let token =
            letters.filter_map(|letter| letter.lines().find_map(|line| Some(line.strip_prefix(&link)?.to_owned())));
        if let Some(token) = token.last() {
            return token;
        }
        assert!(started.elapsed() < Duration::from_secs(10), "no letter to {page}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn own_account(tour: &mut Tour<'_>) {
    let (trader, other) = (tour.app.trader().await, tour.app.trader().await);
    assert_eq!(tour.ask(&trader, Method::GET, "/account", None).await.json()["email"], trader.email.as_str());
    let changed = tour.ask(&trader, Method::PATCH, "/account", Some(json!({ "name": "Asha R" }))).await;
    assert_eq!((changed.status.as_u16(), &changed.json()["name"]), (200, &json!("Asha R")));
    let taken = tour.ask(&trader, Method::PATCH, "/account", Some(json!({ "phone": other.phone }))).await;
    taken.expect(409, "phone_taken");
    tour.ask(&trader, Method::PATCH, "/account", Some(json!({ "name": "" }))).await.expect(422, "invalid");
    tour.break_off(&trader, Method::PATCH, "/account").await;

    let login = json!({ "email": trader.email, "password": PASSWORD });
    tour.post("/auth/login", login.clone()).await;
    let sign_ins = tour.ask(&trader, Method::GET, "/account/sign-ins", None).await.json()["signIns"].clone();
    let id = |current: bool| {
        let found = sign_ins.as_array().unwrap().iter().find(|sign_in| sign_in["current"] == current);
        found.unwrap()["id"].as_str().unwrap().to_owned()
    };
    let another = format!("/account/sign-ins/{}", id(false));
    assert_eq!(tour.ask(&trader, Method::DELETE, &another, None).await.status, 204);
    tour.ask(&trader, Method::DELETE, &another, None).await.expect(404, "no_sign_in");
    let of_another_trader = format!("/account/sign-ins/{}", id(true));
    tour.ask(&other, Method::DELETE, &of_another_trader, None).await.expect(404, "no_sign_in");
    tour.post("/auth/login", login).await;
    let ended = tour.ask(&trader, Method::DELETE, "/account/sign-ins", None).await;
    assert_eq!(ended.json(), json!({ "ended": 1 }));

    let all = tour.ask(&trader, Method::GET, "/account/export", None).await.json();
    assert_eq!((&all["account"]["email"], &all["trades"]), (&json!(trader.email), &json!([])));
    assert_eq!(tour.ask(&trader, Method::GET, "/account/export?format=csv", None).await.status, 200);
    tour.ask(&trader, Method::GET, "/account/export?format=pdf", None).await.expect(422, "invalid");
}

async fn passwords(tour: &mut Tour<'_>, pool: &PgPool) {
    let trader = tour.app.trader().await;
    let change = |current: &str| json!({ "currentPassword": current, "password": "Winter 77 snow", "confirmPassword": "Winter 77 snow" });
    tour.break_off(&trader, Method::POST, "/account/password").await;
    tour.break_off(&trader, Method::POST, "/account/close").await;
    let changed = tour.ask(&trader, Method::POST, "/account/password", Some(change(PASSWORD))).await;
    assert_eq!(changed.json(), json!({ "ended": 0 }));
    let close = |password: &str| Some(json!({ "password": password }));
    tour.ask(&trader, Method::POST, "/account/close", close("wrong")).await.expect(422, "invalid");
    let closed = tour.ask(&trader, Method::POST, "/account/close", close("Winter 77 snow")).await;
    assert_eq!(closed.status, 200);
    let login = json!({ "email": trader.email, "password": "Winter 77 snow" });
    let refused = tour.post("/auth/login", login.clone()).await.expect(403, "account_closed").json();
    assert_eq!(refused["erasedOn"], closed.json()["erasedOn"]);
    let mut restore = login;
    restore["restore"] = json!(true);
    assert_eq!(tour.post("/auth/login", restore).await.status, 200);

    let held = tour.app.trader().await;
    for _ in 0..5 {
        tour.ask(&held, Method::POST, "/account/password", Some(change("wrong"))).await.expect(422, "invalid");
    }
    tour.ask(&held, Method::POST, "/account/password", Some(change("wrong"))).await.expect(429, "held");
    tour.ask(&held, Method::POST, "/account/close", close("wrong")).await.expect(429, "held");
    for _ in 0..5 {
        tour.post("/auth/login", json!({ "email": "nobody@example.in", "password": "wrong" })).await;
    }
    let reply = tour.post("/auth/login", json!({ "email": "nobody@example.in", "password": "wrong" })).await;
    assert_eq!(reply.expect(429, "held").json()["success"], false);

    let by_google = tour.app.trader().await;
    let without = sqlx::query("update auth.account set password_hash = null where email = $1").bind(&by_google.email);
    without.execute(pool).await.unwrap();
    tour.ask(&by_google, Method::POST, "/account/password", Some(change("x"))).await.expect(403, "no_password");
    tour.ask(&by_google, Method::POST, "/account/close", close("x")).await.expect(403, "no_password");
}

async fn ways_elsewhere(tour: &mut Tour<'_>) {
    let trader = tour.app.trader().await;
    // {"jti":"x"}
    let token = "head.eyJqdGkiOiJ4In0.signature";
    tour.post("/auth/exchange", json!({ "token": token })).await.expect(409, "confirm_sign_in");
    tour.post("/auth/exchange", json!({ "token": token, "confirm": true })).await.expect(401, "session_ended");

    let request = trader.request(Method::POST, "/auth/handoff").header("host", "127.0.0.1:8080");
    let reply = tour.app.send(request.body(Body::empty()).unwrap()).await;
    let url = tour.note(reply).json()["url"].as_str().unwrap().to_owned();
    let token = url.strip_prefix("http://127.0.0.1:8080/analytics?token=").unwrap();
    let session = tour.post("/analytics/session", json!({ "token": token })).await.json();
    tour.post("/analytics/session", json!({ "token": token })).await.expect(401, "session_ended");
    let bearer = format!("Bearer {}", session["token"].as_str().unwrap());
    for (request, status) in [
        (Request::get("/account"), 200),
        (Request::get("/trades/client"), 200),
        (Request::get("/account/sign-ins"), 403),
        (Request::post("/auth/handoff").header("host", "127.0.0.1:8080"), 403),
    ] {
        let reply = tour.app.send(request.header("authorization", &bearer).body(Body::empty()).unwrap()).await;
        assert_eq!(reply.status, status);
    }
}

async fn without_google(tour: &mut Tour<'_>) {
    let get = |path: &str| Request::get(path).header("host", "127.0.0.1:8080").body(Body::empty()).unwrap();
    let reply = tour.app.send(get("/auth/google/callback?state=x&code=y")).await;
    assert_eq!(tour.note(reply).headers["location"], "/login?google=expired");
    tour.post("/auth/google/link", json!({ "password": "x" })).await.expect(422, "link_expired");
    let reply = tour.app.get("/auth/options").await;
    assert_eq!(tour.note(reply).json(), json!({ "google": false }));
    let reply = tour.app.send(get("/auth/google")).await;
    tour.note(reply).expect(404, "google_not_set_up");
}
