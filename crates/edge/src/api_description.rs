//! The API description (`openapi.yaml`). The page at `/api/docs` is made from the same file.

use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::CONTENT_TYPE;
use http_server::compression::Compressible;

use crate::state::Shared;

/// Content of `openapi.yaml` at build time.
pub const API_DESCRIPTION: &str = include_str!("../../../openapi.yaml");

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/api/openapi.yaml", get(get_api_description))
}

/// `GET /api/openapi.yaml`
async fn get_api_description() -> Response {
    // The media type of RFC 9512.
    let mut response = ([(CONTENT_TYPE, "application/yaml")], API_DESCRIPTION).into_response();
    response.extensions_mut().insert(Compressible);
    response
}
