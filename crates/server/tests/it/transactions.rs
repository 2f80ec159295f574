//! A connection that is returned to the pool inside a transaction is not used again.
//!
//! sqlx returns such a connection when the future of a `begin` is dropped between request and reply, for example when a
//! client disconnects. The next writes on it would not be committed, without an error.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use server::database::Pools;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use uuid::Uuid;

/// Writes rows through `pool`, each after a dropped `begin`. Returns how many of them `others` cannot see.
async fn count_lost_rows(pool: &PgPool, others: &PgPool) -> usize {
    let mut lost = 0;
    for polls in 0..60 {
        drop_begin(pool, polls).await;
        let account_id = Uuid::new_v4();
        sqlx::query("insert into trades.account (account_id) values ($1)")
            .bind(account_id)
            .execute(pool)
            .await
            .unwrap();
        let is_visible =
            sqlx::query_scalar::<_, bool>("select exists (select from trades.account where account_id = $1)");
        if !is_visible.bind(account_id).fetch_one(others).await.unwrap() {
            lost += 1;
        }
    }
    lost
}

async fn drop_begin(pool: &PgPool, polls: usize) {
    let mut begin = pin!(pool.begin());
    for _ in 0..polls {
        if poll_fn(|cx| Poll::Ready(begin.as_mut().poll(cx).is_ready())).await {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn no_row_is_lost_after_a_dropped_begin(pool: PgPool) {
    let options = pool.connect_options().as_ref().clone();
    let checked = Pools::connect(&options, 1).await.unwrap().imports;
    assert_eq!(count_lost_rows(&checked, &pool).await, 0);
    // Rows are lost without the check: the test hits the moment, and the check is needed.
    let unchecked = PgPoolOptions::new().max_connections(1).test_before_acquire(false).connect_lazy_with(options);
    assert_ne!(count_lost_rows(&unchecked, &pool).await, 0);
}
