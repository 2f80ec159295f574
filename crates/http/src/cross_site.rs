//! Rejection of cross-site requests (CSRF protection).

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use tower_http::csrf::ProtectionError;

use crate::problem::Problem;

/// Response to a request that tower-http's `CsrfLayer` rejected.
pub fn reject_cross_site(_: ProtectionError) -> Response {
    tracing::info!("cross_site_rejected");
    Problem::from_status(StatusCode::FORBIDDEN)
        .with_detail("cross_site", "This request comes from another site.")
        .into_response()
}
