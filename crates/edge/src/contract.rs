//! The contract itself, for whoever makes a client from it. The page at `/api/docs` is made from the same file.

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::CONTENT_TYPE;

use crate::Shared;
use crate::layers::Compressible;

/// `openapi.yaml`, as it was when this was built.
pub const CONTRACT: &str = include_str!("../../../openapi.yaml");

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/api/openapi.yaml", get(show))
}

/// `GET /api/openapi.yaml`
async fn show() -> Response {
    // The media type of RFC 9512.
    let mut response = ([(CONTENT_TYPE, "application/yaml")], CONTRACT).into_response();
    response.extensions_mut().insert(Compressible);
    response
}
