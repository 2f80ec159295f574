//! Tests of the HTTP API against a fake core with configurable responses.

mod account;
mod auth;
mod careers;
mod connections;
mod core;
mod error_responses;
mod export;
mod google;
mod journals;
mod own_application;
mod pages;
mod previews;
mod rate_limits;
mod replace;
mod single_trades;
mod trades;
mod uploads;

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use rpc::auth::v1::auth_service_client::AuthServiceClient;
use rpc::auth::v1::auth_service_server::AuthServiceServer;
use rpc::transport::local;
use rpc::verifier::Verifier;
use serde_json::Value;
use tonic_health::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::server::HealthReporter;
use tower::ServiceExt;

use self::core::Core;
use crate::{Clients, Readiness, Settings, SiteFiles, router};

/// Edge under test with its fake core.
struct Edge {
    router: Router,
    core: Core,
    health: HealthReporter,
    ready: Readiness,
}

/// Response with its collected body.
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Edge {
    /// Creates an edge without rate limits.
    async fn new() -> Self {
        Self::with(Settings { no_rate_limits: true, ..Settings::default() }).await
    }

    async fn with(settings: Settings) -> Self {
        let verifier = Verifier::default();
        let edge = Self::with_verifier(settings, verifier.clone()).await;
        verifier.refresh(&mut AuthServiceClient::new(local(AuthServiceServer::new(edge.core.clone())))).await.unwrap();
        edge
    }

    /// Creates an edge that verifies access tokens with `verifier`.
    async fn with_verifier(settings: Settings, verifier: Verifier) -> Self {
        let core = Core::default();
        let clients = Clients {
            auth: AuthServiceClient::new(local(AuthServiceServer::new(core.clone()))),
            trades: rpc::trades::v1::trades_service_client::TradesServiceClient::new(local(
                rpc::trades::v1::trades_service_server::TradesServiceServer::new(core.clone()),
            )),
            imports: rpc::imports::v1::import_service_client::ImportServiceClient::new(local(
                rpc::imports::v1::import_service_server::ImportServiceServer::new(core.clone()),
            )),
            analytics: rpc::analytics::v1::analytics_service_client::AnalyticsServiceClient::new(local(
                rpc::analytics::v1::analytics_service_server::AnalyticsServiceServer::new(core.clone()),
            )),
            journals: rpc::journal::v1::journal_service_client::JournalServiceClient::new(local(
                rpc::journal::v1::journal_service_server::JournalServiceServer::new(core.clone()),
            )),
            trader_journals: rpc::trader_journal::v1::trader_journal_service_client::TraderJournalServiceClient::new(
                local(rpc::trader_journal::v1::trader_journal_service_server::TraderJournalServiceServer::new(
                    core.clone(),
                )),
            ),
            careers: rpc::careers::v1::careers_service_client::CareersServiceClient::new(local(
                rpc::careers::v1::careers_service_server::CareersServiceServer::new(core.clone()),
            )),
        };
        let (health, server) = tonic_health::server::health_reporter();
        health.set_service_status("", ServingStatus::Serving).await;
        let ready = Readiness::new(HealthClient::new(local(server)));
        let pages = SiteFiles::load(&settings).unwrap();
        let router = router(settings, pages, clients, verifier, ready.clone()).unwrap();
        Self { router, core, health, ready }
    }

    async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Reply { status: parts.status, headers: parts.headers, body }
    }

    async fn get(&self, path: &str) -> Reply {
        self.send(self.request("GET", path).body(Body::empty()).unwrap()).await
    }

    async fn post(&self, path: &str, body: &Value) -> Reply {
        let request = self.request("POST", path).header("content-type", "application/json");
        self.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    /// Starts a request with the trader's access token, from a peer on the network.
    fn request(&self, method: &str, path: &str) -> http::request::Builder {
        self.anonymous_request(method, path).header("authorization", format!("Bearer {}", self.core.token()))
    }

    fn anonymous_request(&self, method: &str, path: &str) -> http::request::Builder {
        let peer: SocketAddr = "203.0.113.9:4711".parse().unwrap();
        Request::builder().method(method).uri(path).header("host", "localhost:8080").extension(ConnectInfo(peer))
    }
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Asserts a problem response (RFC 9457) with this status and code, and returns its body.
    #[track_caller]
    fn assert_problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{:?}", self.body);
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["status"], status);
        assert_eq!(problem["type"], "about:blank");
        for text in ["title", "detail", "instance"] {
            assert!(problem[text].as_str().is_some_and(|text| !text.is_empty()), "{text}: {problem}");
        }
        self.assert_security_headers();
        problem
    }

    /// Asserts the headers that every response has.
    #[track_caller]
    fn assert_security_headers(&self) {
        for (name, value) in [
            ("strict-transport-security", "max-age=63072000; includeSubDomains"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(self.header(name), value, "{name}");
        }
        assert!(self.header("content-security-policy").starts_with("default-src 'none';"));
        assert!(self.header("permissions-policy").contains("camera=()"));
        assert!(!self.header("x-request-id").is_empty());
        assert!(!self.header("cache-control").is_empty());
        for name in ["server", "access-control-allow-origin"] {
            assert!(!self.headers.contains_key(name), "{name}");
        }
    }
}

/// Returns a limit in which each client may take everything.
fn shares(total: usize) -> crate::Shares {
    crate::Shares { total, per_address: total, per_account: total }
}
