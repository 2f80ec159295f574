//! `/trades/export`: downloads of the trades as CSV or XLSX.
//!
//! A file contains one version of the trade log. If the trades change while it is written, the response is aborted,
//! because a file that mixes two versions would look complete.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use export::{csv, workbook};
use futures_util::{StreamExt, TryStreamExt, stream};
use http_server::compression::Compressible;
use http_server::limiter::Client;
use http_server::problem::Problem;
use rpc::trades::v1::stream_trades_response::Part;
use rpc::trades::v1::{ListTradesRequest, Trade};
use tokio::time::timeout;

use crate::api::trades::query::{Format, parse_export_query};
use crate::caller::{Reader, Trader};
use crate::client_record::{list_trades, missing_head, stream_trades};
use crate::download::{download_response, stream_file};
use crate::state::Shared;
use crate::stream_error::StreamError;
use crate::workbook_export::{Pages, log_error, write_workbook};

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/trades/export", get(export_trades))
}

/// `GET /trades/export`
async fn export_trades(
    State(app): State<Shared>,
    Reader(trader): Reader,
    request: Request,
) -> Result<Response, Problem> {
    let (format, query) = parse_export_query(request.uri())?;
    app.export(Client::from_request(&request), async {
        match format {
            Format::Csv => export_csv(&app, &trader, query).await,
            Format::Xlsx => {
                let pages = trade_pages(&app, &trader, query).await?;
                let file = write_workbook(&app, trader.caller.account_id, pages, |pages, dir| {
                    workbook::write_trades(pages, dir)
                })
                .await?;
                Ok(download_response(stream_file(file), workbook::MEDIA_TYPE, "trades", "xlsx"))
            }
        }
    })
    .await
}

/// Returns the trades of `query`, or all trades, as a CSV download.
pub(crate) async fn export_csv(
    app: &Shared,
    trader: &Trader,
    query: Option<ListTradesRequest>,
) -> Result<Response, Problem> {
    let pages = trade_pages(app, trader, query).await?;
    let rows = pages.map(|page| Ok(Bytes::from(csv::trade_rows(&page?)?)));
    let header = stream::once(async { Ok(Bytes::from(csv::trades_header())) });
    let body = Body::from_stream(header.chain(rows).inspect_err(log_error));
    let mut response = download_response(body, csv::MEDIA_TYPE, "trades", "csv");
    response.extensions_mut().insert(Compressible);
    Ok(response)
}

/// Returns the trades of `query`, or all trades. Returns after the core has responded, so that its error can still be sent.
async fn trade_pages(app: &Shared, trader: &Trader, query: Option<ListTradesRequest>) -> Result<Pages<Trade>, Problem> {
    match query {
        Some(query) => queried_pages(app, trader, query).await,
        None => all_pages(app, trader).await,
    }
}

async fn all_pages(app: &Shared, trader: &Trader) -> Result<Pages<Trade>, Problem> {
    let (_, pages) = stream_trades(app, trader, None).await?;
    let idle_timeout = app.settings.core_timeouts.call;
    let pages = stream::try_unfold(pages, move |mut pages| async move {
        let Some(message) = timeout(idle_timeout, pages.message()).await?? else { return Ok(None) };
        let Some(Part::Page(page)) = message.part else { return Err(StreamError::UnexpectedMessage) };
        Ok(Some((page.trades, pages)))
    });
    Ok(pages.boxed())
}

async fn queried_pages(app: &Shared, trader: &Trader, query: ListTradesRequest) -> Result<Pages<Trade>, Problem> {
    let first = list_trades(app, trader, query.clone()).await?;
    let version = first.head.as_ref().ok_or_else(missing_head)?.version;
    let (app, trader) = (app.clone(), trader.clone());
    let rest = stream::try_unfold(first.next_page_token, move |page_token| {
        let (app, trader, query) = (app.clone(), trader.clone(), query.clone());
        async move {
            // One more call, after the last page, checks that the trade log still has the same version.
            let is_last = page_token.is_empty();
            let query = ListTradesRequest { page_token, known_version: is_last.then_some(version), ..query };
            let page = list_trades(&app, &trader, query).await.map_err(StreamError::Page)?;
            if page.head.is_none_or(|head| head.version != version) {
                return Err(StreamError::Changed);
            }
            Ok((!is_last).then_some((page.trades, page.next_page_token)))
        }
    });
    Ok(stream::once(async { Ok(first.trades) }).chain(rest).boxed())
}
