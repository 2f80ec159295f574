//! Conversions to JSON that every area uses.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
pub(crate) use hex::encode as to_hex;
use http::header::CONTENT_TYPE;
use http_server::compression::Compressible;
use http_server::problem::Problem;
use serde_json::value::RawValue;

use crate::json_names::UnknownValue;

/// A message of the core cannot be written as JSON.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JsonError {
    #[error(transparent)]
    UnknownValue(#[from] UnknownValue),
    #[error("invalid decimal from core: {0:?}")]
    InvalidDecimal(String),
    #[error("missing or invalid time from core")]
    InvalidTime,
    #[error("the core sent a trade without a book")]
    MissingBook,
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
}

impl From<JsonError> for Problem {
    fn from(error: JsonError) -> Self {
        tracing::error!(error = %rpc::failure::error_chain(&error), "a record cannot be written");
        Self::internal()
    }
}

/// Returns `text` if it is written as JSON writes decimals.
pub(crate) fn check_decimal(text: &str) -> Result<&str, JsonError> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').map_or((unsigned, None), |(whole, rest)| (whole, Some(rest)));
    let is_valid = digits(whole) && (whole.len() == 1 || !whole.starts_with('0')) && fraction.is_none_or(digits);
    if is_valid { Ok(text) } else { Err(JsonError::InvalidDecimal(text.to_owned())) }
}

/// Converts a decimal to a JSON number, exactly.
pub(crate) fn raw_decimal(text: String) -> Result<Box<RawValue>, JsonError> {
    check_decimal(&text)?;
    Ok(RawValue::from_string(text)?)
}

/// Returns a compressible JSON response.
pub(crate) fn json_response(body: Body) -> Response {
    let mut response = ([(CONTENT_TYPE, "application/json")], body).into_response();
    response.extensions_mut().insert(Compressible);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_exactly_the_decimals_that_json_allows() {
        for good in ["0", "1", "10", "82.1", "82.0999", "-5.25", "99999999999.9999", "0.0001", "5.0000"] {
            assert_eq!(check_decimal(good).unwrap(), good);
            assert!(serde_json::from_str::<serde_json::Number>(good).is_ok());
        }
        for bad in ["", "-", ".5", "5.", "01", "1e5", "+1", "NaN", "1,000", " 1", "0x1", "1.2.3", "१"] {
            assert!(check_decimal(bad).is_err(), "{bad}");
        }
    }
}
