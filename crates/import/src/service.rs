//! What happens to a file that has arrived: its turn, the child, the trade log.

use std::sync::Arc;
use std::time::Duration;

use rpc::failure::Failure;
use rpc::guard;
use rpc::imports::v1::Problem;
use rpc::trades::v1 as trades;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Code, Request, Response, Status};
use uuid::Uuid;

use crate::error::{Error, broker_name, segment_name};
use crate::formats::Format;
use crate::parser::{FileKind, Parser, Tally, Wanted};
use crate::settings::Settings;
use crate::turns::{Turn, Turns};
use crate::upload::Upload;

/// Batches that lie between the child and the trade log.
const BATCHES_AHEAD: usize = 4;

/// The trade log.
type Log = TradesServiceClient<Transport>;

/// Who imports.
pub(crate) struct Trader {
    pub account_id: Uuid,
    /// The access token as it came, with which the trade log is called.
    pub authorization: Option<MetadataValue<Ascii>>,
    /// The account as a service named it, with which goes the same.
    pub account: Option<MetadataValue<Ascii>>,
}

/// A file that is in the log.
pub(crate) struct Imported {
    pub result: trades::ImportTradesResponse,
    pub kind: FileKind,
    pub tally: Tally,
}

/// Reads files, a few at a time.
#[derive(Clone)]
pub(crate) struct Service {
    pub settings: Arc<Settings>,
    trades: Log,
    pub turns: Turns,
}

impl Service {
    pub fn new(settings: Settings, trades: Log) -> Self {
        Self { trades, turns: Turns::new(&settings), settings: Arc::new(settings) }
    }

    /// Imports a file, and logs what became of it; never what is in it.
    pub async fn import(self, trader: Trader, upload: Upload) -> Result<Imported, Error> {
        let started = Instant::now();
        let (account_id, bytes) = (trader.account_id, upload.size);
        let deadline = started + self.settings.deadline;
        let imported = tokio::time::timeout_at(deadline, self.import_in_time(trader, upload))
            .await
            .unwrap_or_else(|_| Err(Error::Call(Status::deadline_exceeded(TOO_SLOW))));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &imported {
            Ok(imported) => tracing::info!(
                %account_id,
                bytes,
                millis,
                code = imported.kind.format.name(),
                rows = imported.tally.rows,
                added = imported.result.added,
                "file_imported"
            ),
            Err(error) => tracing::info!(%account_id, bytes, millis, code = code_of(error), "file_refused"),
        }
        imported
    }

    async fn import_in_time(&self, trader: Trader, upload: Upload) -> Result<Imported, Error> {
        let (head, kind, parser, _turn) = self.begin(&trader, upload).await?;
        let call = async |mut log: Log, parts| log.import_trades(parts).await;
        let (result, tally): (trades::ImportTradesResponse, _) =
            self.hand_on(trader, (head, kind.format), parser, call).await?;
        Ok(Imported { result, kind, tally })
    }

    /// Says what importing a file would do, and logs that it did; never what is in it.
    pub async fn preview(self, trader: Trader, upload: Upload) -> Result<trades::Preview, Error> {
        let started = Instant::now();
        let (account_id, bytes) = (trader.account_id, upload.size);
        let deadline = started + self.settings.deadline;
        let previewed = tokio::time::timeout_at(deadline, self.preview_in_time(trader, upload))
            .await
            .unwrap_or_else(|_| Err(Error::Call(Status::deadline_exceeded(TOO_SLOW))));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &previewed {
            Ok(preview) => {
                tracing::info!(%account_id, bytes, millis, code = preview.format, added = preview.added, "file_previewed");
            }
            Err(error) => tracing::info!(%account_id, bytes, millis, code = code_of(error), "file_refused"),
        }
        previewed
    }

    async fn preview_in_time(&self, trader: Trader, upload: Upload) -> Result<trades::Preview, Error> {
        let (head, kind, parser, _turn) = self.begin(&trader, upload).await?;
        let head = trades::ImportHead { idempotency_key: String::new(), ..head };
        let call = async |mut log: Log, parts| log.preview_trades(parts).await;
        let (answer, _): (trades::PreviewTradesResponse, _) =
            self.hand_on(trader, (head, kind.format), parser, call).await?;
        answer.preview.ok_or_else(|| Error::Call(Status::internal("the trade log sent no preview")))
    }

    /// Waits for the file's turn and finds out what it is. Refused where it is not what the trader chose.
    async fn begin(
        &self,
        trader: &Trader,
        upload: Upload,
    ) -> Result<(trades::ImportHead, FileKind, Parser, Turn), Error> {
        let turn = self.turns.take(trader.account_id).await?;
        let mut parser = Parser::start(&self.settings, upload.file, Wanted::Trades)?;
        let kind = parser.kind().await?;
        if kind.book != upload.book && !upload.confirm {
            return Err(Error::Mismatch { found: kind.book });
        }
        let head = trades::ImportHead {
            book: Some(kind.book),
            file_name: upload.file_name,
            file_sha256: upload.sha256,
            format: kind.format.name().to_owned(),
            idempotency_key: upload.idempotency_key,
        };
        Ok((head, kind, parser, turn))
    }

    /// Hands the trades to the trade log as they are read. It keeps them only if it hears of the file's end.
    async fn hand_on<M: From<Part>, A>(
        &self,
        trader: Trader,
        (head, format): (trades::ImportHead, &'static dyn Format),
        parser: Parser,
        call: impl AsyncFnOnce(Log, Request<ReceiverStream<M>>) -> Result<Response<A>, Status>,
    ) -> Result<(A, Tally), Error> {
        let (parts, taken) = mpsc::channel(BATCHES_AHEAD);
        let mut request = Request::new(ReceiverStream::new(taken));
        for (name, value) in [("authorization", trader.authorization), (guard::ACCOUNT, trader.account)] {
            if let Some(value) = value {
                request.metadata_mut().insert(name, value);
            }
        }
        let (fed, answer) = tokio::join!(feed(parts, head, format, parser), call(self.trades.clone(), request));
        match (fed, answer) {
            (Ok(tally), Ok(answer)) => Ok((answer.into_inner(), tally)),
            // The trade log's refusal of a stream that we broke off says less than why we did.
            (Err(Unfed::File(error)), _) => Err(error),
            (_, Err(status)) => Err(Error::Call(status)),
            (Err(Unfed::NotTaken), Ok(_)) => Err(Error::Call(Status::internal("the trade log answered too early"))),
        }
    }
}

/// One message to the trade log.
enum Part {
    Head(trades::ImportHead),
    Batch(trades::ImportBatch),
    End(trades::ImportEnd),
}

impl From<Part> for trades::ImportTradesRequest {
    fn from(part: Part) -> Self {
        use trades::import_trades_request::Part as Wire;
        let part = match part {
            Part::Head(head) => Wire::Head(head),
            Part::Batch(batch) => Wire::Batch(batch),
            Part::End(end) => Wire::End(end),
        };
        Self { part: Some(part) }
    }
}

impl From<Part> for trades::PreviewTradesRequest {
    fn from(part: Part) -> Self {
        use trades::preview_trades_request::Part as Wire;
        let part = match part {
            Part::Head(head) => Wire::Head(head),
            Part::Batch(batch) => Wire::Batch(batch),
            Part::End(end) => Wire::End(end),
        };
        Self { part: Some(part) }
    }
}

/// Why the trades did not all go to the trade log.
enum Unfed {
    /// The file is at fault.
    File(Error),
    /// The trade log took no more, and will say why.
    NotTaken,
}

/// Sends all of the file. Whatever goes wrong, no end is sent, and the trade log keeps nothing.
async fn feed<M: From<Part>>(
    parts: mpsc::Sender<M>,
    head: trades::ImportHead,
    format: &'static dyn Format,
    mut parser: Parser,
) -> Result<Tally, Unfed> {
    send(&parts, Part::Head(head)).await?;
    loop {
        match parser.batch().await.map_err(Unfed::File)? {
            Ok(batch) => {
                let waited = send(&parts, Part::Batch(batch)).await?;
                parser.excuse(waited);
            }
            Err(tally) => {
                let findings = Some(findings(&tally, format));
                send(&parts, Part::End(trades::ImportEnd { trades: tally.trades, findings })).await?;
                return Ok(tally);
            }
        }
    }
}

/// Sends one part and says how long that took.
async fn send<M: From<Part>>(parts: &mpsc::Sender<M>, part: Part) -> Result<Duration, Unfed> {
    let started = Instant::now();
    parts.send(part.into()).await.map_err(|_| Unfed::NotTaken)?;
    Ok(started.elapsed())
}

/// What was read beside the trades, as the trade log keeps it.
fn findings(tally: &Tally, format: &dyn Format) -> trades::FileIssues {
    trades::FileIssues {
        rows: tally.rows,
        skipped: tally.skipped,
        problems: tally.problems.iter().map(finding).collect(),
        problem_count: tally.problem_count,
        warnings: tally.warnings.iter().map(finding).collect(),
        warning_count: tally.warning_count,
        odd_count: tally.odd_count,
        format_title: format.title().to_owned(),
    }
}

/// What the child says is long only if it is no longer ours.
fn finding(problem: &Problem) -> trades::Finding {
    let cut = |text: &str, longest| text.chars().take(longest).collect();
    trades::Finding {
        row: problem.row,
        column: cut(&problem.column, 8),
        value: cut(&problem.value, 100),
        code: cut(&problem.code, 60),
        message: cut(&problem.message, 400),
        sheet: cut(&problem.sheet, 100),
    }
}

pub(crate) const TOO_SLOW: &str =
    "The import took too long. Upload the file again: what is there already is not added twice.";

/// What the log calls the refusal.
pub(crate) fn code_of(error: &Error) -> String {
    match error {
        Error::Call(status) => format!("{:?}", status.code()),
        Error::Mismatch { found } => {
            format!("{} {} {}", error.reason(), broker_name(found.broker()), segment_name(found.segment()))
        }
        Error::Invalid(_) | Error::TooLarge | Error::Busy | Error::Refused(_) | Error::Io { .. } | Error::Lost(_) => {
            error.reason().to_owned()
        }
    }
}

/// Logs a file that did not arrive.
pub(crate) fn log_unreceived(trader: &Trader, error: &Error) {
    tracing::info!(account_id = %trader.account_id, code = code_of(error), "file_refused");
}

/// The answer of another service as our own: its code, sentence and details, without its headers.
pub(crate) fn passed_on(status: &Status) -> Status {
    // Not every failure of a call is meant for the caller's eyes, and those of transport least.
    match status.code() {
        Code::Unknown | Code::Ok => Status::internal("Something went wrong on our side."),
        code => Status::with_details(code, status.message(), status.details().to_vec().into()),
    }
}
