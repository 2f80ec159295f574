//! Routes of `/trades/…`, and the client record.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{delete, get, post, put};
use http::{HeaderMap, Uri};
use http_server::accept_encoding::prefers_zstd;
use http_server::problem::Problem;
use rpc::trades::v1::ListTradesRequest;

use crate::api::trades::query::TradesQuery;
use crate::api::trades::{broker_accounts, column_mappings, ledgers, lists, replace, single};
use crate::caller::{Reader, Trader};
use crate::client_record::{
    get_account, list_trades, missing_head, record_head, record_parts, record_with_trades, stream_trades,
};
use crate::etag::Etag;
use crate::json::json_response;
use crate::record_cache::EncodedRecord;
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
    let record = RecordQuery {
        app: &app,
        trader: &trader,
        identity: &query.identity,
        client_etag: Etag::from_headers(&headers),
        cached_record: app.records.get(trader.caller.account_id, &query.identity),
        accepts_zstd: prefers_zstd(&headers),
    };
    app.respond_in_time(async {
        match query.page {
            Some(page) => record.show_page(page).await,
            None => record.show_all_trades().await,
        }
    })
    .await
}

/// Query of a client record, with the copies that its client and the cache have.
struct RecordQuery<'a> {
    app: &'a Shared,
    trader: &'a Trader,
    identity: &'a str,
    /// Entity tag of the client's copy.
    client_etag: Option<Etag>,
    cached_record: Option<Arc<EncodedRecord>>,
    /// True if the client prefers Zstandard.
    accepts_zstd: bool,
}

impl RecordQuery<'_> {
    /// Returns the newest version of which the client or the cache has a copy.
    fn known_version(&self) -> Option<i64> {
        let cached_etag = self.cached_record.as_ref().map(|record| &record.etag);
        self.client_etag.iter().chain(cached_etag).map(|etag| etag.version).max()
    }

    /// Returns the response if the client or the cache has the record with this tag.
    fn respond_unchanged(&self, etag: &Etag) -> Option<Result<Response, Problem>> {
        if self.client_etag.as_ref() == Some(etag) {
            return Some(Ok(etag.not_modified()));
        }
        let record = self.cached_record.as_ref().filter(|record| record.etag == *etag)?;
        Some(record.respond(self.accepts_zstd).map_err(Problem::from))
    }

    async fn show_all_trades(self) -> Result<Response, Problem> {
        let Self { app, trader, .. } = self;
        let (account, (mut head, mut pages)) =
            tokio::try_join!(get_account(app, trader), stream_trades(app, trader, self.known_version()))?;
        let etag = Etag::new(head.version, self.identity, &account);
        if let Some(response) = self.respond_unchanged(&etag) {
            return response;
        }
        if head.unchanged {
            // The trades are unchanged, but the copies are of another query or of earlier account data.
            (head, pages) = stream_trades(app, trader, None).await?;
        }
        let etag = Etag { version: head.version, ..etag };
        let record = record_head(&account, &head, None, None::<()>)?;
        let parts = record_parts(record, pages, app.settings.core_timeouts.call);
        Ok(app.records.respond_in_parts(trader.caller.account_id, self.identity, etag, parts, self.accepts_zstd)?)
    }

    async fn show_page(self, page: ListTradesRequest) -> Result<Response, Problem> {
        let Self { app, trader, .. } = self;
        // Further pages and results of a search are rarely read twice.
        let is_kept = page.page_token.is_empty() && page.filter.as_ref().is_none_or(|filter| filter.search.is_empty());
        let query = ListTradesRequest { known_version: self.known_version(), ..page.clone() };
        let (account, mut response) = tokio::try_join!(get_account(app, trader), list_trades(app, trader, query))?;
        let mut head = response.head.take().ok_or_else(missing_head)?;
        let etag = Etag::new(head.version, self.identity, &account);
        if let Some(response) = self.respond_unchanged(&etag) {
            return response;
        }
        if head.unchanged {
            response = list_trades(app, trader, page).await?;
            head = response.head.take().ok_or_else(missing_head)?;
        }
        let etag = Etag { version: head.version, ..etag };
        let next_cursor = Some(response.next_page_token.as_str()).filter(|cursor| !cursor.is_empty());
        let record = record_head(&account, &head, next_cursor, None::<()>)?;
        let json = record_with_trades(record, &response.trades)?;
        if !is_kept {
            return Ok(etag.add_to(json_response(Body::from(json))));
        }
        Ok(app.records.respond(trader.caller.account_id, self.identity, etag, json, self.accepts_zstd)?)
    }
}
