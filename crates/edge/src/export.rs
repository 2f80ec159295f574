//! `trades/export`: the trades as a file for a spreadsheet, page by page from the core to the client.
//!
//! The file is of one version of the log. Where the trades change while it is written, it breaks off, as the list does:
//! half of one state and half of another would look whole.

pub(crate) mod columns;
pub(crate) mod csv;
pub(crate) mod workbook;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt, stream};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, Uri};
use rpc::trades::v1::list_trades_response::Part;
use rpc::trades::v1::{QueryTradesRequest, Trade};
use time::OffsetDateTime;
use time::macros::{format_description, offset};
use tokio::time::timeout;

use crate::Shared;
use crate::auth::{Reader, Trader};
use crate::layers::Compressible;
use crate::problem::Problem;
use crate::query::{self, Format};
use crate::record::Broken;
use crate::trades::{headless, in_time, list, query as trades_page};

pub use self::csv::harmless;
pub(crate) use self::workbook::AT_ONCE as WORKBOOKS;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/trades/export", get(export))
}

/// `GET /trades/export`
async fn export(State(app): State<Shared>, Reader(trader): Reader, uri: Uri) -> Result<Response, Problem> {
    let (format, asked) = query::export(&uri)?;
    in_time(&app, async {
        match format {
            Format::Csv => as_csv(&app, &trader, asked).await,
            Format::Xlsx => {
                let body = workbook::body(&app, pages(&app, &trader, asked).await?).await?;
                Ok(attached(body, workbook::TYPE, "trades", "xlsx"))
            }
        }
    })
    .await
}

/// The trades that are asked for, or all of them, as CSV to be saved.
pub(crate) async fn as_csv(
    app: &Shared,
    trader: &Trader,
    asked: Option<QueryTradesRequest>,
) -> Result<Response, Problem> {
    let rows = pages(app, trader, asked).await?.map(|page| csv::rows(&page?));
    let head = stream::once(async { Ok(csv::head()) });
    let body = Body::from_stream(head.chain(rows).inspect_err(log));
    let mut response = attached(body, csv::TYPE, "trades", "csv");
    response.extensions_mut().insert(Compressible);
    Ok(response)
}

/// A file for the browser to save, named after the day in India.
pub(crate) fn attached(body: Body, media: &'static str, what: &str, extension: &str) -> Response {
    let today = OffsetDateTime::now_utc().to_offset(offset!(+5:30)).date();
    let today = today.format(format_description!("[year]-[month]-[day]")).unwrap_or_default();
    let name = format!("attachment; filename=\"tradebahi-{what}-{today}.{extension}\"");
    let mut response = ([(CONTENT_TYPE, media)], body).into_response();
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(CONTENT_DISPOSITION, name);
    }
    response
}

fn log(error: &Broken) {
    tracing::error!(error = %rpc::failure::chain(error), "an export ended in the middle");
}

/// Trades, a page at a time.
type Pages = BoxStream<'static, Result<Vec<Trade>, Broken>>;

/// The trades that are asked for, or all of them. The first page is there before anything is answered.
async fn pages(app: &Shared, trader: &Trader, asked: Option<QueryTradesRequest>) -> Result<Pages, Problem> {
    match asked {
        Some(asked) => queried(app, trader, asked).await,
        None => listed(app, trader).await,
    }
}

async fn listed(app: &Shared, trader: &Trader) -> Result<Pages, Problem> {
    let (_, pages) = list(app, trader, None).await?;
    let idle = app.settings.times.core;
    let pages = stream::try_unfold(pages, move |mut pages| async move {
        let Some(message) = timeout(idle, pages.message()).await?? else { return Ok(None) };
        let Some(Part::Page(page)) = message.part else { return Err(Broken::NoPage) };
        Ok(Some((page.trades, pages)))
    });
    Ok(pages.boxed())
}

async fn queried(app: &Shared, trader: &Trader, asked: QueryTradesRequest) -> Result<Pages, Problem> {
    let first = trades_page(app, trader, asked.clone()).await?;
    let version = first.head.as_ref().ok_or_else(headless)?.version;
    let (app, trader) = (app.clone(), trader.clone());
    let rest = stream::try_unfold(first.next_cursor, move |cursor| {
        let (app, trader, asked) = (app.clone(), trader.clone(), asked.clone());
        async move {
            // Behind the last page, whether it still was of that version.
            let over = cursor.is_empty();
            let asked = QueryTradesRequest { cursor, known_version: over.then_some(version), ..asked };
            let page = trades_page(&app, &trader, asked).await.map_err(Broken::Page)?;
            if page.head.is_none_or(|head| head.version != version) {
                return Err(Broken::Changed);
            }
            Ok((!over).then_some((page.trades, page.next_cursor)))
        }
    });
    Ok(stream::once(async { Ok(first.trades) }).chain(rest).boxed())
}

/// A file on its way out.
pub(crate) fn sent(file: std::fs::File) -> Body {
    let file = tokio::fs::File::from_std(file);
    Body::from_stream(stream::try_unfold(file, |mut file| async move {
        let mut piece = bytes::BytesMut::with_capacity(64 * 1024);
        let read = tokio::io::AsyncReadExt::read_buf(&mut file, &mut piece).await?;
        Ok::<_, std::io::Error>((read > 0).then(|| (Bytes::from(piece), file)))
    }))
}
