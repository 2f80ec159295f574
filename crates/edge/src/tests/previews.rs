//! Tests of import previews and of committing them.

use rpc::trades::v1::{Choice, CommitPreviewRequest, Resolution};
use serde_json::json;

use super::core::trades::preview;
use super::uploads::{BOUNDARY, complete_form, field, file, form};
use super::*;

fn post(edge: &Edge, path: &str, parts: &[Vec<u8>]) -> Request<Body> {
    let body = form(parts);
    let request =
        edge.request("POST", path).header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"));
    // Sends a content length as browsers do; without one, the rate limit counts the maximum size.
    request.header("content-length", body.len()).body(Body::from(body)).unwrap()
}

fn preview_json() -> serde_json::Value {
    let at = "2026-03-31T18:30:00Z";
    let broker_trade =
        |price: serde_json::Value| json!({ "type": "sell", "quantity": 10, "price": price, "value": 821 });
    let issue = |row: serde_json::Value, code: &str| json!({ "row": row, "column": "K", "value": "abc", "code": code, "message": "Look.", "sheet": "F&O" });
    let sample = |row: serde_json::Value, outcome: &str| {
        json!({ "row": row, "outcome": outcome, "type": "buy", "symbol": "INFY", "quantity": 10, "price": 1500.05,
                "timestamp": at, "timePrecision": "second", "exchange": "NSE" })
    };
    let mut first = sample(json!(2), "added");
    first["contract"] = json!({ "underlying": "NIFTY", "expiry": "2025-06-05", "kind": "PE", "strike": 24750 });
    json!({
        "id": "p1", "expiresAt": at, "state": "1-1-abc", "fileName": "tradebook.csv", "sha256": "ab".repeat(32),
        "format": "zerodha-tradebook", "formatTitle": "Zerodha tradebook", "broker": "zerodha", "tradetype": "equity",
        "clientCode": "AB••34", "holder": "Asha Rao", "accountMatch": "known",
        "rows": 6, "skipped": 1, "added": 1, "duplicates": 2, "conflictTotal": 1,
        "conflicts": [{ "id": "5", "row": 4, "before": broker_trade(json!(82.1)), "now": broker_trade(json!(83)),
                        "trade": { "_id": "5", "type": "buy", "symbol": "M&M \"X\"", "quantity": 10, "price": 82.1,
                                   "value": 99999999999.9999, "timestamp": at, "timePrecision": "day",
                                   "broker": "zerodha", "tradetype": "equity", "exchange": "NSE" } }],
        "rejected": [issue(json!(9), "price_not_a_number")], "rejectedTotal": 1,
        "warnings": [issue(json!(7), "price_outlier"), issue(json!(null), "sale_without_purchase")],
        "warningTotal": 2, "oddTotal": 1, "otherSegmentRows": 0, "contractNotes": 0, "daysWithCharges": 0,
        "signature": {
            "state": "changed", "count": 1, "organisation": "Example Broking Limited", "signedAt": null,
        },
        "from": at, "to": at,
        "sample": [first, sample(json!(null), "duplicate"), sample(json!(4), "conflict")],
    })
}

#[tokio::test]
async fn preview_returns_all_details_and_imports_nothing() {
    let edge = Edge::new().await;
    let bytes = vec![b'7'; 700 * 1024];
    let request = edge
        .request("POST", "/api/v1/uploadexcel/preview")
        .header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"))
        .body(Body::from(complete_form(&bytes)))
        .unwrap();
    let reply = edge.send(request).await;
    reply.assert_security_headers();
    assert_eq!(reply.json(), preview_json());
    let (options, stored) = edge.core.0.previewed.lock().unwrap().take().unwrap();
    assert!(stored == bytes && options.file_name == "tradebook.csv" && !options.confirm);
    assert_eq!(edge.core.count("import_file"), 0);

    let again = edge.send(edge.request("GET", "/uploadexcel/preview/p1").body(Body::empty()).unwrap()).await;
    assert_eq!(again.json(), preview_json());
}

#[tokio::test]
async fn t10_a_preview_takes_the_ids_of_its_batch() {
    let edge = Edge::new().await;
    let get = |batch: &str| {
        let path = format!("/uploadexcel/preview/p1?batch={batch}");
        edge.send(edge.request("GET", &path).body(Body::empty()).unwrap())
    };
    assert_eq!(get("p2,p3").await.json(), preview_json());
    assert_eq!(*edge.core.0.preview_batch.lock().unwrap(), ["p2", "p3"]);
    for invalid in [["p"; 24].join(","), "p".repeat(900)] {
        let rejected = get(&invalid).await;
        assert_eq!((rejected.status.as_u16(), &rejected.json()["errors"][0]["field"]), (422, &json!("batch")));
    }
}

/// The page takes 400 files at once; `limits_uploads_by_count_and_by_size` tests where the limits are.
#[tokio::test]
async fn four_hundred_files_can_be_previewed_and_imported_within_the_rate_limits() {
    let edge = Edge::with(Settings::default()).await;
    for number in 0..400 {
        let parts = [field("broker", "zerodha"), field("tradetype", "equity"), file("a.csv", b"x")];
        let previewed = edge.send(post(&edge, "/uploadexcel/preview", &parts)).await;
        assert_eq!(previewed.status, 200, "{number}: {:?}", previewed.body);
        let imported = edge.send(post(&edge, "/uploadexcel", &[field("previewId", "p1")])).await;
        assert_eq!(imported.status, 200, "{number}: {:?}", imported.body);
    }
}

#[tokio::test]
async fn preview_requires_a_file_and_rejects_a_preview_id() {
    let edge = Edge::new().await;
    let parts =
        [field("broker", "zerodha"), field("tradetype", "equity"), file("a.csv", b"x"), field("previewId", "p")];
    edge.send(post(&edge, "/uploadexcel/preview", &parts)).await.assert_problem(422, "invalid");
    edge.send(post(&edge, "/uploadexcel/preview", &parts[..2])).await.assert_problem(422, "invalid");
    assert!(edge.core.0.previewed.lock().unwrap().is_none());
}

#[tokio::test]
async fn commit_sends_the_preview_id_and_the_conflict_choices() {
    let edge = Edge::new().await;
    let parts = [
        field("choices", r#"{"5":"take"}"#),
        field("others", "keep"),
        field("state", "1-1-abc"),
        field("previewId", "p1"),
        field("brokerAccount", "2"),
        field("email", "asha@example.in"),
    ];
    let report = edge.send(post(&edge, "/uploadexcel", &parts)).await.json()["import"].clone();
    let request = edge.core.0.writes.lock().unwrap().committed.pop().unwrap();
    let choice = Choice { trade_id: 5, resolution: Resolution::Replace.into() };
    let expected = CommitPreviewRequest {
        preview_id: "p1".to_owned(),
        state: "1-1-abc".to_owned(),
        choices: vec![choice],
        default_resolution: Resolution::Keep.into(),
        broker_account: 2,
    };
    assert_eq!(request, expected);
    assert!(edge.core.0.imported.lock().unwrap().is_none());
    let numbers = ["rows", "skipped", "added", "duplicates", "conflictTotal", "corrected", "rejectedTotal"];
    assert_eq!(numbers.map(|name| report[name].as_i64().unwrap()), [6, 1, 2, 2, 1, 1, 1]);
    assert_eq!((&report["fileName"], &report["formatTitle"]), (&json!("tradebook.csv"), &json!("Zerodha tradebook")));
    assert_eq!((&report["warnings"], &report["warningTotal"]), (&preview_json()["warnings"], &json!(2)));

    edge.core.0.writes.lock().unwrap().replayed = true;
    let again = edge.send(post(&edge, "/uploadexcel", &parts[3..4])).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.json()["import"], report);
}

#[tokio::test]
async fn commit_of_a_changed_preview_returns_the_new_preview() {
    let edge = Edge::new().await;
    edge.core.0.writes.lock().unwrap().preview_changed = true;
    let problem = edge
        .send(post(&edge, "/uploadexcel", &[field("previewId", "p1")]))
        .await
        .assert_problem(409, "preview_changed");
    assert_eq!(problem["preview"], preview_json());
    assert_eq!(problem["preview"]["id"], preview().id);
}

#[tokio::test]
async fn rejects_an_invalid_commit_by_field() {
    let edge = Edge::new().await;
    let id = || field("previewId", "p1");
    let many = format!("{{{}}}", (1..9_000).map(|id| format!("\"{id}\":\"keep\"")).collect::<Vec<_>>().join(","));
    let cases = [
        (vec![id(), file("a.csv", b"x")], "file", "not_with_preview"),
        (vec![id(), field("broker", "zerodha")], "broker", "not_with_preview"),
        (vec![id(), field("confirm", "true")], "confirm", "not_with_preview"),
        (vec![id(), field("password", "ABCDE1234F")], "password", "not_with_preview"),
        (vec![id(), id()], "previewId", "repeated"),
        (vec![field("state", "x")], "previewId", "required"),
        (vec![id(), field("others", "mine")], "others", "invalid"),
        (vec![id(), field("choices", "take")], "choices", "invalid"),
        (vec![id(), field("choices", r#"{"05":"take"}"#)], "choices", "invalid"),
        (vec![id(), field("choices", r#"{"5":"mine"}"#)], "choices", "invalid"),
        (vec![id(), field("choices", r#"{"5":"keep"}"#), field("choices", "{}")], "choices", "repeated"),
        (vec![id(), field("choices", &many)], "choices", "invalid"),
    ];
    for (parts, name, code) in cases {
        let problem = edge.send(post(&edge, "/uploadexcel", &parts)).await.assert_problem(422, "invalid");
        assert_eq!((&problem["errors"][0]["field"], &problem["errors"][0]["code"]), (&json!(name), &json!(code)));
    }
    let foreign = [id(), field("email", "ravi@example.in")];
    edge.send(post(&edge, "/uploadexcel", &foreign)).await.assert_problem(403, "email_mismatch");
    assert_eq!(edge.core.count("commit_preview"), 0);
}
