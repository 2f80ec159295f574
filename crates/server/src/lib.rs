//! Configuration, wiring and terminal commands; the only crate that depends on all others.
//!
//! Start reading at [`serve`]: it opens the database, builds the core and listens.

pub mod applications;
pub mod backup;
pub mod config;
pub mod core;
pub mod database;
pub mod demo;
pub mod distribute;
mod encryption;
mod grpc_connections;
pub mod health;
pub mod import_file;
pub mod import_mailbox;
pub mod keys;
mod listen;
pub mod log;
pub mod restore;
mod secret_file;
pub mod service_tokens;
pub mod sessions;
mod shutdown_signal;
mod text_table;
mod tls;

use std::time::Duration;

use anyhow::Context as _;
use config::{Role, Serve};
use edge::{Clients, Readiness, SiteFiles, TlsConfig};
use http::HeaderValue;
use http::uri::Scheme;
use rpc::analytics::v1::analytics_service_client::AnalyticsServiceClient;
use rpc::auth::v1::auth_service_client::AuthServiceClient;
use rpc::careers::v1::careers_service_client::CareersServiceClient;
use rpc::imports::v1::import_service_client::ImportServiceClient;
use rpc::journal::v1::journal_service_client::JournalServiceClient;
use rpc::trader_journal::v1::trader_journal_service_client::TraderJournalServiceClient;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::{self, Transport};
use rpc::verifier::Verifier;
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tonic::transport::Endpoint;
use tonic_health::pb::health_client::HealthClient;

use crate::core::Core;
use crate::database::Database;
use crate::grpc_connections::{GrpcLimits, Incoming};
use crate::listen::listen;
use crate::shutdown_signal::ShutdownSignal;
use crate::tls::{GrpcTls, Tls};

/// Maximum time for running calls to complete after a shutdown request.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);
/// Connect timeout from an edge to a core.
const CORE_CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Interval and timeout of HTTP/2 pings from an edge to a core. Detects half-open connections within twice this time.
const CORE_KEEP_ALIVE: Duration = Duration::from_secs(4);
/// Time for which a core accepts calls after a shutdown request. Its edges learn meanwhile that it is not serving, and
/// call other cores.
const SHUTDOWN_NOTICE: Duration = Duration::from_secs(1);

/// Serves until shutdown is requested and running requests have completed.
pub async fn serve(settings: &Serve) -> anyhow::Result<()> {
    settings.check()?;
    settings.check_site()?;
    if settings.lacks_trusted_proxies() {
        tracing::warn!("all clients appear to have the address of the proxy; set --trusted-proxies to tell them apart");
    }
    if !settings.secret_names.is_empty() {
        tracing::info!(names = settings.secret_names.join(" "), "secrets_read");
    }
    if settings.lacks_encryption_key() {
        tracing::warn!("encryption_key_missing");
    }
    if settings.listens_in_plain_text() {
        tracing::warn!(listen = %settings.addresses.listen, "plain_text_listen");
    }
    let tls = Tls::read(&settings.addresses)?;
    let shutdown = ShutdownSignal::listen()?;
    let verifier = Verifier::default();
    if settings.addresses.role == Role::Edge {
        let transport = core_transport(settings, tls.grpc.as_ref())?;
        let site = load_site(settings);
        tokio::spawn(start_verifier(&verifier, &transport).await);
        return serve_edge(settings, tls.https, site, transport, verifier, shutdown).await;
    }
    #[cfg(target_os = "linux")]
    log_sandbox_support();
    // Loads the site while the database opens.
    let site = (settings.addresses.role == Role::All).then(|| load_site(settings));
    let import_connections = settings.import.parallel.try_into().context("--import-parallel is too large")?;
    let database = Database::open(&settings.database, import_connections).await?;
    let core = Core::build(&database.pools, settings, &verifier).await?;
    let transport = core.transport();
    let mut background = JoinSet::new();
    background.spawn(database.supervise_cluster());
    background.spawn(start_verifier(&verifier, &transport).await);
    core.start_background_jobs(&database.pools, settings, &mut background, shutdown.requested())?;
    if settings.demo
        && let Err(error) = demo::seed(&transport).await
    {
        tracing::error!(error = format!("{error:#}"), "cannot create the demo account; the server starts without it");
    }
    let outcome = match site {
        Some(site) => {
            let edge = serve_edge(settings, tls.https, site, transport, verifier, shutdown.clone());
            tokio::try_join!(edge, serve_core(settings, tls.grpc, core, shutdown)).map(|_| ())
        }
        None => serve_core(settings, tls.grpc, core, shutdown).await,
    };
    background.shutdown().await;
    database.close().await?;
    outcome
}

/// Logs how far this kernel can restrict the processes that parse files.
#[cfg(target_os = "linux")]
fn log_sandbox_support() {
    match sandbox::Support::detect() {
        Ok(support) if support.is_complete() => {
            tracing::info!(landlock = support.landlock_version, seccomp = support.seccomp, "sandbox_complete");
        }
        Ok(support) => {
            tracing::warn!(landlock = support.landlock_version, seccomp = support.seccomp, "sandbox_incomplete");
        }
        Err(error) => tracing::warn!(%error, "sandbox_incomplete"),
    }
}

/// Returns the transport from an edge to its cores; connects at the first call.
fn core_transport(settings: &Serve, tls: Option<&GrpcTls>) -> anyhow::Result<Transport> {
    let endpoint = |address: &String| {
        let invalid = || format!("invalid core address: {address}");
        let mut endpoint = Endpoint::from_shared(address.clone()).with_context(invalid)?;
        if let Some(tls) = tls
            && endpoint.uri().scheme() == Some(&Scheme::HTTPS)
        {
            endpoint = endpoint.tls_config(tls.client()).with_context(invalid)?;
        }
        anyhow::Ok(
            endpoint
                .connect_timeout(CORE_CONNECT_TIMEOUT)
                .http2_keep_alive_interval(CORE_KEEP_ALIVE)
                .keep_alive_timeout(CORE_KEEP_ALIVE)
                .keep_alive_while_idle(true)
                .tcp_nodelay(true),
        )
    };
    let mut endpoints = settings.core.iter().map(endpoint).collect::<Result<Vec<_>, _>>()?.into_iter();
    let first = endpoints.next().context("--role edge requires --core with the address of a core")?;
    let transport = transport::remote(first, endpoints);
    let Some(file) = &settings.edge_token_file else {
        tracing::warn!("logins of all clients count as those of this edge; set --edge-token-file to tell them apart");
        return Ok(transport);
    };
    let token = file.read_line("service token")?;
    let mut token = HeaderValue::from_str(&token).with_context(|| format!("no token in {}", file.path().display()))?;
    token.set_sensitive(true);
    Ok(transport::with_edge_token(transport, token))
}

/// Fetches the keys of `verifier` once from the auth service behind `core`; the returned future keeps them up to date.
pub async fn start_verifier(verifier: &Verifier, core: &Transport) -> impl Future<Output = ()> + use<> {
    let mut auth = AuthServiceClient::new(core.clone());
    if let Err(status) = verifier.refresh(&mut auth).await {
        tracing::warn!(error = %status, "the core does not respond yet");
    }
    verifier.clone().poll(auth)
}

/// Returns the router of the site and the REST API, and its readiness. `core` may be in-process or remote.
pub fn edge(
    settings: &edge::Settings,
    site: SiteFiles,
    core: Transport,
    verifier: Verifier,
) -> anyhow::Result<(axum::Router, Readiness)> {
    let ready = Readiness::new(HealthClient::new(core.clone()));
    let clients = Clients {
        auth: AuthServiceClient::new(core.clone()),
        trades: TradesServiceClient::new(core.clone()),
        imports: ImportServiceClient::new(core.clone()),
        analytics: AnalyticsServiceClient::new(core.clone()),
        journals: JournalServiceClient::new(core.clone()),
        trader_journals: TraderJournalServiceClient::new(core.clone()),
        careers: CareersServiceClient::new(core),
    };
    Ok((edge::router(settings.clone(), site, clients, verifier, ready.clone())?, ready))
}

/// Loads the built site on a blocking thread.
fn load_site(settings: &Serve) -> JoinHandle<Result<SiteFiles, edge::Error>> {
    let settings = settings.edge();
    spawn_blocking(move || SiteFiles::load(&settings))
}

async fn serve_edge(
    settings: &Serve,
    tls: Option<TlsConfig>,
    site: JoinHandle<Result<SiteFiles, edge::Error>>,
    core: Transport,
    verifier: Verifier,
    shutdown: ShutdownSignal,
) -> anyhow::Result<()> {
    let listener = listen(&settings.addresses.listen).await?;
    let edge_settings = settings.edge();
    let (router, ready) = edge(&edge_settings, site.await??, core, verifier)?;
    tracing::info!("open {}", settings.address());
    tokio::select! {
        served = edge::serve(listener, tls, router, &edge_settings, ready, shutdown.requested()) => Ok(served?),
        () = shutdown.forced() => Ok(()),
    }
}

async fn serve_core(
    settings: &Serve,
    tls: Option<GrpcTls>,
    core: Core,
    shutdown: ShutdownSignal,
) -> anyhow::Result<()> {
    let listener = listen(&settings.addresses.grpc_listen).await?;
    tracing::info!("gRPC listens on {}", settings.addresses.grpc_listen);
    let router = core.router(settings.reflection)?;
    let notice = if settings.addresses.role == Role::Core { SHUTDOWN_NOTICE } else { Duration::ZERO };
    let (requested, socket_file) = (shutdown.requested(), listener.socket_file().cloned());
    let stop_accepting = async move {
        requested.await;
        tokio::time::sleep(notice).await;
        // While the socket is still open, because later the file may be that of the next server.
        if let Some(file) = socket_file {
            file.remove();
        }
    };
    let incoming = Incoming::new(listener, tls.map(|tls| tls.server()), &GrpcLimits::default());
    let serving = router.serve_with_incoming_shutdown(incoming.into_stream(), stop_accepting);
    let drain_timeout = async {
        shutdown.requested().await;
        tokio::time::sleep(notice + DRAIN_TIMEOUT).await;
    };
    tokio::select! {
        served = serving => served.context("gRPC stopped"),
        () = drain_timeout => Ok(()),
        () = shutdown.forced() => Ok(()),
    }
}
