//! Pending-body limit: requests whose body has not arrived.
//!
//! Such a request occupies a place among the requests in flight and costs its client nothing. Without a limit of their
//! own, a few clients that send nothing could occupy all places.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use queue::{Busy, JobQueue, Place};

use crate::address_limit::AddressLimit;
use crate::client_address::ClientAddress;
use crate::settings::Limits;

/// Limits pending bodies in total and per client address.
#[derive(Debug)]
pub(crate) struct PendingBodies {
    total: JobQueue,
    per_address: AddressLimit,
}

impl PendingBodies {
    pub fn new(limits: &Limits) -> Self {
        Self {
            total: JobQueue::new(limits.pending_bodies, 0),
            per_address: AddressLimit::new(limits.pending_bodies_per_address, Vec::new()),
        }
    }

    /// Returns a permit for the body of `request`.
    ///
    /// # Errors
    /// [`Busy`] if a limit is reached.
    pub fn try_acquire(&self, request: &Request) -> Result<PendingBodyPermit, Busy> {
        if request.body().is_end_stream() {
            return Ok(PendingBodyPermit(None));
        }
        let total = self.total.try_enqueue()?;
        let address: ClientAddress = request.extensions().get().copied().unwrap_or_default();
        let per_address = match address.ip {
            Some(ip) => self.per_address.try_enqueue(ip)?,
            None => None,
        };
        Ok(PendingBodyPermit(Some((total, per_address))))
    }
}

/// Place in the total limit, and in that of the client's address if it is counted.
type Places = (Place, Option<Place>);

/// Permit for a pending body; empty for a request without a body.
#[derive(Debug)]
pub(crate) struct PendingBodyPermit(Option<Places>);

impl PendingBodyPermit {
    /// Holds the permit until the body of `request` has arrived.
    pub fn attach_to(self, request: Request) -> Request {
        if self.0.is_none() {
            return request;
        }
        request.map(|body| Body::new(PendingBody { body, places: self.0 }))
    }
}

/// Body that releases its places when it has arrived.
struct PendingBody {
    body: Body,
    places: Option<Places>,
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
            self.places = None;
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
