//! Query strings: every parameter must be known, valid and sent once.

use axum::extract::Query;
use http::Uri;

use crate::problem::{FieldError, Problem};

/// Result of reading one parameter: `None` if the operation does not have it, `Some(Some(error))` if its value is
/// invalid.
pub type ParameterResult = Option<Option<FieldError>>;

/// Passes each parameter to `read` and returns all pairs.
///
/// # Errors
/// 422 with an error for each parameter that is unknown, invalid or repeated; 400 if the query cannot be decoded.
pub fn read_query(
    uri: &Uri,
    mut read: impl FnMut(&str, &str) -> ParameterResult,
) -> Result<Vec<(String, String)>, Problem> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|_| Problem::malformed("The query cannot be read."))?;
    let mut errors = Vec::new();
    let mut seen = Vec::new();
    for (name, value) in &pairs {
        if seen.contains(&name) {
            errors.push(FieldError { code: "repeated".into(), ..FieldError::unknown(name) });
        } else {
            errors.extend(read(name, value).unwrap_or_else(|| Some(FieldError::unknown(name))));
        }
        seen.push(name);
    }
    Problem::reject_any(errors)?;
    Ok(pairs)
}

/// Parses `limit`, the size of a page.
///
/// # Errors
/// An error of the field unless it is a number from 1 to `max`.
pub fn parse_limit(value: &str, max: i32) -> Result<i32, FieldError> {
    let is_short_number = (1..=4).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit());
    let limit = value.parse().ok().filter(|limit| is_short_number && (1..=max).contains(limit));
    limit.ok_or_else(|| FieldError::new("limit", "invalid", format!("Say a number from 1 to {max}.")))
}
