//! Routes of `/analytics/…`. The core calculates; the edge converts to JSON or to a file.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{delete, get, post};
use http::Uri;
use http_server::problem::Problem;
use rpc::analytics::v1::{
    CompareContractNotesRequest, GetChargesRequest, GetOverviewRequest, ListClosedTradesRequest, ListGroupsRequest,
    ListOpenPositionsRequest,
};

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::api::analytics::{
    adjustments, costs, data_issues, positions, query, reconcile, returns_on_capital, shared_tax_pack, strategies,
    strategies_export, strategy_decisions, strategy_settings, tax, tax_entries, tax_links, tax_losses,
};
use crate::caller::Reader;
use crate::json::respond;
use crate::state::Shared;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/analytics/overview", get(show_overview))
        .route("/analytics/groups", get(list_groups))
        .route("/analytics/closed-trades", get(list_closed_trades))
        .route("/analytics/positions", get(positions::list_positions))
        .route("/analytics/positions/{id}", get(positions::show_position))
        .route("/analytics/strategies", get(strategies::list_strategies))
        .route("/analytics/strategies/export", get(strategies_export::export_strategies))
        .route("/analytics/strategies/{id}", get(strategies::show_strategy))
        .route("/analytics/strategies/{id}/decisions", post(strategy_decisions::decide))
        .route("/analytics/strategy-decisions/{id}", delete(strategy_decisions::undo))
        .route("/analytics/strategy-settings", get(strategy_settings::show).put(strategy_settings::save))
        .route("/analytics/strategy-statistics", get(strategies::show_statistics))
        .route("/analytics/trade-results", get(positions::list_trade_results))
        .route("/analytics/open-positions", get(list_open_positions))
        .route("/analytics/charges", get(show_charges))
        .route("/analytics/contract-notes", get(compare_contract_notes))
        .route("/analytics/costs", get(costs::show_costs))
        .route("/analytics/returns-on-capital", get(returns_on_capital::show_returns))
        .route("/analytics/tax", get(tax::show_tax_pack))
        .route("/analytics/tax/export", get(tax::export_tax_pack))
        .route("/analytics/tax/links", get(tax_links::show_links).post(tax_links::create_link))
        .route("/analytics/tax/links/{id}", delete(tax_links::revoke_link))
        .route("/analytics/tax/shared", post(shared_tax_pack::show_shared_tax_pack))
        .route("/analytics/tax/shared/export", post(shared_tax_pack::export_shared_tax_pack))
        .route("/analytics/tax/losses", get(tax_losses::show_losses).put(tax_losses::replace_losses))
        .route("/analytics/adjustments", get(adjustments::show_adjustments).post(adjustments::add_adjustment))
        .route("/analytics/data-issues", get(data_issues::list_data_issues))
        .route("/analytics/adjustments/{id}", delete(adjustments::delete_adjustment))
}

/// Routes of the figures of a tax year.
pub(crate) fn tax_entry_routes() -> Router<Shared> {
    Router::new()
        .route("/analytics/tax/entries/{year}", get(tax_entries::show_entries).put(tax_entries::replace_entries))
}

/// Returns the routes that accept many answers at once.
pub(crate) fn answer_routes() -> Router<Shared> {
    Router::new().route("/analytics/data-issues/answers", post(data_issues::answer_data_issues))
}

/// Returns the routes that accept an uploaded file.
pub(crate) fn upload_routes() -> Router<Shared> {
    Router::new().route("/analytics/reconcile", post(reconcile::reconcile))
}

/// `GET /analytics/overview`
async fn show_overview(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let request = GetOverviewRequest { filter: Some(query::parse_filter(&uri)?) };
    let rpc = |mut core: Client, request| async move { core.get_overview(request).await };
    respond(&call_analytics(&app, &trader, request, rpc).await?)
}

/// `GET /analytics/groups`
async fn list_groups(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let (filter, by) = query::parse_groups_query(&uri)?;
    let request = ListGroupsRequest { filter: Some(filter), by: by.into() };
    let rpc = |mut core: Client, request| async move { core.list_groups(request).await };
    respond(&call_analytics(&app, &trader, request, rpc).await?)
}

/// `GET /analytics/closed-trades`
async fn list_closed_trades(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let request: ListClosedTradesRequest = query::parse_closed_trades_query(&uri)?;
    let rpc = |mut core: Client, request| async move { core.list_closed_trades(request).await };
    respond(&call_analytics(&app, &trader, request, rpc).await?)
}

/// `GET /analytics/open-positions`
async fn list_open_positions(State(app): State<Shared>, Reader(trader): Reader) -> Result<Response, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_open_positions(request).await };
    respond(&call_analytics(&app, &trader, ListOpenPositionsRequest {}, rpc).await?)
}

/// `GET /analytics/contract-notes`
async fn compare_contract_notes(
    State(app): State<Shared>,
    Reader(trader): Reader,
    uri: Uri,
) -> Result<Response, Problem> {
    let request = CompareContractNotesRequest { filter: Some(query::parse_note_filter(&uri)?) };
    let rpc = |mut core: Client, request| async move { core.compare_contract_notes(request).await };
    respond(&call_analytics(&app, &trader, request, rpc).await?)
}

/// `GET /analytics/charges`
async fn show_charges(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let (filter, id) = query::parse_charges_query(&uri)?;
    let request = GetChargesRequest { filter: Some(filter), id };
    let rpc = |mut core: Client, request| async move { core.get_charges(request).await };
    respond(&call_analytics(&app, &trader, request, rpc).await?)
}
