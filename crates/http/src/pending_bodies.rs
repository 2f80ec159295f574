//! Pending-body limit: requests whose body has not arrived.
//!
//! Such a request occupies a place among the requests in flight and costs its client nothing. Without a limit of their
//! own, a few clients that send nothing could occupy all places.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::address_limit::{AddressLimit, AddressPermit};
use crate::client_address::ClientAddress;
use crate::settings::Limits;

/// Limits pending bodies in total and per client address.
#[derive(Debug)]
pub(crate) struct PendingBodies {
    total: Arc<Semaphore>,
    per_address: Arc<AddressLimit>,
}

impl PendingBodies {
    pub fn new(limits: &Limits) -> Self {
        Self {
            total: Arc::new(Semaphore::new(limits.pending_bodies)),
            per_address: AddressLimit::new(limits.pending_bodies_per_address, Vec::new()),
        }
    }

    /// Returns a permit for the body of `request`, or `None` if a limit is reached.
    pub fn try_acquire(&self, request: &Request) -> Option<PendingBodyPermit> {
        if request.body().is_end_stream() {
            return Some(PendingBodyPermit(None));
        }
        let total = Arc::clone(&self.total).try_acquire_owned().ok()?;
        let address: ClientAddress = request.extensions().get().copied().unwrap_or_default();
        let per_address = match address.ip {
            Some(ip) => Some(self.per_address.try_acquire(ip)?),
            None => None,
        };
        Some(PendingBodyPermit(Some((total, per_address))))
    }
}

/// Permit of the total limit, and of the client's address if it is known.
type Permits = (OwnedSemaphorePermit, Option<AddressPermit>);

/// Permit for a pending body; empty for a request without a body.
#[derive(Debug)]
pub(crate) struct PendingBodyPermit(Option<Permits>);

impl PendingBodyPermit {
    /// Holds the permit until the body of `request` has arrived.
    pub fn attach_to(self, request: Request) -> Request {
        if self.0.is_none() {
            return request;
        }
        request.map(|body| Body::new(PendingBody { body, permits: self.0 }))
    }
}

/// Body that releases its permits when it has arrived.
struct PendingBody {
    body: Body,
    permits: Option<Permits>,
}

impl HttpBody for PendingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) || self.body.is_end_stream() {
            self.permits = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
