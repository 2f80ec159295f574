//! Reading on, for a moment, what a client still sends after it was refused.
//!
//! A connection that is closed with unread bytes is reset, and a reset takes the answer with it: the client would learn
//! nothing of why.

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

/// How long.
const MOMENT: Duration = Duration::from_secs(2);

/// Lets the body of `request` linger, where there is one that the client sends without being told to.
pub(crate) fn lingering(request: Request<Body>) -> Request<Body> {
    if request.body().is_end_stream() || waits(request.headers()) {
        return request;
    }
    request.map(|body| Body::new(Lingering { body }))
}

/// Takes what has come of a body that nobody wants. Mostly that is all of it, and nothing is left to linger.
pub(crate) async fn discard(request: Request<Body>) {
    if waits(request.headers()) {
        return;
    }
    let mut body = request.into_body();
    if !is_taken(&mut body) {
        // The connection reads on once it was asked to, and was given the time.
        yield_now().await;
        is_taken(&mut body);
    }
}

/// Takes what has come of `body`: whether that was all.
fn is_taken(body: &mut Body) -> bool {
    while let Some(frame) = body.frame().now_or_never() {
        if !matches!(frame, Some(Ok(_))) || body.is_end_stream() {
            return true;
        }
    }
    false
}

/// The client sends its body only when somebody wants it.
fn waits(headers: &HeaderMap) -> bool {
    headers.contains_key(EXPECT)
}

/// A body that is read on after it was given up.
struct Lingering {
    body: Body,
}

impl HttpBody for Lingering {
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

impl Drop for Lingering {
    fn drop(&mut self) {
        if self.body.is_end_stream() {
            return;
        }
        let mut body = std::mem::take(&mut self.body);
        if let Ok(runtime) = Handle::try_current() {
            let drain = async move { while let Some(Ok(_)) = body.frame().await {} };
            runtime.spawn(tokio::time::timeout(MOMENT, drain));
        }
    }
}
