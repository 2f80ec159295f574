//! One file on its way to the core.

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use rpc::imports::v1::import_file_request::Part;
use rpc::imports::v1::{Choice, ImportFileRequest, ImportFileResponse};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Duration, sleep};
use tracing::Instrument;

use crate::Shared;
use crate::auth::Trader;
use crate::problem::Problem;

/// A message of more than 256 KiB is more than the contract takes.
const CHUNK: usize = 256 * 1024;
/// Chunks that wait while the core is busy. The client waits with them.
const WAITING: usize = 2;

enum Step {
    Part(Part),
    /// The form was read to its end.
    End,
}

/// A call that takes the file while it comes.
///
/// Given up before [`Transfer::finish`], the call is broken off and the core stores nothing. After it, the call goes on
/// even when nobody waits for its answer.
pub(crate) struct Transfer {
    steps: mpsc::Sender<Step>,
    pending: BytesMut,
    /// Starts the deadline of the answer.
    ended: Option<oneshot::Sender<()>>,
    call: JoinHandle<Result<ImportFileResponse, Problem>>,
}

impl Transfer {
    /// Opens the call.
    pub fn begin(app: &Shared, trader: &Trader) -> Self {
        let times = &app.settings.times;
        let (steps, received) = mpsc::channel(WAITING);
        let (ended, end) = oneshot::channel();
        // The core counts from the beginning of the call, and the file may take as long as it may.
        let request = trader.context.request(parts(received), times.upload + times.core_upload);
        let mut imports = app.clients.imports.clone();
        let late = late(end, times.core_upload);
        let call = async move {
            tokio::select! {
                answer = imports.import_file(request) => Ok(answer?.into_inner()),
                () = late => Err(Problem::timeout()),
            }
        };
        let call = tokio::spawn(call.in_current_span());
        Self { steps, pending: BytesMut::new(), ended: Some(ended), call }
    }

    /// Sends more of the file. When the core has refused the file already, [`Transfer::finish`] says so.
    pub async fn push(&mut self, bytes: Bytes) {
        self.pending.extend_from_slice(&bytes);
        while self.pending.len() >= CHUNK {
            let chunk = self.pending.split_to(CHUNK).freeze();
            self.send(Step::Part(Part::Chunk(chunk.into()))).await;
        }
    }

    /// Sends what is left and the choice, and waits for what the core makes of them.
    pub async fn finish(mut self, choice: Choice) -> Result<ImportFileResponse, Problem> {
        let rest = self.pending.split().freeze();
        if !rest.is_empty() {
            self.send(Step::Part(Part::Chunk(rest.into()))).await;
        }
        self.send(Step::Part(Part::Choice(choice))).await;
        // From here on the call ends by itself, by its answer or its deadline.
        if let Some(ended) = self.ended.take() {
            let _ = ended.send(());
        }
        self.send(Step::End).await;
        match (&mut self.call).await {
            Ok(answer) => answer,
            Err(error) => {
                tracing::error!(%error, "an import ended early");
                Err(Problem::internal())
            }
        }
    }

    async fn send(&self, step: Step) {
        // Fails when the call is over, and then its answer says why.
        let _ = self.steps.send(step).await;
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if self.ended.is_some() {
            self.call.abort();
        }
    }
}

/// What the core receives. A form that broke off never ends here: to the core, an end would mean that it has the
/// whole file.
fn parts(received: mpsc::Receiver<Step>) -> impl Stream<Item = ImportFileRequest> + Send + 'static {
    stream::unfold(received, |mut received| async {
        match received.recv().await {
            Some(Step::Part(part)) => Some((ImportFileRequest { part: Some(part) }, received)),
            Some(Step::End) => None,
            None => std::future::pending().await,
        }
    })
}

/// Waits until the file has ended and the core's time is over.
async fn late(end: oneshot::Receiver<()>, deadline: Duration) {
    match end.await {
        Ok(()) => sleep(deadline).await,
        // Given up; the call is being broken off.
        Err(_) => std::future::pending().await,
    }
}
