//! Remote transport: calls one or several cores over the network, balanced over those that are healthy.

use std::iter::once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response};
use tokio::time::{sleep, timeout};
use tonic::body::Body;
use tonic::transport::{Channel, Endpoint, Error};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tower::util::{BoxCloneSyncService, Oneshot};
use tower::{Service, ServiceExt as _};

use super::Transport;

/// Delay before reconnecting to a core that is unreachable or not healthy.
const RECONNECT_DELAY: Duration = Duration::from_millis(200);
/// Interval at which connections are renewed. A core closes a connection after ten minutes, and a call sent at that
/// moment would be lost.
const CONNECTION_RENEWAL_INTERVAL: Duration = Duration::from_mins(5);

/// Calls the cores at `first` and `others`, connecting immediately and again whenever a connection is lost.
///
/// Every core streams its health. A core that shuts down therefore receives no new calls while it completes the running
/// ones. If no core is healthy, the call goes to one of them and returns its error.
pub fn remote(first: Endpoint, others: impl IntoIterator<Item = Endpoint>) -> Transport {
    let cores = Cores {
        first: Core::new(first),
        others: others.into_iter().map(Core::new).collect(),
        next_index: Arc::new(AtomicUsize::new(0)),
    };
    for core in cores.iter() {
        tokio::spawn(core.clone().watch_health());
    }
    BoxCloneSyncService::new(cores)
}

/// Round-robin load balancer over healthy cores.
#[derive(Clone)]
struct Cores {
    first: Core,
    others: Arc<[Core]>,
    next_index: Arc<AtomicUsize>,
}

#[derive(Clone)]
struct Core {
    endpoint: Endpoint,
    connection: Arc<RwLock<Connection>>,
}

struct Connection {
    channel: Channel,
    is_healthy: bool,
}

impl Cores {
    fn iter(&self) -> impl Iterator<Item = &Core> + Clone {
        once(&self.first).chain(self.others.iter())
    }

    /// Selects the next healthy core in round-robin order; the next core if none is healthy.
    fn select(&self) -> &Core {
        let count = 1 + self.others.len();
        let index = self.next_index.fetch_add(1, Ordering::Relaxed) % count;
        let mut candidates = self.iter().cycle().skip(index).take(count);
        let next = candidates.clone().next();
        candidates.find(|core| core.is_healthy()).or(next).unwrap_or(&self.first)
    }
}

impl Core {
    fn new(endpoint: Endpoint) -> Self {
        let connection = Connection { channel: endpoint.connect_lazy(), is_healthy: false };
        Self { endpoint, connection: Arc::new(RwLock::new(connection)) }
    }

    fn is_healthy(&self) -> bool {
        self.connection.read().unwrap_or_else(PoisonError::into_inner).is_healthy
    }

    fn channel(&self) -> Channel {
        self.connection.read().unwrap_or_else(PoisonError::into_inner).channel.clone()
    }

    /// Keeps the connection and its health up to date until the task is cancelled.
    async fn watch_health(self) {
        loop {
            if timeout(CONNECTION_RENEWAL_INTERVAL, self.watch_new_connection()).await.is_ok() {
                self.connection.write().unwrap_or_else(PoisonError::into_inner).is_healthy = false;
                sleep(RECONNECT_DELAY).await;
            }
        }
    }

    /// Opens a connection and uses it for calls as soon as the core reports that it is healthy. Returns when the core is
    /// no longer healthy or the connection is lost.
    ///
    /// Returning drops the stream. A core that shuts down waits for its streams to end.
    async fn watch_new_connection(&self) {
        let channel = self.endpoint.connect_lazy();
        let request = HealthCheckRequest::default();
        let Ok(response) = HealthClient::new(channel.clone()).watch(request).await else { return };
        let mut updates = response.into_inner();
        while let Ok(Some(update)) = updates.message().await
            && update.status() == ServingStatus::Serving
        {
            let connection = Connection { channel: channel.clone(), is_healthy: true };
            *self.connection.write().unwrap_or_else(PoisonError::into_inner) = connection;
        }
    }
}

impl Service<Request<Body>> for Cores {
    type Response = Response<Body>;
    type Error = Error;
    type Future = Oneshot<Channel, Request<Body>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        // The core is selected in `call`, which also waits until its channel is ready.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Request<Body>) -> Self::Future {
        self.select().channel().oneshot(call)
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tonic::transport::Server;
    use tonic::transport::server::TcpIncoming;
    use tonic_health::ServingStatus;
    use tonic_health::server::HealthReporter;

    use super::*;

    const TEST_TIMEOUT: Duration = Duration::from_mins(1);

    /// Starts a core that reports the health of one service, which has the name of the core.
    async fn start_core(name: &str) -> (Endpoint, HealthReporter) {
        let (health, service) = tonic_health::server::health_reporter();
        health.set_service_status(name, ServingStatus::Serving).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = Endpoint::from_shared(format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let server = Server::builder().add_service(service).serve_with_incoming(TcpIncoming::from(listener));
        tokio::spawn(async move { server.await.unwrap() });
        (endpoint, health)
    }

    /// Sends a call; returns true if the core of that name handled it.
    async fn is_handled_by(transport: &Transport, name: &str) -> bool {
        let request = HealthCheckRequest { service: name.to_owned() };
        HealthClient::new(transport.clone()).check(request).await.is_ok()
    }

    /// Waits until the core of that name handles five calls in a row.
    async fn wait_until_handled_by(transport: &Transport, name: &str) {
        let five_in_a_row = async {
            let mut count = 0;
            while count < 5 {
                count = if is_handled_by(transport, name).await { count + 1 } else { 0 };
                tokio::task::yield_now().await;
            }
        };
        timeout(TEST_TIMEOUT, five_in_a_row).await.unwrap();
    }

    #[tokio::test]
    async fn balances_calls_over_healthy_cores() {
        let (first, first_health) = start_core("first").await;
        let (second, second_health) = start_core("second").await;
        let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let unreachable = Endpoint::from_shared(format!("http://{closed}")).unwrap();
        first_health.set_service_status("", ServingStatus::NotServing).await;
        let transport = remote(unreachable, [first, second]);
        wait_until_handled_by(&transport, "second").await;
        first_health.set_service_status("", ServingStatus::Serving).await;
        second_health.set_service_status("", ServingStatus::NotServing).await;
        wait_until_handled_by(&transport, "first").await;
        second_health.set_service_status("", ServingStatus::Serving).await;
        // Round robin, once both are healthy.
        let alternating = async {
            while !is_handled_by(&transport, "second").await || !is_handled_by(&transport, "first").await {
                tokio::task::yield_now().await;
            }
        };
        timeout(TEST_TIMEOUT, alternating).await.unwrap();
    }
}
