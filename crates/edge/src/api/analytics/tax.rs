//! Handlers of `/analytics/tax`: the tax pack of a financial year, and its download for an accountant.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use export::tax::{TaxTitle, TaxWorkbook, TieOutRow, format_financial_year, schedule_112a, write_csv, write_workbook};
use export::{csv, workbook};
use http::Uri;
use http_server::limiter;
use http_server::problem::Problem;
use rpc::analytics::v1::{
    GetTaxAppendixRequest, GetTaxAppendixResponse, GetTaxPackRequest, GetTaxPackResponse, ListTaxLinesRequest, TaxLine,
    TieOut, TieOutCause,
};
use rpc::trades::v1::BrokerAccount;
use time::OffsetDateTime;
use time::macros::offset;
use uuid::Uuid;

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::api::analytics::costs::list_costs_of_year;
use crate::api::analytics::json::{TaxPackJson, cause_text, tax_hints};
use crate::api::analytics::query::{TaxFormat, TaxQuery, parse_tax_query};
use crate::broker_accounts::load_broker_accounts;
use crate::caller::{Reader, Trader};
use crate::download::{finish_workbook, named_download, stream_file};
use crate::json::{JsonError, json_response};
use crate::state::Shared;
use crate::status::problem_from_status;
use crate::stream_error::StreamError;

/// `GET /analytics/tax`
pub(crate) async fn show_tax_pack(
    State(app): State<Shared>,
    Reader(trader): Reader,
    uri: Uri,
) -> Result<Response, Problem> {
    let query = parse_tax_query(&uri, false)?;
    let (pack, ledger) =
        tokio::try_join!(get_tax_pack(&app, &trader, &query), list_costs_of_year(&app, &trader, &query))?;
    let pack = TaxPackJson::new(format_financial_year(query.year), pack, ledger);
    let body = serde_json::to_vec(&pack).map_err(JsonError::from)?;
    Ok(json_response(Body::from(body)))
}

/// `GET /analytics/tax/export`
pub(crate) async fn export_tax_pack(
    State(app): State<Shared>,
    Reader(trader): Reader,
    request: Request,
) -> Result<Response, Problem> {
    let query = parse_tax_query(request.uri(), true)?;
    let owner = trader.caller.account_id;
    app.export(limiter::Client::from_request(&request), tax_pack_file(&app, &trader, &query, owner)).await
}

/// Returns a file with the tax pack, in the format of the query. Workbooks of one `owner` are written one after the other.
pub(crate) async fn tax_pack_file(
    app: &Shared,
    trader: &Trader,
    query: &TaxQuery,
    owner: Uuid,
) -> Result<Response, Problem> {
    let year = query.year;
    let title = get_title(app, trader, query).await?;
    let lines = list_tax_lines(app, trader, query).await?;
    let csv_file = match query.format {
        TaxFormat::Csv => Some((write_csv(&lines, year), "tax")),
        TaxFormat::Schedule112A => Some((schedule_112a::write_csv(&lines, year), "schedule-112a")),
        TaxFormat::Workbook => None,
    };
    if let Some((body, name)) = csv_file {
        let body = Body::from(body.map_err(StreamError::from)?);
        return named_download(body, csv::MEDIA_TYPE, &title.file_name(name, year, "csv"));
    }
    let file_name = title.file_name("tax", year, "xlsx");
    let pack = get_tax_pack(app, trader, query).await?;
    let appendix = get_tax_appendix(app, trader, query).await?;
    let ledger = list_costs_of_year(app, trader, query).await?;
    let permits = app.acquire_workbook(owner).await?;
    let dir = app.settings.spool_dir.clone().unwrap_or_else(std::env::temp_dir);
    let writer = tokio::task::spawn_blocking(move || {
        let _permits = permits;
        let hints = tax_hints(&pack.hints);
        let tie_outs = pack.tie_outs.iter().map(to_tie_out_row).collect();
        write_workbook(&TaxWorkbook { hints, pack, lines, tie_outs, appendix, ledger, year, title }, &dir)
    });
    let file = finish_workbook(writer.await)?;
    named_download(stream_file(file), workbook::MEDIA_TYPE, &file_name)
}

async fn get_title(app: &Shared, trader: &Trader, query: &TaxQuery) -> Result<TaxTitle, Problem> {
    Ok(TaxTitle {
        login_name: trader.caller.name.clone(),
        accounts: list_accounts(app, trader, query).await?,
        created_on: OffsetDateTime::now_utc().to_offset(offset!(+5:30)).date(),
    })
}

/// Returns the broker accounts of a tax pack.
pub(crate) async fn list_accounts(
    app: &Shared,
    trader: &Trader,
    query: &TaxQuery,
) -> Result<Vec<BrokerAccount>, Problem> {
    let mut accounts = load_broker_accounts(app, trader).await?;
    let is_chosen = |account: &BrokerAccount| {
        let number = account.broker_account.max(1);
        query.accounts.iter().any(|key| key.broker == account.broker && key.broker_account.max(1) == number)
    };
    accounts.retain(|account| query.accounts.is_empty() || is_chosen(account));
    Ok(accounts)
}

fn to_tie_out_row(tie_out: &TieOut) -> TieOutRow {
    let text = |cause: &TieOutCause| {
        let explains = if cause.explains { "Explains the difference: " } else { "" };
        let amount = if cause.amount.is_empty() { String::new() } else { format!(" Amount: {}.", cause.amount) };
        format!("{explains}{}{amount}", cause_text(cause))
    };
    let causes: Vec<String> = tie_out.causes.iter().map(text).collect();
    TieOutRow { tie_out: tie_out.clone(), causes: causes.join(" ") }
}

/// Returns the tax pack of a year.
pub(crate) async fn get_tax_pack(
    app: &Shared,
    trader: &Trader,
    query: &TaxQuery,
) -> Result<GetTaxPackResponse, Problem> {
    let rpc = |mut core: Client, request| async move { core.get_tax_pack(request).await };
    let request = GetTaxPackRequest { year: query.year, accounts: query.accounts.clone() };
    call_analytics(app, trader, request, rpc).await
}

async fn get_tax_appendix(app: &Shared, trader: &Trader, query: &TaxQuery) -> Result<GetTaxAppendixResponse, Problem> {
    let rpc = |mut core: Client, request| async move { core.get_tax_appendix(request).await };
    let request = GetTaxAppendixRequest { year: query.year, accounts: query.accounts.clone() };
    call_analytics(app, trader, request, rpc).await
}

async fn list_tax_lines(app: &Shared, trader: &Trader, query: &TaxQuery) -> Result<Vec<TaxLine>, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_tax_lines(request).await };
    let request = ListTaxLinesRequest { year: query.year, accounts: query.accounts.clone() };
    let mut pages = call_analytics(app, trader, request, rpc).await?;
    let mut lines = Vec::new();
    while let Some(page) = pages.message().await.map_err(problem_from_status)? {
        lines.extend(page.lines);
    }
    Ok(lines)
}
