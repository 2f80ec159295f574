//! Write timeouts: of a connection, and of a single response.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep};

use crate::limiter::{HeldPermit, Permit};
use crate::transfer_rate::{MIN_READ_BYTES_PER_SECOND, READ_GRACE_PERIOD, is_too_slow};

/// Maximum size of the chunks a response is sent in. A client must read at least one chunk per timeout.
pub(crate) const CHUNK_BYTES: usize = 16 * 1024;

/// Connection that fails if nothing can be written for the duration of the timeout, or if the client reads below the
/// minimum rate.
///
/// Without it, a client that requests much and reads little would occupy the resources of its responses.
pub(crate) struct WriteTimeoutStream<T> {
    inner: T,
    timeout: Duration,
    timer: Pin<Box<Sleep>>,
    blocked_since: Option<Instant>,
    /// Time in which the client did not read.
    blocked: Duration,
    written_bytes: u64,
}

impl<T> WriteTimeoutStream<T> {
    pub fn new(inner: T, timeout: Duration) -> Self {
        Self {
            inner,
            timeout,
            timer: Box::pin(sleep(timeout)),
            blocked_since: None,
            blocked: Duration::ZERO,
            written_bytes: 0,
        }
    }

    fn count(&mut self, written: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(bytes)) = written {
            self.written_bytes = self.written_bytes.saturating_add(*bytes as u64);
        }
    }

    /// Returns the result of a write, or `TimedOut` if writes have been blocked for the whole timeout.
    fn check<R>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        if written.is_ready() {
            if let Some(since) = self.blocked_since.take() {
                self.blocked += since.elapsed();
                if is_too_slow(self.written_bytes, self.blocked, READ_GRACE_PERIOD, MIN_READ_BYTES_PER_SECOND) {
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
            return written;
        }
        if self.blocked_since.is_none() {
            self.blocked_since = Some(Instant::now());
            self.timer.as_mut().reset(Instant::now() + self.timeout);
        }
        ready!(self.timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for WriteTimeoutStream<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for WriteTimeoutStream<T> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.count(&written);
        self.check(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, bytes);
        self.count(&written);
        self.check(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        self.check(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.inner).poll_shutdown(context);
        self.check(context, shut)
    }
}

/// Response body that fails and releases its resources if the client does not read for the duration of the timeout, or
/// reads below the minimum rate.
///
/// [`WriteTimeoutStream`] does not see this case: over HTTP/2 a client can block a single response and still keep its
/// connection busy. A blocked response is not polled, so a task of its own watches the time.
pub(crate) struct WriteTimeoutBody {
    response: Arc<Mutex<Option<Response>>>,
    polled: watch::Sender<()>,
}

struct Response {
    body: Body,
    /// Unsent rest of the last frame.
    rest: Bytes,
    sent_bytes: u64,
    /// Time of the last chunk, which the client has not taken.
    sent_at: Option<Instant>,
    /// Time that the client took for the chunks.
    reading_time: Duration,
    _permits: (Permit, Option<HeldPermit>),
}

impl WriteTimeoutBody {
    /// Wraps `body`, which holds `permits` until it is sent. `timeout` must be longer than any pause of `body` itself.
    pub fn new(body: Body, permits: (Permit, Option<HeldPermit>), timeout: Duration) -> Self {
        let response = Response {
            body,
            rest: Bytes::new(),
            sent_bytes: 0,
            sent_at: None,
            reading_time: Duration::ZERO,
            _permits: permits,
        };
        let response = Arc::new(Mutex::new(Some(response)));
        let (polled, mut polls) = watch::channel(());
        let weak = Arc::downgrade(&response);
        tokio::spawn(async move {
            // Also ends when the response is sent or dropped; `weak` is then empty.
            while let Ok(Ok(())) = tokio::time::timeout(timeout, polls.changed()).await {}
            if let Some(response) = weak.upgrade() {
                let unread = lock(&response).take();
                tracing::debug!("a client did not read its response");
                drop(unread);
            }
        });
        Self { response, polled }
    }
}

fn lock(response: &Mutex<Option<Response>>) -> MutexGuard<'_, Option<Response>> {
    response.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HttpBody for WriteTimeoutBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        self.polled.send_replace(());
        let mut response = lock(&self.response);
        if response.as_mut().is_some_and(Response::is_too_slow) {
            *response = None;
        }
        match response.as_mut() {
            Some(response) => response.poll_chunk(context),
            None => Poll::Ready(Some(Err(axum::Error::new(io::Error::from(io::ErrorKind::TimedOut))))),
        }
    }

    fn is_end_stream(&self) -> bool {
        lock(&self.response).as_ref().is_some_and(|response| response.rest.is_empty() && response.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        match lock(&self.response).as_ref() {
            Some(response) if response.rest.is_empty() => response.body.size_hint(),
            Some(_) | None => SizeHint::default(),
        }
    }
}

impl Response {
    /// Counts the time since the last chunk as time of the client; returns true below the minimum rate.
    fn is_too_slow(&mut self) -> bool {
        if let Some(sent_at) = self.sent_at.take() {
            self.reading_time += sent_at.elapsed();
        }
        is_too_slow(self.sent_bytes, self.reading_time, READ_GRACE_PERIOD, MIN_READ_BYTES_PER_SECOND)
    }

    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                },
                end => return Poll::Ready(end),
            }
        }
        let chunk = self.rest.split_to(self.rest.len().min(CHUNK_BYTES));
        self.sent_bytes = self.sent_bytes.saturating_add(chunk.len() as u64);
        self.sent_at = Some(Instant::now());
        // A copy, because a chunk that waits to be sent would keep the whole frame in memory.
        Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(&chunk)))))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt, stream};
    use http_body_util::BodyExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::limiter::{Client, Limit};
    use crate::settings::Shares;

    fn wrap(body: Body) -> (WriteTimeoutBody, Limit) {
        let limit = Limit::new(Shares { total: 1, per_address: 1, per_account: 1 });
        let permit = limit.try_acquire(Client::default()).unwrap();
        (WriteTimeoutBody::new(body, (permit, None), Duration::from_secs(20)), limit)
    }

    #[tokio::test(start_paused = true)]
    async fn s1_a_response_that_is_read_too_slowly_fails_and_releases_its_permit() {
        for (pause, is_complete) in [(3, true), (18, false)] {
            let (mut response, limit) = wrap(Body::from(vec![b'x'; 10 * CHUNK_BYTES]));
            let mut received = 0;
            while let Some(Ok(frame)) = response.frame().await {
                received += frame.into_data().unwrap().len();
                sleep(Duration::from_secs(pause)).await;
            }
            assert_eq!(received == 10 * CHUNK_BYTES, is_complete, "{received} bytes, one chunk per {pause} s");
            drop(response);
            assert!(!limit.is_full());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn s1_a_connection_that_is_read_too_slowly_fails() {
        let (ours, mut theirs) = tokio::io::duplex(1024);
        let mut ours = WriteTimeoutStream::new(ours, Duration::from_secs(20));
        tokio::spawn(async move {
            let mut kib = [0; 1024];
            while theirs.read_exact(&mut kib).await.is_ok() {
                sleep(Duration::from_secs(5)).await;
            }
        });
        let error = ours.write_all(&vec![0; 64 * 1024]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn s1_a_response_that_is_not_read_fails_and_releases_its_permit() {
        let resource = Arc::new(());
        let inside = Arc::clone(&resource);
        let endless = stream::repeat_with(move || {
            let _ = &inside;
            Ok::<_, io::Error>(Bytes::from_static(&[b'x'; CHUNK_BYTES]))
        });
        let (mut response, limit) = wrap(Body::from_stream(endless));
        for _ in 0..3 {
            sleep(Duration::from_secs(19)).await;
            // Fast enough on average.
            for _ in 0..8 {
                assert!(response.frame().await.unwrap().is_ok());
            }
        }
        assert!(limit.is_full() && Arc::strong_count(&resource) == 2);
        sleep(Duration::from_secs(21)).await;
        assert!(!limit.is_full() && Arc::strong_count(&resource) == 1);
        // Not a regular end, which would look like the whole response.
        assert!(!response.is_end_stream() && response.frame().await.unwrap().is_err());
    }

    #[tokio::test]
    async fn a_response_is_sent_whole_in_chunks_and_releases_its_permit() {
        let frames = [vec![b'a'; CHUNK_BYTES * 2 + 1], Vec::new(), vec![b'b'; 3]];
        let all = frames.concat();
        let (mut response, limit) = wrap(Body::from_stream(stream::iter(frames.map(Ok::<_, io::Error>)).boxed()));
        let mut received = Vec::new();
        while let Some(frame) = response.frame().await {
            let chunk = frame.unwrap().into_data().unwrap();
            assert!(chunk.len() <= CHUNK_BYTES && (chunk.is_empty() || chunk.is_unique()));
            received.extend_from_slice(&chunk);
        }
        assert_eq!(received, all);
        assert_eq!(wrap(Body::from("1234")).0.size_hint().exact(), Some(4));
        drop(response);
        assert!(!limit.is_full());
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_whose_client_reads_nothing_times_out() {
        let (ours, _theirs) = tokio::io::duplex(16);
        let mut ours = WriteTimeoutStream::new(ours, Duration::from_secs(20));
        let error = ours.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_whose_client_reads_slowly_does_not_time_out() {
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let mut ours = WriteTimeoutStream::new(ours, Duration::from_secs(20));
        let reading = tokio::spawn(async move {
            let mut all = vec![0; 512 * 1024];
            for part in all.chunks_mut(64 * 1024) {
                sleep(Duration::from_secs(15)).await;
                theirs.read_exact(part).await.unwrap();
            }
        });
        ours.write_all(&vec![0; 512 * 1024]).await.unwrap();
        reading.await.unwrap();
    }
}
