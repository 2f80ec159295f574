//! Every response listed in the API description is returned at least once.

mod accounts;
mod analytics;
mod careers;
mod imports;
mod journals;
mod trader_journal;
mod trades;

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};
use serde_json::json;
use sqlx::PgPool;

use crate::api_description::{API_DESCRIPTION, DocumentedResponse};
use crate::app::{App, Reply, Trader, Upload, json_request, registration};
use crate::broker_files::{Fill, groww_xlsx};
use crate::careers::ApplicationForm;
use crate::resumes::pdf_with_size;
use crate::screenshots::add_form;
use crate::trades::{SendJson as _, entry};

/// Operations that need disk space of the server; on a full disk they reply 507, which the test of the full disk covers. In
/// this order all of them succeed if there is space.
pub const DISK_SPACE_OPERATIONS: [&str; 14] = [
    "POST /upload",
    "POST /uploadexcel/columns",
    "POST /uploadexcel/layout",
    "POST /uploadexcel/ledger",
    "POST /uploadexcel/preview",
    "POST /uploadexcel",
    "POST /analytics/reconcile",
    "POST /journal/screenshots",
    "POST /trades/replace",
    "GET /trades/export",
    "GET /analytics/strategies/export",
    "GET /analytics/tax/export",
    "POST /analytics/tax/shared/export",
    "POST /api/apply/{jobid}",
];

#[sqlx::test(migrations = "../../migrations")]
async fn every_documented_response_is_returned(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let mut covered: BTreeSet<DocumentedResponse> = BTreeSet::new();
    let mut cover = |reply: Reply| covered.extend(reply.documented);

    let broken =
        |path: &str| Request::post(path).header("content-type", "application/json").body(Body::from("{")).unwrap();
    for path in ["/api/v1/auth/register", "/auth/login"] {
        cover(app.send(broken(path)).await);
        cover(app.send(json_request(path, &json!({}))).await);
    }
    cover(app.post("/auth/register", &registration("Ravi", "ravi@example.in", "9000000001")).await);
    cover(app.post("/auth/register", &registration("Ravi", "ravi@example.in", "9000000001")).await);
    cover(app.post("/auth/login", &json!({ "email": "ravi@example.in", "password": "wrong" })).await);
    let signed_in =
        app.post("/auth/login", &json!({ "email": "ravi@example.in", "password": crate::app::PASSWORD })).await;
    let cookie = signed_in.cookie();
    cover(signed_in);
    let with_cookie = |path: &str| Request::post(path).header("cookie", &cookie).body(Body::empty()).unwrap();
    cover(app.send(with_cookie("/auth/refresh")).await);
    cover(app.send(with_cookie("/auth/logout")).await);
    cover(app.send(with_cookie("/auth/refresh")).await);

    let record = trader.get("/trades/client").await;
    let etag = record.headers["etag"].clone();
    cover(record);
    let unchanged =
        trader.request(Method::GET, "/trades/client").header("if-none-match", etag).body(Body::empty()).unwrap();
    cover(app.send(unchanged).await);
    cover(app.get("/trades/client").await);
    cover(trader.get("/trades/client?email=ravi@example.in").await);
    cover(trader.get("/trades/client?limit=0").await);

    let file = groww_xlsx(&[Fill::nth(1)]);
    let upload = |broker: &'static str| Upload::new("g.xlsx", &file, broker);
    cover(trader.upload(&upload("groww")).await);
    cover(trader.upload(&upload("zerodha")).await);
    cover(trader.upload(&upload("nobody")).await);
    let mut foreign = upload("groww");
    foreign.fields.push(("email", "ravi@example.in"));
    cover(trader.upload(&foreign).await);
    cover(trader.upload(&Upload::new("l.csv", &vec![b'x'; 32 * 1024 * 1024 + 1], "zerodha")).await);
    let form = |body: &'static str| {
        let request = trader.request(Method::POST, "/uploadexcel");
        request.header("content-type", "multipart/form-data; boundary=x").body(Body::from(body)).unwrap()
    };
    cover(app.send(form("--x\r\nbroken")).await);
    let mut unauthenticated = form("--x--\r\n");
    unauthenticated.headers_mut().remove("authorization");
    cover(app.send(unauthenticated).await);

    for path in ["/.well-known/jwks.json", "/api/openapi.yaml", "/livez", "/readyz", "/metrics"] {
        cover(app.get(path).await);
    }
    let mut local = Request::get("/metrics").body(Body::empty()).unwrap();
    let loopback = std::net::SocketAddr::from(([127, 0, 0, 1], 4000));
    local.extensions_mut().insert(axum::extract::ConnectInfo(loopback));
    cover(app.send(local).await);

    imports::cover(&app, &mut covered).await;
    trades::cover(&app, &mut covered).await;
    accounts::cover(&app, &pool, &mut covered).await;
    journals::cover(&app, &pool, &mut covered).await;
    trader_journal::cover(&app, &pool, &mut covered).await;
    trader_journal::cover_screenshots(&app, &mut covered).await;
    careers::cover(&app, &pool, &mut covered).await;
    analytics::cover(&app, &pool, &mut covered).await;
    // Last, because it changes the rows of all accounts.
    crate::second_factor::cover(&app, &pool, &mut covered).await;

    cover_requests_in_progress(&pool, &mut covered).await;
    cover_unreachable_core(&app, &trader, &mut covered).await;

    let is_covered_elsewhere = |(operation, status): &DocumentedResponse| {
        let at_full_disk = status == "507" && DISK_SPACE_OPERATIONS.contains(&operation.as_str());
        at_full_disk || accounts::GOOGLE_RESPONSES.contains(&(operation.as_str(), status.as_str()))
    };
    let missing: Vec<_> = API_DESCRIPTION
        .documented_responses()
        .into_iter()
        .filter(|listed| !is_covered_elsewhere(listed) && !covered.contains(listed))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Retries with the idempotency key of a request that is still in progress.
async fn cover_requests_in_progress(pool: &PgPool, covered: &mut BTreeSet<DocumentedResponse>) {
    let short_lock_timeout = pool.connect_options().as_ref().clone().options([("lock_timeout", "200ms")]);
    let short_lock_timeout = PgPool::connect_with(short_lock_timeout).await.unwrap();
    let app = App::new(&short_lock_timeout).await;
    let trader = app.register_trader().await;
    trader.send_json(&app, Method::POST, "/trades/add", &entry(&json!({}))).await;
    let mut first = pool.begin().await.unwrap();
    sqlx::query("select from trades.account for update").execute(&mut *first).await.unwrap();
    let list = json!({ "broker": "zerodha", "tradetype": "equity", "trades": [entry(&json!({}))["trade"]] });
    for (path, body) in [("/trades/add", entry(&json!({}))), ("/trades/replace", list)] {
        let request = trader.request(Method::POST, path).header("idempotency-key", "again");
        let request = request.header("content-type", "application/json").body(Body::from(body.to_string())).unwrap();
        covered.extend(app.send(request).await.expect_problem(409, "in_progress").documented);
    }
    short_lock_timeout.close().await;
}

/// Sends requests that need the core to an edge whose core is unreachable.
async fn cover_unreachable_core(app: &App, trader: &Trader<'_>, covered: &mut BTreeSet<DocumentedResponse>) {
    let edge = app.with_unreachable_core();
    let file = groww_xlsx(&[Fill::nth(1)]);
    let form = Upload::new("g.xlsx", &file, "groww").form();
    let resume = pdf_with_size(4_000);
    let application = ApplicationForm::new("resume.pdf", &resume).form();
    let upload_without_fields = Upload { fields: Vec::new(), ..Upload::new("g.xlsx", &file, "") }.form();
    let list = json!({ "broker": "groww", "tradetype": "equity", "trades": [entry(&json!({}))["trade"]] }).to_string();
    let login = json!({ "email": trader.email, "password": crate::app::PASSWORD }).to_string();
    for (path, kind, body) in [
        ("/auth/login", "application/json", login.into_bytes()),
        ("/trades/replace", "application/json", list.into_bytes()),
        ("/upload", Upload::CONTENT_TYPE, upload_without_fields.clone()),
        ("/uploadexcel/columns", Upload::CONTENT_TYPE, upload_without_fields.clone()),
        ("/uploadexcel/layout", Upload::CONTENT_TYPE, upload_without_fields.clone()),
        ("/uploadexcel/ledger", Upload::CONTENT_TYPE, upload_without_fields.clone()),
        ("/uploadexcel", Upload::CONTENT_TYPE, form.clone()),
        ("/uploadexcel/preview", Upload::CONTENT_TYPE, form),
        ("/analytics/reconcile", Upload::CONTENT_TYPE, upload_without_fields),
        ("/journal/screenshots", Upload::CONTENT_TYPE, add_form("5a0b6f2e-8a52-4c6b-9d57-3f2b1c0d9e8f")),
        ("/api/apply/FE101", ApplicationForm::CONTENT_TYPE, application),
    ] {
        let request = trader.request(Method::POST, path).header("content-type", kind).body(Body::from(body)).unwrap();
        covered.extend(edge.send(request).await.expect_problem(503, "unavailable").documented);
    }
    covered.extend(edge.get("/readyz").await.expect_problem(503, "not_ready").documented);
}
