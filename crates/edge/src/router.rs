//! Routes of all operations and of the site, with their layers.

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use http_server::body_limits::limit_bodies;
use http_server::compression::compression_layer;
use http_server::cross_site::reject_cross_site;
use http_server::csp_report;
use http_server::host::require_one_host;
use http_server::load_shed::{LoadShed, apply_load_shed};
use http_server::metrics::{self, Metrics};
use http_server::settings::Timeouts;
use http_server::trace::{Trace, respond_to_panic, trace_request};
use rpc::verifier::Verifier;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::csrf::CsrfLayer;

use crate::api::{account, account_export, analytics, auth, careers, imports, journal, trader_journal, trades};
use crate::rate_limits::limit_rate;
use crate::readiness::Readiness;
use crate::settings::{Error, Settings};
use crate::site::{prefer_page, serve_site};
use crate::site_files::SiteFiles;
use crate::state::{App, Clients, Shared};
use crate::{api_description, health, limits};

/// Creates the router: every operation of `openapi.yaml`, under `/api/v1` and under `/`, and the site.
///
/// Reads the address of the peer from [`axum::extract::ConnectInfo`], which [`crate::serve()`] adds to each request.
///
/// # Errors
/// Fails if a URL of the settings is invalid.
pub fn router(
    settings: Settings,
    site_files: SiteFiles,
    clients: Clients,
    verifier: Verifier,
    readiness: Readiness,
) -> Result<Router, Error> {
    let app = Arc::new(App::new(settings, site_files, clients, verifier, readiness)?);
    let settings = &app.settings;
    let timeouts = &settings.timeouts;
    let mut csrf = CsrfLayer::new();
    if let (Some(origin), Some(url)) = (&app.origin, &settings.public_url) {
        csrf = csrf.add_trusted_origin(&origin.text).map_err(|_| Error::PublicUrl(url.clone()))?;
    }
    let load_shed = LoadShed::new(Arc::clone(&app.limiter), timeouts);
    let mut metrics = Metrics::default();
    let records = app.records.clone();
    metrics.register_bytes("client_record_cache", "Encoded client records.", move || records.total_bytes());
    let metrics = Arc::new(metrics);
    let trace = Arc::new(Trace {
        metrics: Arc::clone(&metrics),
        trusted_proxies: settings.trusted_proxies.clone(),
        has_error_text: is_auth_path,
    });

    let operations = operations(timeouts);
    let product = Router::new()
        .nest("/api/v1", operations.clone())
        .merge(operations.route_layer(from_fn_with_state(app.clone(), prefer_page)))
        .merge(auth::routes::well_known_routes())
        .merge(api_description::routes())
        .merge(careers_operations(timeouts))
        // For browsers only, so that openapi.yaml does not describe it.
        .merge(limit_bodies(csp_report::routes(), limits::csp_report_limits(timeouts)))
        .fallback(serve_site)
        .layer(
            ServiceBuilder::new()
                .layer(from_fn_with_state(load_shed, apply_load_shed))
                .layer(compression_layer())
                .layer(csrf.with_rejection_response(reject_cross_site))
                .layer(from_fn_with_state(Arc::clone(&app.rate_limits), limit_rate)),
        );
    // Without load shedding: monitoring must get responses especially when the server is busy.
    let monitoring = Router::new().merge(health::routes()).merge(metrics::routes(metrics, settings.open_metrics));
    let router = product.merge(monitoring).layer(
        ServiceBuilder::new()
            .layer(from_fn_with_state(trace, trace_request))
            .layer(from_fn(require_one_host))
            .layer(CatchPanicLayer::custom(respond_to_panic)),
    );
    Ok(router.with_state(app))
}

/// Returns true for the paths whose clients read the members `success` and `error` of an error response.
fn is_auth_path(path: &str) -> bool {
    path.strip_prefix("/api/v1").unwrap_or(path).starts_with("/auth/")
}

/// Returns the operations that exist under `/api/v1` and under `/`.
fn operations(timeouts: &Timeouts) -> Router<Shared> {
    let default_limits = limits::default_limits(timeouts);
    let upload_limits = limits::upload_limits(timeouts);
    Router::new()
        .merge(limit_bodies(auth::routes::routes(), limits::auth_limits(timeouts)))
        .merge(limit_bodies(auth::routes::token_routes(), default_limits))
        .merge(limit_bodies(account::routes::routes(), default_limits))
        .merge(limit_bodies(account::second_factor::routes(), default_limits))
        .merge(limit_bodies(account_export::routes(), default_limits))
        .merge(limit_bodies(analytics::routes::routes(), default_limits))
        .merge(limit_bodies(analytics::routes::answer_routes(), limits::issue_answers_limits(timeouts)))
        .merge(limit_bodies(analytics::routes::tax_entry_routes(), limits::tax_entries_limits(timeouts)))
        .merge(limit_bodies(trades::export::routes(), default_limits))
        .merge(limit_bodies(journal::routes::routes(), default_limits))
        .merge(limit_bodies(trader_journal::routes::routes(), limits::journal_limits(timeouts)))
        .merge(limit_bodies(trader_journal::routes::upload_routes(), limits::screenshot_limits(timeouts)))
        .merge(limit_bodies(trades::routes::routes(), limits::trade_limits(timeouts)))
        .merge(limit_bodies(trades::routes::replace_routes(), limits::replace_limits(timeouts)))
        .merge(limit_bodies(imports::routes::routes(), upload_limits))
        .merge(limit_bodies(analytics::routes::upload_routes(), upload_limits))
}

/// Returns the operations of the careers pages, which exist under `/api` only.
fn careers_operations(timeouts: &Timeouts) -> Router<Shared> {
    limit_bodies(careers::routes::routes(), limits::answers_limits(timeouts))
        .merge(limit_bodies(careers::routes::upload_routes(), limits::application_limits(timeouts)))
}
