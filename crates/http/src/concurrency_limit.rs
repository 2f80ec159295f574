//! Concurrency limit for requests that call other services.
//!
//! A request waits for its permit before it does any work. Without the limit, all requests would wait for the few
//! connections of the database at each of their calls, and the work done for requests that then time out would be lost.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::problem::Problem;

/// Maximum time a request waits for its permit. Together with a call's timeout it is shorter than the response timeout.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(1);

tokio::task_local! {
    static PERMIT: Arc<RequestPermit>;
}

/// Permit of a request, held from its first call to its response.
struct RequestPermit {
    semaphore: Arc<Semaphore>,
    permit: OnceCell<OwnedSemaphorePermit>,
}

/// Runs `request`, which takes a permit of `semaphore` at its first [`acquire_permit`].
pub async fn run_limited<T>(semaphore: &Arc<Semaphore>, request: impl Future<Output = T>) -> T {
    let permit = RequestPermit { semaphore: Arc::clone(semaphore), permit: OnceCell::new() };
    PERMIT.scope(Arc::new(permit), request).await
}

/// Waits for the permit of the current request, unless it has one already.
///
/// Returns immediately outside of [`run_limited`].
///
/// # Errors
/// 503 (`busy`) after one second without a permit.
pub async fn acquire_permit() -> Result<(), Problem> {
    let Ok(request) = PERMIT.try_with(Arc::clone) else { return Ok(()) };
    let wait = async {
        let permit = timeout(PERMIT_TIMEOUT, Arc::clone(&request.semaphore).acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or_else(Problem::busy)
    };
    request.permit.get_or_try_init(|| wait).await.map(drop)
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_request_takes_one_permit_for_all_its_calls() {
        let semaphore = Arc::new(Semaphore::new(1));
        run_limited(&semaphore, async {
            acquire_permit().await.unwrap();
            acquire_permit().await.unwrap();
            assert_eq!(semaphore.available_permits(), 0);
        })
        .await;
        assert_eq!(semaphore.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_waits_too_long_is_rejected() {
        let semaphore = Arc::new(Semaphore::new(1));
        let long = run_limited(&semaphore, async {
            acquire_permit().await.unwrap();
            sleep(Duration::from_millis(1_500)).await;
        });
        let next = async |after| {
            sleep(Duration::from_millis(after)).await;
            run_limited(&semaphore, acquire_permit()).await
        };
        let (_, early, late) = tokio::join!(long, next(1), next(600));
        assert_eq!(early.unwrap_err().status(), http::StatusCode::SERVICE_UNAVAILABLE);
        assert!(late.is_ok());
    }
}
