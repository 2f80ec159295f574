//! Responses of the analytics operations.

use std::collections::BTreeSet;

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::api_description::DocumentedResponse;
use crate::app::{App, Reply, Trader, Upload};
use crate::broker_files::{Fill, zerodha_csv, zerodha_profit_csv};
use crate::trades::{SendJson, entry};

const READS: [(&str, &str); 19] = [
    ("/analytics/overview", ""),
    ("/analytics/groups", "by=hour"),
    ("/analytics/closed-trades", "limit=2"),
    ("/analytics/positions", "state=closed"),
    ("/analytics/strategies", "shape=ironCondor"),
    ("/analytics/strategies/export", ""),
    ("/analytics/strategies/export", "format=xlsx"),
    ("/analytics/strategy-statistics", "groupBy=shape"),
    ("/analytics/trade-results", "ids=1"),
    ("/analytics/open-positions", ""),
    ("/analytics/charges", "segment=options"),
    ("/analytics/contract-notes", "tradetype=fno"),
    ("/analytics/returns-on-capital", "broker=zerodha"),
    ("/analytics/tax", "year=2026-27"),
    ("/analytics/tax/export", "year=2026-27"),
    ("/analytics/tax/export", "year=2026-27&format=xlsx"),
    ("/analytics/tax/losses", ""),
    ("/analytics/adjustments", ""),
    ("/analytics/data-issues", ""),
];

pub async fn cover(app: &App, pool: &PgPool, covered: &mut BTreeSet<DocumentedResponse>) {
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    let mut cover = |reply: Reply| {
        covered.extend(reply.documented.clone());
        reply
    };
    for (path, query) in READS {
        cover(app.get(&format!("{path}?{query}")).await).expect_problem(401, "unauthenticated");
        assert_eq!(cover(trader.get(&format!("{path}?{query}")).await).status, 200, "{path}");
        let has_no_query =
            ["/analytics/open-positions", "/analytics/tax/losses", "/analytics/adjustments", "/analytics/data-issues"];
        if !has_no_query.contains(&path) {
            cover(trader.get(&format!("{path}?moon=full&{query}")).await).expect_problem(422, "invalid");
        }
    }
    for wrong in ["from=2026-02-30", "to=x", "from=2026-02-02&to=2026-02-01", "key=09", "by=hour"] {
        trader.get(&format!("/analytics/overview?{wrong}")).await.expect_problem(422, "invalid");
    }
    let position = "/analytics/positions/0123456789abcdef0123";
    cover(app.get(position).await).expect_problem(401, "unauthenticated");
    for missing in [position, "/analytics/positions/x", &format!("/analytics/positions/{}", "0".repeat(41))] {
        cover(trader.get(missing).await).expect_problem(404, "position_not_found");
    }
    let strategy = "/analytics/strategies/0123456789abcdef0123";
    cover(app.get(strategy).await).expect_problem(401, "unauthenticated");
    for missing in [strategy, "/analytics/strategies/x", &format!("/analytics/strategies/{}", "0".repeat(41))] {
        cover(trader.get(missing).await).expect_problem(404, "strategy_not_found");
    }
    let path = "/analytics/reconcile";
    let send = async |file: &[u8]| {
        let upload = Upload { fields: Vec::new(), ..Upload::new("pnl.csv", file, "") };
        let request = trader.request(Method::POST, path).header("content-type", Upload::CONTENT_TYPE);
        app.send(request.body(Body::from(upload.form())).unwrap()).await
    };
    let report = zerodha_profit_csv(&[], &["INFY,INE000A01010,1,100,101,1"]);
    cover(app.send(Request::post(path).body(Body::empty()).unwrap()).await).expect_problem(401, "unauthenticated");
    let broken = trader.request(Method::POST, path).header("content-type", Upload::CONTENT_TYPE);
    cover(app.send(broken.body(Body::from("--x\r\nbroken")).unwrap()).await).expect_problem(400, "malformed");
    cover(send(&vec![b'x'; 32 * 1024 * 1024 + 1]).await).expect_problem(413, "file_too_large");
    cover(send(&report).await).expect_problem(422, "no_trades_to_reconcile");
    let tradebook = zerodha_csv(&[Fill::nth(0)]);
    assert_eq!(trader.upload(&Upload::new("t.csv", &tradebook, "zerodha")).await.status, 200);
    cover(send(&tradebook).await).expect_problem(422, "trades_file");
    cover(send(b"").await).expect_problem(422, "file_empty");
    assert_eq!(cover(send(&report).await).status, 200);
    let positions = cover(trader.get("/analytics/positions").await).json();
    let own_position = format!("/analytics/positions/{}", positions["positions"][0]["id"].as_str().unwrap());
    assert_eq!(cover(trader.get(&own_position).await).status, 200);
    cover(other.get(&own_position).await).expect_problem(404, "position_not_found");
    let mut call = entry(&json!({ "symbol": "NIFTY26DEC24000CE", "quantity": 65 }));
    call["tradetype"] = json!("fno");
    assert_eq!(trader.send_json(app, Method::POST, "/trades/add", &call).await.status, 200);
    let strategies = cover(trader.get("/analytics/strategies").await).json();
    let own_strategy = format!("/analytics/strategies/{}", strategies["strategies"][0]["id"].as_str().unwrap());
    assert_eq!(cover(trader.get(&own_strategy).await).status, 200);
    cover(other.get(&own_strategy).await).expect_problem(404, "strategy_not_found");
    cover_strategy_settings(app, &trader, &mut cover).await;
    cover_strategy_decisions(app, pool, [&trader, &other], &own_strategy, &mut cover).await;

    cover_losses(app, &trader, &mut cover).await;
    cover_tax_entries(app, &trader, &mut cover).await;
    let shared = cover_tax_links(app, pool, &trader, &mut cover).await;

    let path = "/analytics/adjustments";
    let post = |token: Option<&str>, body: &'static str| {
        let request = Request::post(path).header("content-type", "application/json");
        let request = match token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        };
        request.body(Body::from(body)).unwrap()
    };
    cover(app.send(post(None, "{}")).await).expect_problem(401, "unauthenticated");
    cover(app.send(post(Some(&trader.token), "{")).await).expect_problem(400, "malformed");
    let bonus = json!({ "kind": "bonus", "symbol": "wipro", "date": "2024-12-03", "newShares": 1, "oldShares": 1 });
    let added = cover(trader.send_json(app, Method::POST, path, &bonus).await);
    assert_eq!((added.status.as_u16(), &added.json()["symbol"]), (201, &json!("WIPRO")));
    cover(trader.send_json(app, Method::POST, path, &bonus).await).expect_problem(409, "adjustment_exists");
    for (field, value) in [
        ("kind", json!("liquidation")),
        ("costPercent", json!(13.51)),
        ("allottedOn", json!("2026-12-04")),
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
        let refused = cover(trader.send_json(app, Method::POST, path, &wrong).await).expect_problem(422, "invalid");
        assert!(refused.json()["errors"].as_array().unwrap().iter().any(|error| error["field"] == field), "{field}");
    }
    let one = format!("{path}/{}", added.json()["id"].as_str().unwrap());
    let unauthenticated = Request::delete(&one).body(Body::empty()).unwrap();
    cover(app.send(unauthenticated).await).expect_problem(401, "unauthenticated");
    cover(other.send_json(app, Method::DELETE, &one, &Value::Null).await).expect_problem(404, "adjustment_not_found");
    assert_eq!(cover(trader.send_json(app, Method::DELETE, &one, &Value::Null).await).status, 204);
    cover(trader.send_json(app, Method::DELETE, &format!("{path}/x"), &Value::Null).await)
        .expect_problem(404, "adjustment_not_found");
    cover(trader.send_json(app, Method::DELETE, &format!("{one}?lastId=x"), &Value::Null).await)
        .expect_problem(422, "invalid");

    let path = "/analytics/data-issues/answers";
    let issue =
        |symbol: &str| json!({ "answers": [{ "issueId": format!("settlement:all:{symbol}"), "answer": "worthless" }] });
    let (first, second) = (issue("NIFTY2660225000CE"), issue("NIFTY2660226000CE"));
    cover(app.send(Request::post(path).body(Body::empty()).unwrap()).await).expect_problem(401, "unauthenticated");
    let broken = trader.request(Method::POST, path).header("content-type", "application/json");
    cover(app.send(broken.body(Body::from("{")).unwrap()).await).expect_problem(400, "malformed");
    cover(trader.send_json(app, Method::POST, path, &first).await).expect_problem(404, "data_issue_not_found");
    let nothing = json!({ "answers": [] });
    cover(trader.send_json(app, Method::POST, path, &nothing).await).expect_problem(422, "invalid");
    let mut option = entry(&json!({ "symbol": "NIFTY2660225000CE", "timestamp": "2026-06-02T10:30" }));
    option["tradetype"] = json!("fno");
    assert_eq!(trader.send_json(app, Method::POST, "/trades/add", &option).await.status, 200);
    assert_eq!(cover(trader.send_json(app, Method::POST, path, &first).await).status, 201);
    sqlx::query(
        "insert into analytics.adjustment (account_id, adjustment_id, change_id, kind, symbol, day, price)
         select account_id, 100 + number, 100 + number, 'settlement', 'X' || number, date '2026-01-01', 0
         from analytics.account, generate_series(1, 9999) number",
    )
    .execute(pool)
    .await
    .unwrap();
    option["trade"]["symbol"] = json!("NIFTY2660226000CE");
    assert_eq!(trader.send_json(app, Method::POST, "/trades/add", &option).await.status, 200);
    cover(trader.send_json(app, Method::POST, path, &second).await).expect_problem(409, "too_many_adjustments");

    sqlx::query("update trades.account set trade_count = 1000001").execute(pool).await.unwrap();
    let reads_log = |path: &str| !path.ends_with("adjustments") && !path.ends_with("losses");
    for (path, query) in READS.into_iter().filter(|(path, _)| reads_log(path)) {
        cover(trader.get(&format!("{path}?{query}")).await).expect_problem(413, "too_many_trades");
    }
    for (path, body) in [
        ("/analytics/tax/shared", json!({ "token": shared })),
        ("/analytics/tax/shared/export", json!({ "token": shared, "format": "csv" })),
    ] {
        cover(app.post(path, &body).await).expect_problem(413, "too_many_trades");
    }
    cover(trader.get(position).await).expect_problem(413, "too_many_trades");
    cover(trader.get(strategy).await).expect_problem(413, "too_many_trades");
    let decisions = format!("{own_strategy}/decisions");
    let confirm = json!({ "action": "confirm" });
    cover(trader.send_json(app, Method::POST, &decisions, &confirm).await).expect_problem(413, "too_many_trades");
    cover(trader.send_json(app, Method::POST, path, &second).await).expect_problem(413, "too_many_trades");
}

/// Reads and saves the settings for grouping.
async fn cover_strategy_settings(app: &App, trader: &Trader<'_>, cover: &mut impl FnMut(Reply) -> Reply) {
    let path = "/analytics/strategy-settings";
    for request in [Request::get(path), Request::put(path)] {
        cover(app.send(request.body(Body::empty()).unwrap()).await).expect_problem(401, "unauthenticated");
    }
    let settings = cover(trader.get(path).await).json();
    let expected = json!({ "windowMinutes": 5, "acrossAccounts": false });
    assert_eq!(settings, json!({ "settings": expected, "undoableChangeId": null }));
    for (field, body) in [
        ("windowMinutes", json!({ "acrossAccounts": true })),
        ("acrossAccounts", json!({ "windowMinutes": 5 })),
        ("windowMinutes", json!({ "windowMinutes": 0, "acrossAccounts": true })),
        ("windowMinutes", json!({ "windowMinutes": 61, "acrossAccounts": true })),
        ("windowMinutes", json!({ "windowMinutes": 2.5, "acrossAccounts": true })),
        ("windowMinutes", json!({ "windowMinutes": 5_000_000_000_u64, "acrossAccounts": true })),
        ("windowMinutes", json!({ "windowMinutes": "5", "acrossAccounts": true })),
        ("acrossAccounts", json!({ "windowMinutes": 5, "acrossAccounts": 1 })),
        ("window", json!({ "windowMinutes": 5, "acrossAccounts": true, "window": 5 })),
    ] {
        let refused = cover(trader.send_json(app, Method::PUT, path, &body).await).expect_problem(422, "invalid");
        assert!(refused.json()["errors"].as_array().unwrap().iter().any(|error| error["field"] == field), "{body}");
    }
    assert_eq!(cover(trader.send_json(app, Method::PUT, path, &expected).await).status, 204);
}

/// Replaces the losses of the years before the log.
async fn cover_losses(app: &App, trader: &Trader<'_>, cover: &mut impl FnMut(Reply) -> Reply) {
    let path = "/analytics/tax/losses";
    cover(app.send(Request::put(path).body(Body::empty()).unwrap()).await).expect_problem(401, "unauthenticated");
    let broken = trader.request(Method::PUT, path).header("content-type", "application/json");
    cover(app.send(broken.body(Body::from("{")).unwrap()).await).expect_problem(400, "malformed");
    let loss = json!({ "kind": "longTerm", "year": "2022-23", "broker": "groww", "brokerAccount": 2, "amount": 0.01 });
    let losses = json!({ "losses": [loss] });
    let stored = cover(trader.send_json(app, Method::PUT, path, &losses).await);
    assert_eq!((stored.status.as_u16(), stored.json()), (200, losses.clone()));
    assert_eq!(cover(trader.get(path).await).json(), losses);
    cover(trader.send_json(app, Method::PUT, path, &json!({})).await).expect_problem(422, "invalid");
}

/// Replaces the figures of a tax year.
async fn cover_tax_entries(app: &App, trader: &Trader<'_>, cover: &mut impl FnMut(Reply) -> Reply) {
    let path = "/analytics/tax/entries/2025-26";
    for request in [Request::get(path), Request::put(path)] {
        cover(app.send(request.body(Body::empty()).unwrap()).await).expect_problem(401, "unauthenticated");
    }
    let broken = trader.request(Method::PUT, path).header("content-type", "application/json");
    cover(app.send(broken.body(Body::from("{")).unwrap()).await).expect_problem(400, "malformed");
    let entries = json!([{ "kind": "advanceTax", "broker": "groww", "day": "2025-06-15", "amount": 0.01 }]);
    let stored = cover(trader.send_json(app, Method::PUT, path, &json!({ "entries": entries })).await);
    assert_eq!((stored.status.as_u16(), &stored.json()["entries"]), (200, &entries));
    assert_eq!(cover(trader.get(path).await).json(), stored.json());
    cover(trader.send_json(app, Method::PUT, path, &json!({})).await).expect_problem(422, "invalid");
    cover(trader.get("/analytics/tax/entries/2025-27").await).expect_problem(422, "invalid");
}

/// Creates, uses and ends links. Returns the token of one that still works.
async fn cover_tax_links(
    app: &App,
    pool: &PgPool,
    trader: &Trader<'_>,
    cover: &mut impl FnMut(Reply) -> Reply,
) -> String {
    let path = "/analytics/tax/links";
    for request in [Request::get(path), Request::post(path), Request::delete(format!("{path}/x"))] {
        cover(app.send(request.body(Body::empty()).unwrap()).await).expect_problem(401, "unauthenticated");
    }
    let create = async |body: String| {
        let request = trader.request(Method::POST, path).header("content-type", "application/json");
        app.send(request.header("host", "127.0.0.1:8080").body(Body::from(body)).unwrap()).await
    };
    let valid = json!({ "recipient": "Mehta & Co", "year": "2026-27", "ttlDays": 30 }).to_string();
    let created = cover(create(valid.clone()).await).json();
    let token = created["url"].as_str().unwrap().split_once('#').unwrap().1.to_owned();
    cover(create("{".to_owned()).await).expect_problem(400, "malformed");
    cover(create("{}".to_owned()).await).expect_problem(422, "invalid");
    for _ in 0..19 {
        create(valid.clone()).await;
    }
    cover(create(valid.clone()).await).expect_problem(409, "too_many_tax_links");
    let shared = "/analytics/tax/shared";
    let export = "/analytics/tax/shared/export";
    for operation in [shared, export] {
        let broken = Request::post(operation).header("content-type", "application/json");
        cover(app.send(broken.body(Body::from("{")).unwrap()).await).expect_problem(400, "malformed");
        cover(app.post(operation, &json!({})).await).expect_problem(422, "invalid");
    }
    cover(app.post(shared, &json!({ "token": "x" })).await).expect_problem(404, "tax_link_expired");
    cover(app.post(export, &json!({ "token": "x", "format": "csv" })).await).expect_problem(404, "tax_link_expired");
    assert_eq!(cover(app.post(shared, &json!({ "token": token })).await).status, 200);
    assert_eq!(cover(app.post(export, &json!({ "token": token, "format": "csv" })).await).status, 200);
    let links = cover(trader.get(path).await).json();
    let last = format!("{path}/{}", links["links"][0]["id"].as_str().unwrap());
    assert_eq!(cover(trader.send_json(app, Method::DELETE, &last, &Value::Null).await).status, 204);
    let unknown = format!("{path}/x");
    cover(trader.send_json(app, Method::DELETE, &unknown, &Value::Null).await)
        .expect_problem(404, "tax_link_not_found");
    let authenticated_ago = async |seconds: f64| {
        let update = "update auth.session set authenticated_at = now() - make_interval(secs => $1)";
        sqlx::query(update).bind(seconds).execute(pool).await.unwrap();
    };
    authenticated_ago(3_600.0).await;
    cover(create(valid).await).expect_problem(403, "reauthentication_required");
    authenticated_ago(0.0).await;
    token
}

/// Sends decisions about a strategy of the first trader.
async fn cover_strategy_decisions(
    app: &App,
    pool: &PgPool,
    [trader, other]: [&Trader<'_>; 2],
    strategy: &str,
    cover: &mut impl FnMut(Reply) -> Reply,
) {
    let path = format!("{strategy}/decisions");
    cover(app.send(Request::post(&path).body(Body::empty()).unwrap()).await).expect_problem(401, "unauthenticated");
    let broken = trader.request(Method::POST, &path).header("content-type", "application/json");
    cover(app.send(broken.body(Body::from("{")).unwrap()).await).expect_problem(400, "malformed");
    let confirm = json!({ "action": "confirm" });
    cover(other.send_json(app, Method::POST, &path, &confirm).await).expect_problem(404, "strategy_not_found");
    let long_id = format!("/analytics/strategies/{}/decisions", "0".repeat(41));
    cover(trader.send_json(app, Method::POST, &long_id, &confirm).await).expect_problem(404, "strategy_not_found");
    let release = json!({ "action": "release" });
    cover(trader.send_json(app, Method::POST, &path, &release).await).expect_problem(409, "strategy_not_confirmed");
    let key = "0123456789abcdef0123";
    for (field, body) in [
        ("action", json!({})),
        ("groupingId", json!({ "action": "confirm", "groupingId": "x" })),
        ("action", json!({ "action": "sell" })),
        ("name", json!({ "action": "confirm", "name": "x".repeat(61) })),
        ("name", json!({ "action": "release", "name": "x" })),
        ("candidateId", json!({ "action": "choose" })),
        ("candidateId", json!({ "action": "choose", "candidateId": "x" })),
        ("candidateId", json!({ "action": "choose", "candidateId": key })),
        ("shape", json!({ "action": "choose", "candidateId": key, "shape": "ratio" })),
        ("strategyIds", json!({ "action": "join" })),
        ("strategyIds", json!({ "action": "join", "strategyIds": ["x"] })),
        ("strategyIds", json!({ "action": "join", "strategyIds": [key, key] })),
        ("strategyIds", json!({ "action": "join", "strategyIds": [key] })),
        ("positionIds", json!({ "action": "join", "positionIds": vec![key; 51] })),
        ("legs", json!({ "action": "split" })),
        ("legs", json!({ "action": "split", "legs": [] })),
        ("legs", json!({ "action": "split", "legs": [{ "positionId": key, "quantity": 0 }] })),
        ("legs", json!({ "action": "split", "legs": [{ "positionId": key, "quantity": 1 }] })),
        ("legs.0.quantity", json!({ "action": "split", "legs": [{ "positionId": key, "quantity": "1" }] })),
    ] {
        let refused = cover(trader.send_json(app, Method::POST, &path, &body).await).expect_problem(422, "invalid");
        assert!(refused.json()["errors"].as_array().unwrap().iter().any(|error| error["field"] == field), "{body}");
    }
    let other_grouping = json!({ "action": "confirm", "groupingId": key });
    cover(trader.send_json(app, Method::POST, &path, &other_grouping).await).expect_problem(409, "strategy_changed");
    let confirmed = cover(trader.send_json(app, Method::POST, &path, &confirm).await);
    assert_eq!(confirmed.status, 201);
    let first = format!("/analytics/strategy-decisions/{}", confirmed.json()["changeId"].as_str().unwrap());
    let released = cover(trader.send_json(app, Method::POST, &path, &release).await);
    assert_eq!((released.status.as_u16(), &released.json()["strategies"][0]["confirmedAt"]), (201, &Value::Null));
    let second = format!("/analytics/strategy-decisions/{}", released.json()["changeId"].as_str().unwrap());

    let unauthenticated = Request::delete(&second).body(Body::empty()).unwrap();
    cover(app.send(unauthenticated).await).expect_problem(401, "unauthenticated");
    let mut delete =
        async |by: &Trader<'_>, path: &str| cover(by.send_json(app, Method::DELETE, path, &Value::Null).await);
    delete(trader, "/analytics/strategy-decisions/x").await.expect_problem(404, "strategy_change_not_found");
    delete(other, &second).await.expect_problem(404, "strategy_change_not_found");
    delete(trader, &first).await.expect_problem(409, "strategies_changed_again");
    assert_eq!(delete(trader, &second).await.status, 204);
    delete(trader, &second).await.expect_problem(404, "strategy_change_not_found");
    assert_eq!(delete(trader, &first).await.status, 204);

    sqlx::query(
        "insert into analytics.confirmed_strategy
            (account_id, change_id, strategy_id, shape, fill_keys, starts, ends, confirmed_at)
         select account_id, 1, lpad(to_hex(number), 20, '0'), 'ratio', '{00000000000000000000}', '{0}', '{null}', now()
         from analytics.account, generate_series(1, 10000) number",
    )
    .execute(pool)
    .await
    .unwrap();
    let refused = trader.send_json(app, Method::POST, &path, &confirm).await;
    cover(refused).expect_problem(409, "too_many_confirmed_strategies");
    sqlx::query("delete from analytics.confirmed_strategy").execute(pool).await.unwrap();
}
