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

use crate::app::{App, Reply, Trader, Upload, json_request, registration};
use crate::careers::Applying;
use crate::contract::{CONTRACT, Listed};
use crate::files::{Fill, groww_xlsx};
use crate::resumes::pdf_with_size;
use crate::trades::{Asks as _, entry};

/// What needs room on a disk of ours, and is refused with 507 where there is none: the test of the full disk meets it. Where
/// there is room, it goes in this order.
pub const AT_FULL_DISK: [&str; 8] = [
    "POST /upload",
    "POST /uploadexcel/preview",
    "POST /uploadexcel",
    "POST /analytics/reconcile",
    "POST /trades/replace",
    "GET /trades/export",
    "GET /analytics/tax/export",
    "POST /api/apply/{jobid}",
];

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
    analytics::meet(&app, &pool, &mut met).await;

    in_progress(&pool, &mut met).await;
    without_a_core(&app, &trader, &mut met).await;

    let elsewhere = |(operation, status): &Listed| {
        let at_full_disk = status == "507" && AT_FULL_DISK.contains(&operation.as_str());
        at_full_disk || accounts::AT_GOOGLE.contains(&(operation.as_str(), status.as_str()))
    };
    let unmet: Vec<_> =
        CONTRACT.listed().into_iter().filter(|listed| !elsewhere(listed) && !met.contains(listed)).collect();
    assert!(unmet.is_empty(), "{unmet:#?}");
}

/// What asks again with the key of a request that goes on.
async fn in_progress(pool: &PgPool, met: &mut BTreeSet<Listed>) {
    let impatient = pool.connect_options().as_ref().clone().options([("lock_timeout", "200ms")]);
    let impatient = PgPool::connect_with(impatient).await.unwrap();
    let app = App::new(&impatient).await;
    let trader = app.trader().await;
    trader.ask(&app, Method::POST, "/trades/add", &entry(&json!({}))).await;
    let mut first = pool.begin().await.unwrap();
    sqlx::query("select from trades.account for update").execute(&mut *first).await.unwrap();
    let list = json!({ "broker": "zerodha", "tradetype": "equity", "trades": [entry(&json!({}))["trade"]] });
    for (path, body) in [("/trades/add", entry(&json!({}))), ("/trades/replace", list)] {
        let request = trader.request(Method::POST, path).header("idempotency-key", "again");
        let request = request.header("content-type", "application/json").body(Body::from(body.to_string())).unwrap();
        met.extend(app.send(request).await.expect(409, "in_progress").listed);
    }
    impatient.close().await;
}

/// What needs the core, where there is none.
async fn without_a_core(app: &App, trader: &Trader<'_>, met: &mut BTreeSet<Listed>) {
    let edge = app.without_a_core();
    let file = groww_xlsx(&[Fill::nth(1)]);
    let form = Upload::new("g.xlsx", &file, "groww").form();
    let resume = pdf_with_size(4_000);
    let application = Applying::new("resume.pdf", &resume).form();
    let alone = Upload { fields: Vec::new(), ..Upload::new("g.xlsx", &file, "") }.form();
    let list = json!({ "broker": "groww", "tradetype": "equity", "trades": [entry(&json!({}))["trade"]] }).to_string();
    let login = json!({ "email": trader.email, "password": crate::app::PASSWORD }).to_string();
    for (path, kind, body) in [
        ("/auth/login", "application/json", login.into_bytes()),
        ("/trades/replace", "application/json", list.into_bytes()),
        ("/upload", Upload::TYPE, alone.clone()),
        ("/uploadexcel", Upload::TYPE, form.clone()),
        ("/uploadexcel/preview", Upload::TYPE, form),
        ("/analytics/reconcile", Upload::TYPE, alone),
        ("/api/apply/FE101", Applying::TYPE, application),
    ] {
        let request = trader.request(Method::POST, path).header("content-type", kind).body(Body::from(body)).unwrap();
        met.extend(edge.send(request).await.expect(503, "unavailable").listed);
    }
    met.extend(edge.get("/readyz").await.expect(503, "not_ready").listed);
}
