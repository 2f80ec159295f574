//! Puts the parts together; the only crate that knows all of them.
//!
//! Start reading at [`serve`]: open the database, build the core, listen.

pub mod config;
pub mod core;
pub mod database;
pub mod demo;
pub mod log;

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use config::{Role, Serve};
use edge::{Clients, Ready};
use rpc::auth::v1::auth_service_client::AuthServiceClient;
use rpc::caller::Verifier;
use rpc::imports::v1::import_service_client::ImportServiceClient;
use rpc::trades::v1::trades_service_client::TradesServiceClient;
use rpc::transport::{self, Transport};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Endpoint;
use tonic_health::pb::health_client::HealthClient;

use crate::core::Core;
use crate::database::Database;

/// Serves until the process is told to stop, and then until what is under way is done.
pub async fn serve(settings: &Serve) -> anyhow::Result<()> {
    settings.check()?;
    settings.check_site()?;
    let stop = stop_signal()?;
    let verifier = Verifier::default();
    if settings.role == Role::Edge {
        let core = settings.core.clone().context("--role edge needs --core, the address of the core")?;
        let endpoint = Endpoint::from_shared(core)?
            .connect_timeout(Duration::from_secs(1))
            .http2_keep_alive_interval(Duration::from_secs(20))
            .keep_alive_while_idle(true)
            .tcp_nodelay(true);
        let transport = transport::remote(endpoint);
        tokio::spawn(follow(&verifier, &transport).await);
        return serve_edge(settings, transport, verifier, stop).await;
    }
    let database = Database::open(&settings.database).await?;
    let core = Core::build(&database.pools, settings, &verifier).await?;
    let transport = core.transport();
    let mut background = JoinSet::new();
    background.spawn(follow(&verifier, &transport).await);
    core.keep_house(&database.pools, &mut background);
    if settings.demo {
        demo::seed(&transport).await.context("the demo account could not be made")?;
    }
    let served = match settings.role {
        Role::All => {
            tokio::try_join!(serve_edge(settings, transport, verifier, stop.clone()), serve_core(settings, core, stop))
                .map(|_| ())
        }
        Role::Core | Role::Edge => serve_core(settings, core, stop).await,
    };
    background.shutdown().await;
    database.close().await?;
    served
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
pub fn edge(settings: &edge::Settings, core: Transport, verifier: Verifier) -> anyhow::Result<(axum::Router, Ready)> {
    let ready = Ready::new(HealthClient::new(core.clone()));
    let clients = Clients {
        auth: AuthServiceClient::new(core.clone()),
        trades: TradesServiceClient::new(core.clone()),
        imports: ImportServiceClient::new(core),
    };
    Ok((edge::router(settings.clone(), clients, verifier, ready.clone())?, ready))
}

async fn serve_edge(
    settings: &Serve,
    core: Transport,
    verifier: Verifier,
    stop: watch::Receiver<bool>,
) -> anyhow::Result<()> {
    let listener = listen(settings.listen).await?;
    let edge_settings = settings.edge();
    let (router, ready) = edge(&edge_settings, core, verifier)?;
    tracing::info!("open {}", settings.address());
    edge::serve(listener, router, &edge_settings, ready, stopped(stop)).await?;
    Ok(())
}

async fn serve_core(settings: &Serve, core: Core, stop: watch::Receiver<bool>) -> anyhow::Result<()> {
    let listener = listen(settings.grpc_listen).await?;
    tracing::info!("gRPC on {}", settings.grpc_listen);
    core.router(settings.reflection)?
        .serve_with_incoming_shutdown(TcpListenerStream::new(listener), stopped(stop))
        .await
        .context("gRPC stopped")
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!("cannot listen on {address}; stop what listens there, or choose another with --listen or --grpc-listen")
    })
}

/// Turns true at the first SIGINT or SIGTERM.
fn stop_signal() -> anyhow::Result<watch::Receiver<bool>> {
    let (tell, stop) = watch::channel(false);
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tracing::info!("stopping");
        tell.send_replace(true);
    });
    Ok(stop)
}

async fn stopped(mut stop: watch::Receiver<bool>) {
    // An error means that nobody can say stop any more.
    let _ = stop.wait_for(|stop| *stop).await;
}
