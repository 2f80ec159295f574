//! A connection that comes back inside a transaction is not used again.
//!
//! sqlx gives one back when the future of a `begin` is dropped between sending and hearing of it, as when a client
//! hangs up. What is written on it next is never committed, and says nothing of that.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use server::database::Pools;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use uuid::Uuid;

/// How many of the rows that were written through `pool`, a `begin` dropped before each, nobody else ever sees.
async fn rows_lost(pool: &PgPool, others: &PgPool) -> usize {
    let mut lost = 0;
    for polls in 0..60 {
        give_up_a_begin(pool, polls).await;
        let account_id = Uuid::new_v4();
        sqlx::query("insert into trades.account (account_id) values ($1)")
            .bind(account_id)
            .execute(pool)
            .await
            .unwrap();
        let seen = sqlx::query_scalar::<_, bool>("select exists (select from trades.account where account_id = $1)");
        if !seen.bind(account_id).fetch_one(others).await.unwrap() {
            lost += 1;
        }
    }
    lost
}

async fn give_up_a_begin(pool: &PgPool, polls: usize) {
    let mut begin = pin!(pool.begin());
    for _ in 0..polls {
        if poll_fn(|cx| Poll::Ready(begin.as_mut().poll(cx).is_ready())).await {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn no_row_is_lost_on_a_connection_whose_begin_was_given_up(pool: PgPool) {
    let options = pool.connect_options().as_ref().clone();
    let guarded = Pools::connect(&options, 1).await.unwrap().imports;
    assert_eq!(rows_lost(&guarded, &pool).await, 0);
    // Without the guard rows are lost: the moment is hit, and the guard still needed.
    let unguarded = PgPoolOptions::new().max_connections(1).test_before_acquire(false).connect_lazy_with(options);
    assert_ne!(rows_lost(&unguarded, &pool).await, 0);
}
