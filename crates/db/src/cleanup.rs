//! Deletion of expired rows.

use std::future::Future;

use sqlx::postgres::PgQueryResult;

/// Deletes rows batch by batch until a batch deletes nothing; returns the number of deleted rows.
///
/// `delete_batch` runs one statement with a `limit`, small enough to stay below the statement timeout. Each batch
/// commits on its own, so an error keeps what earlier batches deleted.
///
/// # Errors
/// The first error of a batch.
pub async fn delete_in_batches<F>(delete_batch: impl Fn() -> F) -> sqlx::Result<u64>
where
    F: Future<Output = sqlx::Result<PgQueryResult>>,
{
    let mut deleted = 0;
    loop {
        match delete_batch().await?.rows_affected() {
            0 => return Ok(deleted),
            rows => deleted += rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlx::PgPool;

    use super::*;

    #[sqlx::test(migrations = false)]
    async fn deletes_every_expired_row_in_batches(pool: PgPool) {
        let create = "create table item (id int, expired bool);
                      insert into item select id, id <= 25 from generate_series(1, 30) id";
        sqlx::raw_sql(create).execute(&pool).await.unwrap();
        let batch = "delete from item where id in (select id from item where expired limit 10)";
        let deleted = delete_in_batches(|| sqlx::query(batch).execute(&pool)).await.unwrap();
        let left: i64 = sqlx::query_scalar("select count(*) from item").fetch_one(&pool).await.unwrap();
        assert_eq!((deleted, left), (25, 5));
    }
}
