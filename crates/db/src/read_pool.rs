//! A pool of connections for reads, which are used again without a round trip.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions, Postgres};
use sqlx::{Connection, PgPool};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::pool::{HEALTH_CHECK_TTL, MAX_LIFETIME, is_healthy};

/// Connections for reads: statements outside a transaction.
///
/// sqlx checks each returned connection with two round trips, because its last use may have been cancelled halfway. A
/// caller that read all results calls [`ReadConnection::release`] instead, and its connection is used again unchecked.
/// A connection that is dropped without it, as that of a cancelled read, returns to sqlx with all checks.
#[derive(Clone)]
pub struct ReadPool {
    shared: Arc<Shared>,
}

struct Shared {
    pool: PgPool,
    /// A permit per connection of the pool, so that no caller waits for sqlx while a connection is idle here.
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<IdleConnection>>,
}

struct IdleConnection {
    connection: PoolConnection<Postgres>,
    acquired_at: Instant,
    idle_since: Instant,
}

/// Connection of a [`ReadPool`].
pub struct ReadConnection {
    connection: PoolConnection<Postgres>,
    /// Time at which sqlx handed out the connection.
    acquired_at: Instant,
    shared: Arc<Shared>,
    permit: OwnedSemaphorePermit,
}

impl ReadPool {
    /// Creates a pool that connects when it is first used.
    pub fn new(options: PgPoolOptions, connect_options: PgConnectOptions) -> Self {
        let permits = Arc::new(Semaphore::new(options.get_max_connections() as usize));
        let pool = options.min_connections(0).connect_lazy_with(connect_options);
        Self { shared: Arc::new(Shared { pool, permits, idle: Mutex::new(Vec::new()) }) }
    }

    /// Waits for a connection.
    ///
    /// # Errors
    /// `PoolTimedOut` after the acquire timeout of the options; errors of connecting.
    pub async fn acquire(&self) -> sqlx::Result<ReadConnection> {
        let limit = self.shared.pool.options().get_acquire_timeout();
        timeout(limit, self.acquire_unlimited()).await.map_err(|_| sqlx::Error::PoolTimedOut)?
    }

    async fn acquire_unlimited(&self) -> sqlx::Result<ReadConnection> {
        let shared = &self.shared;
        let permit = Arc::clone(&shared.permits).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
        let idle = shared.idle().pop();
        let (connection, acquired_at) = match idle {
            Some(idle) => match idle.check().await {
                Some(usable) => usable,
                None => (shared.pool.acquire().await?, Instant::now()),
            },
            None => (shared.pool.acquire().await?, Instant::now()),
        };
        Ok(ReadConnection { connection, acquired_at, shared: Arc::clone(shared), permit })
    }

    /// Closes all connections; waits for those in use.
    pub async fn close(&self) {
        let closed = self.shared.pool.close();
        self.shared.idle().clear();
        closed.await;
    }
}

impl Shared {
    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IdleConnection {
    /// Returns the connection and the time at which sqlx handed it out, or `None` if it is too old or, after a pause, does
    /// not respond.
    async fn check(self) -> Option<(PoolConnection<Postgres>, Instant)> {
        let Self { mut connection, acquired_at, idle_since } = self;
        if acquired_at.elapsed() >= MAX_LIFETIME {
            return None;
        }
        if idle_since.elapsed() < HEALTH_CHECK_TTL || matches!(is_healthy(&mut connection).await, Ok(true)) {
            return Some((connection, acquired_at));
        }
        // Closed here, as sqlx would wait once more for a response.
        drop(connection.detach());
        None
    }
}

impl ReadConnection {
    /// Returns the connection for the next read. All results of its statements must have been read.
    pub fn release(self) {
        let Self { connection, acquired_at, shared, permit } = self;
        let mut idle = shared.idle();
        // A connection that is not kept is dropped, and so checked.
        if !connection.is_in_transaction() && !shared.pool.is_closed() {
            idle.push(IdleConnection { connection, acquired_at, idle_since: Instant::now() });
        }
        drop(idle);
        // The next caller finds the connection.
        drop(permit);
    }
}

impl Deref for ReadConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for ReadConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;
    use std::time::Duration;

    use super::*;
    use crate::pool::pool_options;

    /// Returns a pool of one connection, so that each caller gets the connection of the one before.
    fn pool_of_one(pool: &PgPool) -> ReadPool {
        ReadPool::new(pool_options(1), pool.connect_options().as_ref().clone())
    }

    async fn backend(connection: &mut PgConnection) -> i32 {
        sqlx::query_scalar("select pg_backend_pid()").fetch_one(connection).await.unwrap()
    }

    /// Reads once and releases; returns the process of the connection.
    async fn read(reads: &ReadPool) -> i32 {
        let mut connection = reads.acquire().await.unwrap();
        let process = backend(&mut connection).await;
        connection.release();
        process
    }

    #[sqlx::test(migrations = false)]
    async fn a_released_connection_is_used_again_without_a_statement_between(pool: PgPool) {
        let reads = pool_of_one(&pool);
        let process = read(&reads).await;
        let last_statement = async || {
            let time = "select query_start::text from pg_stat_activity where pid = $1";
            sqlx::query_scalar::<_, String>(time).bind(process).fetch_one(&pool).await.unwrap()
        };
        let before = last_statement().await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        let connection = reads.acquire().await.unwrap();
        connection.release();
        assert_eq!(last_statement().await, before);
        assert_eq!(read(&reads).await, process);
    }

    #[sqlx::test(migrations = false)]
    async fn a_transaction_of_a_cancelled_caller_is_never_continued(pool: PgPool) {
        let reads = pool_of_one(&pool);
        sqlx::raw_sql("create table written (n int)").execute(&pool).await.unwrap();
        for polls in 0..60 {
            let mut connection = reads.acquire().await.unwrap();
            {
                let mut begin = pin!(connection.begin());
                for _ in 0..polls {
                    if poll_fn(|cx| Poll::Ready(begin.as_mut().poll(cx).is_ready())).await {
                        break;
                    }
                    tokio::task::yield_now().await;
                }
            }
            drop(connection);
            let mut next = reads.acquire().await.unwrap();
            sqlx::query("insert into written values ($1)").bind(polls).execute(&mut *next).await.unwrap();
            next.release();
            let count: i64 = sqlx::query_scalar("select count(*) from written").fetch_one(&pool).await.unwrap();
            assert_eq!(count, i64::from(polls) + 1, "after {polls} polls");
        }
    }

    #[sqlx::test(migrations = false)]
    async fn results_of_a_cancelled_read_are_never_those_of_the_next(pool: PgPool) {
        let reads = pool_of_one(&pool);
        for polls in 0..60 {
            let mut connection = reads.acquire().await.unwrap();
            {
                let many = sqlx::query_scalar::<_, i32>("select n from generate_series(1, 2000) n");
                let mut rows = pin!(many.fetch_all(&mut *connection));
                for _ in 0..polls {
                    if poll_fn(|cx| Poll::Ready(rows.as_mut().poll(cx).is_ready())).await {
                        break;
                    }
                    tokio::task::yield_now().await;
                }
            }
            drop(connection);
            let mut next = reads.acquire().await.unwrap();
            let number: i32 = sqlx::query_scalar("select $1").bind(-polls).fetch_one(&mut *next).await.unwrap();
            next.release();
            assert_eq!(number, -polls, "after {polls} polls");
        }
    }

    #[sqlx::test(migrations = false)]
    async fn a_connection_that_ended_is_replaced(pool: PgPool) {
        let reads = pool_of_one(&pool);
        let process = read(&reads).await;
        sqlx::query("select pg_terminate_backend($1)").bind(process).execute(&pool).await.unwrap();
        tokio::time::sleep(HEALTH_CHECK_TTL).await;
        assert_ne!(read(&reads).await, process);
        reads.close().await;
        assert!(reads.acquire().await.is_err());
    }
}
