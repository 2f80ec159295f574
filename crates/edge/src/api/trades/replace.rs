//! `POST /trades/replace`: replaces all trades of a book.
//!
//! The body is first written to a temporary file, because the book may come after its trades. The file is then read
//! twice, trade by trade: once to check it, and once to send the trades to the core. Only a few messages are in memory.

use axum::RequestExt;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use futures_util::{Stream, stream};
use http_body_util::BodyExt;
use http_server::json_body::is_json;
use http_server::limiter::Client;
use http_server::problem::Problem;
use http_server::transfer_rate::MinRateBody;
use rpc::trades::v1::replace_trades_request::Part;
use rpc::trades::v1::{Book, ReplaceBatch, ReplaceEnd, ReplaceHead, ReplaceTradesRequest, ReplaceTradesResponse};
use tokio::sync::mpsc;
use tonic::Response as CallResponse;

use crate::api::trades::replace_body::{self, ReadError, ReplaceBody};
use crate::api::trades::spool::Spool;
use crate::call;
use crate::caller::Trader;
use crate::change_response::{ChangeHeaders, ChangeResponse, Outcome, Replacement};
use crate::client_record::{get_account, missing_head};
use crate::state::Shared;
use crate::status::problem_from_status;

/// Maximum number of trades in a message to the core.
const MAX_BATCH_TRADES: usize = 2_000;
/// Size of the trades' JSON from which a message is sent; the core accepts messages of up to 4 MiB.
const MAX_BATCH_BYTES: usize = 256 * 1024;
/// Maximum number of messages that wait to be sent.
const MESSAGE_QUEUE_CAPACITY: usize = 2;

/// `POST /trades/replace`
pub(crate) async fn replace_trades(
    State(app): State<Shared>,
    trader: Trader,
    request: Request,
) -> Result<Response, Problem> {
    let _permit = app.limiter.uploads.try_acquire(Client::from_request(&request))?;
    let headers = ChangeHeaders::read(request.headers())?;
    if !is_json(request.headers()) {
        return Err(Problem::unsupported_media_type());
    }
    let spool = spool_body(&app, request).await?;
    let spool_to_check = spool.clone();
    let body = run_blocking(move || replace_body::check(spool_to_check.reader()?)).await??;
    trader.check_email(body.email.as_deref())?;
    // Read before the change, so that an error here leaves the trades unchanged.
    let account = get_account(&app, &trader).await?;
    let response = send_trades(&app, &trader, spool, body, headers.idempotency_key.clone()).await?;
    let change_id = response.change_id.to_string();
    let replacement = Replacement { change_id, added: response.added, removed: response.removed };
    let head = response.head.ok_or_else(missing_head)?;
    let outcome = Outcome::Replacement { replacement };
    let change = ChangeResponse { account: &account, head, replayed: response.replayed, outcome };
    change.respond(&app, &trader, &headers).await
}

/// Writes the body of `request` to a temporary file.
async fn spool_body(app: &Shared, request: Request) -> Result<Spool, Problem> {
    let request = request.map(|body| Body::new(MinRateBody::new(body)));
    let mut body = request.into_limited_body();
    let mut spool = Spool::create(app.settings.spool_dir.as_deref()).await?;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Problem::from_body_error(&error))?;
        if let Ok(bytes) = frame.into_data() {
            spool.write(&bytes).await?;
        }
    }
    spool.close().await
}

/// Sends the trades to the core, which replaces the book. The call continues if the client disconnects.
async fn send_trades(
    app: &Shared,
    trader: &Trader,
    spool: Spool,
    body: ReplaceBody,
    idempotency_key: String,
) -> Result<ReplaceTradesResponse, Problem> {
    let (parts, receiver) = mpsc::channel(MESSAGE_QUEUE_CAPACITY);
    let head = ReplaceHead { book: Some(body.book), idempotency_key };
    let reader = run_blocking(move || {
        let sender = Sender { parts, batch: ReplaceBatch::default(), bytes: 0 };
        sender.send_all(spool, head, body.book, body.trades)
    });
    let deadline = app.settings.core_timeouts.upload;
    let request = trader.context.request(message_stream(receiver), deadline);
    let mut trades = app.clients.trades.clone();
    let read_and_send = async move { Ok(CallResponse::new(tokio::join!(reader, trades.replace_trades(request)))) };
    let (read, response) = call::write(deadline, read_and_send).await?;
    match read? {
        // A trade names another book. The end message was not sent, so the core has stored nothing.
        Err(ReadError::Rejected(problem)) => Err(*problem),
        Err(error @ ReadError::Io(_)) => Err(error.into()),
        Ok(()) | Err(ReadError::CallEnded) => Ok(response.map_err(problem_from_status)?.into_inner()),
    }
}

fn message_stream(parts: mpsc::Receiver<Part>) -> impl Stream<Item = ReplaceTradesRequest> + Send + 'static {
    stream::unfold(parts, |mut parts| async {
        let part = parts.recv().await?;
        Some((ReplaceTradesRequest { part: Some(part) }, parts))
    })
}

/// Reads the file and sends its trades. After an error it does not send the end message, so the core stores nothing.
struct Sender {
    parts: mpsc::Sender<Part>,
    batch: ReplaceBatch,
    bytes: usize,
}

impl Sender {
    fn send_all(mut self, spool: Spool, head: ReplaceHead, book: Book, trades: i64) -> Result<(), ReadError> {
        self.send(Part::Head(head))?;
        replace_body::read(spool.reader()?, &book, |trade, bytes| {
            self.batch.trades.push(trade);
            self.bytes += bytes;
            if self.batch.trades.len() < MAX_BATCH_TRADES && self.bytes < MAX_BATCH_BYTES {
                Ok(())
            } else {
                self.flush()
            }
        })?;
        self.flush()?;
        self.send(Part::End(ReplaceEnd { trades }))
    }

    fn flush(&mut self) -> Result<(), ReadError> {
        self.bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        if batch.trades.is_empty() { Ok(()) } else { self.send(Part::Batch(batch)) }
    }

    /// Fails if the call has ended; the response of the call contains the reason.
    fn send(&self, part: Part) -> Result<(), ReadError> {
        self.parts.blocking_send(part).map_err(|_| ReadError::CallEnded)
    }
}

async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "reading a list of trades panicked");
        Problem::internal()
    })
}
