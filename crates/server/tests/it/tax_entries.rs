//! Figures that the trader enters for a tax year over REST.

use http::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, Reply, Trader};
use crate::trades::{SendJson, entry};

const PATH: &str = "/analytics/tax/entries/2025-26";

async fn add_trade(app: &App, trader: &Trader<'_>, side: &str, at: &str, price: u32) {
    let trade = json!({ "symbol": "XYZ", "type": side, "timestamp": at, "quantity": 100, "price": price });
    assert_eq!(trader.send_json(app, Method::POST, "/trades/add", &entry(&trade)).await.status, 200);
}

async fn replace(app: &App, trader: &Trader<'_>, path: &str, entries: &[Value]) -> Reply {
    trader.send_json(app, Method::PUT, path, &json!({ "entries": entries })).await
}

fn dividend() -> Value {
    json!({
        "kind": "dividend", "broker": "zerodha", "day": "2025-08-14", "name": "Infosys", "amount": 2150.5,
        "taxDeducted": 215,
    })
}

fn total(kind: &str, amount: i32) -> Value {
    json!({ "kind": kind, "broker": "zerodha", "amount": amount })
}

#[sqlx::test(migrations = "../../migrations")]
async fn entered_figures_are_in_the_tax_pack_of_their_year(pool: PgPool) {
    let app = App::new(&pool).await;
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    // Delivered, short term: sold for 1,10,000 with 10,000 of profit.
    add_trade(&app, &trader, "buy", "2025-06-02T09:30", 1000).await;
    add_trade(&app, &trader, "sell", "2025-06-16T10:30", 1100).await;
    let business = json!({ "kind": "sharesAsBusiness", "broker": "zerodha", "brokerAccount": 2 });
    let entries = [dividend(), total("aisShortTermSales", 110_000), total("reportShortTerm", -1), business];
    let stored = replace(&app, &trader, PATH, &entries).await;
    let expected = json!({ "year": "2025-26", "entries": entries });
    assert_eq!((stored.status.as_u16(), stored.json()), (200, expected.clone()));
    assert_eq!(trader.get(PATH).await.json(), expected);

    let pack = trader.get("/analytics/tax?year=2025-26").await.json();
    assert_eq!(
        pack["dividends"],
        json!({ "total": 2150.5, "buybacks": 0, "taxDeducted": 215, "byPeriod": [
            { "until": "2025-06-15", "amount": 0 },
            { "until": "2025-09-15", "amount": 2150.5 },
            { "until": "2025-12-15", "amount": 0 },
            { "until": "2026-03-15", "amount": 0 },
            { "until": "2026-03-31", "amount": 0 },
        ] })
    );
    let tie_outs = pack["tieOuts"].as_array().unwrap();
    assert_eq!(
        tie_outs[0],
        json!({ "kind": "aisShortTermSales", "stated": 110_000, "ours": 110_000, "difference": 0, "agrees": true,
            "causes": [] })
    );
    let report = &tie_outs[1];
    assert_eq!((&report["broker"], &report["difference"]), (&json!("zerodha"), &json!(-10_001)));
    assert_eq!(report["causes"][0]["code"], "unknown");
    assert!(report["causes"][0]["text"].as_str().unwrap().contains("could not find"), "{report}");
    assert_eq!(pack["deliveredShares"]["closedTrades"], 0);
    // The choice about the other account does not concern this one; the choice about this one moves its shares.
    let own_choice = [json!({ "kind": "sharesAsBusiness", "broker": "zerodha" })];
    assert_eq!(replace(&app, &trader, PATH, &own_choice).await.status, 200);
    let pack = trader.get("/analytics/tax?year=2025-26").await.json();
    assert_eq!((&pack["deliveredShares"]["turnover"], &pack["shortTerm"]), (&json!(110_000), &json!([])));
    let file = trader.get("/analytics/tax/export?year=2025-26").await;
    assert!(String::from_utf8_lossy(&file.body).contains("Business (non-speculative)"));
    assert!(trader.get("/analytics/tax/export?year=2025-26&format=xlsx").await.body.starts_with(b"PK"));

    // Years are apart, and so are accounts.
    let other_year = "/analytics/tax/entries/2024-25";
    assert_eq!(replace(&app, &trader, other_year, &[total("aisDividends", 5)]).await.status, 200);
    assert_eq!(trader.get(PATH).await.json()["entries"], json!(own_choice));
    assert_eq!(other.get(PATH).await.json(), json!({ "year": "2025-26", "entries": [] }));
    assert_eq!(replace(&app, &other, PATH, &[total("aisDividends", 7)]).await.status, 200);
    assert_eq!(trader.get(PATH).await.json()["entries"], json!(own_choice));
    let years = trader.get("/account/export").await.json()["taxEntries"].clone();
    assert_eq!(years.as_array().unwrap().iter().map(|year| &year["year"]).collect::<Vec<_>>(), ["2024-25", "2025-26"]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_hostile_figures_and_keeps_the_stored_ones(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let stored = [dividend()];
    assert_eq!(replace(&app, &trader, PATH, &stored).await.status, 200);
    for (field, value) in [
        ("kind", json!("lottery")),
        ("kind", json!(1)),
        ("broker", json!("moon")),
        ("brokerAccount", json!(21)),
        ("day", json!("2026-04-01")),
        ("day", json!("2025-03-31")),
        ("day", json!("2025-02-30")),
        ("day", json!("'; drop table analytics.tax_entry")),
        ("name", json!("")),
        ("name", json!("x".repeat(101))),
        ("name", json!("a\u{0}b")),
        ("amount", json!(0)),
        ("amount", json!(-5)),
        ("amount", json!(1.005)),
        ("amount", json!(100_000_000_000_u64)),
        ("amount", json!("5")),
        ("taxDeducted", json!(2150.51)),
        ("taxDeducted", json!(-1)),
        ("moon", json!(1)),
    ] {
        let mut wrong = dividend();
        wrong[field] = value.clone();
        let reply = replace(&app, &trader, PATH, &[total("aisDividends", 1), wrong]).await;
        let errors = reply.expect_problem(422, "invalid").json()["errors"].clone();
        assert_eq!(errors[0]["field"], format!("entries.1.{field}"), "{field} {value}: {errors:#}");
    }
    let mut with_name = total("aisDividends", 1);
    with_name["name"] = json!("Infosys");
    let mut with_amount = total("sharesAsBusiness", 1);
    with_amount["amount"] = json!(1);
    let twice = vec![total("aisDividends", 1), total("aisDividends", 2)];
    for wrong in [vec![with_name], vec![with_amount], vec![total("aisDividends", -1)], twice, vec![dividend(); 501]] {
        replace(&app, &trader, PATH, &wrong).await.expect_problem(422, "invalid");
    }
    for year in ["2098-99", "1999-00", "2025-27", "2025", "+025-26", "%00"] {
        let path = format!("/analytics/tax/entries/{year}");
        replace(&app, &trader, &path, &[]).await.expect_problem(422, "invalid");
    }
    assert_eq!(trader.get(PATH).await.json()["entries"], json!(stored));
}
