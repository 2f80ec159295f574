//! Costs outside trades: `GET /analytics/costs`, and those of the tax pack.

use axum::extract::State;
use axum::response::Response;
use http::Uri;
use http_server::problem::Problem;
use http_server::query::read_query;
use rpc::json::JsonName as _;
use rpc::trades::v1::{LedgerPeriod, LedgerSum, LedgerTreatment, ListLedgerSumsRequest, ListLedgerSumsResponse};

use crate::api::analytics::query::{MAX_VALUE_CHARS, TaxQuery, parse_accounts, set};
use crate::call;
use crate::caller::{Reader, Trader};
use crate::json::respond;
use crate::state::Shared;

/// `GET /analytics/costs`
pub(crate) async fn show_costs(
    State(app): State<Shared>,
    Reader(trader): Reader,
    uri: Uri,
) -> Result<Response, Problem> {
    let request = parse_query(&uri)?;
    respond(&ListLedgerSumsResponse { sums: list_ledger_sums(&app, &trader, request).await? })
}

/// Returns the costs of ledgers in a financial year, and the entries that are not recognised. Deposits and withdrawals are
/// no part of a tax pack, which other people may read.
pub(crate) async fn list_costs_of_year(
    app: &Shared,
    trader: &Trader,
    query: &TaxQuery,
) -> Result<Vec<LedgerSum>, Problem> {
    let request = ListLedgerSumsRequest {
        from: format!("{}-04-01", query.year),
        to: format!("{}-03-31", query.year + 1),
        accounts: query.accounts.clone(),
        by: LedgerPeriod::All.into(),
    };
    let mut sums = list_ledger_sums(app, trader, request).await?;
    sums.retain(|sum| sum.treatment() != LedgerTreatment::NoCost);
    Ok(sums)
}

async fn list_ledger_sums(
    app: &Shared,
    trader: &Trader,
    request: ListLedgerSumsRequest,
) -> Result<Vec<LedgerSum>, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(request.clone(), deadline);
        async move { trades.list_ledger_sums(request).await }
    });
    Ok(response.await?.sums)
}

fn parse_query(uri: &Uri) -> Result<ListLedgerSumsRequest, Problem> {
    let mut request = ListLedgerSumsRequest::default();
    read_query(uri, |name, value| {
        let text = || Some(value).filter(|value| !value.is_empty() && value.chars().count() <= MAX_VALUE_CHARS);
        Some(match name {
            "from" => set(text(), |day| day.clone_into(&mut request.from), "from"),
            "to" => set(text(), |day| day.clone_into(&mut request.to), "to"),
            "accounts" => set(parse_accounts(value), |accounts| request.accounts = accounts, "accounts"),
            "by" => set(LedgerPeriod::from_json_name(value), |by| request.set_by(by), "by"),
            _ => return None,
        })
    })?;
    Ok(request)
}
