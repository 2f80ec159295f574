//! Size and time limits of request bodies, per route.

use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use tower_http::timeout::{RequestBodyDeadlineLayer, RequestBodyTimeoutLayer, TimeoutLayer};

use crate::problem::Problem;

/// Limits of a route's request body and response time.
#[derive(Clone, Copy)]
pub struct BodyLimits {
    /// Maximum size of the body.
    pub max_bytes: usize,
    /// Response to a larger body.
    pub too_large: fn() -> Problem,
    /// Maximum pause between two frames of the body; 408 above.
    pub idle_timeout: Duration,
    /// Maximum time until the whole body has arrived; 408 above.
    pub body_timeout: Duration,
    /// Maximum time for body and response together; 504 above.
    pub total_timeout: Duration,
}

/// Applies `limits` to all routes of `router`.
pub fn limit_bodies<S: Clone + Send + Sync + 'static>(router: Router<S>, limits: BodyLimits) -> Router<S> {
    router
        .layer(TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, limits.total_timeout))
        .layer(RequestBodyDeadlineLayer::new(limits.body_timeout))
        .layer(RequestBodyTimeoutLayer::new(limits.idle_timeout))
        .layer(axum::middleware::from_fn(move |request, next| check_content_length(limits, request, next)))
        .layer(DefaultBodyLimit::max(limits.max_bytes))
}

/// Rejects a body whose `Content-Length` is above the limit, before any of it is read.
async fn check_content_length(limits: BodyLimits, request: Request, next: Next) -> Response {
    let length = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > limits.max_bytes as u64) {
        return (limits.too_large)().into_response();
    }
    next.run(request).await
}
