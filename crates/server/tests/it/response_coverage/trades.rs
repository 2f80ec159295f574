//! Responses of the operations for the trade log.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};

use crate::api_description::DocumentedResponse;
use crate::app::{App, Reply, Trader};
use crate::broker_files::{Fill, groww_xlsx};
use crate::trades::{SendJson, entry};

pub async fn cover(app: &App, covered: &mut BTreeSet<DocumentedResponse>) {
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    let mut cover = |reply: Reply| {
        covered.extend(reply.documented.clone());
        reply
    };
    for (method, path) in [
        (Method::POST, "/trades/add"),
        (Method::POST, "/trades/replace"),
        (Method::GET, "/trades/1"),
        (Method::PATCH, "/trades/1"),
        (Method::DELETE, "/trades/1"),
        (Method::GET, "/trades/books"),
        (Method::GET, "/trades/broker-accounts"),
        (Method::PUT, "/trades/broker-accounts/zerodha/2"),
        (Method::DELETE, "/trades/broker-accounts/zerodha/2"),
        (Method::GET, "/trades/symbols"),
        (Method::GET, "/trades/export"),
        (Method::GET, "/trades/changes"),
        (Method::POST, "/trades/changes/1/undo"),
    ] {
        let unauthenticated = Request::builder().method(method).uri(path).header("content-type", "application/json");
        cover(app.send(unauthenticated.body(Body::from("{}")).unwrap()).await).expect_problem(401, "unauthenticated");
    }
    cover_writes(app, &trader, &other, &mut cover).await;
    cover_broker_accounts(app, &trader, &mut cover).await;
    for path in ["/trades/books", "/trades/broker-accounts", "/trades/symbols?q=i", "/trades/export", "/trades/changes"]
    {
        assert_eq!(cover(trader.get(path).await).status, 200, "{path}");
    }
    for path in ["/trades/symbols?x=1", "/trades/export?format=pdf", "/trades/changes?limit=0"] {
        cover(trader.get(path).await).expect_problem(422, "invalid");
    }
    cover_file_check(app, &mut cover).await;
}

async fn cover_broker_accounts(app: &App, trader: &Trader<'_>, cover: &mut impl FnMut(Reply) -> Reply) {
    let path = "/trades/broker-accounts/zerodha/2";
    let brokerage = json!([
        { "kind": "delivery", "percent": 0.1, "min": 5, "max": 20 },
        { "kind": "options", "from": "2026-04-01", "flat": 15.5 },
    ]);
    let settings = json!({ "womanFirstHolder": true, "openedOn": "2024-04-01", "brokerage": brokerage });
    let named = json!({ "label": "Mother", "holder": "Asha Rao", "clientCode": "AB1234", "settings": settings });
    let saved = cover(trader.send_json(app, Method::PUT, path, &named).await).json();
    assert_eq!((&saved["settings"]["plan"], &saved["settings"]["brokerage"]), (&json!("standard"), &brokerage));
    let wrong =
        json!({ "settings": { "womanFirstHolder": "yes", "brokerage": [{ "kind": "options" }, { "kind": "x" }] } });
    let problem = cover(trader.send_json(app, Method::PUT, path, &wrong).await).expect_problem(422, "invalid");
    let problem = problem.json();
    let fields: Vec<_> = problem["errors"].as_array().unwrap().iter().map(|error| error["field"].clone()).collect();
    assert_eq!(fields, ["settings.womanFirstHolder", "settings.brokerage.1.kind"]);
    let taken = trader.send_json(app, Method::PUT, "/trades/broker-accounts/zerodha/3", &named).await;
    cover(taken).expect_problem(409, "client_code_taken");
    let long = json!({ "label": "x".repeat(41) });
    cover(trader.send_json(app, Method::PUT, path, &long).await).expect_problem(422, "invalid");
    let broken = trader.request(Method::PUT, path).header("content-type", "application/json").body(Body::from("{"));
    cover(app.send(broken.unwrap()).await).expect_problem(400, "malformed");
    assert_eq!(cover(trader.send_json(app, Method::DELETE, path, &Value::Null).await).status, 204);
    let first = cover(trader.get("/trades/broker-accounts").await).json()["accounts"][0].clone();
    let first = format!("/trades/broker-accounts/{}/1", first["broker"].as_str().unwrap());
    cover(trader.send_json(app, Method::DELETE, &first, &Value::Null).await)
        .expect_problem(409, "broker_account_has_trades");
}

async fn cover_writes(app: &App, trader: &Trader<'_>, other: &Trader<'_>, cover: &mut impl FnMut(Reply) -> Reply) {
    let broken = |method: Method, path: &str| {
        trader.request(method, path).header("content-type", "application/json").body(Body::from("{")).unwrap()
    };
    let one = entry(&json!({}));
    let many = json!({ "broker": "zerodha", "tradetype": "equity", "trades": [one["trade"]] });
    for (path, good) in [("/trades/add", &one), ("/trades/replace", &many)] {
        assert_eq!(cover(trader.send_json(app, Method::POST, path, good).await).status, 200);
        cover(trader.send_json(app, Method::POST, path, &json!({})).await).expect_problem(422, "invalid");
        let mut foreign = good.clone();
        foreign["email"] = json!(other.email);
        cover(trader.send_json(app, Method::POST, path, &foreign).await).expect_problem(403, "email_mismatch");
        cover(app.send(broken(Method::POST, path)).await).expect_problem(400, "malformed");
    }
    let large = trader.request(Method::POST, "/trades/replace").header("content-type", "application/json");
    let large = large.header("content-length", 32 * 1024 * 1024 + 1).body(Body::empty()).unwrap();
    cover(app.send(large).await).expect_problem(413, "too_large");

    let record = trader.get("/trades/client").await.json();
    let path = format!("/trades/{}", record["trades"][0]["_id"].as_str().unwrap());
    assert_eq!(cover(trader.get(&path).await).status, 200);
    cover(other.get(&path).await).expect_problem(404, "trade_not_found");
    assert_eq!(cover(trader.send_json(app, Method::PATCH, &path, &json!({ "price": 2 })).await).status, 200);
    cover(trader.send_json(app, Method::PATCH, &path, &json!({ "price": 0 })).await).expect_problem(422, "invalid");
    cover(other.send_json(app, Method::PATCH, &path, &json!({ "price": 2 })).await)
        .expect_problem(404, "trade_not_found");
    cover(app.send(broken(Method::PATCH, &path)).await).expect_problem(400, "malformed");
    cover(trader.send_json(app, Method::DELETE, &format!("{path}?pair=x"), &Value::Null).await)
        .expect_problem(422, "invalid");
    cover(other.send_json(app, Method::DELETE, &path, &Value::Null).await).expect_problem(404, "trade_not_found");
    let deleted = cover(trader.send_json(app, Method::DELETE, &path, &Value::Null).await).json();
    let undo = format!("/trades/changes/{}/undo", deleted["changeId"].as_str().unwrap());
    cover(app.send(broken(Method::POST, &undo)).await).expect_problem(400, "malformed");
    cover(trader.send_json(app, Method::POST, &undo, &json!({})).await).expect_problem(422, "invalid");
    cover(other.send_json(app, Method::POST, &undo, &json!({ "newer": 0 })).await)
        .expect_problem(404, "change_not_found");
    assert_eq!(cover(trader.send_json(app, Method::POST, &undo, &json!({ "newer": 0 })).await).status, 200);
    cover(trader.send_json(app, Method::POST, &undo, &json!({ "newer": 0 })).await)
        .expect_problem(409, "change_undone");
}

async fn cover_file_check(app: &App, cover: &mut impl FnMut(Reply) -> Reply) {
    let form = |file: &[u8]| {
        let head = b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"g.xlsx\"\r\n\r\n";
        let body = [head.as_slice(), file, b"\r\n--x--\r\n"].concat();
        let request = Request::post("/upload").header("content-type", "multipart/form-data; boundary=x");
        request.body(Body::from(body)).unwrap()
    };
    let report = cover(app.send(form(&groww_xlsx(&[Fill::nth(1)]))).await).json();
    assert_eq!((&report["broker"], &report["trades"]), (&json!("groww"), &json!(1)));
    cover(app.send(form(b"a,b")).await).expect_problem(422, "file_not_supported");
    cover(app.send(form(&vec![b'x'; 32 * 1024 * 1024 + 1])).await).expect_problem(413, "file_too_large");
    let broken = Request::post("/upload").header("content-type", "multipart/form-data; boundary=x");
    cover(app.send(broken.body(Body::from("--x\r\nbroken")).unwrap()).await).expect_problem(400, "malformed");
}
