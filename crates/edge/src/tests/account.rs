//! Tests of the account settings, emailed links and handoff tokens.

use http::{HeaderValue, Request};
use rpc::failure::{Kind, to_status};
use rpc::token::Purpose;
use serde_json::json;
use time::OffsetDateTime;

use super::auth::{Refusal, https};
use super::core::trade;
use super::*;

/// Sends a request of the trader with an optional JSON body.
async fn send_json(edge: &Edge, method: &str, path: &str, body: Option<Value>) -> Reply {
    let request = edge.request(method, path);
    let request = match body {
        Some(body) => request.header("content-type", "application/json").body(Body::from(body.to_string())),
        None => request.body(Body::empty()),
    };
    edge.send(request.unwrap()).await
}

pub fn cookies(reply: &Reply) -> Vec<&str> {
    reply.headers.get_all("set-cookie").iter().map(|line| line.to_str().unwrap()).collect()
}

#[tokio::test]
async fn account_can_be_read_and_updated_under_both_base_paths() {
    let edge = Edge::new().await;
    let account = |name: &str| {
        json!({
            "name": name, "email": "asha@example.in", "emailConfirmed": true, "phoneNumber": "9876543210",
            "phoneVerified": true, "canVerifyPhone": true,
            "clientId": "TB-7K3M9Q", "hasPassword": true, "hasGoogle": false, "createdAt": "2026-03-31T18:30:00Z",
        })
    };
    for base in ["/api/v1", ""] {
        let path = format!("{base}/account");
        assert_eq!(edge.get(&path).await.json(), account("Asha Rao"));
        let reply = send_json(&edge, "PATCH", &path, Some(json!({ "name": "Asha R" }))).await;
        assert_eq!((reply.status.as_u16(), reply.json()), (200, account("Asha R")));
        let request = edge.core.last_request();
        assert!(request.contains("phone: None"), "a field that is not sent stays unchanged");
        assert!(request.contains("paths: [\"name\"]"), "{request}");
        send_json(&edge, "PATCH", &path, Some(json!({ "name": "Asha Rao", "phone": "" }))).await;
        let request = edge.core.last_request();
        assert!(request.contains("phone: Some(\"\")") && request.contains("paths: [\"name\", \"phone\"]"), "{request}");
    }
    for (body, field, code) in [
        (json!({ "name": null }), "name", "required"),
        (json!({ "phone": 7 }), "phone", "not_text"),
        (json!({ "name": "x".repeat(101) }), "name", "too_long"),
        (json!({ "email": "other@example.in" }), "email", "unknown"),
    ] {
        let problem = send_json(&edge, "PATCH", "/account", Some(body)).await.assert_problem(422, "invalid");
        assert_eq!((&problem["errors"][0]["field"], &problem["errors"][0]["code"]), (&json!(field), &json!(code)));
    }
}

#[tokio::test]
async fn sessions_are_listed_with_device_names_and_can_be_ended() {
    let edge = Edge::new().await;
    let sessions = edge.get("/account/sessions").await.json();
    assert_eq!(
        sessions["sessions"][0],
        json!({
            "id": "s1", "device": "Firefox on Android", "address": "203.0.113.0", "createdAt": "2026-03-31T18:30:00Z",
            "lastSeenAt": "2026-03-31T18:31:00Z", "current": true,
        })
    );
    assert_eq!(sessions["sessions"][1]["device"], "Unknown device");
    let reply = send_json(&edge, "DELETE", "/account/sessions", None).await;
    assert_eq!((reply.status.as_u16(), reply.json()), (200, json!({ "endedSessions": 3 })));
    assert!(edge.core.last_request().contains("session_id: \"\""));
    let reply = send_json(&edge, "DELETE", "/account/sessions/s2", None).await;
    assert_eq!((reply.status.as_u16(), reply.body.len()), (204, 0));
    assert!(edge.core.last_request().contains("session_id: \"s2\""));
    edge.core.refuse(to_status(&Refusal(Kind::NotFound, "SESSION_NOT_FOUND")));
    send_json(&edge, "DELETE", "/account/sessions/s3", None).await.assert_problem(404, "session_not_found");
}

#[tokio::test]
async fn password_change_requires_the_current_password() {
    let edge = Edge::new().await;
    let body = json!({ "currentPassword": "old", "password": "long enough", "confirmPassword": "long enough" });
    let reply = send_json(&edge, "POST", "/account/password", Some(body.clone())).await;
    assert_eq!((reply.status.as_u16(), reply.json()), (200, json!({ "endedSessions": 2 })));
    send_json(&edge, "POST", "/account/password", Some(json!({ "password": "x" })))
        .await
        .assert_problem(422, "invalid");
    edge.core.refuse(to_status(&Refusal(Kind::Forbidden, "NO_PASSWORD")));
    send_json(&edge, "POST", "/account/password", Some(body.clone())).await.assert_problem(403, "no_password");
    edge.core.refuse(to_status(&Refusal(Kind::Busy, "LOGIN_THROTTLED")));
    let reply = send_json(&edge, "POST", "/account/password", Some(body)).await;
    reply.assert_problem(429, "login_throttled");
    assert_eq!(reply.header("retry-after"), "1");
}

#[tokio::test]
async fn closing_the_account_clears_the_cookie_of_this_browser() {
    let edge = Edge::new().await;
    let reply = send_json(&edge, "POST", "/account/close", Some(json!({ "password": "mine" }))).await;
    assert_eq!((reply.status.as_u16(), reply.json()), (200, json!({ "deletedOn": "2026-04-30T18:30:00Z" })));
    assert_eq!(cookies(&reply), ["rt=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"]);
    assert_eq!(reply.header("clear-site-data"), "\"cache\", \"storage\"");
    edge.core.refuse(to_status(&Refusal(Kind::Invalid, "INVALID")));
    let reply = send_json(&edge, "POST", "/account/close", Some(json!({ "password": "wrong" }))).await;
    reply.assert_problem(422, "invalid");
    assert!(cookies(&reply).is_empty(), "a rejected request keeps the session");
}

#[tokio::test]
async fn emails_can_be_requested_and_their_links_redeemed() {
    let edge = Edge::new().await;
    let passwords = json!({ "token": "t", "password": "long enough", "confirmPassword": "long enough" });
    for base in ["/api/v1", ""] {
        let post = async |path: &str, body: Value| edge.post(&format!("{base}{path}"), &body).await;
        assert_eq!(post("/auth/forgot-password", json!({ "email": "a@b.example" })).await.status, 202);
        assert_eq!(post("/auth/reset-password", passwords.clone()).await.status, 204);
        assert_eq!(post("/auth/confirm-email", json!({ "token": "t" })).await.status, 204);
        assert_eq!(send_json(&edge, "POST", &format!("{base}/account/confirmation"), None).await.status, 202);
    }
    edge.post("/auth/confirm-email", &json!({ "token": "t".repeat(129) })).await.assert_problem(422, "invalid");
    edge.post("/auth/forgot-password", &json!({ "email": "" })).await.assert_problem(422, "invalid");
    edge.core.refuse(to_status(&Refusal(Kind::Invalid, "LINK_EXPIRED")));
    let problem = edge.post("/auth/reset-password", &passwords).await.assert_problem(422, "link_expired");
    assert_eq!(problem["success"], false);
}

#[tokio::test]
async fn account_requires_a_session_and_is_read_only_for_an_analytics_session() {
    let edge = Edge::new().await;
    let soon = OffsetDateTime::now_utc().unix_timestamp() + 600;
    let analytics = format!("Bearer {}", edge.core.token_for(Purpose::Analytics, soon));
    for (method, path) in [
        ("GET", "/account"),
        ("PATCH", "/account"),
        ("POST", "/account/password"),
        ("GET", "/account/sessions"),
        ("DELETE", "/account/sessions"),
        ("DELETE", "/account/sessions/s1"),
        ("POST", "/account/confirmation"),
        ("GET", "/account/export"),
        ("POST", "/account/close"),
        ("POST", "/auth/handoff"),
    ] {
        let reply = edge.send(edge.anonymous_request(method, path).body(Body::empty()).unwrap()).await;
        reply.assert_problem(401, "unauthenticated");
        let request = edge.anonymous_request(method, path).header("authorization", &analytics);
        let reply = edge.send(request.body(Body::empty()).unwrap()).await;
        if (method, path) == ("GET", "/account") {
            assert_eq!(reply.status, 200);
        } else {
            reply.assert_problem(403, "forbidden");
        }
    }
    let mut calls = edge.core.0.calls.lock().unwrap().clone();
    calls.dedup();
    assert_eq!(calls, ["get_account"]);
}

#[tokio::test]
async fn handoff_returns_the_analytics_url_with_a_token() {
    let url = async |settings: Settings| {
        let edge = Edge::with(settings).await;
        send_json(&edge, "POST", "/api/v1/auth/handoff", None).await.json()["url"].as_str().unwrap().to_owned()
    };
    let token = "token=a.hand-off.token";
    assert_eq!(url(Settings::default()).await, format!("http://localhost:8080/analytics?{token}"));
    assert_eq!(url(https()).await, format!("https://tradebahi.example/analytics?{token}"));
    for (setting, separator) in [("https://charts.example/in", '?'), ("https://charts.example/in?from=tb", '&')] {
        let analytics_url = Some(setting.parse().unwrap());
        assert_eq!(
            url(Settings { analytics_url, ..Settings::default() }).await,
            format!("{setting}{separator}{token}")
        );
    }
    let edge = Edge::new().await;
    let token = edge.core.valid_token(Purpose::Handoff);
    let reply = edge.post("/analytics/session", &json!({ "token": token })).await;
    assert_eq!(reply.json(), json!({ "token": "reads", "expiresAt": "2026-03-31T19:00:00Z" }));
    edge.core.refuse(to_status(&Refusal(Kind::Unauthenticated, "SESSION_ENDED")));
    edge.post("/analytics/session", &json!({ "token": token })).await.assert_problem(401, "session_ended");
    let calls = edge.core.count("start_analytics_session");
    for token in ["used", &edge.core.valid_token(Purpose::Login), &"x".repeat(4096)] {
        edge.post("/analytics/session", &json!({ "token": token })).await.assert_problem(401, "session_ended");
    }
    assert_eq!(edge.core.count("start_analytics_session"), calls, "an invalid token reached the core");
}

#[tokio::test]
async fn s11_a_foreign_host_is_not_reflected() {
    let edge = Edge::new().await;
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1@evil.example"] {
        let request = Request::builder().method("POST").uri("/api/v1/auth/handoff").header("host", host);
        let request = request.header("authorization", format!("Bearer {}", edge.core.token()));
        edge.send(request.body(Body::empty()).unwrap()).await.assert_problem(400, "malformed");
    }
    assert_eq!(edge.core.count("create_handoff"), 0);
}

#[tokio::test]
async fn s11_a_request_with_two_hosts_or_none_is_rejected() {
    let edge = Edge::new().await;
    for hosts in [&["localhost", "localhost"][..], &["localhost", "evil.example"], &[]] {
        for path in ["/", "/livez", "/api/v1/auth/options"] {
            let mut request = Request::get(path);
            for host in hosts {
                request = request.header("host", *host);
            }
            edge.send(request.body(Body::empty()).unwrap()).await.assert_problem(400, "malformed");
        }
    }
}

#[tokio::test]
async fn rejects_cross_site_requests() {
    let edge = Edge::with(https()).await;
    for (method, path) in [
        ("PATCH", "/account"),
        ("DELETE", "/account/sessions"),
        ("POST", "/auth/check-link"),
        ("POST", "/auth/exchange"),
        ("POST", "/auth/google/register"),
        ("POST", "/auth/google/link"),
        ("POST", "/auth/handoff"),
    ] {
        let mut request: Request<Body> = edge.request(method, path).body(Body::empty()).unwrap();
        request.headers_mut().insert("sec-fetch-site", HeaderValue::from_static("cross-site"));
        edge.send(request).await.assert_problem(403, "cross_site");
    }
}

#[tokio::test]
async fn account_export_contains_all_stored_data() {
    let edge = Edge::new().await;
    *edge.core.0.pages.lock().unwrap() = vec![Ok(vec![trade(2)]), Ok(vec![trade(1)])];
    for path in ["/account/export", "/api/v1/account/export?format=json"] {
        let reply = edge.get(path).await;
        assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "application/json"));
        let name = reply.header("content-disposition");
        assert!(name.starts_with("attachment; filename=\"tradebahi-account-20") && name.ends_with(".json\""), "{name}");
        let export = reply.json();
        assert_eq!(export["account"]["clientId"], "TB-7K3M9Q");
        assert_eq!(export["sessions"][1]["id"], "s2");
        assert!(export["books"][0]["broker"].is_string(), "{export}");
        assert_eq!(
            (&export["adjustments"][0]["kind"], &export["adjustments"][0]["id"]),
            (&json!("settlement"), &json!("3"))
        );
        assert!(export["changes"].as_array().is_some_and(|changes| !changes.is_empty()), "{export}");
        let ids: Vec<_> = export["trades"].as_array().unwrap().iter().map(|trade| trade["_id"].clone()).collect();
        assert_eq!(ids, ["2", "1"]);
        let ids: Vec<_> = export["journal"].as_array().unwrap().iter().map(|entry| entry["id"].clone()).collect();
        assert_eq!(ids, ["9", "7", "9", "7"], "two pages of each kind");
        reply.assert_security_headers();
    }
    let reply = edge.get("/account/export?format=csv").await;
    assert!(reply.header("content-type").starts_with("text/csv"));
    assert!(reply.header("content-disposition").contains("tradebahi-trades-20"));
    assert_eq!(reply.body.iter().filter(|byte| **byte == b'\n').count(), 3);
    for query in ["format=xlsx", "format=", "format=csv&format=csv", "limit=1"] {
        edge.get(&format!("/account/export?{query}")).await.assert_problem(422, "invalid");
    }
    edge.core.refuse(to_status(&Refusal(Kind::Busy, "BUSY")));
    edge.get("/account/export").await.assert_problem(503, "busy");
}
