//! Multipart forms, read part by part while they arrive, with a limit of parts and a minimum transfer rate.
//!
//! The parser (multer) buffers everything that is available before it parses any of it. Between two parts it keeps the
//! buffer until it finds the next one, and searches all of it again whenever more arrives. Therefore it receives the body
//! in chunks, and between two parts only one chunk. Otherwise three kinds of clients would get a whole body into memory:
//! those that send fast, those that declare another boundary than the form has, and those that never end the head of a
//! part. The last two would also keep the parser busy for long.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use http::StatusCode;
use http_body::{Frame, SizeHint};

use crate::json_body::has_content_type;
use crate::problem::Problem;
use crate::transfer_rate::MinRateBody;

/// Maximum number of parts of a form.
const MAX_PARTS: usize = 20;
/// Bytes after which the parser must parse what it has received. A single frame is not divided.
const CHUNK_BYTES: usize = 64 * 1024;

/// Multipart form of a request.
pub struct Multipart {
    multipart: axum::extract::Multipart,
    count: usize,
    feed: Arc<Mutex<Feed>>,
    too_large: fn() -> Problem,
}

impl Multipart {
    /// Starts reading the form in the body of `request`. Reading fails with `too_large` if the body exceeds the size
    /// limit of its route.
    pub async fn from_request(request: Request, too_large: fn() -> Problem) -> Result<Self, Problem> {
        if !has_content_type(request.headers(), "multipart/form-data") {
            return Err(Problem::unsupported_media_type());
        }
        let feed = Arc::default();
        let request =
            request.map(|body| Body::new(ChunkedBody { body: MinRateBody::new(body), feed: Arc::clone(&feed) }));
        let multipart = axum::extract::Multipart::from_request(request, &()).await;
        let multipart = multipart.map_err(|_| Problem::malformed("The form has no boundary."))?;
        Ok(Self { multipart, count: 0, feed, too_large })
    }

    /// Returns the next part, or `None` at the end of the form.
    pub async fn next_part(&mut self) -> Result<Option<Part<'_>>, Problem> {
        *lock(&self.feed) = Feed { is_between_parts: true, ..Feed::default() };
        let too_large = self.too_large;
        let field = self.multipart.next_field().await.map_err(|error| to_problem(&error, too_large))?;
        lock(&self.feed).is_between_parts = false;
        self.count += usize::from(field.is_some());
        if self.count > MAX_PARTS {
            let detail = "The form has too many fields.";
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "too_many_parts", detail));
        }
        Ok(field.map(|field| Part { field, too_large }))
    }
}

/// Part of a form: a text field or a file.
pub struct Part<'p> {
    field: Field<'p>,
    too_large: fn() -> Problem,
}

impl Part<'_> {
    /// Returns the name of the field.
    pub fn name(&self) -> &str {
        self.field.name().unwrap_or_default()
    }

    /// Returns the name of the file, as the client sent it.
    pub fn file_name(&self) -> &str {
        self.field.file_name().unwrap_or_default()
    }

    /// Returns the next chunk of the content, or `None` at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Problem> {
        self.field.chunk().await.map_err(|error| to_problem(&error, self.too_large))
    }

    /// Returns the content as text, or `None` if it is longer than `max_bytes`. Reads to the end in either case, so that
    /// the following parts can be read.
    pub async fn text(mut self, max_bytes: usize) -> Result<Option<String>, Problem> {
        let mut text = Vec::new();
        let mut fits = true;
        while let Some(chunk) = self.chunk().await? {
            fits = fits && text.len() + chunk.len() <= max_bytes;
            if fits {
                text.extend_from_slice(&chunk);
            }
        }
        if !fits {
            return Ok(None);
        }
        String::from_utf8(text).map(Some).map_err(|_| Problem::malformed("A field of the form is not UTF-8."))
    }
}

fn to_problem(error: &MultipartError, too_large: fn() -> Problem) -> Problem {
    let problem = Problem::from_body_error(error);
    if problem.status() == StatusCode::PAYLOAD_TOO_LARGE { too_large() } else { problem }
}

/// A whole chunk contains no beginning of the next part.
#[derive(Debug, thiserror::Error)]
#[error("no part of the form begins within a chunk")]
struct PartNotFound;

/// State of the parser, as far as it is needed to feed it.
#[derive(Debug, Default)]
struct Feed {
    /// The parser searches the next part.
    is_between_parts: bool,
    /// Bytes passed to the parser since it last had to parse.
    unparsed_bytes: usize,
    /// The parser has parsed a chunk since it began to search the next part, without finding it.
    has_parsed: bool,
}

fn lock(feed: &Mutex<Feed>) -> MutexGuard<'_, Feed> {
    feed.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Body that pauses after each chunk, so that the parser parses it.
struct ChunkedBody {
    body: MinRateBody,
    feed: Arc<Mutex<Feed>>,
}

impl HttpBody for ChunkedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let mut feed = lock(&self.feed);
        if feed.unparsed_bytes >= CHUNK_BYTES {
            if feed.is_between_parts && feed.has_parsed {
                return Poll::Ready(Some(Err(axum::Error::new(PartNotFound))));
            }
            feed.has_parsed = true;
            if !feed.is_between_parts {
                feed.unparsed_bytes = 0;
            }
            // More is available as soon as the parser has parsed this.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        drop(feed);
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            let mut feed = lock(&self.feed);
            feed.unparsed_bytes = feed.unparsed_bytes.saturating_add(bytes);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
