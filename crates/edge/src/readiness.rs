//! Readiness of the edge to serve requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rpc::transport::Transport;
use tokio::time::timeout;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// Tells whether the core is serving and the edge is not shutting down.
///
/// Clones share their state. One goes to [`crate::router()`], one to [`crate::serve()`].
#[derive(Clone, Debug)]
pub struct Readiness {
    core: HealthClient<Transport>,
    is_stopping: Arc<AtomicBool>,
}

impl Readiness {
    /// Checks the core by `grpc.health.v1`.
    pub fn new(core: HealthClient<Transport>) -> Self {
        Self { core, is_stopping: Arc::default() }
    }

    /// Reports "not ready" from now on.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Release);
    }

    /// Returns true if the core responds within `deadline` that it is serving.
    pub(crate) async fn check(&self, deadline: Duration) -> bool {
        if self.is_stopping.load(Ordering::Acquire) {
            return false;
        }
        let mut core = self.core.clone();
        let mut request = tonic::Request::new(HealthCheckRequest::default());
        request.set_timeout(deadline);
        match timeout(deadline, core.check(request)).await {
            Ok(Ok(response)) => response.into_inner().status() == ServingStatus::Serving,
            Ok(Err(_)) | Err(_) => false,
        }
    }
}
