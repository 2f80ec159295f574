//! Tests of the client record.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use axum::body::HttpBody;
use http::Request;
use rpc::trades::v1::{Broker, Segment, SortKey};
use serde_json::json;

use super::core::trade;
use super::*;

async fn edge(pages: Vec<Result<Vec<rpc::trades::v1::Trade>, tonic::Status>>) -> Edge {
    let edge = Edge::new().await;
    *edge.core.0.pages.lock().unwrap() = pages;
    edge
}

fn request_with_etag(edge: &Edge, path: &str, tag: &str) -> Request<Body> {
    edge.request("GET", path).header("if-none-match", tag).body(Body::empty()).unwrap()
}

#[tokio::test]
async fn returns_the_whole_record() {
    let edge = edge(vec![Ok(vec![trade(3), trade(2)]), Ok(vec![]), Ok(vec![trade(1)])]).await;
    for path in ["/api/v1/trades/client", "/trades/client?email=ASHA%40example.in"] {
        let reply = edge.get(path).await;
        assert_eq!(reply.status, 200);
        reply.assert_security_headers();
        assert_eq!(reply.header("content-type"), "application/json");
        assert_eq!(reply.header("cache-control"), "private, no-cache");
        assert_eq!(reply.header("vary"), "authorization, accept-encoding");
        let record = reply.json();
        let top = json!({
            "name": "Asha Rao", "clientId": "TB-7K3M9Q", "email": "asha@example.in", "phoneNumber": "9876543210",
            "tradetype": "equity", "total": 3, "trades": record["trades"],
        });
        assert_eq!(record, top);
        let ids: Vec<_> =
            record["trades"].as_array().unwrap().iter().map(|trade| trade["_id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["3", "2", "1"]);
        let text = std::str::from_utf8(&reply.body).unwrap();
        let written = r#"{"_id":"1","type":"buy","symbol":"M&M \"X\"","quantity":10,"price":82.1000,"value":99999999999.9999,"timestamp":"2026-03-31T18:30:00Z","timePrecision":"day","broker":"zerodha","tradetype":"equity","exchange":"NSE"}"#;
        assert!(text.ends_with(&format!(",{written}]}}")), "{text}");
    }
    let sent = edge.core.0.authorizations.lock().unwrap();
    assert!(
        sent.len() == 4 && sent.iter().all(|value| value.starts_with("Bearer ey")),
        "the core receives the token and verifies it"
    );
}

#[tokio::test]
async fn trade_type_is_null_without_trades() {
    let record = edge(vec![]).await.get("/trades/client").await.json();
    assert_eq!((&record["tradetype"], &record["trades"], &record["total"]), (&json!(null), &json!([]), &json!(0)));
}

#[tokio::test]
async fn rejects_the_email_of_another_trader() {
    let edge = edge(vec![]).await;
    for path in ["/api/v1/trades/client?email=ravi@example.in", "/trades/client?email="] {
        edge.get(path).await.assert_problem(403, "email_mismatch");
    }
    assert_eq!(edge.core.count("stream_trades"), 0);
}

#[tokio::test]
async fn sends_the_first_byte_before_the_last_trade_is_read() {
    for encoding in ["identity", "gzip", "zstd"] {
        let edge = edge(vec![Ok(vec![trade(2)]), Ok(vec![trade(1)])]).await;
        *edge.core.0.blocked.lock().unwrap() = true;
        let request = edge.request("GET", "/trades/client").header("accept-encoding", encoding);
        let response = edge.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let sent = response.headers().get("content-encoding").map_or("identity", |value| value.to_str().unwrap());
        assert_eq!(sent, encoding);
        let mut body = response.into_body();
        // The whole head of the record, not only the header of a compressed stream.
        assert!(ready_bytes(&mut body) > 80, "{encoding}");
        for _ in 0..2 {
            edge.core.0.unblock.notify_one();
            assert!(ready_bytes(&mut body) > 0, "{encoding}");
        }
        body.collect().await.unwrap();
    }
}

/// Returns the number of bytes that are available without waiting.
fn ready_bytes(body: &mut Body) -> usize {
    let mut context = Context::from_waker(Waker::noop());
    let mut bytes = 0;
    while let Poll::Ready(Some(frame)) = Pin::new(&mut *body).poll_frame(&mut context) {
        bytes += frame.unwrap().into_data().unwrap().len();
    }
    bytes
}

#[tokio::test]
async fn aborts_the_body_when_the_list_fails() {
    let bad = rpc::trades::v1::Trade { price: "NaN".to_owned(), ..trade(1) };
    for pages in
        [vec![Ok(vec![trade(2)]), Err(tonic::Status::internal("gone"))], vec![Ok(vec![trade(2)]), Ok(vec![bad])]]
    {
        let edge = edge(pages).await;
        let request = edge.request("GET", "/trades/client").body(Body::empty()).unwrap();
        let response = edge.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(response.into_body().collect().await.is_err());
    }
}

#[tokio::test]
async fn returns_304_when_the_etag_matches() {
    let edge = edge(vec![Ok(vec![trade(1)])]).await;
    for path in ["/trades/client", "/trades/client?limit=2"] {
        let tag = edge.get(path).await.header("etag").to_owned();
        assert!(tag.starts_with("W/\"7-"), "{tag}");
        for if_none_match in [tag.clone(), format!("\"x\", {tag}"), tag.replace("W/", "")] {
            let reply = edge.send(request_with_etag(&edge, path, &if_none_match)).await;
            assert_eq!((reply.status.as_u16(), reply.body.len()), (304, 0), "{if_none_match}");
            assert_eq!(reply.header("etag"), tag);
            assert_eq!(reply.header("cache-control"), "private, no-cache");
            reply.assert_security_headers();
        }
    }
}

/// Sends a request with `Accept-Encoding`; returns the encoding of the response and its decompressed body.
async fn get_encoded(edge: &Edge, path: &str, accepted: &str) -> (String, Vec<u8>) {
    let request = edge.request("GET", path).header("accept-encoding", accepted).body(Body::empty()).unwrap();
    let reply = edge.send(request).await;
    assert_eq!((reply.status.as_u16(), reply.header("vary")), (200, "authorization, accept-encoding"), "{path}");
    let encoding = reply.headers.get("content-encoding").map_or("identity", |value| value.to_str().unwrap()).to_owned();
    let body = match encoding.as_str() {
        "zstd" => zstd::decode_all(reply.body.as_ref()).unwrap(),
        "identity" => reply.body.to_vec(),
        _ => Vec::new(),
    };
    (encoding, body)
}

#[tokio::test]
async fn an_unchanged_record_is_read_once_and_sent_in_each_encoding() {
    let edge = edge(vec![Ok(vec![trade(3); 8]), Ok(vec![trade(2); 8])]).await;
    for path in ["/trades/client", "/trades/client?limit=2"] {
        let (_, first) = get_encoded(&edge, path, "identity").await;
        // The core would send other trades now.
        edge.core.0.pages.lock().unwrap().clear();
        for (accepted, whole) in
            [("identity", "identity"), ("gzip", "gzip"), ("zstd, gzip", "zstd"), ("gzip, zstd;q=0.5", "gzip")]
        {
            let (encoding, body) = get_encoded(&edge, path, accepted).await;
            // The page is too small to be compressed.
            assert_eq!(encoding, if path.contains("limit") { "identity" } else { whole }, "{path} {accepted}");
            assert!(encoding == "gzip" || body == first, "{path} {accepted}");
        }
        *edge.core.0.pages.lock().unwrap() = vec![Ok(vec![trade(1)])];
    }
    let queries = edge.core.0.queries.lock().unwrap();
    let versions: Vec<_> = queries.iter().map(|query| query.known_version).collect();
    assert_eq!(versions, [None, Some(7), Some(7), Some(7), Some(7)], "the core reads the page once");
}

#[tokio::test]
async fn a_cached_record_is_never_served_for_another_query_or_account_data() {
    let edge = edge(vec![Ok(vec![trade(1)])]).await;
    for path in ["/trades/client", "/trades/client?limit=2"] {
        *edge.core.0.name.lock().unwrap() = "Asha Rao".to_owned();
        assert_eq!(edge.get(path).await.json()["name"], "Asha Rao");
        *edge.core.0.name.lock().unwrap() = "Asha Rao Iyer".to_owned();
        let reply = edge.get(path).await.json();
        assert_eq!(reply["name"], "Asha Rao Iyer");
        assert!(!reply["trades"].as_array().unwrap().is_empty());
    }
    let first = edge.get("/trades/client?limit=2").await.json();
    let rest = edge.get("/trades/client?limit=2&cursor=after-2").await.json();
    assert_ne!(first["trades"], rest["trades"]);
}

#[tokio::test]
async fn a_record_that_did_not_arrive_completely_is_not_cached() {
    let edge = edge(vec![Ok(vec![trade(2)]), Err(tonic::Status::internal("gone"))]).await;
    let request = edge.request("GET", "/trades/client").body(Body::empty()).unwrap();
    let response = edge.router.clone().oneshot(request).await.unwrap();
    assert!(response.into_body().collect().await.is_err());
    *edge.core.0.pages.lock().unwrap() = vec![Ok(vec![trade(2)]), Ok(vec![trade(1)])];
    assert_eq!(edge.get("/trades/client").await.json()["trades"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn etag_differs_by_query_version_and_account() {
    let edge = edge(vec![Ok(vec![trade(1)])]).await;
    let tag = edge.get("/trades/client").await.header("etag").to_owned();
    for path in ["/trades/client?limit=2", "/trades/client?limit=3"] {
        let reply = edge.send(request_with_etag(&edge, path, &tag)).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.json()["trades"].as_array().unwrap().len(), 2);
    }
    let older = tag.replace("W/\"7-", "W/\"6-");
    assert_eq!(edge.send(request_with_etag(&edge, "/trades/client", &older)).await.status, 200);
    *edge.core.0.name.lock().unwrap() = "Asha Rao Iyer".to_owned();
    let reply = edge.send(request_with_etag(&edge, "/trades/client", &tag)).await;
    assert_eq!((reply.status.as_u16(), &reply.json()["name"]), (200, &json!("Asha Rao Iyer")));
    assert_eq!(reply.json()["trades"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn passes_the_query_parameters_to_the_core() {
    let edge = edge(vec![]).await;
    let path = "/api/v1/trades/client?limit=2&sort=-price&q=inf&type=buy&broker=groww&tradetype=fno\
                &from=2026-04-01&to=2026-04-30&cursor=after-9&email=asha@example.in";
    let reply = edge.get(path).await;
    let record = reply.json();
    assert_eq!((&record["nextCursor"], &record["total"]), (&json!("after-2"), &json!(3)));
    assert_eq!(record["trades"].as_array().unwrap().len(), 2);
    let request = edge.core.0.queries.lock().unwrap().pop().unwrap();
    let filter = request.filter.clone().unwrap();
    assert_eq!(
        (request.page_size, request.sort(), request.ascending, request.page_token.as_str()),
        (2, SortKey::Price, false, "after-9")
    );
    assert_eq!((filter.symbol.as_str(), filter.broker(), filter.segment()), ("inf", Broker::Groww, Segment::Fno));
    assert_eq!((filter.from.unwrap().seconds, filter.to.unwrap().seconds), (1_774_981_800, 1_777_573_800));
}

#[tokio::test]
async fn reports_each_invalid_query_parameter() {
    let edge = edge(vec![]).await;
    let problem = edge.get("/trades/client?limit=0&sort=x&colour=red").await.assert_problem(422, "invalid");
    let fields: Vec<_> = problem["errors"].as_array().unwrap().iter().map(|error| error["field"].clone()).collect();
    assert_eq!(fields, ["limit", "sort", "colour"]);
    assert_eq!(edge.core.count("list_trades"), 0);
}

#[tokio::test]
async fn retries_reads_when_the_core_is_unreachable() {
    let edge = edge(vec![]).await;
    edge.core.refuse(tonic::Status::unavailable("not yet"));
    edge.get("/trades/client").await.assert_problem(503, "unavailable");
    assert!(edge.core.count("stream_trades") + edge.core.count("get_account") >= 4);
}

#[tokio::test(start_paused = true)]
async fn times_out_when_the_core_stops_responding() {
    let edge = edge(vec![Ok(vec![trade(1)])]).await;
    *edge.core.0.blocked.lock().unwrap() = true;
    let request = edge.request("GET", "/trades/client").body(Body::empty()).unwrap();
    let response = edge.router.clone().oneshot(request).await.unwrap();
    assert!(response.into_body().collect().await.is_err());
}
