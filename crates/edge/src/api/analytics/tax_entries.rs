//! Handlers of `/analytics/tax/entries/{year}`: figures of a tax year that the trader enters.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use export::tax::format_financial_year;
use http_server::json_fields::JsonFields;
use http_server::problem::Problem;
use rpc::analytics::v1::{ListTaxEntriesRequest, ReplaceTaxEntriesRequest, TaxEntries, TaxEntry, TaxEntryKind};
use rpc::json::JsonName as _;
use rpc::trades::v1::Broker;

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::api::analytics::query::parse_financial_year;
use crate::broker_account::parse_broker_account;
use crate::call;
use crate::caller::{Reader, Trader};
use crate::error_texts::{invalid_field, invalid_text};
use crate::state::Shared;

/// Returns the figures by year: of one year, or of all.
pub(crate) async fn list_tax_years(
    app: &Shared,
    trader: &Trader,
    year: Option<i32>,
) -> Result<Vec<TaxEntries>, Problem> {
    let rpc = |mut core: Client, request| async move { core.list_tax_entries(request).await };
    let request = ListTaxEntriesRequest { year: year.unwrap_or_default() };
    Ok(call_analytics(app, trader, request, rpc).await?.years)
}

/// `GET /analytics/tax/entries/{year}`
pub(crate) async fn show_entries(
    State(app): State<Shared>,
    Reader(trader): Reader,
    Path(year): Path<String>,
) -> Result<Response, Problem> {
    let year = parse_year(&year)?;
    let entries = list_tax_years(&app, &trader, Some(year)).await?.pop();
    let none = || TaxEntries { year: format_financial_year(year), entries: Vec::new() };
    Ok(Json(entries.unwrap_or_else(none)).into_response())
}

/// `PUT /analytics/tax/entries/{year}`
pub(crate) async fn replace_entries(
    State(app): State<Shared>,
    trader: Trader,
    Path(year): Path<String>,
    mut fields: JsonFields,
) -> Result<Response, Problem> {
    let year = parse_year(&year)?;
    fields.require(&["entries"]);
    let entries = fields.list("entries", parse_entry).unwrap_or_default();
    fields.finish()?;
    let deadline = app.settings.core_timeouts.call;
    let request = trader.context.request(ReplaceTaxEntriesRequest { year, entries }, deadline);
    let mut core = app.clients.analytics.clone();
    let response = call::write(deadline, async move { core.replace_tax_entries(request).await }).await?;
    Ok(Json(response.entries.unwrap_or_default()).into_response())
}

fn parse_year(text: &str) -> Result<i32, Problem> {
    parse_financial_year(text).ok_or_else(|| Problem::from_field_errors(vec![invalid_field("analytics", "year")]))
}

fn parse_entry(fields: &mut JsonFields) -> TaxEntry {
    fields.require(&["kind", "broker"]);
    let invalid_value = |field: &str| invalid_text("analytics", &format!("entries[].{field}"));
    TaxEntry {
        kind: fields.parsed("kind", TaxEntryKind::from_json_name, invalid_value).unwrap_or_default().into(),
        broker: fields.parsed("broker", Broker::from_json_name, invalid_value).unwrap_or_default().into(),
        broker_account: parse_broker_account(fields).unwrap_or_default(),
        day: fields.text("day").unwrap_or_default(),
        name: fields.text("name").unwrap_or_default(),
        amount: fields.number("amount").unwrap_or_default(),
        tax_deducted: fields.number("taxDeducted").unwrap_or_default(),
    }
}
