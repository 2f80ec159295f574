//! Writes of one account wait for each other here, before they take a connection: however many there are, they hold
//! one, and nobody else's wait for them. Between several cores the account's row keeps the order.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Mutex as TurnLock, OwnedMutexGuard};
use uuid::Uuid;

/// Queues after which those in which nobody waits are forgotten.
const MANY: usize = 1_024;

/// The queue of each account.
#[derive(Clone, Default)]
pub(super) struct Queues(Arc<Mutex<HashMap<Uuid, Weak<TurnLock<()>>>>>);

/// The right to write, until this is dropped.
pub(super) type Turn = OwnedMutexGuard<()>;

impl Queues {
    /// Waits for the turn of a write; none when that takes longer than `longest`.
    pub async fn turn(&self, account_id: Uuid, longest: Duration) -> Option<Turn> {
        tokio::time::timeout(longest, self.of(account_id).lock_owned()).await.ok()
    }

    fn of(&self, account_id: Uuid) -> Arc<TurnLock<()>> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if queues.len() >= MANY {
            queues.retain(|_, queue| queue.strong_count() > 0);
        }
        let queue = queues.get(&account_id).and_then(Weak::upgrade).unwrap_or_default();
        queues.insert(account_id, Arc::downgrade(&queue));
        queue
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_goes_at_a_time_and_nothing_is_kept_of_those_who_are_done() {
        let queues = Queues::default();
        let (asha, soon) = (Uuid::from_u128(1), Duration::from_millis(10));
        let turn = queues.turn(asha, soon).await;
        assert!(turn.is_some() && queues.turn(asha, soon).await.is_none());
        for other in 2..3 * MANY as u128 {
            assert!(queues.turn(Uuid::from_u128(other), soon).await.is_some());
        }
        assert!(queues.turn(asha, soon).await.is_none());
        assert!(queues.0.lock().unwrap().len() <= MANY);
        drop(turn);
        assert!(queues.turn(asha, soon).await.is_some());
    }
}
