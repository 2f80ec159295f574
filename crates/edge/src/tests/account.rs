//! Taking care of the own account, and the ways that lead here through another site.

use http::{HeaderValue, Request};
use rpc::auth::v1::finish_google_sign_in_response::Outcome;
use rpc::auth::v1::{LinkTicket, SignInToken};
use rpc::failure::{Kind, to_status};
use rpc::token::Purpose;
use serde_json::json;
use time::OffsetDateTime;

use super::auth::{Refusal, https};
use super::core::trade;
use super::*;

/// What `path` is asked with by `method`, and how it answers.
async fn send_json(edge: &Edge, method: &str, path: &str, body: Option<Value>) -> Reply {
    let request = edge.request(method, path);
    let request = match body {
        Some(body) => request.header("content-type", "application/json").body(Body::from(body.to_string())),
        None => request.body(Body::empty()),
    };
    edge.send(request.unwrap()).await
}

fn cookies(reply: &Reply) -> Vec<&str> {
    reply.headers.get_all("set-cookie").iter().map(|line| line.to_str().unwrap()).collect()
}

#[tokio::test]
async fn the_account_is_shown_and_changed_under_both_bases() {
    let edge = Edge::new().await;
    let account = |name: &str| {
        json!({
            "name": name, "email": "asha@example.in", "emailConfirmed": true, "phoneNumber": "9876543210",
            "clientId": "TB-7K3M9Q", "hasPassword": true, "hasGoogle": false, "createdAt": "2026-03-31T18:30:00Z",
        })
    };
    for base in ["/api/v1", ""] {
        let path = format!("{base}/account");
        assert_eq!(edge.get(&path).await.json(), account("Asha Rao"));
        let reply = send_json(&edge, "PATCH", &path, Some(json!({ "name": "Asha R" }))).await;
        assert_eq!((reply.status.as_u16(), reply.json()), (200, account("Asha R")));
        assert!(edge.core.last_request().contains("phone: None"), "what is not sent stays as it is");
        send_json(&edge, "PATCH", &path, Some(json!({ "name": "Asha Rao", "phone": "" }))).await;
        assert!(edge.core.last_request().contains("phone: Some(\"\")"));
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
async fn sign_ins_are_shown_with_the_names_of_devices_and_ended() {
    let edge = Edge::new().await;
    let sign_ins = edge.get("/account/sign-ins").await.json();
    assert_eq!(
        sign_ins["signIns"][0],
        json!({
            "id": "s1", "device": "Firefox on Android", "address": "203.0.113.0", "createdAt": "2026-03-31T18:30:00Z",
            "lastSeenAt": "2026-03-31T18:31:00Z", "current": true,
        })
    );
    assert_eq!(sign_ins["signIns"][1]["device"], "Unknown device");
    let reply = send_json(&edge, "DELETE", "/account/sign-ins", None).await;
    assert_eq!((reply.status.as_u16(), reply.json()), (200, json!({ "ended": 3 })));
    assert!(edge.core.last_request().contains("sign_in_id: \"\""));
    let reply = send_json(&edge, "DELETE", "/account/sign-ins/s2", None).await;
    assert_eq!((reply.status.as_u16(), reply.body.len()), (204, 0));
    assert!(edge.core.last_request().contains("sign_in_id: \"s2\""));
    edge.core.refuse(to_status(&Refusal(Kind::NotFound, "NO_SIGN_IN")));
    send_json(&edge, "DELETE", "/account/sign-ins/s3", None).await.assert_problem(404, "no_sign_in");
}

#[tokio::test]
async fn a_password_is_changed_by_the_present_one() {
    let edge = Edge::new().await;
    let body = json!({ "currentPassword": "old", "password": "long enough", "confirmPassword": "long enough" });
    let reply = send_json(&edge, "POST", "/account/password", Some(body.clone())).await;
    assert_eq!((reply.status.as_u16(), reply.json()), (200, json!({ "ended": 2 })));
    send_json(&edge, "POST", "/account/password", Some(json!({ "password": "x" })))
        .await
        .assert_problem(422, "invalid");
    edge.core.refuse(to_status(&Refusal(Kind::Forbidden, "NO_PASSWORD")));
    send_json(&edge, "POST", "/account/password", Some(body.clone())).await.assert_problem(403, "no_password");
    edge.core.refuse(to_status(&Refusal(Kind::Busy, "HELD")));
    let reply = send_json(&edge, "POST", "/account/password", Some(body)).await;
    reply.assert_problem(429, "held");
    assert_eq!(reply.header("retry-after"), "1");
}

#[tokio::test]
async fn closing_ends_the_sign_in_of_this_browser_too() {
    let edge = Edge::new().await;
    let reply = send_json(&edge, "POST", "/account/close", Some(json!({ "password": "mine" }))).await;
    assert_eq!((reply.status.as_u16(), reply.json()), (200, json!({ "erasedOn": "2026-04-30T18:30:00Z" })));
    assert_eq!(cookies(&reply), ["rt=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"]);
    assert_eq!(reply.header("clear-site-data"), "\"storage\"");
    edge.core.refuse(to_status(&Refusal(Kind::Invalid, "INVALID")));
    let reply = send_json(&edge, "POST", "/account/close", Some(json!({ "password": "wrong" }))).await;
    reply.assert_problem(422, "invalid");
    assert!(cookies(&reply).is_empty(), "who is refused stays signed in");
}

#[tokio::test]
async fn letters_are_asked_for_and_their_links_taken() {
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
async fn an_account_needs_a_sign_in_and_an_analytics_session_reads_it_alone() {
    let edge = Edge::new().await;
    let soon = OffsetDateTime::now_utc().unix_timestamp() + 600;
    let analytics = format!("Bearer {}", edge.core.token_for(Purpose::Analytics, soon));
    for (method, path) in [
        ("GET", "/account"),
        ("PATCH", "/account"),
        ("POST", "/account/password"),
        ("GET", "/account/sign-ins"),
        ("DELETE", "/account/sign-ins"),
        ("DELETE", "/account/sign-ins/s1"),
        ("POST", "/account/confirmation"),
        ("GET", "/account/export"),
        ("POST", "/account/close"),
        ("POST", "/auth/handoff"),
    ] {
        let reply = edge.send(edge.anonymous_request(method, path).body(Body::empty()).unwrap()).await;
        reply.assert_problem(401, "signed_out");
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
async fn the_way_to_the_analytics_site_is_an_address_with_a_token() {
    let url = async |settings: Settings| {
        let edge = Edge::with(settings).await;
        send_json(&edge, "POST", "/api/v1/auth/handoff", None).await.json()["url"].as_str().unwrap().to_owned()
    };
    let token = "token=a.hand-off.token";
    assert_eq!(url(Settings::default()).await, format!("http://tradebahi.example/analytics?{token}"));
    assert_eq!(url(https()).await, format!("https://tradebahi.example/analytics?{token}"));
    for (setting, separator) in [("https://charts.example/in", '?'), ("https://charts.example/in?from=tb", '&')] {
        let analytics_url = Some(setting.parse().unwrap());
        assert_eq!(
            url(Settings { analytics_url, ..Settings::default() }).await,
            format!("{setting}{separator}{token}")
        );
    }
    let edge = Edge::new().await;
    let reply = edge.post("/analytics/session", &json!({ "token": "a.hand-off.token" })).await;
    assert_eq!(reply.json(), json!({ "token": "reads", "expiresAt": "2026-03-31T19:00:00Z" }));
    edge.core.refuse(to_status(&Refusal(Kind::Unauthenticated, "SESSION_ENDED")));
    edge.post("/analytics/session", &json!({ "token": "used" })).await.assert_problem(401, "session_ended");
}

/// A browser that comes back from Google with `query`, and `cookie`.
async fn return_from_google(edge: &Edge, query: &str, cookie: &str) -> Reply {
    let request =
        edge.anonymous_request("GET", &format!("/api/v1/auth/google/callback?{query}")).header("cookie", cookie);
    let reply = edge.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!((reply.status.as_u16(), reply.body.len()), (303, 0));
    reply
}

const GOOGLE_COOKIE: &str = "oauth=google|the-state|the-nonce|the-verifier";

#[tokio::test]
async fn to_google_and_back_with_what_this_browser_remembers() {
    let edge = Edge::new().await;
    assert_eq!(edge.get("/auth/options").await.json(), json!({ "google": true }));
    let reply = edge.get("/auth/google").await;
    assert_eq!(reply.status, 303);
    assert!(reply.header("location").starts_with("https://accounts.google.com/"));
    let expected = format!("{GOOGLE_COOKIE}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax");
    assert_eq!(cookies(&reply), [expected]);
    let callback = "redirect_uri: \"http://tradebahi.example/api/v1/auth/google/callback\"";
    assert!(edge.core.last_request().contains(callback));

    let reply = return_from_google(&edge, "state=the-state&code=4%2Fabc&scope=email", GOOGLE_COOKIE).await;
    assert_eq!(reply.header("location"), "/?token=a.sign-in.token");
    assert_eq!(cookies(&reply), ["oauth=sign-in|its-id; Path=/; Max-Age=60; HttpOnly; SameSite=Lax"]);
    for part in ["code: \"4/abc\"", "nonce: \"the-nonce\"", "verifier: \"the-verifier\"", callback] {
        assert!(edge.core.last_request().contains(part), "{part}");
    }
}

#[tokio::test]
async fn on_a_public_address_the_flow_has_a_cookie_of_that_host_alone() {
    let edge = Edge::with(https()).await;
    let reply = edge.get("/auth/google").await;
    let expected = format!("__Host-{GOOGLE_COOKIE}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure");
    assert_eq!(cookies(&reply), [expected]);
    assert!(edge.core.last_request().contains("\"https://tradebahi.example/api/v1/auth/google/callback\""));
    let reply = return_from_google(&edge, "state=the-state&code=abc", GOOGLE_COOKIE).await;
    assert_eq!(reply.header("location"), "/login?google=expired", "a cookie that anybody could plant");
}

#[tokio::test]
async fn every_end_of_the_way_to_google_is_a_page() {
    let edge = Edge::new().await;
    let foreign = "oauth=google|another-state|the-nonce|the-verifier";
    for (query, cookie, code) in [
        ("state=the-state&code=abc", "x=y", "expired"),
        ("state=the-state&code=abc", foreign, "expired"),
        ("state=the-state&code=abc", "oauth=sign-in|the-state", "expired"),
        ("state=the-stat&code=abc", GOOGLE_COOKIE, "expired"),
        ("code=abc", GOOGLE_COOKIE, "expired"),
        ("state=the-state&error=access_denied", GOOGLE_COOKIE, "cancelled"),
        ("state=the-state&error=server_error&code=abc", GOOGLE_COOKIE, "refused"),
        ("state=the-state", GOOGLE_COOKIE, "refused"),
    ] {
        let reply = return_from_google(&edge, query, cookie).await;
        assert_eq!(reply.header("location"), format!("/login?google={code}"), "{query} {cookie}");
        assert_eq!(cookies(&reply), ["oauth=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"]);
    }
    assert_eq!(edge.core.count("finish_google_sign_in"), 0);
    for (kind, reason, code) in [
        (Kind::Unauthenticated, "GOOGLE_REFUSED", "refused"),
        (Kind::Busy, "GOOGLE_UNREACHABLE", "unreachable"),
        (Kind::Forbidden, "EMAIL_UNVERIFIED", "unverified"),
        (Kind::Forbidden, "ACCOUNT_CLOSED", "closed"),
        (Kind::Internal, "DATABASE", "unreachable"),
    ] {
        edge.core.refuse(to_status(&Refusal(kind, reason)));
        let reply = return_from_google(&edge, "state=the-state&code=abc", GOOGLE_COOKIE).await;
        assert_eq!(reply.header("location"), format!("/login?google={code}"), "{reason}");
    }
    edge.core.refuse(to_status(&Refusal(Kind::NotFound, "GOOGLE_NOT_SET_UP")));
    edge.get("/auth/google").await.assert_problem(404, "google_not_set_up");
}

#[tokio::test]
async fn what_cannot_stand_in_a_head_is_not_sent_in_one() {
    let edge = Edge::new().await;
    let token = SignInToken { token: "a\r\nset-cookie: x=y".to_owned(), id: "its-id".to_owned() };
    *edge.core.0.outcome.lock().unwrap() = Some(Outcome::SignIn(token));
    let request =
        edge.anonymous_request("GET", "/auth/google/callback?state=the-state&code=abc").header("cookie", GOOGLE_COOKIE);
    edge.send(request.body(Body::empty()).unwrap()).await.assert_problem(500, "internal");
}

#[tokio::test]
async fn the_password_ties_google_to_an_account_that_is_there() {
    let edge = Edge::new().await;
    *edge.core.0.outcome.lock().unwrap() = Some(Outcome::Link(LinkTicket { ticket: "the-ticket".to_owned() }));
    let reply = return_from_google(&edge, "state=the-state&code=abc", GOOGLE_COOKIE).await;
    assert_eq!(reply.header("location"), "/login?google=link");
    assert_eq!(cookies(&reply), ["oauth=link|the-ticket; Path=/; Max-Age=600; HttpOnly; SameSite=Lax"]);

    let reply =
        post_with_cookie(&edge, "/auth/google/link", &json!({ "password": "mine" }), "oauth=link|the-ticket").await;
    assert_eq!(reply.status, 200);
    assert!(edge.core.last_request().contains("ticket: \"the-ticket\", password: \"mine\""));
    assert_logged_in(&reply);

    for cookie in ["x=y", "oauth=sign-in|the-ticket", "oauth=link|", "oauth=link|the-ticket|more"] {
        let reply = post_with_cookie(&edge, "/auth/google/link", &json!({ "password": "mine" }), cookie).await;
        assert_eq!((reply.assert_problem(422, "link_expired")["success"]), json!(false));
    }
    assert_eq!(edge.core.count("link_google"), 1);
}

/// Signed in, known as a device, and with nothing left of the way here.
#[track_caller]
fn assert_logged_in(reply: &Reply) {
    let lines = cookies(reply);
    assert!(lines.len() == 3 && lines[0].starts_with("rt=next-refresh-token; Path=/; Max-Age="), "{lines:?}");
    assert_eq!(lines[1], "device=a-device; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict");
    assert_eq!(lines[2], "oauth=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
}

async fn post_with_cookie(edge: &Edge, path: &str, body: &Value, cookie: &str) -> Reply {
    let request =
        edge.anonymous_request("POST", path).header("content-type", "application/json").header("cookie", cookie);
    edge.send(request.body(Body::from(body.to_string())).unwrap()).await
}

/// A token with this id. Its signature is the core's business.
fn sign_in_token(id: &str) -> String {
    use base64::Engine;
    let payload = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json!({ "jti": id }).to_string());
    format!("head.{payload}.signature")
}

#[tokio::test]
async fn the_browser_that_began_a_sign_in_is_not_asked() {
    let edge = Edge::new().await;
    let body = json!({ "token": sign_in_token("its-id") });
    let reply = post_with_cookie(&edge, "/auth/exchange", &body, "oauth=sign-in|its-id").await;
    assert_eq!(reply.status, 200);
    assert_logged_in(&reply);
}

#[tokio::test]
async fn any_other_browser_is_asked_first() {
    let edge = Edge::new().await;
    let exchange = async |confirm: Option<bool>, cookie: &str| {
        let mut body = json!({ "token": sign_in_token("its-id") });
        if let Some(confirm) = confirm {
            body["confirm"] = json!(confirm);
        }
        post_with_cookie(&edge, "/api/v1/auth/exchange", &body, cookie).await
    };
    for cookie in ["x=y", "oauth=sign-in|another-id", "oauth=link|its-id", GOOGLE_COOKIE] {
        exchange(None, cookie).await.assert_problem(409, "confirm_sign_in");
        exchange(Some(false), cookie).await.assert_problem(409, "confirm_sign_in");
    }
    assert_eq!(edge.core.count("exchange_sign_in_token"), 0, "the token is still good");
    assert_eq!(exchange(Some(true), "x=y").await.status, 200);
    for token in ["x", "a.b.c", "head.e30.signature", &"x".repeat(4096)] {
        let reply = edge.post("/auth/exchange", &json!({ "token": token, "confirm": true })).await;
        reply.assert_problem(401, "session_ended");
    }
    for token in ["", &"x".repeat(4097)] {
        edge.post("/auth/exchange", &json!({ "token": token, "confirm": true })).await.assert_problem(422, "invalid");
    }
    edge.post("/auth/exchange", &json!({ "token": "x", "confirm": "yes" })).await.assert_problem(422, "invalid");
    assert_eq!(edge.core.count("exchange_sign_in_token"), 1);
    edge.core.refuse(to_status(&Refusal(Kind::Unauthenticated, "SESSION_ENDED")));
    exchange(Some(true), "x=y").await.assert_problem(401, "session_ended");
}

#[tokio::test]
async fn what_a_device_was_given_is_shown_at_every_sign_in() {
    let edge = Edge::new().await;
    let credentials = json!({ "email": "asha@example.in", "password": "long enough", "restore": true });
    let reply = post_with_cookie(&edge, "/auth/login", &credentials, "device=known").await;
    assert!(cookies(&reply)[1].starts_with("device=a-device; "), "{:?}", cookies(&reply));
    assert_eq!(edge.core.0.device.lock().unwrap().take().unwrap().device_token, "known");
    let body = json!({ "token": sign_in_token("its-id"), "confirm": true });
    post_with_cookie(&edge, "/auth/exchange", &body, "device=known").await;
    assert!(edge.core.last_request().contains("device_token: \"known\""));
}

#[tokio::test]
async fn another_site_cannot_ask_for_any_of_it() {
    let edge = Edge::with(https()).await;
    for (method, path) in [
        ("PATCH", "/account"),
        ("DELETE", "/account/sign-ins"),
        ("POST", "/auth/exchange"),
        ("POST", "/auth/google/link"),
        ("POST", "/auth/handoff"),
    ] {
        let mut request: Request<Body> = edge.request(method, path).body(Body::empty()).unwrap();
        request.headers_mut().insert("sec-fetch-site", HeaderValue::from_static("cross-site"));
        edge.send(request).await.assert_problem(403, "cross_site");
    }
}

#[tokio::test]
async fn everything_that_is_kept_of_an_account_is_one_document() {
    let edge = Edge::new().await;
    *edge.core.0.pages.lock().unwrap() = vec![Ok(vec![trade(2)]), Ok(vec![trade(1)])];
    for path in ["/account/export", "/api/v1/account/export?format=json"] {
        let reply = edge.get(path).await;
        assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "application/json"));
        let name = reply.header("content-disposition");
        assert!(name.starts_with("attachment; filename=\"tradebahi-account-20") && name.ends_with(".json\""), "{name}");
        let export = reply.json();
        assert_eq!(export["account"]["clientId"], "TB-7K3M9Q");
        assert_eq!(export["signIns"][1]["id"], "s2");
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
