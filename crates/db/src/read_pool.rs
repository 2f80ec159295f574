//! Pool of connections for reads, which are used again without a check.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::PgPool;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnection, Postgres};
use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::pool::{ACQUIRE_TIMEOUT, HEALTH_CHECK_TTL, MAX_LIFETIME, is_healthy};

/// Time after which an idle connection returns to sqlx's pool, which closes it later.
const MAX_IDLE_TIME: Duration = Duration::from_mins(1);

/// Pool of connections for reads: statements outside a transaction.
///
/// sqlx's pool checks each returned connection with two round trips, because its last use may have been cancelled
/// halfway. Here a reader that has read all results calls [`ReadConnection::release`], and its connection is used again
/// without a check. The connection of any other reader, as after an error or a cancelled request, returns to sqlx's pool
/// with its checks. It keeps its place there until Postgres has ended its query, so cancelled reads open no further
/// connections.
#[derive(Clone)]
pub struct ReadPool {
    shared: Arc<Shared>,
}

struct Shared {
    pool: PgPool,
    /// Released connections; the last one was used last.
    idle: Mutex<Vec<IdleConnection>>,
    /// Tells a reader that waits for a connection of sqlx's pool that one was released.
    released: Notify,
}

struct IdleConnection {
    connection: PoolConnection<Postgres>,
    acquired_at: Instant,
    released_at: Instant,
}

/// Connection of a [`ReadPool`].
pub struct ReadConnection {
    connection: PoolConnection<Postgres>,
    /// Time at which sqlx's pool handed out the connection.
    acquired_at: Instant,
    shared: Arc<Shared>,
}

impl ReadPool {
    /// Creates a pool of the connections of `pool`, which has no other user. Must be called in a tokio runtime.
    pub fn new(pool: PgPool) -> Self {
        let shared = Arc::new(Shared { pool, idle: Mutex::new(Vec::new()), released: Notify::new() });
        let weak = Arc::downgrade(&shared);
        tokio::spawn(async move {
            let mut ticks = interval(MAX_IDLE_TIME);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let Some(shared) = weak.upgrade() else { return };
                shared.idle().retain(|idle| idle.released_at.elapsed() < MAX_IDLE_TIME);
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
        loop {
            let idle = self.shared.idle().pop();
            if let Some(IdleConnection { mut connection, acquired_at, released_at }) = idle {
                if acquired_at.elapsed() < MAX_LIFETIME
                    && (released_at.elapsed() < HEALTH_CHECK_TTL
                        || matches!(is_healthy(&mut connection).await, Ok(true)))
                {
                    return Ok(ReadConnection { connection, acquired_at, shared: Arc::clone(&self.shared) });
                }
                continue;
            }
            tokio::select! {
                connection = self.shared.pool.acquire() => {
                    let (connection, acquired_at) = (connection?, Instant::now());
                    return Ok(ReadConnection { connection, acquired_at, shared: Arc::clone(&self.shared) });
                }
                () = self.shared.released.notified() => {}
            }
        }
    }

    /// Closes the pool; waits for the connections in use.
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

impl ReadConnection {
    /// Returns the connection for the next reader. All results of its statements must have been read.
    pub fn release(self) {
        let Self { connection, acquired_at, shared } = self;
        let mut idle = shared.idle();
        if !shared.pool.is_closed() {
            idle.push(IdleConnection { connection, acquired_at, released_at: Instant::now() });
        }
        drop(idle);
        shared.released.notify_one();
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

    use sqlx::Connection as _;
    use tokio::time::sleep;

    use super::*;
    use crate::pool::{pool_options, with_session_limits};

    /// Returns a pool of one connection, so that each reader gets the connection of the one before.
    fn pool_of_one(pool: &PgPool) -> ReadPool {
        pool_of(1, pool)
    }

    fn pool_of(max_connections: u32, pool: &PgPool) -> ReadPool {
        let options = with_session_limits(&pool.connect_options(), "60s");
        ReadPool::new(pool_options(max_connections).connect_lazy_with(options))
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
    async fn s2_cancelled_reads_open_no_further_connections(pool: PgPool) {
        let reads = pool_of(2, &pool);
        let count =
            "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
                     and application_name = 'tradebahi'";
        for _ in 0..6 {
            for _ in 0..2 {
                let Ok(mut connection) = reads.acquire().await else { continue };
                let query = sqlx::raw_sql("select pg_sleep(50)").execute(&mut *connection);
                assert!(timeout(Duration::from_millis(20), query).await.is_err());
            }
            // A query whose client is gone ends within a second.
            let connections: i64 = sqlx::query_scalar(count).fetch_one(&pool).await.unwrap();
            assert!(connections <= 4, "{connections}");
        }
        let running = "select count(*) from pg_stat_activity where query = 'select pg_sleep(50)' and state = 'active'";
        let cancelled = async {
            while sqlx::query_scalar::<_, i64>(running).fetch_one(&pool).await.unwrap() > 0 {
                sleep(Duration::from_millis(100)).await;
            }
        };
        assert!(timeout(Duration::from_secs(15), cancelled).await.is_ok(), "a query still runs");
        read(&reads).await;
    }

    #[sqlx::test(migrations = false)]
    async fn a_waiting_reader_gets_a_released_connection_while_another_is_being_checked(pool: PgPool) {
        let reads = pool_of(2, &pool);
        let mut cancelled = reads.acquire().await.unwrap();
        let mut other = reads.acquire().await.unwrap();
        let process = fetch_process(&mut other).await;
        let query = sqlx::raw_sql("select pg_sleep(50)").execute(&mut *cancelled);
        assert!(timeout(Duration::from_millis(50), query).await.is_err());
        drop(cancelled);
        let started = Instant::now();
        let (next, ()) = tokio::join!(read(&reads), async {
            sleep(Duration::from_millis(50)).await;
            other.release();
        });
        assert_eq!(next, process);
        assert!(started.elapsed() < Duration::from_secs(1), "waited for the check");
    }

    #[sqlx::test(migrations = false)]
    async fn a_connection_that_ended_is_replaced(pool: PgPool) {
        let reads = pool_of_one(&pool);
        let process = read(&reads).await;
        sqlx::query("select pg_terminate_backend($1)").bind(process).execute(&pool).await.unwrap();
        sleep(HEALTH_CHECK_TTL).await;
        assert_ne!(read(&reads).await, process);
        reads.close().await;
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
        let first = reads.acquire().await.unwrap();
        assert!(matches!(reads.acquire().await, Err(sqlx::Error::PoolTimedOut)));
        first.release();
        assert_eq!(read(&reads).await, process);
    }
}
