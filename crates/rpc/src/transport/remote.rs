//! Far: over sockets to one core or several, each call to the next one that says that it serves.

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

/// How long a core that is not there, or starts, is left in peace before it is asked again.
const ASK_AGAIN: Duration = Duration::from_millis(200);
/// How long calls begin on one connection. A core ends one after ten minutes, and a call that is on its way to it then
/// would be lost.
const RENEW: Duration = Duration::from_mins(5);

/// Calls the cores at `first` and `others`, connecting now, and again whenever a connection is lost.
///
/// Each core tells at once when it begins to serve or to stop, so that one that stops gets no more calls while it still
/// answers those under way. Where none serves, the call fails as that core has it.
pub fn remote(first: Endpoint, others: impl IntoIterator<Item = Endpoint>) -> Transport {
    let cores = Cores {
        first: Core::at(first),
        others: others.into_iter().map(Core::at).collect(),
        turn: Arc::new(AtomicUsize::new(0)),
    };
    for core in cores.all() {
        tokio::spawn(core.clone().follow());
    }
    BoxCloneSyncService::new(cores)
}

#[derive(Clone)]
struct Cores {
    first: Core,
    others: Arc<[Core]>,
    turn: Arc<AtomicUsize>,
}

#[derive(Clone)]
struct Core {
    endpoint: Endpoint,
    way: Arc<RwLock<Way>>,
}

struct Way {
    channel: Channel,
    serves: bool,
}

impl Cores {
    fn all(&self) -> impl Iterator<Item = &Core> + Clone {
        once(&self.first).chain(self.others.iter())
    }

    /// The core whose turn it is, or the next one that serves.
    fn next(&self) -> &Core {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % (1 + self.others.len());
        let mut from_turn = self.all().cycle().skip(turn).take(1 + self.others.len());
        let whose_turn = from_turn.clone().next();
        from_turn.find(|core| core.serves()).or(whose_turn).unwrap_or(&self.first)
    }
}

impl Core {
    fn at(endpoint: Endpoint) -> Self {
        let way = Way { channel: endpoint.connect_lazy(), serves: false };
        Self { endpoint, way: Arc::new(RwLock::new(way)) }
    }

    fn serves(&self) -> bool {
        self.way.read().unwrap_or_else(PoisonError::into_inner).serves
    }

    fn channel(&self) -> Channel {
        self.way.read().unwrap_or_else(PoisonError::into_inner).channel.clone()
    }

    /// Knows from now on whether the core serves.
    async fn follow(self) {
        loop {
            if timeout(RENEW, self.listen()).await.is_ok() {
                self.way.write().unwrap_or_else(PoisonError::into_inner).serves = false;
                sleep(ASK_AGAIN).await;
            }
        }
    }

    /// Calls go by a new connection from when the core says there that it serves; ends when it says otherwise, or
    /// nothing more. A core that stops waits for all who listen to it, so that nobody listens on.
    async fn listen(&self) {
        let channel = self.endpoint.connect_lazy();
        let Ok(answer) = HealthClient::new(channel.clone()).watch(HealthCheckRequest::default()).await else { return };
        let mut news = answer.into_inner();
        while let Ok(Some(said)) = news.message().await
            && said.status() == ServingStatus::Serving
        {
            let way = Way { channel: channel.clone(), serves: true };
            *self.way.write().unwrap_or_else(PoisonError::into_inner) = way;
        }
    }
}

impl Service<Request<Body>> for Cores {
    type Response = Response<Body>;
    type Error = Error;
    type Future = Oneshot<Channel, Request<Body>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        // Which core has to be ready is known once the call is there.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Request<Body>) -> Self::Future {
        self.next().channel().oneshot(call)
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

    /// Should it never come.
    const PATIENCE: Duration = Duration::from_mins(1);

    /// A core that tells of itself alone, under its name.
    async fn core(name: &str) -> (Endpoint, HealthReporter) {
        let (health, service) = tonic_health::server::health_reporter();
        health.set_service_status(name, ServingStatus::Serving).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = Endpoint::from_shared(format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let serving = Server::builder().add_service(service).serve_with_incoming(TcpIncoming::from(listener));
        tokio::spawn(async move { serving.await.unwrap() });
        (endpoint, health)
    }

    async fn answers(transport: &Transport, name: &str) -> bool {
        let question = HealthCheckRequest { service: name.to_owned() };
        HealthClient::new(transport.clone()).check(question).await.is_ok()
    }

    /// Calls until five in a row are answered by the core of that name.
    async fn goes_to(transport: &Transport, name: &str) {
        let five = async {
            let mut in_a_row = 0;
            while in_a_row < 5 {
                in_a_row = if answers(transport, name).await { in_a_row + 1 } else { 0 };
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, five).await.unwrap();
    }

    #[tokio::test]
    async fn calls_go_to_those_that_serve() {
        let (here, here_says) = core("here").await;
        let (there, there_says) = core("there").await;
        let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let gone = Endpoint::from_shared(format!("http://{gone}")).unwrap();
        here_says.set_service_status("", ServingStatus::NotServing).await;
        let transport = remote(gone, [here, there]);
        goes_to(&transport, "there").await;
        here_says.set_service_status("", ServingStatus::Serving).await;
        there_says.set_service_status("", ServingStatus::NotServing).await;
        goes_to(&transport, "here").await;
        there_says.set_service_status("", ServingStatus::Serving).await;
        // In turn, now that both serve.
        let in_turn = async {
            while !answers(&transport, "there").await || !answers(&transport, "here").await {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, in_turn).await.unwrap();
    }
}
