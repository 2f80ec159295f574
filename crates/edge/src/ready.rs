//! Whether the server runs, and whether it can answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::State;
use http::StatusCode;
use rpc::transport::Transport;
use tokio::time::timeout;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::Shared;
use crate::problem::Problem;

/// Knows whether the core says that it serves, and nobody has told us to stop.
///
/// Clones share what they know. One goes to [`crate::router`], one to [`crate::serve`].
#[derive(Clone, Debug)]
pub struct Ready {
    core: HealthClient<Transport>,
    stopping: Arc<AtomicBool>,
}

impl Ready {
    /// Asks the core by `grpc.health.v1`, near or far.
    pub fn new(core: HealthClient<Transport>) -> Self {
        Self { core, stopping: Arc::default() }
    }

    /// Says "not ready" from now on.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
    }

    async fn check(&self, deadline: Duration) -> bool {
        if self.stopping.load(Ordering::Acquire) {
            return false;
        }
        let mut core = self.core.clone();
        let mut request = tonic::Request::new(HealthCheckRequest::default());
        request.set_timeout(deadline);
        match timeout(deadline, core.check(request)).await {
            Ok(Ok(answer)) => answer.into_inner().status() == ServingStatus::Serving,
            Ok(Err(_)) | Err(_) => false,
        }
    }
}

/// `GET /livez`
pub(crate) async fn live() -> &'static str {
    "ok"
}

/// `GET /readyz`
pub(crate) async fn ready(State(app): State<Shared>) -> Result<&'static str, Problem> {
    if app.verifier.is_current() && app.ready.check(app.settings.times.health).await {
        Ok("ready")
    } else {
        let problem = Problem::of_status(StatusCode::SERVICE_UNAVAILABLE);
        Err(problem.saying("not_ready", "The server is starting, stopping, or cannot reach its database."))
    }
}
