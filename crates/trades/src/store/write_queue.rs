//! Queues that serialize the writes of an account before they take a connection.
//!
//! However many writes of one account wait, they hold at most one connection, so other accounts are not blocked. Across
//! several core processes the lock on the account's row serializes the writes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use uuid::Uuid;

/// Number of queues at which unused ones are removed.
const PRUNE_THRESHOLD: usize = 1_024;

/// Write queue of each account.
#[derive(Clone, Default)]
pub(super) struct WriteQueues(Arc<Mutex<HashMap<Uuid, Weak<AsyncMutex<()>>>>>);

/// Permit to write to an account, until it is dropped.
pub(super) type WritePermit = OwnedMutexGuard<()>;

impl WriteQueues {
    /// Waits for the permit to write to the account; returns `None` after `timeout`.
    pub async fn acquire(&self, account_id: Uuid, timeout: Duration) -> Option<WritePermit> {
        tokio::time::timeout(timeout, self.queue(account_id).lock_owned()).await.ok()
    }

    fn queue(&self, account_id: Uuid) -> Arc<AsyncMutex<()>> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if queues.len() >= PRUNE_THRESHOLD {
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
    async fn grants_one_permit_per_account_and_removes_unused_queues() {
        let queues = WriteQueues::default();
        let (asha, timeout) = (Uuid::from_u128(1), Duration::from_millis(10));
        let permit = queues.acquire(asha, timeout).await;
        assert!(permit.is_some() && queues.acquire(asha, timeout).await.is_none());
        for other in 2..3 * PRUNE_THRESHOLD as u128 {
            assert!(queues.acquire(Uuid::from_u128(other), timeout).await.is_some());
        }
        assert!(queues.acquire(asha, timeout).await.is_none());
        assert!(queues.0.lock().unwrap().len() <= PRUNE_THRESHOLD);
        drop(permit);
        assert!(queues.acquire(asha, timeout).await.is_some());
    }
}
