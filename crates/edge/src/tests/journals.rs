//! Tests of the journals of the public pages, which a cookie identifies instead of an account.

use std::time::Duration;

use http::Request;
use rpc::failure::{Kind as Failed, to_status};
use rpc::journal::v1::Kind;
use serde_json::json;

use super::auth::{Refusal, https};
use super::core::journals::{NEW_KEY, VALID_KEY};
use super::single_trades::errors;
use super::*;

fn entry() -> Value {
    json!({
        "type": "intraday", "symbol": "infy", "buyPrice": 1500.05, "quantity": 0.5, "sellPrice": 1510,
        "targetPrice": 1e3, "stopLoss": 1490, "buyDateTime": "2026-04-01T00:00",
        "sellDateTime": "2026-03-31T18:31:00Z", "pnl": 4.98, "status": "WIN",
    })
}

impl Edge {
    /// Adds `entry` with this cookie; an empty cookie is not sent.
    async fn add_entry(&self, cookie: &str, entry: &Value) -> Reply {
        let request = self.anonymous_request("POST", "/trades").header("content-type", "application/json");
        let request = if cookie.is_empty() { request } else { request.header("cookie", cookie) };
        self.send(request.body(Body::from(entry.to_string())).unwrap()).await
    }

    async fn get_with_cookie(&self, cookie: &str, path: &str) -> Reply {
        self.send(self.anonymous_request("GET", path).header("cookie", cookie).body(Body::empty()).unwrap()).await
    }

    fn take_added(&self) -> Vec<rpc::journal::v1::AddEntryRequest> {
        std::mem::take(&mut self.core.0.journals.lock().unwrap().added)
    }
}

#[tokio::test]
async fn first_entry_creates_a_journal_and_sets_its_cookie() {
    let edge = Edge::new().await;
    let reply = edge.add_entry("", &entry()).await;
    assert_eq!(reply.status, 201);
    reply.assert_security_headers();
    assert_eq!(
        reply.header("set-cookie"),
        format!("journal={NEW_KEY}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax")
    );
    let stored = json!({
        "id": "1", "type": "intraday", "symbol": "M&M \"X\"", "buyPrice": 83.1225, "quantity": 0.5, "sellPrice": 83,
        "targetPrice": 99999999999.9999, "stopLoss": 80, "buyDateTime": "2026-03-31T18:30:00Z",
        "sellDateTime": "2026-03-31T18:31:00Z", "pnl": -0.06, "status": "LOSS",
    });
    assert_eq!(reply.json(), json!({ "data": stored }));
    let [request] = &edge.take_added()[..] else { panic!("expected one request") };
    assert!(request.create_if_missing && request.key.is_empty() && request.idempotency_key.is_empty());
    assert_eq!((request.pnl.as_deref(), request.win), (Some("4.98"), Some(true)));
    let sent = request.entry.clone().unwrap();
    assert_eq!(sent.kind(), Kind::Intraday);
    let amounts = [sent.buy_price, sent.quantity, sent.sell_price, sent.target_price, sent.stop_loss];
    assert_eq!(amounts, ["1500.05", "0.5", "1510", "1000", "1490"]);
    let times = [sent.bought_at, sent.sold_at].map(|at| at.unwrap().seconds);
    assert_eq!(times, [1_774_981_800, 1_774_981_860]);

    let edge = Edge::with(https()).await;
    let reply = edge.add_entry("journal=x", &entry()).await;
    assert_eq!(
        reply.header("set-cookie"),
        format!("__Host-journal={NEW_KEY}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure")
    );
    assert_eq!(edge.take_added().len(), 1, "a cookie without the host prefix is ignored");
}

#[tokio::test]
async fn adding_an_entry_renews_the_cookie_and_ignores_an_invalid_one() {
    let edge = Edge::new().await;
    let cookie = format!("other=1; journal={VALID_KEY}");
    let reply = edge.add_entry(&cookie, &entry()).await;
    assert!(reply.header("set-cookie").starts_with(&format!("journal={VALID_KEY}; Path=/; Max-Age=7776000;")));
    let [request] = &edge.take_added()[..] else { panic!("expected one request") };
    assert!(!request.create_if_missing && request.key == VALID_KEY);

    let reply = edge.add_entry("journal=forged", &entry()).await;
    assert_eq!(reply.status, 201);
    assert!(reply.header("set-cookie").starts_with(&format!("journal={NEW_KEY};")));
    let requests: Vec<_> =
        edge.take_added().into_iter().map(|request| (request.key, request.create_if_missing)).collect();
    assert_eq!(requests, [("forged".to_owned(), false), ("forged".to_owned(), true)]);
}

#[tokio::test]
async fn session_without_a_cookie_uses_the_journal_of_the_account() {
    let edge = Edge::new().await;
    let reply = edge.post("/api/v1/trades", &entry()).await;
    assert_eq!((reply.status.as_u16(), reply.header("set-cookie")), (201, ""));
    assert!(!edge.take_added().remove(0).create_if_missing);
    assert_eq!(edge.core.0.authorizations.lock().unwrap().len(), 1);
    let request = edge.anonymous_request("GET", "/trades/equity").header("authorization", "Bearer rubbish");
    edge.send(request.body(Body::empty()).unwrap()).await.assert_problem(401, "unauthenticated");
}

#[tokio::test]
async fn passes_on_the_idempotency_key_and_marks_a_replay() {
    let edge = Edge::new().await;
    let send = async |key: &str| {
        let request = edge.anonymous_request("POST", "/trades").header("content-type", "application/json");
        edge.send(request.header("idempotency-key", key).body(Body::from(entry().to_string())).unwrap()).await
    };
    let reply = send("again").await;
    assert_eq!((reply.status.as_u16(), reply.header("idempotency-replayed")), (201, "true"));
    assert_eq!(edge.take_added()[0].idempotency_key, "again");
    assert_eq!(send("").await.assert_problem(422, "invalid")["errors"][0]["field"], "Idempotency-Key");
}

#[tokio::test]
async fn reports_missing_invalid_and_unknown_fields() {
    let edge = Edge::new().await;
    let refused = async |body: Value| errors(&edge.add_entry("", &body).await.assert_problem(422, "invalid"));
    let missing = refused(json!({})).await;
    assert_eq!(missing.len(), 9);
    assert!(missing.iter().all(|(_, code)| code == "required"), "{missing:?}");
    for (field, value, code) in [
        ("type", json!("swing"), "invalid"),
        ("symbol", json!(1), "not_text"),
        ("quantity", json!("10"), "not_a_number"),
        ("sellDateTime", json!("yesterday"), "invalid"),
        ("pnl", json!("4.98"), "not_a_number"),
        ("status", json!("win"), "invalid"),
        ("id", json!("1"), "unknown"),
        ("notes", json!(""), "unknown"),
    ] {
        let mut body = entry();
        body[field] = value;
        assert_eq!(refused(body).await, [(field.to_owned(), code.to_owned())]);
    }
    assert_eq!(edge.take_added(), []);
    let mut without_result = entry();
    without_result.as_object_mut().unwrap().retain(|name, _| name != "pnl" && name != "status");
    assert_eq!(edge.add_entry("", &without_result).await.status, 201);
    let request = edge.take_added().remove(0);
    assert_eq!((request.pnl, request.win), (None, None));
    let form =
        edge.anonymous_request("POST", "/trades").header("content-type", "text/plain").body(Body::from("{}")).unwrap();
    edge.send(form).await.assert_problem(415, "unsupported_media_type");
    edge.add_entry("", &json!({ "symbol": "x".repeat(16 * 1024) })).await.assert_problem(413, "too_large");
    let foreign =
        edge.anonymous_request("POST", "/trades").header("sec-fetch-site", "cross-site").body(Body::empty()).unwrap();
    edge.send(foreign).await.assert_problem(403, "cross_site");
    edge.core.refuse(to_status(&Refusal(Failed::FailedPrecondition, "JOURNAL_FULL")));
    edge.add_entry("", &entry()).await.assert_problem(409, "journal_full");
}

#[tokio::test]
async fn page_contains_totals_and_the_next_cursor() {
    let edge = Edge::new().await;
    for (path, kind) in [("/trades/intraday", Kind::Intraday), ("/api/v1/trades/equity", Kind::Equity)] {
        let reply = edge.get_with_cookie(&format!("journal={VALID_KEY}"), path).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("cache-control"), "no-store");
        let page = reply.json();
        assert_eq!(page["data"].as_array().unwrap().len(), 2);
        assert_eq!((&page["data"][1]["id"], &page["nextCursor"]), (&json!("7"), &json!("7")));
        assert_eq!((&page["total"], &page["wins"], &page["pnl"]), (&json!(5), &json!(0), &json!(-0.3)));
        assert_eq!(page["anonymous"], true);
        let request = edge.core.0.journals.lock().unwrap().listed.pop().unwrap();
        assert_eq!(
            (request.kind(), request.key.as_str(), request.page_size, request.page_token.as_str()),
            (kind, VALID_KEY, 500, "")
        );
        let last = edge.get_with_cookie("", &format!("{path}?limit=20&cursor=7")).await.json();
        assert_eq!((&last["data"], &last["nextCursor"], &last["anonymous"]), (&json!([]), &Value::Null, &json!(false)));
        let request = edge.core.0.journals.lock().unwrap().listed.pop().unwrap();
        assert_eq!((request.key.as_str(), request.page_size, request.page_token.as_str()), ("", 20, "7"));
        for wrong in ["limit=0", "limit=501", "cursor=", "q=a", "limit=1&limit=1"] {
            edge.get_with_cookie("", &format!("{path}?{wrong}")).await.assert_problem(422, "invalid");
        }
    }
}

#[tokio::test]
async fn take_over_requires_a_session_and_removes_the_cookie() {
    let edge = Edge::new().await;
    let send = async |request: http::request::Builder| edge.send(request.body(Body::empty()).unwrap()).await;
    let path = "/journal/take-over";
    let cookie = format!("journal={VALID_KEY}");
    send(edge.anonymous_request("POST", path).header("cookie", &cookie)).await.assert_problem(401, "unauthenticated");
    let reply = send(edge.request("POST", path).header("cookie", &cookie)).await;
    assert_eq!((reply.status.as_u16(), reply.json()), (200, json!({ "entries": 5 })));
    assert_eq!(reply.header("set-cookie"), "journal=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    send(edge.request("POST", path).header("cookie", "journal=forged")).await.assert_problem(404, "journal_not_found");
    send(edge.request("POST", path)).await.assert_problem(404, "journal_not_found");
    let keys: Vec<_> = edge.core.0.journals.lock().unwrap().claimed.drain(..).map(|request| request.key).collect();
    assert_eq!(keys, [VALID_KEY, "forged", ""]);
}

#[tokio::test(start_paused = true)]
async fn limits_new_journals_per_address_regardless_of_cookies() {
    let edge = Edge::with(Settings::default()).await;
    let write = async |number: u32, peer: &str| {
        let peer: SocketAddr = format!("{peer}:4711").parse().unwrap();
        let request = Request::post("/trades").header("content-type", "application/json");
        let request = request.header("host", "localhost:8080").extension(ConnectInfo(peer));
        let request =
            if number.is_multiple_of(2) { request } else { request.header("cookie", format!("journal=x{number}")) };
        edge.send(request.body(Body::from(entry().to_string())).unwrap()).await
    };
    for number in 0..300 {
        assert_eq!(write(number, "203.0.113.9").await.status, 201, "{number}");
    }
    // The limit of requests has refilled; the limit of new journals by five only.
    tokio::time::advance(Duration::from_mins(1)).await;
    for number in 300..305 {
        assert_eq!(write(number, "203.0.113.9").await.status, 201, "{number}");
    }
    for number in 305..307 {
        let reply = write(number, "203.0.113.9").await;
        reply.assert_problem(429, "too_many_requests");
        assert_eq!(reply.header("retry-after"), "12");
    }
    assert_eq!(
        edge.add_entry(&format!("journal={VALID_KEY}"), &entry()).await.status,
        201,
        "an existing journal is not limited"
    );
    assert_eq!(write(0, "203.0.113.10").await.status, 201);
}

#[tokio::test(start_paused = true)]
async fn limits_a_journal_to_sixty_requests_a_minute() {
    let edge = Edge::with(Settings::default()).await;
    let cookie = format!("journal={VALID_KEY}");
    for number in 0..60 {
        let reply = if number % 2 == 0 {
            edge.get_with_cookie(&cookie, "/trades/intraday").await
        } else {
            edge.add_entry(&cookie, &entry()).await
        };
        assert!(reply.status.is_success(), "{number}");
    }
    edge.add_entry(&cookie, &entry()).await.assert_problem(429, "too_many_requests");
    assert_eq!(edge.get_with_cookie("journal=another", "/trades/intraday").await.status, 200);
    for _ in 0..60 {
        assert_eq!(edge.get("/trades/equity").await.status, 200);
    }
    edge.get("/trades/equity").await.assert_problem(429, "too_many_requests");
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!(edge.add_entry(&cookie, &entry()).await.status, 201);
}
