//! Taking connections. The accept loop is our own because the framework's has no deadline for heads and no bound on
//! connections.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tower::ServiceExt;

use crate::ready::Ready;
use crate::settings::{Network, Settings, Times};
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
        let crowd = Crowd {
            limit: settings.limits.connections_per_address,
            exempt: settings.trusted_proxies.clone(),
            counts: Mutex::default(),
        };
        let times = settings.times.clone();
        Self { router, builder: builder(&times), times, crowd: Arc::new(crowd), stopping }
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

/// How many connections each address has.
struct Crowd {
    limit: usize,
    exempt: Vec<Network>,
    counts: Mutex<HashMap<IpAddr, usize>>,
}

impl Crowd {
    /// A place for one more, unless there are enough.
    fn enter(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        if address.is_loopback() || self.exempt.iter().any(|network| network.contains(address)) {
            return Some(Place { crowd: None, key: address });
        }
        let key = key(address);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key).or_default();
        if *count >= self.limit {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(Place { crowd: Some(Arc::clone(self)), key })
    }
}

/// Who has one IPv6 address has 2⁶⁴ of them.
fn key(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
    }
}

/// One connection of an address. Dropping it leaves.
struct Place {
    crowd: Option<Arc<Crowd>>,
    key: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(crowd) = &self.crowd else { return };
        let mut counts = crowd.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.key) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_connections_and_no_more() {
        let crowd = Arc::new(Crowd { limit: 2, exempt: vec!["10.0.0.0/8".parse().unwrap()], counts: Mutex::default() });
        let enter = |address: &str| crowd.enter(address.parse().unwrap());
        let first = enter("203.0.113.9");
        let _second = enter("203.0.113.9");
        assert!(first.is_some() && enter("203.0.113.9").is_none());
        assert!(enter("203.0.113.10").is_some());
        drop(first);
        assert!(enter("203.0.113.9").is_some());
        let _six = [enter("2001:db8::1"), enter("2001:db8::2")];
        assert!(enter("2001:db8::3").is_none() && enter("2001:db8:0:1::3").is_some());
        let all: Vec<_> = (0..9).flat_map(|_| [enter("127.0.0.1"), enter("10.1.1.1")]).collect();
        assert!(all.iter().all(Option::is_some));
    }

    #[test]
    fn who_left_is_forgotten() {
        let crowd = Arc::new(Crowd { limit: 2, exempt: Vec::new(), counts: Mutex::default() });
        drop(crowd.enter("203.0.113.9".parse().unwrap()));
        assert!(crowd.counts.lock().unwrap().is_empty());
    }
}
