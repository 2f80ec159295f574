//! Metrics for Prometheus. A label is a route template, never a path that a client sent.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use http::header::CONTENT_TYPE;
use http::{Method, StatusCode};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::client_address::ClientAddress;
use crate::problem::Problem;

/// Upper bounds in seconds, from 1 ms to 64 s, so that the longest timeout still falls into a bucket.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 4.0, 16.0, 64.0];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ResponseLabels {
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    method: &'static str,
}

/// Counters of requests and responses.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<ResponseLabels, Counter<u64, AtomicU64>>,
    seconds: Family<RequestLabels, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
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

/// Number of bytes that is read when the metrics are requested.
struct ByteGauge<F> {
    name: &'static str,
    help: &'static str,
    read: F,
}

impl<F> fmt::Debug for ByteGauge<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteGauge").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<F: Fn() -> u64 + Send + Sync + 'static> Collector for ByteGauge<F> {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let gauge = ConstGauge::new(i64::try_from((self.read)()).unwrap_or(i64::MAX));
        gauge.encode(encoder.encode_descriptor(self.name, self.help, Some(&Unit::Bytes), gauge.metric_type())?)
    }
}

impl Metrics {
    /// Adds a number of bytes, which `read` returns whenever the metrics are requested.
    pub fn register_bytes(
        &mut self,
        name: &'static str,
        help: &'static str,
        read: impl Fn() -> u64 + Send + Sync + 'static,
    ) {
        self.registry.register_collector(Box::new(ByteGauge { name, help, read }));
    }

    /// Counts a response and the time until its head was ready.
    pub(crate) fn count_response(&self, route: &str, method: &Method, status: StatusCode, elapsed: Duration) {
        let method = method_label(method);
        let route = route.to_owned();
        self.seconds.get_or_create(&RequestLabels { route: route.clone(), method }).observe(elapsed.as_secs_f64());
        self.requests.get_or_create(&ResponseLabels { route, method, status: status.as_u16() }).inc();
    }

    /// Counts a request as in flight until the guard is dropped.
    pub(crate) fn count_in_flight(&self) -> InFlightGuard {
        self.in_flight.inc();
        InFlightGuard(self.in_flight.clone())
    }

    fn encode(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// Counts a request as in flight until it is dropped.
pub(crate) struct InFlightGuard(Gauge);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Returns the method for labels and logs; `other` for extension methods, whose names clients can choose freely.
pub(crate) fn method_label(method: &Method) -> &'static str {
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

#[derive(Clone)]
struct Endpoint {
    metrics: Arc<Metrics>,
    is_open: bool,
}

/// Returns the route `/metrics`. Unless `is_open`, it responds only to processes on this machine that connect by TCP.
pub fn routes<S>(metrics: Arc<Metrics>, is_open: bool) -> Router<S> {
    Router::new().route("/metrics", get(get_metrics)).with_state(Endpoint { metrics, is_open })
}

async fn get_metrics(
    State(endpoint): State<Endpoint>,
    Extension(address): Extension<ClientAddress>,
) -> Result<Response, Problem> {
    if !address.is_local && !endpoint.is_open {
        let problem = Problem::from_status(StatusCode::FORBIDDEN);
        return Err(problem.with_detail("local_only", "Ask from the machine itself."));
    }
    let text = endpoint.metrics.encode().map_err(|error| {
        tracing::error!(%error, "metrics cannot be written");
        Problem::internal()
    })?;
    Ok(([(CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text).into_response())
}
