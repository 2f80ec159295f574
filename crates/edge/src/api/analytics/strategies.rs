//! Routes of `/analytics/strategies`.

use axum::extract::{Path, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use http_server::problem::{FieldError, Problem};
use http_server::query::{ParameterResult, parse_limit, read_query};
use rpc::analytics::v1::{
    GetStrategyRequest, GetStrategyStatisticsRequest, ListStrategiesRequest, StrategyFilter, StrategyGrouping,
    StrategyShape, StrategyState, StreamStrategiesRequest,
};
use rpc::json::JsonName as _;
use rpc::trades::v1::Broker;

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::api::analytics::query::{
    DEFAULT_LIMIT, MAX_CURSOR_BYTES, MAX_LIMIT, MAX_STRATEGY_ID_BYTES, MAX_VALUE_CHARS, set,
};
use crate::broker_account::parse_account_number;
use crate::caller::Reader;
use crate::error_texts::{invalid_text, problem};
use crate::json::respond;
use crate::state::Shared;

/// `GET /analytics/strategies`
pub(crate) async fn list_strategies(
    State(app): State<Shared>,
    Reader(trader): Reader,
    uri: Uri,
) -> Result<Response, Problem> {
    let request = parse_strategies_query(&uri)?;
    let rpc = |mut core: Client, request| async move { core.list_strategies(request).await };
    respond(&call_analytics(&app, &trader, request, rpc).await?)
}

/// `GET /analytics/strategies/{id}`
pub(crate) async fn show_strategy(
    State(app): State<Shared>,
    Reader(trader): Reader,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    if id.len() > MAX_STRATEGY_ID_BYTES {
        return Err(problem(StatusCode::NOT_FOUND, "analytics", "strategy_not_found"));
    }
    let rpc = |mut core: Client, request| async move { core.get_strategy(request).await };
    respond(&call_analytics(&app, &trader, GetStrategyRequest { id }, rpc).await?)
}

/// `GET /analytics/strategy-statistics`
pub(crate) async fn show_statistics(
    State(app): State<Shared>,
    Reader(trader): Reader,
    uri: Uri,
) -> Result<Response, Problem> {
    let request = parse_statistics_query(&uri)?;
    let rpc = |mut core: Client, request| async move { core.get_strategy_statistics(request).await };
    respond(&call_analytics(&app, &trader, request, rpc).await?)
}

fn parse_strategies_query(uri: &Uri) -> Result<ListStrategiesRequest, Problem> {
    let mut filter = StrategyFilter::default();
    let mut page = ListStrategiesRequest { page_size: DEFAULT_LIMIT, ..ListStrategiesRequest::default() };
    read_query(uri, |name, value| match name {
        "limit" => Some(parse_limit(value, MAX_LIMIT).map(|limit| page.page_size = limit).err()),
        "cursor" => {
            let cursor = Some(value).filter(|value| (1..=MAX_CURSOR_BYTES).contains(&value.len()));
            Some(set(cursor, |cursor| cursor.clone_into(&mut page.page_token), "cursor"))
        }
        _ => read_strategy_filter(&mut filter, name, value),
    })?;
    Ok(ListStrategiesRequest { filter: Some(filter), ..page })
}

fn parse_statistics_query(uri: &Uri) -> Result<GetStrategyStatisticsRequest, Problem> {
    let (mut filter, mut by) = (StrategyFilter::default(), StrategyGrouping::Unspecified);
    read_query(uri, |name, value| match name {
        "groupBy" => Some(set(StrategyGrouping::from_json_name(value), |parsed| by = parsed, "groupBy")),
        _ => read_strategy_filter(&mut filter, name, value),
    })?;
    if by == StrategyGrouping::Unspecified {
        let error = FieldError::new("groupBy", "required", invalid_text("analytics", "groupBy"));
        return Err(Problem::from_field_errors(vec![error]));
    }
    Ok(GetStrategyStatisticsRequest { filter: Some(filter), by: by.into() })
}

/// Parses the query of an export; returns true for a workbook.
pub(crate) fn parse_export_query(uri: &Uri) -> Result<(bool, StreamStrategiesRequest), Problem> {
    let (mut is_workbook, mut filter) = (false, StrategyFilter::default());
    read_query(uri, |name, value| match (name, value) {
        ("format", "csv") => Some(None),
        ("format", "xlsx") => {
            is_workbook = true;
            Some(None)
        }
        ("format", _) => Some(Some(FieldError::new("format", "invalid", invalid_text("analytics", "format")))),
        _ => read_strategy_filter(&mut filter, name, value),
    })?;
    Ok((is_workbook, StreamStrategiesRequest { filter: Some(filter) }))
}

fn read_strategy_filter(filter: &mut StrategyFilter, name: &str, value: &str) -> ParameterResult {
    let text = Some(value).filter(|value| !value.is_empty() && value.chars().count() <= MAX_VALUE_CHARS);
    Some(match name {
        "shape" => set(StrategyShape::from_json_name(value), |shape| filter.set_shape(shape), "shape"),
        "state" => set(StrategyState::from_json_name(value), |state| filter.set_state(state), "state"),
        "symbol" => set(text, |text| text.clone_into(&mut filter.underlying), "symbol"),
        "from" => set(text, |text| text.clone_into(&mut filter.from), "from"),
        "to" => set(text, |text| text.clone_into(&mut filter.to), "to"),
        "broker" => set(Broker::from_json_name(value), |broker| filter.set_broker(broker), "broker"),
        "brokerAccount" => set(parse_account_number(value), |number| filter.broker_account = number, "brokerAccount"),
        "ambiguous" => set((value == "true").then_some(true), |yes| filter.ambiguous = yes, "ambiguous"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(query: &str) -> Uri {
        format!("/analytics/strategies?{query}").parse().unwrap()
    }

    #[test]
    fn parses_every_parameter() {
        let query = "shape=ironCondor&state=awaitingSettlement&symbol=NIFTY&from=2026-11-01&to=2026-11-30&ambiguous=true&broker=groww&brokerAccount=2\
             &limit=5&cursor=50";
        let request = parse_strategies_query(&uri(query)).unwrap();
        let filter = request.filter.unwrap();
        assert_eq!((filter.shape(), filter.state()), (StrategyShape::IronCondor, StrategyState::AwaitingSettlement));
        assert_eq!([&*filter.underlying, &filter.from, &filter.to], ["NIFTY", "2026-11-01", "2026-11-30"]);
        assert!(filter.ambiguous);
        assert_eq!((filter.broker(), filter.broker_account), (Broker::Groww, 2));
        assert_eq!((request.page_size, request.page_token.as_str()), (5, "50"));
        let request = parse_statistics_query(&uri("groupBy=daysToExpiryAtEntry&shape=ratio")).unwrap();
        assert_eq!(
            (request.by(), request.filter.unwrap().shape()),
            (StrategyGrouping::DaysToExpiryAtEntry, StrategyShape::Ratio)
        );
    }

    #[test]
    fn rejects_invalid_parameters() {
        for query in [
            "broker=moon",
            "brokerAccount=0",
            "shape=condor",
            "state=flat",
            "ambiguous=no",
            "symbol=",
            "from=",
            "limit=0",
            "limit=201",
            "cursor=",
            "moon=full",
        ] {
            assert_eq!(parse_strategies_query(&uri(query)).unwrap_err().status(), 422, "{query}");
        }
        assert!(parse_export_query(&uri("format=xlsx&shape=ratio")).unwrap().0);
        assert!(!parse_export_query(&uri("format=csv")).unwrap().0);
        for query in ["format=pdf", "limit=5", "shape=condor"] {
            assert_eq!(parse_export_query(&uri(query)).unwrap_err().status(), 422, "{query}");
        }
        for query in ["", "groupBy=", "groupBy=moon", "groupBy=shape&limit=5"] {
            assert_eq!(parse_statistics_query(&uri(query)).unwrap_err().status(), 422, "{query}");
        }
    }
}
