//! Connection pools.

use sqlx::PgPool;

/// Connection pools. Imports keep a connection while a file is parsed, so they have their own pool and never block
/// other requests.
#[derive(Clone)]
pub struct Pools {
    /// Pool for short requests.
    pub requests: PgPool,
    /// Pool for imports.
    pub imports: PgPool,
}
