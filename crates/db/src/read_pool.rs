//! Pool of connections for reads, which are used again without a check.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::pool::{ACQUIRE_TIMEOUT, HEALTH_CHECK_TTL, IDLE_TIMEOUT, MAX_LIFETIME, is_healthy};

/// Interval at which connections are closed that were not used for a while.
const CLOSE_UNUSED_INTERVAL: Duration = Duration::from_mins(1);

/// Pool of connections for reads: statements outside a transaction.
///
/// sqlx's pool checks each returned connection with two round trips, because its last use may have been cancelled
/// halfway. Here a reader that has read all results calls [`ReadConnection::release`], and its connection is used again
/// without a check. The connection of any other reader, as after an error or a cancelled request, is closed, so that
/// Postgres also cancels its query.
#[derive(Clone)]
pub struct ReadPool {
    shared: Arc<Shared>,
}

struct Shared {
    options: PgConnectOptions,
    /// A permit for each connection that is in use.
    permits: Arc<Semaphore>,
    /// Connections that are not in use; the last one was used last.
    unused: Mutex<Vec<UnusedConnection>>,
}

struct UnusedConnection {
    connection: PgConnection,
    opened_at: Instant,
    released_at: Instant,
}

/// Connection of a [`ReadPool`].
pub struct ReadConnection {
    connection: PgConnection,
    opened_at: Instant,
    shared: Arc<Shared>,
    permit: OwnedSemaphorePermit,
}

impl ReadPool {
    /// Creates a pool with at most `max_connections`, which are opened when they are needed. Must be called in a tokio
    /// runtime.
    pub fn new(options: PgConnectOptions, max_connections: usize) -> Self {
        let permits = Arc::new(Semaphore::new(max_connections));
        let shared = Arc::new(Shared { options, permits, unused: Mutex::new(Vec::new()) });
        let pool = Arc::downgrade(&shared);
        tokio::spawn(async move {
            let mut ticks = interval(CLOSE_UNUSED_INTERVAL);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let Some(shared) = pool.upgrade() else { return };
                shared.unused().retain(|unused| unused.released_at.elapsed() < IDLE_TIMEOUT);
            }
        });
        Self { shared }
    }

    /// Waits for a connection.
    ///
    /// # Errors
    /// `PoolTimedOut` if none is available in time; errors of connecting.
    pub async fn acquire(&self) -> sqlx::Result<ReadConnection> {
        timeout(ACQUIRE_TIMEOUT, self.acquire_without_timeout()).await.map_err(|_| sqlx::Error::PoolTimedOut)?
    }

    async fn acquire_without_timeout(&self) -> sqlx::Result<ReadConnection> {
        let shared = Arc::clone(&self.shared);
        let permit = Arc::clone(&shared.permits).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
        let unused = shared.unused().pop();
        if let Some(UnusedConnection { mut connection, opened_at, released_at }) = unused
            && opened_at.elapsed() < MAX_LIFETIME
            && (released_at.elapsed() < HEALTH_CHECK_TTL || matches!(is_healthy(&mut connection).await, Ok(true)))
        {
            return Ok(ReadConnection { connection, opened_at, shared, permit });
        }
        let connection = shared.options.connect().await?;
        Ok(ReadConnection { connection, opened_at: Instant::now(), shared, permit })
    }

    /// Closes the pool: unused connections at once, the others when their readers end.
    pub fn close(&self) {
        self.shared.permits.close();
        self.shared.unused().clear();
    }
}

impl Shared {
    fn unused(&self) -> MutexGuard<'_, Vec<UnusedConnection>> {
        self.unused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadConnection {
    /// Returns the connection to the pool. All results of its statements must have been read.
    pub fn release(self) {
        let Self { connection, opened_at, shared, permit } = self;
        let mut unused = shared.unused();
        if !shared.permits.is_closed() {
            unused.push(UnusedConnection { connection, opened_at, released_at: Instant::now() });
        }
        drop(unused);
        // The next reader finds the connection.
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

    use sqlx::{Connection as _, PgPool};
    use tokio::time::sleep;

    use super::*;
    use crate::pool::with_session_limits;

    /// Returns a pool of one connection, so that each reader gets the connection of the one before.
    fn pool_of_one(pool: &PgPool) -> ReadPool {
        ReadPool::new(with_session_limits(&pool.connect_options(), "60s"), 1)
    }

    async fn fetch_process(connection: &mut PgConnection) -> i32 {
        sqlx::query_scalar("select pg_backend_pid()").fetch_one(connection).await.unwrap()
    }

    /// Reads once and releases; returns the process of the connection.
    async fn read(reads: &ReadPool) -> i32 {
        let mut connection = reads.acquire().await.unwrap();
        let process = fetch_process(&mut connection).await;
        connection.release();
        process
    }

    /// Polls `future` at most `polls` times.
    async fn poll_some(future: impl Future, polls: u32) {
        let mut future = pin!(future);
        for _ in 0..polls {
            if poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await {
                return;
            }
            tokio::task::yield_now().await;
        }
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
        sleep(Duration::from_millis(50)).await;
        reads.acquire().await.unwrap().release();
        assert_eq!(last_statement().await, before);
        assert_eq!(read(&reads).await, process);
    }

    #[sqlx::test(migrations = false)]
    async fn a_transaction_of_a_cancelled_reader_is_never_continued(pool: PgPool) {
        let reads = pool_of_one(&pool);
        sqlx::raw_sql("create table written (n int)").execute(&pool).await.unwrap();
        for polls in 0..60 {
            let mut connection = reads.acquire().await.unwrap();
            poll_some(connection.begin(), polls).await;
            drop(connection);
            let mut next = reads.acquire().await.unwrap();
            sqlx::query("insert into written values ($1)").bind(i64::from(polls)).execute(&mut *next).await.unwrap();
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
            let many = sqlx::query_scalar::<_, i32>("select n from generate_series(1, 2000) n");
            poll_some(many.fetch_all(&mut *connection), polls).await;
            drop(connection);
            let mut next = reads.acquire().await.unwrap();
            let number: i64 =
                sqlx::query_scalar("select $1::bigint").bind(-i64::from(polls)).fetch_one(&mut *next).await.unwrap();
            next.release();
            assert_eq!(number, -i64::from(polls), "after {polls} polls");
        }
    }

    #[sqlx::test(migrations = false)]
    async fn postgres_cancels_the_query_of_a_reader_that_is_gone_and_the_next_does_not_wait(pool: PgPool) {
        let reads = pool_of_one(&pool);
        let mut connection = reads.acquire().await.unwrap();
        let query = sqlx::raw_sql("select pg_sleep(50)").execute(&mut *connection);
        assert!(timeout(Duration::from_millis(300), query).await.is_err());
        drop(connection);
        read(&reads).await;
        let running = "select count(*) from pg_stat_activity where query = 'select pg_sleep(50)' and state = 'active'";
        let cancelled = async {
            while sqlx::query_scalar::<_, i64>(running).fetch_one(&pool).await.unwrap() > 0 {
                sleep(Duration::from_millis(100)).await;
            }
        };
        assert!(timeout(Duration::from_secs(15), cancelled).await.is_ok(), "the query still runs");
    }

    #[sqlx::test(migrations = false)]
    async fn a_connection_that_ended_is_replaced(pool: PgPool) {
        let reads = pool_of_one(&pool);
        let process = read(&reads).await;
        sqlx::query("select pg_terminate_backend($1)").bind(process).execute(&pool).await.unwrap();
        sleep(HEALTH_CHECK_TTL).await;
        assert_ne!(read(&reads).await, process);
        reads.close();
        assert!(matches!(reads.acquire().await, Err(sqlx::Error::PoolClosed)));
    }

    #[sqlx::test(migrations = false)]
    async fn a_reader_waits_for_the_connection_of_another(pool: PgPool) {
        let reads = pool_of_one(&pool);
        let mut first = reads.acquire().await.unwrap();
        let process = fetch_process(&mut first).await;
        let (next, ()) = tokio::join!(read(&reads), async {
            sleep(Duration::from_millis(50)).await;
            first.release();
        });
        assert_eq!(next, process);
        let _first = reads.acquire().await.unwrap();
        assert!(matches!(reads.acquire().await, Err(sqlx::Error::PoolTimedOut)));
    }
}
