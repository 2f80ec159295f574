//! The operations of the analytics.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, Reply, Upload};
use crate::contract::Listed;
use crate::files::{Fill, zerodha_csv, zerodha_profit_csv};
use crate::trades::Asks;

const READS: [(&str, &str); 9] = [
    ("/analytics/overview", ""),
    ("/analytics/groups", "by=hour"),
    ("/analytics/closed-trades", "limit=2"),
    ("/analytics/open-positions", ""),
    ("/analytics/charges", "segment=options"),
    ("/analytics/tax", "year=2026-27"),
    ("/analytics/tax/export", "year=2026-27"),
    ("/analytics/tax/export", "year=2026-27&format=xlsx"),
    ("/analytics/adjustments", ""),
];

pub async fn meet(app: &App, pool: &PgPool, met: &mut BTreeSet<Listed>) {
    let (trader, other) = (app.trader().await, app.trader().await);
    let mut meet = |reply: Reply| {
        met.extend(reply.listed.clone());
        reply
    };
    for (path, query) in READS {
        meet(app.get(&format!("{path}?{query}")).await).expect(401, "signed_out");
        assert_eq!(meet(trader.get(&format!("{path}?{query}")).await).status, 200, "{path}");
        if !["/analytics/open-positions", "/analytics/adjustments"].contains(&path) {
            meet(trader.get(&format!("{path}?moon=full&{query}")).await).expect(422, "invalid");
        }
    }
    for wrong in ["from=2026-02-30", "to=x", "from=2026-02-02&to=2026-02-01", "key=09", "by=hour"] {
        trader.get(&format!("/analytics/overview?{wrong}")).await.expect(422, "invalid");
    }
    let path = "/analytics/reconcile";
    let send = async |file: &[u8]| {
        let upload = Upload { fields: Vec::new(), ..Upload::new("pnl.csv", file, "") };
        let request = trader.request(Method::POST, path).header("content-type", Upload::TYPE);
        app.send(request.body(Body::from(upload.form())).unwrap()).await
    };
    let report = zerodha_profit_csv(&[], &["INFY,INE000A01010,1,100,101,1"]);
    meet(app.send(Request::post(path).body(Body::empty()).unwrap()).await).expect(401, "signed_out");
    let broken = trader.request(Method::POST, path).header("content-type", Upload::TYPE);
    meet(app.send(broken.body(Body::from("--x\r\nbroken")).unwrap()).await).expect(400, "malformed");
    meet(send(&vec![b'x'; 32 * 1024 * 1024 + 1]).await).expect(413, "file_too_large");
    meet(send(&report).await).expect(422, "no_trades_of_ours");
    let tradebook = zerodha_csv(&[Fill::nth(0)]);
    assert_eq!(trader.upload(&Upload::new("t.csv", &tradebook, "zerodha")).await.status, 200);
    meet(send(&tradebook).await).expect(422, "file_of_trades");
    meet(send(b"").await).expect(422, "file_empty");
    assert_eq!(meet(send(&report).await).status, 200);

    let path = "/analytics/adjustments";
    let post = |token: Option<&str>, body: &'static str| {
        let request = Request::post(path).header("content-type", "application/json");
        let request = match token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        };
        request.body(Body::from(body)).unwrap()
    };
    meet(app.send(post(None, "{}")).await).expect(401, "signed_out");
    meet(app.send(post(Some(&trader.token), "{")).await).expect(400, "malformed");
    let bonus = json!({ "kind": "bonus", "symbol": "wipro", "date": "2024-12-03", "newShares": 1, "oldShares": 1 });
    let added = meet(trader.ask(app, Method::POST, path, &bonus).await);
    assert_eq!((added.status.as_u16(), &added.json()["symbol"]), (201, &json!("WIPRO")));
    meet(trader.ask(app, Method::POST, path, &bonus).await).expect(409, "adjustment_exists");
    for (field, value) in [
        ("kind", json!("demerger")),
        ("symbol", json!(" ")),
        ("date", json!("2126-01-01")),
        ("newShares", json!(0)),
        ("oldShares", json!(10_001)),
        ("broker", json!("groww")),
        ("newSymbol", json!("X")),
        ("price", json!(1.5)),
        ("price", json!(-1)),
        ("moon", json!(1)),
    ] {
        let mut wrong = bonus.clone();
        wrong[field] = value;
        let refused = meet(trader.ask(app, Method::POST, path, &wrong).await).expect(422, "invalid");
        assert!(refused.json()["errors"].as_array().unwrap().iter().any(|error| error["field"] == field), "{field}");
    }
    let one = format!("{path}/{}", added.json()["id"].as_str().unwrap());
    let nobody = Request::delete(&one).body(Body::empty()).unwrap();
    meet(app.send(nobody).await).expect(401, "signed_out");
    meet(other.ask(app, Method::DELETE, &one, &Value::Null).await).expect(404, "no_adjustment");
    assert_eq!(meet(trader.ask(app, Method::DELETE, &one, &Value::Null).await).status, 204);
    meet(trader.ask(app, Method::DELETE, &format!("{path}/x"), &Value::Null).await).expect(404, "no_adjustment");

    sqlx::query("update trades.account set trade_count = 1000001").execute(pool).await.unwrap();
    for (path, query) in READS.into_iter().filter(|(path, _)| !path.ends_with("adjustments")) {
        meet(trader.get(&format!("{path}?{query}")).await).expect(413, "too_many_trades");
    }
}
