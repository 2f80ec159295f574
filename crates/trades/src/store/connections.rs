//! Connection pools and write queues of the store.

use queue::KeyedQueue;
use sqlx::PgPool;
use uuid::Uuid;

use crate::pools::Pools;

/// Writes of one account that may wait.
const MAX_WAITING_WRITES: usize = 64;

/// Access to the tables of the schema `trades`.
#[derive(Clone)]
pub struct Store {
    pub(super) pools: Pools,
    /// Serializes the writes of each account before they take a connection.
    ///
    /// However many writes of one account wait, they hold at most one connection, so other accounts are not blocked.
    /// Across several core processes the lock on the account's row serializes the writes.
    pub(super) write_queues: KeyedQueue<Uuid>,
}

impl Store {
    pub fn new(pools: Pools) -> Self {
        Self { pools, write_queues: KeyedQueue::new(1, MAX_WAITING_WRITES) }
    }

    /// Returns the pool for short requests.
    pub(super) fn requests(&self) -> &PgPool {
        &self.pools.requests
    }
}
