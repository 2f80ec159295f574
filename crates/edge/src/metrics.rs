//! Counters for Prometheus. A label is a route template, never a path that somebody typed.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::Shared;
use crate::problem::Problem;

/// From 1 ms to 64 s, so that the longest deadline still falls into a bucket.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 4.0, 16.0, 64.0];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Answered {
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Asked {
    route: String,
    method: &'static str,
}

/// What is counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter<u64, AtomicU64>>,
    seconds: Family<Asked, Histogram, fn() -> Histogram>,
    /// Requests whose answer has not been sent to its end.
    pub in_flight: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("tradebahi");
        registry.register("build", "What runs", Info::new([("version", env!("CARGO_PKG_VERSION"))]));
        let requests = Family::default();
        registry.register("http_requests", "Requests answered", requests.clone());
        let histogram: fn() -> Histogram = || Histogram::new(BUCKETS);
        let seconds = Family::new_with_constructor(histogram);
        let help = "Time until the head of the answer";
        registry.register_with_unit("http_request_duration", help, Unit::Seconds, seconds.clone());
        let in_flight = Gauge::default();
        registry.register(
            "http_requests_in_flight",
            "Requests whose answer has not been sent to its end",
            in_flight.clone(),
        );
        Self { registry, requests, seconds, in_flight }
    }
}

impl Metrics {
    pub fn count(&self, route: &str, method: &Method, status: StatusCode, took: Duration) {
        let method = name(method);
        let route = route.to_owned();
        self.seconds.get_or_create(&Asked { route: route.clone(), method }).observe(took.as_secs_f64());
        self.requests.get_or_create(&Answered { route, method, status: status.as_u16() }).inc();
    }
}

/// A method of its own making would be a label of its own, and whatever one likes in the log.
pub(crate) fn name(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

/// `GET /metrics`
pub(crate) async fn show(
    State(app): State<Shared>,
    address: axum::Extension<crate::address::Address>,
) -> Result<Response, Problem> {
    if !address.local && !app.settings.open_metrics {
        return Err(Problem::of_status(StatusCode::FORBIDDEN).saying("local_only", "Ask from the machine itself."));
    }
    let mut text = String::new();
    encode(&mut text, &app.metrics.registry).map_err(|error| {
        tracing::error!(%error, "metrics cannot be written");
        Problem::internal()
    })?;
    Ok(([(CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text).into_response())
}
