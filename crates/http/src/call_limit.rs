//! Limit of requests that call other services.
//!
//! A request waits for its permit before it does any work. Without the limit, all requests would wait for the few
//! connections of the database at each of their calls, and the work done for requests that then time out would be lost.

use std::sync::Arc;
use std::time::Duration;

use queue::{JobQueue, KeyedQueue, RunPermit};
use tokio::sync::OnceCell;
use tokio::time::timeout;
use uuid::Uuid;

use crate::problem::Problem;
use crate::settings::Shares;

/// Maximum time a request waits for its permits, its account's and that of all. Together with a call's timeout it is
/// shorter than the response timeout.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Limits the requests that call other services, in total and per account. Others wait.
#[derive(Clone, Debug)]
pub struct CallLimit {
    all: JobQueue,
    accounts: KeyedQueue<Uuid>,
}

impl CallLimit {
    /// Creates the limit with full capacity.
    pub fn new(shares: Shares) -> Self {
        // How many may wait is limited by the requests in flight.
        Self { all: JobQueue::new(shares.total, usize::MAX), accounts: KeyedQueue::new(shares.per_account, usize::MAX) }
    }
}

tokio::task_local! {
    static CALL_PERMIT: Arc<CallPermit>;
}

/// Permits of a request, held from its first call to its response.
struct CallPermit {
    limit: CallLimit,
    account_id: Option<Uuid>,
    permits: OnceCell<(Option<RunPermit>, RunPermit)>,
}

/// Runs `request`, which takes a permit of `limit` at its first [`acquire_permit`].
pub async fn run_limited<T>(limit: &CallLimit, account_id: Option<Uuid>, request: impl Future<Output = T>) -> T {
    let permit = CallPermit { limit: limit.clone(), account_id, permits: OnceCell::new() };
    CALL_PERMIT.scope(Arc::new(permit), request).await
}

/// Waits for the permit of the current request, unless it has one already.
///
/// Returns immediately outside of [`run_limited`].
///
/// # Errors
/// 503 (`busy`) after one second without a permit.
pub async fn acquire_permit() -> Result<(), Problem> {
    let Ok(request) = CALL_PERMIT.try_with(Arc::clone) else { return Ok(()) };
    let wait = async {
        // The account's first, so that the waiting requests of an account hold nothing that others need.
        let account_permit = match request.account_id {
            Some(account_id) => Some(request.limit.accounts.acquire(account_id, PERMIT_TIMEOUT).await?),
            None => None,
        };
        Ok::<_, Problem>((account_permit, request.limit.all.acquire(PERMIT_TIMEOUT).await?))
    };
    let wait = async { timeout(PERMIT_TIMEOUT, wait).await.unwrap_or_else(|_| Err(Problem::busy())) };
    request.permits.get_or_try_init(|| wait).await.map(drop)
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;
    use tokio::time::{Instant, sleep};

    use super::*;

    fn limit(total: usize, per_account: usize) -> CallLimit {
        CallLimit::new(Shares { total, per_address: 0, per_account })
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_takes_one_permit_for_all_its_calls() {
        let limit = limit(1, 1);
        run_limited(&limit, None, async {
            acquire_permit().await.unwrap();
            acquire_permit().await.unwrap();
            assert!(run_limited(&limit, None, acquire_permit()).await.is_err());
        })
        .await;
        assert!(run_limited(&limit, None, acquire_permit()).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_waits_too_long_is_rejected() {
        let limit = limit(1, 1);
        let long = run_limited(&limit, None, async {
            acquire_permit().await.unwrap();
            sleep(Duration::from_millis(1_500)).await;
        });
        let next = async |after| {
            sleep(Duration::from_millis(after)).await;
            run_limited(&limit, None, acquire_permit()).await
        };
        let (_, early, late) = tokio::join!(long, next(1), next(600));
        assert_eq!(early.unwrap_err().status(), http::StatusCode::SERVICE_UNAVAILABLE);
        assert!(late.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn s2_calls_of_one_account_leave_permits_for_others() {
        let limit = limit(3, 2);
        let call = async |account_id| {
            run_limited(&limit, Some(Uuid::from_u128(account_id)), async {
                acquire_permit().await?;
                sleep(Duration::from_secs(5)).await;
                Ok::<_, Problem>(())
            })
            .await
        };
        let other = async {
            sleep(Duration::from_millis(100)).await;
            call(2).await
        };
        let (many, other) = tokio::join!(join_all((0..40).map(|_| call(1))), other);
        assert_eq!(many.iter().filter(|result| result.is_ok()).count(), 2);
        assert!(other.is_ok(), "one account took every permit");
    }

    #[tokio::test(start_paused = true)]
    async fn s10_waits_for_both_permits_do_not_add_up() {
        let limit = limit(1, 1);
        let hold = |account_id, seconds_in_tenths: u64| {
            let limit = limit.clone();
            async move {
                run_limited(&limit, Some(Uuid::from_u128(account_id)), async {
                    acquire_permit().await?;
                    sleep(Duration::from_millis(100 * seconds_in_tenths)).await;
                    Ok::<_, Problem>(())
                })
                .await
            }
        };
        let started = Instant::now();
        let late = async {
            sleep(Duration::from_millis(10)).await;
            let result = hold(1, 0).await;
            (result.is_err(), started.elapsed())
        };
        let (_, _, (is_rejected, waited)) = tokio::join!(hold(1, 9), hold(2, 50), late);
        assert!(is_rejected && waited <= Duration::from_millis(1_020), "{waited:?}");
    }
}
