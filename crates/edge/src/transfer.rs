//! One file on its way to the core: a broker's, or a resume.

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use rpc::careers::v1::submit_application_request::Part as ApplicationPart;
use rpc::careers::v1::{SubmitApplicationRequest, SubmitApplicationResponse};
use rpc::imports::v1::import_file_request::Part;
use rpc::imports::v1::{
    Choice, ImportFileRequest, ImportFileResponse, InspectFileRequest, InspectFileResponse, PreviewFileRequest,
    PreviewFileResponse, ReadProfitReportRequest, ReadProfitReportResponse, preview_file_request,
};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Duration, sleep};
use tonic::{Response as Answer, Status};
use tracing::Instrument;

use crate::Shared;
use crate::call::Context;
use crate::problem::Problem;

/// A message of more than 256 KiB is more than the contract takes.
const CHUNK: usize = 256 * 1024;
/// Chunks that wait while the core is busy. The client waits with them.
const WAITING: usize = 2;

enum Step<M> {
    Part(M),
    /// The form was read to its end.
    End,
}

/// A call that takes messages `M` with the file while it comes, and answers `A`.
///
/// Given up before [`Transfer::finish`], the call is broken off and the core stores nothing. After it, the call goes on
/// even when nobody waits for its answer.
pub(crate) struct Transfer<M, A> {
    steps: mpsc::Sender<Step<M>>,
    /// A piece of the file as a message.
    chunk: fn(Vec<u8>) -> M,
    pending: BytesMut,
    /// Starts the deadline of the answer.
    ended: Option<oneshot::Sender<()>>,
    call: JoinHandle<Result<A, Problem>>,
}

impl Transfer<ImportFileRequest, ImportFileResponse> {
    /// Opens the call that imports the file.
    pub fn import(app: &Shared, context: &Context) -> Self {
        let (steps, received) = mpsc::channel(WAITING);
        let request = context.request(parts(received), longest(app));
        let mut imports = app.clients.imports.clone();
        let call = async move { imports.import_file(request).await };
        Self::begin(app, steps, |chunk| ImportFileRequest { part: Some(Part::Chunk(chunk)) }, call)
    }

    /// The message that says what the trader takes the file for.
    pub fn choice(choice: Choice) -> ImportFileRequest {
        ImportFileRequest { part: Some(Part::Choice(choice)) }
    }
}

impl Transfer<PreviewFileRequest, PreviewFileResponse> {
    /// Opens the call that says what importing the file would do.
    pub fn preview(app: &Shared, context: &Context) -> Self {
        let (steps, received) = mpsc::channel(WAITING);
        let request = context.request(parts(received), longest(app));
        let mut imports = app.clients.imports.clone();
        let call = async move { imports.preview_file(request).await };
        let chunk = |chunk| PreviewFileRequest { part: Some(preview_file_request::Part::Chunk(chunk)) };
        Self::begin(app, steps, chunk, call)
    }

    /// The message that says what the trader takes the file for.
    pub fn choice(choice: Choice) -> PreviewFileRequest {
        PreviewFileRequest { part: Some(preview_file_request::Part::Choice(choice)) }
    }
}

impl Transfer<InspectFileRequest, InspectFileResponse> {
    /// Opens the call that says what the file holds.
    pub fn inspect(app: &Shared, context: &Context) -> Self {
        let (steps, received) = mpsc::channel(WAITING);
        let request = context.request(parts(received), longest(app));
        let mut imports = app.clients.imports.clone();
        let call = async move { imports.inspect_file(request).await };
        Self::begin(app, steps, |chunk| InspectFileRequest { chunk }, call)
    }
}

impl Transfer<ReadProfitReportRequest, ReadProfitReportResponse> {
    /// Opens the call that says what the file says as a profit and loss report.
    pub fn report(app: &Shared, context: &Context) -> Self {
        let (steps, received) = mpsc::channel(WAITING);
        let request = context.request(parts(received), longest(app));
        let mut imports = app.clients.imports.clone();
        let call = async move { imports.read_profit_report(request).await };
        Self::begin(app, steps, |chunk| ReadProfitReportRequest { chunk }, call)
    }
}

impl Transfer<SubmitApplicationRequest, SubmitApplicationResponse> {
    /// Opens the call that takes an application.
    pub fn apply(app: &Shared, context: &Context) -> Self {
        let (steps, received) = mpsc::channel(WAITING);
        let request = context.request(parts(received), longest(app));
        let mut careers = app.clients.careers.clone();
        let call = async move { careers.submit_application(request).await };
        let chunk = |chunk| SubmitApplicationRequest { part: Some(ApplicationPart::Chunk(chunk)) };
        Self::begin(app, steps, chunk, call)
    }
}

/// The core counts from the beginning of the call, and the file may take as long as it may.
fn longest(app: &Shared) -> Duration {
    app.settings.times.upload + app.settings.times.core_upload
}

impl<M, A: Send + 'static> Transfer<M, A> {
    fn begin(
        app: &Shared,
        steps: mpsc::Sender<Step<M>>,
        chunk: fn(Vec<u8>) -> M,
        call: impl Future<Output = Result<Answer<A>, Status>> + Send + 'static,
    ) -> Self {
        let (ended, end) = oneshot::channel();
        let late = late(end, app.settings.times.core_upload);
        let call = async move {
            tokio::select! {
                answer = call => Ok(answer?.into_inner()),
                () = late => Err(Problem::timeout()),
            }
        };
        let call = tokio::spawn(call.in_current_span());
        Self { steps, chunk, pending: BytesMut::new(), ended: Some(ended), call }
    }

    /// Sends more of the file. When the core has refused the file already, [`Transfer::finish`] says so.
    pub async fn push(&mut self, bytes: Bytes) {
        self.pending.extend_from_slice(&bytes);
        while self.pending.len() >= CHUNK {
            let chunk = self.pending.split_to(CHUNK).freeze();
            self.send(Step::Part((self.chunk)(chunk.into()))).await;
        }
    }

    /// Sends what is left and what is said of the file, and waits for what the core makes of them.
    pub async fn finish(mut self, said: impl IntoIterator<Item = M>) -> Result<A, Problem> {
        let rest = self.pending.split().freeze();
        let rest = (!rest.is_empty()).then(|| (self.chunk)(rest.into()));
        for message in rest.into_iter().chain(said) {
            self.send(Step::Part(message)).await;
        }
        // From here on the call ends by itself, by its answer or its deadline.
        if let Some(ended) = self.ended.take() {
            let _ = ended.send(());
        }
        self.send(Step::End).await;
        match (&mut self.call).await {
            Ok(answer) => answer,
            Err(error) => {
                tracing::error!(%error, "a call with a file ended early");
                Err(Problem::internal())
            }
        }
    }

    async fn send(&self, step: Step<M>) {
        // Fails when the call is over, and then its answer says why.
        let _ = self.steps.send(step).await;
    }
}

impl<M, A> Drop for Transfer<M, A> {
    fn drop(&mut self) {
        if self.ended.is_some() {
            self.call.abort();
        }
    }
}

/// What the core receives. A form that broke off never ends here: to the core, an end would mean that it has the
/// whole file.
fn parts<M: Send + 'static>(received: mpsc::Receiver<Step<M>>) -> impl Stream<Item = M> + Send + 'static {
    stream::unfold(received, |mut received| async {
        match received.recv().await {
            Some(Step::Part(part)) => Some((part, received)),
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
