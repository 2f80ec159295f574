//! Tests of adding, editing and deleting single trades, and of the change list.

use http::Request;
use rpc::failure::{Kind, to_status};
use rpc::trades::v1::{Exchange, Notes, Side, UpdateTradeRequest};
use serde_json::json;

use super::auth::Refusal;
use super::*;

/// Returns a body for `trades/add` whose trade has the fields of `changed`.
pub fn entry(changed: &Value) -> Value {
    let mut trade = json!({
        "symbol": "INFY", "price": 1500.05, "quantity": 10, "timestamp": "2026-04-01T00:00", "type": "buy",
    });
    for (name, value) in changed.as_object().unwrap() {
        trade[name] = value.clone();
    }
    json!({ "broker": "zerodha", "tradetype": "equity", "trade": trade })
}

impl Edge {
    fn json_request(&self, method: &str, path: &str, body: impl Into<Body>) -> Request<Body> {
        self.request(method, path).header("content-type", "application/json").body(body.into()).unwrap()
    }

    async fn send_json(&self, method: &str, path: &str, body: &str) -> Reply {
        self.send(self.json_request(method, path, body.to_owned())).await
    }
}

/// Returns the invalid fields and their error codes.
pub fn errors(problem: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let errors = problem["errors"].as_array().unwrap();
    errors.iter().map(|error| (text(&error["field"]), text(&error["code"]))).collect()
}

#[tokio::test]
async fn adds_a_trade_with_the_exact_values_sent() {
    let edge = Edge::new().await;
    let body = r#"{"trade": {"symbol": "infy", "price": 99999999999.9999, "quantity": 1e1, "type": "sell",
        "timestamp": "2026-04-01T00:00:00", "exchange": "BSE", "broker": "groww", "tradetype": "fno",
        "stockName": "Infosys", "notes": "n", "psychology": "p", "marketOutlook": "m", "pairId": "x",
        "stopLoss": 1e11},
        "tradetype": "fno", "email": "ASHA@example.in", "broker": "groww"}"#;
    for path in ["/trades/add", "/api/v1/trades/add"] {
        assert_eq!(edge.send_json("POST", path, body).await.status, 200);
        let request = edge.core.0.writes.lock().unwrap().added.pop().unwrap();
        let book = request.book.unwrap();
        assert_eq!((book.broker().as_str_name(), book.segment().as_str_name()), ("BROKER_GROWW", "SEGMENT_FNO"));
        let trade = request.trade.unwrap();
        assert_eq!(
            (trade.symbol.as_str(), trade.price.as_str(), trade.quantity.as_str()),
            ("infy", "99999999999.9999", "10")
        );
        assert_eq!((trade.side(), trade.exchange()), (Side::Sell, Exchange::Bse));
        assert_eq!(trade.executed_at.unwrap().seconds, 1_774_981_800);
        let notes = trade.notes.unwrap();
        let texts =
            [notes.stock_name, notes.notes, notes.psychology, notes.market_outlook, notes.stop_loss, trade.pair_id];
        assert_eq!(texts, ["Infosys", "n", "p", "m", "100000000000", "x"]);
        assert_eq!(request.idempotency_key, "");
    }
    edge.post("/trades/add", &entry(&json!({}))).await;
    let trade = edge.core.0.writes.lock().unwrap().added.pop().unwrap().trade.unwrap();
    assert_eq!((trade.exchange(), trade.price.as_str(), trade.notes), (Exchange::Nse, "1500.05", None));
}

#[tokio::test]
async fn response_is_the_record_or_only_the_change_when_preferred() {
    let edge = Edge::new().await;
    *edge.core.0.pages.lock().unwrap() = vec![Ok(vec![super::core::trade(2)])];
    let reply = edge.post("/trades/add", &entry(&json!({}))).await;
    reply.assert_security_headers();
    let record = reply.json();
    assert_eq!((record["trades"].as_array().unwrap().len(), record.get("changeId")), (1, None));
    assert!(!reply.headers.contains_key("idempotency-replayed"));

    let mut request = edge.json_request("POST", "/trades/add", entry(&json!({})).to_string());
    request.headers_mut().insert("prefer", "return=minimal".parse().unwrap());
    request.headers_mut().insert("idempotency-key", "k-1".parse().unwrap());
    let reply = edge.send(request).await;
    assert_eq!((reply.header("preference-applied"), reply.header("idempotency-replayed")), ("return=minimal", ""));
    let record = reply.json();
    assert_eq!(
        (&record["changeId"], &record["trade"]["_id"], &record["total"]),
        (&json!("12"), &json!("9"), &json!(3))
    );
    assert_eq!((record.get("trades"), &record["clientId"]), (None, &json!("TB-7K3M9Q")));
    assert_eq!(edge.core.0.writes.lock().unwrap().added[1].idempotency_key, "k-1");

    edge.core.0.writes.lock().unwrap().replayed = true;
    let mut request = edge.json_request("POST", "/trades/add", entry(&json!({})).to_string());
    request.headers_mut().insert("prefer", "return=minimal".parse().unwrap());
    let reply = edge.send(request).await;
    assert_eq!((reply.header("idempotency-replayed"), &reply.json()["trade"]), ("true", &json!(null)));
}

#[tokio::test]
async fn rejects_an_invalid_trade_by_field() {
    let edge = Edge::new().await;
    let check = async |changed: Value, field: &str, code: &str| {
        let problem = edge.post("/trades/add", &entry(&changed)).await.assert_problem(422, "invalid");
        assert_eq!(errors(&problem), [(format!("trade.{field}"), code.to_owned())], "{changed}");
    };
    for (field, code) in [
        ("symbol", "not_text"),
        ("price", "not_a_number"),
        ("quantity", "not_a_number"),
        ("timestamp", "not_text"),
        ("type", "not_text"),
        ("exchange", "not_text"),
        ("notes", "not_text"),
    ] {
        check(json!({ field: null }), field, code).await;
        check(json!({ field: [] }), field, code).await;
    }
    for number in ["price", "quantity"] {
        for text in ["NaN", "Infinity", "1e308", "10"] {
            check(json!({ number: text }), number, "not_a_number").await;
        }
        check(json!({ number: 1e308 }), number, "out_of_range").await;
        check(json!({ number: 1e-300 }), number, "out_of_range").await;
    }
    check(json!({ "type": "BUY" }), "type", "invalid").await;
    check(json!({ "exchange": "nse" }), "exchange", "invalid").await;
    check(json!({ "broker": "other" }), "broker", "invalid").await;
    check(json!({ "broker": "groww" }), "broker", "differs").await;
    check(json!({ "tradetype": "fno" }), "tradetype", "differs").await;
    check(json!({ "timestamp": "yesterday" }), "timestamp", "invalid").await;
    check(json!({ "colour": "red" }), "colour", "unknown").await;
    assert_eq!(edge.core.count("add_trade"), 0);
}

#[tokio::test]
async fn passes_negative_zero_and_a_fifth_decimal_to_the_core_unchanged() {
    let edge = Edge::new().await;
    for (sent, passed) in [("-0", "-0"), ("-0.0", "-0"), ("1.00001", "1.00001"), ("-3", "-3"), ("1.50", "1.5")] {
        let body = entry(&json!({})).to_string().replace("1500.05", sent);
        edge.send_json("POST", "/trades/add", &body).await;
        assert_eq!(edge.core.0.writes.lock().unwrap().added.pop().unwrap().trade.unwrap().price, passed);
    }
}

#[tokio::test]
async fn rejects_an_invalid_body() {
    let edge = Edge::new().await;
    let problem = edge.send_json("POST", "/trades/add", "{}").await.assert_problem(422, "invalid");
    let required = |field: &str| (field.to_owned(), "required".to_owned());
    assert_eq!(errors(&problem), ["broker", "tradetype", "trade"].map(required));
    let body = json!({ "broker": "zerodha", "tradetype": "equity", "trade": {}, "size": 1 });
    let problem = edge.post("/trades/add", &body).await.assert_problem(422, "invalid");
    assert_eq!(errors(&problem)[0], ("size".to_owned(), "unknown".to_owned()));
    let fields = ["symbol", "price", "quantity", "timestamp", "type"];
    assert_eq!(errors(&problem)[1..], fields.map(|field| required(&format!("trade.{field}"))));
    for body in [r#"{"broker":1,"broker":2}"#, "[]", "1"] {
        edge.send_json("POST", "/trades/add", body).await.assert_problem(422, "invalid");
    }
    let twice = r#"{"broker": "zerodha", "tradetype": "equity", "trade": {"price": 1, "price": 2}}"#;
    let problem = edge.send_json("POST", "/trades/add", twice).await.assert_problem(422, "invalid");
    assert_eq!(errors(&problem), [("trade".to_owned(), "not_an_object".to_owned())]);
    for body in ["", "{", "{\"price\": NaN}", "{\"price\": 01}", "{} {}"] {
        edge.send_json("POST", "/trades/add", body).await.assert_problem(400, "malformed");
    }
    let form = edge.request("POST", "/trades/add").header("content-type", "text/plain");
    edge.send(form.body(Body::from("{}")).unwrap()).await.assert_problem(415, "unsupported_media_type");
    edge.send_json("POST", "/trades/add", &" ".repeat(65 * 1024)).await.assert_problem(413, "too_large");
    let mut foreign = entry(&json!({}));
    foreign["email"] = json!("ravi@example.in");
    edge.post("/trades/add", &foreign).await.assert_problem(403, "email_mismatch");
    let unsigned = edge.anonymous_request("POST", "/trades/add").header("content-type", "application/json");
    edge.send(unsigned.body(Body::from("{}")).unwrap()).await.assert_problem(401, "unauthenticated");
    for key in ["k".repeat(65), "a\tb".to_owned()] {
        let mut request = edge.json_request("POST", "/trades/add", entry(&json!({})).to_string());
        request.headers_mut().insert("idempotency-key", key.parse().unwrap());
        let problem = edge.send(request).await.assert_problem(422, "invalid");
        assert_eq!(errors(&problem), [("Idempotency-Key".to_owned(), "invalid".to_owned())]);
    }
    assert_eq!(edge.core.count("add_trade"), 0);
}

#[tokio::test]
async fn accepts_notes_of_maximum_length_with_four_byte_characters() {
    let edge = Edge::new().await;
    let note = "\u{1f4c8}".repeat(2000);
    let body = entry(&json!({ "notes": note, "psychology": note, "marketOutlook": note }));
    assert_eq!(edge.post("/trades/add", &body).await.status, 200);
    let sent = edge.core.0.writes.lock().unwrap().added.pop().unwrap().trade.unwrap();
    assert_eq!(sent.notes.unwrap().market_outlook, note);
}

#[tokio::test]
async fn adds_the_trade_when_the_client_disconnects() {
    let edge = Edge::new().await;
    *edge.core.0.blocked.lock().unwrap() = true;
    let request = edge.json_request("POST", "/trades/add", entry(&json!({})).to_string());
    let reply = tokio::spawn(edge.router.clone().oneshot(request));
    edge.core.0.started.notified().await;
    reply.abort();
    assert!(reply.await.unwrap_err().is_cancelled());
    edge.core.0.unblock.notify_one();
    edge.core.0.done.notified().await;
    assert_eq!(edge.core.0.writes.lock().unwrap().added.len(), 1);
}

#[tokio::test]
async fn edit_changes_only_the_fields_that_are_sent() {
    let edge = Edge::new().await;
    let reply = edge.send_json("PATCH", "/trades/3", r#"{"price": 7.25, "psychology": "Calm."}"#).await;
    assert_eq!((&reply.json()["changeId"], &reply.json()["trade"]["_id"]), (&json!("14"), &json!("3")));
    let pop_update = || {
        let UpdateTradeRequest { trade, update_mask } = edge.core.0.writes.lock().unwrap().edited.pop().unwrap();
        (trade.unwrap(), update_mask.unwrap().paths)
    };
    let (trade, paths) = pop_update();
    assert_eq!(paths, ["price", "notes.psychology"]);
    assert_eq!((trade.id, &*trade.price, &*trade.notes.unwrap().psychology), (3, "7.25", "Calm."));

    let reply = edge.send_json("PATCH", "/api/v1/trades/3", r#"{"notes": ""}"#).await;
    assert_eq!(reply.json()["changeId"], json!(null));
    let (trade, paths) = pop_update();
    assert_eq!((paths, trade.notes), (vec!["notes.notes".to_owned()], Some(Notes::default())));
    edge.send_json("PATCH", "/trades/3", r#"{"stopLoss": null}"#).await;
    let (trade, paths) = pop_update();
    assert_eq!((paths, trade.notes), (vec!["notes.stop_loss".to_owned()], Some(Notes::default())));
    let other_fields = r#"{"symbol": "TCS", "type": "sell", "exchange": "BSE", "quantity": 2, "timestamp": "2026-04-01T00:00",
        "stockName": "Tata", "marketOutlook": "Up.", "stopLoss": 90.5}"#;
    edge.send_json("PATCH", "/trades/3", other_fields).await;
    let (trade, mut paths) = pop_update();
    paths.sort();
    assert_eq!(
        paths,
        [
            "exchange",
            "executed_at",
            "notes.market_outlook",
            "notes.stock_name",
            "notes.stop_loss",
            "quantity",
            "side",
            "symbol"
        ]
    );
    assert_eq!((trade.side(), trade.exchange()), (Side::Sell, Exchange::Bse));
    assert_eq!(trade.executed_at.unwrap().seconds, 1_774_981_800);
    let notes = trade.notes.unwrap();
    let texts = [trade.symbol, trade.quantity, notes.stock_name, notes.market_outlook, notes.stop_loss];
    assert_eq!(texts, ["TCS", "2", "Tata", "Up.", "90.5"]);
    assert_eq!(edge.core.count("get_trade"), 0);
}

#[tokio::test]
async fn rejects_an_invalid_edit() {
    let edge = Edge::new().await;
    edge.send_json("PATCH", "/trades/3", "{}").await.assert_problem(422, "invalid");
    for (body, field, code) in [
        (r#"{"price": "1"}"#, "price", "not_a_number"),
        (r#"{"stopLoss": "1"}"#, "stopLoss", "not_a_number"),
        (r#"{"broker": "groww"}"#, "broker", "unknown"),
        (r#"{"pairId": "x"}"#, "pairId", "unknown"),
        (r#"{"timestamp": "now"}"#, "timestamp", "invalid"),
    ] {
        let problem = edge.send_json("PATCH", "/trades/3", body).await.assert_problem(422, "invalid");
        assert_eq!(errors(&problem), [(field.to_owned(), code.to_owned())]);
    }
    edge.send_json("PATCH", "/trades/3", "{").await.assert_problem(400, "malformed");
    assert_eq!(edge.core.count("update_trade"), 0);
}

#[tokio::test]
async fn trade_is_returned_with_all_its_fields() {
    let edge = Edge::new().await;
    let trade = edge.get("/trades/9223372036854775807").await.json();
    let expected = json!({
        "_id": "9223372036854775807", "type": "buy", "symbol": "M&M \"X\"", "quantity": 10, "price": 82.1,
        "value": 99999999999.9999, "timestamp": "2026-03-31T18:30:00Z", "timePrecision": "day", "broker": "zerodha",
        "tradetype": "equity", "exchange": "NSE", "stockName": "Mahindra", "notes": "Old.", "pairId": "p",
        "stopLoss": 80.5,
        "imported": true, "edited": true,
    });
    assert_eq!(trade, expected);
}

#[tokio::test]
async fn returns_404_for_an_invalid_id() {
    let edge = Edge::new().await;
    for id in ["0", "-1", "007", "1.0", "abc", "9223372036854775808", "%31x", "%ff", "+1"] {
        edge.get(&format!("/trades/{id}")).await.assert_problem(404, "trade_not_found");
        edge.send_json("PATCH", &format!("/trades/{id}"), "{}").await.assert_problem(404, "trade_not_found");
        let delete = edge.request("DELETE", &format!("/api/v1/trades/{id}")).body(Body::empty()).unwrap();
        edge.send(delete).await.assert_problem(404, "trade_not_found");
        let undo = format!("/trades/changes/{id}/undo");
        edge.send_json("POST", &undo, r#"{"newer": 0}"#).await.assert_problem(404, "change_not_found");
    }
    assert!(edge.core.0.calls.lock().unwrap().is_empty());
    edge.core.refuse(to_status(&Refusal(Kind::NotFound, "TRADE_NOT_FOUND")));
    edge.get("/trades/1").await.assert_problem(404, "trade_not_found");
}

#[tokio::test]
async fn deletes_the_paired_trade_only_when_requested() {
    let edge = Edge::new().await;
    let delete = async |path: &str| edge.send(edge.request("DELETE", path).body(Body::empty()).unwrap()).await;
    for (query, pair, deleted) in [("", false, 1), ("?pair=true", true, 2), ("?pair=false", false, 1)] {
        let reply = delete(&format!("/api/v1/trades/7{query}")).await.json();
        assert_eq!(reply, json!({ "changeId": "15", "deleted": deleted, "total": 2 }));
        let request = edge.core.0.writes.lock().unwrap().deleted.pop().unwrap();
        assert_eq!((request.id, request.pair), (7, pair));
    }
    for query in ["?pair=1", "?pair=", "?pair=true&pair=true", "?force=true"] {
        delete(&format!("/trades/7{query}")).await.assert_problem(422, "invalid");
    }
    assert_eq!(edge.core.count("delete_trade"), 3);
}

#[tokio::test]
async fn undoes_a_change_with_the_expected_number_of_newer_ones() {
    let edge = Edge::new().await;
    let reply = edge.send_json("POST", "/trades/changes/5/undo", r#"{"newer": 1}"#).await.json();
    assert_eq!(reply, json!({ "removed": 1, "restored": 3, "undone": 2, "total": 4 }));
    let request = edge.core.0.writes.lock().unwrap().undone.pop().unwrap();
    assert_eq!((request.change_id, request.expected_newer_changes), (5, 1));
    for body in ["{}", r#"{"newer": -1}"#, r#"{"newer": 1.5}"#, r#"{"newer": "1"}"#, r#"{"newer": 1, "x": 1}"#] {
        edge.send_json("POST", "/trades/changes/5/undo", body).await.assert_problem(422, "invalid");
    }
    edge.core.refuse(to_status(&Refusal(Kind::FailedPrecondition, "NEWER_CHANGES_MISMATCH")));
    edge.send_json("POST", "/trades/changes/5/undo", r#"{"newer": 1}"#)
        .await
        .assert_problem(409, "newer_changes_mismatch");
}

#[tokio::test]
async fn lists_books_symbols_and_changes() {
    let edge = Edge::new().await;
    let books = edge.get("/trades/books").await.json();
    assert_eq!(books, json!({ "books": [{ "broker": "zerodha", "tradetype": "equity", "trades": 0 }] }));

    assert_eq!(edge.get("/api/v1/trades/symbols?q=inf").await.json(), json!({ "symbols": ["INFY"] }));
    let request = edge.core.0.writes.lock().unwrap().symbols.pop().unwrap();
    assert_eq!((request.text.as_str(), request.page_size), ("inf", 20));
    assert_eq!(edge.get("/trades/symbols").await.status, 200);
    edge.get(&format!("/trades/symbols?q={}", "A".repeat(65))).await.assert_problem(422, "invalid");
    edge.get("/trades/symbols?limit=5").await.assert_problem(422, "invalid");

    let page = edge.get("/trades/changes").await.json();
    let at = "2026-03-31T18:30:00Z";
    let (sha256, name) = ("ab".repeat(32), "tradebook.csv");
    let import = json!({
        "id": "4", "fileName": name, "sha256": sha256, "format": "zerodha-tradebook", "duplicates": 1, "rows": 5,
        "rejected": 1, "warnings": 2, "conflicts": 3, "corrected": 4, "durationMs": 1250, "from": at,
        "to": null,
    });
    let expected = json!({ "nextCursor": "older", "changes": [
        { "id": "2", "broker": "zerodha", "tradetype": "equity", "kind": "entry", "madeAt": at, "added": 1,
          "removed": 0, "symbol": "INFY", "undoUntil": at, "newer": 0 },
        { "id": "1", "broker": "zerodha", "tradetype": "equity", "kind": "import", "madeAt": at, "added": 1,
          "removed": 0, "import": import, "undoneAt": at, "newer": 1 },
    ] });
    assert_eq!(page, expected);
    assert!(edge.get("/trades/changes?cursor=older").await.json().get("nextCursor").is_none());
    edge.get("/trades/changes?broker=groww&tradetype=fno&limit=100").await;
    let requests: Vec<_> = std::mem::take(&mut edge.core.0.writes.lock().unwrap().listed);
    assert_eq!((requests[0].book, requests[0].page_size, requests[1].page_token.as_str()), (None, 50, "older"));
    assert_eq!((requests[2].book.unwrap().broker().as_str_name(), requests[2].page_size), ("BROKER_GROWW", 100));
    for query in ["broker=groww", "tradetype=fno", "limit=101", "limit=0", "broker=x&tradetype=fno", "q=x"] {
        edge.get(&format!("/trades/changes?{query}")).await.assert_problem(422, "invalid");
    }
}

#[tokio::test]
async fn passes_on_field_errors_of_the_core() {
    let edge = Edge::new().await;
    edge.core.refuse(to_status(&Refusal(Kind::Invalid, "INVALID")));
    let problem = edge.post("/trades/add", &entry(&json!({}))).await.assert_problem(422, "invalid");
    assert_eq!(errors(&problem), [("confirmPassword".to_owned(), "mismatch".to_owned())]);
}
