//! The guard in front of a service: nobody reaches an rpc whom `proto/` does not let.

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

use crate::access;
use crate::caller::{Bearer, Caller, NoAccount, Refused, Verifier, bearer};
use crate::failure::{self, Failure as _};

/// The account that a service calls for, by its id.
pub const ACCOUNT: &str = "tradebahi-account";

/// A service that only those reach who may call it. On a socket and without one it is the same.
#[derive(Clone)]
pub struct Guarded<S> {
    inner: S,
    verifier: Verifier,
}

impl<S> Guarded<S> {
    /// Puts a guard in front of `inner`.
    pub fn new(inner: S, verifier: Verifier) -> Self {
        Self { inner, verifier }
    }

    /// Lets a call through, and puts beside it who calls; or says why not.
    fn admit<B>(&self, request: &mut Request<B>) -> Result<(), Status> {
        let rpc = access::of(request.uri().path()).ok_or_else(|| Status::unimplemented(""))?;
        let admitted = self.bearer(request.headers()).and_then(|bearer| {
            rpc.admit(bearer.as_ref())?;
            bearer.map_or(Ok(()), |bearer| place(bearer, request))
        });
        admitted.map_err(|refused| {
            tracing::info!(rpc = rpc.path, code = refused.reason(), "call_refused");
            failure::status(&refused)
        })
    }

    /// Whose token came along. A bad one is refused even where none is needed.
    fn bearer(&self, headers: &HeaderMap) -> Result<Option<Bearer>, Refused> {
        let Some(value) = headers.get(AUTHORIZATION) else {
            return Ok(None);
        };
        let token = value.to_str().ok().and_then(bearer).ok_or(Refused::SignedOut)?;
        self.verifier.verify(token).map(Some)
    }
}

/// Puts beside the request who calls, and for which account: a trader for the own one, a service for the one it names.
/// The service stands there by itself as well, for what concerns no account.
fn place<B>(bearer: Bearer, request: &mut Request<B>) -> Result<(), Refused> {
    let account_id = match &bearer {
        Bearer::Session(trader) | Bearer::Analytics(trader) => Some(trader.account_id),
        Bearer::Service(service) => {
            request.extensions_mut().insert(service.clone());
            request.headers().get(ACCOUNT).map(account).transpose()?
        }
    };
    match account_id {
        Some(account_id) => request.extensions_mut().insert(Caller { account_id, bearer }).map(drop),
        None => request.extensions_mut().insert(NoAccount).map(drop),
    };
    Ok(())
}

fn account(value: &HeaderValue) -> Result<Uuid, Refused> {
    value.to_str().ok().and_then(|id| id.parse().ok()).ok_or(Refused::NoAccount)
}

impl<S, B> Service<Request<B>> for Guarded<S>
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
        match self.admit(&mut request) {
            Ok(()) => Box::pin(self.inner.call(request)),
            Err(status) => Box::pin(std::future::ready(Ok(status.into_http()))),
        }
    }
}

impl<S: NamedService> NamedService for Guarded<S> {
    const NAME: &'static str = S::NAME;
}
