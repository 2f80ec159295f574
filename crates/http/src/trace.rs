//! Outermost layer of every request: request id, log line, metrics, security headers and the format of errors.

use std::any::Any;
use std::pin::Pin;
use std::sync::{Arc, Once};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http_body::{Frame, SizeHint};
use tracing::Instrument;

use crate::client_address::ClientAddress;
use crate::drain::drain_on_drop;
use crate::load_shed::LoadShedMarker;
use crate::metrics::{InFlightGuard, Metrics, method_label};
use crate::network::Network;
use crate::problem::{self, Problem};
use crate::request_id::{REQUEST_ID, RequestId};
use crate::security_headers::set_security_headers;

/// Route in logs and metrics of every request without a route of its own, such as a page.
const FALLBACK_ROUTE: &str = "(page)";

/// Routes that monitoring requests every few seconds; logged at debug level only.
const MONITORING_ROUTES: [&str; 3] = ["/livez", "/readyz", "/metrics"];

/// Logs the first proxy that the settings do not name, because limits per address count all clients behind it as one.
static UNTRUSTED_PROXY_WARNING: Once = Once::new();

/// State of [`trace_request`].
#[derive(Clone, Debug)]
pub struct Trace {
    /// Metrics that each request is counted in.
    pub metrics: Arc<Metrics>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<Network>,
    /// Returns true for paths whose errors get the members `success` and `error`; see [`problem::render`].
    pub has_error_text: fn(path: &str) -> bool,
}

/// Middleware that names, logs and counts a request and completes its response.
///
/// Adds [`RequestId`] and [`ClientAddress`] to the request's extensions.
pub async fn trace_request(State(state): State<Arc<Trace>>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = RequestId::from_headers(request.headers());
    let address = ClientAddress::from_request(request.extensions(), request.headers(), &state.trusted_proxies);
    let untrusted_proxy =
        ClientAddress::find_untrusted_proxy(request.extensions(), request.headers(), &state.trusted_proxies);
    if let Some(peer) = untrusted_proxy {
        UNTRUSTED_PROXY_WARNING.call_once(|| tracing::warn!(%peer, "untrusted_proxy"));
    }
    let method = request.method().clone();
    let has_error_text = (state.has_error_text)(request.uri().path());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or(FALLBACK_ROUTE, MatchedPath::as_str);
    // Neither path nor query: both may contain secrets.
    let span = tracing::info_span!(
        "request",
        id = id.as_str(),
        method = method_label(&method),
        route,
        account_id = tracing::field::Empty
    );
    request.extensions_mut().insert(id.clone());
    request.extensions_mut().insert(address);
    let in_flight = state.metrics.count_in_flight();

    let response = next.run(drain_on_drop(request)).instrument(span.clone()).await;

    let mut response = problem::render(response, &id.to_instance(), has_error_text);
    set_security_headers(response.headers_mut());
    if let Ok(id) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let elapsed = started.elapsed();
    state.metrics.count_response(route, &method, response.status(), elapsed);
    let latency_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    let status = response.status().as_u16();
    if MONITORING_ROUTES.contains(&route) || response.extensions().get::<LoadShedMarker>().is_some() {
        span.in_scope(|| tracing::debug!(status, latency_ms, "answered"));
    } else {
        span.in_scope(|| tracing::info!(status, latency_ms, "answered"));
    }
    response.map(|body| Body::new(InFlightBody { body, _guard: in_flight }))
}

/// Response to a request whose handler panicked. The panic message is only logged.
pub fn respond_to_panic(panic: Box<dyn Any + Send + 'static>) -> Response {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    tracing::error!(message, "a handler panicked");
    Problem::internal().into_response()
}

/// Response body whose request counts as in flight until the body is sent or dropped.
struct InFlightBody {
    body: Body,
    _guard: InFlightGuard,
}

impl HttpBody for InFlightBody {
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
