//! The operations of the public journals.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{Method, Request};
use serde_json::json;
use sqlx::PgPool;

use crate::app::{App, Reply};
use crate::contract::Listed;
use crate::journals::{Browser, entry, fill};

const OPERATIONS: [(Method, &str); 4] = [
    (Method::POST, "/trades"),
    (Method::GET, "/trades/intraday"),
    (Method::GET, "/trades/equity"),
    (Method::POST, "/journal/take-over"),
];

pub async fn meet(app: &App, pool: &PgPool, met: &mut BTreeSet<Listed>) {
    let trader = app.trader().await;
    let mut meet = |reply: Reply| {
        met.extend(reply.listed.clone());
        reply
    };
    let json = |method: &Method, path: &str| {
        Request::builder().method(method).uri(path).header("content-type", "application/json")
    };
    for (method, path) in &OPERATIONS {
        let stale = json(method, path).header("authorization", "Bearer rubbish").body(Body::from("{}")).unwrap();
        meet(app.send(stale).await).expect(401, "signed_out");
    }
    for path in ["/trades/intraday", "/trades/equity"] {
        assert_eq!(meet(app.get(path).await).status, 200);
        meet(app.get(&format!("{path}?limit=0")).await).expect(422, "invalid");
    }
    let mut browser = Browser::default();
    assert_eq!(meet(browser.save(app, &entry(&json!({}))).await).status, 201);
    meet(browser.save(app, &json!({})).await).expect(422, "invalid");
    meet(app.send(json(&Method::POST, "/trades").body(Body::from("{")).unwrap()).await).expect(400, "malformed");
    assert_eq!(meet(browser.take_over(app, &trader).await).status, 200);
    meet(browser.take_over(app, &trader).await).expect(404, "no_journal");
    meet(browser.save(app, &entry(&json!({}))).await);
    fill(pool).await;
    meet(browser.save(app, &entry(&json!({}))).await).expect(409, "journal_full");
    meet(browser.take_over(app, &trader).await).expect(409, "journal_full");

    let peer: SocketAddr = "203.0.113.77:4711".parse().unwrap();
    for (method, path) in &OPERATIONS {
        let mut asked = async || {
            let request = json(method, path).extension(ConnectInfo(peer)).body(Body::empty()).unwrap();
            meet(app.send(request).await).status
        };
        // One comes back every fifth of a second.
        for _ in 0..2_000 {
            if asked().await == 429 {
                break;
            }
        }
    }
}
