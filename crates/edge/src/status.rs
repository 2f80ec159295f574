//! Errors of the core as HTTP problems.

use std::error::Error;

use http::StatusCode;
use http_server::problem::{FieldError, Problem};
use rpc::failure::{ERROR_DOMAIN, STORAGE_FULL_MESSAGE, STORAGE_FULL_REASON};
use serde::Serialize;
use serde_json::value::to_raw_value;
use tonic::{Code, Status};
use tonic_types::{FieldViolation, StatusExt};

/// Broker and trade type of a file, if they are not those that the trader selected.
#[derive(Serialize)]
struct DetectedBook<'a> {
    broker: &'a str,
    tradetype: &'a str,
}

/// Converts an error of the core. The only place where this is done.
pub(crate) fn problem_from_status(status: Status) -> Problem {
    let details = status.get_error_details();
    // Only texts of `rpc::failure` are for people. Others, such as those of a broken connection, stay in the log.
    let Some(info) = details.error_info().filter(|info| info.domain == ERROR_DOMAIN) else {
        return problem_from_transport(&status);
    };
    let http_status = to_http_status(status.code());
    if http_status.is_server_error() && http_status != StatusCode::SERVICE_UNAVAILABLE {
        return Problem::from_status(http_status);
    }
    let http_status = match info.reason.as_str() {
        // The client has sent too many requests, not all clients together.
        "HELD" => StatusCode::TOO_MANY_REQUESTS,
        STORAGE_FULL_REASON => StatusCode::INSUFFICIENT_STORAGE,
        _ => http_status,
    };
    let mut problem = Problem::new(http_status, info.reason.to_ascii_lowercase(), status.message().to_owned());
    let violations = details.bad_request().map(|request| request.field_violations.as_slice()).unwrap_or_default();
    for violation in violations {
        problem = problem.with_field_error(to_field_error(violation));
    }
    if let (Some(broker), Some(tradetype)) = (info.metadata.get("broker"), info.metadata.get("segment"))
        && let Ok(detected) = to_raw_value(&DetectedBook { broker, tradetype })
    {
        problem = problem.with_extension("detected", detected);
    }
    if let Some(Ok(day)) = info.metadata.get("erased_on").map(to_raw_value) {
        problem = problem.with_extension("erasedOn", day);
    }
    match details.retry_info().and_then(|info| info.retry_delay) {
        Some(wait) => problem.with_retry_after(wait),
        None => problem,
    }
}

/// Converts the rejection of a token.
pub(crate) fn problem_from_refusal(refused: rpc::caller::AuthError) -> Problem {
    problem_from_status(rpc::failure::to_status(&refused))
}

/// Returns 507 if `error` was caused by a full disk, 500 otherwise. The caller logs the error.
pub(crate) fn storage_problem(error: &(dyn Error + 'static)) -> Problem {
    if rpc::failure::is_storage_full(error) {
        Problem::new(StatusCode::INSUFFICIENT_STORAGE, "store_full", STORAGE_FULL_MESSAGE)
    } else {
        Problem::internal()
    }
}

fn to_field_error(violation: &FieldViolation) -> FieldError {
    FieldError {
        field: violation.field.clone().into(),
        code: violation.reason.to_ascii_lowercase().into(),
        message: violation.description.clone().into(),
    }
}

fn to_http_status(code: Code) -> StatusCode {
    match code {
        Code::InvalidArgument => StatusCode::UNPROCESSABLE_ENTITY,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists => StatusCode::CONFLICT,
        Code::OutOfRange => StatusCode::PAYLOAD_TOO_LARGE,
        Code::ResourceExhausted | Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        // tonic reports "cancelled" when a server's own timeout elapses.
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

/// Converts an error of the transport, which no service of ours sent.
fn problem_from_transport(status: &Status) -> Problem {
    tracing::warn!(code = ?status.code(), error = %rpc::failure::error_chain(status), "the core did not answer properly");
    let http_status = to_http_status(status.code());
    if http_status.is_server_error() { Problem::from_status(http_status) } else { Problem::internal() }
}
