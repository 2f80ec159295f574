//! Calls to the core that stream a file while it arrives: a broker's file or a resume.

use std::pin::Pin;
use std::task::{self, Poll, ready};

use bytes::{Bytes, BytesMut};
use futures_util::Stream;
use http_server::problem::Problem;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Duration, sleep};
use tonic::{Request, Response, Status};
use tracing::Instrument;

use crate::call::Context;
use crate::state::Shared;
use crate::status::problem_from_status;

/// Size of the chunks sent to the core; it rejects larger ones.
const CHUNK_BYTES: usize = 256 * 1024;
/// Number of chunks that wait while the core is busy. The client waits with them.
const QUEUE_CAPACITY: usize = 2;

enum Step<M> {
    Message(M),
    /// The whole form was read.
    End,
}

/// Call that streams a file as messages `M` and returns `R`.
///
/// Dropped before [`UploadCall::finish`], the call is cancelled and the core stores nothing. From then on it continues
/// even if the client disconnects.
pub(crate) struct UploadCall<M, R> {
    steps: mpsc::Sender<Step<M>>,
    /// Converts a chunk of the file to a message.
    to_message: fn(Vec<u8>) -> M,
    pending: BytesMut,
    /// Starts the timeout of the response.
    end: Option<oneshot::Sender<()>>,
    call: JoinHandle<Result<R, Problem>>,
}

impl<M: Send + 'static, R: Send + 'static> UploadCall<M, R> {
    /// Starts the call. `to_message` converts a chunk of the file; `call` makes the call with the stream of messages.
    pub fn start<F>(
        app: &Shared,
        context: &Context,
        to_message: fn(Vec<u8>) -> M,
        call: impl FnOnce(Request<MessageStream<M>>) -> F,
    ) -> Self
    where
        F: Future<Output = Result<Response<R>, Status>> + Send + 'static,
    {
        let (steps, received) = mpsc::channel(QUEUE_CAPACITY);
        // The core's deadline begins with the call, and the file may take the whole upload timeout to arrive.
        let deadline = app.settings.timeouts.upload + app.settings.core_timeouts.upload;
        let call = call(context.request(MessageStream(received), deadline));
        let (end, ended) = oneshot::channel();
        let timeout = response_timeout(ended, app.settings.core_timeouts.upload);
        let call = async move {
            tokio::select! {
                response = call => response.map(Response::into_inner).map_err(problem_from_status),
                () = timeout => Err(Problem::timeout()),
            }
        };
        let call = tokio::spawn(call.in_current_span());
        Self { steps, to_message, pending: BytesMut::new(), end: Some(end), call }
    }

    /// Sends more of the file. If the core has rejected the file already, [`UploadCall::finish`] returns the error.
    pub async fn push(&mut self, bytes: Bytes) {
        self.pending.extend_from_slice(&bytes);
        while self.pending.len() >= CHUNK_BYTES {
            let chunk = self.pending.split_to(CHUNK_BYTES).freeze();
            self.send(Step::Message((self.to_message)(chunk.into()))).await;
        }
    }

    /// Sends the rest of the file and `messages` about it, and returns the response.
    pub async fn finish(mut self, messages: impl IntoIterator<Item = M>) -> Result<R, Problem> {
        let rest = self.pending.split().freeze();
        let rest = (!rest.is_empty()).then(|| (self.to_message)(rest.into()));
        for message in rest.into_iter().chain(messages) {
            self.send(Step::Message(message)).await;
        }
        // From here on the call ends by its response or its timeout.
        if let Some(end) = self.end.take() {
            let _ = end.send(());
        }
        self.send(Step::End).await;
        match (&mut self.call).await {
            Ok(response) => response,
            Err(error) => {
                tracing::error!(%error, "a call with a file ended early");
                Err(Problem::internal())
            }
        }
    }

    async fn send(&self, step: Step<M>) {
        // Fails if the call has ended; its response tells why.
        let _ = self.steps.send(step).await;
    }
}

impl<M, R> Drop for UploadCall<M, R> {
    fn drop(&mut self) {
        if self.end.is_some() {
            self.call.abort();
        }
    }
}

/// Messages of the call. The stream of an aborted upload never ends, because to the core an end would mean that it has
/// the whole file.
pub(crate) struct MessageStream<M>(mpsc::Receiver<Step<M>>);

impl<M> Stream for MessageStream<M> {
    type Item = M;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Option<M>> {
        match ready!(self.0.poll_recv(context)) {
            Some(Step::Message(message)) => Poll::Ready(Some(message)),
            Some(Step::End) => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

/// Waits for the end of the file, and then for `timeout`.
async fn response_timeout(ended: oneshot::Receiver<()>, timeout: Duration) {
    match ended.await {
        Ok(()) => sleep(timeout).await,
        // The call is being cancelled.
        Err(_) => std::future::pending().await,
    }
}
