//! Losses in the tax pack over REST.

use http::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, Reply, Trader};
use crate::trades::{SendJson, entry};

const PATH: &str = "/analytics/tax/losses";

async fn add_trade(app: &App, trader: &Trader<'_>, side: &str, at: &str, price: u32) {
    let trade = json!({ "symbol": "INFY", "type": side, "timestamp": at, "quantity": 100, "price": price });
    assert_eq!(trader.send_json(app, Method::POST, "/trades/add", &entry(&trade)).await.status, 200);
}

fn loss(kind: &str, year: &str, amount: f64) -> Value {
    json!({ "kind": kind, "year": year, "broker": "zerodha", "amount": amount })
}

async fn replace(app: &App, trader: &Trader<'_>, losses: &[Value]) -> Reply {
    trader.send_json(app, Method::PUT, PATH, &json!({ "losses": losses })).await
}

async fn losses_of(trader: &Trader<'_>, query: &str) -> Value {
    trader.get(&format!("/analytics/tax?{query}")).await.json()["losses"].clone()
}

#[sqlx::test(migrations = "../../migrations")]
async fn losses_are_carried_from_entered_years_and_from_the_log(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    // Intraday: a loss of 1,000 in 2024-25 and a profit of 4,000 in 2026-27, before charges.
    add_trade(&app, &trader, "buy", "2024-06-03T09:30", 1500).await;
    add_trade(&app, &trader, "sell", "2024-06-03T10:30", 1490).await;
    add_trade(&app, &trader, "buy", "2026-06-01T09:30", 1500).await;
    add_trade(&app, &trader, "sell", "2026-06-01T10:30", 1540).await;
    let entered = [loss("shortTerm", "2020-21", 300.5), loss("speculative", "2023-24", 500.25)];
    let stored = replace(&app, &trader, &entered).await;
    assert_eq!((stored.status.as_u16(), stored.json()), (200, json!({ "losses": entered })));

    let lost = losses_of(&trader, "year=2024-25").await["schedule"][1]["added"].as_f64().unwrap();
    let losses = losses_of(&trader, "year=2026-27").await;
    let used: Vec<Value> = losses["schedule"]
        .as_array()
        .unwrap()
        .iter()
        .map(|loss| json!([loss["kind"], loss["year"], loss["entered"], loss["used"], loss["lastYear"]]))
        .collect();
    assert_eq!(
        used,
        [
            json!(["speculative", "2023-24", true, 500.25, "2027-28"]),
            json!(["speculative", "2024-25", false, lost, "2028-29"]),
            json!(["shortTerm", "2020-21", true, 0, "2028-29"]),
        ]
    );
    assert!(lost > 1000.0, "{lost}");
    assert_eq!(losses["setOffs"][0]["law"], "Income-tax Act 2025, section 113(2)");
    let export = trader.get("/account/export").await.json();
    assert_eq!(export["broughtForwardLosses"].as_array().unwrap().len(), 2);
    let file = trader.get("/analytics/tax/export?year=2026-27&format=xlsx").await;
    assert!(file.body.starts_with(b"PK"));

    // Replacing removes what is missing.
    assert_eq!(replace(&app, &trader, &[]).await.status, 200);
    assert_eq!(trader.get(PATH).await.json(), json!({ "losses": [] }));
    assert_eq!(losses_of(&trader, "year=2026-27").await["schedule"].as_array().unwrap().len(), 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn each_person_and_account_has_losses_of_their_own(pool: PgPool) {
    let app = App::new(&pool).await;
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    let mut of_mother = loss("longTerm", "2022-23", 700.25);
    of_mother["brokerAccount"] = json!(2);
    let entered = [loss("longTerm", "2022-23", 300.5), of_mother];
    assert_eq!(replace(&app, &trader, &entered).await.status, 200);
    for (accounts, opening) in [("", 1000.75), ("&accounts=zerodha", 300.5), ("&accounts=zerodha-2,groww", 700.25)] {
        let losses = losses_of(&trader, &format!("year=2025-26{accounts}")).await;
        assert_eq!(losses["schedule"][0]["opening"], opening, "{accounts}");
    }
    assert_eq!(losses_of(&trader, "year=2025-26&accounts=groww").await["schedule"], json!([]));
    // Another account sees and changes nothing of it.
    assert_eq!(other.get(PATH).await.json(), json!({ "losses": [] }));
    assert_eq!(replace(&app, &other, &[loss("speculative", "2024-25", 1.0)]).await.status, 200);
    assert_eq!(trader.get(PATH).await.json(), json!({ "losses": entered }));
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_hostile_losses_and_keeps_the_stored_ones(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let kept = [loss("speculative", "2024-25", 10.5)];
    assert_eq!(replace(&app, &trader, &kept).await.status, 200);
    for (field, value) in [
        ("kind", json!("salary")),
        ("kind", json!(1)),
        ("year", json!("2098-99")),
        ("year", json!("1999-00")),
        ("year", json!("2022-24")),
        ("year", json!("+022-23")),
        ("year", json!("२०२२-23")),
        ("year", json!("2022-23'; drop table analytics.brought_forward_loss")),
        ("broker", json!("moon")),
        ("brokerAccount", json!(21)),
        ("amount", json!(0)),
        ("amount", json!(-5)),
        ("amount", json!(1.005)),
        ("amount", json!(100_000_000_000_u64)),
        ("amount", json!("5")),
        ("moon", json!(1)),
    ] {
        let mut wrong = loss("speculative", "2024-25", 10.5);
        wrong[field] = value.clone();
        let reply = replace(&app, &trader, &[loss("speculative", "2023-24", 1.0), wrong]).await;
        let errors = reply.expect_problem(422, "invalid").json()["errors"].clone();
        assert_eq!(errors[0]["field"], format!("losses.1.{field}"), "{field} {value}: {errors:#}");
    }
    // The capital losses of 2001-02 and before were not carried forward by kind.
    replace(&app, &trader, &[loss("longTerm", "2001-02", 1.0)]).await.expect_problem(422, "invalid");
    let twice = [loss("speculative", "2023-24", 1.0), loss("speculative", "2023-24", 2.0)];
    replace(&app, &trader, &twice).await.expect_problem(422, "invalid");
    let too_many: Vec<Value> = (1..=4)
        .flat_map(|number| {
            (2000..2026).map(move |year| {
                let mut loss = loss("nonSpeculative", &format!("{year}-{:02}", (year + 1) % 100), 1.0);
                loss["brokerAccount"] = json!(number);
                loss
            })
        })
        .collect();
    replace(&app, &trader, &too_many).await.expect_problem(422, "invalid");
    assert_eq!(trader.get(PATH).await.json(), json!({ "losses": kept }));
}
