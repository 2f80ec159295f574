//! `/livez` and `/readyz`: health checks for load balancers and monitoring.

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use http::StatusCode;
use http_server::problem::Problem;

use crate::error_texts::problem;
use crate::state::Shared;

pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/livez", get(check_liveness)).route("/readyz", get(check_readiness))
}

async fn check_liveness() -> &'static str {
    "ok"
}

async fn check_readiness(State(app): State<Shared>) -> Result<&'static str, Problem> {
    if app.verifier.is_current() && app.readiness.check(app.settings.core_timeouts.health_check).await {
        Ok("ready")
    } else {
        Err(problem(StatusCode::SERVICE_UNAVAILABLE, "edge", "not_ready"))
    }
}
