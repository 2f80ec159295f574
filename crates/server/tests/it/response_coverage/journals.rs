//! Responses of the operations for public journals.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{Method, Request};
use serde_json::json;
use sqlx::PgPool;

use crate::api_description::DocumentedResponse;
use crate::app::{App, Reply};
use crate::journals::{Browser, entry, fill_journals};

const OPERATIONS: [(Method, &str); 4] = [
    (Method::POST, "/trades"),
    (Method::GET, "/trades/intraday"),
    (Method::GET, "/trades/equity"),
    (Method::POST, "/journal/take-over"),
];

pub async fn cover(app: &App, pool: &PgPool, covered: &mut BTreeSet<DocumentedResponse>) {
    let trader = app.register_trader().await;
    let mut cover = |reply: Reply| {
        covered.extend(reply.documented.clone());
        reply
    };
    let json = |method: &Method, path: &str| {
        Request::builder().method(method).uri(path).header("content-type", "application/json")
    };
    for (method, path) in &OPERATIONS {
        let invalid_token =
            json(method, path).header("authorization", "Bearer rubbish").body(Body::from("{}")).unwrap();
        cover(app.send(invalid_token).await).expect_problem(401, "unauthenticated");
    }
    for path in ["/trades/intraday", "/trades/equity"] {
        assert_eq!(cover(app.get(path).await).status, 200);
        cover(app.get(&format!("{path}?limit=0")).await).expect_problem(422, "invalid");
        cover(app.get(&format!("{path}?cursor=x")).await).expect_problem(422, "invalid");
    }
    let mut browser = Browser::default();
    assert_eq!(cover(browser.save(app, &entry(&json!({}))).await).status, 201);
    cover(browser.save(app, &json!({})).await).expect_problem(422, "invalid");
    cover(app.send(json(&Method::POST, "/trades").body(Body::from("{")).unwrap()).await)
        .expect_problem(400, "malformed");
    assert_eq!(cover(browser.take_over(app, &trader).await).status, 200);
    cover(browser.take_over(app, &trader).await).expect_problem(404, "journal_not_found");
    cover(browser.save(app, &entry(&json!({}))).await);
    fill_journals(pool).await;
    cover(browser.save(app, &entry(&json!({}))).await).expect_problem(409, "journal_full");
    cover(browser.take_over(app, &trader).await).expect_problem(409, "journal_full");

    let peer: SocketAddr = "203.0.113.77:4711".parse().unwrap();
    for (method, path) in &OPERATIONS {
        let mut send = async || {
            let request = json(method, path).extension(ConnectInfo(peer)).body(Body::empty()).unwrap();
            cover(app.send(request).await).status
        };
        // The rate limit allows another request every fifth of a second.
        for _ in 0..2_000 {
            if send().await == 429 {
                break;
            }
        }
    }
}
