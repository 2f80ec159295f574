//! Routes of `/analytics/positions` and `/analytics/trade-results`.

use axum::extract::{FromRequestParts, Path, State};
use axum::response::Response;
use http::request::Parts;
use http::{StatusCode, Uri};
use http_server::problem::Problem;
use rpc::analytics::v1::{GetPositionRequest, ListTradeResultsRequest};

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::api::analytics::query;
use crate::caller::Reader;
use crate::error_texts::problem;
use crate::json::respond;
use crate::state::Shared;

/// Maximum length of the id of a position.
const MAX_POSITION_ID_BYTES: usize = 40;

/// `GET /analytics/positions`
pub(crate) async fn list_positions(
    State(app): State<Shared>,
    Reader(trader): Reader,
    uri: Uri,
) -> Result<Response, Problem> {
    let request = query::parse_positions_query(&uri)?;
    let rpc = |mut core: Client, request| async move { core.list_positions(request).await };
    respond(&call_analytics(&app, &trader, request, rpc).await?)
}

/// `GET /analytics/positions/{id}`
pub(crate) async fn show_position(
    State(app): State<Shared>,
    Reader(trader): Reader,
    PositionId(id): PositionId,
) -> Result<Response, Problem> {
    let rpc = |mut core: Client, request| async move { core.get_position(request).await };
    respond(&call_analytics(&app, &trader, GetPositionRequest { id }, rpc).await?)
}

/// `GET /analytics/trade-results`
pub(crate) async fn list_trade_results(
    State(app): State<Shared>,
    Reader(trader): Reader,
    uri: Uri,
) -> Result<Response, Problem> {
    let request = ListTradeResultsRequest { trade_ids: query::parse_trade_ids(&uri)? };
    let rpc = |mut core: Client, request| async move { core.list_trade_results(request).await };
    respond(&call_analytics(&app, &trader, request, rpc).await?)
}

/// Id of a position in a path. A malformed id is rejected with 404.
pub(crate) struct PositionId(String);

impl<S: Send + Sync> FromRequestParts<S> for PositionId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let id = Path::<String>::from_request_parts(parts, state).await.ok().map(|Path(id)| id);
        let id = id.filter(|id| id.len() <= MAX_POSITION_ID_BYTES);
        id.map(Self).ok_or_else(|| problem(StatusCode::NOT_FOUND, "analytics", "position_not_found"))
    }
}
