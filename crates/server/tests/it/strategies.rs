//! Decisions about strategies over REST.

use http::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, Trader};
use crate::trades::{SendJson, entry};

async fn add_option(app: &App, trader: &Trader<'_>, side: &str, symbol: &str, at: &str, quantity: u32) {
    let trade = json!({ "symbol": symbol, "type": side, "timestamp": at, "quantity": quantity, "price": 100 });
    let mut body = entry(&trade);
    body["tradetype"] = json!("fno");
    let added = trader.send_json(app, Method::POST, "/trades/add", &body).await;
    assert_eq!(added.status, 200, "{:#}", added.json());
}

async fn list(trader: &Trader<'_>, query: &str) -> Vec<Value> {
    let page = trader.get(&format!("/analytics/strategies?{query}")).await.json();
    page["strategies"].as_array().unwrap().clone()
}

/// Returns the shape and legs of each strategy, the newest first.
async fn summary(trader: &Trader<'_>) -> Vec<String> {
    let describe = |strategy: &Value| {
        let legs = strategy["legs"].as_array().unwrap().iter();
        let legs: Vec<String> =
            legs.map(|leg| format!("{} {}", leg["quantity"], leg["symbol"].as_str().unwrap())).collect();
        format!("{}: {}", strategy["shape"].as_str().unwrap(), legs.join(", "))
    };
    list(trader, "limit=50").await.iter().map(describe).collect()
}

async fn decide(app: &App, trader: &Trader<'_>, strategy: &Value, body: &Value) -> Value {
    let path = format!("/analytics/strategies/{}/decisions", strategy["id"].as_str().unwrap());
    let reply = trader.send_json(app, Method::POST, &path, body).await;
    assert_eq!(reply.status, 201, "{:#}", reply.json());
    reply.json()
}

async fn undo(app: &App, trader: &Trader<'_>, decision: &Value) -> u16 {
    let path = format!("/analytics/strategy-decisions/{}", decision["changeId"].as_str().unwrap());
    trader.send_json(app, Method::DELETE, &path, &Value::Null).await.status.as_u16()
}

#[sqlx::test(migrations = "../../migrations")]
async fn decisions_are_stored_and_undone_in_reverse_order(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    add_option(&app, &trader, "buy", "NIFTY26DEC24000CE", "2026-11-16T10:00", 130).await;
    add_option(&app, &trader, "sell", "NIFTY26DEC24200CE", "2026-11-16T10:01", 130).await;
    add_option(&app, &trader, "sell", "NIFTY26DEC24500CE", "2026-11-16T10:02", 130).await;
    let proposed = summary(&trader).await;
    assert_eq!(
        proposed,
        [
            "shortCall: 130 NIFTY26DEC24500CE".to_owned(),
            "bullCallSpread: 130 NIFTY26DEC24000CE, 130 NIFTY26DEC24200CE".to_owned(),
        ]
    );

    // The other candidate.
    let [spread] = &list(&trader, "ambiguous=true").await[..] else { panic!("one ambiguous strategy") };
    let other = &spread["candidates"][1];
    assert_eq!(
        (&other["legs"][1]["symbol"], &other["legs"][1]["side"]),
        (&json!("NIFTY26DEC24500CE"), &json!("short"))
    );
    assert_eq!((&spread["candidates"][0]["current"], &other["current"]), (&json!(true), &json!(false)));
    let choice = json!({ "action": "choose", "candidateId": other["id"] });
    let chosen = decide(&app, &trader, spread, &choice).await;
    assert_eq!(chosen["strategies"][0]["legs"][1]["symbol"], "NIFTY26DEC24500CE");
    assert!(chosen["strategies"][0]["confirmedAt"].is_string());
    assert_eq!(list(&trader, "ambiguous=true").await, [] as [Value; 0]);

    // Half of the spread leaves, and the lone call comes.
    let legs: Vec<Value> = chosen["strategies"][0]["legs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|leg| json!({ "positionId": leg["positionId"], "quantity": 65 }))
        .collect();
    let split = json!({ "action": "split", "legs": legs, "groupingId": chosen["strategies"][0]["groupingId"] });
    let half = split.clone();
    let split = decide(&app, &trader, &chosen["strategies"][0], &split).await;
    // Sent again after a lost response, it does not split the rest.
    let path = format!("/analytics/strategies/{}/decisions", chosen["strategies"][0]["id"].as_str().unwrap());
    trader.send_json(&app, Method::POST, &path, &half).await.expect_problem(409, "strategy_changed");
    // Released, the half has another id. The response says what its trades are now.
    let released = decide(&app, &trader, &split["strategies"][1], &json!({ "action": "release" })).await;
    let regrouped = &released["strategies"][0];
    assert!(regrouped["confirmedAt"].is_null() && regrouped["legs"][0]["quantity"] == 65, "{released:#}");
    let path = format!("/analytics/strategies/{}", regrouped["id"].as_str().unwrap());
    assert_eq!(trader.get(&path).await.status, 200);
    assert_eq!(undo(&app, &trader, &released).await, 204);
    let [lone] = &list(&trader, "shape=shortCall").await[..] else { panic!("one short call") };
    let join = json!({ "action": "join", "strategyIds": [lone["id"]] });
    let joined = decide(&app, &trader, &split["strategies"][0], &join).await;
    let named = json!({ "action": "confirm", "name": "  Ladder of November " });
    let named = decide(&app, &trader, &joined["strategies"][0], &named).await;
    assert_eq!(named["strategies"][0]["name"], "Ladder of November");
    let arranged = [
        "custom: 65 NIFTY26DEC24000CE, 130 NIFTY26DEC24200CE, 65 NIFTY26DEC24500CE",
        "bullCallSpread: 65 NIFTY26DEC24000CE, 65 NIFTY26DEC24500CE",
    ];
    let mut sorted = summary(&trader).await;
    sorted.sort_by_key(|one| arranged.iter().position(|other| one == other));
    assert_eq!(sorted, arranged);

    // Another process reads the same from the database, and the export contains it.
    let other_app = App::new(&pool).await;
    let path = "/analytics/strategies";
    let strategies = other_app.send(trader.request(Method::GET, path).body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!(strategies.json(), trader.get(path).await.json());
    let export = trader.get("/account/export?format=json").await.json();
    let names: Vec<Value> =
        export["confirmedStrategies"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert!(names.len() == 2 && names.contains(&json!("Ladder of November")), "{names:?}");

    let csv = trader.get("/analytics/strategies/export?shape=custom").await;
    let csv = String::from_utf8(csv.body.to_vec()).unwrap();
    let lines: Vec<&str> = csv.lines().skip(1).collect();
    let [line] = lines[..] else { panic!("{csv}") };
    assert!(line.starts_with("Ladder of November,Custom,NIFTY,Zerodha,open,2026-11-16 10:00:00,,long 65 "), "{line}");

    assert_eq!(undo(&app, &trader, &split).await, 409);
    for (decision, spreads) in [(&named, 1), (&joined, 2), (&split, 1)] {
        assert_eq!(undo(&app, &trader, decision).await, 204);
        assert_eq!(undo(&app, &trader, decision).await, 404);
        assert_eq!(list(&trader, "shape=bullCallSpread").await.len(), spreads);
    }
    assert_eq!(undo(&app, &trader, &chosen).await, 204);
    assert_eq!(summary(&trader).await, proposed);
    assert!(list(&trader, "").await.iter().all(|strategy| strategy["confirmedAt"].is_null()));
}

#[sqlx::test(migrations = "../../migrations")]
async fn settings_regroup_what_is_not_confirmed_and_the_last_decision_can_be_undone_later(pool: PgPool) {
    let app = App::new(&pool).await;
    let (trader, other) = (app.register_trader().await, app.register_trader().await);
    for trader in [&trader, &other] {
        add_option(&app, trader, "sell", "NIFTY26DEC24000CE", "2026-11-16T10:00", 65).await;
        add_option(&app, trader, "sell", "NIFTY26DEC24000PE", "2026-11-16T10:08", 65).await;
    }
    assert_eq!(summary(&trader).await.len(), 2);
    let settings = json!({ "windowMinutes": 10, "acrossAccounts": false });
    let save = async |settings: &Value| {
        let reply = trader.send_json(&app, Method::PUT, "/analytics/strategy-settings", settings).await;
        assert_eq!(reply.status, 204);
    };
    let state = async || trader.get("/analytics/strategy-settings").await.json();
    save(&settings).await;
    assert_eq!(state().await, json!({ "settings": settings, "undoableChangeId": null }));
    let straddle = "shortStraddle: 65 NIFTY26DEC24000CE, 65 NIFTY26DEC24000PE";
    assert_eq!(summary(&trader).await, [straddle]);
    assert_eq!(summary(&other).await.len(), 2);
    for leg in list(&trader, "").await[0]["legs"].as_array().unwrap() {
        let position =
            trader.get(&format!("/analytics/positions/{}", leg["positionId"].as_str().unwrap())).await.json();
        assert_eq!(position["strategies"], json!(list(&trader, "").await));
    }

    let [strategy] = &list(&trader, "").await[..] else { panic!("one strategy") };
    let decision = decide(&app, &trader, strategy, &json!({ "action": "confirm" })).await;
    save(&json!({ "windowMinutes": 1, "acrossAccounts": false })).await;
    assert_eq!(summary(&trader).await, [straddle]);
    assert_eq!(state().await["undoableChangeId"], decision["changeId"]);
    assert_eq!(undo(&app, &trader, &decision).await, 204);
    assert_eq!(summary(&trader).await.len(), 2);
    assert_eq!(state().await["undoableChangeId"], Value::Null);

    let export = trader.get("/account/export?format=json").await.json();
    assert_eq!(export["strategySettings"], json!({ "windowMinutes": 1, "acrossAccounts": false }));
}

#[sqlx::test(migrations = "../../migrations")]
async fn figures_count_strategies_and_the_positions_outside_of_them(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    for (side, symbol, at) in [
        ("sell", "24500CE", "2026-11-16T10:00"),
        ("sell", "23500PE", "2026-11-16T10:01"),
        ("buy", "24500CE", "2026-11-17T10:00"),
        ("buy", "23500PE", "2026-11-17T10:01"),
    ] {
        add_option(&app, &trader, side, &format!("NIFTY26DEC{symbol}"), at, 65).await;
    }
    for (side, at) in [("buy", "2026-11-16T10:00"), ("sell", "2026-11-16T11:00")] {
        let share = entry(&json!({ "type": side, "timestamp": at, "price": if side == "buy" { 100 } else { 200 } }));
        assert_eq!(trader.send_json(&app, Method::POST, "/trades/add", &share).await.status, 200);
    }
    let overview = async |unit: &str| trader.get(&format!("/analytics/overview?unit={unit}")).await.json();
    let (strategies, positions) = (overview("strategies").await, overview("positions").await);
    let figures = |overview: &Value| {
        let figures = &overview["figures"];
        [&figures["closedTrades"], &figures["wins"], &figures["losses"]].map(|count| count.as_i64().unwrap())
    };
    assert_eq!((figures(&strategies), figures(&positions)), ([2, 1, 1], [3, 1, 2]));
    assert_eq!(
        (&strategies["figures"]["net"], &strategies["days"]),
        (&positions["figures"]["net"], &positions["days"])
    );
    let [strangle] = &list(&trader, "").await[..] else { panic!("one strategy") };
    let worst = &strategies["figures"]["worst"];
    assert_eq!((&worst["id"], &worst["isStrategy"]), (&strangle["id"], &json!(true)));
    assert_eq!((&worst["net"], strategies["figures"]["best"].get("isStrategy")), (&strangle["net"], None));
    let symbols = trader.get("/analytics/groups?by=symbol&unit=strategies").await.json();
    let nifty = symbols["groups"].as_array().unwrap().iter().find(|group| group["key"] == "NIFTY").unwrap();
    assert_eq!((&nifty["figures"]["closedTrades"], &nifty["figures"]["net"]), (&json!(1), &strangle["net"]));
}

#[sqlx::test(migrations = "../../migrations")]
async fn journal_entries_of_strategies_that_were_joined_are_listed_with_the_new_one(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    add_option(&app, &trader, "buy", "NIFTY26DEC24000CE", "2026-11-16T10:00", 65).await;
    add_option(&app, &trader, "buy", "NIFTY26DEC24100CE", "2026-11-16T12:00", 65).await;
    let [later, first] = &list(&trader, "").await[..] else { panic!("two strategies") };
    for key in [&later["id"], &first["id"], &json!("0123456789abcdef0123")] {
        let entry = json!({ "kind": "strategy", "key": key, "day": "2026-11-16", "symbol": "NIFTY", "note": "Kept." });
        assert_eq!(trader.send_json(&app, Method::PUT, "/journal/entries", &entry).await.status, 200);
    }
    let orphans = async || {
        let orphans = trader.get("/journal/orphans").await.json();
        let orphans = orphans["orphans"].as_array().unwrap().iter();
        orphans.map(|orphan| (orphan["entry"]["key"].clone(), orphan["currentKey"].clone())).collect::<Vec<_>>()
    };
    let missing = (json!("0123456789abcdef0123"), Value::Null);
    assert_eq!(orphans().await, std::slice::from_ref(&missing));
    decide(&app, &trader, first, &json!({ "action": "join", "strategyIds": [later["id"]] })).await;
    assert_eq!(orphans().await, [(later["id"].clone(), first["id"].clone()), missing]);
}

#[sqlx::test(migrations = "../../migrations")]
async fn only_the_last_fifty_decisions_are_kept_for_undo(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    add_option(&app, &trader, "buy", "NIFTY26DEC24000CE", "2026-11-16T10:00", 65).await;
    let [call] = &list(&trader, "").await[..] else { panic!("one strategy") };
    let mut decisions = Vec::new();
    for number in 0..53 {
        let named = json!({ "action": "confirm", "name": format!("Number {number}") });
        decisions.push(decide(&app, &trader, call, &named).await);
    }
    let count = "select count(*) from analytics.confirmed_strategy";
    assert_eq!(sqlx::query_scalar::<_, i64>(count).fetch_one(&pool).await.unwrap(), 51, "50 and the current one");
    assert_eq!(undo(&app, &trader, &decisions[52]).await, 204);
    assert_eq!(list(&trader, "").await[0]["name"], "Number 51");
    assert_eq!(undo(&app, &trader, &decisions[0]).await, 404);
}

#[sqlx::test(migrations = "../../migrations")]
async fn simultaneous_decisions_leave_each_lot_in_one_strategy(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    for (symbol, at) in [("24000CE", "10:00"), ("24100CE", "11:00"), ("24200CE", "12:00")] {
        let at = format!("2026-11-16T{at}");
        add_option(&app, &trader, "buy", &format!("NIFTY26DEC{symbol}"), &at, 65).await;
    }
    let [third, second, first] = &list(&trader, "").await[..] else { panic!("three strategies") };
    let join = |other: &Value| json!({ "action": "join", "strategyIds": [other["id"]] });
    let path = |one: &Value| format!("/analytics/strategies/{}/decisions", one["id"].as_str().unwrap());
    let (to_first, to_second) = (path(first), path(second));
    let (with_third, third_too) = (join(third), join(third));
    let (one, other) = tokio::join!(
        trader.send_json(&app, Method::POST, &to_first, &with_third),
        trader.send_json(&app, Method::POST, &to_second, &third_too),
    );
    // The later one fails, or takes the call from the joined strategy as a whole.
    let statuses = [one.status.as_u16(), other.status.as_u16()];
    assert!(statuses.contains(&201), "{statuses:?}");
    let legs: usize = list(&trader, "").await.iter().map(|one| one["legs"].as_array().unwrap().len()).sum();
    assert_eq!(legs, 3);
}
