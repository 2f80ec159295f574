//! `/analytics/strategies/export`: downloads of strategies as CSV or XLSX.

use std::path::Path;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use export::{csv, strategies, workbook};
use futures_util::{StreamExt, TryStreamExt, stream};
use http_server::compression::Compressible;
use http_server::limiter;
use http_server::problem::Problem;
use rpc::analytics::v1::{Strategy, StreamStrategiesRequest};
use tokio::time::timeout;

use crate::api::analytics::core_client::{Client, call_analytics};
use crate::api::analytics::strategies::parse_export_query;
use crate::caller::{Reader, Trader};
use crate::download::{download_response, stream_file};
use crate::state::Shared;
use crate::workbook_export::{PageIterator, Pages, log_error, write_workbook};

/// `GET /analytics/strategies/export`
pub(crate) async fn export_strategies(
    State(app): State<Shared>,
    Reader(trader): Reader,
    request: Request,
) -> Result<Response, Problem> {
    let (is_workbook, query) = parse_export_query(request.uri())?;
    app.export(limiter::Client::from_request(&request), async {
        let pages = list_pages(&app, &trader, query).await?;
        if is_workbook {
            let write = |pages: PageIterator<'_, Strategy>, dir: &Path| strategies::write_workbook(pages, dir);
            let file = write_workbook(&app, trader.caller.account_id, pages, write).await?;
            return Ok(download_response(stream_file(file), workbook::MEDIA_TYPE, "strategies", "xlsx"));
        }
        let rows = pages.map(|page| Ok(Bytes::from(strategies::csv_rows(&page?)?)));
        let header = stream::once(async { Ok(Bytes::from(strategies::csv_header())) });
        let body = Body::from_stream(header.chain(rows).inspect_err(log_error));
        let mut response = download_response(body, csv::MEDIA_TYPE, "strategies", "csv");
        response.extensions_mut().insert(Compressible);
        Ok(response)
    })
    .await
}

/// Returns the strategies of a request. Returns after the core has responded, so that its error can still be sent.
async fn list_pages(
    app: &Shared,
    trader: &Trader,
    request: StreamStrategiesRequest,
) -> Result<Pages<Strategy>, Problem> {
    let rpc = |mut core: Client, request| async move { core.stream_strategies(request).await };
    let pages = call_analytics(app, trader, request, rpc).await?;
    let idle_timeout = app.settings.core_timeouts.call;
    let pages = stream::try_unfold(pages, move |mut pages| async move {
        let page = timeout(idle_timeout, pages.message()).await??;
        Ok(page.map(|page| (page.strategies, pages)))
    });
    Ok(pages.boxed())
}
