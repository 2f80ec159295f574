//! `GET /account/export`: all data of an account, for its owner.

use axum::Router;
use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use http::Uri;
use http_server::compression::Compressible;
use http_server::limiter::Client;
use http_server::problem::{FieldError, Problem};
use http_server::query::read_query;
use rpc::analytics::v1::{Adjustment, BroughtForwardLoss, ConfirmedStrategy, StrategySettings, TaxEntries};
use rpc::trader_journal::v1::{Playbook, Template};
use rpc::trades::v1::{ContractNote, LedgerEntry, ListChangesRequest, ListContractNotesRequest};
use serde::Serialize;

use crate::api::account::json::{AccountJson, SessionJson};
use crate::api::account::routes::list_sessions;
use crate::api::account::second_factor::{SecondFactorsJson, get_second_factors, require_reauthentication};
use crate::api::analytics::adjustments::list_adjustments;
use crate::api::analytics::strategy_decisions::list_confirmed;
use crate::api::analytics::strategy_settings::get_settings;
use crate::api::analytics::tax_entries::list_tax_years;
use crate::api::analytics::tax_links::{TaxLinkJson, list_links};
use crate::api::analytics::tax_losses::list_losses;
use crate::api::journal::entry::stream_entries;
use crate::api::trader_journal::export::{self as journal_export, list_playbooks, list_templates};
use crate::api::trades::broker_account_json::BrokerAccountJson;
use crate::api::trades::broker_accounts::list_broker_accounts;
use crate::api::trades::column_mappings::list_column_mappings;
use crate::api::trades::export::export_csv;
use crate::api::trades::json::BookJson;
use crate::api::trades::ledgers::list_ledger_entries;
use crate::api::trades::lists::{list_books, list_changes};
use crate::call;
use crate::caller::Trader;
use crate::client_record::{get_account, stream_record, stream_trades};
use crate::column_mapping_json::SavedMappingJson;
use crate::download::download_response;
use crate::error_texts::invalid_text;
use crate::json::JsonError;
use crate::state::Shared;
use crate::stream_error::StreamError;

/// Number of changes per core call.
const CHANGES_PAGE_SIZE: i32 = 100;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/account/export", get(export_account))
}

/// `GET /account/export`
async fn export_account(State(app): State<Shared>, trader: Trader, request: Request) -> Result<Response, Problem> {
    let format = parse_format(request.uri())?;
    require_reauthentication(&app, &trader).await?;
    let export = async {
        match format {
            Format::Json => export_json(&app, &trader).await,
            Format::Csv => export_csv(&app, &trader, None).await,
            Format::Zip => Ok(export_screenshots(&app, &trader)),
        }
    };
    let response = app.export(Client::from_request(&request), export).await;
    if response.is_ok() {
        tracing::info!("account_exported");
    }
    response
}

/// Members of the JSON export before the streamed lists.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExportHead {
    account: AccountJson,
    sessions: Vec<SessionJson>,
    second_factors: SecondFactorsJson,
    books: Vec<BookJson>,
    broker_accounts: Vec<BrokerAccountJson>,
    column_mappings: Vec<SavedMappingJson>,
    contract_notes: Vec<ContractNote>,
    ledger_entries: Vec<LedgerEntry>,
    adjustments: Vec<Adjustment>,
    confirmed_strategies: Vec<ConfirmedStrategy>,
    strategy_settings: Option<StrategySettings>,
    brought_forward_losses: Vec<BroughtForwardLoss>,
    tax_entries: Vec<TaxEntries>,
    tax_links: Vec<TaxLinkJson>,
    playbooks: Vec<Playbook>,
    templates: Vec<Template>,
}

/// Returns the export as one JSON object; its long lists (changes, journals, trades) are streamed page by page.
async fn export_json(app: &Shared, trader: &Trader) -> Result<Response, Problem> {
    let (account, sessions, second_factors, books, broker_accounts, column_mappings) = tokio::try_join!(
        get_account(app, trader),
        list_sessions(app, trader),
        get_second_factors(app, trader),
        list_books(app, trader),
        list_broker_accounts(app, trader),
        list_column_mappings(app, trader)
    )?;
    let (adjustments, confirmed_strategies, strategy_settings, losses, tax_entries, tax_links) = tokio::try_join!(
        list_adjustments(app, trader),
        list_confirmed(app, trader),
        get_settings(app, trader),
        list_losses(app, trader),
        list_tax_years(app, trader, None),
        list_links(app, trader)
    )?;
    let (playbooks, templates, contract_notes, ledger_entries) = tokio::try_join!(
        list_playbooks(app, trader),
        list_templates(app, trader),
        list_contract_notes(app, trader),
        list_ledger_entries(app, trader)
    )?;
    let head = ExportHead {
        account: AccountJson::try_from(account)?,
        sessions,
        second_factors,
        books,
        broker_accounts,
        column_mappings,
        contract_notes,
        ledger_entries,
        adjustments,
        confirmed_strategies,
        strategy_settings: strategy_settings.settings,
        brought_forward_losses: losses,
        tax_entries,
        tax_links,
        playbooks,
        templates,
    };
    let mut head = serde_json::to_vec(&head).map_err(JsonError::from)?;
    // The closing brace; the streamed lists follow.
    head.pop();
    head.extend_from_slice(b",\"changes\":[");
    let head = stream::once(async { Ok(Bytes::from(head)) });
    let journal = stream::once(async { Ok(Bytes::from_static(b"],\"journal\":[")) });
    let journal_entries = stream::once(async { Ok(Bytes::from_static(b"],\"journalEntries\":[")) });
    let parts = head
        .chain(stream_changes(app, trader).map_err(axum::Error::new))
        .chain(journal)
        .chain(stream_entries(app, trader).map_err(axum::Error::new))
        .chain(journal_entries)
        .chain(journal_export::stream_entries(app, trader).map_err(axum::Error::new))
        .chain(stream_trades_json(app, trader));
    let body = Body::from_stream(parts.inspect_err(|error| {
        tracing::error!(error = %rpc::failure::error_chain(error), "account export interrupted");
    }));
    let mut response = download_response(body, "application/json", "account", "json");
    response.extensions_mut().insert(Compressible);
    Ok(response)
}

/// Returns the contract notes of imported files.
async fn list_contract_notes(app: &Shared, trader: &Trader) -> Result<Vec<ContractNote>, Problem> {
    let deadline = app.settings.core_timeouts.call;
    let response = call::read(deadline, &app.retry_budget, || {
        let mut trades = app.clients.trades.clone();
        let request = trader.context.request(ListContractNotesRequest {}, deadline);
        async move { trades.list_contract_notes(request).await }
    });
    Ok(response.await?.notes)
}

/// Streams the elements of the JSON array of changes.
fn stream_changes(app: &Shared, trader: &Trader) -> impl Stream<Item = Result<Bytes, StreamError>> + use<> {
    let (app, trader) = (app.clone(), trader.clone());
    stream::try_unfold(Some(String::new()), move |cursor| {
        let (app, trader) = (app.clone(), trader.clone());
        async move {
            let Some(cursor) = cursor else { return Ok(None) };
            let is_first_page = cursor.is_empty();
            let request = ListChangesRequest { book: None, page_size: CHANGES_PAGE_SIZE, page_token: cursor };
            let page = list_changes(&app, &trader, request).await.map_err(StreamError::Page)?;
            let mut out = Vec::new();
            for (index, change) in page.changes.iter().enumerate() {
                if !is_first_page || index > 0 {
                    out.push(b',');
                }
                serde_json::to_writer(&mut out, change).map_err(JsonError::from)?;
            }
            Ok(Some((out.into(), page.next_cursor)))
        }
    })
}

/// Streams the trades with the end of the JSON object. Requests them only when the preceding lists have been sent.
fn stream_trades_json(app: &Shared, trader: &Trader) -> impl Stream<Item = Result<Bytes, axum::Error>> + use<> {
    let (app, trader) = (app.clone(), trader.clone());
    let trades = async move {
        let (_, pages) =
            stream_trades(&app, &trader, None).await.map_err(|problem| axum::Error::new(StreamError::Page(problem)))?;
        let record = stream_record(b"]}".to_vec(), pages, app.settings.core_timeouts.call);
        Ok::<BodyDataStream, axum::Error>(record.into_data_stream())
    };
    stream::once(trades).try_flatten()
}

/// Returns the screenshots of the journal as a ZIP.
fn export_screenshots(app: &Shared, trader: &Trader) -> Response {
    let body = Body::from_stream(journal_export::stream_screenshots(app, trader).inspect_err(|error| {
        tracing::error!(error = %rpc::failure::error_chain(error), "export of screenshots interrupted");
    }));
    download_response(body, "application/zip", "screenshots", "zip")
}

/// Format of an export.
#[derive(Clone, Copy)]
enum Format {
    /// All data.
    Json,
    /// The trades only.
    Csv,
    /// The screenshots only.
    Zip,
}

/// Parses the query: `format=json` (default), `format=csv` or `format=zip`.
fn parse_format(uri: &Uri) -> Result<Format, Problem> {
    let mut format = Format::Json;
    read_query(uri, |name, value| {
        if name != "format" {
            return None;
        }
        let parsed = match value {
            "json" => Some(Format::Json),
            "csv" => Some(Format::Csv),
            "zip" => Some(Format::Zip),
            _ => None,
        };
        format = parsed.unwrap_or(format);
        Some(
            parsed
                .is_none()
                .then(|| FieldError::new("format", "invalid", invalid_text("edge", "account_export.format"))),
        )
    })?;
    Ok(format)
}
