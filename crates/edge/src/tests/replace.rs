//! Tests of replacing all trades of a book.

use futures_util::stream;
use http::Request;
use rpc::failure::{Kind, to_status};
use serde_json::json;

use super::auth::Refusal;
use super::single_trades::{entry, errors};
use super::*;

const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;

fn request_builder(edge: &Edge) -> http::request::Builder {
    edge.request("POST", "/api/v1/trades/replace").header("content-type", "application/json")
}

fn request(edge: &Edge, body: impl Into<Body>) -> Request<Body> {
    request_builder(edge).body(body.into()).unwrap()
}

/// Returns a body with this number of trades that have the fields of `changed`.
fn list(trades: usize, changed: &Value) -> String {
    let trade = entry(changed)["trade"].to_string();
    format!(r#"{{"trades":[{}],"broker":"zerodha","tradetype":"equity"}}"#, vec![trade; trades].join(","))
}

async fn validation_errors(edge: &Edge, body: impl Into<Body>) -> Vec<(String, String)> {
    let problem = edge.send(request(edge, body)).await.assert_problem(422, "invalid");
    for error in problem["errors"].as_array().unwrap() {
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
    }
    errors(&problem)
}

fn error(field: &str, code: &str) -> (String, String) {
    (field.to_owned(), code.to_owned())
}

#[tokio::test]
async fn sends_the_trades_to_the_core_in_batches_with_head_and_end() {
    let edge = Edge::new().await;
    let mut keyed = request(&edge, list(4_500, &json!({ "price": 0.0001 })));
    keyed.headers_mut().insert("idempotency-key", "k".parse().unwrap());
    let reply = edge.send(keyed).await;
    assert_eq!(reply.status, 200, "{:?}", reply.body);
    let replaced = edge.core.0.writes.lock().unwrap().replaced.pop().unwrap();
    assert_eq!((replaced.batches.iter().sum::<usize>(), replaced.end), (4_500, Some(4_500)));
    assert!(replaced.batches.iter().all(|batch| *batch <= 2_000));
    assert_eq!((replaced.head.idempotency_key.as_str(), replaced.head.book), ("k", Some(super::core::book())));
    assert_eq!(replaced.first.unwrap().price, "0.0001");
    let record = reply.json();
    assert_eq!(record["replacement"], json!({ "changeId": "13", "added": 4500, "removed": 5 }));
    assert_eq!((&record["trades"], &record["total"]), (&json!([]), &json!(0)));
}

#[tokio::test]
async fn response_is_minimal_when_preferred() {
    let edge = Edge::new().await;
    edge.core.0.writes.lock().unwrap().replayed = true;
    let minimal =
        request_builder(&edge).header("prefer", "return=minimal").body(Body::from(list(1, &json!({})))).unwrap();
    let reply = edge.send(minimal).await;
    assert_eq!((reply.header("preference-applied"), reply.header("idempotency-replayed")), ("return=minimal", "true"));
    assert_eq!((reply.json().get("trades"), &reply.json()["total"]), (None, &json!(1)));
}

#[tokio::test]
async fn long_texts_reduce_the_batch_size() {
    let edge = Edge::new().await;
    let note = "x".repeat(2_000);
    let reply = edge.send(request(&edge, list(1_000, &json!({ "notes": note, "psychology": note })))).await;
    assert_eq!(reply.status, 200);
    let replaced = edge.core.0.writes.lock().unwrap().replaced.pop().unwrap();
    assert_eq!(replaced.end, Some(1_000));
    // Each trade has 4 KiB of text, and a message holds a few hundred KiB at most.
    assert!(replaced.batches.iter().all(|batch| *batch < 80), "{:?}", replaced.batches);
}

#[tokio::test]
async fn rejects_a_list_with_invalid_trades() {
    let edge = Edge::new().await;
    let book = r#""broker":"zerodha","tradetype":"equity""#;
    let trade = entry(&json!({}))["trade"].to_string();
    let bad = entry(&json!({ "quantity": "1", "exchange": "MCX" }))["trade"].to_string();
    let expected = [error("trades.1.exchange", "invalid"), error("trades.1.quantity", "not_a_number")];
    let mut errors = validation_errors(&edge, format!(r#"{{"trades":[{trade},{bad}],{book}}}"#)).await;
    errors.sort();
    assert_eq!(errors, expected);
    let cases = [
        (
            "{}".to_owned(),
            vec![error("broker", "required"), error("tradetype", "required"), error("trades", "required")],
        ),
        (format!(r#"{{{book},"trades":[]}}"#), vec![error("trades", "invalid")]),
        (format!(r#"{{{book},"trades":{{}}}}"#), vec![error("trades", "not_a_list")]),
        (format!(r#"{{{book},"trades":null}}"#), vec![error("trades", "not_a_list")]),
        (format!(r#"{{{book},"trades":[{trade},7]}}"#), vec![error("trades.1", "not_an_object")]),
        (format!(r#"{{{book},"trades":[{{"price":1,"price":1}}]}}"#), vec![error("trades.0", "not_an_object")]),
        (format!(r#"{{{book},"colour":{{}},"trades":[{trade}]}}"#), vec![error("colour", "unknown")]),
        (
            format!(r#"{{"broker":"other","tradetype":1,"trades":[{trade}]}}"#),
            vec![error("broker", "invalid"), error("tradetype", "not_text")],
        ),
        (format!(r#"{{{book},"trades":[{{"notes":"{}"}}]}}"#, "x".repeat(70_000)), vec![error("trades.0", "too_long")]),
    ];
    for (body, expected) in cases {
        assert_eq!(validation_errors(&edge, body.clone()).await, expected, "{}", &body[..body.len().min(200)]);
    }
    assert_eq!(validation_errors(&edge, list(500, &json!({ "price": null }))).await.len(), 100);
    assert_eq!(edge.core.count("replace_trades"), 0);
}

#[tokio::test]
async fn rejects_a_trade_of_another_book_in_any_field_order() {
    let edge = Edge::new().await;
    let trades = entry(&json!({ "broker": "groww" }))["trade"].to_string();
    for body in [
        format!(r#"{{"broker":"zerodha","tradetype":"equity","trades":[{trades}]}}"#),
        format!(r#"{{"trades":[{trades}],"broker":"zerodha","tradetype":"equity"}}"#),
    ] {
        assert_eq!(validation_errors(&edge, body).await, [error("trades.0.broker", "differs")]);
    }
    assert!(edge.core.0.writes.lock().unwrap().replaced.iter().all(|replaced| replaced.end.is_none()));
}

#[tokio::test]
async fn rejects_an_invalid_body() {
    let edge = Edge::new().await;
    let trade = entry(&json!({}))["trade"].to_string();
    let good = list(1, &json!({}));
    for body in [
        String::new(),
        "{".to_owned(),
        good[..good.len() - 1].to_owned(),
        format!("{good}x"),
        good.replace("10", "010"),
    ] {
        edge.send(request(&edge, body)).await.assert_problem(400, "malformed");
    }
    for body in
        ["[]".to_owned(), "7".to_owned(), format!(r#"{{"broker":"zerodha","broker":"zerodha","trades":[{trade}]}}"#)]
    {
        edge.send(request(&edge, body)).await.assert_problem(422, "invalid");
    }
    let foreign = good.replace(r#""broker""#, r#""email":"ravi@example.in","broker""#);
    edge.send(request(&edge, foreign)).await.assert_problem(403, "email_mismatch");
    let mut text = request(&edge, good.clone());
    text.headers_mut().insert("content-type", "text/plain".parse().unwrap());
    edge.send(text).await.assert_problem(415, "unsupported_media_type");
    let mut unsigned = request(&edge, good);
    unsigned.headers_mut().remove("authorization");
    edge.send(unsigned).await.assert_problem(401, "unauthenticated");
    assert_eq!(edge.core.count("replace_trades"), 0);
}

#[tokio::test]
async fn rejects_a_body_above_32_mib() {
    let edge = Edge::new().await;
    let body = vec![b' '; MAX_BODY_BYTES + 1];
    let chunks: Vec<_> =
        body.chunks(1 << 20).map(|chunk| Ok::<_, std::io::Error>(Bytes::copy_from_slice(chunk))).collect();
    edge.send(request(&edge, Body::from_stream(stream::iter(chunks)))).await.assert_problem(413, "too_large");
    let with_length = request_builder(&edge).header("content-length", body.len()).body(Body::from(body)).unwrap();
    edge.send(with_length).await.assert_problem(413, "too_large");
    let max_body = vec![b' '; MAX_BODY_BYTES];
    edge.send(request(&edge, max_body)).await.assert_problem(422, "invalid");
}

#[tokio::test]
async fn passes_on_errors_of_the_core() {
    let edge = Edge::new().await;
    let full = crate::Limits { uploads: shares(0), ..Default::default() };
    let busy = Edge::with(Settings { limits: full, ..Settings::default() }).await;
    busy.send(request(&busy, list(1, &json!({})))).await.assert_problem(503, "busy");
    *edge.core.0.early_error.lock().unwrap() = Some(to_status(&Refusal(Kind::FailedPrecondition, "IN_PROGRESS")));
    edge.send(request(&edge, list(10_000, &json!({})))).await.assert_problem(409, "in_progress");
}

#[tokio::test(start_paused = true)]
async fn times_out_a_slow_body() {
    let edge = Edge::new().await;
    let slow_body = stream::unfold((), |()| async {
        tokio::time::sleep(std::time::Duration::from_secs(5)).await;
        Some((Ok::<_, std::io::Error>(Bytes::from_static(b"{         ")), ()))
    });
    edge.send(request(&edge, Body::from_stream(slow_body))).await.assert_problem(408, "request_timeout");
}
