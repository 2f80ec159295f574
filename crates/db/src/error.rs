//! Classification of database errors.

use sqlx::error::DatabaseError;

/// Lock not acquired within `lock_timeout`: `lock_not_available`.
/// Source: <https://www.postgresql.org/docs/current/errcodes-appendix.html>
const LOCK_NOT_AVAILABLE: &str = "55P03";
/// No space left on the database's disk: `disk_full`.
const DISK_FULL: &str = "53100";

/// Kind of a database error, as far as a caller can act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A lock was not acquired within `lock_timeout`: another write holds the rows.
    LockTimeout,
    /// No connection became free within the pool's timeout.
    PoolTimeout,
    /// The database's disk is full.
    DiskFull,
    /// Any other error; a fault of ours or of the database.
    Other,
}

/// Returns the kind of `error`.
pub fn classify(error: &sqlx::Error) -> Failure {
    if matches!(error, sqlx::Error::PoolTimedOut) {
        return Failure::PoolTimeout;
    }
    match error.as_database_error().and_then(DatabaseError::code).as_deref() {
        Some(LOCK_NOT_AVAILABLE) => Failure::LockTimeout,
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
    use sqlx::PgPool;

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
        assert_eq!(classify(&sqlx::Error::PoolTimedOut), Failure::PoolTimeout);
        assert_eq!(classify(&sqlx::Error::RowNotFound), Failure::Other);
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
