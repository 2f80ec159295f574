//! The parts of a form as it comes, of which there may be only so many, and each no slower than it may be.
//!
//! The parser takes all that there is to be had before it looks at any of it, and between two parts keeps it until it has
//! found the next one, looking through all of it again whenever more comes. So it is fed in pieces, and between two parts
//! gets only one: whoever sends fast, says another boundary than stands in the form, or never ends the head of a part,
//! would otherwise have a whole body in memory, and the last two would keep us busy with it for long.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use http_body::{Frame, SizeHint};

use crate::Shared;
use crate::pace::Steady;
use crate::problem::Problem;

/// Parts of a form, at most.
const MOST_PARTS: usize = 20;
/// Bytes that the parser is given before it must look at them. What came in one piece is not cut.
const PIECE: usize = 64 * 1024;

/// The form in a body.
pub(crate) struct Parts {
    multipart: Multipart,
    count: usize,
    feed: Arc<Mutex<Feed>>,
    too_large: fn() -> Problem,
}

impl Parts {
    /// The form in the body of `request`. More than a body may hold is `too_large`.
    pub async fn of(app: &Shared, request: Request, too_large: fn() -> Problem) -> Result<Self, Problem> {
        if !is_form(request.headers()) {
            return Err(Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let feed = Arc::default();
        let request = request.map(|body| Body::new(Fed { body: Steady::new(body), feed: Arc::clone(&feed) }));
        let multipart = Multipart::from_request(request, app).await;
        let multipart = multipart.map_err(|_| Problem::malformed("The form has no boundary."))?;
        Ok(Self { multipart, count: 0, feed, too_large })
    }

    /// The next part.
    pub async fn next(&mut self) -> Result<Option<Part<'_>>, Problem> {
        *lock(&self.feed) = Feed { between: true, ..Feed::default() };
        let too_large = self.too_large;
        let field = self.multipart.next_field().await.map_err(|error| unreadable(&error, too_large))?;
        lock(&self.feed).between = false;
        self.count += usize::from(field.is_some());
        if self.count > MOST_PARTS {
            let detail = "The form has too many fields.";
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "too_many_parts", detail));
        }
        Ok(field.map(|field| Part { field, too_large }))
    }
}

/// A part of a form.
pub(crate) struct Part<'p> {
    field: Field<'p>,
    too_large: fn() -> Problem,
}

impl Part<'_> {
    /// Which field it is.
    pub fn name(&self) -> &str {
        self.field.name().unwrap_or_default()
    }

    /// What the client's machine calls the file in it.
    pub fn file_name(&self) -> &str {
        self.field.file_name().unwrap_or_default()
    }

    /// More of what it holds.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Problem> {
        self.field.chunk().await.map_err(|error| unreadable(&error, self.too_large))
    }

    /// Its text, unless that has more bytes than `longest`. Read to its end all the same, so that the rest of the form
    /// can be.
    pub async fn text(mut self, longest: usize) -> Result<Option<String>, Problem> {
        let mut text = Vec::new();
        let mut fits = true;
        while let Some(chunk) = self.chunk().await? {
            fits = fits && text.len() + chunk.len() <= longest;
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

fn is_form(headers: &HeaderMap) -> bool {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("multipart/form-data")
}

fn unreadable(error: &MultipartError, too_large: fn() -> Problem) -> Problem {
    let problem = Problem::of_body(error);
    if problem.status() == StatusCode::PAYLOAD_TOO_LARGE { too_large() } else { problem }
}

/// There is no part in what was sent so far.
#[derive(Debug, thiserror::Error)]
#[error("no part of a form begins where one must")]
struct NoPart;

/// What the parser is given.
#[derive(Debug, Default)]
struct Feed {
    /// It looks for the next part.
    between: bool,
    /// Bytes since it last had to look at them.
    given: usize,
    /// It had to look since it began to look for the next part, and did not find it.
    looked: bool,
}

fn lock(feed: &Mutex<Feed>) -> MutexGuard<'_, Feed> {
    feed.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A body that comes in pieces.
struct Fed {
    body: Steady,
    feed: Arc<Mutex<Feed>>,
}

impl HttpBody for Fed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let mut feed = lock(&self.feed);
        if feed.given >= PIECE {
            if feed.between && feed.looked {
                return Poll::Ready(Some(Err(axum::Error::new(NoPart))));
            }
            feed.looked = true;
            if !feed.between {
                feed.given = 0;
            }
            // More is there, as soon as this was looked at.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        drop(feed);
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            let mut feed = lock(&self.feed);
            feed.given = feed.given.saturating_add(bytes);
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
