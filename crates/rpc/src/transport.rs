//! Near or far: a tonic server is a valid transport of a tonic client, so one client type serves both.

use std::convert::Infallible;

use bytes::Bytes;
use http::{Request, Response};
use tonic::body::Body;
use tonic::codegen::StdError;
use tonic::transport::{Endpoint, Error};
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt};

/// What a generated client talks through, wherever the server is.
pub type Transport = BoxCloneSyncService<Request<Body>, Response<Body>, Error>;

/// Calls `server` directly, without a socket.
///
/// The timeouts and layers of a tonic `Server` do not act here.
pub fn local<S, B>(server: S) -> Transport
where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible>,
    S: Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<StdError>> + Send + 'static,
{
    BoxCloneSyncService::new(server.map_response(|response| response.map(Body::new)).map_err(|never| match never {}))
}

/// Calls the server at `endpoint`, connecting at the first request.
pub fn remote(endpoint: Endpoint) -> Transport {
    BoxCloneSyncService::new(endpoint.connect_lazy())
}
