//! Links to tax packs over REST.

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, Reply, Trader};
use crate::ledgers::send_ledger;
use crate::trades::{SendJson, entry};

const LINKS: &str = "/analytics/tax/links";
const SHARED: &str = "/analytics/tax/shared";
const EXPORT: &str = "/analytics/tax/shared/export";

/// Adds an intraday profit of `profit` rupees before charges, in an account with Zerodha.
async fn add_profit(app: &App, trader: &Trader<'_>, account: u32, day: &str, profit: u32) {
    for (side, time, price) in [("buy", "09:30", 1500), ("sell", "10:30", 1500 + profit)] {
        let at = format!("{day}T{time}");
        let mut body =
            entry(&json!({ "symbol": "INFY", "type": side, "timestamp": at, "quantity": 1, "price": price }));
        body["brokerAccount"] = json!(account);
        assert_eq!(trader.send_json(app, Method::POST, "/trades/add", &body).await.status, 200);
    }
}

/// Creates a link. Returns its id and its token.
async fn create_link(app: &App, trader: &Trader<'_>, body: &Value) -> (String, String) {
    let reply = send(app, trader, body).await;
    assert_eq!(reply.status, 201, "{:#}", reply.json());
    let url = reply.json()["url"].as_str().unwrap().to_owned();
    let (page, token) = url.split_once('#').unwrap();
    assert_eq!(page, "http://127.0.0.1:8080/shared-tax-pack");
    (reply.json()["link"]["id"].as_str().unwrap().to_owned(), token.to_owned())
}

async fn send(app: &App, trader: &Trader<'_>, body: &Value) -> Reply {
    let request = trader.request(Method::POST, LINKS).header("host", "127.0.0.1:8080");
    let request = request.header("content-type", "application/json").body(Body::from(body.to_string()));
    app.send(request.unwrap()).await
}

async fn open(app: &App, token: &str) -> Reply {
    app.post(SHARED, &json!({ "token": token })).await
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_accountant_sees_the_year_and_the_accounts_of_the_link_only(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    add_profit(&app, &trader, 1, "2025-06-02", 10).await;
    add_profit(&app, &trader, 2, "2025-06-03", 200).await;
    add_profit(&app, &trader, 1, "2026-06-01", 3000).await;
    // Costs of the link's year, of another year, and of another account.
    let costs = "particulars,posting_date,cost_center,voucher_type,debit,credit,net_balance\n\
                 Funds added using UPI,2025-05-01,NSE-EQ - Z,Bank Receipts,0,5000,5000\n\
                 AMC for Demat Account,2025-06-02,NSE-EQ - Z,Journal Entry,88.5,0,4911.5\n\
                 Something new,2025-06-03,NSE-EQ - Z,Journal Entry,1,0,4910.5\n\
                 AMC for Demat Account,2026-04-01,NSE-EQ - Z,Journal Entry,90,0,4820.5\n";
    for (account, file) in [
        ("1", costs.to_owned()),
        ("2", costs.replace("88.5,0,4911.5", "86.5,0,4913.5").replace("4910.5", "4912.5").replace("4820.5", "4822.5")),
    ] {
        let sent = send_ledger(&trader, "ledger.csv", file.as_bytes(), &[("brokerAccount", account)]).await;
        assert_eq!((sent.status.as_u16(), &sent.json()["added"]), (200, &json!(4)));
    }
    let entry = |kind: &str, amount: u32| json!({ "kind": kind, "broker": "zerodha", "amount": amount });
    let entries = json!({ "entries": [entry("salary", 1_234_567), entry("otherIncome", 45_678)] });
    let stored = trader.send_json(&app, Method::PUT, "/analytics/tax/entries/2025-26", &entries).await;
    assert_eq!(stored.status, 200);
    let body = json!({ "recipient": "Mehta & Co", "year": "2025-26", "accounts": "zerodha", "ttlDays": 7 });
    let (id, token) = create_link(&app, &trader, &body).await;

    let shared = open(&app, &token).await;
    // Other income has lines of the return; salary is in none.
    let text = shared.json().to_string();
    assert!(text.contains("45678") && !text.contains("1234567") && !text.contains("salary"), "{text}");
    let mut own = trader.get("/analytics/tax?year=2025-26&accounts=zerodha").await.json();
    // The estimate tells the trader's salary.
    assert!(own.as_object_mut().unwrap().remove("estimate").is_some());
    assert_eq!((shared.status.as_u16(), &shared.json()["pack"]), (200, &own));
    assert_eq!((&own["year"], &own["speculative"]["turnover"]), (&json!("2025-26"), &json!(10)));
    let cost = |kind: &str, amount: Value, treatment: &str| json!({ "broker": "zerodha", "kind": kind, "amount": amount, "entries": 1, "treatment": treatment });
    assert_eq!(own["ledger"], json!([cost("amc", json!(88.5), "cost"), cost("other", json!(1), "notRecognised")]));
    assert_eq!(shared.json()["recipient"], "Mehta & Co");
    let fields: Vec<String> = shared.json().as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        fields,
        ["accounts", "expiresAt", "name", "pack", "recipient"],
        "nothing else, above all no access token"
    );
    // Nor another account of the trader.
    assert_eq!(shared.json()["accounts"], json!([{ "broker": "zerodha", "brokerAccount": 1 }]));
    for (format, start) in [("csv", "Income,Broker"), ("xlsx", "PK"), ("112a", "Share/Unit acquired(1a)")] {
        let file = app.post(EXPORT, &json!({ "token": token, "format": format })).await;
        assert_eq!(file.status, 200, "{format}");
        let body = file.body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&file.body);
        assert!(body.starts_with(start.as_bytes()), "{format}");
        if format == "csv" {
            let csv = String::from_utf8(file.body.to_vec()).unwrap();
            assert_eq!(csv.lines().count(), 2, "{csv}");
        }
    }

    // The current figures, not those of the day of the link.
    add_profit(&app, &trader, 1, "2025-06-04", 5).await;
    assert_eq!(open(&app, &token).await.json()["pack"]["speculative"]["turnover"], 15);

    let links = trader.get(LINKS).await.json()["links"].clone();
    let uses = links[0]["uses"].as_array().unwrap();
    let counts: Vec<_> = uses.iter().map(|one| json!([one["action"], one["count"]])).collect();
    assert_eq!((links.as_array().unwrap().len(), &links[0]["id"]), (1, &json!(id)));
    assert!(counts.contains(&json!(["view", 2])) && counts.contains(&json!(["download", 3])), "{counts:?}");
    assert_eq!(trader.get("/account/export").await.json()["taxLinks"], links);

    let path = format!("{LINKS}/{id}");
    assert_eq!(trader.send_json(&app, Method::DELETE, &path, &Value::Null).await.status, 204);
    open(&app, &token).await.expect_problem(404, "tax_link_expired");
    app.post(EXPORT, &json!({ "token": token, "format": "csv" })).await.expect_problem(404, "tax_link_expired");
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_token_of_a_link_is_no_credential_of_the_api(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    add_profit(&app, &trader, 1, "2025-06-02", 10).await;
    let body = json!({ "recipient": "Mehta", "year": "2025-26", "ttlDays": 30 });
    let (_, token) = create_link(&app, &trader, &body).await;
    for path in ["/trades/client", "/analytics/overview", "/analytics/tax?year=2025-26", "/account", LINKS] {
        let request = Request::get(path).header("authorization", format!("Bearer {token}"));
        app.send(request.body(Body::empty()).unwrap()).await.expect_problem(401, "unauthenticated");
    }
    for path in ["/auth/exchange", "/analytics/session"] {
        let reply = app.post(path, &json!({ "token": token })).await;
        assert!(reply.status.is_client_error(), "{path}: {}", reply.status);
    }
    // Fields that would widen the access are rejected.
    for extra in ["year", "accounts", "email"] {
        let mut body = json!({ "token": token });
        body[extra] = json!("2026-27");
        app.post(SHARED, &body).await.expect_problem(422, "invalid");
    }
    let wrong_format = app.post(EXPORT, &json!({ "token": token, "format": "json" })).await;
    assert_eq!(wrong_format.expect_problem(422, "invalid").json()["errors"][0]["field"], "format");
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_hostile_links(pool: PgPool) {
    let app = App::new(&pool).await;
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    let valid = json!({ "recipient": "Mehta", "year": "2025-26", "ttlDays": 30 });
    for (field, value) in [
        ("recipient", json!("")),
        ("recipient", json!("x".repeat(61))),
        ("recipient", json!("Mehta\nand others")),
        ("recipient", json!(1)),
        ("year", json!("2025-27")),
        ("year", json!("1999-00")),
        ("accounts", json!("moon")),
        ("accounts", json!("zerodha'; drop table auth.tax_link")),
        ("accounts", json!(["zerodha"])),
        ("ttlDays", json!(0)),
        ("ttlDays", json!(181)),
        ("ttlDays", json!(5_000_000_000_u64)),
        ("ttlDays", json!("30")),
        ("email", json!("asha@example.in")),
    ] {
        let mut wrong = valid.clone();
        wrong[field] = value.clone();
        let errors = send(&app, &trader, &wrong).await.expect_problem(422, "invalid").json()["errors"].clone();
        assert_eq!(errors[0]["field"], field, "{value}: {errors:#}");
    }
    for token in ["", "x", &"A".repeat(65), &"A".repeat(100), "é", "'; drop table auth.tax_link"] {
        let reply = open(&app, token).await;
        assert!([404, 422].contains(&reply.status.as_u16()), "{token}: {}", reply.status);
    }
    let (id, token) = create_link(&app, &trader, &valid).await;
    let path = format!("{LINKS}/{id}");
    other.send_json(&app, Method::DELETE, &path, &Value::Null).await.expect_problem(404, "tax_link_not_found");
    assert_eq!(other.get(LINKS).await.json(), json!({ "links": [] }));
    assert_eq!(open(&app, &token).await.status, 200);
    sqlx::query("update auth.session set authenticated_at = now() - interval '1 hour'").execute(&pool).await.unwrap();
    send(&app, &trader, &valid).await.expect_problem(403, "reauthentication_required");
}
