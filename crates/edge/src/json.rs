//! Conversions to JSON that every area uses.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
pub(crate) use hex::encode as to_hex;
use http::header::CONTENT_TYPE;
use http_server::compression::Compressible;
use http_server::problem::Problem;
use rpc::json::JsonName;
use serde::Serialize;
use serde_json::value::RawValue;

/// JSON number with the exact text of a decimal.
pub(crate) type Number = Box<RawValue>;

/// A message of the core cannot be written as JSON.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JsonError {
    /// Enum value without a name; contains the type of the enum.
    #[error("unknown value from core: {0}")]
    UnknownValue(&'static str),
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

/// Returns a message of the core as JSON.
pub(crate) fn respond(message: &impl Serialize) -> Result<Response, Problem> {
    Ok(json_response(Body::from(serde_json::to_vec(message).map_err(JsonError::from)?)))
}

/// Returns the name of an enum value.
pub(crate) fn enum_name<K: JsonName>(value: K) -> Result<&'static str, JsonError> {
    value.json_name().ok_or(JsonError::UnknownValue(std::any::type_name::<K>()))
}

/// Returns `text` if it is written as JSON writes decimals.
pub(crate) fn check_decimal(text: &str) -> Result<&str, JsonError> {
    if rpc::json::is_decimal(text) { Ok(text) } else { Err(JsonError::InvalidDecimal(text.to_owned())) }
}

/// Converts a decimal to a JSON number, exactly.
pub(crate) fn raw_decimal(text: String) -> Result<Number, JsonError> {
    check_decimal(&text)?;
    Ok(RawValue::from_string(text)?)
}

/// Converts a decimal; an empty text becomes null.
pub(crate) fn optional_decimal(text: String) -> Result<Option<Number>, JsonError> {
    if text.is_empty() { Ok(None) } else { raw_decimal(text).map(Some) }
}

/// Converts a text; an empty text becomes null.
pub(crate) fn optional_text(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// Converts a list of messages.
pub(crate) fn convert_list<M, J: TryFrom<M, Error = JsonError>>(messages: Vec<M>) -> Result<Vec<J>, JsonError> {
    messages.into_iter().map(J::try_from).collect()
}

/// Returns a compressible JSON response.
pub(crate) fn json_response(body: Body) -> Response {
    let mut response = ([(CONTENT_TYPE, "application/json")], body).into_response();
    response.extensions_mut().insert(Compressible);
    response
}
