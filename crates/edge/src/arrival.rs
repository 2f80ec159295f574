//! Requests whose body has not arrived. Each holds a place among those being answered and costs its client nothing, so
//! that a few clients who send nothing could hold all of them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::address::Address;
use crate::crowd::{Crowd, Place};
use crate::settings::Limits;

/// How many there may be, in all and of one address.
#[derive(Debug)]
pub(crate) struct Arrivals {
    room: Arc<Semaphore>,
    crowd: Arc<Crowd>,
}

impl Arrivals {
    pub fn new(limits: &Limits) -> Self {
        Self {
            room: Arc::new(Semaphore::new(limits.arriving)),
            crowd: Crowd::new(limits.arriving_per_address, Vec::new()),
        }
    }

    /// A place for the body of `request`, unless there are enough.
    pub fn enter(&self, request: &Request) -> Option<Arrival> {
        if request.body().is_end_stream() {
            return Some(Arrival(None));
        }
        let permit = Arc::clone(&self.room).try_acquire_owned().ok()?;
        let address: Address = request.extensions().get().copied().unwrap_or_default();
        let place = match address.client {
            Some(client) => Some(self.crowd.enter(client)?),
            None => None,
        };
        Some(Arrival(Some((permit, place))))
    }
}

/// A place for a body; none where there is none to come.
#[derive(Debug)]
pub(crate) struct Arrival(Option<Held>);

impl Arrival {
    /// Holds the place for as long as the body of `request` is on its way.
    pub fn hold(self, request: Request) -> Request {
        if self.0.is_none() {
            return request;
        }
        request.map(|body| Body::new(Arriving { body, place: self.0 }))
    }
}

/// A place in all, and one of the address where that is known.
type Held = (OwnedSemaphorePermit, Option<Place>);

/// A body on its way.
struct Arriving {
    body: Body,
    place: Option<Held>,
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) || self.body.is_end_stream() {
            self.place = None;
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
