//! The edge: REST and multipart in, gRPC out. The only crate that knows HTTP and JSON.
//!
//! It owns nothing and decides nothing: it takes what a browser sends, finds out who asks, calls the core through the
//! generated clients, and may join two answers. It never sees a database or a domain crate, so it runs in the core's
//! process or far from it.
//!
//! Start reading at [`router`]; `layers` says what happens to every request, `problem` how a refusal looks.

mod account;
mod address;
mod analytics;
mod arrival;
mod auth;
mod call;
mod careers;
mod commit;
mod contract;
mod crowd;
mod encoding;
mod export;
mod findings;
mod form;
mod imports;
mod input;
mod journal;
mod layers;
mod linger;
mod metrics;
mod pace;
mod pages;
mod parts;
mod previews;
mod problem;
mod query;
mod rate;
mod ready;
mod record;
mod report;
mod serve;
mod settings;
mod shed;
mod stall;
#[cfg(test)]
mod tests;
mod trades;
mod transfer;
mod turn;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use http::StatusCode;
use rpc::analytics::v1::analytics_service_client::AnalyticsServiceClient;
use rpc::auth::v1::auth_service_client::AuthServiceClient;
use rpc::caller::Verifier;
use rpc::careers::v1::careers_service_client::CareersServiceClient;
use rpc::imports::v1::import_service_client::ImportServiceClient;
use rpc::journals::v1::journal_service_client::JournalServiceClient;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::Transport;
use tokio::sync::Semaphore;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::csrf::CsrfLayer;

pub use crate::analytics::profit_report;
pub use crate::contract::CONTRACT;
pub use crate::export::harmless;
pub use crate::imports::file_report;
pub use crate::pages::Pages;
pub use crate::ready::Ready;
pub use crate::serve::serve;
pub use crate::settings::{Error, Limits, Network, NotANetwork, Settings, Times};

use crate::layers::{Bounds, bounded};
use crate::problem::Problem;

/// The core, near or far.
#[derive(Clone, Debug)]
pub struct Clients {
    /// Accounts and sign-in.
    pub auth: AuthServiceClient<Transport>,
    /// The trade log.
    pub trades: TradesServiceClient<Transport>,
    /// Brokers' files.
    pub imports: ImportServiceClient<Transport>,
    /// What the trades say.
    pub analytics: AnalyticsServiceClient<Transport>,
    /// The journals of the public pages.
    pub journals: JournalServiceClient<Transport>,
    /// Openings and applications.
    pub careers: CareersServiceClient<Transport>,
}

/// What every handler can reach.
struct App {
    settings: Settings,
    clients: Clients,
    verifier: Verifier,
    ready: Ready,
    /// The public address, where one is set.
    origin: Option<settings::Origin>,
    cookies: auth::cookies::Cookies,
    pages: pages::Pages,
    metrics: metrics::Metrics,
    retries: call::Budget,
    rates: rate::Rates,
    arrivals: arrival::Arrivals,
    in_flight: Arc<Semaphore>,
    untold: shed::Untold,
    /// Requests that use the core, among them.
    calling: Arc<Semaphore>,
    uploads: Arc<Semaphore>,
    /// Uploads of people who are not signed in, among them.
    inspections: Arc<Semaphore>,
    /// Applications, among them, too.
    applications: Arc<Semaphore>,
    /// Workbooks being written.
    workbooks: Arc<Semaphore>,
}

type Shared = Arc<App>;

/// Bodies of the sign-in forms.
const AUTH_BYTES: usize = 4 * 1024;
/// Bodies of what browsers report.
const REPORT_BYTES: usize = 8 * 1024;
/// Bodies of everything that has no limit of its own.
const BYTES: usize = 16 * 1024;

/// Every operation of `openapi.yaml` under both of its bases, and the site.
///
/// The address of the peer is read from [`axum::extract::ConnectInfo`], which [`serve()`] puts beside each request.
pub fn router(
    settings: Settings,
    pages: Pages,
    clients: Clients,
    verifier: Verifier,
    ready: Ready,
) -> Result<Router, Error> {
    let origin = settings.origin()?;
    settings.check_analytics()?;
    let secure = origin.as_ref().is_some_and(|origin| origin.secure);
    let mut csrf = CsrfLayer::new();
    if let (Some(origin), Some(url)) = (&origin, &settings.public_url) {
        csrf = csrf.add_trusted_origin(&origin.text).map_err(|_| Error::PublicUrl(url.clone()))?;
    }
    let app = Arc::new(App {
        rates: rate::Rates::new(!settings.no_rates, secure),
        arrivals: arrival::Arrivals::new(&settings.limits),
        in_flight: Arc::new(Semaphore::new(settings.limits.in_flight)),
        untold: shed::Untold::default(),
        calling: Arc::new(Semaphore::new(settings.limits.calling)),
        uploads: Arc::new(Semaphore::new(settings.limits.uploads)),
        inspections: Arc::new(Semaphore::new(settings.limits.uploads.div_ceil(8))),
        applications: Arc::new(Semaphore::new(settings.limits.uploads.div_ceil(2))),
        workbooks: Arc::new(Semaphore::new(export::WORKBOOKS)),
        cookies: auth::cookies::Cookies::new(secure),
        origin,
        metrics: metrics::Metrics::default(),
        retries: call::Budget::default(),
        settings,
        clients,
        verifier,
        ready,
        pages,
    });

    let operations = operations(&app.settings);
    let product = Router::new()
        .nest("/api/v1", operations.clone())
        .merge(operations.route_layer(from_fn_with_state(app.clone(), pages::first)))
        .merge(auth::well_known())
        .merge(contract::routes())
        .merge(careers(&app.settings))
        // For the browsers alone, so that openapi.yaml says nothing of it.
        .merge(bounded(report::routes(), Bounds { bytes: REPORT_BYTES, ..plain(&app.settings.times) }))
        .fallback(pages::serve)
        .layer(
            ServiceBuilder::new()
                .layer(from_fn_with_state(app.clone(), shed::shed))
                .layer(layers::compression())
                .layer(csrf.with_rejection_response(layers::cross_site))
                .layer(from_fn_with_state(app.clone(), rate::limit)),
        );
    // Outside of what sheds: who watches the server must be answered most of all when it is busy.
    let health = Router::new()
        .route("/livez", get(ready::live))
        .route("/readyz", get(ready::ready))
        .route("/metrics", get(metrics::show));
    let router = product.merge(health).layer(
        ServiceBuilder::new()
            .layer(from_fn_with_state(app.clone(), layers::around))
            .layer(CatchPanicLayer::custom(layers::panicked)),
    );
    Ok(router.with_state(app))
}

/// The bounds of everything that has none of its own.
fn plain(times: &Times) -> Bounds {
    Bounds {
        bytes: BYTES,
        too_large: || Problem::of_status(StatusCode::PAYLOAD_TOO_LARGE),
        idle: times.body_idle,
        body: times.body,
        all: times.body + times.answer,
    }
}

/// The bounds of a broker's file.
fn upload(times: &Times) -> Bounds {
    Bounds {
        bytes: form::LARGEST_FORM,
        too_large: form::too_large,
        idle: times.upload_idle,
        body: times.upload,
        all: times.upload + times.answer_upload,
    }
}

/// The operations of the careers pages, which stand under one base alone.
fn careers(settings: &Settings) -> Router<Shared> {
    let times = &settings.times;
    let application = Bounds { bytes: careers::LARGEST_FORM, too_large: careers::too_large, ..upload(times) };
    let plain = Bounds { bytes: careers::ANSWERS_BYTES, ..plain(times) };
    bounded(careers::routes(), plain).merge(bounded(careers::upload_routes(), application))
}

/// The operations that stand under both bases.
fn operations(settings: &Settings) -> Router<Shared> {
    let times = &settings.times;
    let plain = plain(times);
    let upload = upload(times);
    Router::new()
        .merge(bounded(auth::routes(), Bounds { bytes: AUTH_BYTES, ..plain }))
        .merge(bounded(auth::token_routes().merge(account::routes()), plain))
        .merge(bounded(analytics::routes(), plain))
        .merge(bounded(export::routes(), plain))
        .merge(bounded(journal::routes(), plain))
        .merge(bounded(trades::routes(), Bounds { bytes: trades::TRADE_BYTES, ..plain }))
        .merge(bounded(
            trades::long_routes(),
            Bounds { bytes: trades::LARGEST_LIST, too_large: plain.too_large, ..upload },
        ))
        .merge(bounded(imports::routes().merge(analytics::upload_routes()), upload))
}
