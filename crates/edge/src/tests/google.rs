//! Tests of log-in through Google and of the exchange of log-in tokens.

use rpc::auth::v1::finish_google_login_response::Outcome;
use rpc::auth::v1::{LinkTicket, LoginToken, RegistrationTicket};
use rpc::failure::{Kind, to_status};
use rpc::token::Purpose;
use serde_json::json;

use super::account::cookies;
use super::auth::{Refusal, https};
use super::*;

/// Requests the Google callback with this query and cookie.
async fn return_from_google(edge: &Edge, query: &str, cookie: &str) -> Reply {
    let request =
        edge.anonymous_request("GET", &format!("/api/v1/auth/google/callback?{query}")).header("cookie", cookie);
    let reply = edge.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!((reply.status.as_u16(), reply.body.len()), (303, 0));
    reply
}

const GOOGLE_COOKIE: &str = "oauth=google|the-state|the-nonce|the-verifier";

#[tokio::test]
async fn google_log_in_keeps_its_state_in_a_cookie() {
    let edge = Edge::new().await;
    assert_eq!(edge.get("/auth/options").await.json(), json!({ "google": true }));
    let reply = edge.get("/auth/google").await;
    assert_eq!(reply.status, 303);
    assert!(reply.header("location").starts_with("https://accounts.google.com/"));
    let expected = format!("{GOOGLE_COOKIE}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax");
    assert_eq!(cookies(&reply), [expected]);
    let callback = "redirect_uri: \"http://localhost:8080/api/v1/auth/google/callback\"";
    assert!(edge.core.last_request().contains(callback));

    let reply = return_from_google(&edge, "state=the-state&code=4%2Fabc&scope=email", GOOGLE_COOKIE).await;
    assert_eq!(reply.header("location"), "/?token=a.login.token");
    assert_eq!(cookies(&reply), ["oauth=login|its-id; Path=/; Max-Age=60; HttpOnly; SameSite=Lax"]);
    for part in ["code: \"4/abc\"", "nonce: \"the-nonce\"", "verifier: \"the-verifier\"", callback] {
        assert!(edge.core.last_request().contains(part), "{part}");
    }
}

#[tokio::test]
async fn google_cookie_has_the_host_prefix_with_an_https_public_url() {
    let edge = Edge::with(https()).await;
    let reply = edge.get("/auth/google").await;
    let expected = format!("__Host-{GOOGLE_COOKIE}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure");
    assert_eq!(cookies(&reply), [expected]);
    assert!(edge.core.last_request().contains("\"https://tradebahi.example/api/v1/auth/google/callback\""));
    let reply = return_from_google(&edge, "state=the-state&code=abc", GOOGLE_COOKIE).await;
    assert_eq!(
        reply.header("location"),
        "/login?google=expired",
        "a cookie without the host prefix could come from another site"
    );
}

#[tokio::test]
async fn every_outcome_of_the_google_callback_redirects_to_a_page() {
    let edge = Edge::new().await;
    let foreign = "oauth=google|another-state|the-nonce|the-verifier";
    for (query, cookie, code) in [
        ("state=the-state&code=abc", "x=y", "expired"),
        ("state=the-state&code=abc", foreign, "expired"),
        ("state=the-state&code=abc", "oauth=login|the-state", "expired"),
        ("state=the-stat&code=abc", GOOGLE_COOKIE, "expired"),
        ("code=abc", GOOGLE_COOKIE, "expired"),
        ("state=the-state&error=access_denied", GOOGLE_COOKIE, "cancelled"),
        ("state=the-state&error=server_error&code=abc", GOOGLE_COOKIE, "rejected"),
        ("state=the-state", GOOGLE_COOKIE, "rejected"),
    ] {
        let reply = return_from_google(&edge, query, cookie).await;
        assert_eq!(reply.header("location"), format!("/login?google={code}"), "{query} {cookie}");
        assert_eq!(cookies(&reply), ["oauth=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"]);
    }
    assert_eq!(edge.core.count("finish_google_login"), 0);
    for (kind, reason, code) in [
        (Kind::Unauthenticated, "GOOGLE_REJECTED", "rejected"),
        (Kind::Busy, "GOOGLE_UNREACHABLE", "unreachable"),
        (Kind::Forbidden, "EMAIL_UNVERIFIED", "unverified"),
        (Kind::Forbidden, "ACCOUNT_CLOSED", "closed"),
        (Kind::Internal, "DATABASE", "unreachable"),
    ] {
        edge.core.refuse(to_status(&Refusal(kind, reason)));
        let reply = return_from_google(&edge, "state=the-state&code=abc", GOOGLE_COOKIE).await;
        assert_eq!(reply.header("location"), format!("/login?google={code}"), "{reason}");
    }
    edge.core.refuse(to_status(&Refusal(Kind::NotFound, "GOOGLE_NOT_CONFIGURED")));
    edge.get("/auth/google").await.assert_problem(404, "google_not_configured");
}

#[tokio::test]
async fn returns_an_internal_error_when_a_token_is_no_valid_header_value() {
    let edge = Edge::new().await;
    let token = LoginToken { token: "a\r\nset-cookie: x=y".to_owned(), id: "its-id".to_owned() };
    *edge.core.0.outcome.lock().unwrap() = Some(Outcome::LoginToken(token));
    let request =
        edge.anonymous_request("GET", "/auth/google/callback?state=the-state&code=abc").header("cookie", GOOGLE_COOKIE);
    edge.send(request.body(Body::empty()).unwrap()).await.assert_problem(500, "internal");
}

#[tokio::test]
async fn password_links_google_to_an_existing_account() {
    let edge = Edge::new().await;
    *edge.core.0.outcome.lock().unwrap() = Some(Outcome::LinkTicket(LinkTicket { ticket: "the-ticket".to_owned() }));
    let reply = return_from_google(&edge, "state=the-state&code=abc", GOOGLE_COOKIE).await;
    assert_eq!(reply.header("location"), "/login?google=link");
    assert_eq!(cookies(&reply), ["oauth=link|the-ticket; Path=/; Max-Age=600; HttpOnly; SameSite=Lax"]);

    let reply =
        post_with_cookie(&edge, "/auth/google/link", &json!({ "password": "mine" }), "oauth=link|the-ticket").await;
    assert_eq!(reply.status, 200);
    assert!(edge.core.last_request().contains("ticket: \"the-ticket\", password: \"mine\""));
    assert_logged_in(&reply);

    for cookie in ["x=y", "oauth=login|the-ticket", "oauth=link|", "oauth=link|the-ticket|more"] {
        let reply = post_with_cookie(&edge, "/auth/google/link", &json!({ "password": "mine" }), cookie).await;
        assert_eq!((reply.assert_problem(422, "link_expired")["success"]), json!(false));
    }
    assert_eq!(edge.core.count("link_google"), 1);
}

#[tokio::test]
async fn s13_an_unknown_address_leads_to_the_privacy_notice_before_the_account_is_created() {
    let edge = Edge::new().await;
    let ticket = RegistrationTicket { ticket: "the.signed.ticket".to_owned() };
    *edge.core.0.outcome.lock().unwrap() = Some(Outcome::RegistrationTicket(ticket));
    let reply = return_from_google(&edge, "state=the-state&code=abc", GOOGLE_COOKIE).await;
    assert_eq!(reply.header("location"), "/login?google=register");
    let cookie = "oauth=register|the.signed.ticket";
    assert_eq!(cookies(&reply), [format!("{cookie}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax")]);

    let notice = json!({ "noticeVersion": "2026-11-23" });
    for invalid in [json!({}), json!({ "noticeVersion": "" }), json!({ "noticeVersion": "x".repeat(41) })] {
        post_with_cookie(&edge, "/auth/google/register", &invalid, cookie).await.assert_problem(422, "invalid");
    }
    for cookie in ["x=y", "oauth=login|the.signed.ticket", "oauth=link|the.signed.ticket", "oauth=register|"] {
        post_with_cookie(&edge, "/auth/google/register", &notice, cookie).await.assert_problem(422, "link_expired");
    }
    assert_eq!(edge.core.count("register_with_google"), 0);
    let reply = post_with_cookie(&edge, "/auth/google/register", &notice, cookie).await;
    assert_eq!(reply.status, 200);
    assert!(edge.core.last_request().contains("ticket: \"the.signed.ticket\", notice_version: \"2026-11-23\""));
    assert_logged_in(&reply);
}

/// Asserts that the session and device cookies are set and the Google cookie is removed.
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

/// Returns a log-in token and its id.
fn login_token(edge: &Edge) -> (String, String) {
    use base64::Engine;
    let token = edge.core.valid_token(Purpose::Login);
    let payload = token.split('.').nth(1).unwrap();
    let payload = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap();
    let claims: Value = serde_json::from_slice(&payload).unwrap();
    (token, claims["jti"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn token_exchange_needs_no_confirmation_in_the_browser_that_started_it() {
    let edge = Edge::new().await;
    let (token, id) = login_token(&edge);
    let body = json!({ "token": token });
    let reply = post_with_cookie(&edge, "/auth/exchange", &body, &format!("oauth=login|{id}")).await;
    assert_eq!(reply.status, 200);
    assert_logged_in(&reply);
}

#[tokio::test]
async fn s6_token_exchange_requires_a_valid_token_and_confirmation_in_another_browser() {
    let edge = Edge::new().await;
    let (token, id) = login_token(&edge);
    let exchange = async |confirm: Option<bool>, cookie: &str| {
        let mut body = json!({ "token": token });
        if let Some(confirm) = confirm {
            body["confirm"] = json!(confirm);
        }
        post_with_cookie(&edge, "/api/v1/auth/exchange", &body, cookie).await
    };
    for cookie in ["x=y", "oauth=login|another-id", &format!("oauth=link|{id}"), GOOGLE_COOKIE] {
        exchange(None, cookie).await.assert_problem(409, "confirm_login");
        exchange(Some(false), cookie).await.assert_problem(409, "confirm_login");
    }
    assert_eq!(edge.core.count("exchange_login_token"), 0, "the token was not used");
    assert_eq!(exchange(Some(true), "x=y").await.status, 200);
    // An invalid token does not reach the core.
    let handoff = edge.core.valid_token(Purpose::Handoff);
    for token in ["x", "a.b.c", "head.e30.signature", &token[1..], &handoff, &"x".repeat(4096)] {
        let reply = edge.post("/auth/exchange", &json!({ "token": token, "confirm": true })).await;
        reply.assert_problem(401, "session_ended");
    }
    for token in ["", &"x".repeat(4097)] {
        edge.post("/auth/exchange", &json!({ "token": token, "confirm": true })).await.assert_problem(422, "invalid");
    }
    edge.post("/auth/exchange", &json!({ "token": "x", "confirm": "yes" })).await.assert_problem(422, "invalid");
    assert_eq!(edge.core.count("exchange_login_token"), 1);
    edge.core.refuse(to_status(&Refusal(Kind::Unauthenticated, "SESSION_ENDED")));
    exchange(Some(true), "x=y").await.assert_problem(401, "session_ended");
}

#[tokio::test]
async fn s3_only_the_browser_that_began_a_login_may_have_an_unconfirmed_address() {
    let edge = Edge::new().await;
    let (token, id) = login_token(&edge);
    let body = json!({ "token": token, "confirm": true });
    let started = format!("oauth=login|{id}");
    for (cookie, started_here) in [(started.as_str(), true), ("oauth=login|another-id", false), ("x=y", false)] {
        let check = json!({ "token": token });
        let reply = post_with_cookie(&edge, "/auth/check-link", &check, cookie).await;
        let account = json!({ "name": "Asha Rao", "email": "asha@example.in", "startedHere": started_here });
        assert_eq!((reply.status.as_u16(), reply.json()), (200, account));
        let rule = format!("require_confirmed_email: {}", !started_here);
        assert!(edge.core.last_request().contains(&rule), "{cookie}");
        assert_eq!(post_with_cookie(&edge, "/auth/exchange", &body, cookie).await.status, 200);
        assert!(edge.core.last_request().contains(&rule), "{cookie}");
    }
    assert_eq!(edge.core.count("exchange_login_token"), 3);
    edge.core.refuse(to_status(&Refusal(Kind::Forbidden, "EMAIL_NOT_CONFIRMED")));
    let check = json!({ "token": "an access token" });
    edge.post("/auth/check-link", &check).await.assert_problem(403, "email_not_confirmed");
    for body in [json!({}), json!({ "token": "" }), json!({ "token": "x".repeat(4097) })] {
        edge.post("/auth/check-link", &body).await.assert_problem(422, "invalid");
    }
}

#[tokio::test]
async fn every_log_in_sends_the_device_token() {
    let edge = Edge::new().await;
    let credentials = json!({ "email": "asha@example.in", "password": "long enough", "restore": true });
    let reply = post_with_cookie(&edge, "/auth/login", &credentials, "device=known").await;
    assert!(cookies(&reply)[1].starts_with("device=a-device; "), "{:?}", cookies(&reply));
    assert_eq!(edge.core.0.device.lock().unwrap().take().unwrap().device_token, "known");
    let body = json!({ "token": login_token(&edge).0, "confirm": true });
    post_with_cookie(&edge, "/auth/exchange", &body, "device=known").await;
    assert!(edge.core.last_request().contains("device_token: \"known\""));
}
