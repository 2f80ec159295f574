//! Calls to the analytics service.

use http_server::problem::Problem;
use rpc::analytics::v1::analytics_service_client::AnalyticsServiceClient;
use rpc::transport::Transport;
use tonic::{Request, Response, Status};

use crate::call;
use crate::caller::Trader;
use crate::state::Shared;

/// Client of the analytics service.
pub(crate) type Client = AnalyticsServiceClient<Transport>;

/// Calls an rpc that changes nothing, and retries it if the core is unavailable.
pub(crate) async fn call_analytics<M: Clone, R, F, C>(
    app: &Shared,
    trader: &Trader,
    message: M,
    call_rpc: F,
) -> Result<R, Problem>
where
    F: Fn(Client, Request<M>) -> C,
    C: Future<Output = Result<Response<R>, Status>>,
{
    let deadline = app.settings.core_timeouts.call;
    call::read(deadline, &app.retry_budget, || {
        call_rpc(app.clients.analytics.clone(), trader.context.request(message.clone(), deadline))
    })
    .await
}
