//! Every SQL statement on the schema `careers`.

pub(crate) mod access_log;
mod deletion;
mod email_correction;
mod idempotency;
pub(crate) mod outbox;
pub(crate) mod queries;
mod recipients;
mod retention;
pub(crate) mod step_history;
pub(crate) mod submission;
pub(crate) mod updates;

use sqlx::PgPool;

/// Tables of careers.
#[derive(Clone)]
pub(crate) struct Store {
    pool: PgPool,
}

impl Store {
    pub(crate) fn new(pool: PgPool) -> Self {
        Self { pool }
    }
}
