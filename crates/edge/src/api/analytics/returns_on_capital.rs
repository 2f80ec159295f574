//! Returns on capital: `GET /analytics/returns-on-capital`.

use axum::extract::State;
use axum::response::Response;
use http::Uri;
use http_server::problem::Problem;
use http_server::query::read_query;
use rpc::analytics::v1::{Filter, GetReturnsOnCapitalRequest, SymbolPrice};

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::api::analytics::query::{read_filter, set};
use crate::caller::Reader;
use crate::json::respond;
use crate::state::Shared;

/// Maximum number of prices.
const MAX_PRICES: usize = 200;
/// Maximum length of all prices: proxies reject longer addresses than 8 KiB.
const MAX_PRICES_BYTES: usize = 4000;

/// `GET /analytics/returns-on-capital`
pub(crate) async fn show_returns(
    State(app): State<Shared>,
    Reader(trader): Reader,
    uri: Uri,
) -> Result<Response, Problem> {
    let request = parse_query(&uri)?;
    let rpc = |mut core: Client, request| async move { core.get_returns_on_capital(request).await };
    respond(&call_analytics(&app, &trader, request, rpc).await?)
}

fn parse_query(uri: &Uri) -> Result<GetReturnsOnCapitalRequest, Problem> {
    let (mut filter, mut prices) = (Filter::default(), Vec::new());
    read_query(uri, |name, value| match name {
        "from" | "to" | "broker" | "brokerAccount" => read_filter(&mut filter, name, value),
        "prices" => Some(set(parse_prices(value), |parsed| prices = parsed, "prices")),
        _ => None,
    })?;
    Ok(GetReturnsOnCapitalRequest { filter: Some(filter), prices })
}

/// Parses prices such as `INFY:1450.25,TCS:3000`. The core validates the numbers.
fn parse_prices(text: &str) -> Option<Vec<SymbolPrice>> {
    let price = |text: &str| {
        let (symbol, price) = text.rsplit_once(':')?;
        Some(SymbolPrice { symbol: symbol.to_owned(), price: price.to_owned() })
    };
    if text.len() > MAX_PRICES_BYTES || !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return None;
    }
    let prices: Option<Vec<SymbolPrice>> = text.split(',').take(MAX_PRICES + 1).map(price).collect();
    prices.filter(|prices| prices.len() <= MAX_PRICES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_symbols_with_prices() {
        let parse = |text: &str| {
            let prices = parse_prices(text)?;
            Some(prices.into_iter().map(|one| (one.symbol, one.price)).collect::<Vec<_>>())
        };
        let pair = |symbol: &str, price: &str| (symbol.to_owned(), price.to_owned());
        assert_eq!(parse("M&M:1450.25,A:B:3"), Some(vec![pair("M&M", "1450.25"), pair("A:B", "3")]));
        for text in ["", "INFY", "INFY:1,", ",INFY:1", "Ä:1", "A\tB:1"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(&["A:1"; 200].join(",")).map(|prices| prices.len()), Some(200));
        assert_eq!(parse(&["A:1"; 201].join(",")), None);
        let long = |symbol_bytes| format!("{}:1", "A".repeat(symbol_bytes));
        assert!(parse(&long(3998)).is_some() && parse(&long(3999)).is_none());
    }
}
