//! Transports of generated clients: in-process or remote. A tonic server is a valid transport of a tonic client, so one
//! client type serves both.

mod remote;

use std::convert::Infallible;

use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use tonic::body::Body;
use tonic::codegen::StdError;
use tonic::transport::Error;
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt};

pub use self::remote::remote;
use crate::access::EDGE_TOKEN_METADATA_KEY;

/// Transport of a generated client, in-process or remote.
pub type Transport = BoxCloneSyncService<Request<Body>, Response<Body>, Error>;

/// Request extension of calls within this process.
#[derive(Clone)]
pub(crate) struct InProcess;

/// Calls `server` in-process, without a socket.
///
/// Timeouts and layers of a tonic `Server` have no effect here.
pub fn local<S, B>(server: S) -> Transport
where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible>,
    S: Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<StdError>> + Send + 'static,
{
    let server = server.map_response(|response| response.map(Body::new)).map_err(|never| match never {});
    BoxCloneSyncService::new(server.map_request(|mut request: Request<Body>| {
        request.extensions_mut().insert(InProcess);
        request
    }))
}

/// Adds the service token of an edge to every call.
pub fn with_edge_token(transport: Transport, token: HeaderValue) -> Transport {
    BoxCloneSyncService::new(transport.map_request(move |mut request: Request<Body>| {
        request.headers_mut().insert(EDGE_TOKEN_METADATA_KEY, token.clone());
        request
    }))
}
