//! Connection pools and write queues of the store.

use sqlx::PgPool;

use super::write_queue::WriteQueues;
use crate::pools::Pools;

/// Access to the tables of the schema `trades`.
#[derive(Clone)]
pub struct Store {
    pub(super) pools: Pools,
    pub(super) write_queues: WriteQueues,
}

impl Store {
    pub fn new(pools: Pools) -> Self {
        Self { pools, write_queues: WriteQueues::default() }
    }

    /// Returns the pool for short requests.
    pub(super) fn requests(&self) -> &PgPool {
        &self.pools.requests
    }
}
