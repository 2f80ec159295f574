//! Pool of connections for reads, which are used again without a check.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

use crate::error::{Failure, classify};
use crate::pool::{ACQUIRE_TIMEOUT, HEALTH_CHECK_TTL, IDLE_TIMEOUT, MAX_LIFETIME, is_healthy};

/// Interval at which connections that were idle for too long are closed.
const CLOSE_IDLE_INTERVAL: Duration = Duration::from_mins(1);
/// Delay before connecting again while Postgres is unavailable.
const CONNECT_RETRY_DELAY: Duration = Duration::from_millis(50);
/// Time in which Postgres notices that a client is gone and ends its query: `client_connection_check_interval`.
const CANCEL_TIME: Duration = Duration::from_secs(1);

/// Pool of connections for reads: statements outside a transaction.
///
/// sqlx's pool checks each returned connection with two round trips, because its last use may have been cancelled
/// halfway. Here a reader that has read all results calls [`ReadConnection::release`], and its connection is used again
/// without a check. The connection of any other reader, as after an error or a cancelled request, is checked in the
/// background. It keeps its place until Postgres has ended its query, so cancelled reads open no further connections.
#[derive(Clone)]
pub struct ReadPool {
    shared: Arc<Shared>,
}

struct Shared {
    options: PgConnectOptions,
    max_connections: u32,
    /// A permit for each connection that is not idle.
    permits: Arc<Semaphore>,
    /// The last one was used last.
    idle: Mutex<Vec<IdleConnection>>,
}

struct IdleConnection {
    connection: PgConnection,
    opened_at: Instant,
    released_at: Instant,
}

/// Connection of a [`ReadPool`].
pub struct ReadConnection {
    /// `None` once the connection has been returned.
    open: Option<OpenConnection>,
    shared: Arc<Shared>,
}

struct OpenConnection {
    connection: PgConnection,
    opened_at: Instant,
    permit: OwnedSemaphorePermit,
}

impl ReadPool {
    /// Creates a pool with at most `max_connections`, which are opened when they are needed. Must be called in a tokio
    /// runtime.
    pub fn new(options: PgConnectOptions, max_connections: u32) -> Self {
        let permits = Arc::new(Semaphore::new(max_connections as usize));
        let shared = Arc::new(Shared { options, max_connections, permits, idle: Mutex::new(Vec::new()) });
        let weak = Arc::downgrade(&shared);
        tokio::spawn(async move {
            let mut ticks = interval(CLOSE_IDLE_INTERVAL);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let Some(shared) = weak.upgrade() else { return };
                shared.idle().retain(|idle| idle.released_at.elapsed() < IDLE_TIMEOUT);
            }
        });
        Self { shared }
    }

    /// Waits for a connection. Connects again and again while Postgres is unavailable.
    ///
    /// # Errors
    /// `PoolTimedOut` if none is available in time; other errors of connecting.
    pub async fn acquire(&self) -> sqlx::Result<ReadConnection> {
        timeout(ACQUIRE_TIMEOUT, self.acquire_without_timeout()).await.map_err(|_| sqlx::Error::PoolTimedOut)?
    }

    async fn acquire_without_timeout(&self) -> sqlx::Result<ReadConnection> {
        let shared = &self.shared;
        let permit = Arc::clone(&shared.permits).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
        let (connection, opened_at) = match shared.find_idle().await {
            Some(usable) => usable,
            None => (shared.connect().await?, Instant::now()),
        };
        let open = Some(OpenConnection { connection, opened_at, permit });
        Ok(ReadConnection { open, shared: Arc::clone(shared) })
    }

    /// Waits for the connections in use, and closes the pool.
    pub async fn close(&self) {
        let all = self.shared.permits.acquire_many(self.shared.max_connections).await;
        self.shared.permits.close();
        self.shared.idle().clear();
        drop(all);
    }
}

impl Shared {
    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the idle connection that was used last, unless it is too old or, after a pause, does not respond.
    async fn find_idle(&self) -> Option<(PgConnection, Instant)> {
        let IdleConnection { mut connection, opened_at, released_at } = self.idle().pop()?;
        let is_usable = opened_at.elapsed() < MAX_LIFETIME
            && (released_at.elapsed() < HEALTH_CHECK_TTL || matches!(is_healthy(&mut connection).await, Ok(true)));
        is_usable.then_some((connection, opened_at))
    }

    async fn connect(&self) -> sqlx::Result<PgConnection> {
        loop {
            match self.options.connect().await {
                Err(error) if classify(&error) == Failure::Unavailable => sleep(CONNECT_RETRY_DELAY).await,
                outcome => return outcome,
            }
        }
    }

    fn add_idle(&self, OpenConnection { connection, opened_at, permit }: OpenConnection) {
        let mut idle = self.idle();
        if !self.permits.is_closed() {
            idle.push(IdleConnection { connection, opened_at, released_at: Instant::now() });
        }
        drop(idle);
        // The next reader finds the connection.
        drop(permit);
    }
}

impl ReadConnection {
    /// Returns the connection for the next reader. All results of its statements must have been read.
    pub fn release(mut self) {
        if let Some(open) = self.open.take() {
            self.shared.add_idle(open);
        }
    }
}

impl Drop for ReadConnection {
    /// Checks the connection of a reader that did not release it.
    fn drop(&mut self) {
        let (Some(mut open), Ok(runtime)) = (self.open.take(), Handle::try_current()) else { return };
        let shared = Arc::clone(&self.shared);
        runtime.spawn(async move {
            if matches!(is_healthy(&mut open.connection).await, Ok(true)) {
                return shared.add_idle(open);
            }
            drop(open.connection);
            sleep(CANCEL_TIME).await;
            drop(open.permit);
        });
    }
}

impl Deref for ReadConnection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        match &self.open {
            Some(open) => &open.connection,
            None => unreachable!("only `release` and `drop` take the connection"),
        }
    }
}

impl DerefMut for ReadConnection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        match &mut self.open {
            Some(open) => &mut open.connection,
            None => unreachable!("only `release` and `drop` take the connection"),
        }
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
        pool_of(1, pool)
    }

    fn pool_of(max_connections: u32, pool: &PgPool) -> ReadPool {
        let options = with_session_limits(&pool.connect_options(), "60s");
        ReadPool::new(options, max_connections)
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
            assert!(connections <= 2, "{connections}");
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
    async fn s2_many_concurrent_readers_open_no_more_connections_than_allowed(pool: PgPool) {
        let reads = pool_of(3, &pool);
        let read_twenty_times = async |_: usize| {
            let mut processes = std::collections::BTreeSet::new();
            for _ in 0..20 {
                processes.insert(read(&reads).await);
            }
            processes
        };
        let readers = (0..32).map(read_twenty_times);
        let processes: std::collections::BTreeSet<_> =
            futures_util::future::join_all(readers).await.into_iter().flatten().collect();
        assert!((1..=3).contains(&processes.len()), "{processes:?}");
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
