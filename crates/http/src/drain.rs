//! Draining of rejected request bodies.
//!
//! A connection closed with unread bytes is reset, and the reset discards the response: the client would not see why its
//! request was rejected.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use futures_util::FutureExt as _;
use http::header::EXPECT;
use http::{HeaderMap, Request};
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use tokio::runtime::Handle;
use tokio::task::yield_now;

/// Drain timeout for rejected bodies; long enough for a client to read the response.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Wraps the body of `request` so that it is drained when it is dropped unread.
///
/// Leaves empty bodies, and bodies that the client sends only after `100 Continue`.
pub(crate) fn drain_on_drop(request: Request<Body>) -> Request<Body> {
    if request.body().is_end_stream() || expects_continue(request.headers()) {
        return request;
    }
    request.map(|body| Body::new(DrainedBody { body }))
}

/// Reads what has already arrived of an unwanted body. Usually that is all of it, and nothing is left to drain.
pub(crate) async fn discard_received(request: Request<Body>) {
    if expects_continue(request.headers()) {
        return;
    }
    let mut body = request.into_body();
    if !read_available(&mut body) {
        // The connection reads on once it was polled and got time to run.
        yield_now().await;
        read_available(&mut body);
    }
}

/// Reads the frames that are available without waiting. Returns true if the body has ended.
fn read_available(body: &mut Body) -> bool {
    while let Some(frame) = body.frame().now_or_never() {
        if !matches!(frame, Some(Ok(_))) || body.is_end_stream() {
            return true;
        }
    }
    false
}

/// Returns true if the client waits for `100 Continue` before it sends its body.
fn expects_continue(headers: &HeaderMap) -> bool {
    headers.contains_key(EXPECT)
}

/// Body that is read on for [`DRAIN_TIMEOUT`] after it was dropped.
struct DrainedBody {
    body: Body,
}

impl HttpBody for DrainedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None | Some(Err(_)))) {
            self.body = Body::empty();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for DrainedBody {
    fn drop(&mut self) {
        if self.body.is_end_stream() {
            return;
        }
        let mut body = std::mem::take(&mut self.body);
        if let Ok(runtime) = Handle::try_current() {
            let drain = async move { while let Some(Ok(_)) = body.frame().await {} };
            runtime.spawn(tokio::time::timeout(DRAIN_TIMEOUT, drain));
        }
    }
}
