//! Every status that the contract lists is met at least once, so that none is listed that nobody ever saw.

mod accounts;
mod analytics;
mod careers;
mod imports;
mod journals;
mod trades;

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};
use serde_json::json;
use sqlx::PgPool;

use crate::app::{App, Reply, Upload, json_request, registration};
use crate::contract::{CONTRACT, Listed};
use crate::files::{Fill, groww_xlsx};

#[sqlx::test(migrations = "../../migrations")]
async fn every_listed_status_of_every_operation_is_met(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.trader().await;
    let mut met: BTreeSet<Listed> = BTreeSet::new();
    let mut meet = |reply: Reply| met.extend(reply.listed);

    let broken =
        |path: &str| Request::post(path).header("content-type", "application/json").body(Body::from("{")).unwrap();
    for path in ["/api/v1/auth/register", "/auth/login"] {
        meet(app.send(broken(path)).await);
        meet(app.send(json_request(path, &json!({}))).await);
    }
    meet(app.post("/auth/register", &registration("Ravi", "ravi@example.in", "9000000001")).await);
    meet(app.post("/auth/register", &registration("Ravi", "ravi@example.in", "9000000001")).await);
    meet(app.post("/auth/login", &json!({ "email": "ravi@example.in", "password": "wrong" })).await);
    let signed_in =
        app.post("/auth/login", &json!({ "email": "ravi@example.in", "password": crate::app::PASSWORD })).await;
    let cookie = signed_in.cookie();
    meet(signed_in);
    let with_cookie = |path: &str| Request::post(path).header("cookie", &cookie).body(Body::empty()).unwrap();
    meet(app.send(with_cookie("/auth/refresh")).await);
    meet(app.send(with_cookie("/auth/logout")).await);
    meet(app.send(with_cookie("/auth/refresh")).await);

    let record = trader.get("/trades/client").await;
    let etag = record.headers["etag"].clone();
    meet(record);
    let known =
        trader.request(Method::GET, "/trades/client").header("if-none-match", etag).body(Body::empty()).unwrap();
    meet(app.send(known).await);
    meet(app.get("/trades/client").await);
    meet(trader.get("/trades/client?email=ravi@example.in").await);
    meet(trader.get("/trades/client?limit=0").await);

    let file = groww_xlsx(&[Fill::nth(1)]);
    let upload = |broker: &'static str| Upload::new("g.xlsx", &file, broker);
    meet(trader.upload(&upload("groww")).await);
    meet(trader.upload(&upload("zerodha")).await);
    meet(trader.upload(&upload("nobody")).await);
    let mut foreign = upload("groww");
    foreign.fields.push(("email", "ravi@example.in"));
    meet(trader.upload(&foreign).await);
    meet(trader.upload(&Upload::new("l.csv", &vec![b'x'; 32 * 1024 * 1024 + 1], "zerodha")).await);
    let form = |body: &'static str| {
        let request = trader.request(Method::POST, "/uploadexcel");
        request.header("content-type", "multipart/form-data; boundary=x").body(Body::from(body)).unwrap()
    };
    meet(app.send(form("--x\r\nbroken")).await);
    let mut nobody = form("--x--\r\n");
    nobody.headers_mut().remove("authorization");
    meet(app.send(nobody).await);

    for path in ["/.well-known/jwks.json", "/api/openapi.yaml", "/livez", "/readyz", "/metrics"] {
        meet(app.get(path).await);
    }
    let mut local = Request::get("/metrics").body(Body::empty()).unwrap();
    let loopback = std::net::SocketAddr::from(([127, 0, 0, 1], 4000));
    local.extensions_mut().insert(axum::extract::ConnectInfo(loopback));
    meet(app.send(local).await);

    imports::meet(&app, &mut met).await;
    trades::meet(&app, &mut met).await;
    accounts::meet(&app, &pool, &mut met).await;
    journals::meet(&app, &pool, &mut met).await;
    careers::meet(&app, &pool, &mut met).await;
    analytics::meet(&app, &mut met).await;

    // 503 is met where the overload is made: crates/edge and crates/import test it through their clients.
    let elsewhere = |listed: &Listed| {
        // So is a key of which the first request still goes on, in crates/trades.
        let goes_on = ["POST /trades/add", "POST /trades/replace"].contains(&listed.0.as_str()) && listed.1 == "409";
        // And a full disk, in a process that has one.
        ["503", "507"].contains(&listed.1.as_str())
            || goes_on
            || accounts::AT_GOOGLE.contains(&(listed.0.as_str(), listed.1.as_str()))
    };
    let unmet: Vec<_> =
        CONTRACT.listed().into_iter().filter(|listed| !elsewhere(listed) && !met.contains(listed)).collect();
    assert!(unmet.is_empty(), "{unmet:#?}");
}
