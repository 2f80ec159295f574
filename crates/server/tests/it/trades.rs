//! Manual trades over REST: add, edit, delete, undo, replace and export.

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, Reply, Trader, Upload};
use crate::broker_files::{Fill, zerodha_xlsx};

/// Returns the body of `/trades/add`. Its trade has the fields of `changed`.
pub fn entry(changed: &Value) -> Value {
    let mut trade = json!({
        "symbol": "infy", "price": 1500.05, "quantity": 10, "timestamp": "2026-04-01T09:15", "type": "buy",
    });
    for (name, value) in changed.as_object().unwrap() {
        trade[name] = value.clone();
    }
    json!({ "broker": "zerodha", "tradetype": "equity", "trade": trade })
}

pub trait SendJson {
    async fn send_json(&self, app: &App, method: Method, path: &str, body: &Value) -> Reply;
}

impl SendJson for Trader<'_> {
    /// Sends a JSON body and prefers a minimal reply.
    async fn send_json(&self, app: &App, method: Method, path: &str, body: &Value) -> Reply {
        let request = self.request(method, path).header("prefer", "return=minimal");
        let request = match body {
            Value::Null => request.body(Body::empty()),
            body => request.header("content-type", "application/json").body(Body::from(body.to_string())),
        };
        app.send(request.unwrap()).await
    }
}

/// Returns the symbols of the log, newest trade first.
async fn symbols(trader: &Trader<'_>) -> Vec<String> {
    let record = trader.get("/trades/client").await.json();
    let trades = record["trades"].as_array().unwrap();
    trades.iter().map(|trade| trade["symbol"].as_str().unwrap().to_owned()).collect()
}

#[sqlx::test(migrations = "../../migrations")]
async fn s2_an_account_takes_fewer_trades_until_its_email_address_is_confirmed(pool: PgPool) {
    let app = App::new(&pool).await;
    let mut trader = app.register_trader().await;
    let added = trader.send_json(&app, Method::POST, "/trades/add", &entry(&json!({}))).await.json();
    sqlx::query("update trades.account set trade_count = 100000").execute(&pool).await.unwrap();

    let one = entry(&json!({ "symbol": "itc" }));
    let refused = trader.send_json(&app, Method::POST, "/trades/add", &one).await;
    let detail = refused.expect_problem(409, "too_many_unconfirmed_trades").json()["detail"].to_string();
    assert!(detail.contains("1,00,000 trades") && detail.contains("Confirm your email address"), "{detail}");
    let many = json!({ "broker": "groww", "tradetype": "equity", "trades": [one["trade"]] });
    trader
        .send_json(&app, Method::POST, "/trades/replace", &many)
        .await
        .expect_problem(409, "too_many_unconfirmed_trades");
    let file = zerodha_xlsx(&[Fill::nth(1)]);
    let upload = Upload::new("t.xlsx", &file, "zerodha");
    trader.preview(&upload).await.expect_problem(409, "too_many_unconfirmed_trades");
    trader.upload(&upload).await.expect_problem(409, "too_many_unconfirmed_trades");
    let deleted = format!("/trades/{}", added["trade"]["_id"].as_str().unwrap());
    assert_eq!(trader.send_json(&app, Method::DELETE, &deleted, &Value::Null).await.status, 200);
    assert_eq!(trader.send_json(&app, Method::POST, "/trades/add", &one).await.status, 200);

    sqlx::query("update auth.account set email_confirmed_at = now()").execute(&pool).await.unwrap();
    let refresh = Request::post("/auth/refresh").header("cookie", &trader.cookie).body(Body::empty()).unwrap();
    trader.token = app.send(refresh).await.json()["data"]["token"].as_str().unwrap().to_owned();
    assert_eq!(trader.send_json(&app, Method::POST, "/trades/add", &one).await.status, 200);
    assert_eq!(trader.upload(&upload).await.status, 200);
    sqlx::query("update trades.account set trade_count = 1000000").execute(&pool).await.unwrap();
    let refused = trader.send_json(&app, Method::POST, "/trades/add", &one).await;
    refused.expect_problem(409, "too_many_trades");
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_trade_is_added_edited_deleted_and_restored(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let notes = json!({ "notes": "First.", "stockName": "Infosys", "pairId": "p-1", "exchange": "BSE" });
    let added = trader.send_json(&app, Method::POST, "/trades/add", &entry(&notes)).await.json();
    let mut trade = added["trade"].clone();
    let id = trade["_id"].as_str().unwrap().to_owned();
    let expected = json!({
        "_id": id, "type": "buy", "symbol": "INFY", "quantity": 10, "price": 1500.05, "value": 15000.5,
        "timestamp": "2026-04-01T03:45:00Z", "timePrecision": trade["timePrecision"], "broker": "zerodha",
        "tradetype": "equity", "exchange": "BSE", "stockName": "Infosys", "notes": "First.", "pairId": "p-1",
    });
    assert_eq!((&trade, &added["total"]), (&expected, &json!(1)));

    let path = format!("/trades/{id}");
    let edited =
        trader.send_json(&app, Method::PATCH, &path, &json!({ "price": 0.0001, "psychology": "Calm." })).await.json();
    for (field, value) in [("price", json!(0.0001)), ("value", json!(0.001)), ("psychology", json!("Calm."))] {
        trade[field] = value;
    }
    assert_eq!(edited["trade"], trade);
    assert_eq!(trader.get(&path).await.json(), trade);
    let same = trader.send_json(&app, Method::PATCH, &path, &json!({ "price": 0.0001 })).await.json();
    assert_eq!(same["changeId"], json!(null));

    let deleted = trader.send_json(&app, Method::DELETE, &path, &Value::Null).await.json();
    assert_eq!((&deleted["deleted"], &deleted["total"]), (&json!(1), &json!(0)));
    trader.get(&path).await.expect_problem(404, "trade_not_found");
    let changes = trader.get("/trades/changes").await.json()["changes"].clone();
    let kinds: Vec<_> = changes.as_array().unwrap().iter().map(|change| change["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["delete", "edit", "entry"]);
    assert_eq!(
        (&changes[0]["newer"], &changes[2]["newer"], &changes[2]["symbol"]),
        (&json!(0), &json!(2), &json!("INFY"))
    );

    let undo = format!("/trades/changes/{}/undo", changes[1]["id"].as_str().unwrap());
    trader
        .send_json(&app, Method::POST, &undo, &json!({ "newer": 0 }))
        .await
        .expect_problem(409, "newer_changes_mismatch");
    let undone = trader.send_json(&app, Method::POST, &undo, &json!({ "newer": 1 })).await.json();
    assert_eq!((&undone["undone"], &undone["total"]), (&json!(2), &json!(1)));
    assert_eq!(trader.get(&path).await.json(), expected);
}

#[sqlx::test(migrations = "../../migrations")]
async fn replacing_a_book_leaves_other_books_and_can_be_undone(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    trader.send_json(&app, Method::POST, "/trades/add", &entry(&json!({ "symbol": "OLD" }))).await;
    let mut fno = entry(&json!({ "symbol": "NIFTY26APRFUT", "timestamp": "2026-04-03T09:15" }));
    fno["tradetype"] = json!("fno");
    trader.send_json(&app, Method::POST, "/trades/add", &fno).await;

    let trades: Vec<Value> = (0..4_500).map(|_| entry(&json!({ "symbol": "NEW" }))["trade"].clone()).collect();
    // The book comes after the trades in the body.
    let text = format!(r#"{{"trades":{},"tradetype":"equity","broker":"zerodha"}}"#, json!(trades));
    let request_with_key = || {
        let request = trader.request(Method::POST, "/api/v1/trades/replace").header("content-type", "application/json");
        request
            .header("prefer", "return=minimal")
            .header("idempotency-key", "k")
            .body(Body::from(text.clone()))
            .unwrap()
    };
    let replaced = app.send(request_with_key()).await.json();
    let replacement = &replaced["replacement"];
    assert_eq!(
        (&replacement["added"], &replacement["removed"], &replaced["total"]),
        (&json!(4500), &json!(1), &json!(4501))
    );
    let again = app.send(request_with_key()).await;
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!((&again.json()["replacement"], &again.json()["total"]), (replacement, &json!(4501)));

    let undo = format!("/trades/changes/{}/undo", replacement["changeId"].as_str().unwrap());
    let undone = trader.send_json(&app, Method::POST, &undo, &json!({ "newer": 0 })).await.json();
    assert_eq!(undone, json!({ "removed": 4500, "restored": 1, "undone": 1, "total": 2 }));
    assert_eq!(symbols(&trader).await, ["NIFTY26APRFUT", "OLD"]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_invalid_trade_is_rejected_by_field_and_changes_nothing(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let ahead = time::OffsetDateTime::now_utc() + time::Duration::days(2);
    let ahead = ahead.format(&time::format_description::well_known::Rfc3339).unwrap();
    let raw = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let cases = [
        ("quantity", json!(0)),
        ("quantity", json!(-1)),
        ("quantity", json!(1.5)),
        ("quantity", json!(1_000_000_000)),
        ("price", json!("NaN")),
        ("price", json!(1e308)),
        ("price", raw("-0.0")),
        ("price", json!(0)),
        ("price", json!(1.00001)),
        ("price", json!(100_000_000_000_i64)),
        ("timestamp", json!("1989-12-31T23:59")),
        ("timestamp", json!(ahead)),
        ("broker", json!("other")),
        ("tradetype", json!("commodity")),
        ("exchange", json!("MCX")),
        ("type", json!("hold")),
        ("symbol", json!("  ")),
        ("notes", json!("x".repeat(2001))),
        ("colour", json!("red")),
    ];
    for (field, value) in &cases {
        let bad = entry(&json!({ *field: value }));
        let assert_field_error = |reply: Reply, name: &str| {
            let problem = reply.expect_problem(422, "invalid").json();
            let errors = problem["errors"].as_array().unwrap();
            let field_errors = errors.iter().filter(|error| error["field"] == name);
            assert_eq!(
                field_errors.filter(|error| !error["code"].as_str().unwrap().is_empty()).count(),
                1,
                "{problem:#}"
            );
        };
        assert_field_error(trader.send_json(&app, Method::POST, "/trades/add", &bad).await, &format!("trade.{field}"));
        let trades = json!([entry(&json!({}))["trade"], bad["trade"]]);
        let list = json!({ "broker": "zerodha", "tradetype": "equity", "trades": trades });
        assert_field_error(
            trader.send_json(&app, Method::POST, "/trades/replace", &list).await,
            &format!("trades.1.{field}"),
        );
    }
    assert!(symbols(&trader).await.is_empty());

    let added = trader.send_json(&app, Method::POST, "/trades/add", &entry(&json!({}))).await.json();
    let path = format!("/trades/{}", added["trade"]["_id"].as_str().unwrap());
    for (field, value) in cases.iter().filter(|(field, _)| !["broker", "tradetype"].contains(field)) {
        let problem = trader
            .send_json(&app, Method::PATCH, &path, &json!({ *field: value }))
            .await
            .expect_problem(422, "invalid")
            .json();
        assert_eq!(problem["errors"][0]["field"], *field, "{problem:#}");
    }
    assert_eq!(trader.get(&path).await.json(), added["trade"]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn ids_and_email_of_another_trader_are_rejected_everywhere(pool: PgPool) {
    let app = App::new(&pool).await;
    let (asha, ravi) = (app.register_trader().await, app.register_trader().await);
    let added = asha.send_json(&app, Method::POST, "/trades/add", &entry(&json!({}))).await.json();
    let path = format!("/trades/{}", added["trade"]["_id"].as_str().unwrap());
    let undo = format!("/trades/changes/{}/undo", added["changeId"].as_str().unwrap());
    ravi.get(&path).await.expect_problem(404, "trade_not_found");
    ravi.send_json(&app, Method::PATCH, &path, &json!({ "price": 1 })).await.expect_problem(404, "trade_not_found");
    ravi.send_json(&app, Method::DELETE, &path, &Value::Null).await.expect_problem(404, "trade_not_found");
    ravi.send_json(&app, Method::POST, &undo, &json!({ "newer": 0 })).await.expect_problem(404, "change_not_found");
    let mut foreign = entry(&json!({}));
    foreign["email"] = json!(asha.email);
    ravi.send_json(&app, Method::POST, "/trades/add", &foreign).await.expect_problem(403, "email_mismatch");
    let list = json!({ "broker": "zerodha", "tradetype": "equity", "email": asha.email, "trades": [foreign["trade"]] });
    ravi.send_json(&app, Method::POST, "/trades/replace", &list).await.expect_problem(403, "email_mismatch");
    ravi.get(&format!("/trades/client?email={}", asha.email)).await.expect_problem(403, "email_mismatch");
    assert_eq!(symbols(&asha).await, ["INFY"]);
    assert!(symbols(&ravi).await.is_empty());
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_filtered_log_is_exported(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let trade = |symbol: &str, price: f64| {
        entry(&json!({ "symbol": symbol, "price": price, "notes": "=1+1" }))["trade"].clone()
    };
    let trades: Vec<_> = (1..=1_200).map(|n| trade("TCS", f64::from(n))).chain([trade("INFY", 7.0)]).collect();
    let list = json!({ "broker": "zerodha", "tradetype": "equity", "trades": trades });
    assert_eq!(trader.send_json(&app, Method::POST, "/trades/replace", &list).await.status, 200);

    let file = trader.get("/trades/export?q=tcs&sort=price").await;
    assert_eq!(file.headers["content-type"], "text/csv; charset=utf-8");
    let text = std::str::from_utf8(&file.body).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 1_201);
    assert!(lines[0].starts_with("\u{feff}Type,Symbol,Quantity,Price (INR)"));
    assert!(
        lines[1].starts_with("BUY,TCS,10,1,10,2026-04-01 09:15") && lines[1].ends_with(",'=1+1,,,"),
        "{}",
        lines[1]
    );
    assert!(lines[1_200].starts_with("BUY,TCS,10,1200,"));
    assert_eq!(std::str::from_utf8(&trader.get("/trades/export").await.body).unwrap().lines().count(), 1_202);
    let workbook = trader.get("/trades/export?format=xlsx").await;
    assert!(workbook.status == 200 && workbook.body.starts_with(b"PK"));
}
