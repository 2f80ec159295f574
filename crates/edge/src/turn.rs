//! So many requests use the core at a time. The others wait until one is done, before anything was done for them.
//!
//! Otherwise all would wait for the few connections of the database, and again for each further call that they make;
//! and what was done for those who then give up is lost, so that a server with too much to do would do but little of it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::problem::Problem;

/// How long a request waits for its turn. With the core's answer it is shorter than the edge's.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

tokio::task_local! {
    static TURN: Arc<Turn>;
}

/// The turn of a request, from its first call to its answer.
struct Turn {
    room: Arc<Semaphore>,
    taken: OnceCell<OwnedSemaphorePermit>,
}

/// Answers a request, which takes its turn in `room` when it first calls the core.
pub(crate) async fn by_turns<T>(room: &Arc<Semaphore>, answer: impl Future<Output = T>) -> T {
    let turn = Turn { room: Arc::clone(room), taken: OnceCell::new() };
    TURN.scope(Arc::new(turn), answer).await
}

/// Waits for the turn of this request, unless it has come before. Whoever waits too long is refused.
pub(crate) async fn come() -> Result<(), Problem> {
    // What calls the core outside of a request has none.
    let Ok(turn) = TURN.try_with(Arc::clone) else { return Ok(()) };
    let wait = async {
        let permit = timeout(LONGEST_WAIT, Arc::clone(&turn.room).acquire_owned()).await;
        permit.ok().and_then(Result::ok).ok_or_else(Problem::busy)
    };
    turn.taken.get_or_try_init(|| wait).await.map(drop)
}

#[cfg(test)]
mod tests {
    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_request_has_one_turn_for_all_its_calls() {
        let room = Arc::new(Semaphore::new(1));
        by_turns(&room, async {
            come().await.unwrap();
            come().await.unwrap();
            assert_eq!(room.available_permits(), 0);
        })
        .await;
        assert_eq!(room.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_too_long_is_refused() {
        let room = Arc::new(Semaphore::new(1));
        let long = by_turns(&room, async {
            come().await.unwrap();
            sleep(Duration::from_millis(1_500)).await;
        });
        let next = async |after| {
            sleep(Duration::from_millis(after)).await;
            by_turns(&room, come()).await
        };
        let (_, early, late) = tokio::join!(long, next(1), next(600));
        assert_eq!(early.unwrap_err().status(), http::StatusCode::SERVICE_UNAVAILABLE);
        assert!(late.is_ok());
    }
}
