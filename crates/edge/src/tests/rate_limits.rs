//! Tests of the rate limits.

use std::time::Duration;

use http::Request;
use serde_json::json;

use super::auth::https;
use super::*;

/// Logs in from `peer` with this `X-Forwarded-For` header.
async fn log_in(edge: &Edge, peer: &str, forwarded: &str) -> Reply {
    let peer: SocketAddr = format!("{peer}:4711").parse().unwrap();
    let body = json!({ "email": "asha@example.in", "password": "long enough" });
    let request = Request::post("/api/v1/auth/login").header("host", "localhost:8080");
    let request = request.header("content-type", "application/json").header("x-forwarded-for", forwarded);
    edge.send(request.extension(ConnectInfo(peer)).body(Body::from(body.to_string())).unwrap()).await
}

#[tokio::test(start_paused = true)]
async fn limits_log_ins_per_address_regardless_of_forwarded_headers() {
    let edge = Edge::with(Settings::default()).await;
    for number in 0..300 {
        let reply = log_in(&edge, "203.0.113.9", &format!("198.51.100.{}", number % 250)).await;
        assert_eq!(reply.status, 200, "{number}");
    }
    let reply = log_in(&edge, "203.0.113.9", "127.0.0.1").await;
    assert_eq!(reply.assert_problem(429, "too_many_requests")["success"], false);
    assert_eq!(reply.header("retry-after"), "12");
    assert_eq!(edge.core.count("log_in"), 300);
    assert_eq!(log_in(&edge, "203.0.113.10", "203.0.113.9").await.status, 200);
    // Other operations of the address are not limited.
    let registering = edge.anonymous_request("POST", "/auth/register").body(Body::empty()).unwrap();
    assert_eq!(edge.send(registering).await.status, 415);
    tokio::time::advance(Duration::from_secs(12)).await;
    assert_eq!(log_in(&edge, "203.0.113.9", "").await.status, 200);
    log_in(&edge, "203.0.113.9", "").await.assert_problem(429, "too_many_requests");
}

#[tokio::test(start_paused = true)]
async fn counts_each_address_separately_behind_a_trusted_proxy() {
    let trusted_proxies = vec!["10.0.0.1".parse().unwrap()];
    let edge = Edge::with(Settings { trusted_proxies, ..Settings::default() }).await;
    for number in 0..301 {
        // All addresses are in one /64.
        let reply = log_in(&edge, "10.0.0.1", &format!("198.51.100.7, 2001:db8::{number:x}")).await;
        assert_eq!(reply.status, if number < 300 { 200 } else { 429 }, "{number}");
    }
    assert_eq!(log_in(&edge, "10.0.0.1", "2001:db8:0:1::1").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn counts_an_account_across_addresses() {
    let edge = Edge::with(Settings::default()).await;
    let mut peers = 0..;
    let mut read = async |path: &str| {
        let peer: SocketAddr = format!("203.0.113.{}:4711", peers.next().unwrap()).parse().unwrap();
        let token = edge.core.token();
        let request = Request::get(path).header("host", "localhost").header("authorization", format!("Bearer {token}"));
        edge.send(request.extension(ConnectInfo(peer)).body(Body::empty()).unwrap()).await
    };
    for number in 0..60 {
        let path = if number % 2 == 0 { "/trades/client?limit=1" } else { "/api/v1/account" };
        assert_eq!(read(path).await.status, 200, "{number}");
    }
    let reply = read("/account").await;
    reply.assert_problem(429, "too_many_requests");
    assert_eq!(reply.header("retry-after"), "1");
    // Writes have a separate limit.
    assert_eq!(edge.send(edge.request("DELETE", "/account/sessions").body(Body::empty()).unwrap()).await.status, 200);
    tokio::time::advance(Duration::from_millis(500)).await;
    assert_eq!(read("/account").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn counts_requests_with_an_invalid_token_by_address() {
    let edge = Edge::with(Settings::default()).await;
    let send = async || {
        let request = edge.anonymous_request("GET", "/trades/client").header("authorization", "Bearer rubbish");
        edge.send(request.body(Body::empty()).unwrap()).await
    };
    for _ in 0..300 {
        send().await.assert_problem(401, "unauthenticated");
    }
    send().await.assert_problem(429, "too_many_requests");
    assert_eq!(edge.get("/account").await.status, 200, "a trader at the same address is not limited");
}

#[tokio::test(start_paused = true)]
async fn limits_refreshes_per_cookie_and_per_address() {
    let edge = Edge::with(Settings::default()).await;
    let renew = async |cookie: &str| {
        let request = edge.anonymous_request("POST", "/auth/refresh").header("cookie", format!("rt={cookie}"));
        edge.send(request.body(Body::empty()).unwrap()).await
    };
    for _ in 0..30 {
        assert_eq!(renew("mine").await.status, 200);
    }
    let reply = renew("mine").await;
    reply.assert_problem(429, "too_many_requests");
    assert!(reply.headers.get("set-cookie").is_none(), "the session is kept");
    for number in 31..600 {
        assert_eq!(renew(&number.to_string()).await.status, 200, "{number}");
    }
    renew("one more").await.assert_problem(429, "too_many_requests");
    assert_eq!(edge.core.count("refresh"), 599);
}

#[tokio::test(start_paused = true)]
async fn limits_uploads_by_count_and_by_size() {
    let edge = Edge::with(Settings::default()).await;
    let send = async |path: &str, length: usize| {
        let request = edge.request("POST", path).header("content-length", length);
        edge.send(request.body(Body::empty()).unwrap()).await
    };
    let upload = async |length| send("/uploadexcel", length).await;
    // Previews and imports have separate limits, so each previewed file can be imported.
    for _ in 0..800 {
        send("/uploadexcel/preview", 1000).await.assert_problem(415, "unsupported_media_type");
    }
    send("/uploadexcel/preview", 1000).await.assert_problem(429, "too_many_requests");
    // A table is read again after each change of its mapping.
    for _ in 0..60 {
        send("/uploadexcel/columns", 1000).await.assert_problem(415, "unsupported_media_type");
    }
    send("/uploadexcel/columns", 1000).await.assert_problem(429, "too_many_requests");
    send("/uploadexcel/layout", 1000).await.assert_problem(429, "too_many_requests");
    for _ in 0..800 {
        upload(1000).await.assert_problem(415, "unsupported_media_type");
    }
    let reply = upload(1000).await;
    reply.assert_problem(429, "too_many_requests");
    assert_eq!(reply.header("retry-after"), "5");
    tokio::time::advance(Duration::from_hours(24)).await;
    // 15 uploads of 32 MiB are below the limit of 500 MiB; the sixteenth exceeds it.
    for _ in 0..15 {
        upload(32 * 1024 * 1024).await.assert_problem(415, "unsupported_media_type");
    }
    let reply = upload(32 * 1024 * 1024).await;
    reply.assert_problem(429, "too_many_requests");
    assert_eq!(reply.header("retry-after"), "2074", "12 MiB are refilled in 34 minutes");
    send("/uploadexcel/preview", 32 * 1024 * 1024).await.assert_problem(429, "too_many_requests");
    send("/uploadexcel/layout", 32 * 1024 * 1024).await.assert_problem(429, "too_many_requests");
    send("/uploadexcel/columns", 32 * 1024 * 1024).await.assert_problem(429, "too_many_requests");
    upload(1000).await.assert_problem(415, "unsupported_media_type");
}

#[tokio::test(start_paused = true)]
async fn does_not_limit_loopback_clients_without_a_public_url() {
    let edge = Edge::with(Settings::default()).await;
    for _ in 0..400 {
        assert_eq!(log_in(&edge, "127.0.0.1", "").await.status, 200);
    }
    let edge = Edge::with(https()).await;
    let mut refused = 0;
    for _ in 0..301 {
        refused += u32::from(log_in(&edge, "127.0.0.1", "").await.status == 429);
    }
    assert_eq!(refused, 1);
    let edge = Edge::with(Settings { no_rate_limits: true, ..Settings::default() }).await;
    for _ in 0..400 {
        assert_eq!(log_in(&edge, "203.0.113.9", "").await.status, 200);
    }
}

#[tokio::test(start_paused = true)]
async fn cross_site_requests_do_not_count_against_the_limit() {
    let edge = Edge::with(Settings::default()).await;
    for _ in 0..400 {
        let request = edge.anonymous_request("POST", "/auth/login").header("sec-fetch-site", "cross-site");
        edge.send(request.body(Body::empty()).unwrap()).await.assert_problem(403, "cross_site");
    }
    assert_eq!(log_in(&edge, "203.0.113.9", "").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn limits_csp_reports_to_ten_a_minute() {
    let edge = Edge::with(Settings::default()).await;
    let report = async |kind: &str, body: &str| {
        let request = edge.anonymous_request("POST", "/api/csp-report").header("content-type", kind);
        edge.send(request.body(Body::from(body.to_owned())).unwrap()).await
    };
    let body = json!({ "csp-report": { "violated-directive": "img-src", "blocked-uri": "https://a/b?c" } }).to_string();
    assert_eq!(report("application/csp-report", &body).await.status, 204);
    report("application/json", &body).await.assert_problem(415, "unsupported_media_type");
    report("application/csp-report", "{}").await.assert_problem(400, "malformed");
    report("application/csp-report", &"x".repeat(8193)).await.assert_problem(413, "too_large");
    for _ in 4..10 {
        assert_eq!(report("application/csp-report", &body).await.status, 204);
    }
    report("application/csp-report", &body).await.assert_problem(429, "too_many_requests");
}

/// Starts an application of this size. It is counted before its body is read.
async fn apply(edge: &Edge, peer: &str, bytes: usize) -> Reply {
    let peer = SocketAddr::new(peer.parse().unwrap(), 4711);
    let request = Request::post("/api/apply/FE101").header("host", "localhost:8080").header("content-length", bytes);
    edge.send(request.extension(ConnectInfo(peer)).body(Body::empty()).unwrap()).await
}

const RESUME_BYTES: usize = 5 * 1024 * 1024;

#[tokio::test(start_paused = true)]
async fn c12_a_network_cannot_use_up_the_resume_bytes_of_the_day() {
    let edge = Edge::with(Settings::default()).await;
    let mut accepted = 0;
    // All addresses are in one /48.
    while apply(&edge, &format!("2001:db8:0:{accepted:x}::1"), RESUME_BYTES).await.status != 429 {
        accepted += 1;
    }
    assert_eq!(accepted, 1 + 51, "8 MiB and 256 MiB");
    let reply = apply(&edge, "2001:db8::1", RESUME_BYTES).await;
    let problem = reply.assert_problem(429, "network_limit_reached");
    assert!(problem["detail"].as_str().unwrap().contains("Use another network"), "{problem:#}");
    let wait: u64 = reply.header("retry-after").parse().unwrap();
    assert_ne!(apply(&edge, "2001:db8:1::1", RESUME_BYTES).await.status, 429, "another network");
    tokio::time::advance(Duration::from_secs(wait)).await;
    assert_ne!(apply(&edge, "2001:db8::1", RESUME_BYTES).await.status, 429, "after the wait");
}

#[tokio::test(start_paused = true)]
async fn c12_a_network_that_sent_nothing_can_apply_when_others_used_up_the_common_bytes() {
    let edge = Edge::with(Settings::default()).await;
    for network in 0..4 {
        for _ in 0..52 {
            apply(&edge, &format!("203.0.113.{network}"), RESUME_BYTES).await;
        }
    }
    let status = apply(&edge, "203.0.113.4", RESUME_BYTES).await.status;
    assert!(status != 429 && status != 503, "{status}");
    let reply = apply(&edge, "203.0.113.4", RESUME_BYTES).await;
    reply.assert_problem(503, "daily_limit_reached");
    assert_ne!(reply.header("retry-after"), "");
}

#[tokio::test(start_paused = true)]
async fn c12_a_college_behind_one_address_can_send_300_resumes_in_an_hour() {
    let edge = Edge::with(Settings::default()).await;
    for number in 0..300 {
        let status = apply(&edge, "203.0.113.9", 700 * 1024).await.status;
        assert!(status != 429 && status != 503, "{number}: {status}");
    }
}

/// Uses a tax link from an address of its own. Returns the status.
async fn use_tax_link(edge: &Edge, operation: &str, token: &str, number: u8) -> u16 {
    let peer: SocketAddr = format!("203.0.113.{number}:4711").parse().unwrap();
    let mut body = json!({ "token": token });
    if operation.ends_with("export") {
        body["format"] = json!("csv");
    }
    let request = Request::post(operation).header("host", "localhost").header("content-type", "application/json");
    edge.send(request.extension(ConnectInfo(peer)).body(Body::from(body.to_string())).unwrap()).await.status.as_u16()
}

#[tokio::test(start_paused = true)]
async fn limits_the_uses_of_a_tax_link_and_of_all_links_of_an_account() {
    let edge = Edge::with(Settings::default()).await;
    for number in 0..30 {
        assert_ne!(use_tax_link(&edge, "/analytics/tax/shared", "the same", number).await, 429, "{number}");
    }
    assert_eq!(use_tax_link(&edge, "/analytics/tax/shared", "the same", 30).await, 429);
    assert_eq!(edge.core.count("use_tax_link"), 30);
    // Another link of the account is stopped after its use is logged, before the tax pack is read.
    assert_eq!(use_tax_link(&edge, "/analytics/tax/shared", "another", 31).await, 429);
    assert_eq!(edge.core.count("use_tax_link"), 31);
    for number in 0..10 {
        let status = use_tax_link(&edge, "/analytics/tax/shared/export", &format!("link {number}"), number).await;
        assert_ne!(status, 429, "{number}");
    }
    assert_eq!(use_tax_link(&edge, "/analytics/tax/shared/export", "one more", 10).await, 429);
    tokio::time::advance(Duration::from_mins(1)).await;
    assert_ne!(use_tax_link(&edge, "/analytics/tax/shared", "the same", 30).await, 429);
}
