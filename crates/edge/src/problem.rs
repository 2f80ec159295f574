//! How a refusal looks: `application/problem+json` (RFC 9457), whatever refused.
//!
//! A handler returns a [`Problem`]; [`render`] writes it as one of the last steps, where the id of the request and the
//! path are known. The core's refusals become one in [`Problem::from`], and nowhere else.

use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use rpc::failure::{DOMAIN, NO_ROOM, STORE_FULL};
use serde::Serialize;
use serde_json::value::RawValue;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::pace::TooSlow;

/// Faults that are told at once.
pub(crate) const MOST_ERRORS: usize = 100;

/// A refusal on its way to the client.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    code: Cow<'static, str>,
    detail: Cow<'static, str>,
    errors: Vec<FieldError>,
    beside: Option<Box<Beside>>,
    erased_on: Option<Box<str>>,
    retry_after: Option<u64>,
}

/// What stands beside the refusal.
#[derive(Clone, Debug)]
enum Beside {
    /// What a file is, where that is not what was chosen.
    Found(Found),
    /// What an import would do now, where that is not what was shown.
    Preview(Box<RawValue>),
}

/// One field of the request, and what is wrong with it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FieldError {
    pub field: Cow<'static, str>,
    pub code: Cow<'static, str>,
    pub message: Cow<'static, str>,
}

impl FieldError {
    pub fn new(field: &'static str, code: &'static str, message: &'static str) -> Self {
        Self { field: field.into(), code: code.into(), message: message.into() }
    }
}

/// What a file is.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Found {
    broker: String,
    tradetype: String,
}

impl Problem {
    pub fn new(status: StatusCode, code: &'static str, detail: &'static str) -> Self {
        let (code, detail) = (code.into(), detail.into());
        Self { status, code, detail, errors: Vec::new(), beside: None, erased_on: None, retry_after: None }
    }

    /// Well-formed, but some fields are wrong.
    pub fn fields(mut errors: Vec<FieldError>) -> Self {
        errors.truncate(MOST_ERRORS);
        let problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", "Some fields are missing or wrong.");
        Self { errors, ..problem }
    }

    /// The same refusal, for this field.
    pub fn at(mut self, error: FieldError) -> Self {
        self.errors.push(error);
        self
    }

    /// The request cannot be read at all.
    pub fn malformed(detail: &'static str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", detail)
    }

    /// The address in the request is another trader's.
    pub fn not_yours() -> Self {
        Self::new(StatusCode::FORBIDDEN, "not_yours", "This e-mail address is not the one you are signed in with.")
    }

    /// Our fault. The cause belongs in the log.
    pub fn internal() -> Self {
        Self::of_status(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// A file of ours could not be kept. The cause belongs in the log.
    pub fn unkept(error: &(dyn Error + 'static)) -> Self {
        if rpc::failure::is_full(error) { Self::no_room() } else { Self::internal() }
    }

    /// There is no room on a disk of ours.
    fn no_room() -> Self {
        Self::new(StatusCode::INSUFFICIENT_STORAGE, "store_full", NO_ROOM)
    }

    /// The core did not answer in time.
    pub fn timeout() -> Self {
        Self::of_status(StatusCode::GATEWAY_TIMEOUT)
    }

    /// Something else would have been imported than was shown: this.
    pub fn preview_changed(preview: Box<RawValue>) -> Self {
        let detail = "Your trades changed since. Look again at what would be imported.";
        Self {
            beside: Some(Box::new(Beside::Preview(preview))),
            ..Self::new(StatusCode::CONFLICT, "preview_changed", detail)
        }
    }

    /// Too much at once.
    pub fn busy() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "The server is busy. Try again in a moment.")
    }

    /// Asked too often. The next one is answered after `wait`.
    pub fn too_many(wait: Duration) -> Self {
        Self { retry_after: Some(whole_seconds(wait)), ..Self::of_status(StatusCode::TOO_MANY_REQUESTS) }
    }

    /// What a bare status says. Also the form of every refusal that is not made by a handler of ours.
    pub fn of_status(status: StatusCode) -> Self {
        let (code, detail) = match status.as_u16() {
            401 => ("signed_out", "You are signed out. Log in again."),
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

    /// Why a body could not be read: late, too large, or broken off.
    pub fn of_body(error: &(dyn Error + 'static)) -> Self {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if error.is::<tower_http::timeout::TimeoutError>() || error.is::<TooSlow>() {
                return Self::of_status(StatusCode::REQUEST_TIMEOUT);
            }
            if error.is::<http_body_util::LengthLimitError>() {
                return Self::of_status(StatusCode::PAYLOAD_TOO_LARGE);
            }
            cause = error.source();
        }
        Self::malformed("The request broke off.")
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    pub fn code(&self) -> &str {
        &self.code
    }

    /// The same refusal in words of its own.
    pub fn saying(self, code: &'static str, detail: &'static str) -> Self {
        Self { code: code.into(), detail: detail.into(), ..self }
    }
}

/// The one place where the core's refusals become the edge's.
impl From<Status> for Problem {
    fn from(status: Status) -> Self {
        let details = status.get_error_details();
        // Only what `rpc::failure` made is meant for people. Everything else, such as the words of a broken
        // connection or of a decoder, stays here.
        let Some(info) = details.error_info().filter(|info| info.domain == DOMAIN) else {
            return of_transport(&status);
        };
        let http = of_code(status.code());
        if http.is_server_error() && http != StatusCode::SERVICE_UNAVAILABLE {
            return Self::of_status(http);
        }
        let http = match info.reason.as_str() {
            // Not the server has too much to do, but this one has asked too often.
            "HELD" => StatusCode::TOO_MANY_REQUESTS,
            STORE_FULL => StatusCode::INSUFFICIENT_STORAGE,
            _ => http,
        };
        let errors = details.bad_request().map(|request| request.field_violations.as_slice()).unwrap_or_default();
        Self {
            status: http,
            code: info.reason.to_ascii_lowercase().into(),
            detail: status.message().to_owned().into(),
            errors: errors.iter().map(field_error).collect(),
            beside: found(&info.metadata),
            erased_on: info.metadata.get("erased_on").map(|day| day.as_str().into()),
            retry_after: details.retry_info().and_then(|info| info.retry_delay).map(whole_seconds),
        }
    }
}

impl From<rpc::caller::Refused> for Problem {
    fn from(refused: rpc::caller::Refused) -> Self {
        Self::from(rpc::failure::status(&refused))
    }
}

fn field_error(violation: &tonic_types::FieldViolation) -> FieldError {
    FieldError {
        field: violation.field.clone().into(),
        code: violation.reason.to_ascii_lowercase().into(),
        message: violation.description.clone().into(),
    }
}

fn found(facts: &std::collections::HashMap<String, String>) -> Option<Box<Beside>> {
    let broker = facts.get("broker")?.clone();
    let tradetype = facts.get("segment")?.clone();
    Some(Box::new(Beside::Found(Found { broker, tradetype })))
}

fn of_code(code: Code) -> StatusCode {
    match code {
        Code::InvalidArgument => StatusCode::UNPROCESSABLE_ENTITY,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists => StatusCode::CONFLICT,
        Code::OutOfRange => StatusCode::PAYLOAD_TOO_LARGE,
        Code::ResourceExhausted | Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        // A server whose own deadline passes says "cancelled".
        Code::DeadlineExceeded | Code::Cancelled => StatusCode::GATEWAY_TIMEOUT,
        Code::Ok
        | Code::Unknown
        | Code::FailedPrecondition
        | Code::Aborted
        | Code::Unimplemented
        | Code::Internal
        | Code::DataLoss => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A refusal by the way there, not by a service of ours.
fn of_transport(status: &Status) -> Problem {
    tracing::warn!(code = ?status.code(), error = %rpc::failure::chain(status), "the core did not answer properly");
    let http = of_code(status.code());
    if http.is_server_error() { Problem::of_status(http) } else { Problem::internal() }
}

/// Rounded up, so that nobody comes back too early.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.status;
        response.extensions_mut().insert(self);
        response
    }
}

/// Marks an answer with an error status that is meant as it is, such as the page for unknown paths.
#[derive(Clone, Copy)]
pub(crate) struct AsItIs;

#[derive(Serialize)]
struct Wire<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    detail: &'a str,
    instance: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<&'a Found>,
    #[serde(rename = "erasedOn", skip_serializing_if = "Option::is_none")]
    erased_on: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// Writes the refusal in `response`, whoever made it: a handler, a layer, or the framework.
pub(crate) fn render(response: Response, path: &str, instance: &str) -> Response {
    let status = response.status();
    let refused = status.is_client_error() || status.is_server_error();
    if !refused || response.extensions().get::<AsItIs>().is_some() {
        return response;
    }
    let (mut parts, _) = response.into_parts();
    let problem = parts.extensions.remove::<Problem>().unwrap_or_else(|| Problem::of_status(status));
    // The sign-in forms of the product read `success` and `error`.
    let auth = path.strip_prefix("/api/v1").unwrap_or(path).starts_with("/auth/");
    let (found, preview) = match problem.beside.as_deref() {
        Some(Beside::Found(found)) => (Some(found), None),
        Some(Beside::Preview(preview)) => (None, Some(&**preview)),
        None => (None, None),
    };
    let wire = Wire {
        r#type: "about:blank",
        title: status.canonical_reason().unwrap_or("Error"),
        status: status.as_u16(),
        detail: &problem.detail,
        instance,
        code: &problem.code,
        errors: &problem.errors,
        found,
        erased_on: problem.erased_on.as_deref(),
        preview,
        success: auth.then_some(false),
        error: auth.then_some(&problem.detail),
    };
    // A struct of strings, numbers and JSON always serializes.
    let body = serde_json::to_vec(&wire).unwrap_or_default();
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
