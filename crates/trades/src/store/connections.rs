//! Connection pools and write queues of the store.

use std::time::Duration;

use queue::{JobQueue, KeyedQueue, RunPermit};
use sqlx::PgPool;
use uuid::Uuid;

use crate::error::Error;
use crate::pools::Pools;

/// Writes of one account that may wait.
const MAX_WAITING_WRITES: usize = 64;
/// Comparisons of previews that run at the same time. Comparing a large file takes seconds and a processor; the pool of
/// imports has a connection for it.
const MAX_CONCURRENT_COMPARISONS: usize = 1;
/// Comparisons that wait.
const MAX_WAITING_COMPARISONS: usize = 8;
/// Comparisons of one account that wait behind the one that runs.
const MAX_WAITING_COMPARISONS_PER_ACCOUNT: usize = 1;
/// Time that a comparison waits in all.
const COMPARISON_WAIT_TIMEOUT: Duration = Duration::from_secs(4);

/// Access to the tables of the schema `trades`.
#[derive(Clone)]
pub struct Store {
    pub(super) pools: Pools,
    /// Serializes the writes of each account before they take a connection.
    ///
    /// However many writes of one account wait, they hold at most one connection, so other accounts are not blocked.
    /// Across several core processes the lock on the account's row serializes the writes.
    pub(super) write_queues: KeyedQueue<Uuid>,
    comparisons: JobQueue,
    account_comparisons: KeyedQueue<Uuid>,
}

impl Store {
    pub fn new(pools: Pools) -> Self {
        Self {
            pools,
            write_queues: KeyedQueue::new(1, MAX_WAITING_WRITES),
            comparisons: JobQueue::new(MAX_CONCURRENT_COMPARISONS, MAX_WAITING_COMPARISONS),
            account_comparisons: KeyedQueue::new(1, MAX_WAITING_COMPARISONS_PER_ACCOUNT),
        }
    }

    /// Waits for the permits to compare a preview of the account.
    ///
    /// # Errors
    /// [`Error::Busy`] if the account or all accounts compare too many previews.
    pub(super) async fn acquire_comparison(&self, account_id: Uuid) -> Result<[RunPermit; 2], Error> {
        let permits = async {
            let account_permit = self.account_comparisons.acquire(account_id, COMPARISON_WAIT_TIMEOUT).await?;
            Ok([account_permit, self.comparisons.acquire(COMPARISON_WAIT_TIMEOUT).await?])
        };
        let busy = || Error::Busy(sqlx::Error::PoolTimedOut);
        let permits = tokio::time::timeout(COMPARISON_WAIT_TIMEOUT, permits).await.map_err(|_| busy())?;
        permits.map_err(|queue::Busy| busy())
    }

    /// Returns the pool for short requests.
    pub(super) fn requests(&self) -> &PgPool {
        &self.pools.requests
    }
}
