//! Authorization: enforces each rpc's `access` option and identifies the caller.

use std::convert::Infallible;
use std::task::{Context, Poll};

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, Request, Response};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::BoxFuture;
use tonic::server::NamedService;
use tower::Service;
use uuid::Uuid;

use crate::access::{self, EDGE_SCOPE, EDGE_TOKEN_METADATA_KEY};
use crate::caller::{AuthError, Bearer, Caller, MissingAccount, parse_bearer_token};
use crate::failure::{self, Failure as _};
use crate::transport::InProcess;
use crate::verifier::Verifier;

/// Metadata key with the id of the account for which a service calls.
pub const ACCOUNT_METADATA_KEY: &str = "tradebahi-account";

/// Request extension of the calls of an edge, which may state the address of its client.
#[derive(Clone)]
struct TrustedEdge;

/// Returns the address of the caller, or `None` if the caller is an edge, which states the address of its client.
///
/// An edge is a caller in the same process, or one whose service token has the scope [`access::EDGE_SCOPE`].
pub fn peer_address<T>(request: &tonic::Request<T>) -> Option<String> {
    match request.extensions().get::<TrustedEdge>() {
        Some(TrustedEdge) => None,
        None => Some(request.remote_addr().map_or_else(String::new, |address| address.ip().to_string())),
    }
}

/// Service that passes a call to the inner service only if the rpc's `access` option allows the caller. Works for both
/// in-process and remote calls.
#[derive(Clone)]
pub struct AccessGuard<S> {
    inner: S,
    verifier: Verifier,
}

impl<S> AccessGuard<S> {
    /// Wraps `inner`.
    pub fn new(inner: S, verifier: Verifier) -> Self {
        Self { inner, verifier }
    }

    /// Checks a call and adds the caller to the request extensions.
    fn authorize<B>(&self, request: &mut Request<B>) -> Result<(), Status> {
        let rpc = access::find(request.uri().path()).ok_or_else(|| Status::unimplemented(""))?;
        if request.extensions().get::<InProcess>().is_some() || self.has_edge_token(request.headers()) {
            request.extensions_mut().insert(TrustedEdge);
        }
        let authorized = self.verify_bearer(request.headers()).and_then(|bearer| {
            rpc.check(bearer.as_ref())?;
            bearer.map_or(Ok(()), |bearer| add_caller(bearer, request))
        });
        authorized.map_err(|error| {
            tracing::info!(rpc = rpc.path, code = error.reason(), "call_rejected");
            failure::to_status(&error)
        })
    }

    /// Returns true if the call has the service token of an edge. With a wrong one the call counts under the address of
    /// the edge, because its client cannot correct it.
    fn has_edge_token(&self, headers: &HeaderMap) -> bool {
        let Some(value) = headers.get(EDGE_TOKEN_METADATA_KEY) else {
            return false;
        };
        let bearer = value.to_str().ok().and_then(|token| self.verifier.verify(token).ok());
        let is_edge =
            matches!(&bearer, Some(Bearer::Service(service)) if service.scopes.iter().any(|s| s == EDGE_SCOPE));
        if !is_edge {
            tracing::warn!("edge_token_rejected");
        }
        is_edge
    }

    /// Verifies the token of a call, if it has one. Rejects an invalid token even if the rpc requires none.
    fn verify_bearer(&self, headers: &HeaderMap) -> Result<Option<Bearer>, AuthError> {
        let Some(value) = headers.get(AUTHORIZATION) else {
            return Ok(None);
        };
        let token = value.to_str().ok().and_then(parse_bearer_token).ok_or(AuthError::Unauthenticated)?;
        self.verifier.verify(token).map(Some)
    }
}

/// Adds a [`Caller`] to the request extensions: a trader with the own account, a service with the account that it names.
/// Also adds the service itself, for rpcs that concern no account.
fn add_caller<B>(bearer: Bearer, request: &mut Request<B>) -> Result<(), AuthError> {
    let account_id = match &bearer {
        Bearer::Session(trader) | Bearer::Analytics(trader) => Some(trader.account_id),
        Bearer::Service(service) => {
            request.extensions_mut().insert(service.clone());
            request.headers().get(ACCOUNT_METADATA_KEY).map(parse_account_id).transpose()?
        }
    };
    match account_id {
        Some(account_id) => request.extensions_mut().insert(Caller { account_id, bearer }).map(drop),
        None => request.extensions_mut().insert(MissingAccount).map(drop),
    };
    Ok(())
}

fn parse_account_id(value: &HeaderValue) -> Result<Uuid, AuthError> {
    value.to_str().ok().and_then(|id| id.parse().ok()).ok_or(AuthError::InvalidAccount)
}

impl<S, B> Service<Request<B>> for AccessGuard<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Response<Body>, Infallible>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        match self.authorize(&mut request) {
            Ok(()) => Box::pin(self.inner.call(request)),
            Err(status) => Box::pin(std::future::ready(Ok(status.into_http()))),
        }
    }
}

impl<S: NamedService> NamedService for AccessGuard<S> {
    const NAME: &'static str = S::NAME;
}
