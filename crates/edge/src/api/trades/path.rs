//! Extractors of ids in paths. A malformed id is rejected with 404, because it identifies nothing.

use axum::extract::FromRequestParts;
use http::StatusCode;
use http::request::Parts;
use http_server::path_id::parse_path_id;
use http_server::problem::Problem;

use crate::error_texts::problem;

/// Id of a trade.
pub(crate) struct TradeId(pub i64);

/// Id of a change.
pub(crate) struct ChangeId(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for TradeId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let not_found = || problem(StatusCode::NOT_FOUND, "trades", "trade_not_found");
        parse_path_id(parts, state).await.map(Self).ok_or_else(not_found)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ChangeId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let not_found = || problem(StatusCode::NOT_FOUND, "trades", "change_not_found");
        parse_path_id(parts, state).await.map(Self).ok_or_else(not_found)
    }
}
