//! The edge: REST operations and the site in front of the core's gRPC services.
//!
//! Each handler in [`api`] reads a request, calls the core and writes the response. The edge makes no decisions about
//! trades, accounts or applications, has no database and uses no domain crate, so that it runs in the core's process or
//! remote. Connections, limits and the format of errors are those of `crates/http`, files for download those of
//! `crates/export`.
//!
//! Start reading at [`router()`] (all routes and layers), then at the `routes.rs` of an area in [`api`], for example
//! `api/trades/routes.rs`. An area consists of `routes.rs` (handlers), `json.rs` (response types) and `query.rs` or forms
//! (request types).

mod api;
mod api_description;
mod broker_account;
mod broker_accounts;
mod call;
mod caller;
mod change_response;
mod client_record;
mod column_mapping_json;
mod cookies;
mod device_name;
mod download;
mod error_texts;
mod etag;
mod file_issues;
mod form_texts;
mod health;
mod idempotency;
mod json;
mod limits;
mod rate_limits;
mod readiness;
mod record_cache;
mod router;
mod second_factor_proof;
mod settings;
mod site;
mod site_files;
mod state;
mod status;
mod stream_error;
#[cfg(test)]
mod tests;
mod timestamps;
mod trade_json;
mod upload;
mod upload_call;
mod workbook_export;

use std::io;

use axum::Router;

pub use http_server::limiter::{Client, Limit, Permit};
pub use http_server::listener::{Connection, Listener, Peer, SocketFile, Stream};
pub use http_server::network::Network;
pub use http_server::serve::TlsConfig;
pub use http_server::settings::{Limits, Shares, Timeouts};

pub use crate::api::analytics::profit_report_json::profit_report_json;
pub use crate::api::imports::json::file_report_json;
pub use crate::api_description::API_DESCRIPTION;
pub use crate::file_issues::{format_title, import_issue_text};
pub use crate::readiness::Readiness;
pub use crate::router::router;
pub use crate::settings::{CoreTimeouts, Error, Settings};
pub use crate::site_files::SiteFiles;
pub use crate::state::Clients;
pub use crate::status::status_text;

/// Serves `router` on `listener` until `shutdown`, and then until the requests in flight have ended or the drain timeout
/// has elapsed. With `tls`, all connections must use it.
pub async fn serve(
    listener: Listener,
    tls: Option<TlsConfig>,
    router: Router,
    settings: &Settings,
    readiness: Readiness,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let http_settings = http_server::settings::Settings {
        trusted_proxies: settings.trusted_proxies.clone(),
        limits: settings.limits.clone(),
        timeouts: settings.timeouts.clone(),
    };
    http_server::serve::serve(listener, tls, router, &http_settings, || readiness.stop(), shutdown).await
}
