//! Numeric ids in paths.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;

/// Returns the only path parameter as an id, or `None` if it is not a positive number in canonical form (no sign, no
/// leading zeros).
pub async fn parse_path_id<S: Send + Sync>(parts: &mut Parts, state: &S) -> Option<i64> {
    let Path(text) = Path::<String>::from_request_parts(parts, state).await.ok()?;
    text.parse::<i64>().ok().filter(|id| *id > 0 && id.to_string() == text)
}
