//! Connection pools.

use db::ReadPool;
use sqlx::PgPool;

/// Connection pools. Imports keep a connection while a file is parsed, so they have their own pool and never block
/// other requests.
#[derive(Clone)]
pub struct Pools {
    /// Pool for short requests.
    pub requests: PgPool,
    /// Pool for pages of the log and its version.
    pub reads: ReadPool,
    /// Pool for imports.
    pub imports: PgPool,
}
