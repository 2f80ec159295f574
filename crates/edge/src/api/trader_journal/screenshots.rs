//! Handlers of `/journal/screenshots`. A picture is streamed to the core while it arrives, and back.

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{Stream, TryStreamExt};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, StatusCode, Uri};
use http_server::json_body::NoBody;
use http_server::limiter::Client;
use http_server::multipart::{Multipart, Part};
use http_server::problem::{FieldError, Problem};
use http_server::query::read_query;
use rpc::json::JsonName as _;
use rpc::trader_journal::v1::add_screenshot_request::Part as Message;
use rpc::trader_journal::v1::download_screenshot_response::Part as Received;
use rpc::trader_journal::v1::{
    AddScreenshotRequest, AddScreenshotResponse, AddedScreenshot, DeleteScreenshotRequest, DownloadScreenshotRequest,
    DownloadScreenshotResponse, EntryKind, PositionSide, RestoreScreenshotRequest, ScreenshotHead, Subject,
};

use crate::api::trader_journal::query::ScreenshotId;
use crate::api::trader_journal::routes::{Client as JournalClient, write};
use crate::call;
use crate::caller::Trader;
use crate::download::{first_message, stream_chunks};
use crate::error_texts::{field_text, invalid_text, problem};
use crate::form_texts::FormTexts;
use crate::limits::screenshot_too_large;
use crate::state::Shared;
use crate::stream_error::StreamError;
use crate::upload_call::UploadCall;

/// Maximum size of a text field; the longest valid one is a key of 200 bytes or a symbol of 100 characters.
const MAX_FIELD_BYTES: usize = 1024;
/// Names of the fields other than the file.
const TEXT_FIELDS: [&str; 7] = ["id", "kind", "key", "symbol", "day", "side", "quantity"];
/// Text fields without which a screenshot cannot be added.
const REQUIRED_FIELDS: [&str; 4] = ["id", "kind", "key", "day"];

/// Call that adds a screenshot.
type AddCall = UploadCall<AddScreenshotRequest, AddScreenshotResponse>;

/// `POST /journal/screenshots`
pub(super) async fn add_screenshot(
    State(app): State<Shared>,
    trader: Trader,
    request: Request,
) -> Result<Response, Problem> {
    let _permit = app.limiter.uploads.try_acquire(Client::from_request(&request))?;
    let mut form = Multipart::from_request(request, screenshot_too_large).await?;
    let mut core = app.clients.trader_journals.clone();
    let to_message = |chunk| AddScreenshotRequest { part: Some(Message::FileChunk(chunk)) };
    let mut call =
        UploadCall::start(
            &app,
            &trader.context,
            to_message,
            |request| async move { core.add_screenshot(request).await },
        );
    let mut fields = FormFields::default();
    while let Some(part) = form.next_part().await? {
        fields.read_part(part, &mut call).await?;
    }
    let message = AddScreenshotRequest { part: Some(Message::Screenshot(fields.finish()?)) };
    let entry = call.finish(Some(message)).await?.entry.unwrap_or_default();
    Ok((StatusCode::CREATED, Json(entry)).into_response())
}

/// Fields that have been read.
#[derive(Default)]
struct FormFields {
    texts: FormTexts,
    /// Size of the file, if there is one.
    bytes: Option<i64>,
}

impl FormFields {
    async fn read_part(&mut self, part: Part<'_>, call: &mut AddCall) -> Result<(), Problem> {
        match part.name() {
            "file" => self.read_file(part, call).await,
            _ => self.texts.read(part, &TEXT_FIELDS, MAX_FIELD_BYTES).await,
        }
    }

    async fn read_file(&mut self, mut part: Part<'_>, call: &mut AddCall) -> Result<(), Problem> {
        if self.bytes.is_some() {
            self.texts.errors.push(FieldError::repeated("file"));
        }
        let mut bytes = 0_i64;
        while let Some(chunk) = part.chunk().await? {
            bytes = bytes.saturating_add(i64::try_from(chunk.len()).unwrap_or(i64::MAX));
            // A form with errors will be rejected; its file need not be sent.
            if self.texts.errors.is_empty() {
                call.push(chunk).await;
            }
        }
        self.bytes = Some(bytes);
        Ok(())
    }

    /// Returns the screenshot, whose values the core validates.
    fn finish(mut self) -> Result<AddedScreenshot, Problem> {
        let is_missing = |field: &&str| self.texts.get(field).is_none_or(str::is_empty);
        let mut missing: Vec<&'static str> = REQUIRED_FIELDS.into_iter().filter(is_missing).collect();
        missing.extend(Some("file").filter(|_| self.bytes.is_none()));
        self.texts.errors.extend(missing.into_iter().map(FieldError::required));
        let mut take_text = |name| self.texts.take(name);
        let (kind, side) = (take_text("kind"), take_text("side"));
        let subject = Subject {
            kind: EntryKind::from_json_name(&kind).unwrap_or_default().into(),
            key: take_text("key"),
            symbol: take_text("symbol"),
            day: take_text("day"),
            side: PositionSide::from_json_name(&side).unwrap_or_default().into(),
            quantity: take_text("quantity"),
        };
        let id = take_text("id");
        if !side.is_empty() && subject.side() == PositionSide::Unspecified {
            self.texts.errors.push(FieldError::new("side", "invalid", invalid_text("journal", "side")));
        }
        if !kind.is_empty() && subject.kind() == EntryKind::Unspecified {
            let text = field_text("journal", "kind", "ENTRY_KIND_MISSING", &[]);
            self.texts.errors.push(FieldError::new("kind", "invalid", text));
        }
        Problem::reject_any(self.texts.errors)?;
        Ok(AddedScreenshot { id, subject: Some(subject), bytes: self.bytes.unwrap_or_default() })
    }
}

/// `GET /journal/screenshots/{id}`
pub(super) async fn show_screenshot(
    State(app): State<Shared>,
    trader: Trader,
    ScreenshotId(id): ScreenshotId,
    uri: Uri,
) -> Result<Response, Problem> {
    let mut thumbnail = false;
    read_query(&uri, |name, value| match (name, value) {
        ("size", "full" | "thumbnail") => {
            thumbnail = value == "thumbnail";
            Some(None)
        }
        ("size", _) => Some(Some(FieldError::new("size", "invalid", invalid_text("edge", "screenshot_size")))),
        _ => None,
    })?;
    let (head, chunks) = open_screenshot(&app, &trader, DownloadScreenshotRequest { id, thumbnail }).await?;
    let media_type = HeaderValue::from_str(&head.media_type).map_err(|_| Problem::internal())?;
    let body = Body::from_stream(chunks.inspect_err(|error| {
        tracing::error!(error = %rpc::failure::error_chain(error), "screenshot download interrupted");
    }));
    Ok(([(CONTENT_TYPE, media_type), (CONTENT_LENGTH, head.bytes.into())], body).into_response())
}

/// Opens a screenshot: its head and its content.
pub(crate) async fn open_screenshot(
    app: &Shared,
    trader: &Trader,
    request: DownloadScreenshotRequest,
) -> Result<(ScreenshotHead, impl Stream<Item = Result<Bytes, StreamError>> + use<>), Problem> {
    let idle_timeout = app.settings.core_timeouts.call;
    let mut parts = call::read(idle_timeout, &app.retry_budget, || {
        let mut core = app.clients.trader_journals.clone();
        let request = trader.context.request(request.clone(), idle_timeout);
        async move { core.download_screenshot(request).await }
    })
    .await?;
    let first = first_message(&mut parts, idle_timeout).await?;
    let Some(Received::Head(head)) = first.and_then(|message| message.part) else {
        return Err(problem(StatusCode::NOT_FOUND, "journal", "screenshot_not_found"));
    };
    let chunks = stream_chunks(parts, idle_timeout, |message: DownloadScreenshotResponse| match message.part {
        Some(Received::Chunk(chunk)) => Some(chunk),
        Some(Received::Head(_)) | None => None,
    });
    Ok((head, chunks))
}

/// `DELETE /journal/screenshots/{id}`
pub(super) async fn delete_screenshot(
    State(app): State<Shared>,
    trader: Trader,
    ScreenshotId(id): ScreenshotId,
) -> Result<Response, Problem> {
    let rpc = |mut core: JournalClient, request| async move { core.delete_screenshot(request).await };
    write(&app, &trader, DeleteScreenshotRequest { id }, rpc).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `POST /journal/screenshots/{id}/restore`
pub(super) async fn restore_screenshot(
    State(app): State<Shared>,
    trader: Trader,
    ScreenshotId(id): ScreenshotId,
    _: NoBody,
) -> Result<Response, Problem> {
    let rpc = |mut core: JournalClient, request| async move { core.restore_screenshot(request).await };
    write(&app, &trader, RestoreScreenshotRequest { id }, rpc).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
