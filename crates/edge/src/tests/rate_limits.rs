//! How often one may ask, and how many may ask at once without sending anything.

use std::time::Duration;

use http::Request;
use serde_json::json;

use super::auth::https;
use super::*;

/// A login from `peer`, with what it says of who it is.
async fn log_in(edge: &Edge, peer: &str, forwarded: &str) -> Reply {
    let peer: SocketAddr = format!("{peer}:4711").parse().unwrap();
    let body = json!({ "email": "asha@example.in", "password": "long enough" });
    let request = Request::post("/api/v1/auth/login").header("host", "tradebahi.example");
    let request = request.header("content-type", "application/json").header("x-forwarded-for", forwarded);
    edge.send(request.extension(ConnectInfo(peer)).body(Body::from(body.to_string())).unwrap()).await
}

#[tokio::test(start_paused = true)]
async fn an_address_signs_in_so_often_whatever_it_says_of_itself() {
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
    // What is left of its address stays open to it.
    let registering = edge.anonymous_request("POST", "/auth/register").body(Body::empty()).unwrap();
    assert_eq!(edge.send(registering).await.status, 415);
    tokio::time::advance(Duration::from_secs(12)).await;
    assert_eq!(log_in(&edge, "203.0.113.9", "").await.status, 200);
    log_in(&edge, "203.0.113.9", "").await.assert_problem(429, "too_many_requests");
}

#[tokio::test(start_paused = true)]
async fn behind_a_proxy_of_ours_each_address_counts_by_itself() {
    let trusted_proxies = vec!["10.0.0.1".parse().unwrap()];
    let edge = Edge::with(Settings { trusted_proxies, ..Settings::default() }).await;
    for number in 0..301 {
        // All of one /64.
        let reply = log_in(&edge, "10.0.0.1", &format!("198.51.100.7, 2001:db8::{number:x}")).await;
        assert_eq!(reply.status, if number < 300 { 200 } else { 429 }, "{number}");
    }
    assert_eq!(log_in(&edge, "10.0.0.1", "2001:db8:0:1::1").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn an_account_is_counted_wherever_it_asks_from() {
    let edge = Edge::with(Settings::default()).await;
    let mut peers = 0..;
    let mut read = async |path: &str| {
        let peer: SocketAddr = format!("203.0.113.{}:4711", peers.next().unwrap()).parse().unwrap();
        let token = edge.core.token();
        let request = Request::get(path).header("authorization", format!("Bearer {token}"));
        edge.send(request.extension(ConnectInfo(peer)).body(Body::empty()).unwrap()).await
    };
    for number in 0..60 {
        let path = if number % 2 == 0 { "/trades/client?limit=1" } else { "/api/v1/account" };
        assert_eq!(read(path).await.status, 200, "{number}");
    }
    let reply = read("/account").await;
    reply.assert_problem(429, "too_many_requests");
    assert_eq!(reply.header("retry-after"), "1");
    // Writing has a measure of its own.
    assert_eq!(edge.send(edge.request("DELETE", "/account/sign-ins").body(Body::empty()).unwrap()).await.status, 200);
    tokio::time::advance(Duration::from_millis(500)).await;
    assert_eq!(read("/account").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn who_says_to_be_a_trader_and_is_not_is_counted_by_address() {
    let edge = Edge::with(Settings::default()).await;
    let send = async || {
        let request = edge.anonymous_request("GET", "/trades/client").header("authorization", "Bearer rubbish");
        edge.send(request.body(Body::empty()).unwrap()).await
    };
    for _ in 0..300 {
        send().await.assert_problem(401, "signed_out");
    }
    send().await.assert_problem(429, "too_many_requests");
    assert_eq!(edge.get("/account").await.status, 200, "a trader at the same address is not held for that");
}

#[tokio::test(start_paused = true)]
async fn a_cookie_renews_thirty_times_a_minute_and_a_whole_college_shares_an_address() {
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
    assert!(reply.headers.get("set-cookie").is_none(), "nobody is signed out by that");
    for number in 31..600 {
        assert_eq!(renew(&number.to_string()).await.status, 200, "{number}");
    }
    renew("one more").await.assert_problem(429, "too_many_requests");
    assert_eq!(edge.core.count("refresh"), 599);
}

#[tokio::test(start_paused = true)]
async fn uploads_are_counted_by_number_and_by_size() {
    let edge = Edge::with(Settings::default()).await;
    let send = async |path: &str, length: usize| {
        let request = edge.request("POST", path).header("content-length", length);
        edge.send(request.body(Body::empty()).unwrap()).await
    };
    let upload = async |length| send("/uploadexcel", length).await;
    // What was looked at can be imported, so neither keeps the other from it.
    for _ in 0..24 {
        send("/uploadexcel/preview", 1000).await.assert_problem(415, "unsupported_media_type");
    }
    send("/uploadexcel/preview", 1000).await.assert_problem(429, "too_many_requests");
    for number in 0..24 {
        upload(1000).await.assert_problem(415, "unsupported_media_type");
        assert!(number < 24);
    }
    let reply = upload(1000).await;
    reply.assert_problem(429, "too_many_requests");
    assert_eq!(reply.header("retry-after"), "60");
    tokio::time::advance(Duration::from_hours(24)).await;
    // 15 × 32 MiB and a bit are less than 500 MiB; the sixteenth is more.
    for _ in 0..15 {
        upload(32 * 1024 * 1024).await.assert_problem(415, "unsupported_media_type");
    }
    let reply = upload(32 * 1024 * 1024).await;
    reply.assert_problem(429, "too_many_requests");
    assert_eq!(reply.header("retry-after"), "2074", "12 MiB earn themselves in 34 minutes");
    send("/uploadexcel/preview", 32 * 1024 * 1024).await.assert_problem(429, "too_many_requests");
    upload(1000).await.assert_problem(415, "unsupported_media_type");
}

#[tokio::test(start_paused = true)]
async fn on_the_machine_itself_nobody_is_counted_unless_the_server_is_for_others() {
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
async fn another_site_takes_nothing_from_what_one_may_ask() {
    let edge = Edge::with(Settings::default()).await;
    for _ in 0..400 {
        let request = edge.anonymous_request("POST", "/auth/login").header("sec-fetch-site", "cross-site");
        edge.send(request.body(Body::empty()).unwrap()).await.assert_problem(403, "cross_site");
    }
    assert_eq!(log_in(&edge, "203.0.113.9", "").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn what_the_policy_held_back_is_taken_note_of_ten_times_a_minute() {
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
