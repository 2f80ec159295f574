//! Options of connection pools.

use std::future::Future;
use std::io::ErrorKind;
use std::pin::Pin;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use tokio::time::timeout;

/// Maximum time to wait for a free connection.
pub(crate) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);
/// Time after which an unused connection is closed.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_mins(10);
/// Maximum age of a connection.
pub(crate) const MAX_LIFETIME: Duration = Duration::from_mins(30);
/// Timeout of the health check of a connection.
const HEALTH_CHECK_TIMEOUT: Duration = Duration::from_secs(2);
/// Time after its last use within which a connection is not checked again.
pub(crate) const HEALTH_CHECK_TTL: Duration = Duration::from_secs(1);

/// Returns the options of a pool with at most `max_connections`, which checks each connection when it is returned and,
/// after a pause, when it is acquired.
pub fn pool_options(max_connections: u32) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(max_connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(IDLE_TIMEOUT)
        .max_lifetime(MAX_LIFETIME)
        // sqlx's own check has no timeout, so a half-open connection would keep its place in the pool.
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            if meta.idle_for < HEALTH_CHECK_TTL {
                Box::pin(std::future::ready(Ok(true)))
            } else {
                is_healthy(connection)
            }
        })
        .after_release(|connection, _| is_healthy(connection))
}

/// Adds the name, timeouts and planner settings of the server's sessions to `options`.
///
/// Bitmap scans are off: until Postgres has statistics, as after a first large import, it would rather collect and sort
/// all rows of an account than read the index that has them in order.
pub fn with_session_limits(options: &PgConnectOptions, statement_timeout: &str) -> PgConnectOptions {
    options.clone().application_name("tradebahi").options([
        ("statement_timeout", statement_timeout),
        ("lock_timeout", "2s"),
        ("idle_in_transaction_session_timeout", "10s"),
        // Cancels the query of a caller that is gone; its connection is closed by the check of `pool_options`.
        ("client_connection_check_interval", "1s"),
        ("enable_bitmapscan", "off"),
        ("random_page_cost", "1.1"),
        // Queries take milliseconds, and the systemd unit forbids the memory that JIT needs.
        ("jit", "off"),
    ])
}

/// Returns false for a connection inside a transaction, and an error for one that does not respond in time.
///
/// A `begin` that was dropped halfway leaves a transaction open; later writes on the connection would be lost. The check
/// must use `raw_sql`, because a prepared query has its own statement timestamp.
///
/// A connection does not respond if it is half-open, as after the failure of a machine or network in between.
pub(crate) fn is_healthy(
    connection: &mut PgConnection,
) -> Pin<Box<dyn Future<Output = sqlx::Result<bool>> + Send + '_>> {
    Box::pin(async move {
        let check = sqlx::raw_sql("select now() = statement_timestamp()").fetch_one(&mut *connection);
        match timeout(HEALTH_CHECK_TIMEOUT, check).await {
            Ok(row) => sqlx::Row::try_get(&row?, 0),
            Err(_) => Err(sqlx::Error::Io(ErrorKind::TimedOut.into())),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use sqlx::PgPool;
    use tokio::time::{sleep, timeout};

    use super::*;

    #[sqlx::test(migrations = false)]
    async fn s2_postgres_cancels_the_query_of_a_caller_that_is_gone(pool: PgPool) {
        let ours = pool_options(1).connect_with(with_session_limits(&pool.connect_options(), "60s")).await.unwrap();
        let query = sqlx::raw_sql("select pg_sleep(50)").execute(&ours);
        assert!(timeout(Duration::from_millis(300), query).await.is_err());
        let running = "select count(*) from pg_stat_activity where query = 'select pg_sleep(50)' and state = 'active'";
        let cancelled = async {
            while sqlx::query_scalar::<_, i64>(running).fetch_one(&pool).await.unwrap() > 0 {
                sleep(Duration::from_millis(100)).await;
            }
        };
        assert!(timeout(Duration::from_secs(15), cancelled).await.is_ok(), "the query still runs");
        sqlx::raw_sql("select 1").execute(&ours).await.unwrap();
    }
}
