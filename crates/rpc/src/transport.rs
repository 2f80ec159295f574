//! Near or far: a tonic server is a valid transport of a tonic client, so one client type serves both.

mod remote;

use std::convert::Infallible;

use bytes::Bytes;
use http::{Request, Response};
use tonic::body::Body;
use tonic::codegen::StdError;
use tonic::transport::Error;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt};

pub use self::remote::remote;

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
