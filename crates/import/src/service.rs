//! Imports and previews a received file: waits in the job queue, reads it in a parser process, and streams its trades to
//! the trade log.

use std::sync::Arc;
use std::time::Duration;

use rpc::authorization;
use rpc::failure::Failure;
use rpc::imports::v1::FileIssue;
use rpc::trades::v1 as trades;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Code, Request, Response, Status};
use uuid::Uuid;

use crate::error::{Error, Rejection, RejectionReason, broker_name, segment_name};
use crate::file_queue::{FilePermit, FileQueue};
use crate::parser_process::{BatchOrSummary, FileKind, ParseMode, ParserProcess};
use crate::protocol::{FileSummary, ParserOptions};
use crate::settings::Settings;
use crate::upload::Upload;

/// Batches buffered between the parser process and the trade log.
const BATCH_BUFFER_CAPACITY: usize = 4;
/// Values of the text of an issue; no issue has more.
const MAX_ISSUE_PARAMS: usize = 4;

/// Client of the trade log.
pub(crate) type TradeLog = TradesServiceClient<Transport>;

/// Caller of an import.
pub(crate) struct Trader {
    pub account_id: Uuid,
    /// Access token of the request, sent on to the trade log.
    pub authorization: Option<MetadataValue<Ascii>>,
    /// Account that an internal service acts for, sent on to the trade log.
    pub account: Option<MetadataValue<Ascii>>,
}

impl Trader {
    /// Returns a request to the trade log with the caller's credentials.
    pub fn request<M>(&self, message: M) -> Request<M> {
        let mut request = Request::new(message);
        for (name, value) in
            [("authorization", &self.authorization), (authorization::ACCOUNT_METADATA_KEY, &self.account)]
        {
            if let Some(value) = value {
                request.metadata_mut().insert(name, value.clone());
            }
        }
        request
    }
}

/// Result of an import.
pub(crate) struct Imported {
    pub result: trades::ImportTradesResponse,
    pub kind: FileKind,
    pub summary: FileSummary,
}

/// Import service.
#[derive(Clone)]
pub(crate) struct Service {
    pub settings: Arc<Settings>,
    trades: TradeLog,
    pub queue: FileQueue,
}

impl Service {
    pub fn new(settings: Settings, trades: TradeLog) -> Self {
        Self { trades, queue: FileQueue::new(&settings), settings: Arc::new(settings) }
    }

    /// Returns a client of the trade log.
    pub fn trades(&self) -> TradeLog {
        self.trades.clone()
    }

    /// Imports a file and logs the result without the file's content.
    pub async fn import(self, trader: Trader, upload: Upload) -> Result<Imported, Error> {
        let started = Instant::now();
        let (account_id, bytes) = (trader.account_id, upload.size);
        let deadline = started + self.settings.deadline;
        let imported = tokio::time::timeout_at(deadline, self.import_in_queue(trader, upload))
            .await
            .unwrap_or_else(|_| Err(Error::Call(Status::deadline_exceeded(IMPORT_TIMED_OUT))));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &imported {
            Ok(imported) => tracing::info!(
                %account_id,
                bytes,
                millis,
                code = imported.kind.format.name(),
                rows = imported.summary.rows,
                added = imported.result.added,
                "file_imported"
            ),
            Err(error) => tracing::info!(%account_id, bytes, millis, code = error_code(error), "file_rejected"),
        }
        imported
    }

    async fn import_in_queue(&self, trader: Trader, upload: Upload) -> Result<Imported, Error> {
        let (head, kind, parser, _permit) = self.start_parser(&trader, upload).await?;
        let call = async |mut log: TradeLog, parts| log.import_trades(parts).await;
        let (result, summary): (trades::ImportTradesResponse, _) =
            self.stream_trades(trader, head, parser, AlteredDocuments::Reject, call).await?;
        Ok(Imported { result, kind, summary })
    }

    /// Returns the changes that importing a file would make, and logs the result without the file's content.
    pub async fn preview(self, trader: Trader, upload: Upload) -> Result<trades::Preview, Error> {
        let started = Instant::now();
        let (account_id, bytes) = (trader.account_id, upload.size);
        let deadline = started + self.settings.deadline;
        let previewed = tokio::time::timeout_at(deadline, self.preview_in_queue(trader, upload))
            .await
            .unwrap_or_else(|_| Err(Error::Call(Status::deadline_exceeded(IMPORT_TIMED_OUT))));
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match &previewed {
            Ok(preview) => {
                tracing::info!(%account_id, bytes, millis, code = preview.format, added = preview.added, "file_previewed");
            }
            Err(error) => tracing::info!(%account_id, bytes, millis, code = error_code(error), "file_rejected"),
        }
        previewed
    }

    async fn preview_in_queue(&self, trader: Trader, upload: Upload) -> Result<trades::Preview, Error> {
        let (head, _, parser, _permit) = self.start_parser(&trader, upload).await?;
        let head = trades::ImportHead { idempotency_key: String::new(), ..head };
        let call = async |mut log: TradeLog, parts| log.preview_trades(parts).await;
        let (response, _): (trades::PreviewTradesResponse, _) =
            self.stream_trades(trader, head, parser, AlteredDocuments::Send, call).await?;
        response.preview.ok_or_else(|| Error::Call(Status::internal("the trade log sent no preview")))
    }

    /// Waits in the queue, starts the parser and reads the file's format.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if the file belongs to another book than the selected one and the trader has not confirmed.
    async fn start_parser(
        &self,
        trader: &Trader,
        upload: Upload,
    ) -> Result<(trades::ImportHead, FileKind, ParserProcess, FilePermit), Error> {
        let permit = self.queue.acquire(trader.account_id).await?;
        let mode = ParseMode::Trades(upload.book.segment());
        let again =
            upload.file.try_clone().map_err(|source| Error::Io { context: "failed to share the file", source })?;
        let mut options = ParserOptions { password: upload.password, ..ParserOptions::default() };
        let mut parser = ParserProcess::start_with(&self.settings, upload.file, mode, &options)?;
        let kind = match parser.read_kind().await {
            Err(Error::Rejected(rejection)) if rejection.reason == RejectionReason::Unknown => {
                options.mappings = self.list_mappings(trader).await?;
                if options.mappings.is_empty() {
                    return Err(rejection.into());
                }
                parser = ParserProcess::start_with(&self.settings, again, mode, &options)?;
                parser.read_kind().await?
            }
            kind => kind?,
        };
        let is_selected = (kind.book.broker, kind.book.segment) == (upload.book.broker, upload.book.segment);
        if !is_selected && !upload.confirm && !kind.is_mapped {
            return Err(Error::Mismatch { detected: kind.book });
        }
        let owner = kind.owner.clone().or_file_name(&upload.file_name);
        let head = trades::ImportHead {
            // A selected account is one with the selected broker.
            book: Some(if kind.book.broker == upload.book.broker && upload.book.broker_account > 0 {
                trades::Book { broker_account: upload.book.broker_account, ..kind.book }
            } else {
                kind.book
            }),
            file_name: upload.file_name,
            file_sha256: upload.sha256,
            format: kind.format.name().to_owned(),
            idempotency_key: upload.idempotency_key,
            client_code: owner.client_code,
            holder: owner.holder,
        };
        Ok((head, kind, parser, permit))
    }

    /// Returns the column mappings that the trader saved.
    async fn list_mappings(&self, trader: &Trader) -> Result<Vec<trades::ColumnMapping>, Error> {
        let request = trader.request(trades::ListColumnMappingsRequest {});
        let response = self.trades.clone().list_column_mappings(request).await.map_err(Error::Call)?;
        Ok(response.into_inner().mappings.into_iter().filter_map(|saved| saved.mapping).collect())
    }

    /// Streams the trades to the trade log while they are read. The trade log keeps them only if it receives the end.
    async fn stream_trades<M: From<Part>, R>(
        &self,
        trader: Trader,
        head: trades::ImportHead,
        parser: ParserProcess,
        altered: AlteredDocuments,
        call: impl AsyncFnOnce(TradeLog, Request<ReceiverStream<M>>) -> Result<Response<R>, Status>,
    ) -> Result<(R, FileSummary), Error> {
        let (sender, receiver) = mpsc::channel(BATCH_BUFFER_CAPACITY);
        let request = trader.request(ReceiverStream::new(receiver));
        let (sent, response) =
            tokio::join!(send_file(sender, head, parser, altered), call(self.trades.clone(), request));
        match (sent, response) {
            (Ok(summary), Ok(response)) => Ok((response.into_inner(), summary)),
            // Our own error is the cause; the trade log only reports that the stream ended early.
            (Err(SendError::File(error)), _) => Err(error),
            (_, Err(status)) => Err(Error::Call(status)),
            (Err(SendError::Closed), Ok(_)) => {
                Err(Error::Call(Status::internal("the trade log responded before the end of the file")))
            }
        }
    }
}

/// Treatment of documents that are not as they were signed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AlteredDocuments {
    /// The trader sees the preview, and decides.
    Send,
    /// The import is not seen by anybody before it is stored.
    Reject,
}

/// Message to the trade log.
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

/// Reason why a file was not sent completely.
enum SendError {
    /// The file was rejected.
    File(Error),
    /// The trade log closed the stream; its status has the reason.
    Closed,
}

/// Sends the whole file. On an error no end is sent, so the trade log stores nothing.
async fn send_file<M: From<Part>>(
    sender: mpsc::Sender<M>,
    head: trades::ImportHead,
    mut parser: ParserProcess,
    altered: AlteredDocuments,
) -> Result<FileSummary, SendError> {
    let segment = head.book.as_ref().map(trades::Book::segment);
    send_part(&sender, Part::Head(head)).await?;
    loop {
        match parser.read_batch().await.map_err(SendError::File)? {
            BatchOrSummary::Batch(batch) => {
                let waited = send_part(&sender, Part::Batch(batch)).await?;
                parser.extend_deadline(waited);
            }
            BatchOrSummary::Summary(summary) => {
                let is_altered = summary.signature.as_deref().is_some_and(trades::DocumentSignature::is_altered);
                if is_altered && altered == AlteredDocuments::Reject {
                    return Err(SendError::File(Rejection::from(RejectionReason::DocumentChanged).into()));
                }
                let of_book = |note: &&trades::ContractNote| note.book.as_ref().map(trades::Book::segment) == segment;
                let notes: Vec<_> = summary.contract_notes.iter().filter(of_book).cloned().collect();
                let count = |from_tradebook| {
                    let notes = notes.iter().filter(|note| note.from_tradebook == from_tradebook);
                    i64::try_from(notes.count()).unwrap_or(i64::MAX)
                };
                let (contract_notes, days_with_charges) = (count(false), count(true));
                let issues = trades::FileIssues { contract_notes, days_with_charges, ..file_issues(&summary) };
                let issues = Some(issues);
                let end = trades::ImportEnd { trades: summary.trades, issues, notes };
                send_part(&sender, Part::End(end)).await?;
                return Ok(summary);
            }
        }
    }
}

/// Sends one part and returns the time it took.
async fn send_part<M: From<Part>>(sender: &mpsc::Sender<M>, part: Part) -> Result<Duration, SendError> {
    let started = Instant::now();
    sender.send(part.into()).await.map_err(|_| SendError::Closed)?;
    Ok(started.elapsed())
}

/// Converts the issues of a file for the trade log, which keeps them with the import.
fn file_issues(summary: &FileSummary) -> trades::FileIssues {
    trades::FileIssues {
        rows: summary.rows,
        skipped_rows: summary.skipped,
        errors: summary.errors.iter().map(to_issue).collect(),
        error_count: summary.error_count,
        warnings: summary.warnings.iter().map(to_issue).collect(),
        warning_count: summary.warning_count,
        unusual_count: summary.odd_count,
        other_segment_rows: summary.other_segment_rows,
        signature: summary.signature.as_deref().cloned(),
        ..trades::FileIssues::default()
    }
}

/// Converts an issue, cutting its texts: a compromised parser process could send longer ones.
fn to_issue(issue: &FileIssue) -> trades::Issue {
    let cut = |text: &str, max_chars| text.chars().take(max_chars).collect();
    let params = issue.params.iter().take(MAX_ISSUE_PARAMS);
    trades::Issue {
        row: issue.row,
        column: cut(&issue.column, 8),
        value: cut(&issue.value, 100),
        code: cut(&issue.code, 60),
        sheet: cut(&issue.sheet, 100),
        params: params.map(|(name, value)| (cut(name, 40), cut(value, 100))).collect(),
        ..trades::Issue::default()
    }
}

pub(crate) const IMPORT_TIMED_OUT: &str = "the import exceeded its deadline";

/// Returns the value of the log field `code` for an error.
pub(crate) fn error_code(error: &Error) -> String {
    match error {
        Error::Call(status) => format!("{:?}", status.code()),
        Error::Mismatch { detected } => {
            format!("{} {} {}", error.reason(), broker_name(detected.broker()), segment_name(detected.segment()))
        }
        Error::Invalid(_)
        | Error::TooLarge
        | Error::Busy
        | Error::Rejected(_)
        | Error::Io { .. }
        | Error::TaskFailed(_) => error.reason().to_owned(),
    }
}

/// Logs a file that was not received completely.
pub(crate) fn log_failed_upload(trader: &Trader, error: &Error) {
    tracing::info!(account_id = %trader.account_id, code = error_code(error), "file_rejected");
}

/// Returns another service's status as our own: its code, message and details, without its headers.
pub(crate) fn forward_status(status: &Status) -> Status {
    match status.code() {
        // Transport failures have the code Unknown, and their text is not meant for the caller.
        Code::Unknown | Code::Ok => Status::internal("the connection to the trade log failed"),
        code => Status::with_details(code, status.message(), status.details().to_vec().into()),
    }
}
