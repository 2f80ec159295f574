//! Taking connections. The accept loop is our own because the framework's has no deadline for heads and no bound on
//! connections.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use futures_util::FutureExt as _;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tower::ServiceExt;

use crate::crowd::Crowd;
use crate::ready::Ready;
use crate::settings::{Settings, Times};
use crate::stall::Stalling;

/// What a connection may keep unparsed.
const BUFFER: usize = 32 * 1024;
/// After the system refused to give a connection, usually for want of descriptors.
const BREATH: Duration = Duration::from_millis(50);

/// Serves `router` on `listener` until `shutdown`, and then as long as requests under way need, within the drain time.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    settings: &Settings,
    ready: Ready,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let (stop, stopping) = watch::channel(false);
    let door = Arc::new(Door::new(settings, router, stopping));
    let room = Arc::new(Semaphore::new(settings.limits.connections));
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    let mut until = None;
    loop {
        let accepted = async {
            // The semaphore is never closed.
            let permit = Arc::clone(&room).acquire_owned().await.ok();
            (listener.accept().await, permit)
        };
        let last_call = async {
            match until {
                None => shutdown.as_mut().await,
                Some(at) => tokio::time::sleep_until(at).await,
            }
        };
        tokio::select! {
            (accepted, permit) = accepted => match accepted {
                Ok((stream, peer)) => door.open(stream, peer, permit, &mut connections),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    sleep(BREATH).await;
                }
            },
            () = last_call => {
                if until.is_some() {
                    break;
                }
                // Whoever balances load learns first that no more should come.
                ready.stop();
                until = Some(Instant::now() + settings.times.notice);
            }
        }
        while connections.try_join_next().is_some() {}
    }
    // Whoever is connected by now has sent a request, and would be cut off.
    while let Some(Ok((stream, peer))) = listener.accept().now_or_never() {
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else { break };
        door.open(stream, peer, Some(permit), &mut connections);
    }
    drop(listener);
    let _ = stop.send(true);
    let drained = timeout(settings.times.drain, async { while connections.join_next().await.is_some() {} });
    if drained.await.is_err() {
        tracing::warn!(connections = connections.len(), "closing connections that did not end in time");
    }
    Ok(())
}

/// What every connection is given.
struct Door {
    router: Router,
    builder: Builder<TokioExecutor>,
    times: Times,
    crowd: Arc<Crowd>,
    stopping: watch::Receiver<bool>,
}

impl Door {
    fn new(settings: &Settings, router: Router, stopping: watch::Receiver<bool>) -> Self {
        let crowd = Crowd::new(settings.limits.connections_per_address, settings.trusted_proxies.clone());
        let times = settings.times.clone();
        Self { router, builder: builder(&times), times, crowd, stopping }
    }

    /// Serves a connection in a task of its own, unless its address has enough of them.
    fn open(
        self: &Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        permit: Option<OwnedSemaphorePermit>,
        connections: &mut JoinSet<()>,
    ) {
        let Some(place) = self.crowd.enter(peer.ip().to_canonical()) else { return };
        let door = Arc::clone(self);
        connections.spawn(async move {
            door.hold(stream, peer).await;
            drop((place, permit));
        });
    }

    async fn hold(&self, stream: TcpStream, peer: SocketAddr) {
        // Without it, Nagle's algorithm and delayed acknowledgements make a streamed answer wait 40 ms.
        if stream.set_nodelay(true).is_err() {
            return;
        }
        let asked = AtomicBool::new(false);
        let service = service_fn(|mut request: hyper::Request<Incoming>| {
            asked.store(true, Ordering::Relaxed);
            request.extensions_mut().insert(ConnectInfo(peer));
            self.router.clone().oneshot(request)
        });
        let stream = TokioIo::new(Stalling::new(stream, self.times.write_stall));
        let mut connection = pin!(self.builder.serve_connection(stream, service));
        let mut stopping = self.stopping.clone();
        let end = Instant::now() + self.times.connection;
        // The library's deadline for a head begins once it knows the version of HTTP, which it may never learn.
        if let Ok(ended) = timeout(self.times.head, connection.as_mut()).await {
            return log(ended);
        }
        if !asked.load(Ordering::Relaxed) {
            return;
        }
        tokio::select! {
            ended = timeout_at(end, connection.as_mut()) => if let Ok(ended) = ended { return log(ended) },
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
        connection.as_mut().graceful_shutdown();
        // What is under way goes on, at most as long as the longest upload.
        let longest = self.times.upload + self.times.answer_upload;
        if let Ok(ended) = timeout(longest, connection).await {
            log(ended);
        }
    }
}

/// Most connections end by a client going away, which is no news.
fn log<E: std::fmt::Display>(ended: Result<(), E>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

fn builder(times: &Times) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(times.head).max_buf_size(BUFFER);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(100)
        .max_header_list_size(16 * 1024)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10))
        .max_pending_accept_reset_streams(20)
        .max_local_error_reset_streams(64)
        .max_send_buf_size(256 * 1024);
    builder
}
