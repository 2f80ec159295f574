//! Tests of file uploads: imports, inspections and profit reports.

use std::io;

use futures_util::{StreamExt, stream};
use http::Request;
use rpc::failure::{Kind, to_status};
use rpc::token::Purpose;
use serde_json::json;
use time::OffsetDateTime;
use tokio::sync::mpsc;

use super::auth::Refusal;
use super::core::trade;
use super::*;

pub const BOUNDARY: &str = "x-boundary-x";
/// Size limit of a file.
const MAX_FILE_BYTES: usize = 32 * 1024 * 1024;

pub fn field(name: &str, value: &str) -> Vec<u8> {
    format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").into_bytes()
}

pub fn file(name: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: text/csv\r\n\r\n"
    );
    [head.as_bytes(), bytes, b"\r\n"].concat()
}

pub fn form(parts: &[Vec<u8>]) -> Vec<u8> {
    [parts.concat(), format!("--{BOUNDARY}--\r\n").into_bytes()].concat()
}

pub fn complete_form(bytes: &[u8]) -> Vec<u8> {
    form(&[field("broker", "zerodha"), field("tradetype", "equity"), file("tradebook.csv", bytes)])
}

fn upload_request(edge: &Edge, body: impl Into<Body>) -> Request<Body> {
    upload_builder(edge).body(body.into()).unwrap()
}

fn upload_builder(edge: &Edge) -> http::request::Builder {
    edge.request("POST", "/api/v1/uploadexcel")
        .header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"))
}

#[tokio::test]
async fn accepts_fields_in_any_order() {
    let edge = Edge::new().await;
    let bytes = vec![b'7'; 700 * 1024];
    let parts = [
        file("C:\\trades\\tradebook.csv", &bytes),
        field("tradetype", "fno"),
        field("broker", "groww"),
        field("email", "asha@EXAMPLE.in"),
        field("confirm", "true"),
    ];
    for rotation in 0..parts.len() {
        let mut parts = parts.to_vec();
        parts.rotate_left(rotation);
        let reply = edge.send(upload_request(&edge, form(&parts))).await;
        assert_eq!(reply.status, 200, "{:?}", reply.body);
        let (options, stored, largest) = edge.core.0.imported.lock().unwrap().take().unwrap();
        assert!(stored == bytes && largest == 256 * 1024);
        assert!(options.confirm);
        assert_eq!(options.file_name, "tradebook.csv");
        let book = options.book.unwrap();
        assert_eq!((book.broker().as_str_name(), book.segment().as_str_name()), ("BROKER_GROWW", "SEGMENT_FNO"));
    }
}

#[tokio::test]
async fn response_is_the_record_with_the_import_report() {
    let edge = Edge::new().await;
    *edge.core.0.pages.lock().unwrap() = vec![Ok(vec![trade(2)]), Ok(vec![trade(1)])];
    let report = json!({
        "id": "4", "changeId": "11", "fileName": "tradebook.csv", "format": "zerodha-tradebook", "broker": "zerodha",
        "tradetype": "equity", "rows": 4, "added": 2, "duplicates": 1, "rejectedTotal": 1, "formatTitle": "Zerodha tradebook",
        "skipped": 0, "conflictTotal": 0, "corrected": 0, "warnings": [], "warningTotal": 0,
        "from": "2026-03-31T18:30:00Z", "to": "2026-03-31T18:30:00Z",
        "rejected": [{ "row": 9, "column": "K", "value": "abc", "code": "price_not_a_number",
                       "message": "The price is not a number.", "sheet": "Equity" }],
    });
    let reply = edge.send(upload_request(&edge, complete_form(b"a,b"))).await;
    reply.assert_security_headers();
    let record = reply.json();
    assert_eq!((&record["import"], &record["total"]), (&report, &json!(2)));
    assert_eq!(record["trades"].as_array().unwrap().len(), 2);
    assert!(!reply.headers.contains_key("preference-applied"));

    let minimal =
        upload_builder(&edge).header("prefer", "return=minimal").body(Body::from(complete_form(b"a,b"))).unwrap();
    let reply = edge.send(minimal).await;
    assert_eq!(reply.header("preference-applied"), "return=minimal");
    let record = reply.json();
    assert_eq!((&record["import"], &record["total"], record.get("trades")), (&report, &json!(2), None));
}

#[tokio::test]
async fn rejects_missing_repeated_and_unknown_fields() {
    let edge = Edge::new().await;
    let (broker, segment, csv) = (field("broker", "zerodha"), field("tradetype", "equity"), file("a.csv", b"x"));
    let check = async |parts: &[Vec<u8>], expected: &[(&str, &str)]| {
        let problem = edge.send(upload_request(&edge, form(parts))).await.assert_problem(422, "invalid");
        let errors = problem["errors"].as_array().unwrap().clone();
        let errors: Vec<_> =
            errors.iter().map(|error| (error["field"].as_str().unwrap(), error["code"].as_str().unwrap())).collect();
        assert_eq!(errors, expected);
    };
    check(&[], &[("file", "required"), ("broker", "required"), ("tradetype", "required")]).await;
    check(&[field("broker", "other"), segment.clone(), csv.clone()], &[("broker", "invalid")]).await;
    check(&[broker.clone(), segment.clone(), csv.clone(), csv.clone()], &[("file", "repeated")]).await;
    check(&[broker.clone(), segment.clone(), csv.clone(), broker.clone()], &[("broker", "repeated")]).await;
    check(&[broker.clone(), segment.clone(), csv.clone(), field("colour", "red")], &[("colour", "unknown")]).await;
    check(&[broker.clone(), segment.clone(), csv.clone(), field("confirm", "yes")], &[("confirm", "invalid")]).await;
    let many = [vec![broker.clone(), segment.clone(), csv.clone()], vec![field("x", "1"); 18]].concat();
    edge.send(upload_request(&edge, form(&many))).await.assert_problem(422, "too_many_parts");
    edge.send(upload_request(&edge, form(&[csv, broker, segment, field("email", "ravi@example.in")])))
        .await
        .assert_problem(403, "email_mismatch");
    let cut = complete_form(b"abc");
    edge.send(upload_request(&edge, cut[..cut.len() - 20].to_vec())).await.assert_problem(400, "malformed");
    let bare = edge.request("POST", "/uploadexcel").header("content-type", "multipart/form-data");
    edge.send(bare.body(Body::empty()).unwrap()).await.assert_problem(400, "malformed");
    edge.post("/uploadexcel", &json!({})).await.assert_problem(415, "unsupported_media_type");
    let unsigned = edge.anonymous_request("POST", "/uploadexcel").body(Body::empty()).unwrap();
    edge.send(unsigned).await.assert_problem(401, "unauthenticated");
    assert!(edge.core.0.imported.lock().unwrap().is_none());
}

#[tokio::test]
async fn rejects_a_file_above_32_mib() {
    let edge = Edge::new().await;
    let reply = edge.send(upload_request(&edge, complete_form(&vec![b'x'; MAX_FILE_BYTES]))).await;
    assert_eq!(reply.status, 200);
    assert_eq!(edge.core.0.imported.lock().unwrap().take().unwrap().1.len(), MAX_FILE_BYTES);
    edge.send(upload_request(&edge, complete_form(&vec![b'x'; MAX_FILE_BYTES + 1])))
        .await
        .assert_problem(413, "file_too_large");
    let oversized = complete_form(&vec![b'x'; MAX_FILE_BYTES + 128 * 1024]);
    let chunks: Vec<_> =
        oversized.chunks(1 << 20).map(|chunk| Ok::<_, io::Error>(Bytes::copy_from_slice(chunk))).collect();
    edge.send(upload_request(&edge, Body::from_stream(stream::iter(chunks))))
        .await
        .assert_problem(413, "file_too_large");
    let with_length =
        upload_builder(&edge).header("content-length", oversized.len()).body(Body::from(oversized)).unwrap();
    edge.send(with_length).await.assert_problem(413, "file_too_large");
    assert!(edge.core.0.imported.lock().unwrap().is_none());
}

#[tokio::test]
async fn passes_on_errors_of_the_core() {
    let edge = Edge::new().await;
    *edge.core.0.early_error.lock().unwrap() = Some(to_status(&Refusal(Kind::FailedPrecondition, "FILE_MISMATCH")));
    let problem = edge
        .send(upload_request(&edge, complete_form(&vec![b'x'; 1 << 20])))
        .await
        .assert_problem(409, "file_mismatch");
    assert_eq!(problem["detected"], json!({ "broker": "groww", "tradetype": "fno" }));
    *edge.core.0.early_error.lock().unwrap() = Some(to_status(&Refusal(Kind::Invalid, "FILE_UNREADABLE")));
    edge.send(upload_request(&edge, complete_form(&vec![b'x'; 5 << 20]))).await.assert_problem(422, "file_unreadable");
    *edge.core.0.early_error.lock().unwrap() = Some(to_status(&Refusal(Kind::Busy, "BUSY")));
    let reply = edge.send(upload_request(&edge, complete_form(&vec![b'x'; 1 << 20]))).await;
    reply.assert_problem(503, "busy");
    assert_eq!(reply.header("retry-after"), "1");
}

/// Returns a request body and the sender of its chunks.
fn channel_body() -> (mpsc::UnboundedSender<io::Result<Bytes>>, Body) {
    let (send, receive) = mpsc::unbounded_channel();
    let body = stream::unfold(receive, |mut receive| async { Some((receive.recv().await?, receive)) });
    (send, Body::from_stream(body.boxed()))
}

#[tokio::test]
async fn stores_nothing_when_the_client_disconnects_during_the_upload() {
    for error in [true, false] {
        let edge = Edge::new().await;
        let (send, body) = channel_body();
        let all = complete_form(&vec![b'x'; 1 << 20]);
        send.send(Ok(all[..800 * 1024].to_vec().into())).unwrap();
        let reply = tokio::spawn(edge.router.clone().oneshot(upload_request(&edge, body)));
        edge.core.0.started.notified().await;
        if error {
            send.send(Err(io::ErrorKind::ConnectionReset.into())).unwrap();
            assert_eq!(reply.await.unwrap().unwrap().status(), 400);
        } else {
            reply.abort();
            assert!(reply.await.unwrap_err().is_cancelled());
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        assert!(edge.core.0.imported.lock().unwrap().is_none());
    }
}

#[tokio::test]
async fn stores_the_file_when_the_client_disconnects_after_the_upload() {
    let edge = Edge::new().await;
    *edge.core.0.blocked.lock().unwrap() = true;
    let reply = tokio::spawn(edge.router.clone().oneshot(upload_request(&edge, complete_form(b""))));
    edge.core.0.started.notified().await;
    reply.abort();
    assert!(reply.await.unwrap_err().is_cancelled());
    edge.core.0.unblock.notify_one();
    edge.core.0.done.notified().await;
    assert!(edge.core.0.imported.lock().unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn times_out_a_stalled_or_slow_upload() {
    let edge = Edge::new().await;
    let (send, body) = channel_body();
    send.send(Ok(complete_form(b"abc")[..40].to_vec().into())).unwrap();
    edge.send(upload_request(&edge, body)).await.assert_problem(408, "request_timeout");
    drop(send);
    // One kilobyte every five seconds, of the file or another field, never triggers a timeout for silence.
    for last in [file("a.csv", b""), field("broker", "")] {
        let mut beginning = [field("tradetype", "equity"), last].concat();
        beginning.truncate(beginning.len() - 2);
        let slow_body = stream::unfold(Some(beginning), |beginning| async {
            tokio::time::sleep(std::time::Duration::from_secs(5)).await;
            Some((Ok::<_, io::Error>(Bytes::from(beginning.unwrap_or_else(|| vec![b'x'; 1024]))), None))
        });
        let started = tokio::time::Instant::now();
        edge.send(upload_request(&edge, Body::from_stream(slow_body))).await.assert_problem(408, "request_timeout");
        assert!(started.elapsed() < std::time::Duration::from_secs(30));
    }
}

#[tokio::test(start_paused = true)]
async fn times_out_when_the_core_does_not_answer() {
    let edge = Edge::new().await;
    *edge.core.0.blocked.lock().unwrap() = true;
    edge.send(upload_request(&edge, complete_form(b"abc"))).await.assert_problem(504, "timeout");
}

#[tokio::test]
async fn rejects_uploads_above_the_concurrency_limit() {
    let limits = crate::Limits { uploads: shares(1), inspections: shares(1), ..Default::default() };
    let edge = Edge::with(Settings { limits, ..Settings::default() }).await;
    *edge.core.0.blocked.lock().unwrap() = true;
    let first = tokio::spawn(edge.router.clone().oneshot(upload_request(&edge, complete_form(b""))));
    edge.core.0.started.notified().await;
    edge.send(upload_request(&edge, complete_form(b"x"))).await.assert_problem(503, "busy");
    edge.core.0.unblock.notify_one();
    assert_eq!(first.await.unwrap().unwrap().status(), 200);
}

#[tokio::test]
async fn reports_the_import_when_the_trades_cannot_be_listed() {
    let edge = Edge::new().await;
    *edge.core.0.blocked.lock().unwrap() = true;
    let reply = tokio::spawn(edge.router.clone().oneshot(upload_request(&edge, complete_form(b"x"))));
    edge.core.0.started.notified().await;
    edge.core.refuse(tonic::Status::internal("no list"));
    edge.core.0.started.notified().await;
    edge.core.0.unblock.notify_one();
    let response = reply.await.unwrap().unwrap();
    assert_eq!(response.status(), 200);
    let record: Value = serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap();
    assert_eq!((record["import"]["added"].as_i64(), record.get("trades")), (Some(2), None));
}

#[tokio::test]
async fn passes_on_the_idempotency_key_and_marks_a_replay() {
    let edge = Edge::new().await;
    edge.core.0.writes.lock().unwrap().replayed = true;
    let keyed = upload_builder(&edge).header("idempotency-key", "k-7").body(Body::from(complete_form(b"a,b"))).unwrap();
    let reply = edge.send(keyed).await;
    assert_eq!((reply.status.as_u16(), reply.header("idempotency-replayed")), (200, "true"));
    assert_eq!(edge.core.0.imported.lock().unwrap().take().unwrap().0.idempotency_key, "k-7");
    let long = upload_builder(&edge)
        .header("idempotency-key", "k".repeat(65))
        .body(Body::from(complete_form(b"a,b")))
        .unwrap();
    edge.send(long).await.assert_problem(422, "invalid");
    assert!(edge.core.0.imported.lock().unwrap().is_none());
}

/// Returns a request to inspect a file, without a session.
fn inspect_request(edge: &Edge, body: impl Into<Body>) -> Request<Body> {
    let form = format!("multipart/form-data; boundary={BOUNDARY}");
    edge.anonymous_request("POST", "/api/v1/upload").header("content-type", form).body(body.into()).unwrap()
}

#[tokio::test]
async fn inspection_needs_no_session_and_returns_the_contents() {
    let edge = Edge::new().await;
    let bytes = vec![b'7'; 700 * 1024];
    let reply = edge.send(inspect_request(&edge, form(&[file("a.xlsx", &bytes)]))).await;
    reply.assert_security_headers();
    let at = "2026-03-31T18:30:00Z";
    let expected = json!({
        "format": "zerodha-tradebook", "broker": "zerodha", "tradetype": "equity", "rows": 2, "trades": 1,
        "formatTitle": "Zerodha tradebook", "skipped": 0, "warnings": [], "warningTotal": 0,
        "sample": [{ "type": "buy", "symbol": "INFY", "quantity": 10, "price": 1500.05, "timestamp": at,
                     "timePrecision": "second", "exchange": "NSE" }],
        "rejected": [{ "row": 9, "column": "K", "value": "abc", "code": "price_not_a_number",
                       "message": "The price is not a number.", "sheet": "Equity" }],
        "rejectedTotal": 1, "from": at, "to": at,
    });
    assert_eq!(reply.json(), expected);
    assert!(edge.core.0.inspected.lock().unwrap().take().unwrap() == bytes);
    assert!(edge.core.0.imported.lock().unwrap().is_none());
}

#[tokio::test]
async fn inspection_accepts_only_one_file_field() {
    let edge = Edge::new().await;
    edge.send(inspect_request(&edge, form(&[]))).await.assert_problem(422, "invalid");
    edge.send(inspect_request(&edge, complete_form(b"x"))).await.assert_problem(422, "invalid");
    edge.send(inspect_request(&edge, form(&[file("a", b"x"), file("a", b"x")]))).await.assert_problem(422, "invalid");
    edge.send(inspect_request(&edge, "--broken")).await.assert_problem(400, "malformed");
    edge.send(inspect_request(&edge, form(&[file("a", &vec![b'x'; MAX_FILE_BYTES + 1])])))
        .await
        .assert_problem(413, "file_too_large");
    assert!(edge.core.0.inspected.lock().unwrap().is_none());
}

#[tokio::test]
async fn inspections_leave_upload_slots_for_traders() {
    let limits = crate::Limits { uploads: shares(8), inspections: shares(1), ..Default::default() };
    let edge = Edge::with(Settings { limits, ..Settings::default() }).await;
    *edge.core.0.blocked.lock().unwrap() = true;
    let first = tokio::spawn(edge.router.clone().oneshot(inspect_request(&edge, form(&[file("a", b"x")]))));
    edge.core.0.started.notified().await;
    edge.send(inspect_request(&edge, form(&[file("a", b"x")]))).await.assert_problem(503, "busy");
    *edge.core.0.blocked.lock().unwrap() = false;
    assert_eq!(edge.send(upload_request(&edge, complete_form(b"x"))).await.status, 200);
    edge.core.0.unblock.notify_one();
    assert_eq!(first.await.unwrap().unwrap().status(), 200);
}

/// Returns a request with a profit report, with a token of this purpose.
fn report_request(edge: &Edge, purpose: Purpose, body: impl Into<Body>) -> Request<Body> {
    let soon = OffsetDateTime::now_utc().unix_timestamp() + 600;
    let token = format!("Bearer {}", edge.core.token_for(purpose, soon));
    let form = format!("multipart/form-data; boundary={BOUNDARY}");
    let request = edge.anonymous_request("POST", "/api/v1/analytics/reconcile").header("authorization", token);
    request.header("content-type", form).body(body.into()).unwrap()
}

#[tokio::test]
async fn compares_a_profit_report_with_the_trades() {
    let edge = Edge::new().await;
    let bytes = vec![b'7'; 700 * 1024];
    for purpose in [Purpose::Access, Purpose::Analytics] {
        let reply = edge.send(report_request(&edge, purpose, form(&[file("pnl.xlsx", &bytes)]))).await;
        reply.assert_security_headers();
        assert_eq!(reply.status, 200);
        let sums = |log, report: f64| json!({ "log": log, "report": report, "difference": -report });
        let expected = json!({
            "format": "zerodha-equity-pnl", "formatTitle": "Zerodha P&L statement for equity",
            "title": "P&L Statement for Equity from 2026-03-01 to 2026-03-31",
            "broker": "zerodha", "tradetype": "equity", "from": "2026-03-01", "to": "2026-03-31", "agrees": false,
            "totals": {
                "buyValue": { "log": 0, "report": 14000, "difference": -14000 },
                "sellValue": sums(0, 15200.5), "gross": sums(0, 1200.5),
                "charges": { "log": 0, "report": 0, "difference": 0 }, "net": sums(0, 1200.5),
            },
            "rows": [{
                "symbol": "INFY", "isin": null, "name": null, "log": null,
                "report": { "quantity": 10, "buyValue": 14000, "sellValue": 15200.5, "gross": 1200.5 },
                "difference": { "quantity": -10, "buyValue": -14000, "sellValue": -15200.5, "gross": -1200.5 },
                "agrees": false,
                "cause": { "code": "trades_missing", "sentence": "The log has no trade in INFY. Upload the file with its trades." },
                "repair": {
                    "label": "Enter 10 shares bought at ₹1,400.00 each",
                    "answer": { "issueId": "missingCost:zerodha:INFY", "answer": "bought", "price": 1400, "quantity": 10 },
                    "dateRequired": true, "latestDate": "2026-03-31",
                },
            }],
            "totalRows": 1, "differingRows": 1,
            "charges": [{
                "charge": "other", "log": null, "report": 88.5, "difference": null, "agrees": true,
                "cause": { "code": "not_estimated", "sentence": "No rule of ours covers other debits and credits." },
                "lines": [{ "label": "AMC for Demat Account", "amount": 88.5 }],
                "prices": [],
            }],
            "notCompared": [{
                "code": "open_positions",
                "sentence": "1 row of the report is open positions, which no profit is realised of.",
            }],
        });
        assert_eq!(reply.json(), expected);
        assert!(edge.core.0.inspected.lock().unwrap().take().unwrap() == bytes);
    }
}

#[tokio::test]
async fn compares_a_tax_report_with_the_closed_lots() {
    let edge = Edge::new().await;
    for purpose in [Purpose::Access, Purpose::Analytics] {
        let reply = edge.send(report_request(&edge, purpose, form(&[file("tax.xlsx", b"tax")]))).await;
        assert_eq!(reply.status, 200);
        let sums = json!({ "quantity": 10, "buyValue": 14000, "sellValue": 15200.5, "gross": 1200.5 });
        let side = |head: &str| {
            let mut side = sums.clone();
            side["head"] = json!(head);
            side
        };
        let expected = json!({
            "format": "groww-capital-gains", "formatTitle": "Groww capital gains report for stocks",
            "title": "Capital Gains Statement for stocks from 01-04-2025 To 31-03-2026",
            "broker": "groww", "from": "2025-04-01", "to": "2026-03-31", "agrees": false,
            "heads": [{
                "head": "shortTerm",
                "buyValue": { "log": 0, "report": 14000, "difference": -14000 },
                "sellValue": { "log": 0, "report": 15200.5, "difference": -15200.5 },
                "gross": { "log": 0, "report": 1200.5, "difference": -1200.5 },
            }],
            "lines": [{
                "symbol": "INFY", "isin": null, "name": null, "entryDay": "2024-06-03", "exitDay": "2025-06-04",
                "log": side("longTerm"), "report": side("shortTerm"),
                "difference": { "quantity": 0, "buyValue": 0, "sellValue": 0, "gross": 0 },
                "agrees": false,
                "cause": {
                    "code": "other_head",
                    "sentence": "The report counts it as short term, your log as long term. Everything else agrees.",
                },
            }],
            "totalLines": 1, "differingLines": 1,
            "notCompared": [
                { "code": "unread_rows", "sentence": "1 row of the report could not be read. Row 41: The date is invalid or not between 1990 and 2100." },
                { "code": "section_skipped", "sentence": "2 rows of the section “Mutual Funds” are not compared." },
            ],
        });
        assert_eq!(reply.json(), expected);
    }
    assert_eq!((edge.core.count("reconcile"), edge.core.count("reconcile_tax_report")), (0, 2));
}

#[tokio::test]
async fn profit_report_requires_a_token_and_a_single_file() {
    let edge = Edge::new().await;
    let send = async |body: Vec<u8>| edge.send(report_request(&edge, Purpose::Access, body)).await;
    send(form(&[])).await.assert_problem(422, "invalid");
    send(complete_form(b"x")).await.assert_problem(422, "invalid");
    send(b"--broken".to_vec()).await.assert_problem(400, "malformed");
    send(form(&[file("a", &vec![b'x'; MAX_FILE_BYTES + 1])])).await.assert_problem(413, "file_too_large");
    let unsigned = edge.anonymous_request("POST", "/analytics/reconcile").body(Body::empty()).unwrap();
    edge.send(unsigned).await.assert_problem(401, "unauthenticated");
    assert!(edge.core.0.inspected.lock().unwrap().is_none());
    assert_eq!(edge.core.count("reconcile"), 0);
}
