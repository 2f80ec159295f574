//! gRPC interface: conversion between proto messages and domain types.

mod losses;
mod reconcile;
mod reconcile_tax_report;
mod request;
pub(crate) mod response;
mod returns_on_capital;
mod strategies;
mod strategy_decisions;
mod tax_entries;
#[cfg(test)]
mod tests;
mod values;

use std::collections::HashMap;
use std::pin::Pin;

use db::{WRITE_TIMEOUT, run_to_completion};
use rpc::analytics::v1 as wire;
use rpc::analytics::v1::analytics_service_server::AnalyticsService;
use rpc::caller::Caller;
use rpc::failure;
use time::OffsetDateTime;
use tokio_stream::Stream;
use tonic::{Code, Request, Response, Status};

use crate::adjustment::NewAdjustment;
use crate::analysis::Analysis;
use crate::capital_returns::CapitalReturns;
use crate::closed_trade::ClosedTrade;
use crate::error::Error;
use crate::figures::{Figures, days};
use crate::fill::INDIA;
use crate::fill_key::FillKey;
use crate::filter::Unit;
use crate::note_comparison::NoteComparison;
use crate::overview::{
    DataIssues, Scope, distribution, group_figures, risk_distribution, symbol_curves, weekday_hour_grid,
};
use crate::position::Position;
use crate::service::{Service, Trader};
use crate::tax::{self, TaxPack};
use losses::{parse_brought_forward_losses, to_brought_forward_loss};
use request::{
    Page, parse_adjustment, parse_filter, parse_group_by, parse_issue_answers, parse_page, parse_position_groups,
    parse_position_query, parse_tax_accounts, parse_year,
};
use returns_on_capital::{parse_capital_query, to_returns_on_capital};
use strategies::{
    parse_grouping, parse_strategy_filter, parse_strategy_query, to_strategies_of, to_strategy, to_strategy_detail,
    to_strategy_page, to_strategy_statistics,
};
use strategy_decisions::{
    parse_decision, parse_grouping_id, parse_strategy_settings, to_confirmed_strategy, to_decided, to_strategy_settings,
};
use tax_entries::{parse_tax_entries, to_tax_entries, to_tax_years};
use values::to_count;

/// Tax lines in one message of the stream.
const TAX_LINES_PER_MESSAGE: usize = 1_000;
/// Confirmed strategies in one message of the stream; each has up to 2,000 fills.
const CONFIRMED_STRATEGIES_PER_MESSAGE: usize = 20;
/// Strategies in one message of the stream.
const STRATEGIES_PER_MESSAGE: usize = 200;
/// Trades whose results are requested at once: a page of the trade log.
const MAX_TRADE_RESULTS: usize = 500;
/// Ids that are resolved at once.
const MAX_RESOLVED_IDS: usize = 10_000;

/// Implementation of the gRPC service.
pub struct Analytics {
    service: Service,
}

impl Analytics {
    pub fn new(service: Service) -> Self {
        Self { service }
    }

    /// Returns each id with the current one that `find` returns for its key; empty if there is none.
    async fn resolve(
        &self,
        trader: &Trader,
        ids: Vec<String>,
        find: impl FnOnce(&Analysis, &[FillKey]) -> Vec<Option<FillKey>> + Send + 'static,
    ) -> Result<Vec<(String, String)>, Error> {
        if ids.len() > MAX_RESOLVED_IDS {
            return Err(Error::invalid("ids"));
        }
        let keys: Vec<FillKey> = ids.iter().filter_map(|id| FillKey::parse(id)).collect();
        let mut current = self.service.query(trader, move |analysis| find(analysis, &keys)).await?.into_iter();
        let resolve = |id: String| {
            let current_id = FillKey::parse(&id).and_then(|_| current.next().flatten());
            (id, current_id.map(|key| key.to_string()).unwrap_or_default())
        };
        Ok(ids.into_iter().map(resolve).collect())
    }
}

#[tonic::async_trait]
impl AnalyticsService for Analytics {
    type ListTaxLinesStream = Pin<Box<dyn Stream<Item = Result<wire::ListTaxLinesResponse, Status>> + Send>>;
    type StreamConfirmedStrategiesStream =
        Pin<Box<dyn Stream<Item = Result<wire::StreamConfirmedStrategiesResponse, Status>> + Send>>;
    type StreamStrategiesStream = Pin<Box<dyn Stream<Item = Result<wire::StreamStrategiesResponse, Status>> + Send>>;

    async fn get_overview(
        &self,
        request: Request<wire::GetOverviewRequest>,
    ) -> Result<Response<wire::GetOverviewResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let filter = parse_filter(request.into_inner().filter, String::new()).map_err(to_status)?;
        let response = self.service.query(&trader, move |analysis| {
            let (units, results) = (filter.units(analysis), filter.results(analysis));
            let figures = match filter.unit {
                Unit::ClosedTrades => Figures::new(units.iter().copied()),
                Unit::Positions | Unit::Strategies => Figures::of_positions(&units, &results),
            };
            let units = || units.iter().copied();
            wire::GetOverviewResponse {
                figures: Some(response::with_doubtful(
                    response::to_figures(figures),
                    units().filter(|unit| filter.is_doubtful(analysis, unit)).count(),
                )),
                days: days(results.iter().copied()).into_iter().map(response::to_day).collect(),
                distribution: distribution(units()).into_iter().map(response::to_bucket).collect(),
                risk_distribution: risk_distribution(units()).into_iter().map(response::to_bucket).collect(),
                grid: weekday_hour_grid(units()).into_iter().map(response::to_cell).collect(),
                symbols: symbol_curves(units()).into_iter().map(response::to_symbol_curve).collect(),
                scope: Some(response::to_scope(Scope::new(analysis), analysis)),
                data_issues: Some(response::to_data_issues(DataIssues::new(analysis, &filter))),
            }
        });
        response.await.map(Response::new).map_err(to_status)
    }

    async fn list_groups(
        &self,
        request: Request<wire::ListGroupsRequest>,
    ) -> Result<Response<wire::ListGroupsResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let request = request.into_inner();
        let by = parse_group_by(request.by(), "by").map_err(to_status)?;
        let filter = parse_filter(request.filter, String::new()).map_err(to_status)?;
        let response = self.service.query(&trader, move |analysis| {
            let units = filter.units(analysis);
            let mut doubtful: HashMap<String, usize> = HashMap::new();
            let is_doubtful = |unit: &&&ClosedTrade| filter.is_doubtful(analysis, unit);
            for key in units.iter().filter(is_doubtful).filter_map(|unit| by.key(unit)) {
                *doubtful.entry(key).or_default() += 1;
            }
            let (groups, total) = group_figures(by, units.into_iter());
            let group = |(key, figures): (String, Figures)| {
                let doubtful = doubtful.get(&key).copied().unwrap_or_default();
                wire::Group { figures: Some(response::with_doubtful(response::to_figures(figures), doubtful)), key }
            };
            wire::ListGroupsResponse { groups: groups.into_iter().map(group).collect(), total: to_count(total) }
        });
        response.await.map(Response::new).map_err(to_status)
    }

    async fn list_closed_trades(
        &self,
        request: Request<wire::ListClosedTradesRequest>,
    ) -> Result<Response<wire::ListClosedTradesResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let Page { filter, order, page_size, skip } = parse_page(request.into_inner()).map_err(to_status)?;
        let response = self.service.query(&trader, move |analysis| {
            let mut closed_trades: Vec<_> = filter.apply(analysis).collect();
            order.sort(&mut closed_trades);
            let end = skip.saturating_add(page_size);
            let next_page_token = if end < closed_trades.len() { end.to_string() } else { String::new() };
            let page = closed_trades.iter().skip(skip).take(page_size);
            wire::ListClosedTradesResponse {
                closed_trades: page.map(|closed_trade| response::to_closed_trade(analysis, closed_trade)).collect(),
                total: to_count(closed_trades.len()),
                next_page_token,
            }
        });
        response.await.map(Response::new).map_err(to_status)
    }

    async fn list_positions(
        &self,
        request: Request<wire::ListPositionsRequest>,
    ) -> Result<Response<wire::ListPositionsResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let query = parse_position_query(request.into_inner()).map_err(to_status)?;
        let response = self.service.query(&trader, move |analysis| response::to_position_page(analysis, &query));
        response.await.map(Response::new).map_err(to_status)
    }

    async fn get_position(
        &self,
        request: Request<wire::GetPositionRequest>,
    ) -> Result<Response<wire::GetPositionResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let key = FillKey::parse(&request.into_inner().id).ok_or_else(|| to_status(Error::PositionNotFound))?;
        let position = self.service.query(&trader, move |analysis| {
            let (ledger, position) = analysis.find_position(key)?;
            let detail = response::to_position_detail(analysis, ledger, position);
            Some(wire::GetPositionResponse { strategies: to_strategies_of(analysis, position), ..detail })
        });
        let position = position.await.map_err(to_status)?.ok_or_else(|| to_status(Error::PositionNotFound))?;
        Ok(Response::new(position))
    }

    async fn list_strategies(
        &self,
        request: Request<wire::ListStrategiesRequest>,
    ) -> Result<Response<wire::ListStrategiesResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let query = parse_strategy_query(request.into_inner()).map_err(to_status)?;
        let response = self.service.query(&trader, move |analysis| to_strategy_page(analysis, &query));
        response.await.map(Response::new).map_err(to_status)
    }

    async fn stream_strategies(
        &self,
        request: Request<wire::StreamStrategiesRequest>,
    ) -> Result<Response<Self::StreamStrategiesStream>, Status> {
        let trader = Trader::from_request(&request)?;
        let filter = parse_strategy_filter(request.into_inner().filter).map_err(to_status)?;
        let strategies = self.service.query(&trader, move |analysis| filter.list(analysis)).await.map_err(to_status)?;
        let mut strategies = strategies.into_iter().peekable();
        let pages = std::iter::from_fn(move || {
            strategies.peek()?;
            let page = strategies.by_ref().take(STRATEGIES_PER_MESSAGE);
            Some(Ok(wire::StreamStrategiesResponse {
                strategies: page.map(|strategy| to_strategy(&strategy)).collect(),
            }))
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(pages))))
    }

    async fn get_strategy(
        &self,
        request: Request<wire::GetStrategyRequest>,
    ) -> Result<Response<wire::GetStrategyResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let not_found = || to_status(Error::StrategyNotFound);
        let id = FillKey::parse(&request.into_inner().id).ok_or_else(not_found)?;
        let strategy = self.service.query(&trader, move |analysis| to_strategy_detail(analysis, id));
        strategy.await.map_err(to_status)?.ok_or_else(not_found).map(Response::new)
    }

    async fn get_strategy_statistics(
        &self,
        request: Request<wire::GetStrategyStatisticsRequest>,
    ) -> Result<Response<wire::GetStrategyStatisticsResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let request = request.into_inner();
        let by = parse_grouping(request.by()).map_err(to_status)?;
        let filter = parse_strategy_filter(request.filter).map_err(to_status)?;
        let response = self.service.query(&trader, move |analysis| to_strategy_statistics(analysis, &filter, by));
        response.await.map(Response::new).map_err(to_status)
    }

    async fn decide_strategy(
        &self,
        request: Request<wire::DecideStrategyRequest>,
    ) -> Result<Response<wire::DecideStrategyResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let wire::DecideStrategyRequest { id, grouping_id, decision } = request.into_inner();
        let grouping = parse_grouping_id(&grouping_id).map_err(to_status)?;
        let id = FillKey::parse(&id).ok_or_else(|| to_status(Error::StrategyNotFound))?;
        let decision = parse_decision(decision).map_err(to_status)?;
        let decided = self.service.decide(&trader, id, grouping, decision).await.map_err(to_status)?;
        let change_id = decided.change_id;
        let response = self.service.query(&trader, move |analysis| to_decided(analysis, &decided)).await;
        // The decision is stored, so a failure to read the strategies is no error.
        let stored = wire::DecideStrategyResponse { change_id, strategies: Vec::new() };
        Ok(Response::new(response.unwrap_or(stored)))
    }

    async fn undo_strategy_decision(
        &self,
        request: Request<wire::UndoStrategyDecisionRequest>,
    ) -> Result<Response<wire::UndoStrategyDecisionResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let wire::UndoStrategyDecisionRequest { change_id } = request.into_inner();
        let store = self.service.store.clone();
        let undo = async move { store.undo_strategy_change(account_id, change_id).await };
        run_to_completion(WRITE_TIMEOUT, undo).await.map_err(to_status)?;
        Ok(Response::new(wire::UndoStrategyDecisionResponse {}))
    }

    async fn get_strategy_settings(
        &self,
        request: Request<wire::GetStrategySettingsRequest>,
    ) -> Result<Response<wire::GetStrategySettingsResponse>, Status> {
        let (account_id, store) = (Caller::from_request(&request)?.account_id, &self.service.store);
        let (version, settings) = store.grouping_settings(account_id).await.map_err(to_status)?;
        let undoable_change_id =
            store.last_strategy_change(account_id, version).await.map_err(to_status)?.unwrap_or_default();
        let settings = Some(to_strategy_settings(settings));
        Ok(Response::new(wire::GetStrategySettingsResponse { settings, undoable_change_id }))
    }

    async fn save_strategy_settings(
        &self,
        request: Request<wire::SaveStrategySettingsRequest>,
    ) -> Result<Response<wire::SaveStrategySettingsResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let settings = parse_strategy_settings(request.into_inner().settings).map_err(to_status)?;
        let store = self.service.store.clone();
        let save = async move { store.save_grouping_settings(account_id, settings).await };
        run_to_completion(WRITE_TIMEOUT, save).await.map_err(to_status)?;
        Ok(Response::new(wire::SaveStrategySettingsResponse {}))
    }

    async fn stream_confirmed_strategies(
        &self,
        request: Request<wire::StreamConfirmedStrategiesRequest>,
    ) -> Result<Response<Self::StreamConfirmedStrategiesStream>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let confirmed = self.service.store.list_confirmed_strategies(account_id).await.map_err(to_status)?;
        let mut strategies = confirmed.strategies.into_iter().peekable();
        let pages = std::iter::from_fn(move || {
            strategies.peek()?;
            let page = strategies.by_ref().take(CONFIRMED_STRATEGIES_PER_MESSAGE);
            let strategies = page.map(|strategy| to_confirmed_strategy(&strategy)).collect();
            Some(Ok(wire::StreamConfirmedStrategiesResponse { strategies }))
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(pages))))
    }

    async fn resolve_positions(
        &self,
        request: Request<wire::ResolvePositionsRequest>,
    ) -> Result<Response<wire::ResolvePositionsResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let ids = request.into_inner().ids;
        let find = |analysis: &Analysis, keys: &[FillKey]| {
            let positions = analysis.find_positions(keys).into_iter();
            positions.map(|position| position.and_then(Position::key)).collect()
        };
        let resolved = self.resolve(&trader, ids, find).await.map_err(to_status)?.into_iter();
        let positions = resolved.map(|(id, current_id)| wire::ResolvedPosition { id, current_id }).collect();
        Ok(Response::new(wire::ResolvePositionsResponse { positions }))
    }

    async fn resolve_strategies(
        &self,
        request: Request<wire::ResolveStrategiesRequest>,
    ) -> Result<Response<wire::ResolveStrategiesResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let ids = request.into_inner().ids;
        let find = |analysis: &Analysis, keys: &[FillKey]| analysis.strategies().find_current(keys);
        let resolved = self.resolve(&trader, ids, find).await.map_err(to_status)?.into_iter();
        let strategies = resolved.map(|(id, current_id)| wire::ResolvedStrategy { id, current_id }).collect();
        Ok(Response::new(wire::ResolveStrategiesResponse { strategies }))
    }

    async fn get_position_figures(
        &self,
        request: Request<wire::GetPositionFiguresRequest>,
    ) -> Result<Response<wire::GetPositionFiguresResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let (keys, groups) = parse_position_groups(&request.into_inner()).map_err(to_status)?;
        let figures = self.service.query(&trader, move |analysis| analysis.figures_of_positions(&keys, &groups));
        let figures = figures.await.map_err(to_status)?.into_iter().map(response::to_figures).collect();
        Ok(Response::new(wire::GetPositionFiguresResponse { figures }))
    }

    async fn list_trade_results(
        &self,
        request: Request<wire::ListTradeResultsRequest>,
    ) -> Result<Response<wire::ListTradeResultsResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let trade_ids = request.into_inner().trade_ids;
        if trade_ids.is_empty() || trade_ids.len() > MAX_TRADE_RESULTS {
            return Err(to_status(Error::invalid("trade_ids")));
        }
        let trade_ids = trade_ids.into_iter().collect();
        let results = self.service.query(&trader, move |analysis| {
            analysis.trade_results(&trade_ids).into_iter().map(response::to_trade_result).collect()
        });
        let results = results.await.map_err(to_status)?;
        Ok(Response::new(wire::ListTradeResultsResponse { results }))
    }

    async fn list_open_positions(
        &self,
        request: Request<wire::ListOpenPositionsRequest>,
    ) -> Result<Response<wire::ListOpenPositionsResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let response = self.service.query(&trader, response::to_open_positions);
        response.await.map(Response::new).map_err(to_status)
    }

    async fn get_charges(
        &self,
        request: Request<wire::GetChargesRequest>,
    ) -> Result<Response<wire::GetChargesResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let wire::GetChargesRequest { filter, id } = request.into_inner();
        let filter = parse_filter(filter, id).map_err(to_status)?;
        let response = self.service.query(&trader, move |analysis| {
            response::to_charges(match filter.unit {
                Unit::Strategies => analysis.charges_of_ranges(filter.ranges_of_strategies(analysis)),
                Unit::Positions | Unit::ClosedTrades => analysis.charges(filter.results(analysis).into_iter()),
            })
        });
        response.await.map(Response::new).map_err(to_status)
    }

    async fn get_tax_pack(
        &self,
        request: Request<wire::GetTaxPackRequest>,
    ) -> Result<Response<wire::GetTaxPackResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let request = request.into_inner();
        let year = parse_year(request.year).map_err(to_status)?;
        let accounts = parse_tax_accounts(&request.accounts).map_err(to_status)?;
        let store = &self.service.store;
        let (losses, entries) = tokio::try_join!(
            store.list_brought_forward_losses(trader.account_id),
            store.list_tax_entries(trader.account_id)
        )
        .map_err(to_status)?;
        let response = self.service.query(&trader, move |analysis| {
            response::to_tax_pack(TaxPack::new(analysis, year, &accounts, &losses, &entries))
        });
        response.await.map(Response::new).map_err(to_status)
    }

    async fn get_tax_appendix(
        &self,
        request: Request<wire::GetTaxAppendixRequest>,
    ) -> Result<Response<wire::GetTaxAppendixResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let request = request.into_inner();
        let year = parse_year(request.year).map_err(to_status)?;
        let accounts = parse_tax_accounts(&request.accounts).map_err(to_status)?;
        let today = OffsetDateTime::now_utc().to_offset(INDIA).date();
        let entries = self.service.store.list_tax_entries(trader.account_id).await.map_err(to_status)?;
        let query = move |analysis: &Analysis| response::to_tax_appendix(analysis, year, &accounts, &entries, today);
        self.service.query(&trader, query).await.map(Response::new).map_err(to_status)
    }

    async fn list_brought_forward_losses(
        &self,
        request: Request<wire::ListBroughtForwardLossesRequest>,
    ) -> Result<Response<wire::ListBroughtForwardLossesResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let losses = self.service.store.list_brought_forward_losses(account_id).await.map_err(to_status)?;
        let losses = losses.iter().map(to_brought_forward_loss).collect();
        Ok(Response::new(wire::ListBroughtForwardLossesResponse { losses }))
    }

    async fn replace_brought_forward_losses(
        &self,
        request: Request<wire::ReplaceBroughtForwardLossesRequest>,
    ) -> Result<Response<wire::ReplaceBroughtForwardLossesResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let today = OffsetDateTime::now_utc().to_offset(INDIA).date();
        let losses = parse_brought_forward_losses(&request.into_inner().losses, today).map_err(to_status)?;
        let store = self.service.store.clone();
        let replace = async move {
            store.replace_brought_forward_losses(account_id, &losses).await?;
            Ok(losses)
        };
        let losses = run_to_completion(WRITE_TIMEOUT, replace).await.map_err(to_status)?;
        let losses = losses.iter().map(to_brought_forward_loss).collect();
        Ok(Response::new(wire::ReplaceBroughtForwardLossesResponse { losses }))
    }

    async fn list_tax_entries(
        &self,
        request: Request<wire::ListTaxEntriesRequest>,
    ) -> Result<Response<wire::ListTaxEntriesResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let year = match request.into_inner().year {
            0 => None,
            year => Some(parse_year(year).map_err(to_status)?),
        };
        let mut entries = self.service.store.list_tax_entries(account_id).await.map_err(to_status)?;
        entries.retain(|entry| year.is_none_or(|year| entry.year == year));
        Ok(Response::new(wire::ListTaxEntriesResponse { years: to_tax_years(&entries) }))
    }

    async fn replace_tax_entries(
        &self,
        request: Request<wire::ReplaceTaxEntriesRequest>,
    ) -> Result<Response<wire::ReplaceTaxEntriesResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let today = OffsetDateTime::now_utc().to_offset(INDIA).date();
        let request = request.into_inner();
        let year = parse_year(request.year).map_err(to_status)?;
        let entries = parse_tax_entries(year, &request.entries, today).map_err(to_status)?;
        let store = self.service.store.clone();
        let replace = async move {
            store.replace_tax_entries(account_id, year, &entries).await?;
            Ok(entries)
        };
        let entries = run_to_completion(WRITE_TIMEOUT, replace).await.map_err(to_status)?;
        Ok(Response::new(wire::ReplaceTaxEntriesResponse { entries: Some(to_tax_entries(year, &entries)) }))
    }

    async fn list_tax_lines(
        &self,
        request: Request<wire::ListTaxLinesRequest>,
    ) -> Result<Response<Self::ListTaxLinesStream>, Status> {
        let trader = Trader::from_request(&request)?;
        let request = request.into_inner();
        let year = parse_year(request.year).map_err(to_status)?;
        let accounts = parse_tax_accounts(&request.accounts).map_err(to_status)?;
        let entries = self.service.store.list_tax_entries(trader.account_id).await.map_err(to_status)?;
        let lines = self.service.query(&trader, move |analysis| tax::tax_lines(analysis, year, &accounts, &entries));
        let mut lines = lines.await.map_err(to_status)?.into_iter().peekable();
        let pages = std::iter::from_fn(move || {
            lines.peek()?;
            let lines = lines.by_ref().take(TAX_LINES_PER_MESSAGE).map(response::to_tax_line).collect();
            Some(Ok(wire::ListTaxLinesResponse { lines }))
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(pages))))
    }

    async fn reconcile(
        &self,
        request: Request<wire::ReconcileRequest>,
    ) -> Result<Response<wire::ReconcileResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let report = reconcile::parse_report(request.into_inner().report).map_err(to_status)?;
        let result = self.service.reconcile(&trader, report).await.map_err(to_status)?;
        Ok(Response::new(reconcile::to_reconcile_response(result)))
    }

    async fn compare_contract_notes(
        &self,
        request: Request<wire::CompareContractNotesRequest>,
    ) -> Result<Response<wire::CompareContractNotesResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let filter = parse_filter(request.into_inner().filter, String::new()).map_err(to_status)?;
        let response = self
            .service
            .query(&trader, move |analysis| response::to_note_comparison(NoteComparison::new(analysis, &filter)));
        response.await.map(Response::new).map_err(to_status)
    }

    async fn get_returns_on_capital(
        &self,
        request: Request<wire::GetReturnsOnCapitalRequest>,
    ) -> Result<Response<wire::GetReturnsOnCapitalResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let query = parse_capital_query(request.into_inner()).map_err(to_status)?;
        let ledgers = self.service.list_ledger_histories(&trader).await.map_err(to_status)?;
        let response = self
            .service
            .query(&trader, move |analysis| to_returns_on_capital(&CapitalReturns::new(analysis, &ledgers, &query)));
        response.await.map(Response::new).map_err(to_status)
    }

    async fn reconcile_tax_report(
        &self,
        request: Request<wire::ReconcileTaxReportRequest>,
    ) -> Result<Response<wire::ReconcileTaxReportResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let report = reconcile_tax_report::parse_tax_report(request.into_inner().report).map_err(to_status)?;
        let result = self.service.reconcile_tax_report(&trader, report).await.map_err(to_status)?;
        Ok(Response::new(reconcile_tax_report::to_response(result)))
    }

    async fn list_adjustments(
        &self,
        request: Request<wire::ListAdjustmentsRequest>,
    ) -> Result<Response<wire::ListAdjustmentsResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let adjustments = self.service.store.list_recorded_adjustments(account_id).await.map_err(to_status)?;
        let adjustments = adjustments.into_iter().map(response::to_adjustment).collect();
        Ok(Response::new(wire::ListAdjustmentsResponse { adjustments }))
    }

    async fn add_adjustment(
        &self,
        request: Request<wire::AddAdjustmentRequest>,
    ) -> Result<Response<wire::AddAdjustmentResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let adjustment = parse_adjustment(request.into_inner().adjustment.unwrap_or_default()).map_err(to_status)?;
        let store = self.service.store.clone();
        let new = vec![NewAdjustment { adjustment, issue_id: None }];
        let add = async move { store.add_adjustments(account_id, new).await };
        let added = run_to_completion(WRITE_TIMEOUT, add).await.map_err(to_status)?;
        let adjustment = added.into_iter().next().map(response::to_adjustment);
        Ok(Response::new(wire::AddAdjustmentResponse { adjustment }))
    }

    async fn list_data_issues(
        &self,
        request: Request<wire::ListDataIssuesRequest>,
    ) -> Result<Response<wire::ListDataIssuesResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let response = self.service.query(&trader, |analysis| response::to_data_issue_list(analysis, Vec::new()));
        response.await.map(Response::new).map_err(to_status)
    }

    async fn answer_data_issues(
        &self,
        request: Request<wire::AnswerDataIssuesRequest>,
    ) -> Result<Response<wire::AnswerDataIssuesResponse>, Status> {
        let trader = Trader::from_request(&request)?;
        let answers = parse_issue_answers(request.into_inner().issue_answers).map_err(to_status)?;
        let result = self.service.answer_issues(&trader, answers).await.map_err(to_status)?;
        Ok(Response::new(response::to_answer_result(&result)))
    }

    async fn delete_adjustment(
        &self,
        request: Request<wire::DeleteAdjustmentRequest>,
    ) -> Result<Response<wire::DeleteAdjustmentResponse>, Status> {
        let account_id = Caller::from_request(&request)?.account_id;
        let wire::DeleteAdjustmentRequest { id, last_id } = request.into_inner();
        let store = self.service.store.clone();
        let delete = async move { store.delete_adjustments(account_id, id..=last_id.max(id)).await };
        let deleted = run_to_completion(WRITE_TIMEOUT, delete).await.map_err(to_status)?;
        if deleted {
            Ok(Response::new(wire::DeleteAdjustmentResponse {}))
        } else {
            Err(to_status(Error::AdjustmentNotFound))
        }
    }
}

/// Converts an error to a status. Statuses of the trade log are passed on, except for internal ones.
fn to_status(error: Error) -> Status {
    match error {
        Error::TradeLog(status) if !matches!(status.code(), Code::Unknown | Code::Ok | Code::Internal) => {
            Status::with_details(status.code(), status.message(), status.details().to_vec().into())
        }
        error => failure::to_status(&error),
    }
}
