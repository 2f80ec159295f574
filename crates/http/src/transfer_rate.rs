//! Minimum transfer rates of request bodies and of responses.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::Instant;

/// Minimum transfer rate of an upload; slower uploads are rejected with 408.
const MIN_BYTES_PER_SECOND: u64 = 16 * 1024;
/// Time waited for the client before the minimum rate applies.
const GRACE_PERIOD: Duration = Duration::from_secs(10);

/// Minimum rate at which a client must read; slower responses are cut off. A slow mobile connection is faster.
pub(crate) const MIN_READ_BYTES_PER_SECOND: u64 = 4 * 1024;
/// Time waited for the client before the minimum rate of reading applies.
pub(crate) const READ_GRACE_PERIOD: Duration = Duration::from_secs(15);

/// Returns true if a client took or sent `bytes` in the time `waited` for it, below the minimum rate.
pub(crate) fn is_too_slow(bytes: u64, waited: Duration, grace_period: Duration, min_bytes_per_second: u64) -> bool {
    waited > grace_period && bytes < waited.as_secs() * min_bytes_per_second
}

/// The client sent its body below the minimum transfer rate.
#[derive(Debug, thiserror::Error)]
#[error("the body was sent too slowly")]
pub struct TooSlow;

/// Request body that fails with [`TooSlow`] below the minimum transfer rate.
///
/// Counts only the time spent waiting for the client, not the time in which the server processes what it has received.
pub struct MinRateBody {
    body: Body,
    bytes: u64,
    waited: Duration,
    waiting_since: Option<Instant>,
}

impl MinRateBody {
    /// Wraps `body`.
    pub fn new(body: Body) -> Self {
        Self { body, bytes: 0, waited: Duration::ZERO, waiting_since: None }
    }
}

impl HttpBody for MinRateBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
            self.waiting_since.get_or_insert_with(Instant::now);
            return Poll::Pending;
        };
        let since = self.waiting_since.take();
        self.waited += since.map_or(Duration::ZERO, |since| since.elapsed());
        if let Some(Ok(frame)) = &frame {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            self.bytes = self.bytes.saturating_add(bytes as u64);
            if is_too_slow(self.bytes, self.waited, GRACE_PERIOD, MIN_BYTES_PER_SECOND) {
                return Poll::Ready(Some(Err(axum::Error::new(TooSlow))));
            }
        }
        Poll::Ready(frame)
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
    use futures_util::stream;
    use http_body_util::BodyExt;
    use tokio::time::sleep;

    use super::*;

    /// Returns how many of 30 frames arrive if the client sends `bytes` per second and the server needs
    /// `processing_time` for each frame.
    async fn count_frames(bytes: usize, processing_time: Duration) -> usize {
        let frames = stream::unfold(0, move |count| async move {
            sleep(Duration::from_secs(1)).await;
            (count < 30).then(|| (Ok::<_, std::convert::Infallible>(vec![b'x'; bytes]), count + 1))
        });
        let mut body = MinRateBody::new(Body::from_stream(frames));
        let mut frames = 0;
        while let Some(Ok(_)) = body.frame().await {
            frames += 1;
            sleep(processing_time).await;
        }
        frames
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_fails_after_the_grace_period() {
        assert_eq!(count_frames(15 * 1024, Duration::ZERO).await, 10);
        assert_eq!(count_frames(17 * 1024, Duration::ZERO).await, 30);
    }

    #[tokio::test(start_paused = true)]
    async fn processing_time_does_not_count() {
        assert_eq!(count_frames(17 * 1024, Duration::from_mins(1)).await, 30);
    }
}
