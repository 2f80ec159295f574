//! Tests of error responses, load shedding, readiness and metrics.

use std::collections::{BTreeMap, BTreeSet};

use http::HeaderValue;
use rpc::failure::{Kind, to_status};
use serde_json::json;
use tonic::Status;

use super::auth::Refusal;
use super::*;

fn login(edge: &Edge) -> http::request::Builder {
    edge.anonymous_request("POST", "/auth/login").header("content-type", "application/json")
}

#[tokio::test]
async fn framework_errors_are_problem_responses() {
    let edge = Edge::new().await;
    for base in ["/api/v1", ""] {
        let path = |end: &str| format!("{base}{end}");
        let send = async |request: http::request::Builder, body: &str| {
            edge.send(request.body(Body::from(body.to_owned())).unwrap()).await
        };
        let json = |path: String| edge.anonymous_request("POST", &path).header("content-type", "application/json");
        send(json(path("/auth/login")), "{\"email\":").await.assert_problem(400, "malformed");
        send(json(path("/auth/login")), "[]").await.assert_problem(422, "invalid");
        let twice = "{\"email\":\"a\",\"email\":\"b\",\"password\":\"c\"}";
        send(json(path("/auth/login")), twice).await.assert_problem(422, "invalid");
        send(json(path("/auth/login")), "{} x").await.assert_problem(400, "malformed");
        send(json(path("/auth/login")), &"x".repeat(5000)).await.assert_problem(413, "too_large");
        send(edge.anonymous_request("POST", &path("/auth/login")), "{}")
            .await
            .assert_problem(415, "unsupported_media_type");
        let form = edge.anonymous_request("POST", &path("/auth/logout")).header("content-type", "text/plain");
        send(form, "x").await.assert_problem(415, "unsupported_media_type");
        let reply = send(edge.request("GET", &path("/auth/login")), "").await;
        reply.assert_problem(405, "method_not_allowed");
        assert_eq!(reply.header("allow"), "POST");
        let reply = send(edge.request("DELETE", &path("/trades/client")), "").await;
        reply.assert_problem(405, "method_not_allowed");
        assert_eq!(reply.header("allow"), "GET,HEAD");
    }
    for unknown in ["/api", "/api/", "/api/v1", "/api/v1/", "/api/v2/trades/client", "/api/v1/trades/client/", "/x"] {
        edge.get(unknown).await.assert_problem(404, "not_found");
    }
}

#[tokio::test]
async fn rejects_a_too_large_content_length_without_reading_the_body() {
    let edge = Edge::new().await;
    let request = login(&edge).header("content-length", "5000");
    let never = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
    edge.send(request.body(never).unwrap()).await.assert_problem(413, "too_large");
}

#[tokio::test(start_paused = true)]
async fn times_out_a_missing_or_slow_body() {
    let edge = Edge::new().await;
    let never = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
    edge.send(login(&edge).body(never).unwrap()).await.assert_problem(408, "request_timeout");
    let trickle = futures_util::stream::unfold((), |()| async {
        tokio::time::sleep(std::time::Duration::from_secs(4)).await;
        Some((Ok::<_, std::io::Error>(Bytes::from_static(b" ")), ()))
    });
    edge.send(login(&edge).body(Body::from_stream(trickle)).unwrap()).await.assert_problem(408, "request_timeout");
}

#[tokio::test]
async fn maps_core_errors_to_statuses_without_internal_details() {
    let edge = Edge::new().await;
    for (kind, expected) in [
        (Kind::Invalid, 422),
        (Kind::Unauthenticated, 401),
        (Kind::Forbidden, 403),
        (Kind::NotFound, 404),
        (Kind::FailedPrecondition, 409),
        (Kind::TooLarge, 413),
        (Kind::Busy, 503),
    ] {
        edge.core.refuse(to_status(&Refusal(kind, "LINK_EXPIRED")));
        let problem = edge.get("/trades/client").await.assert_problem(expected, "link_expired");
        assert_eq!(problem["detail"], "This link has expired or was already used. Request a new one.");
        assert!(problem.get("success").is_none());
    }
    for (status, expected, code) in [
        (to_status(&Refusal(Kind::Internal, "DATABASE")), 500, "internal"),
        (Status::internal("secret"), 500, "internal"),
        (Status::unknown("secret"), 500, "internal"),
        (Status::out_of_range("secret: message too large"), 500, "internal"),
        (Status::invalid_argument("secret"), 500, "internal"),
        (Status::resource_exhausted("secret"), 503, "unavailable"),
        (Status::unavailable("secret: connection refused"), 503, "unavailable"),
        (Status::deadline_exceeded("secret"), 504, "timeout"),
        (Status::cancelled("secret: Timeout expired"), 504, "timeout"),
    ] {
        edge.core.refuse(status);
        let reply = edge.get("/trades/client").await;
        reply.assert_problem(expected, code);
        assert!(!String::from_utf8_lossy(&reply.body).contains("secret"), "{:?}", reply.body);
    }
}

#[tokio::test]
async fn returns_an_internal_error_without_details_on_a_panic() {
    let edge = Edge::new().await;
    let body = json!({ "email": "a", "password": "panic" });
    let reply = edge.post("/auth/login", &body).await;
    reply.assert_problem(500, "internal");
    assert!(!String::from_utf8_lossy(&reply.body).contains("simulated"));
    // Panics in the handler, not in a separate task.
    "panic".clone_into(&mut edge.core.0.name.lock().unwrap());
    let reply = edge.get("/trades/client").await;
    reply.assert_problem(500, "internal");
    assert!(!String::from_utf8_lossy(&reply.body).contains("simulated"));
}

#[tokio::test]
async fn rejects_cross_site_writes() {
    let edge =
        Edge::with(Settings { public_url: Some("https://tradebahi.example".parse().unwrap()), ..Settings::default() })
            .await;
    let send = async |headers: &[(&'static str, &'static str)]| {
        let mut request = edge.request("POST", "/api/v1/auth/login").header("content-type", "application/json");
        for (name, value) in headers {
            request.headers_mut().unwrap().insert(*name, HeaderValue::from_static(value));
        }
        edge.send(request.body(Body::from("{\"email\":\"a\",\"password\":\"b\"}")).unwrap()).await
    };
    let foreign_origin = ("origin", "https://evil.example");
    send(&[("sec-fetch-site", "cross-site"), foreign_origin]).await.assert_problem(403, "cross_site");
    send(&[("sec-fetch-site", "same-site")]).await.assert_problem(403, "cross_site");
    send(&[foreign_origin]).await.assert_problem(403, "cross_site");
    assert_eq!(edge.core.count("log_in"), 0);
    for headers in [
        &[("sec-fetch-site", "same-origin")][..],
        &[("origin", "https://tradebahi.example"), ("host", "inside:8080")][..],
        &[][..],
    ] {
        assert_eq!(send(headers).await.status, 200);
    }
}

#[tokio::test]
async fn rejects_missing_and_invalid_access_tokens() {
    let edge = Edge::new().await;
    let expired = format!("Bearer {}", edge.core.token_until(time::OffsetDateTime::now_utc().unix_timestamp() - 3600));
    let foreign = format!("Bearer {}", Edge::new().await.core.token());
    let long = format!("Bearer {}", "x".repeat(5000));
    for authorization in
        [None, Some(""), Some("Bearer"), Some("Basic YTpi"), Some(&*expired), Some(&*foreign), Some(&*long)]
    {
        for path in ["/api/v1/trades/client", "/trades/client"] {
            let mut request = edge.anonymous_request("GET", path);
            if let Some(value) = authorization {
                request = request.header("authorization", value);
            }
            let reply = edge.send(request.body(Body::empty()).unwrap()).await;
            reply.assert_problem(401, "unauthenticated");
            assert_eq!(reply.header("www-authenticate"), "Bearer");
        }
    }
    assert_eq!(edge.core.count("stream_trades"), 0);
}

#[tokio::test]
async fn every_response_has_a_request_id() {
    let edge = Edge::new().await;
    let has_sample = async |id: &str| {
        let reply = edge
            .send(edge.anonymous_request("GET", "/api/x").header("x-request-id", id).body(Body::empty()).unwrap())
            .await;
        (reply.header("x-request-id").to_owned(), reply.json()["instance"].as_str().unwrap().to_owned())
    };
    assert_eq!(has_sample("build-42.example").await, ("build-42.example".into(), "/requests/build-42.example".into()));
    let id = "7f1c9a52-0c39-4d0e-9a43-0d9b3f1f4a11";
    assert_eq!(has_sample(id).await, (id.into(), format!("urn:uuid:{id}")));
    for invalid in ["short", "a b c d e f g h", "<script>alert(1)</script>", &"x".repeat(65)] {
        let (id, instance) = has_sample(invalid).await;
        assert_ne!(id, invalid);
        assert_eq!(instance, format!("urn:uuid:{id}"));
    }
}

#[tokio::test]
async fn rejects_requests_above_the_limit_except_health_checks() {
    let limits = crate::Limits { streams: shares(1), ..Default::default() };
    let edge = Edge::with(Settings { limits, ..Settings::default() }).await;
    *edge.core.0.pages.lock().unwrap() = vec![Ok(vec![super::core::trade(1)])];
    *edge.core.0.blocked.lock().unwrap() = true;
    let in_flight = edge.router.clone().oneshot(edge.request("GET", "/trades/client").body(Body::empty()).unwrap());
    let in_flight = in_flight.await.unwrap();
    assert_eq!(in_flight.status(), 200);
    // The response has started but the list is not complete, so the request still counts.
    let reply = edge.get("/trades/client").await;
    reply.assert_problem(503, "busy");
    assert_eq!(reply.header("retry-after"), "1");
    assert_eq!(edge.get("/livez").await.body, "ok");
    assert_eq!(edge.get("/readyz").await.body, "ready");
    edge.core.0.unblock.notify_one();
    in_flight.into_body().collect().await.unwrap();
    *edge.core.0.blocked.lock().unwrap() = false;
    assert_eq!(edge.get("/trades/client").await.status, 200);
}

#[tokio::test]
async fn readiness_follows_the_core_and_the_shutdown() {
    let edge = Edge::new().await;
    let reply = edge.get("/readyz").await;
    assert_eq!((reply.status.as_u16(), &reply.body[..]), (200, &b"ready"[..]));
    reply.assert_security_headers();
    edge.health.set_service_status("", ServingStatus::NotServing).await;
    let reply = edge.get("/readyz").await;
    reply.assert_problem(503, "not_ready");
    assert_eq!(reply.header("retry-after"), "1");
    edge.health.set_service_status("", ServingStatus::Serving).await;
    assert_eq!(edge.get("/readyz").await.status, 200);
    edge.ready.stop();
    edge.get("/readyz").await.assert_problem(503, "not_ready");
    assert_eq!(edge.get("/livez").await.status, 200);
    // An edge without verification keys would reject every trader.
    let without_keys = Edge::with_verifier(Settings::default(), Verifier::default()).await;
    without_keys.get("/readyz").await.assert_problem(503, "not_ready");
}

#[tokio::test]
async fn metrics_are_labelled_by_route_and_restricted_to_loopback() {
    let edge = Edge::new().await;
    edge.get("/metrics").await.assert_problem(403, "local_only");
    edge.get("/trades/client?q=CANARY").await;
    edge.get("/api/CANARY").await;
    let local = |forwarded: bool| {
        let peer: SocketAddr = "127.0.0.1:9".parse().unwrap();
        let request = Request::builder().uri("/metrics").header("host", "localhost").extension(ConnectInfo(peer));
        let request = if forwarded { request.header("x-forwarded-for", "203.0.113.9") } else { request };
        request.body(Body::empty()).unwrap()
    };
    edge.send(local(true)).await.assert_problem(403, "local_only");
    let reply = edge.send(local(false)).await;
    assert!(reply.header("content-type").starts_with("application/openmetrics-text"));
    let text = String::from_utf8(reply.body.to_vec()).unwrap();
    let expected = "tradebahi_http_requests_total{route=\"/trades/client\",method=\"GET\",status=\"200\"} 1";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("tradebahi_http_requests_in_flight 1"), "{text}");
    assert!(!text.contains("CANARY"));
    let edge = Edge::with(Settings { open_metrics: true, ..Settings::default() }).await;
    assert_eq!(edge.get("/metrics").await.status, 200);
}

/// Checks the naming rules of Prometheus and OpenMetrics: base units as the suffix of the name, `_total` for
/// counters only, and a help text for every metric.
#[tokio::test]
async fn metric_names_follow_the_openmetrics_conventions() {
    let edge = Edge::with(Settings { open_metrics: true, ..Settings::default() }).await;
    edge.get("/livez").await;
    let text = String::from_utf8(edge.get("/metrics").await.body.to_vec()).unwrap();
    let metadata = |keyword: &str| -> BTreeMap<&str, &str> {
        text.lines().filter_map(|line| line.strip_prefix(keyword)?.split_once(' ')).collect()
    };
    let (help, kinds, units) = (metadata("# HELP "), metadata("# TYPE "), metadata("# UNIT "));
    assert!(kinds.len() >= 4 && help.len() == kinds.len(), "{text}");
    let samples: BTreeSet<&str> =
        text.lines().filter_map(|line| line.split(['{', ' ']).next()).filter(|name| !name.starts_with('#')).collect();
    for (name, kind) in &kinds {
        assert!(name.starts_with("tradebahi_") && help[name].ends_with('.'), "{name}");
        assert!(!name.ends_with("_total") && (*kind != "histogram" || units.contains_key(name)), "{name}");
        let has_sample = |end: &str| samples.contains(format!("{name}{end}").as_str());
        match *kind {
            "counter" => assert!(has_sample("_total") && !has_sample(""), "{name}"),
            "info" => assert!(has_sample("_info") && !has_sample(""), "{name}"),
            "gauge" => assert!(has_sample(""), "{name}"),
            "histogram" => assert!(has_sample("_bucket") && !has_sample(""), "{name}"),
            other => panic!("{name} is a {other}"),
        }
    }
    for (name, unit) in units {
        assert!(["seconds", "bytes"].contains(&unit) && name.ends_with(&format!("_{unit}")), "{name} in {unit}");
    }
    assert!(text.contains(&format!("tradebahi_build_info{{version=\"{}\"}} 1", env!("CARGO_PKG_VERSION"))), "{text}");
    assert!(
        text.contains("tradebahi_http_request_duration_seconds_count{route=\"/livez\",method=\"GET\"} 1"),
        "{text}"
    );
}
