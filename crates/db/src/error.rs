//! Classification of database errors.

use std::io::ErrorKind;

use sqlx::error::DatabaseError;

/// Lock not acquired within `lock_timeout`: `lock_not_available`.
/// Source: <https://www.postgresql.org/docs/current/errcodes-appendix.html>
const LOCK_NOT_AVAILABLE: &str = "55P03";
/// The server ended the session, which rolls its transaction back: `admin_shutdown`.
const ADMIN_SHUTDOWN: &str = "57P01";
/// The server is starting, stopping or in recovery: `cannot_connect_now`.
const CANNOT_CONNECT_NOW: &str = "57P03";
/// The server has no connection left: `too_many_connections`.
const TOO_MANY_CONNECTIONS: &str = "53300";
/// No space left on the database's disk: `disk_full`.
const DISK_FULL: &str = "53100";

/// Kind of a database error, as far as a caller can act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A lock was not acquired within `lock_timeout`: another write holds the rows.
    LockTimeout,
    /// No connection: none became free within the pool's timeout, or Postgres is stopped, starting or stopping. Nothing was
    /// changed, so the caller can try again.
    Unavailable,
    /// The database's disk is full.
    DiskFull,
    /// Any other error; a fault of ours or of the database.
    Other,
}

/// Returns the kind of `error`.
pub fn classify(error: &sqlx::Error) -> Failure {
    // A connection that broke later is not among them: the result of its statement is unknown.
    let is_unavailable = match error {
        sqlx::Error::PoolTimedOut => true,
        // A stopped server has no socket file, or nothing listens on its port. If it ended the session before, the
        // statement cannot be sent.
        sqlx::Error::Io(error) => {
            matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused | ErrorKind::BrokenPipe)
        }
        _ => false,
    };
    if is_unavailable {
        return Failure::Unavailable;
    }
    match error.as_database_error().and_then(DatabaseError::code).as_deref() {
        Some(LOCK_NOT_AVAILABLE) => Failure::LockTimeout,
        Some(ADMIN_SHUTDOWN | CANNOT_CONNECT_NOW | TOO_MANY_CONNECTIONS) => Failure::Unavailable,
        Some(DISK_FULL) => Failure::DiskFull,
        Some(_) | None => Failure::Other,
    }
}

/// Returns the name of the violated constraint as the migrations define it.
pub fn violated_constraint(error: &sqlx::Error) -> Option<&str> {
    error.as_database_error()?.constraint().map(without_shard_number)
}

/// Removes the shard number that Citus appends to constraint names: `login_pkey_102008` becomes `login_pkey`.
fn without_shard_number(constraint: &str) -> &str {
    let numbered =
        constraint.rsplit_once('_').filter(|(_, shard)| !shard.is_empty() && shard.bytes().all(|b| b.is_ascii_digit()));
    numbered.map_or(constraint, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use sqlx::postgres::{PgConnectOptions, PgSslMode};
    use sqlx::{ConnectOptions as _, PgPool};

    use super::*;

    #[test]
    fn removes_the_shard_number_of_a_constraint() {
        for (name, want) in [
            ("login_pkey", "login_pkey"),
            ("login_pkey_102008", "login_pkey"),
            ("login_pkey_", "login_pkey_"),
            ("login_pkey_1a", "login_pkey_1a"),
            ("login", "login"),
        ] {
            assert_eq!(without_shard_number(name), want);
        }
    }

    #[sqlx::test(migrations = false)]
    async fn classifies_errors_of_a_real_database(pool: PgPool) {
        sqlx::raw_sql("create table locked ()").execute(&pool).await.unwrap();
        let mut other = pool.begin().await.unwrap();
        sqlx::raw_sql("lock table locked").execute(&mut *other).await.unwrap();
        for (statement, want) in [
            ("do $$ begin lock table locked nowait; end $$", Failure::LockTimeout),
            ("do $$ begin raise exception using errcode = 'disk_full'; end $$", Failure::DiskFull),
            ("select 1 / 0", Failure::Other),
        ] {
            let error = sqlx::raw_sql(statement).execute(&pool).await.unwrap_err();
            assert_eq!(classify(&error), want, "{statement}");
        }
        assert_eq!(classify(&sqlx::Error::PoolTimedOut), Failure::Unavailable);
        assert_eq!(classify(&sqlx::Error::RowNotFound), Failure::Other);
    }

    #[tokio::test]
    async fn s8_a_stopped_postgres_is_unavailable() {
        let dir = std::env::temp_dir().join("no-postgres-here");
        for options in [
            PgConnectOptions::new_without_pgpass().socket(dir).port(1),
            PgConnectOptions::new_without_pgpass().host("127.0.0.1").port(1).ssl_mode(PgSslMode::Disable),
        ] {
            let error = options.connect().await.unwrap_err();
            assert_eq!(classify(&error), Failure::Unavailable, "{error}");
        }
    }

    #[sqlx::test(migrations = false)]
    async fn s8_a_postgres_that_starts_or_stops_is_unavailable(pool: PgPool) {
        for code in ["admin_shutdown", "cannot_connect_now", "too_many_connections"] {
            let raise = format!("do $$ begin raise exception using errcode = '{code}'; end $$");
            let error = sqlx::raw_sql(sqlx::AssertSqlSafe(raise)).execute(&pool).await.unwrap_err();
            assert_eq!(classify(&error), Failure::Unavailable, "{code}");
        }
        let mut connection = pool.acquire().await.unwrap();
        let pid: i32 = sqlx::query_scalar("select pg_backend_pid()").fetch_one(&mut *connection).await.unwrap();
        sqlx::query("select pg_terminate_backend($1)").bind(pid).execute(&pool).await.unwrap();
        let error = sqlx::raw_sql("select 1").execute(&mut *connection).await.unwrap_err();
        assert_eq!(classify(&error), Failure::Unavailable, "{error}");
    }

    #[sqlx::test(migrations = false)]
    async fn names_the_violated_constraint(pool: PgPool) {
        let create = "create table item (id int, constraint item_once unique (id)); insert into item values (1)";
        sqlx::raw_sql(create).execute(&pool).await.unwrap();
        let error = sqlx::raw_sql("insert into item values (1)").execute(&pool).await.unwrap_err();
        assert_eq!(violated_constraint(&error), Some("item_once"));
        let error = sqlx::raw_sql("select 1 / 0").execute(&pool).await.unwrap_err();
        assert_eq!(violated_constraint(&error), None);
    }
}
