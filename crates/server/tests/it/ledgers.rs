//! Ledgers and costs outside trades over REST.

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use crate::app::{App, Reply, Trader, Upload};
use crate::fixtures::ledgers::{groww_sheet, zerodha_csv, zerodha_csv_rows};
use crate::fixtures::xlsx;
use crate::trades::{SendJson as _, entry};

pub const PATH: &str = "/uploadexcel/ledger";

/// Sends a ledger with these fields.
pub async fn send_ledger(trader: &Trader<'_>, name: &str, file: &[u8], fields: &[(&str, &str)]) -> Reply {
    let upload = Upload { fields: fields.to_vec(), ..Upload::new(name, file, "") };
    let request = trader.request(Method::POST, PATH).header("content-type", Upload::CONTENT_TYPE);
    trader.app.send(request.body(Body::from(upload.form())).unwrap()).await
}

async fn costs(trader: &Trader<'_>, query: &str) -> Value {
    trader.get(&format!("/analytics/costs{query}")).await.json()["sums"].clone()
}

/// Returns the amounts of the sums of a treatment.
fn amounts(sums: &Value, treatment: &str) -> Vec<(String, f64)> {
    let sums = sums.as_array().unwrap().iter().filter(|sum| sum["treatment"] == treatment);
    sums.map(|sum| (sum["kind"].as_str().unwrap().to_owned(), sum["amount"].as_f64().unwrap())).collect()
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_ledger_is_reviewed_imported_once_and_removed(pool: PgPool) {
    let app = App::new(&pool).await;
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    let csv = zerodha_csv();
    trader.preview(&Upload::new("ledger.csv", csv.as_bytes(), "zerodha")).await.expect_problem(422, "ledger_file");
    let preview = send_ledger(&trader, "ledger-AB1234.csv", csv.as_bytes(), &[("preview", "true")]).await.json();
    assert_eq!(
        [&preview["format"], &preview["from"], &preview["to"], &preview["closingBalance"], &preview["id"]],
        [&json!("zerodha-ledger"), &json!("2026-04-01"), &json!("2026-05-05"), &json!(7451.2844), &Value::Null]
    );
    assert_eq!((&preview["added"], &preview["duplicates"]), (&json!(12), &json!(0)));
    assert_eq!(costs(&trader, "").await, json!([]));

    for (file, added) in [(zerodha_csv_rows(3, 12), 9), (zerodha_csv_rows(0, 7), 3), (csv.clone(), 0)] {
        let imported = send_ledger(&trader, "ledger-AB1234.csv", file.as_bytes(), &[]).await.json();
        assert_eq!(imported["added"], added);
    }
    let april = [("amc", 88.5), ("callAndTrade", 59.0), ("fee", -10.62), ("interest", 12.3456), ("pledge", 70.8)];
    let april = april.map(|(kind, amount)| (kind.to_owned(), amount));
    let sums = costs(&trader, "?from=2026-04-01&to=2026-04-30").await;
    assert_eq!(amounts(&sums, "cost"), april);
    // The charges of trades have an estimate of them already.
    assert_eq!(amounts(&sums, "inTrades"), [("dp".to_owned(), 15.34)]);
    let all = costs(&trader, "?by=all").await;
    assert_eq!(amounts(&all, "notRecognised"), [("other".to_owned(), 1.0)]);
    assert_eq!(amounts(&all, "cost").len(), 6);
    let day = costs(&trader, "?by=day&from=2026-04-06&to=2026-04-06&accounts=zerodha").await;
    assert_eq!(amounts(&day, "cost"), [("amc".to_owned(), 88.5), ("pledge".to_owned(), 70.8)]);
    assert_eq!((&day[0]["period"], costs(&trader, "?accounts=groww").await), (&json!("2026-04-06"), json!([])));

    let ledgers = trader.get("/trades/ledgers").await.json()["ledgers"].clone();
    assert_eq!((&ledgers[0]["entries"], &ledgers[1]["entries"], &ledgers[2]), (&json!(7), &json!(9), &Value::Null));
    assert_eq!(trader.get("/account/export").await.json()["ledgerEntries"].as_array().unwrap().len(), 12);
    // Another account sees and changes nothing of it.
    let path = format!("/trades/ledgers/{}", ledgers[0]["id"].as_str().unwrap());
    assert_eq!(
        (costs(&other, "").await, other.get("/trades/ledgers").await.json()),
        (json!([]), json!({ "ledgers": [] }))
    );
    other.send_json(&app, Method::DELETE, &path, &Value::Null).await.expect_problem(404, "ledger_not_found");
    let removed = trader.send_json(&app, Method::DELETE, &path, &Value::Null).await.json();
    assert_eq!((removed, trader.count_trades().await), (json!({ "removed": 3 }), 0));
    trader.send_json(&app, Method::DELETE, &path, &Value::Null).await.expect_problem(404, "ledger_not_found");
    assert_eq!(amounts(&costs(&trader, "?by=all").await, "cost").len(), 6);
}

#[sqlx::test(migrations = "../../migrations")]
async fn costs_are_in_no_result_and_in_the_tax_pack_as_information(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    for (side, at, price) in [("buy", "2026-04-01T09:30", 1500), ("sell", "2026-04-02T10:30", 1540)] {
        let trade = json!({ "symbol": "INFY", "type": side, "timestamp": at, "quantity": 10, "price": price });
        assert_eq!(trader.send_json(&app, Method::POST, "/trades/add", &entry(&trade)).await.status, 200);
    }
    let figures = ["/analytics/overview", "/analytics/charges", "/analytics/tax?year=2026-27"];
    let mut before = Vec::new();
    for path in figures {
        before.push(trader.get(path).await.json());
    }
    assert!(before[1]["components"]["dp"].as_f64().unwrap() > 0.0);
    assert_eq!(send_ledger(&trader, "l.csv", zerodha_csv().as_bytes(), &[]).await.status, 200);
    assert_eq!(send_ledger(&trader, "g.xlsx", &xlsx(&[groww_sheet()]), &[]).await.status, 200);
    for (path, before) in figures.into_iter().zip(before) {
        let mut after = trader.get(path).await.json();
        if let Some(ledger) = after.get_mut("ledger") {
            // Deposits and settlements are no part of a tax pack.
            assert_eq!(amounts(ledger, "noCost"), []);
            assert_eq!(amounts(ledger, "cost").len(), 9);
            *ledger = json!([]);
        }
        assert_eq!(after, before, "{path}");
    }
    let of_groww = trader.get("/analytics/tax?year=2026-27&accounts=groww").await.json();
    let expected = [("callAndTrade", 50.0), ("interest", 4.15), ("pledge", 20.0)];
    assert_eq!(amounts(&of_groww["ledger"], "cost"), expected.map(|(kind, amount)| (kind.to_owned(), amount)));
    assert_eq!(trader.get("/analytics/tax?year=2025-26").await.json()["ledger"], json!([]));
    let file = trader.get("/analytics/tax/export?year=2026-27&format=xlsx").await;
    assert!(file.body.starts_with(b"PK"));
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_hostile_ledgers_and_queries_and_stores_nothing(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let good = zerodha_csv();
    for (file, code) in [
        (good.replace("88.5", "88.6"), "ledger_balance"),
        (good.replacen("35.4", "=1+1", 1), "ledger_row"),
        (good.replace("2026-04-06", "2026-02-30"), "ledger_row"),
        (good.lines().next().unwrap().to_owned(), "ledger_empty"),
        ("symbol,price\nINFY,1\n".to_owned(), "file_not_supported"),
        (String::new(), "file_empty"),
    ] {
        let problem = send_ledger(&trader, "l.csv", file.as_bytes(), &[]).await.expect_problem(422, code).json();
        assert!(!problem["detail"].as_str().unwrap().contains('…'), "{problem}");
    }
    let fields: [&[(&str, &str)]; 6] = [
        &[("brokerAccount", "0")],
        &[("brokerAccount", "21")],
        &[("preview", "yes")],
        &[("preview", "true"), ("preview", "true")],
        &[("account", "1")],
        &[("brokerAccount", "1'; drop table trades.ledger")],
    ];
    for fields in fields {
        send_ledger(&trader, "l.csv", good.as_bytes(), fields).await.expect_problem(422, "invalid");
    }
    for query in [
        "?by=year",
        "?by=day",
        "?by=day&from=2024-01-01&to=2026-01-01",
        "?from=2026-02-30",
        "?from=2026-02-02&to=2026-02-01",
        "?accounts=moon",
        "?x=1",
        "?from=",
    ] {
        trader.get(&format!("/analytics/costs{query}")).await.expect_problem(422, "invalid");
    }
    assert_eq!(costs(&trader, "").await, json!([]));
    for (method, path) in [
        (Method::POST, PATH),
        (Method::GET, "/trades/ledgers"),
        (Method::DELETE, "/trades/ledgers/x"),
        (Method::GET, "/analytics/costs"),
    ] {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        app.send(request).await.expect_problem(401, "unauthenticated");
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn the_largest_ledger_is_imported_once(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let header = zerodha_csv().lines().next().unwrap().to_owned();
    let text = "x".repeat(100);
    let row =
        |n: i32| format!("Being pledge charges {n} {text},2026-04-01,NSE-EQ - Z,Journal Entry,1,0,{}", 100_000 - n);
    let lines = |count| [header.clone()].into_iter().chain((1..=count).map(row)).collect::<Vec<_>>().join("\n");
    for (preview, added, duplicates) in [("true", 10_000, 0), ("false", 10_000, 0), ("false", 0, 10_000)] {
        let imported = send_ledger(&trader, "l.csv", lines(10_000).as_bytes(), &[("preview", preview)]).await.json();
        assert_eq!((&imported["added"], &imported["duplicates"]), (&json!(added), &json!(duplicates)));
    }
    assert_eq!(trader.get("/account/export").await.json()["ledgerEntries"].as_array().unwrap().len(), 10_000);
    let problem =
        send_ledger(&trader, "l.csv", lines(10_001).as_bytes(), &[]).await.expect_problem(422, "too_many_rows");
    assert!(problem.json()["detail"].as_str().unwrap().contains("10,000 entries"));
}

async fn returns(trader: &Trader<'_>, query: &str) -> Value {
    trader.get(&format!("/analytics/returns-on-capital{query}")).await.json()
}

/// Returns a ledger of Zerodha with these rows; particulars, day, voucher and change of the balance.
fn ledger_csv(opening: i64, rows: &[(&str, &str, &str, i64)]) -> String {
    let mut lines = vec!["particulars,posting_date,cost_center,voucher_type,debit,credit,net_balance".to_owned()];
    lines.push(format!("Opening Balance,,,,,,{opening}"));
    let mut balance = opening;
    for (particulars, day, voucher, change) in rows {
        balance += change;
        let (debit, credit) = (-(*change).min(0), (*change).max(0));
        lines.push(format!("{particulars},{day},NSE-EQ - Z,{voucher},{debit},{credit},{balance}"));
    }
    lines.push(format!("Closing Balance,,,,,,{balance}"));
    lines.join("\n")
}

const DEPOSIT: (&str, &str) = ("Funds added using UPI", "Bank Receipts");
const WITHDRAWAL: (&str, &str) = ("Payout of funds", "Bank Payments");

#[sqlx::test(migrations = "../../migrations")]
async fn returns_on_capital_follow_from_ledgers_trades_and_prices(pool: PgPool) {
    let app = App::new(&pool).await;
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    assert_eq!(returns(&trader, "").await, json!({ "accounts": [], "total": null }));
    let trade =
        json!({ "symbol": "M&M", "type": "buy", "timestamp": "2025-04-02T09:30", "quantity": 10, "price": 1500 });
    assert_eq!(trader.send_json(&app, Method::POST, "/trades/add", &entry(&trade)).await.status, 200);
    let missing = json!({ "kind": "ledger", "difference": null });
    assert_eq!(returns(&trader, "").await["accounts"][0]["missing"], missing);

    let days_ago = |days: i64| (OffsetDateTime::now_utc() - Duration::days(days)).date().to_string();
    let (last_day, later_day) = (days_ago(4), days_ago(2));
    let rows = [
        (DEPOSIT.0, "2025-04-01", DEPOSIT.1, 20_000),
        ("Net settlement for Equity with settlement number: 1", "2025-04-03", "Book Voucher", -15_020),
        (WITHDRAWAL.0, &*last_day, WITHDRAWAL.1, -1_000),
    ];
    let imported = send_ledger(&trader, "ledger.csv", ledger_csv(0, &rows).as_bytes(), &[]).await;
    assert_eq!(imported.status, 200);
    let at_cost = returns(&trader, "").await;
    let (account, total) = (&at_cost["accounts"][0], &at_cost["total"]);
    assert_eq!((&account["missing"], &account["returns"]), (&Value::Null, total));
    assert_eq!(
        ["deposits", "withdrawals", "invested", "endValue", "gain"].map(|field| total[field].as_f64().unwrap()),
        [20_000.0, 1_000.0, 19_000.0, 18_980.0, -20.0]
    );
    assert_eq!((&total["to"], &total["timeWeightedStatus"]), (&json!(last_day), &json!("computed")));
    let basis = &account["basis"];
    assert_eq!((&basis["symbolsWithoutPrice"], &basis["ledgerCash"]), (&json!(["M&M"]), &json!(3_980)));
    // The withdrawal leaves at the end of the last day.
    assert_eq!((&total["approximate"], &basis["startAtCost"]), (&json!(false), &json!(false)));
    // The charges were some 18 rupees by the estimate.
    assert!((-5.0..0.0).contains(&basis["difference"].as_f64().unwrap()), "{basis}");

    // 10 shares at 1,890.05: a gain of 3,900.50, less charges of 20.
    let priced = returns(&trader, "?prices=INFY:1,M%26M:1890.05").await;
    assert_eq!(priced["total"]["gain"], json!(3_880.5));
    assert_eq!(priced["accounts"][0]["basis"]["positionsAtCost"], 0);
    assert!(priced["total"]["xirr"].as_f64().unwrap() > 0.05);
    // Of 20,000, because the withdrawal leaves at the end of its day.
    assert_eq!(priced["total"]["timeWeighted"], json!(0.194));
    let month = returns(&trader, "?from=2025-04-01&to=2025-04-30&broker=zerodha&brokerAccount=1").await;
    assert_eq!((&month["total"]["xirrStatus"], &month["total"]["xirr"]), (&json!("shortPeriod"), &Value::Null));
    assert_eq!(returns(&trader, "?broker=groww").await, json!({ "accounts": [], "total": null }));
    let before = returns(&trader, "?to=2025-03-31").await;
    assert_eq!(before["accounts"][0]["missing"]["kind"], "ledgerOfPeriod");
    assert_eq!(returns(&other, "").await, json!({ "accounts": [], "total": null }));

    // A second file after a gap.
    let rows = [(DEPOSIT.0, &*later_day, DEPOSIT.1, 500)];
    send_ledger(&trader, "later.csv", ledger_csv(4_000, &rows).as_bytes(), &[]).await;
    let gap = returns(&trader, "").await["accounts"][0]["missing"].clone();
    let expected = json!({ "kind": "ledgerEntries", "from": last_day, "to": later_day, "difference": 20 });
    assert_eq!((gap["difference"].as_f64(), gap["kind"].as_str()), (Some(20.0), Some("ledgerEntries")));
    assert_eq!((&gap["from"], &gap["to"]), (&expected["from"], &expected["to"]));
    // An entry of an unknown kind, in a period after the gap.
    let unknown = [("Fund transfer", &*later_day, "Journal Entry", -600)];
    send_ledger(&trader, "unknown.csv", ledger_csv(4_500, &unknown).as_bytes(), &[]).await;
    let missing = returns(&trader, &format!("?from={later_day}")).await["accounts"][0]["missing"].clone();
    assert_eq!((&missing["kind"], &missing["count"]), (&json!("unknownEntries"), &json!(1)));
    assert_eq!(missing["entries"], json!([{ "day": later_day, "text": "Fund transfer", "amount": -600 }]));
    // Balances that were not stored.
    sqlx::query("update trades.ledger set opening_balance = null").execute(&pool).await.unwrap();
    assert_eq!(returns(&trader, "").await["accounts"][0]["missing"]["kind"], "ledgerBalance");
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_hostile_queries_of_returns_on_capital(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let many = vec!["A:1"; 201].join(",");
    for query in [
        "from=2026-02-30",
        "from=2026-02-02&to=2026-02-01",
        "broker=moon",
        "brokerAccount=21",
        "accounts=zerodha",
        "symbol=INFY",
        "prices=",
        "prices=INFY",
        "prices=INFY:",
        "prices=INFY:-1",
        "prices=INFY:1e9",
        "prices=INFY:1.00001",
        "prices=INFY:1000000000",
        "prices=:1",
        "prices=INFY:1&prices=TCS:2",
        &format!("prices={many}"),
        &format!("prices={}:1", "A".repeat(65)),
    ] {
        trader.get(&format!("/analytics/returns-on-capital?{query}")).await.expect_problem(422, "invalid");
    }
    let many = vec!["A:999999999.9999"; 200].join(",");
    assert_eq!(trader.get(&format!("/analytics/returns-on-capital?prices={many}")).await.status, 200);
    app.get("/analytics/returns-on-capital").await.expect_problem(401, "unauthenticated");
}
