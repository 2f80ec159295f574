//! The numbers in paths. What is no number of ours names nothing, so it is not found.

use axum::extract::{FromRequestParts, Path};
use http::StatusCode;
use http::request::Parts;

use crate::problem::Problem;

/// The id of a trade.
pub(crate) struct TradeId(pub i64);

/// The id of a change.
pub(crate) struct ChangeId(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for TradeId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let none = || Problem::new(StatusCode::NOT_FOUND, "no_trade", "There is no such trade.");
        id(parts, state).await.map(Self).ok_or_else(none)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ChangeId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let none = || Problem::new(StatusCode::NOT_FOUND, "no_change", "There is no such change.");
        id(parts, state).await.map(Self).ok_or_else(none)
    }
}

/// Written as we write it: digits alone, and no zero before them.
pub(crate) async fn id<S: Send + Sync>(parts: &mut Parts, state: &S) -> Option<i64> {
    let Path(text) = Path::<String>::from_request_parts(parts, state).await.ok()?;
    text.parse::<i64>().ok().filter(|id| *id > 0 && id.to_string() == text)
}
