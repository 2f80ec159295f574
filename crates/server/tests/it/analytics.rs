//! Analytics over REST, calculated from uploaded and manually entered trades.

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::{App, Reply, Trader, Upload};
use crate::authorization_grpc::table_checksums;
use crate::broker_files::{Fill, zerodha_csv, zerodha_profit_csv, zerodha_tax_csv};
use crate::trades::{SendJson, entry};

/// Adds a trade of INFY and returns its id.
async fn add_trade(app: &App, trader: &Trader<'_>, side: &str, at: &str, quantity: u32, price: f64) -> String {
    let trade = json!({ "type": side, "timestamp": at, "quantity": quantity, "price": price, "notes": "#gap up" });
    let added = trader.send_json(app, Method::POST, "/trades/add", &entry(&trade)).await;
    assert_eq!(added.status, 200, "{:#}", added.json());
    added.json()["trade"]["_id"].as_str().unwrap().to_owned()
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_stop_loss_sets_the_initial_risk(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let bought = add_trade(&app, &trader, "buy", "2026-06-01T09:15", 10, 1500.0).await;
    add_trade(&app, &trader, "sell", "2026-06-01T10:30", 10, 1510.0).await;
    let overview = get_json(&trader, "/analytics/overview").await;
    assert_eq!((&overview["figures"]["risk"], &overview["riskDistribution"]), (&json!(null), &json!([])));
    let closed_trade = get_json(&trader, "/analytics/closed-trades").await["closedTrades"][0].clone();
    assert_eq!((closed_trade.get("r"), closed_trade.get("initialRisk")), (None, None));

    // 10 shares at 1,500 with a stop loss at 1,490: risk 100. A stop loss at the buy price is rejected.
    let set_stop_loss = async |stop_loss: Value| {
        trader.send_json(&app, Method::PATCH, &format!("/trades/{bought}"), &json!({ "stopLoss": stop_loss })).await
    };
    let refused = set_stop_loss(json!(1500)).await;
    assert_eq!(refused.status, 422);
    assert_eq!(refused.json()["errors"][0]["field"], "stopLoss");
    let reply = set_stop_loss(json!(1490.0)).await;
    assert_eq!(reply.json()["trade"]["stopLoss"], 1490);
    let closed_trade = get_json(&trader, "/analytics/closed-trades").await["closedTrades"][0].clone();
    let net = closed_trade["net"].as_f64().unwrap();
    assert_eq!(closed_trade["initialRisk"], 100);
    assert!((closed_trade["r"].as_f64().unwrap() - net / 100.0).abs() < 0.00006, "{closed_trade:#}");
    let overview = get_json(&trader, "/analytics/overview").await;
    let risk = &overview["figures"]["risk"];
    assert_eq!(
        (&risk["closedTrades"], &risk["average"], &risk["sampleTooSmall"]),
        (&json!(1), &closed_trade["r"], &json!(true))
    );
    assert_eq!(overview["riskDistribution"], json!([{ "from": 0.5, "to": 1, "closedTrades": 1 }]));
    let groups = get_json(&trader, "/analytics/groups?by=setup").await;
    assert_eq!(groups["groups"][0]["figures"]["risk"]["average"], closed_trade["r"]);

    assert_eq!(set_stop_loss(json!(null)).await.json()["trade"].get("stopLoss"), None);
    assert_eq!(get_json(&trader, "/analytics/overview").await["figures"]["risk"], json!(null));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_position_keeps_its_id_when_its_file_is_undone_and_imported_again(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let fill = |sell, quantity, price, at: &str, trade_id| Fill {
        symbol: "INFY",
        sell,
        quantity,
        price,
        at: format!("2026-06-0{at}:00"),
        trade_id,
    };
    let fills = [
        fill(false, 10, 150_000, "1T09:20", 1),
        fill(false, 5, 151_000, "2T09:20", 2),
        fill(true, 6, 152_000, "3T09:20", 3),
        fill(true, 9, 149_000, "4T09:20", 4),
        fill(false, 4, 150_000, "5T09:20", 5),
    ];
    let import = async |fills: &[Fill]| {
        assert_eq!(trader.upload(&Upload::new("t.csv", &zerodha_csv(fills), "zerodha")).await.status, 200);
        get_json(&trader, "/analytics/positions").await
    };
    let page = import(&fills).await;
    let [open, closed] = [&page["positions"][0], &page["positions"][1]];
    assert_eq!(
        (&page["total"], &page["open"], &open["state"], &open["openQuantity"]),
        (&json!(2), &json!(1), &json!("open"), &json!(4))
    );
    assert_eq!(
        (&open["closedAt"], &open["exitPrice"], &closed["state"]),
        (&json!(null), &json!(null), &json!("closed"))
    );
    // 15000 + 7550 bought, 9120 + 13410 sold.
    assert_eq!(
        (&closed["quantity"], &closed["entryValue"], &closed["exitValue"]),
        (&json!(15), &json!(22550), &json!(22530))
    );
    assert_eq!(
        (&closed["gross"], &closed["closedTrades"], &page["days"][0]["date"]),
        (&json!(-20), &json!(2), &json!("2026-06-04"))
    );
    assert_eq!(page["sums"]["net"], closed["net"]);

    let detail = get_json(&trader, &format!("/analytics/positions/{}", closed["id"].as_str().unwrap())).await;
    assert_eq!((&detail["position"], &detail["charges"]["total"]), (closed, &closed["charges"]));
    let lots: Vec<_> =
        detail["trades"].as_array().unwrap().iter().map(|trade| (&trade["lot"], &trade["closedLots"])).collect();
    let none = Value::Null;
    assert_eq!(lots, [(&json!(1), &json!([])), (&json!(2), &json!([])), (&none, &json!([1])), (&none, &json!([1, 2]))]);
    let ids: Vec<&str> =
        detail["trades"].as_array().unwrap().iter().filter_map(|trade| trade["tradeId"].as_str()).collect();
    let results = get_json(&trader, &format!("/analytics/trade-results?ids={}", ids.join(","))).await;
    let nets: f64 = results["results"].as_array().unwrap().iter().filter_map(|result| result["net"].as_f64()).sum();
    assert!((nets - closed["net"].as_f64().unwrap()).abs() < 0.00005, "{results:#}");

    // Positions are counted, and the sums are those of the closed trades.
    let by_position = get_json(&trader, "/analytics/overview?unit=positions").await;
    let by_closed_trade = get_json(&trader, "/analytics/overview").await;
    assert_eq!(
        (&by_position["figures"]["closedTrades"], &by_closed_trade["figures"]["closedTrades"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(by_position["figures"]["net"], by_closed_trade["figures"]["net"]);
    assert_eq!(by_position["days"], by_closed_trade["days"]);
    trader.get("/analytics/overview?unit=lots").await.expect_problem(422, "invalid");

    let change = get_json(&trader, "/trades/changes").await["changes"][0]["id"].as_str().unwrap().to_owned();
    let undo = format!("/trades/changes/{change}/undo");
    assert_eq!(trader.send_json(&app, Method::POST, &undo, &json!({ "newer": 0 })).await.status, 200);
    assert_eq!(get_json(&trader, "/analytics/positions").await["total"], 0);
    let mut reordered = fills;
    reordered.reverse();
    let again = import(&reordered).await;
    assert_eq!([&again["positions"][0]["id"], &again["positions"][1]["id"]], [&open["id"], &closed["id"]]);
}

async fn get_json(trader: &Trader<'_>, path: &str) -> Value {
    let reply = trader.get(path).await;
    assert_eq!(reply.status, 200, "{path} {:#}", reply.json());
    reply.json()
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_closed_trade_appears_in_every_endpoint_with_its_trades(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let empty = get_json(&trader, "/analytics/overview").await;
    assert_eq!((&empty["figures"]["closedTrades"], &empty["figures"]["winRate"]), (&json!(0), &json!(null)));
    assert_eq!((&empty["scope"]["from"], &empty["days"]), (&json!(null), &json!([])));

    let bought = add_trade(&app, &trader, "buy", "2026-06-01T09:15", 10, 1500.05).await;
    let open = get_json(&trader, "/analytics/open-positions").await;
    assert_eq!((&open["openTotal"], &open["open"][0]["value"]), (&json!(1), &json!(15000.5)));
    // A manual entry always adds a trade.
    let sold = add_trade(&app, &trader, "sell", "2026-06-01T10:30", 10, 1510.0).await;

    // 15,100 - 15,000.50 = 99.50 gross. Two orders of 0.03 %: 4.5002 and 4.53. STT 0.025 % of 15,100 = 3.775,
    // rounded to 4. Stamp duty 0.003 % of 15,000.50 = 0.45, rounded to 0. Exchange 0.00307 % of 30,100.50 = 0.9241, SEBI 0.0301,
    // IPFT 0. GST 18 % of 9.0302 + 0.9241 + 0.0301 = 1.7972.
    let overview = get_json(&trader, "/analytics/overview").await;
    let figures = &overview["figures"];
    assert_eq!(
        (&figures["gross"], &figures["charges"], &figures["net"]),
        (&json!(99.5), &json!(15.7816), &json!(83.7184))
    );
    assert_eq!((&figures["holdingSeconds"], &figures["maxEntryValue"]), (&json!(4500), &json!(15000.5)));
    assert_eq!(figures["sampleTooSmall"], true);
    assert_eq!(overview["days"][0]["equity"], 83.7184);
    assert_eq!(overview["grid"], json!([{ "weekday": 1, "hour": 9, "closedTrades": 1, "wins": 1, "net": 83.7184 }]));
    assert_eq!(overview["scope"]["financialYears"], json!(["2026-27"]));

    let page = get_json(&trader, "/analytics/closed-trades?by=setup&key=gap").await;
    let closed_trade = &page["closedTrades"][0];
    assert_eq!(
        (&page["total"], &closed_trade["segment"], &closed_trade["setup"]),
        (&json!(1), &json!("intraday"), &json!("gap"))
    );
    assert_eq!(
        (&closed_trade["openingLegs"][0]["tradeId"], &closed_trade["closingLegs"][0]["tradeId"]),
        (&json!(bought), &json!(sold))
    );
    assert_eq!((&closed_trade["entryPrice"], &closed_trade["exitValue"]), (&json!(1500.05), &json!(15100)));

    let id = closed_trade["id"].as_str().unwrap();
    assert_eq!(get_json(&trader, &format!("/analytics/closed-trades?id={id}")).await["closedTrades"][0], *closed_trade);
    assert_eq!(get_json(&trader, "/analytics/closed-trades?id=1x").await["total"], 0);
    let charges = get_json(&trader, &format!("/analytics/charges?id={id}")).await;
    assert_eq!((&charges["total"], &charges["components"]["stt"]), (&json!(15.7816), &json!(4)));
    let stt = charges["lines"].as_array().unwrap().iter().find(|line| line["component"] == "stt").unwrap();
    assert_eq!((&stt["from"], &stt["rule"]), (&json!("2023-04-01"), &json!("0.025 % of the value, intraday sold")));

    let tax = get_json(&trader, "/analytics/tax?year=2026-27").await;
    assert_eq!((&tax["speculative"]["turnover"], &tax["year"]), (&json!(99.5), &json!("2026-27")));
    let file = trader.get("/analytics/tax/export?year=2026-27").await;
    let file = String::from_utf8_lossy(&file.body).into_owned();
    assert!(
        file.contains("Speculative business (intraday),Zerodha,INFY,10,2026-06-01,2026-06-01,15000.5,15100,99.5,4,")
    );
    let file = trader.get("/analytics/tax/export?year=2026-27&format=xlsx").await;
    assert!(file.body.starts_with(b"PK"));

    // A deleted trade no longer counts.
    let deleted = trader.send_json(&app, Method::DELETE, &format!("/trades/{sold}"), &Value::Null).await;
    assert_eq!(deleted.status, 200);
    assert_eq!(get_json(&trader, "/analytics/overview").await["figures"]["closedTrades"], 0);
    let groups = get_json(&trader, "/analytics/groups?by=segment").await;
    assert_eq!(groups, json!({ "groups": [], "total": 0 }));
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_manually_entered_option_is_grouped_by_underlying_and_expiry(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    for (side, price) in [("buy", 100.0), ("sell", 110.0)] {
        let trade = json!({ "type": side, "symbol": "NIFTY2660225000CE", "timestamp": "2026-06-02T10:30", "quantity": 65, "price": price });
        let mut option = entry(&trade);
        option["tradetype"] = json!("fno");
        let added = trader.send_json(&app, Method::POST, "/trades/add", &option).await.json();
        let contract = json!({ "underlying": "NIFTY", "expiry": "2026-06-02", "kind": "CE", "strike": 25000 });
        assert_eq!(added["trade"]["contract"], contract);
    }
    for (by, key) in [("symbol", "NIFTY"), ("instrument", "CE"), ("daysToExpiry", "0"), ("segment", "options")] {
        let groups = get_json(&trader, &format!("/analytics/groups?by={by}")).await;
        assert_eq!((&groups["total"], &groups["groups"][0]["key"]), (&json!(1), &json!(key)), "{by}: {groups:#}");
    }
    let contract = json!({ "underlying": "NIFTY", "expiry": "2026-06-02", "kind": "CE", "strike": 25000 });
    let page = get_json(&trader, "/analytics/closed-trades").await;
    let overview = get_json(&trader, "/analytics/overview").await;
    assert_eq!(
        (&page["closedTrades"][0]["contract"], &overview["figures"]["best"]["contract"]),
        (&contract, &contract)
    );
}

/// Sends answers to data issues.
async fn answer(app: &App, trader: &Trader<'_>, answers: &Value) -> Reply {
    trader.send_json(app, Method::POST, "/analytics/data-issues/answers", &json!({ "answers": answers })).await
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_expired_option_is_in_no_figure_until_it_is_settled_and_undo_restores_that(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    // A future, which has no likely settlement, and two options, of which one has an entered settlement.
    for symbol in ["NIFTY26MAYFUT", "NIFTY2660225000CE", "NIFTY2660225000PE"] {
        let trade = json!({ "symbol": symbol, "timestamp": "2026-05-20T10:30", "quantity": 65, "price": 100 });
        let mut entry = entry(&trade);
        entry["tradetype"] = json!("fno");
        assert_eq!(trader.send_json(&app, Method::POST, "/trades/add", &entry).await.status, 200);
    }
    let path = "/analytics/adjustments";
    let settlement = json!({ "kind": "settlement", "symbol": "NIFTY2660225000PE", "date": "2026-06-02", "price": 180 });
    trader.send_json(&app, Method::POST, path, &settlement).await;
    let figures = async || {
        let overview = get_json(&trader, "/analytics/overview").await;
        let positions = get_json(&trader, "/analytics/open-positions").await;
        let waiting = positions["expired"].as_array().unwrap().iter().filter(|one| one["awaitingSettlement"] == true);
        let (figures, issues) = (&overview["figures"], &overview["dataIssues"]);
        (figures["gross"].as_f64(), issues["expired"].as_i64(), issues["open"].as_i64(), waiting.count())
    };
    // 65 at 100 bought, settled at 180: 65 * 80 = 5,200.
    assert_eq!(figures().await, (Some(5200.0), Some(2), Some(2), 2));

    let list = get_json(&trader, "/analytics/data-issues").await;
    assert_eq!((&list["total"], &list["likely"], &list["netChange"]), (&json!(2), &json!(0), &Value::Null));
    let id = "settlement:all:NIFTY2660225000CE";
    let issue = list["issues"].as_array().unwrap().iter().find(|issue| issue["id"] == id).unwrap();
    assert_eq!(issue["title"], "NIFTY 2 Jun 2026 25,000 CE expired while open");
    assert_eq!(
        issue["evidence"],
        "65 bought at ₹100.00, no sell in your log. Your log does not show if it expired in the money."
    );
    let worthless = json!([{ "issueId": id, "answer": "worthless" }]);
    let result = answer(&app, &trader, &worthless).await;
    assert_eq!(result.status, 201);
    let result = result.json();
    assert_eq!(
        (&result["answerCount"], &result["issuesBefore"], &result["issuesAfter"]),
        (&json!(1), &json!(2), &json!(1))
    );
    // The premium of 65 * 100 = 6,500 is lost; the future still waits.
    assert_eq!(figures().await, (Some(-1300.0), Some(1), Some(1), 1));
    let net = get_json(&trader, "/analytics/overview").await["figures"]["net"].clone();
    assert_eq!(result["netAfter"], net);
    // A repeated request changes nothing.
    let again = answer(&app, &trader, &worthless).await.json();
    assert_eq!((&again["answerCount"], &again["firstId"], &again["netAfter"]), (&json!(0), &Value::Null, &net));
    let adjustments = get_json(&trader, path).await;
    let stored = adjustments["adjustments"].as_array().unwrap().iter().find(|one| one["issueId"] == id).unwrap();
    assert_eq!((&stored["changeId"], &stored["price"]), (&result["firstId"], &json!(0)));

    // Another trader has neither the issue nor the entries.
    let undo = format!("{path}/{}?lastId={}", result["firstId"].as_str().unwrap(), result["lastId"].as_str().unwrap());
    let other = app.register_trader().await;
    other.send_json(&app, Method::DELETE, &undo, &Value::Null).await.expect_problem(404, "adjustment_not_found");
    assert_eq!(trader.send_json(&app, Method::DELETE, &undo, &Value::Null).await.status, 204);
    assert_eq!(figures().await, (Some(5200.0), Some(2), Some(2), 2));
    answer(&app, &other, &worthless).await.expect_problem(404, "data_issue_not_found");
    assert_eq!(get_json(&other, "/analytics/data-issues").await["total"], 0);
}

#[sqlx::test(migrations = "../../migrations")]
async fn answers_are_stored_together_or_not_at_all(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    add_trade(&app, &trader, "sell", "2026-06-02T10:30", 10, 1510.0).await;
    let id = "missingCost:zerodha:INFY";
    let bought = |date: &str| json!({ "issueId": id, "answer": "bought", "date": date, "price": 1400 });
    let unknown = json!([bought("2024-01-10"), { "issueId": "missingCost:zerodha:TCS", "answer": "bought" }]);
    answer(&app, &trader, &unknown).await.expect_problem(404, "data_issue_not_found");
    let late = answer(&app, &trader, &json!([bought("2026-06-03")])).await.expect_problem(422, "invalid").json();
    assert_eq!(
        (&late["errors"][0]["field"], &late["errors"][0]["code"]),
        (&json!("answers.0.date"), &json!("after_sale"))
    );
    // Two purchases of one day: the second is rejected, and with it the first.
    let twice = json!([bought("2024-01-10"), bought("2024-01-10")]);
    answer(&app, &trader, &twice).await.expect_problem(409, "adjustment_exists");
    assert_eq!(get_json(&trader, "/analytics/adjustments").await["adjustments"], json!([]));
    let many: Vec<Value> = (0..501).map(|_| bought("2024-01-10")).collect();
    answer(&app, &trader, &json!(many)).await.expect_problem(422, "invalid");
    answer(&app, &trader, &json!([])).await.expect_problem(422, "invalid");

    let done = answer(&app, &trader, &json!([bought("2024-01-10")])).await.json();
    assert_eq!((&done["answerCount"], &done["issuesAfter"], &done["netBefore"]), (&json!(1), &json!(0), &json!(0)));
    let page = get_json(&trader, "/analytics/closed-trades").await;
    assert_eq!((&page["closedTrades"][0]["gross"], &page["closedTrades"][0]["net"]), (&json!(1100), &done["netAfter"]));
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_opening_holding_completes_a_sale_until_it_is_removed(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let sold = add_trade(&app, &trader, "sell", "2026-06-02T10:30", 10, 1510.0).await;
    let missing_cost_basis = get_json(&trader, "/analytics/open-positions").await;
    assert_eq!(
        (&missing_cost_basis["missingCostBasisTotal"], &missing_cost_basis["missingCostBasis"][0]["tradeId"]),
        (&json!(1), &json!(sold))
    );

    let path = "/analytics/adjustments";
    let opening = json!({
        "kind": "opening", "symbol": "infy", "date": "2024-01-10", "broker": "zerodha", "quantity": 10, "price": 1400.25,
    });
    let added = trader.send_json(&app, Method::POST, path, &opening).await.json();
    let mut expected = opening.clone();
    expected["symbol"] = json!("INFY");
    for field in ["id", "changeId", "addedAt"] {
        expected[field] = added[field].clone();
    }
    assert_eq!(added, expected);
    assert_eq!(get_json(&trader, path).await, json!({ "adjustments": [expected] }));
    let page = get_json(&trader, "/analytics/closed-trades").await;
    let closed_trade = &page["closedTrades"][0];
    assert_eq!((&closed_trade["gross"], &closed_trade["flags"]), (&json!(1097.5), &json!(["opening"])));
    assert_eq!(closed_trade["openingLegs"][0]["tradeId"], json!(null));
    assert_eq!(get_json(&trader, "/analytics/tax?year=2026-27").await["longTerm"][0]["cost"], 14002.5);
    let export = get_json(&trader, "/account/export").await;
    assert_eq!(export["adjustments"][0]["kind"], "opening");

    let one = format!("{path}/{}", added["id"].as_str().unwrap());
    assert_eq!(trader.send_json(&app, Method::DELETE, &one, &Value::Null).await.status, 204);
    assert_eq!(get_json(&trader, "/analytics/open-positions").await["missingCostBasisTotal"], 1);
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_merger_and_its_fraction_are_entered_exported_and_undone(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let trade = |symbol: &str, side: &str, at: &str, quantity: u32, price: u32| {
        entry(&json!({ "type": side, "symbol": symbol, "timestamp": at, "quantity": quantity, "price": price }))
    };
    for trade in
        [trade("HDFC", "buy", "2022-03-01T10:30", 10, 2500), trade("HDFCBANK", "sell", "2023-08-01T10:30", 16, 1700)]
    {
        assert_eq!(trader.send_json(&app, Method::POST, "/trades/add", &trade).await.status, 200);
    }
    let path = "/analytics/adjustments";
    let merger = json!({
        "kind": "merger", "symbol": "HDFC", "date": "2023-07-13", "newSymbol": "HDFCBANK", "newShares": 42,
        "oldShares": 25,
    });
    let added = trader.send_json(&app, Method::POST, path, &merger).await.json();
    assert_eq!((&added["price"], &added["newSymbol"]), (&json!(0), &json!("HDFCBANK")));
    // 10 become 16.8; 16 of them cost 25,000 * 16 / 16.8 and bring 27,200.
    let page = get_json(&trader, "/analytics/closed-trades").await;
    assert_eq!(
        (&page["closedTrades"][0]["gross"], &page["closedTrades"][0]["flags"]),
        (&json!(3390.4762), &json!(["merged"]))
    );
    let open = get_json(&trader, "/analytics/open-positions").await["open"][0].clone();
    assert_eq!(
        (&open["symbol"], &open["quantity"], &open["fraction"]),
        (&json!("HDFCBANK"), &json!(0.8), &json!(true))
    );
    let payment = json!({ "kind": "fractionPayment", "symbol": "HDFCBANK", "date": "2023-10-13", "broker": "zerodha", "price": 1320 });
    assert_eq!(trader.send_json(&app, Method::POST, path, &payment).await.status, 201);
    let page = get_json(&trader, "/analytics/closed-trades").await;
    let flags: Vec<&Value> = page["closedTrades"].as_array().unwrap().iter().map(|one| &one["flags"]).collect();
    assert_eq!(flags, [&json!(["merged", "fractionPaid"]), &json!(["merged"])]);
    let export = get_json(&trader, "/account/export").await;
    let kinds: Vec<&Value> = export["adjustments"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, [&json!("fractionPayment"), &json!("merger")]);
    // The same merger again is refused; a demerger with another company on one day is not.
    trader.send_json(&app, Method::POST, path, &merger).await.expect_problem(409, "adjustment_exists");
    for new_symbol in ["A", "B"] {
        let demerger = json!({
            "kind": "demerger", "symbol": "ITC", "date": "2025-01-06", "newSymbol": new_symbol, "newShares": 1,
            "oldShares": 10, "costPercent": 13.51,
        });
        let added = trader.send_json(&app, Method::POST, path, &demerger).await;
        assert_eq!(added.status, 201);
        assert_eq!(added.json()["costPercent"], 13.51);
    }
    let undo = format!("{path}/{}", added["id"].as_str().unwrap());
    assert_eq!(trader.send_json(&app, Method::DELETE, &undo, &Value::Null).await.status, 204);
    let positions = get_json(&trader, "/analytics/open-positions").await;
    assert_eq!((&positions["missingCostBasisTotal"], &positions["openTotal"]), (&json!(1), &json!(1)));
}

#[sqlx::test(migrations = "../../migrations")]
async fn pages_of_closed_trades_follow_the_requested_order(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let trades: Vec<Value> = (1..=5)
        .flat_map(|day| {
            let trade = |side: &str, hour: u32, price: u32| {
                let at = format!("2026-06-{day:02}T{hour:02}:00");
                json!({ "symbol": "ITC", "price": price, "quantity": 100, "timestamp": at, "type": side,
                        "broker": "groww", "tradetype": "equity", "exchange": "NSE" })
            };
            [trade("buy", 10, 400), trade("sell", 11, 400 + day * 7 % 5)]
        })
        .collect();
    let replace = json!({ "broker": "groww", "tradetype": "equity", "trades": trades });
    assert_eq!(trader.send_json(&app, Method::POST, "/trades/replace", &replace).await.status, 200);
    let mut gross_values = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = get_json(&trader, &format!("/analytics/closed-trades?sort=-gross&limit=2{cursor}")).await;
        gross_values.extend(
            page["closedTrades"].as_array().unwrap().iter().map(|closed_trade| closed_trade["gross"].as_f64().unwrap()),
        );
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(gross_values, [400.0, 300.0, 200.0, 100.0, 0.0]);
    let first = get_json(&trader, "/analytics/overview?from=2026-06-02&to=2026-06-03").await;
    assert_eq!((&first["figures"]["closedTrades"], &first["scope"]["closedTrades"]), (&json!(2), &json!(5)));
}

/// Uploads a broker's report to compare it with the log.
async fn reconcile(app: &App, trader: &Trader<'_>, file: &[u8]) -> Reply {
    let upload = Upload { fields: Vec::new(), ..Upload::new("pnl.csv", file, "") };
    let request = trader.request(Method::POST, "/analytics/reconcile").header("content-type", Upload::CONTENT_TYPE);
    app.send(request.body(Body::from(upload.form())).unwrap()).await
}

#[sqlx::test(migrations = "../../migrations")]
async fn reconciling_compares_a_broker_report_with_the_log_and_stores_nothing(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let fill = |sell, price, at: &str, trade_id| {
        let at = format!("2026-06-{at}");
        Fill { symbol: "INFY", sell, quantity: 10, price, at, trade_id }
    };
    let fills = [fill(false, 150_005, "01T09:15:00", 1), fill(true, 151_000, "02T10:30:00", 2)];
    assert_eq!(trader.upload(&Upload::new("t.csv", &zerodha_csv(&fills), "zerodha")).await.status, 200);
    // STT 15.00 on the buy and 15.10 on the sell, each rounded to 15. Stamp duty 2.25, rounded to 2. The depository charges
    // 13 plus 2.34 tax. The report has 40 of brokerage, and a share that the log does not have.
    let charges = ["Brokerage - Z,40", "Securities Transaction Tax - Z,30", "Stamp Duty - Z,2", "DP Charges,15.34"];
    let rows = ["INFY,INE000A01010,10,15000.5,15100,99.5", "TCS,INE467B01029,5,100,200,100"];
    let before = table_checksums(&pool).await;
    let reply = reconcile(&app, &trader, &zerodha_profit_csv(&charges, &rows)).await;
    let reconciliation = reply.json();
    assert_eq!(reply.status, 200, "{reconciliation:#}");
    assert_eq!(
        (&reconciliation["from"], &reconciliation["to"], &reconciliation["agrees"]),
        (&json!("2026-06-01"), &json!("2026-06-30"), &json!(false))
    );
    assert_eq!(
        (&reconciliation["format"], &reconciliation["tradetype"]),
        (&json!("zerodha-equity-pnl"), &json!("equity"))
    );
    assert_eq!(
        (&reconciliation["differingRows"], &reconciliation["rows"][0]["symbol"], &reconciliation["rows"][0]["log"]),
        (&json!(1), &json!("TCS"), &json!(null))
    );
    assert_eq!(reconciliation["rows"][0]["cause"]["code"], "trades_missing");
    let infy = &reconciliation["rows"][1];
    let sums = json!({ "quantity": 10, "buyValue": 15000.5, "sellValue": 15100, "gross": 99.5 });
    assert_eq!((&infy["log"], &infy["report"], &infy["agrees"]), (&sums, &sums, &json!(true)));
    assert_eq!((&infy["isin"], &infy["cause"]), (&json!("INE000A01010"), &json!(null)));
    assert_eq!(reconciliation["totals"]["gross"], json!({ "log": 99.5, "report": 199.5, "difference": -100 }));
    let charge = |name: &str| {
        let all = reconciliation["charges"].as_array().unwrap();
        all.iter().find(|row| row["charge"] == name).cloned().unwrap_or_default()
    };
    for (name, amount) in [("stt", json!(30)), ("stampDuty", json!(2)), ("dp", json!(15.34))] {
        assert_eq!((&charge(name)["log"], &charge(name)["agrees"]), (&amount, &json!(true)), "{name}");
    }
    assert_eq!(
        (&charge("brokerage")["difference"], &charge("brokerage")["cause"]["code"]),
        (&json!(-40), &json!("rows_differ"))
    );
    assert_eq!((&charge("sebi")["report"], &charge("sebi")["cause"]["code"]), (&json!(null), &json!("not_listed")));
    assert_eq!(charge("clearing"), Value::Null);
    assert_eq!(table_checksums(&pool).await, before);

    // Without the extra share, the brokerage differs only from the charge rates of the plan.
    let reconciliation = reconcile(&app, &trader, &zerodha_profit_csv(&charges, &rows[..1])).await.json();
    assert_eq!(
        (&reconciliation["differingRows"], &reconciliation["charges"][0]["cause"]["code"]),
        (&json!(0), &json!("plan"))
    );
    // The log of another trader is empty.
    let other = app.register_trader().await;
    reconcile(&app, &other, &zerodha_profit_csv(&charges, &rows)).await.expect_problem(422, "no_trades_to_reconcile");
}

#[sqlx::test(migrations = "../../migrations")]
async fn reconciling_compares_a_tax_report_line_by_line_and_stores_nothing(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let fill = |sell, price, at: &str, trade_id| {
        let at = format!("2026-06-{at}");
        Fill { symbol: "INFY", sell, quantity: 10, price, at, trade_id }
    };
    let fills = [fill(false, 150_005, "01T09:15:00", 1), fill(true, 151_000, "02T10:30:00", 2)];
    assert_eq!(trader.upload(&Upload::new("t.csv", &zerodha_csv(&fills), "zerodha")).await.status, 200);
    let before = table_checksums(&pool).await;
    let infy = "INFY,INE000A01010,2026-06-01,2026-06-02,10,15000.5,15100,99.5";
    let tcs = "TCS,INE467B01029,2026-06-01,2026-06-02,5,100,200,100";
    let reply = reconcile(&app, &trader, &zerodha_tax_csv(&[infy, tcs])).await;
    let result = reply.json();
    assert_eq!(reply.status, 200, "{result:#}");
    assert_eq!((&result["format"], &result["broker"]), (&json!("zerodha-tax-pnl"), &json!("zerodha")));
    assert_eq!(
        (&result["agrees"], &result["totalLines"], &result["differingLines"]),
        (&json!(false), &json!(2), &json!(1))
    );
    assert_eq!(result["lines"][0]["cause"]["code"], "trades_missing");
    let side = json!({ "head": "shortTerm", "quantity": 10, "buyValue": 15000.5, "sellValue": 15100, "gross": 99.5 });
    let line = &result["lines"][1];
    assert_eq!((&line["log"], &line["report"], &line["agrees"]), (&side, &side, &json!(true)));
    assert_eq!(result["heads"][0]["gross"], json!({ "log": 99.5, "report": 199.5, "difference": -100 }));
    assert_eq!(reconcile(&app, &trader, &zerodha_tax_csv(&[infy])).await.json()["agrees"], json!(true));
    assert_eq!(table_checksums(&pool).await, before);
    // The log of another trader is empty.
    let other = app.register_trader().await;
    reconcile(&app, &other, &zerodha_tax_csv(&[infy])).await.expect_problem(422, "no_trades_to_reconcile");
}

#[sqlx::test(migrations = "../../migrations")]
async fn reconciling_reports_and_repairs_sells_without_a_buy_price(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let at = "2026-06-02T10:30:00".to_owned();
    let sell = Fill { symbol: "INFY", sell: true, quantity: 10, price: 151_000, at, trade_id: 1 };
    assert_eq!(trader.upload(&Upload::new("t.csv", &zerodha_csv(&[sell]), "zerodha")).await.status, 200);
    let report = zerodha_profit_csv(&[], &["INFY,INE000A01010,10,15000.5,15100,99.5"]);
    let reconciliation = reconcile(&app, &trader, &report).await.json();
    let notes = reconciliation["notCompared"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["code"] == "missing_cost_basis"), "{notes:#?}");

    // The repair is the purchase at the report's cost, on a day that the trader states.
    let repair = &reconciliation["rows"][0]["repair"];
    let mut answer =
        json!({ "issueId": "missingCost:zerodha:INFY", "answer": "bought", "price": 1500.05, "quantity": 10 });
    let label = "Enter 10 shares bought at ₹1,500.05 each";
    let expected = json!({ "label": label, "answer": answer, "dateRequired": true, "latestDate": "2026-06-02" });
    assert_eq!(repair, &expected);
    answer["date"] = json!("2025-01-10");
    let body = json!({ "answers": [answer] });
    let reply = trader.send_json(&app, Method::POST, "/analytics/data-issues/answers", &body).await;
    assert_eq!(reply.status, 201);
    let again = reconcile(&app, &trader, &report).await.json();
    assert_eq!((&again["agrees"], &again["rows"][0]["repair"]), (&json!(true), &json!(null)));
}

#[sqlx::test(migrations = "../../migrations")]
async fn an_analytics_session_can_read_but_not_write(pool: PgPool) {
    let app = App::new(&pool).await;
    let trader = app.register_trader().await;
    let handoff = trader.request(Method::POST, "/auth/handoff").header("host", "127.0.0.1:8080");
    let handoff = app.send(handoff.body(Body::empty()).unwrap()).await;
    let url = handoff.json()["url"].as_str().unwrap().to_owned();
    let token = url.split_once("token=").unwrap().1;
    let session = app.post("/analytics/session", &json!({ "token": token })).await.json();
    let by_session = |method: Method, path: &str| {
        let token = session["token"].as_str().unwrap();
        Request::builder().method(method).uri(path).header("authorization", format!("Bearer {token}"))
    };
    let read = app.send(by_session(Method::GET, "/analytics/overview").body(Body::empty()).unwrap()).await;
    assert_eq!(read.status, 200);
    let write = by_session(Method::POST, "/analytics/adjustments").header("content-type", "application/json");
    app.send(write.body(Body::from("{}")).unwrap()).await.expect_problem(403, "forbidden");
}
