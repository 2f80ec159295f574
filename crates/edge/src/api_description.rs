//! The API description (`openapi.yaml`). The page at `/api/docs` is made from the same file.

use std::convert::Infallible;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::response::Response;
use axum::routing::get;
use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, Method, Request, StatusCode};
use http_server::compression::{Compressible, compression_layer};
use tokio::sync::OnceCell;
use tower::{Layer, ServiceExt, service_fn};

use crate::site_files::File;
use crate::state::Shared;

/// Content of `openapi.yaml` at build time.
pub const API_DESCRIPTION: &str = include_str!("../../../openapi.yaml");
/// Media type (RFC 9512).
const CONTENT_TYPE: &str = "application/yaml";

/// The description with its compressed variant, made at the first request. Compressing each response would hold a
/// limited resource while an anonymous client reads it.
static FILE: OnceCell<File> = OnceCell::const_new();

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/api/openapi.yaml", get(get_api_description))
}

/// `GET /api/openapi.yaml`
async fn get_api_description(method: Method, headers: HeaderMap) -> Response {
    let file = FILE.get_or_init(async || {
        File::from_memory(CONTENT_TYPE, API_DESCRIPTION.as_bytes(), compress(API_DESCRIPTION).await)
    });
    file.await.respond(StatusCode::OK, &method, &headers)
}

/// Returns the gzip encoding of `text`, or `None` if it cannot be made.
async fn compress(text: &'static str) -> Option<Vec<u8>> {
    let plain = service_fn(move |_: Request<Body>| async move {
        let mut response = Response::new(Body::from(text));
        response.extensions_mut().insert(Compressible);
        Ok::<_, Infallible>(response)
    });
    let request = Request::builder().header(ACCEPT_ENCODING, "gzip").body(Body::empty()).ok()?;
    let Ok(response) = compression_layer().layer(plain).oneshot(request).await;
    to_bytes(Body::new(response.into_body()), text.len()).await.ok().map(Vec::from)
}
