//! `POST /analytics/reconcile`: compares a broker's profit and loss report or tax report with the trade log.
//!
//! The import service parses the report while it is being uploaded; the analytics service then compares it.

use axum::extract::{Request, State};
use axum::response::Response;
use http_server::limiter;
use http_server::multipart::Multipart;
use http_server::problem::Problem;
use rpc::analytics::v1::{ReconcileRequest, ReconcileTaxReportRequest};
use rpc::imports::v1::{ProfitReport, ReadProfitReportRequest, ReadProfitReportResponse, TaxReport};

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::api::analytics::reconcile_json::ReconciliationJson;
use crate::api::analytics::reconcile_tax_json::TaxReconciliationJson;
use crate::call::Context;
use crate::caller::{Reader, Trader};
use crate::json::{JsonError, json_response};
use crate::limits::upload_too_large;
use crate::state::Shared;
use crate::upload::read_file;
use crate::upload_call::UploadCall;

/// `POST /analytics/reconcile`
pub(crate) async fn reconcile(
    State(app): State<Shared>,
    Reader(trader): Reader,
    request: Request,
) -> Result<Response, Problem> {
    let _permit = app.limiter.uploads.try_acquire(limiter::Client::from_request(&request))?;
    let form = Multipart::from_request(request, upload_too_large).await?;
    let mut call = start_report_upload(&app, &trader.context);
    read_file(form, &mut call).await?;
    let ReadProfitReportResponse { report, tax_report } = call.finish(None).await?;
    let body = match tax_report {
        Some(report) => reconcile_tax_report(&app, &trader, report).await?,
        None => reconcile_profit_report(&app, &trader, report.unwrap_or_default()).await?,
    };
    Ok(json_response(body.into()))
}

async fn reconcile_profit_report(app: &Shared, trader: &Trader, report: ProfitReport) -> Result<Vec<u8>, Problem> {
    let request = ReconcileRequest { report: Some(report.clone()) };
    let rpc = |mut core: Client, request| async move { core.reconcile(request).await };
    let comparison = call_analytics(app, trader, request, rpc).await?;
    Ok(serde_json::to_vec(&ReconciliationJson::new(report, comparison)?).map_err(JsonError::from)?)
}

async fn reconcile_tax_report(app: &Shared, trader: &Trader, report: TaxReport) -> Result<Vec<u8>, Problem> {
    let request = ReconcileTaxReportRequest { report: Some(report.clone()) };
    let rpc = |mut core: Client, request| async move { core.reconcile_tax_report(request).await };
    let comparison = call_analytics(app, trader, request, rpc).await?;
    Ok(serde_json::to_vec(&TaxReconciliationJson::new(report, comparison)?).map_err(JsonError::from)?)
}

fn start_report_upload(
    app: &Shared,
    context: &Context,
) -> UploadCall<ReadProfitReportRequest, ReadProfitReportResponse> {
    let mut imports = app.clients.imports.clone();
    let to_message = |chunk| ReadProfitReportRequest { chunk };
    UploadCall::start(app, context, to_message, |request| async move { imports.read_profit_report(request).await })
}
