//! What happens to every request, whatever it asks for.
//!
//! From outside to inside: [`around`] (request id, log, counters, security headers, the form of a refusal), panic
//! catch, [`crate::shed::shed`], compression, CSRF, [`crate::rate::limit`]; then, by route, the limits of [`bounded`].

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body::{Frame, SizeHint};
use prometheus_client::metrics::gauge::Gauge;
use tower_http::compression::predicate::{Predicate, SizeAbove};
use tower_http::compression::{CompressionLayer, CompressionLevel};
use tower_http::csrf::ProtectionError;
use tower_http::timeout::{RequestBodyDeadlineLayer, RequestBodyTimeoutLayer, TimeoutLayer};
use tracing::Instrument;
use uuid::Uuid;

use crate::Shared;
use crate::address::Address;
use crate::linger::lingering;
use crate::metrics;
use crate::problem::{self, Problem};
use crate::shed::Shed;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// What is logged and counted for everything that is not an operation.
const PAGE: &str = "(page)";

/// What a machine asks every few seconds would drown the log.
const QUIET: [&str; 3] = ["/livez", "/readyz", "/metrics"];

/// Everything that is not a page: nothing in it is ever run or shown.
const API_POLICY: &str = "default-src 'none'; frame-ancestors 'none'; sandbox";

const ALWAYS: [(HeaderName, &str); 7] = [
    (header::STRICT_TRANSPORT_SECURITY, "max-age=63072000; includeSubDomains"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("permissions-policy"),
        "accelerometer=(), autoplay=(), browsing-topics=(), camera=(), display-capture=(), \
         encrypted-media=(), fullscreen=(), gamepad=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), \
         local-fonts=(), magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), \
         publickey-credentials-create=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), \
         storage-access=(), usb=(), window-management=(), xr-spatial-tracking=()",
    ),
];

/// The name of one request, in logs, in the core, and in what the client is told.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(Arc<str>);

impl RequestId {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The caller's own, when it is one that a log can hold; otherwise a new one.
    fn of(headers: &HeaderMap) -> Self {
        let sane = |text: &&str| {
            (8..=64).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(sane);
        Self(given.map_or_else(|| Uuid::new_v4().to_string().into(), Arc::from))
    }

    fn instance(&self) -> String {
        match Uuid::try_parse(&self.0) {
            Ok(id) => id.urn().to_string(),
            Err(_) => format!("/requests/{}", self.0),
        }
    }
}

/// Names, logs and counts a request, and gives its answer the headers and the form that every answer has.
pub(crate) async fn around(State(app): State<Shared>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = RequestId::of(request.headers());
    let address = Address::of(request.extensions(), request.headers(), &app.settings.trusted_proxies);
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or(PAGE, MatchedPath::as_str);
    // Neither path nor query: both may hold what a log must not.
    let known = metrics::name(&method);
    let span =
        tracing::info_span!("request", id = id.as_str(), method = known, route, account_id = tracing::field::Empty);
    request.extensions_mut().insert(id.clone());
    request.extensions_mut().insert(address);
    let under_way = UnderWay::new(&app.metrics.in_flight);

    let response = next.run(lingering(request)).instrument(span.clone()).await;

    let mut response = problem::render(response, &path, &id.instance());
    finish(response.headers_mut(), &id);
    let took = started.elapsed();
    app.metrics.count(route, &method, response.status(), took);
    let latency_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let status = response.status().as_u16();
    if QUIET.contains(&route) || response.extensions().get::<Shed>().is_some() {
        span.in_scope(|| tracing::debug!(status, latency_ms, "answered"));
    } else {
        span.in_scope(|| tracing::info!(status, latency_ms, "answered"));
    }
    response.map(|body| Body::new(Held { body, _held: under_way }))
}

fn finish(headers: &mut HeaderMap, id: &RequestId) {
    for (name, value) in &ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(API_POLICY));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(id.as_str()) {
        headers.insert(REQUEST_ID, id);
    }
}

/// What a panic answers. Its message stays in the log.
pub(crate) fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    tracing::error!(message, "a handler panicked");
    Problem::internal().into_response()
}

/// What a request from another site is told.
pub(crate) fn cross_site(_: ProtectionError) -> Response {
    tracing::info!("cross_site_refused");
    Problem::of_status(StatusCode::FORBIDDEN)
        .saying("cross_site", "This request comes from another site.")
        .into_response()
}

/// Marks an answer that is worth compressing. Others stay as they are: what is compressed beside a secret tells of it.
#[derive(Clone, Copy)]
pub(crate) struct Compressible;

/// Compresses lists of trades on the way out, piece by piece.
pub(crate) fn compression() -> CompressionLayer<impl Predicate> {
    let marked = |_: StatusCode, _: http::Version, _: &HeaderMap, extensions: &http::Extensions| {
        extensions.get::<Compressible>().is_some()
    };
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(SizeAbove::new(1024).and(marked))
}

/// How large a body may be, and how long it may take.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub bytes: usize,
    /// What a larger one is told.
    pub too_large: fn() -> Problem,
    pub idle: Duration,
    pub body: Duration,
    /// Body and answer together. The answer alone is bounded where the core is called.
    pub all: Duration,
}

/// `router` within `bounds`.
pub(crate) fn bounded<S: Clone + Send + Sync + 'static>(router: Router<S>, bounds: Bounds) -> Router<S> {
    router
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, bounds.all))
        .layer(RequestBodyDeadlineLayer::new(bounds.body))
        .layer(RequestBodyTimeoutLayer::new(bounds.idle))
        .layer(axum::middleware::from_fn(move |request, next| announced(bounds, request, next)))
        .layer(DefaultBodyLimit::max(bounds.bytes))
}

/// Refuses a body that says itself that it is too large.
async fn announced(bounds: Bounds, request: Request, next: Next) -> Response {
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > bounds.bytes as u64) {
        return (bounds.too_large)().into_response();
    }
    next.run(request).await
}

/// A body that holds something until it was sent to its end, or given up.
struct Held<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> HttpBody for Held<T> {
    type Data = bytes::Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Counts a request as long as it lives.
struct UnderWay(Gauge);

impl UnderWay {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.dec();
    }
}
