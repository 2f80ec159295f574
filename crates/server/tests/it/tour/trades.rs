//! The operations of the trade log.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};

use crate::app::{App, Reply, Trader};
use crate::contract::Listed;
use crate::files::{Fill, groww_xlsx};
use crate::trades::{Asks, entry};

pub async fn meet(app: &App, met: &mut BTreeSet<Listed>) {
    let (trader, other) = (app.trader().await, app.trader().await);
    let mut meet = |reply: Reply| {
        met.extend(reply.listed.clone());
        reply
    };
    for (method, path) in [
        (Method::POST, "/trades/add"),
        (Method::POST, "/trades/replace"),
        (Method::GET, "/trades/1"),
        (Method::PATCH, "/trades/1"),
        (Method::DELETE, "/trades/1"),
        (Method::GET, "/trades/books"),
        (Method::GET, "/trades/symbols"),
        (Method::GET, "/trades/export"),
        (Method::GET, "/trades/changes"),
        (Method::POST, "/trades/changes/1/undo"),
    ] {
        let nobody = Request::builder().method(method).uri(path).header("content-type", "application/json");
        meet(app.send(nobody.body(Body::from("{}")).unwrap()).await).expect(401, "signed_out");
    }
    writes(app, &trader, &other, &mut meet).await;
    for path in ["/trades/books", "/trades/symbols?q=i", "/trades/export", "/trades/changes"] {
        assert_eq!(meet(trader.get(path).await).status, 200, "{path}");
    }
    for path in ["/trades/symbols?x=1", "/trades/export?format=pdf", "/trades/changes?limit=0"] {
        meet(trader.get(path).await).expect(422, "invalid");
    }
    look(app, &mut meet).await;
}

async fn writes(app: &App, trader: &Trader<'_>, other: &Trader<'_>, meet: &mut impl FnMut(Reply) -> Reply) {
    let broken = |method: Method, path: &str| {
        trader.request(method, path).header("content-type", "application/json").body(Body::from("{")).unwrap()
    };
    let one = entry(&json!({}));
    let many = json!({ "broker": "zerodha", "tradetype": "equity", "trades": [one["trade"]] });
    for (path, good) in [("/trades/add", &one), ("/trades/replace", &many)] {
        assert_eq!(meet(trader.ask(app, Method::POST, path, good).await).status, 200);
        meet(trader.ask(app, Method::POST, path, &json!({})).await).expect(422, "invalid");
        let mut foreign = good.clone();
        foreign["email"] = json!(other.email);
        meet(trader.ask(app, Method::POST, path, &foreign).await).expect(403, "not_yours");
        meet(app.send(broken(Method::POST, path)).await).expect(400, "malformed");
    }
    let large = trader.request(Method::POST, "/trades/replace").header("content-type", "application/json");
    let large = large.header("content-length", 32 * 1024 * 1024 + 1).body(Body::empty()).unwrap();
    meet(app.send(large).await).expect(413, "too_large");

    let record = trader.get("/trades/client").await.json();
    let path = format!("/trades/{}", record["trades"][0]["_id"].as_str().unwrap());
    assert_eq!(meet(trader.get(&path).await).status, 200);
    meet(other.get(&path).await).expect(404, "no_trade");
    assert_eq!(meet(trader.ask(app, Method::PATCH, &path, &json!({ "price": 2 })).await).status, 200);
    meet(trader.ask(app, Method::PATCH, &path, &json!({ "price": 0 })).await).expect(422, "invalid");
    meet(other.ask(app, Method::PATCH, &path, &json!({ "price": 2 })).await).expect(404, "no_trade");
    meet(app.send(broken(Method::PATCH, &path)).await).expect(400, "malformed");
    meet(trader.ask(app, Method::DELETE, &format!("{path}?pair=x"), &Value::Null).await).expect(422, "invalid");
    meet(other.ask(app, Method::DELETE, &path, &Value::Null).await).expect(404, "no_trade");
    let deleted = meet(trader.ask(app, Method::DELETE, &path, &Value::Null).await).json();
    let undo = format!("/trades/changes/{}/undo", deleted["changeId"].as_str().unwrap());
    meet(app.send(broken(Method::POST, &undo)).await).expect(400, "malformed");
    meet(trader.ask(app, Method::POST, &undo, &json!({})).await).expect(422, "invalid");
    meet(other.ask(app, Method::POST, &undo, &json!({ "newer": 0 })).await).expect(404, "no_change");
    assert_eq!(meet(trader.ask(app, Method::POST, &undo, &json!({ "newer": 0 })).await).status, 200);
    meet(trader.ask(app, Method::POST, &undo, &json!({ "newer": 0 })).await).expect(409, "change_undone");
}

async fn look(app: &App, meet: &mut impl FnMut(Reply) -> Reply) {
    let form = |file: &[u8]| {
        let head = b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"g.xlsx\"\r\n\r\n";
        let body = [head.as_slice(), file, b"\r\n--x--\r\n"].concat();
        let request = Request::post("/upload").header("content-type", "multipart/form-data; boundary=x");
        request.body(Body::from(body)).unwrap()
    };
    let report = meet(app.send(form(&groww_xlsx(&[Fill::nth(1)]))).await).json();
    assert_eq!((&report["broker"], &report["trades"]), (&json!("groww"), &json!(1)));
    meet(app.send(form(b"a,b")).await).expect(422, "file_unknown");
    meet(app.send(form(&vec![b'x'; 32 * 1024 * 1024 + 1])).await).expect(413, "file_too_large");
    let broken = Request::post("/upload").header("content-type", "multipart/form-data; boundary=x");
    meet(app.send(broken.body(Body::from("--x\r\nbroken")).unwrap()).await).expect(400, "malformed");
}
