//! Accepts and serves connections.
//!
//! The accept loop is our own because axum's has neither a timeout for request heads nor a connection limit.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use http::header::CONNECTION;
use http::{HeaderValue, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tower::ServiceExt;

use crate::limiter::{Client, Limit};
use crate::listener::{Listener, Peer, Stream};
use crate::network::Network;
use crate::settings::{Settings, Timeouts};
use crate::write_timeout::WriteTimeoutStream;

/// Maximum size of the unparsed bytes of an HTTP/1 connection.
const MAX_BUFFER_BYTES: usize = 32 * 1024;

/// Certificate, key and protocols of TLS.
pub type TlsConfig = Arc<ServerConfig>;

/// Serves `router` on `listener` until `shutdown`, and then until the requests in flight have ended or the drain timeout
/// has elapsed.
///
/// With `tls`, all connections must use it. Calls `before_shutdown` at the beginning of the shutdown notice, so that a
/// load balancer learns first that no more requests should come. Adds [`ConnectInfo`] and [`Peer`] to each request.
pub async fn serve(
    listener: Listener,
    tls: Option<TlsConfig>,
    router: Router,
    settings: &Settings,
    before_shutdown: impl FnOnce(),
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let (stage, stages) = watch::channel(Stage::Open);
    let server = Arc::new(Server::new(settings, tls, router, stages));
    let connection_limit = Arc::new(Semaphore::new(settings.limits.connections.total));
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    let mut before_shutdown = Some(before_shutdown);
    let mut close_at = None;
    loop {
        let accepted = async {
            // The semaphore is never closed.
            let permit = Arc::clone(&connection_limit).acquire_owned().await.ok();
            (listener.accept().await, permit)
        };
        let next_stage = async {
            match close_at {
                None => shutdown.as_mut().await,
                Some(at) => tokio::time::sleep_until(at).await,
            }
        };
        tokio::select! {
            ((stream, peer), permit) = accepted => server.spawn(stream, peer, permit, &mut connections),
            () = next_stage => {
                let Some(before_shutdown) = before_shutdown.take() else { break };
                before_shutdown();
                let _ = stage.send(Stage::Notice);
                close_at = Some(Instant::now() + settings.timeouts.shutdown_notice);
            }
        }
        while connections.try_join_next().is_some() {}
    }
    // Connections that the kernel has accepted in the meantime would be reset.
    let mut backlog = listener.into_backlog()?;
    while let Ok(permit) = Arc::clone(&connection_limit).try_acquire_owned()
        && let Some((stream, peer)) = backlog.next()
    {
        server.spawn(stream, peer, Some(permit), &mut connections);
    }
    drop(backlog);
    let _ = stage.send(Stage::Closed);
    let drained = timeout(settings.timeouts.shutdown_drain, async { while connections.join_next().await.is_some() {} });
    if drained.await.is_err() {
        tracing::warn!(connections = connections.len(), "closing connections that did not end in time");
    }
    Ok(())
}

/// Stage of the shutdown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Open,
    /// Connections are still accepted, but each response asks the client to send the next request elsewhere, so that no
    /// client sends a request on a connection that is being closed.
    Notice,
    Closed,
}

/// State shared by all connections.
struct Server {
    tls: Option<TlsAcceptor>,
    router: Router,
    builder: Builder<TokioExecutor>,
    timeouts: Timeouts,
    connection_limit: Limit,
    trusted_proxies: Vec<Network>,
    stages: watch::Receiver<Stage>,
}

impl Server {
    fn new(settings: &Settings, tls: Option<TlsConfig>, router: Router, stages: watch::Receiver<Stage>) -> Self {
        let timeouts = settings.timeouts.clone();
        Self {
            tls: tls.map(TlsAcceptor::from),
            router,
            builder: connection_builder(&timeouts),
            timeouts,
            connection_limit: Limit::new(settings.limits.connections),
            trusted_proxies: settings.trusted_proxies.clone(),
            stages,
        }
    }

    /// Serves a connection in a task of its own; drops it if its address has too many.
    fn spawn(
        self: &Arc<Self>,
        stream: Box<dyn Stream>,
        peer: Peer,
        permit: Option<OwnedSemaphorePermit>,
        connections: &mut JoinSet<()>,
    ) {
        let address = peer.address().ip().to_canonical();
        let is_proxy = self.trusted_proxies.iter().any(|network| network.contains(address));
        let client = Client::from_address((!is_proxy).then_some(address));
        let Ok(address_permit) = self.connection_limit.try_acquire(client) else { return };
        let server = Arc::clone(self);
        connections.spawn(async move {
            // hyper's header timeout starts once it knows the HTTP version, which a client may never send.
            let head_deadline = Instant::now() + server.timeouts.header_read;
            if let Some(stream) = server.accept_tls(stream, head_deadline).await {
                server.serve_connection(stream, peer, head_deadline).await;
            }
            drop((address_permit, permit));
        });
    }

    /// Completes the TLS handshake, if TLS is required. Failures are logged at debug level only, because anybody can
    /// cause them.
    async fn accept_tls(&self, stream: Box<dyn Stream>, deadline: Instant) -> Option<Box<dyn Stream>> {
        let Some(tls) = &self.tls else { return Some(stream) };
        match timeout_at(deadline, tls.accept(stream)).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
            Ok(stream) => Some(Box::new(stream)),
            Err(error) => {
                tracing::debug!(%error, "a TLS handshake failed");
                None
            }
        }
    }

    async fn serve_connection(&self, stream: Box<dyn Stream>, peer: Peer, head_deadline: Instant) {
        let has_request = AtomicBool::new(false);
        let service = service_fn(|mut request: hyper::Request<Incoming>| {
            has_request.store(true, Ordering::Relaxed);
            request.extensions_mut().insert(ConnectInfo(peer.address()));
            request.extensions_mut().insert(peer);
            // HTTP/2 has the GOAWAY frame instead.
            let has_connection_header = request.version() <= Version::HTTP_11;
            let (response, stages) = (self.router.clone().oneshot(request), self.stages.clone());
            async move {
                let mut response = response.await?;
                if has_connection_header && *stages.borrow() != Stage::Open {
                    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(response)
            }
        });
        let stream = TokioIo::new(WriteTimeoutStream::new(stream, self.timeouts.write));
        let mut connection = pin!(self.builder.serve_connection(stream, service));
        let mut stages = self.stages.clone();
        let end = Instant::now() + self.timeouts.connection_age;
        if let Ok(result) = timeout_at(head_deadline, connection.as_mut()).await {
            return log_end(result);
        }
        if !has_request.load(Ordering::Relaxed) {
            return;
        }
        tokio::select! {
            result = timeout_at(end, connection.as_mut()) => if let Ok(result) = result { return log_end(result) },
            _ = stages.wait_for(|stage| *stage == Stage::Closed) => {}
        }
        connection.as_mut().graceful_shutdown();
        // Requests in flight continue for at most the duration of the longest upload.
        let longest_request = self.timeouts.upload + self.timeouts.upload_response;
        if let Ok(result) = timeout(longest_request, connection).await {
            log_end(result);
        }
    }
}

/// Logs an error at debug level only: most connections end because the client closes them.
fn log_end<E: std::fmt::Display>(result: Result<(), E>) {
    if let Err(error) = result {
        tracing::debug!(%error, "a connection ended");
    }
}

fn connection_builder(timeouts: &Timeouts) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(timeouts.header_read).max_buf_size(MAX_BUFFER_BYTES);
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
