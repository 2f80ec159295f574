//! `/analytics/…`: what the trades say. The core works it out; here it becomes JSON, or a file.

mod answer;
mod enter;
mod query;
mod reconcile;
mod report;
mod tax;
mod words;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{delete, get, post};
use http::Uri;
use rpc::analytics::v1::analytics_service_client::AnalyticsServiceClient;
use rpc::analytics::v1::{
    GetChargesRequest, GetOverviewRequest, ListClosedTradesRequest, ListGroupsRequest, ListOpenPositionsRequest,
};
use rpc::transport::Transport;
use serde::Serialize;
use tonic::{Request, Status};

use crate::Shared;
use crate::auth::{Reader, Trader};
use crate::call;
use crate::problem::Problem;
use crate::record::Unwritable;
use crate::trades;

pub(crate) use self::answer::AdjustmentRecord;
pub(crate) use self::enter::own_adjustments;
pub use self::report::profit_report;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/analytics/overview", get(overview))
        .route("/analytics/groups", get(groups))
        .route("/analytics/closed-trades", get(closed_trades))
        .route("/analytics/open-positions", get(open_positions))
        .route("/analytics/charges", get(charges))
        .route("/analytics/tax", get(tax::pack))
        .route("/analytics/tax/export", get(tax::export))
        .route("/analytics/adjustments", get(enter::list).post(enter::add))
        .route("/analytics/adjustments/{id}", delete(enter::delete))
}

/// Those that take a broker's file.
pub(crate) fn upload_routes() -> Router<Shared> {
    Router::new().route("/analytics/reconcile", post(reconcile::reconcile))
}

type Client = AnalyticsServiceClient<Transport>;

/// Asks the core for something that changes nothing.
async fn ask<Q: Clone, T, F, A>(app: &Shared, trader: &Trader, question: Q, rpc: F) -> Result<T, Problem>
where
    F: Fn(Client, Request<Q>) -> A,
    A: Future<Output = Result<tonic::Response<T>, Status>>,
{
    let deadline = app.settings.times.core;
    call::read(deadline, &app.retries, || {
        rpc(app.clients.analytics.clone(), trader.context.request(question.clone(), deadline))
    })
    .await
}

/// What the core said, as JSON.
fn json<T, R: TryFrom<T, Error = Unwritable> + Serialize>(answer: T) -> Result<Response, Problem> {
    let body = serde_json::to_vec(&R::try_from(answer)?).map_err(Unwritable::from)?;
    Ok(trades::json(Body::from(body)))
}

/// `GET /analytics/overview`
async fn overview(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let question = GetOverviewRequest { filter: Some(query::filter(&uri)?) };
    let rpc = |mut core: Client, question| async move { core.get_overview(question).await };
    json::<_, answer::Overview>(ask(&app, &trader, question, rpc).await?)
}

/// `GET /analytics/groups`
async fn groups(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let (filter, by) = query::groups(&uri)?;
    let question = ListGroupsRequest { filter: Some(filter), by: by.into() };
    let rpc = |mut core: Client, question| async move { core.list_groups(question).await };
    json::<_, answer::Groups>(ask(&app, &trader, question, rpc).await?)
}

/// `GET /analytics/closed-trades`
async fn closed_trades(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let question: ListClosedTradesRequest = query::closed_trades(&uri)?;
    let rpc = |mut core: Client, question| async move { core.list_closed_trades(question).await };
    json::<_, answer::ClosedTrades>(ask(&app, &trader, question, rpc).await?)
}

/// `GET /analytics/open-positions`
async fn open_positions(State(app): State<Shared>, Reader(trader): Reader) -> Result<Response, Problem> {
    let rpc = |mut core: Client, question| async move { core.list_open_positions(question).await };
    json::<_, answer::OpenPositions>(ask(&app, &trader, ListOpenPositionsRequest {}, rpc).await?)
}

/// `GET /analytics/charges`
async fn charges(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let (filter, id) = query::charges(&uri)?;
    let question = GetChargesRequest { filter: Some(filter), id };
    let rpc = |mut core: Client, question| async move { core.get_charges(question).await };
    json::<_, answer::Charges>(ask(&app, &trader, question, rpc).await?)
}
