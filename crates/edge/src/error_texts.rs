//! Errors that the edge finds itself. Their texts are in the section of the service whose data they are about, else in
//! `edge`.

use http::StatusCode;
use http_server::problem::{FieldError, Problem};

/// Returns a problem with a code of `service` and its text.
pub(crate) fn problem(status: StatusCode, service: &str, code: &'static str) -> Problem {
    Problem::new(status, code, error_text(service, code, &[]))
}

/// Returns the text of a code, which may be followed by `.` and a cause; `params` are its parameters.
pub(crate) fn error_text(service: &str, code: &str, params: &[(&str, u64)]) -> String {
    let text = texts::error(service, &code.to_ascii_uppercase(), &to_params("", params));
    text.unwrap_or_else(|| {
        tracing::error!(service, code, "an error has no text");
        "The request was rejected.".to_owned()
    })
}

/// Returns the error of a field whose value is invalid.
pub(crate) fn invalid_field(service: &str, field: &'static str) -> FieldError {
    FieldError::new(field, "invalid", invalid_text(service, field))
}

/// Returns the error of a field that takes true or false only.
pub(crate) fn invalid_flag(field: &'static str) -> FieldError {
    FieldError::new(field, "invalid", invalid_text("edge", "flag"))
}

/// Returns the text of a field whose value is invalid.
pub(crate) fn invalid_text(service: &str, field: &str) -> String {
    field_text(service, field, "INVALID", &[])
}

/// Returns the text of a field error; `params` are its parameters.
pub(crate) fn field_text(service: &str, field: &str, reason: &str, params: &[(&str, u64)]) -> String {
    let text = texts::field_error(service, field, reason, &to_params(&format!("{field}:"), params));
    text.unwrap_or_else(|| {
        tracing::error!(service, field, reason, "a field error has no text");
        "This value is invalid.".to_owned()
    })
}

fn to_params(prefix: &str, params: &[(&str, u64)]) -> texts::Params {
    params.iter().map(|(name, value)| (format!("{prefix}{name}"), value.to_string())).collect()
}
