//! Routes of `/trades/…`, and the client record.

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{delete, get, post, put};
use http::{HeaderMap, Uri};
use http_server::problem::Problem;
use rpc::trades::v1::ListTradesRequest;

use crate::api::trades::etag::Etag;
use crate::api::trades::query::TradesQuery;
use crate::api::trades::{broker_accounts, column_mappings, ledgers, lists, replace, single};
use crate::caller::{Reader, Trader};
use crate::client_record::{
    get_account, list_trades, missing_head, record_head, record_with_trades, stream_record, stream_trades,
};
use crate::json::json_response;
use crate::state::Shared;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/trades/client", get(show_client_record))
        .route("/trades/add", post(single::add_trade))
        .route("/trades/{id}", get(single::show_trade).patch(single::edit_trade).delete(single::delete_trade))
        .route("/trades/books", get(lists::show_books))
        .route("/trades/broker-accounts", get(broker_accounts::show_broker_accounts))
        .route(
            "/trades/broker-accounts/{broker}/{number}",
            put(broker_accounts::save_broker_account).delete(broker_accounts::delete_broker_account),
        )
        .route(
            "/trades/column-mappings",
            get(column_mappings::show_column_mappings).post(column_mappings::save_column_mapping),
        )
        .route("/trades/column-mappings/{digest}", delete(column_mappings::delete_column_mapping))
        .route("/trades/ledgers", get(ledgers::show_ledgers))
        .route("/trades/ledgers/{id}", delete(ledgers::delete_ledger))
        .route("/trades/symbols", get(lists::show_symbols))
        .route("/trades/changes", get(lists::show_changes))
        .route("/trades/changes/{id}/undo", post(single::undo_change))
}

/// Returns the routes with larger bodies, which have limits of their own.
pub(crate) fn replace_routes() -> Router<Shared> {
    Router::new().route("/trades/replace", post(replace::replace_trades))
}

/// `GET /trades/client`
async fn show_client_record(
    State(app): State<Shared>,
    Reader(trader): Reader,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let query = TradesQuery::parse(&uri)?;
    trader.check_email(query.email.as_deref())?;
    let client_etag = Etag::from_headers(&headers);
    app.respond_in_time(async {
        match query.page {
            Some(page) => show_page(&app, &trader, &query.identity, page, client_etag).await,
            None => show_all_trades(&app, &trader, &query.identity, client_etag).await,
        }
    })
    .await
}

async fn show_all_trades(
    app: &Shared,
    trader: &Trader,
    identity: &str,
    client_etag: Option<Etag>,
) -> Result<Response, Problem> {
    let known_version = client_etag.as_ref().map(|etag| etag.version);
    let (account, (mut head, mut pages)) =
        tokio::try_join!(get_account(app, trader), stream_trades(app, trader, known_version))?;
    let etag = Etag::new(head.version, identity, &account);
    if head.unchanged {
        if client_etag.as_ref() == Some(&etag) {
            return Ok(etag.not_modified());
        }
        // The trades are unchanged, but the client's tag is for another query or for earlier account data.
        (head, pages) = stream_trades(app, trader, None).await?;
    }
    let etag = Etag { version: head.version, ..etag };
    let record = record_head(&account, &head, None, None::<()>)?;
    Ok(etag.add_to(json_response(stream_record(record, pages, app.settings.core_timeouts.call))))
}

async fn show_page(
    app: &Shared,
    trader: &Trader,
    identity: &str,
    page: ListTradesRequest,
    client_etag: Option<Etag>,
) -> Result<Response, Problem> {
    let query = ListTradesRequest { known_version: client_etag.as_ref().map(|etag| etag.version), ..page.clone() };
    let (account, mut response) = tokio::try_join!(get_account(app, trader), list_trades(app, trader, query))?;
    let mut head = response.head.take().ok_or_else(missing_head)?;
    let etag = Etag::new(head.version, identity, &account);
    if head.unchanged {
        if client_etag.as_ref() == Some(&etag) {
            return Ok(etag.not_modified());
        }
        response = list_trades(app, trader, page).await?;
        head = response.head.take().ok_or_else(missing_head)?;
    }
    let etag = Etag { version: head.version, ..etag };
    let next_cursor = Some(response.next_page_token.as_str()).filter(|cursor| !cursor.is_empty());
    let record = record_head(&account, &head, next_cursor, None::<()>)?;
    Ok(etag.add_to(json_response(Body::from(record_with_trades(record, &response.trades)?))))
}
