//! Puts the parts together; the only crate that knows all of them.
//!
//! Start reading at [`serve`]: open the database, build the core, listen.

pub mod applications;
pub mod backup;
pub mod config;
pub mod core;
pub mod database;
pub mod demo;
pub mod distribute;
pub mod health;
pub mod import_file;
pub mod log;
pub mod restore;
pub mod service_tokens;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use config::{Role, Serve};
use edge::{Clients, Readiness, SiteFiles};
use rpc::analytics::v1::analytics_service_client::AnalyticsServiceClient;
use rpc::auth::v1::auth_service_client::AuthServiceClient;
use rpc::caller::Verifier;
use rpc::careers::v1::careers_service_client::CareersServiceClient;
use rpc::imports::v1::import_service_client::ImportServiceClient;
use rpc::journals::v1::journal_service_client::JournalServiceClient;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::{self, Transport};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Endpoint;
use tonic_health::pb::health_client::HealthClient;

use crate::core::Core;
use crate::database::Database;

/// How long calls under way may take once the process is told to stop.
const DRAIN: Duration = Duration::from_secs(20);
/// How long an edge lets a core be silent before it asks whether it is there, and again before it gives the connection
/// up: a line that died without a word costs no more than one answer.
const CORE_SILENCE: Duration = Duration::from_secs(4);
const SAME_SIGNAL: Duration = Duration::from_secs(1);
/// How long a core that was told to stop still takes calls: its edges hear of it meanwhile, and call others.
const NOTICE: Duration = Duration::from_secs(1);

/// Serves until the process is told to stop, and then until what is under way is done.
pub async fn serve(settings: &Serve) -> anyhow::Result<()> {
    settings.check()?;
    settings.check_site()?;
    if settings.hides_browsers() {
        tracing::warn!("all browsers count as the one proxy in front; --trusted-proxies tells them apart");
    }
    let stop = Stop::on_signal()?;
    let verifier = Verifier::default();
    if settings.at.role == Role::Edge {
        let transport = cores(&settings.core)?;
        let pages = read_pages(settings);
        tokio::spawn(follow(&verifier, &transport).await);
        return serve_edge(settings, pages, transport, verifier, stop).await;
    }
    // The site is read while the database is opened.
    let pages = (settings.at.role == Role::All).then(|| read_pages(settings));
    let imports = settings.import.parallel.try_into().context("--import-parallel is too large")?;
    let database = Database::open(&settings.database, imports).await?;
    let core = Core::build(&database.pools, settings, &verifier).await?;
    let transport = core.transport();
    let mut background = JoinSet::new();
    background.spawn(database.revive());
    background.spawn(follow(&verifier, &transport).await);
    core.keep_house(&database.pools, settings, &mut background, stop.asked())?;
    if settings.demo {
        demo::seed(&transport).await.context("the demo account could not be made")?;
    }
    let served = match pages {
        Some(pages) => {
            let edge = serve_edge(settings, pages, transport, verifier, stop.clone());
            tokio::try_join!(edge, serve_core(settings, core, stop)).map(|_| ())
        }
        None => serve_core(settings, core, stop).await,
    };
    background.shutdown().await;
    database.close().await?;
    served
}

/// The way from an edge to its cores.
fn cores(addresses: &[String]) -> anyhow::Result<Transport> {
    let endpoint = |address: &String| {
        let endpoint = Endpoint::from_shared(address.clone()).with_context(|| format!("{address} is no core"))?;
        anyhow::Ok(
            endpoint
                .connect_timeout(Duration::from_secs(1))
                .http2_keep_alive_interval(CORE_SILENCE)
                .keep_alive_timeout(CORE_SILENCE)
                .keep_alive_while_idle(true)
                .tcp_nodelay(true),
        )
    };
    let mut endpoints = addresses.iter().map(endpoint).collect::<Result<Vec<_>, _>>()?.into_iter();
    let first = endpoints.next().context("--role edge needs --core, the address of the core")?;
    Ok(transport::remote(first, endpoints))
}

/// Lets `verifier` ask the auth service behind `core` once; what is returned keeps asking.
pub async fn follow(verifier: &Verifier, core: &Transport) -> impl Future<Output = ()> + use<> {
    let mut auth = AuthServiceClient::new(core.clone());
    if let Err(status) = verifier.ask(&mut auth).await {
        tracing::warn!(error = %status, "the core does not answer yet");
    }
    verifier.clone().follow(auth)
}

/// The site and REST over a core, near or far.
pub fn edge(
    settings: &edge::Settings,
    pages: SiteFiles,
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
        careers: CareersServiceClient::new(core),
    };
    Ok((edge::router(settings.clone(), pages, clients, verifier, ready.clone())?, ready))
}

/// Reads the built site, on a thread of its own.
fn read_pages(settings: &Serve) -> JoinHandle<Result<SiteFiles, edge::Error>> {
    let settings = settings.edge();
    spawn_blocking(move || SiteFiles::load(&settings))
}

async fn serve_edge(
    settings: &Serve,
    pages: JoinHandle<Result<SiteFiles, edge::Error>>,
    core: Transport,
    verifier: Verifier,
    stop: Stop,
) -> anyhow::Result<()> {
    let listener = listen(settings.at.listen).await?;
    let edge_settings = settings.edge();
    let (router, ready) = edge(&edge_settings, pages.await??, core, verifier)?;
    tracing::info!("open {}", settings.address());
    tokio::select! {
        served = edge::serve(listener, router, &edge_settings, ready, stop.asked()) => Ok(served?),
        () = stop.insisted() => Ok(()),
    }
}

async fn serve_core(settings: &Serve, core: Core, stop: Stop) -> anyhow::Result<()> {
    let listener = listen(settings.at.grpc_listen).await?;
    tracing::info!("gRPC on {}", settings.at.grpc_listen);
    let router = core.router(settings.reflection)?;
    let notice = if settings.at.role == Role::Core { NOTICE } else { Duration::ZERO };
    let asked = stop.asked();
    let noticed = async move {
        asked.await;
        tokio::time::sleep(notice).await;
    };
    let drained = async {
        stop.asked().await;
        tokio::time::sleep(notice + DRAIN).await;
    };
    tokio::select! {
        served = router.serve_with_incoming_shutdown(TcpListenerStream::new(listener), noticed) => {
            served.context("gRPC stopped")
        }
        () = drained => Ok(()),
        () = stop.insisted() => Ok(()),
    }
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!("cannot listen on {address}; stop what listens there, or choose another with --listen or --grpc-listen")
    })
}

/// How often the process was told to stop: once is a request, twice an order.
#[derive(Clone)]
struct Stop(watch::Receiver<u8>);

impl Stop {
    /// Listens for SIGINT, SIGTERM, and the SIGHUP of a closed terminal.
    ///
    /// What started us, such as npx, may pass on a Ctrl-C that the terminal has sent us already: what comes within a
    /// second is the same request.
    fn on_signal() -> anyhow::Result<Self> {
        let (tell, told) = watch::channel(0);
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        tokio::spawn(async move {
            let mut last: Option<Instant> = None;
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                    _ = hangup.recv() => {}
                }
                if last.is_none_or(|last| last.elapsed() > SAME_SIGNAL) {
                    tracing::info!("stopping");
                    tell.send_modify(|times| *times = u8::saturating_add(*times, 1));
                }
                last = Some(Instant::now());
            }
        });
        Ok(Self(told))
    }

    /// Waits for the request: take nothing new, finish what is under way.
    fn asked(&self) -> impl Future<Output = ()> + Send + use<> {
        self.told(1)
    }

    /// Waits for the order: leave everything.
    fn insisted(&self) -> impl Future<Output = ()> + Send + use<> {
        self.told(2)
    }

    fn told(&self, times: u8) -> impl Future<Output = ()> + Send + use<> {
        let mut told = self.0.clone();
        async move {
            // An error means that nobody can say stop any more.
            let _ = told.wait_for(|told| *told >= times).await;
        }
    }
}
