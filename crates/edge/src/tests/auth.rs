//! Tests of registration, log-in, refresh and log-out.

use http::Request;
use rpc::failure::{Failure, Kind, Violation, to_status};
use serde_json::json;
use time::OffsetDateTime;

use super::*;

#[derive(Debug, thiserror::Error)]
#[error("secret log message")]
pub struct Refusal(pub Kind, pub &'static str);

impl Failure for Refusal {
    fn kind(&self) -> Kind {
        self.0
    }
    fn reason(&self) -> &'static str {
        self.1
    }
    fn service(&self) -> &'static str {
        "auth"
    }
    fn violations(&self) -> Vec<Violation> {
        if self.0 != Kind::Invalid {
            return Vec::new();
        }
        vec![Violation::new("confirm_password", "MISMATCH")]
    }
    fn metadata(&self) -> Vec<(&'static str, String)> {
        vec![("broker", "groww".to_owned()), ("segment", "fno".to_owned())]
    }
}

fn registration() -> Value {
    json!({
        "name": "Asha Rao", "email": "asha@example.in", "phone": "9876543210", "password": "long enough",
        "confirmPassword": "long enough",
    })
}

fn credentials() -> Value {
    json!({ "email": "asha@example.in", "password": "long enough" })
}

fn request_with_cookie(edge: &Edge, path: &str, cookie: &str) -> Request<Body> {
    edge.anonymous_request("POST", path).header("cookie", cookie).body(Body::empty()).unwrap()
}

pub fn https() -> Settings {
    Settings { public_url: Some("https://tradebahi.example".parse().unwrap()), ..Settings::default() }
}

#[tokio::test]
async fn register_returns_201_under_both_base_paths() {
    let edge = Edge::new().await;
    for base in ["/api/v1", ""] {
        let reply = edge.post(&format!("{base}/auth/register"), &registration()).await;
        assert_eq!((reply.status.as_u16(), reply.json()), (201, json!({ "success": true })));
        reply.assert_security_headers();
    }
}

#[tokio::test]
async fn auth_errors_contain_success_false_and_the_message() {
    let edge = Edge::new().await;
    edge.core.refuse(to_status(&Refusal(Kind::FailedPrecondition, "EMAIL_TAKEN")));
    for base in ["/api/v1", ""] {
        let problem =
            edge.post(&format!("{base}/auth/register"), &registration()).await.assert_problem(409, "email_taken");
        let text = "This email address already has an account. Log in instead.";
        assert_eq!((&problem["success"], &problem["error"]), (&json!(false), &json!(text)));
    }
    edge.core.refuse(to_status(&Refusal(Kind::Invalid, "INVALID")));
    let problem = edge.post("/auth/register", &registration()).await.assert_problem(422, "invalid");
    let text = "The two passwords are not the same.";
    assert_eq!(problem["error"], text);
    assert_eq!(problem["errors"], json!([{ "field": "confirmPassword", "code": "mismatch", "message": text }]));
    edge.core.refuse(to_status(&Refusal(Kind::Unauthenticated, "INVALID_CREDENTIALS")));
    let reply = edge.post("/auth/login", &credentials()).await;
    reply.assert_problem(401, "invalid_credentials");
    assert_eq!(reply.header("www-authenticate"), "Bearer");
    edge.core.refuse(to_status(&Refusal(Kind::Busy, "BUSY")));
    let reply = edge.post("/auth/login", &credentials()).await;
    reply.assert_problem(503, "busy");
    assert_eq!(reply.header("retry-after"), "1");
    assert_eq!(edge.core.count("log_in"), 2, "a write is never retried");
}

#[tokio::test]
async fn reports_all_invalid_fields_at_once() {
    let edge = Edge::new().await;
    let body = json!({ "name": 7, "email": "a", "phone": null, "password": "x", "admin": true });
    let problem = edge.post("/auth/register", &body).await.assert_problem(422, "invalid");
    let errors: Vec<_> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["field"].as_str(), error["code"].as_str()))
        .collect();
    let expected = [("name", "not_text"), ("phone", "required"), ("confirmPassword", "required"), ("admin", "unknown")];
    assert_eq!(errors, expected.map(|(field, code)| (Some(field), Some(code))));
    assert_eq!(edge.core.count("register"), 0);
}

#[tokio::test]
async fn refresh_cookie_has_no_host_prefix_without_a_public_url() {
    let reply = Edge::new().await.post("/auth/login", &credentials()).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["data"]["token"].as_str().unwrap().split('.').count(), 3);
    assert_cookie(reply.header("set-cookie"), "rt=next-refresh-token; Path=/; Max-Age=", "; HttpOnly; SameSite=Strict");
}

#[tokio::test]
async fn refresh_cookie_is_secure_with_an_https_public_url() {
    let reply = Edge::with(https()).await.post("/auth/login", &credentials()).await;
    let end = "; HttpOnly; SameSite=Strict; Secure";
    assert_cookie(reply.header("set-cookie"), "__Host-rt=next-refresh-token; Path=/; Max-Age=", end);
}

#[track_caller]
fn assert_cookie(cookie: &str, start: &str, end: &str) {
    let age = cookie.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    let age: i64 = age.unwrap_or_else(|| panic!("{cookie}")).parse().unwrap();
    assert!((14 * 86_400 - 5..=14 * 86_400).contains(&age), "{age}");
}

#[tokio::test]
async fn refresh_uses_the_token_of_the_cookie() {
    let edge = Edge::new().await;
    let reply = edge.send(request_with_cookie(&edge, "/auth/refresh", "other=1; rt=the-token; rtx=2")).await;
    assert_eq!(reply.status, 200);
    assert!(reply.header("set-cookie").starts_with("rt=next-refresh-token;"));
    assert_eq!(*edge.core.0.refresh_tokens.lock().unwrap(), ["the-token"]);
}

#[tokio::test]
async fn rejects_a_cookie_without_the_host_prefix_with_an_https_public_url() {
    let edge = Edge::with(https()).await;
    edge.send(request_with_cookie(&edge, "/auth/refresh", "rt=planted")).await.assert_problem(401, "session_ended");
    assert_eq!(edge.core.count("refresh"), 0);
}

#[tokio::test]
async fn log_in_ends_the_previous_session_of_the_browser() {
    let edge = Edge::new().await;
    let log_in = async |cookie: &'static str| {
        let request = edge.anonymous_request("POST", "/auth/login").header("content-type", "application/json");
        let request = request.header("cookie", cookie).body(Body::from(credentials().to_string()));
        edge.send(request.unwrap()).await
    };
    assert_eq!(log_in("device=here").await.status, 200);
    assert_eq!(edge.core.count("log_out"), 0);
    assert_eq!(log_in("rt=former").await.status, 200);
    assert_eq!(*edge.core.0.refresh_tokens.lock().unwrap(), ["former"]);
    edge.core.refuse(to_status(&Refusal(Kind::Unauthenticated, "INVALID_CREDENTIALS")));
    log_in("rt=former").await.assert_problem(401, "invalid_credentials");
    assert_eq!(edge.core.count("log_out"), 1, "a refused log-in keeps the previous session");
}

#[tokio::test]
async fn removes_the_cookie_of_an_ended_session() {
    let edge = Edge::new().await;
    edge.core.refuse(to_status(&Refusal(Kind::Unauthenticated, "SESSION_ENDED")));
    for cookie in ["rt=dead", "x=y", "rt="] {
        let reply = edge.send(request_with_cookie(&edge, "/auth/refresh", cookie)).await;
        reply.assert_problem(401, "session_ended");
        assert_eq!(reply.header("set-cookie"), "rt=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
        assert_eq!(reply.header("www-authenticate"), "Bearer");
    }
}

#[tokio::test]
async fn keeps_the_cookie_when_the_core_is_unavailable() {
    let edge = Edge::new().await;
    edge.core.refuse(tonic::Status::unavailable("secret"));
    let reply = edge.send(request_with_cookie(&edge, "/auth/refresh", "rt=alive")).await;
    reply.assert_problem(503, "unavailable");
    assert!(!reply.headers.contains_key("set-cookie"));
    let reply = edge.send(request_with_cookie(&edge, "/auth/logout", "rt=alive")).await;
    reply.assert_problem(503, "unavailable");
    assert!(!reply.headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn log_out_returns_204_with_any_or_no_credentials() {
    let edge = Edge::new().await;
    let expired = edge.core.token_until(OffsetDateTime::now_utc().unix_timestamp() - 3600);
    let requests = [
        request_with_cookie(&edge, "/auth/logout", "rt=mine"),
        request_with_cookie(&edge, "/api/v1/auth/logout", "x=y"),
        edge.request("POST", "/auth/logout").body(Body::empty()).unwrap(),
        edge.anonymous_request("POST", "/auth/logout")
            .header("authorization", format!("Bearer {expired}"))
            .body(Body::empty())
            .unwrap(),
    ];
    for request in requests {
        let reply = edge.send(request).await;
        assert_eq!((reply.status.as_u16(), reply.body.len()), (204, 0));
        assert_eq!(reply.header("set-cookie"), "rt=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
        assert_eq!(reply.header("clear-site-data"), "\"cache\", \"storage\"");
        reply.assert_security_headers();
    }
    assert_eq!(edge.core.count("log_out"), 2, "without a session there is nothing to end");
    edge.core.refuse(to_status(&Refusal(Kind::Unauthenticated, "SESSION_ENDED")));
    assert_eq!(edge.send(request_with_cookie(&edge, "/auth/logout", "rt=dead")).await.status, 204);
}

#[tokio::test]
async fn s11_a_logout_clears_the_cached_trade_log() {
    let edge = Edge::new().await;
    let log = edge.get("/trades/client").await;
    assert_eq!(log.header("cache-control"), "private, no-cache", "the browser stores the log");
    assert!(log.headers.get_all("vary").iter().any(|vary| vary.to_str().unwrap().contains("authorization")));
    let request = edge.request("POST", "/auth/logout").body(Body::empty()).unwrap();
    assert_eq!(edge.send(request).await.header("clear-site-data"), "\"cache\", \"storage\"");
}

#[tokio::test]
async fn log_out_keeps_the_cookie_when_the_token_cannot_be_verified() {
    let edge = Edge::with_verifier(Settings::default(), Verifier::default()).await;
    for cookie in ["x=y", "rt=alive"] {
        let request = edge.request("POST", "/auth/logout").header("cookie", cookie).body(Body::empty()).unwrap();
        let reply = edge.send(request).await;
        reply.assert_problem(503, "busy");
        assert!(!reply.headers.contains_key("set-cookie") && !reply.headers.contains_key("clear-site-data"));
    }
    assert_eq!(edge.core.count("log_out"), 0);
}

#[tokio::test]
async fn log_out_uses_the_cookie_when_the_core_rejects_the_access_token() {
    let edge = Edge::new().await;
    *edge.core.0.rejects_tokens.lock().unwrap() = true;
    let request =
        |cookie: &str| edge.request("POST", "/auth/logout").header("cookie", cookie).body(Body::empty()).unwrap();
    assert_eq!(edge.send(request("rt=mine")).await.status, 204);
    assert_eq!(*edge.core.0.refresh_tokens.lock().unwrap(), ["mine"]);
    assert_eq!(edge.send(request("x=y")).await.status, 204);
    assert_eq!(edge.core.count("log_out"), 3);
}

#[tokio::test]
async fn log_in_enforces_the_documented_field_lengths() {
    let edge = Edge::new().await;
    let log_in = async |email: &str, password: &str| {
        edge.post("/auth/login", &json!({ "email": email, "password": password })).await
    };
    // Lengths are in characters, not bytes.
    for (email, password) in [("a", "b"), (&*"अ".repeat(254), &*"é".repeat(1024))] {
        assert_eq!(log_in(email, password).await.status, 200);
    }
    for (email, password, field, code) in [
        ("", "b", "email", "required"),
        ("a", "", "password", "required"),
        (&*"a".repeat(255), "b", "email", "too_long"),
        ("a", &*"b".repeat(1025), "password", "too_long"),
    ] {
        let problem = log_in(email, password).await.assert_problem(422, "invalid");
        let errors = problem["errors"].as_array().unwrap();
        assert_eq!((errors.len(), &errors[0]["field"], &errors[0]["code"]), (1, &json!(field), &json!(code)));
    }
    assert_eq!(edge.core.count("log_in"), 2);
}

#[tokio::test]
async fn forwarded_address_counts_only_behind_a_trusted_proxy() {
    let edge = Edge::new().await;
    let request = |edge: &Edge| {
        edge.anonymous_request("POST", "/auth/login")
            .header("content-type", "application/json; charset=utf-8")
            .header("x-forwarded-for", "198.51.100.7")
            .header("user-agent", "A".repeat(300))
            .body(Body::from(credentials().to_string()))
            .unwrap()
    };
    assert_eq!(edge.send(request(&edge)).await.status, 200);
    let device = edge.core.0.device.lock().unwrap().clone().unwrap();
    assert_eq!((device.address.as_str(), device.user_agent.len()), ("203.0.113.9", 256));

    let trusted_proxies = vec!["203.0.113.0/24".parse().unwrap()];
    let edge = Edge::with(Settings { trusted_proxies, ..Settings::default() }).await;
    edge.send(request(&edge)).await;
    assert_eq!(edge.core.0.device.lock().unwrap().clone().unwrap().address, "198.51.100.7");
}

#[tokio::test]
async fn s6_returns_the_public_keys_as_a_jwk_set_without_a_call() {
    let edge = Edge::new().await;
    // Every call would fail from now on.
    *edge.core.0.rejects_tokens.lock().unwrap() = true;
    edge.core.refuse(tonic::Status::internal("no connection"));
    let calls = edge.core.0.calls.lock().unwrap().len();
    let reply = edge.get("/.well-known/jwks.json").await;
    assert_eq!(edge.core.0.calls.lock().unwrap().len(), calls);
    let keys = reply.json();
    let key = keys["keys"][0].as_object().unwrap();
    assert_eq!(key.len(), 6);
    assert_eq!(
        (key["kty"].as_str(), key["crv"].as_str(), key["kid"].as_str()),
        (Some("OKP"), Some("Ed25519"), Some("k"))
    );
    assert_eq!(reply.header("content-type"), "application/json");
}
