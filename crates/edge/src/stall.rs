//! A client that may not keep us waiting for ever, by its connection and by each of its answers.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, Sleep, sleep, timeout};

/// An answer is asked for in pieces of this size: a client is slow only when it does not take as little as this.
const PIECE: usize = 16 * 1024;

/// Fails when nothing could be written for a while: a client that asks for much and reads nothing would otherwise
/// hold what answers it.
pub(crate) struct Stalling<T> {
    inner: T,
    patience: Duration,
    clock: Pin<Box<Sleep>>,
    waiting: bool,
}

impl<T> Stalling<T> {
    pub fn new(inner: T, patience: Duration) -> Self {
        Self { inner, patience, clock: Box::pin(sleep(patience)), waiting: false }
    }

    /// Passes on what a write came to, and counts the time of one that waits.
    fn judge<R>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        if written.is_ready() {
            self.waiting = false;
            return written;
        }
        if !self.waiting {
            self.waiting = true;
            self.clock.as_mut().reset(Instant::now() + self.patience);
        }
        ready!(self.clock.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Stalling<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Stalling<T> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, bytes);
        self.judge(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        self.judge(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.inner).poll_shutdown(context);
        self.judge(context, shut)
    }
}

/// An answer that fails, and gives back its permit and all that makes it, when nobody has asked for more in a while.
///
/// [`Stalling`] does not see that: over HTTP/2 a client can let no byte of an answer through and keep its connection
/// busy all the same. Nobody polls the answer then, so the clock runs in a task of its own.
pub(crate) struct Patient {
    answer: Arc<Mutex<Option<Answer>>>,
    asked: watch::Sender<()>,
}

struct Answer {
    body: Body,
    /// Of the last frame, what was not asked for yet.
    rest: Bytes,
    _permit: OwnedSemaphorePermit,
}

impl Patient {
    /// `patience` must be longer than what makes `body` is ever silent.
    pub fn new(body: Body, permit: OwnedSemaphorePermit, patience: Duration) -> Self {
        let answer = Arc::new(Mutex::new(Some(Answer { body, rest: Bytes::new(), _permit: permit })));
        let (asked, mut again) = watch::channel(());
        let left = Arc::downgrade(&answer);
        tokio::spawn(async move {
            // Fails when the answer was sent or given up, too; then there is nothing left.
            while let Ok(Ok(())) = timeout(patience, again.changed()).await {}
            if let Some(left) = left.upgrade() {
                let left = lock(&left).take();
                tracing::debug!("a client did not take its answer");
                drop(left);
            }
        });
        Self { answer, asked }
    }
}

fn lock(answer: &Mutex<Option<Answer>>) -> MutexGuard<'_, Option<Answer>> {
    answer.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HttpBody for Patient {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        self.asked.send_replace(());
        match lock(&self.answer).as_mut() {
            Some(answer) => answer.poll_piece(context),
            None => Poll::Ready(Some(Err(axum::Error::new(io::Error::from(io::ErrorKind::TimedOut))))),
        }
    }

    fn is_end_stream(&self) -> bool {
        lock(&self.answer).as_ref().is_some_and(|answer| answer.rest.is_empty() && answer.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        match lock(&self.answer).as_ref() {
            Some(answer) if answer.rest.is_empty() => answer.body.size_hint(),
            Some(_) | None => SizeHint::default(),
        }
    }
}

impl Answer {
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                },
                end => return Poll::Ready(end),
            }
        }
        let piece = self.rest.split_to(self.rest.len().min(PIECE));
        // A copy, because a piece that is stuck on its way would keep the whole frame.
        Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(&piece)))))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt, stream};
    use http_body_util::BodyExt;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::Semaphore;

    use super::*;

    fn patient(body: Body) -> (Patient, Arc<Semaphore>) {
        let room = Arc::new(Semaphore::new(1));
        let permit = Arc::clone(&room).try_acquire_owned().unwrap();
        (Patient::new(body, permit, Duration::from_secs(20)), room)
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_nobody_asks_for_is_given_up() {
        let held = Arc::new(());
        let inside = Arc::clone(&held);
        let endless = stream::repeat_with(move || {
            let _ = &inside;
            Ok::<_, io::Error>(Bytes::from_static(b"x"))
        });
        let (mut answer, room) = patient(Body::from_stream(endless));
        for _ in 0..3 {
            sleep(Duration::from_secs(19)).await;
            assert!(answer.frame().await.unwrap().is_ok());
        }
        assert_eq!((room.available_permits(), Arc::strong_count(&held)), (0, 2));
        sleep(Duration::from_secs(21)).await;
        assert_eq!((room.available_permits(), Arc::strong_count(&held)), (1, 1));
        // Not a proper end, which would pass for the whole answer.
        assert!(!answer.is_end_stream() && answer.frame().await.unwrap().is_err());
    }

    #[tokio::test]
    async fn an_answer_comes_whole_in_pieces_and_gives_its_permit_back() {
        let frames = [vec![b'a'; PIECE * 2 + 1], Vec::new(), vec![b'b'; 3]];
        let all = frames.concat();
        let (mut answer, room) = patient(Body::from_stream(stream::iter(frames.map(Ok::<_, io::Error>)).boxed()));
        let mut came = Vec::new();
        while let Some(frame) = answer.frame().await {
            let piece = frame.unwrap().into_data().unwrap();
            assert!(piece.len() <= PIECE && (piece.is_empty() || piece.is_unique()));
            came.extend_from_slice(&piece);
        }
        assert_eq!(came, all);
        assert_eq!(patient(Body::from("1234")).0.size_hint().exact(), Some(4));
        drop(answer);
        assert_eq!(room.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_nothing_is_given_up() {
        let (ours, _theirs) = tokio::io::duplex(16);
        let mut ours = Stalling::new(ours, Duration::from_secs(20));
        let error = ours.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_client_is_not() {
        let (ours, mut theirs) = tokio::io::duplex(16);
        let mut ours = Stalling::new(ours, Duration::from_secs(20));
        let reading = tokio::spawn(async move {
            let mut all = [0; 64];
            for part in all.chunks_mut(16) {
                sleep(Duration::from_secs(15)).await;
                theirs.read_exact(part).await.unwrap();
            }
        });
        ours.write_all(&[0; 64]).await.unwrap();
        reading.await.unwrap();
    }
}
