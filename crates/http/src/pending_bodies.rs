//! Pending-body limit: requests whose body has not arrived.
//!
//! Such a request counts among the requests in flight and costs its client nothing. Without a limit of their own, a few
//! clients that send nothing could use up all requests. If others have taken all, small bodies have a reserve.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http_body::{Frame, SizeHint};
use queue::Busy;
use tokio::time::{Sleep, sleep};

use crate::limiter::{Client, Limiter, MAX_SMALL_BODY_BYTES, Permit, SMALL_BODY_TIMEOUT};
use crate::transfer_rate::TooSlow;

/// The body is longer than its `Content-Length`.
#[derive(Debug, thiserror::Error)]
#[error("the body is longer than declared")]
struct LongerThanDeclared;

/// Returns `request` with a body that holds its permit until it has arrived.
///
/// # Errors
/// The request itself if a limit is reached.
pub(crate) fn hold_permit(limiter: &Limiter, client: Client, request: Request) -> Result<Request, Box<Request>> {
    if request.body().is_end_stream() {
        return Ok(request);
    }
    let length = request.headers().get(CONTENT_LENGTH);
    let length: Option<u64> = length.and_then(|length| length.to_str().ok()?.parse().ok());
    let is_small = length.is_some_and(|length| length <= MAX_SMALL_BODY_BYTES);
    let (permit, timer) = match limiter.bodies.try_acquire(client) {
        Ok(permit) => (permit, None),
        Err(Busy) if is_small => match limiter.small_bodies.try_acquire(client) {
            Ok(permit) => (permit, Some(Box::pin(sleep(SMALL_BODY_TIMEOUT)))),
            Err(Busy) => return Err(Box::new(request)),
        },
        Err(Busy) => return Err(Box::new(request)),
    };
    Ok(request.map(|body| Body::new(PendingBody { body, permit: Some(permit), timer, remaining: length })))
}

/// Body that releases its permit when it has arrived.
struct PendingBody {
    body: Body,
    permit: Option<Permit>,
    /// Ends the time of a body of the reserve.
    timer: Option<Pin<Box<Sleep>>>,
    /// Bytes that the client declared and has not sent.
    remaining: Option<u64>,
}

impl HttpBody for PendingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let mut polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let (Some(remaining), Some(data)) = (self.remaining, frame.data_ref())
        {
            self.remaining = remaining.checked_sub(data.len() as u64);
            if self.remaining.is_none() {
                polled = Poll::Ready(Some(Err(axum::Error::new(LongerThanDeclared))));
            }
        }
        if polled.is_pending()
            && let Some(timer) = &mut self.timer
            && timer.as_mut().poll(context).is_ready()
        {
            polled = Poll::Ready(Some(Err(axum::Error::new(TooSlow))));
        }
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) || self.body.is_end_stream() {
            self.permit = None;
            self.timer = None;
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::stream;
    use http_body_util::BodyExt;

    use super::*;
    use crate::settings::{Limits, Shares};

    fn limiter() -> Limiter {
        let shares = |total, per_address| Shares { total, per_address, per_account: total };
        let limits = Limits { bodies: shares(4, 2), small_bodies: shares(2, 1), ..Limits::default() };
        Limiter::new(&limits, Arc::new(|_| None))
    }

    fn begin(limiter: &Limiter, address: &str, length: Option<u64>) -> Option<Request> {
        let body = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
        let mut request = Request::post("/");
        if let Some(length) = length {
            request = request.header(CONTENT_LENGTH, length);
        }
        let client = Client::from_address(Some(address.parse().unwrap()));
        hold_permit(limiter, client, request.body(body).unwrap()).ok()
    }

    #[tokio::test(start_paused = true)]
    async fn s7_small_bodies_have_a_reserve_and_little_time() {
        let limiter = limiter();
        let bodies: Vec<_> =
            (0..4).map(|number| begin(&limiter, &format!("203.0.113.{}", number / 2), None).unwrap()).collect();
        assert!(begin(&limiter, "198.51.100.1", None).is_none());
        assert!(begin(&limiter, "198.51.100.1", Some(MAX_SMALL_BODY_BYTES + 1)).is_none());
        let small = begin(&limiter, "198.51.100.1", Some(100)).unwrap();
        assert!(begin(&limiter, "198.51.100.1", Some(100)).is_none(), "one address took the reserve");
        let error = small.into_body().frame().await.unwrap().unwrap_err();
        assert_eq!(crate::problem::Problem::from_body_error(&error).status(), 408);
        assert!(begin(&limiter, "198.51.100.1", Some(100)).is_some());
        drop(bodies);
        assert!(begin(&limiter, "198.51.100.1", None).is_some());
    }

    #[tokio::test]
    async fn s11_a_body_longer_than_declared_is_rejected() {
        for (length, expected) in [(4, true), (3, false)] {
            let request = Request::post("/").header(CONTENT_LENGTH, length).body(Body::from("1234")).unwrap();
            let request = hold_permit(&limiter(), Client::default(), request).unwrap();
            let body = request.into_body().collect().await;
            assert_eq!(body.is_ok(), expected);
        }
    }
}
