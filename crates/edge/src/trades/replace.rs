//! `trades/replace`: a long list of trades in the place of all that a book holds.
//!
//! The body goes to a file without a name first, because the book it is for may stand behind its trades. It is read
//! twice, trade by trade: once to find everything that is wrong, once to send it on. At no time is more than a batch of
//! it held.

use std::sync::Arc;

use axum::RequestExt;
use axum::extract::{Request, State};
use axum::response::Response;
use futures_util::{Stream, stream};
use http_body_util::BodyExt;
use rpc::trades::v1::replace_trades_request::Part;
use rpc::trades::v1::{Book, ReplaceBatch, ReplaceEnd, ReplaceHead, ReplaceTradesRequest, ReplaceTradesResponse};
use tokio::sync::mpsc;
use tonic::Response as Answer;

use crate::Shared;
use crate::auth::Trader;
use crate::call;
use crate::input::{is_json, unsupported};
use crate::pace::Steady;
use crate::problem::Problem;
use crate::trades::answer::{Asked, Changed, Outcome, Replacement};
use crate::trades::document::{self, Document, Unread};
use crate::trades::spool::Spool;
use crate::trades::{account, headless};

/// Bytes of a whole list.
pub(crate) const LARGEST: usize = 32 * 1024 * 1024;
/// Trades in one message.
const BATCH: usize = 2_000;
/// Bytes of JSON after which a message goes, however few trades it holds. What the core takes is 4 MiB.
const BATCH_BYTES: usize = 256 * 1024;
/// Batches that lie between the file and the core.
const AHEAD: usize = 2;

/// `POST /trades/replace`
pub(crate) async fn replace(State(app): State<Shared>, trader: Trader, request: Request) -> Result<Response, Problem> {
    let Ok(_permit) = Arc::clone(&app.uploads).try_acquire_owned() else { return Err(Problem::busy()) };
    let asked = Asked::of(request.headers())?;
    if !is_json(request.headers()) {
        return Err(unsupported());
    }
    let list = spooled(&app, request).await?;
    let checked = list.clone();
    let head = blocking(move || document::check(checked.reader()?)).await??;
    trader.is(head.email.as_deref())?;
    // Asked before anything is stored: what fails here has changed nothing.
    let account = account(&app, &trader).await?;
    let answer = store(&app, &trader, list, head, asked.key.clone()).await?;
    let change_id = answer.change_id.to_string();
    let replacement = Replacement { change_id, added: answer.added, removed: answer.removed };
    let head = answer.head.ok_or_else(headless)?;
    let outcome = Outcome::Replacement { replacement };
    Changed { account: &account, head, replayed: answer.replayed, outcome }.answer(&app, &trader, &asked).await
}

/// The body of `request`, once all of it is there.
async fn spooled(app: &Shared, request: Request) -> Result<Spool, Problem> {
    let request = request.map(|body| axum::body::Body::new(Steady::new(body)));
    let mut body = request.into_limited_body();
    let mut spool = Spool::open(app.settings.spool_dir.as_deref()).await?;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Problem::of_body(&error))?;
        if let Ok(bytes) = frame.into_data() {
            spool.write(&bytes).await?;
        }
    }
    spool.close().await
}

/// Hands the trades to the core. From here on it goes on when the client hangs up.
async fn store(
    app: &Shared,
    trader: &Trader,
    list: Spool,
    document: Document,
    idempotency_key: String,
) -> Result<ReplaceTradesResponse, Problem> {
    let (parts, sent) = mpsc::channel(AHEAD);
    let head = ReplaceHead { book: Some(document.book), idempotency_key };
    let reading = blocking(move || {
        let sender = Sender { parts, batch: ReplaceBatch::default(), bytes: 0 };
        sender.send_all(list, head, document.book, document.trades)
    });
    let deadline = app.settings.times.core_upload;
    let request = trader.context.request(received(sent), deadline);
    let mut trades = app.clients.trades.clone();
    let both = async move { Ok(Answer::new(tokio::join!(reading, trades.replace_trades(request)))) };
    let (read, answer) = call::write(deadline, both).await?;
    match read? {
        // Of a trade that is not of the book behind it, the core has not heard; nor of the list's end.
        Err(Unread::Refused(problem)) => Err(*problem),
        Err(error @ Unread::Io(_)) => Err(error.into()),
        Ok(()) | Err(Unread::Unheard) => Ok(answer?.into_inner()),
    }
}

fn received(parts: mpsc::Receiver<Part>) -> impl Stream<Item = ReplaceTradesRequest> + Send + 'static {
    stream::unfold(parts, |mut parts| async {
        let part = parts.recv().await?;
        Some((ReplaceTradesRequest { part: Some(part) }, parts))
    })
}

/// What reads the file the second time. Whatever goes wrong, no end is sent, and the core stores nothing.
struct Sender {
    parts: mpsc::Sender<Part>,
    batch: ReplaceBatch,
    bytes: usize,
}

impl Sender {
    fn send_all(mut self, list: Spool, head: ReplaceHead, book: Book, trades: i64) -> Result<(), Unread> {
        self.send(Part::Head(head))?;
        document::read(list.reader()?, &book, |trade, bytes| {
            self.batch.trades.push(trade);
            self.bytes += bytes;
            if self.batch.trades.len() < BATCH && self.bytes < BATCH_BYTES { Ok(()) } else { self.flush() }
        })?;
        self.flush()?;
        self.send(Part::End(ReplaceEnd { trades }))
    }

    fn flush(&mut self) -> Result<(), Unread> {
        self.bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        if batch.trades.is_empty() { Ok(()) } else { self.send(Part::Batch(batch)) }
    }

    /// Fails when the call is over; its answer says why.
    fn send(&self, part: Part) -> Result<(), Unread> {
        self.parts.blocking_send(part).map_err(|_| Unread::Unheard)
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a list of trades was not read to its end");
        Problem::internal()
    })
}
