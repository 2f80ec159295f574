//! Error responses as `application/problem+json` (RFC 9457).
//!
//! A handler returns a [`Problem`]; [`render`] writes it in the outermost layer, where the request id and the path are
//! known. Rejections of the framework and of other layers get the same format there.

use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use queue::Busy;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::transfer_rate::TooSlow;

/// Maximum number of field errors in one response.
pub const MAX_FIELD_ERRORS: usize = 100;

/// Error response that is not written yet.
#[derive(Clone, Debug)]
pub struct Problem {
    status: StatusCode,
    code: Cow<'static, str>,
    detail: Cow<'static, str>,
    errors: Vec<FieldError>,
    extensions: Vec<(&'static str, Box<RawValue>)>,
    /// Seconds.
    retry_after: Option<u64>,
}

/// Error of one field of the request.
#[derive(Clone, Debug, Serialize)]
pub struct FieldError {
    /// Name of the field as the client sent it.
    pub field: Cow<'static, str>,
    /// Stable code for programs, such as `required`.
    pub code: Cow<'static, str>,
    /// Sentence for people.
    pub message: Cow<'static, str>,
}

impl FieldError {
    /// Creates an error of a field with a fixed name.
    pub fn new(field: &'static str, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { field: field.into(), code: code.into(), message: message.into() }
    }

    /// Rejects a field that the operation does not have.
    pub fn unknown(name: &str) -> Self {
        // Long enough to recognise the field.
        let name: String = name.chars().take(64).collect();
        Self { field: name.into(), code: "unknown".into(), message: "There is no such field.".into() }
    }

    /// Rejects a field that is missing.
    pub fn required(field: &'static str) -> Self {
        Self::new(field, "required", "This field is required.")
    }

    /// Rejects a field that was sent twice.
    pub fn repeated(field: &'static str) -> Self {
        Self::new(field, "repeated", "This field was sent more than once.")
    }
}

impl Problem {
    /// Creates a problem with a status, a stable code and a sentence for people.
    pub fn new(status: StatusCode, code: impl Into<Cow<'static, str>>, detail: impl Into<Cow<'static, str>>) -> Self {
        let (code, detail) = (code.into(), detail.into());
        Self { status, code, detail, errors: Vec::new(), extensions: Vec::new(), retry_after: None }
    }

    /// Rejects a well-formed request because of its fields. Keeps the first [`MAX_FIELD_ERRORS`] errors.
    pub fn from_field_errors(mut errors: Vec<FieldError>) -> Self {
        errors.truncate(MAX_FIELD_ERRORS);
        let problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", "Some fields are missing or wrong.");
        Self { errors, ..problem }
    }

    /// Rejects the request if there is any error.
    pub fn reject_any(errors: Vec<FieldError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self::from_field_errors(errors)) }
    }

    /// Removes `prefix` from the names of the fields.
    #[must_use]
    pub fn strip_field_prefix(mut self, prefix: &str) -> Self {
        for error in &mut self.errors {
            if let Some(field) = error.field.strip_prefix(prefix) {
                error.field = field.to_owned().into();
            }
        }
        self
    }

    /// Rejects a request that cannot be parsed.
    pub fn malformed(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", detail)
    }

    /// Rejects a body with an unexpected content type.
    pub fn unsupported_media_type() -> Self {
        Self::from_status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
    }

    /// Reports a fault of the server. The caller logs the cause.
    pub fn internal() -> Self {
        Self::from_status(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Reports that another service did not respond in time.
    pub fn timeout() -> Self {
        Self::from_status(StatusCode::GATEWAY_TIMEOUT)
    }

    /// Reports that a concurrency limit is reached.
    pub fn busy() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "The server is busy. Try again in a moment.")
    }

    /// Reports that a rate limit is exceeded; the next request is accepted after `wait`.
    pub fn too_many_requests(wait: Duration) -> Self {
        Self::from_status(StatusCode::TOO_MANY_REQUESTS).with_retry_after(wait)
    }

    /// Creates a problem with the default code and text of a status. Also used for every error response that no handler
    /// created.
    pub fn from_status(status: StatusCode) -> Self {
        let (code, detail) = match status.as_u16() {
            401 => ("unauthenticated", "You are signed out. Log in again."),
            403 => ("forbidden", "This is not allowed."),
            404 => ("not_found", "There is nothing at this address."),
            405 => ("method_not_allowed", "This address does not take this method."),
            408 => ("request_timeout", "The request did not arrive in time."),
            413 => ("too_large", "The request is larger than this address takes."),
            415 => ("unsupported_media_type", "This address does not take this content type."),
            429 => ("too_many_requests", "Too many requests. Try again in a moment."),
            503 => ("unavailable", "The server cannot answer right now. Try again in a moment."),
            504 => ("timeout", "The answer took too long. Try again in a moment."),
            500..=599 => ("internal", "Something went wrong on our side."),
            _ => ("malformed", "The request cannot be understood."),
        };
        Self::new(status, code, detail)
    }

    /// Converts an error of reading a body: timeout, size limit or aborted transfer.
    pub fn from_body_error(error: &(dyn Error + 'static)) -> Self {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if error.is::<tower_http::timeout::TimeoutError>() || error.is::<TooSlow>() {
                return Self::from_status(StatusCode::REQUEST_TIMEOUT);
            }
            if error.is::<http_body_util::LengthLimitError>() {
                return Self::from_status(StatusCode::PAYLOAD_TOO_LARGE);
            }
            cause = error.source();
        }
        Self::malformed("The request broke off.")
    }

    /// Replaces the code and the text.
    pub fn with_detail(self, code: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { code: code.into(), detail: detail.into(), ..self }
    }

    /// Adds an error of a field.
    pub fn with_field_error(mut self, error: FieldError) -> Self {
        self.errors.push(error);
        self
    }

    /// Adds a member to the JSON object (RFC 9457 section 3.2).
    pub fn with_extension(mut self, name: &'static str, value: Box<RawValue>) -> Self {
        self.extensions.push((name, value));
        self
    }

    /// Sets the `Retry-After` header, rounded up to seconds so that no client returns too early.
    pub fn with_retry_after(self, wait: Duration) -> Self {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        Self { retry_after: Some(seconds), ..self }
    }

    /// Returns the HTTP status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the stable code for programs.
    pub fn code(&self) -> &str {
        &self.code
    }
}

impl From<Busy> for Problem {
    fn from(_: Busy) -> Self {
        Self::busy()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status;
        response.extensions_mut().insert(self);
        response
    }
}

/// Response extension that keeps [`render`] from replacing the body of an error status, such as the page for unknown
/// paths.
#[derive(Clone, Copy)]
pub struct KeepBody;

#[derive(Serialize)]
struct ProblemJson<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: &'a str,
    instance: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
    #[serde(flatten)]
    extensions: Extensions<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

struct Extensions<'a>(&'a [(&'static str, Box<RawValue>)]);

impl Serialize for Extensions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Writes the body of an error response of a handler, a layer or the framework; returns other responses unchanged.
///
/// `with_error_text` adds the members `success` and `error`, which some clients read instead of `detail`.
pub fn render(response: Response, instance: &str, with_error_text: bool) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || response.extensions().get::<KeepBody>().is_some() {
        return response;
    }
    let (mut parts, _) = response.into_parts();
    let problem = parts.extensions.remove::<Problem>().unwrap_or_else(|| Problem::from_status(status));
    let body = ProblemJson {
        r#type: "about:blank",
        title: status.canonical_reason().unwrap_or("Error"),
        status: status.as_u16(),
        detail: &problem.detail,
        instance,
        code: &problem.code,
        errors: &problem.errors,
        extensions: Extensions(&problem.extensions),
        success: with_error_text.then_some(false),
        error: with_error_text.then_some(&problem.detail),
    };
    // A struct of strings, numbers and JSON always serializes.
    let body = serde_json::to_vec(&body).unwrap_or_default();
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    if status == StatusCode::UNAUTHORIZED {
        parts.headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        parts.headers.insert(RETRY_AFTER, problem.retry_after.unwrap_or(1).max(1).into());
    }
    Response::from_parts(parts, Body::from(body))
}
