//! An upload that may not crawl.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::Instant;

/// Bytes a second, at least, once the transfer has had time to begin.
const SLOWEST: u64 = 16 * 1024;
const BEGINNING: Duration = Duration::from_secs(10);

/// The client sent too little for too long.
#[derive(Debug, thiserror::Error)]
#[error("the body came too slowly")]
pub(crate) struct TooSlow;

/// A body that fails when it comes too slowly, whatever of the form is under way. Only the time in which we wait for
/// the client counts: it is not to blame for a core that is busy.
pub(crate) struct Steady {
    body: Body,
    bytes: u64,
    waited: Duration,
    waiting: Option<Instant>,
}

impl Steady {
    pub fn new(body: Body) -> Self {
        Self { body, bytes: 0, waited: Duration::ZERO, waiting: None }
    }
}

impl HttpBody for Steady {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
            self.waiting.get_or_insert_with(Instant::now);
            return Poll::Pending;
        };
        let since = self.waiting.take();
        self.waited += since.map_or(Duration::ZERO, |since| since.elapsed());
        if let Some(Ok(frame)) = &frame {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            self.bytes = self.bytes.saturating_add(bytes as u64);
            if self.waited > BEGINNING && self.bytes < self.waited.as_secs() * SLOWEST {
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

    /// A kilobyte every second, 30 times, taken by somebody who needs `work` for each.
    async fn came(bytes: usize, work: Duration) -> usize {
        let kilobytes = stream::unfold(0, move |count| async move {
            sleep(Duration::from_secs(1)).await;
            (count < 30).then(|| (Ok::<_, std::convert::Infallible>(vec![b'x'; bytes]), count + 1))
        });
        let mut body = Steady::new(Body::from_stream(kilobytes));
        let mut frames = 0;
        while let Some(Ok(_)) = body.frame().await {
            frames += 1;
            sleep(work).await;
        }
        frames
    }

    #[tokio::test(start_paused = true)]
    async fn a_crawling_body_fails_once_it_has_had_time_to_begin() {
        assert_eq!(came(15 * 1024, Duration::ZERO).await, 10);
        assert_eq!(came(17 * 1024, Duration::ZERO).await, 30);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_not_held_against_the_client() {
        assert_eq!(came(17 * 1024, Duration::from_mins(1)).await, 30);
    }
}
