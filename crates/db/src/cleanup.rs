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
    run_in_batches(|| {
        let batch = delete_batch();
        async { Ok(batch.await?.rows_affected()) }
    })
    .await
}

/// Runs `run_batch` until it returns 0; returns the sum of the results.
///
/// For a cleanup that needs more than one statement per batch. `run_batch` returns the number of items it handled.
///
/// # Errors
/// The first error of a batch.
pub async fn run_in_batches<F, E>(run_batch: impl Fn() -> F) -> Result<u64, E>
where
    F: Future<Output = Result<u64, E>>,
{
    let mut total = 0;
    loop {
        match run_batch().await? {
            0 => return Ok(total),
            handled => total += handled,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::future::ready;

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

    #[tokio::test]
    async fn runs_batches_until_one_is_empty_or_fails() {
        let batches = RefCell::new(vec![Ok::<_, &str>(0), Ok(2), Ok(3)]);
        assert_eq!(run_in_batches(|| ready(batches.borrow_mut().pop().unwrap())).await, Ok(5));
        let failing = RefCell::new(vec![Err("failed"), Ok(3)]);
        assert_eq!(run_in_batches(|| ready(failing.borrow_mut().pop().unwrap())).await, Err("failed"));
    }
}
