//! Wire to domain and back.

mod read;
mod reconcile;
pub(crate) mod render;

use std::io::ErrorKind;
use std::pin::Pin;

use rpc::analytics::v1 as wire;
use rpc::analytics::v1::analytics_service_server::AnalyticsService;
use rpc::caller::Caller;
use rpc::{LONGEST_WRITE, failure, guard};
use tokio::time::timeout;
use tokio_stream::Stream;
use tonic::{Code, Request, Response, Status};
use tracing::Instrument as _;

use crate::error::Error;
use crate::figures::{Figures, days};
use crate::overview::{Attention, Scope, curves, distribution, grid, groups, risk_distribution};
use crate::service::{Service, Trader};
use crate::tax::{self, TaxPack};
use read::{Page, read_adjustment, read_filter, read_group_by, read_page, read_year};

/// Lines in one message of a list.
const LINES: usize = 1_000;

/// The service on the wire.
pub struct Analytics {
    service: Service,
}

impl Analytics {
    pub fn new(service: Service) -> Self {
        Self { service }
    }
}

#[tonic::async_trait]
impl AnalyticsService for Analytics {
    type ListTaxLinesStream = Pin<Box<dyn Stream<Item = Result<wire::ListTaxLinesResponse, Status>> + Send>>;

    async fn get_overview(
        &self,
        request: Request<wire::GetOverviewRequest>,
    ) -> Result<Response<wire::GetOverviewResponse>, Status> {
        let trader = trader(&request)?;
        let filter = read_filter(request.into_inner().filter, String::new()).map_err(refused)?;
        let answer = self.service.ask(&trader, move |analysis| {
            let closed_trades: Vec<_> = filter.of(analysis).collect();
            let closed_trades = || closed_trades.iter().copied();
            wire::GetOverviewResponse {
                figures: Some(render::figures(Figures::of(closed_trades()))),
                days: days(closed_trades()).into_iter().map(render::day).collect(),
                distribution: distribution(closed_trades()).into_iter().map(render::bucket).collect(),
                risk_distribution: risk_distribution(closed_trades()).into_iter().map(render::bucket).collect(),
                grid: grid(closed_trades()).into_iter().map(render::cell).collect(),
                symbols: curves(closed_trades()).into_iter().map(render::curve).collect(),
                scope: Some(render::scope(Scope::of(analysis), analysis)),
                attention: Some(render::attention(Attention::of(analysis))),
            }
        });
        answer.await.map(Response::new).map_err(refused)
    }

    async fn list_groups(
        &self,
        request: Request<wire::ListGroupsRequest>,
    ) -> Result<Response<wire::ListGroupsResponse>, Status> {
        let trader = trader(&request)?;
        let request = request.into_inner();
        let by = read_group_by(request.by()).map_err(refused)?;
        let filter = read_filter(request.filter, String::new()).map_err(refused)?;
        let answer = self.service.ask(&trader, move |analysis| {
            let (groups, total) = groups(by, filter.of(analysis));
            let groups = groups
                .into_iter()
                .map(|(key, figures)| wire::Group { key, figures: Some(render::figures(figures)) })
                .collect();
            wire::ListGroupsResponse { groups, total: render::count(total) }
        });
        answer.await.map(Response::new).map_err(refused)
    }

    async fn list_closed_trades(
        &self,
        request: Request<wire::ListClosedTradesRequest>,
    ) -> Result<Response<wire::ListClosedTradesResponse>, Status> {
        let trader = trader(&request)?;
        let Page { filter, order, limit, skip } = read_page(request.into_inner()).map_err(refused)?;
        let answer = self.service.ask(&trader, move |analysis| {
            let mut closed_trades: Vec<_> = filter.of(analysis).collect();
            order.sort(&mut closed_trades);
            let end = skip.saturating_add(limit);
            let next_cursor = if end < closed_trades.len() { end.to_string() } else { String::new() };
            let page = closed_trades.iter().skip(skip).take(limit);
            wire::ListClosedTradesResponse {
                closed_trades: page.map(|closed_trade| render::closed_trade(analysis, closed_trade)).collect(),
                total: render::count(closed_trades.len()),
                next_cursor,
            }
        });
        answer.await.map(Response::new).map_err(refused)
    }

    async fn list_open_positions(
        &self,
        request: Request<wire::ListOpenPositionsRequest>,
    ) -> Result<Response<wire::ListOpenPositionsResponse>, Status> {
        let trader = trader(&request)?;
        let answer = self.service.ask(&trader, render::missing_cost_basis);
        answer.await.map(Response::new).map_err(refused)
    }

    async fn get_charges(
        &self,
        request: Request<wire::GetChargesRequest>,
    ) -> Result<Response<wire::GetChargesResponse>, Status> {
        let trader = trader(&request)?;
        let wire::GetChargesRequest { filter, id } = request.into_inner();
        let filter = read_filter(filter, id).map_err(refused)?;
        let answer = self.service.ask(&trader, move |analysis| render::charges(analysis.charges(filter.of(analysis))));
        answer.await.map(Response::new).map_err(refused)
    }

    async fn get_tax_pack(
        &self,
        request: Request<wire::GetTaxPackRequest>,
    ) -> Result<Response<wire::GetTaxPackResponse>, Status> {
        let trader = trader(&request)?;
        let year = read_year(request.into_inner().year).map_err(refused)?;
        let tariff = self.service.tariff;
        let answer = self.service.ask(&trader, move |analysis| render::tax_pack(TaxPack::of(analysis, tariff, year)));
        answer.await.map(Response::new).map_err(refused)
    }

    async fn list_tax_lines(
        &self,
        request: Request<wire::ListTaxLinesRequest>,
    ) -> Result<Response<Self::ListTaxLinesStream>, Status> {
        let trader = trader(&request)?;
        let year = read_year(request.into_inner().year).map_err(refused)?;
        let tariff = self.service.tariff;
        let lines = self.service.ask(&trader, move |analysis| tax::lines(analysis, tariff, year));
        let mut lines = lines.await.map_err(refused)?.into_iter().peekable();
        let pages = std::iter::from_fn(move || {
            lines.peek()?;
            let lines = lines.by_ref().take(LINES).map(render::tax_line).collect();
            Some(Ok(wire::ListTaxLinesResponse { lines }))
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(pages))))
    }

    async fn reconcile(
        &self,
        request: Request<wire::ReconcileRequest>,
    ) -> Result<Response<wire::ReconcileResponse>, Status> {
        let trader = trader(&request)?;
        let report = reconcile::read_report(request.into_inner().report).map_err(refused)?;
        let found = self.service.reconcile(&trader, report).await.map_err(refused)?;
        Ok(Response::new(reconcile::reconciliation(found)))
    }

    async fn list_adjustments(
        &self,
        request: Request<wire::ListAdjustmentsRequest>,
    ) -> Result<Response<wire::ListAdjustmentsResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let adjustments = self.service.store.adjustments(account_id).await.map_err(refused)?;
        let adjustments = adjustments.into_iter().map(render::adjustment).collect();
        Ok(Response::new(wire::ListAdjustmentsResponse { adjustments }))
    }

    async fn add_adjustment(
        &self,
        request: Request<wire::AddAdjustmentRequest>,
    ) -> Result<Response<wire::AddAdjustmentResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let adjustment = read_adjustment(request.into_inner().adjustment.unwrap_or_default()).map_err(refused)?;
        let store = self.service.store.clone();
        let added = to_its_end(async move { store.add(account_id, adjustment).await }).await?;
        Ok(Response::new(wire::AddAdjustmentResponse { adjustment: Some(render::adjustment(added)) }))
    }

    async fn delete_adjustment(
        &self,
        request: Request<wire::DeleteAdjustmentRequest>,
    ) -> Result<Response<wire::DeleteAdjustmentResponse>, Status> {
        let account_id = Caller::of(&request)?.account_id;
        let id = request.into_inner().id;
        let store = self.service.store.clone();
        let deleted = to_its_end(async move { store.delete(account_id, id).await }).await?;
        if deleted { Ok(Response::new(wire::DeleteAdjustmentResponse {})) } else { Err(refused(Error::NoAdjustment)) }
    }
}

fn trader<T>(request: &Request<T>) -> Result<Trader, Status> {
    Ok(Trader {
        account_id: Caller::of(request)?.account_id,
        authorization: request.metadata().get("authorization").cloned(),
        account: request.metadata().get(guard::ACCOUNT).cloned(),
    })
}

/// A write goes on to its commit or its refusal when the caller hangs up.
async fn to_its_end<T: Send + 'static>(
    write: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Status> {
    let ended =
        tokio::spawn(timeout(LONGEST_WRITE, write.in_current_span())).await.map_err(|died| refused(died.into()))?;
    let silent = |_| Err(sqlx::Error::from(std::io::Error::from(ErrorKind::TimedOut)).into());
    ended.unwrap_or_else(silent).map_err(refused)
}

/// What the trade log said is passed on, but for what is not meant for the caller's eyes.
fn refused(error: Error) -> Status {
    match error {
        Error::Trades(status) if !matches!(status.code(), Code::Unknown | Code::Ok | Code::Internal) => {
            Status::with_details(status.code(), status.message(), status.details().to_vec().into())
        }
        error => failure::status(&error),
    }
}
