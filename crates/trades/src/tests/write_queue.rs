//! Queue of the writes of an account.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn waiting_writes_of_one_account_do_not_block_another(pool: PgPool) {
    let few = pool.options().clone().max_connections(2).acquire_timeout(Duration::from_millis(500));
    let few = few.connect_lazy_with(pool.connect_options().as_ref().clone());
    let (mut asha, mut ravi) = (client_as(&few, Uuid::from_u128(1)), client_as(&few, Uuid::from_u128(2)));
    let first = add(&mut asha, ZERODHA_EQUITY, manual_trade(0)).await;
    // Locks the account, like an import in another core.
    let mut import = pool.begin().await.unwrap();
    sqlx::query("select from trades.account for update").execute(&mut *import).await.unwrap();
    let waiting: Vec<_> = (0..8)
        .map(|n| {
            let mut asha = asha.clone();
            tokio::spawn(async move {
                match n % 4 {
                    0 => undo(&mut asha, first.change_id, 0).await.map(drop),
                    1 => delete(&mut asha, 1, false).await.map(drop),
                    2 => send_replace(&mut asha, replace_parts(GROWW_EQUITY, &[manual_trade(1)], "")).await.map(drop),
                    _ => add_with_key(&mut asha, GROWW_EQUITY, manual_trade(2), "").await.map(drop),
                }
            })
        })
        .collect();
    while few.num_idle() + 1 > few.size() as usize {
        tokio::task::yield_now().await;
    }
    for n in 0..20 {
        add(&mut ravi, ZERODHA_EQUITY, manual_trade(n)).await;
        assert_eq!(list(&mut asha, None).await.0.total, 1);
    }
    import.rollback().await.unwrap();
    for write in waiting {
        let _ = write.await.unwrap();
    }
    assert_eq!(list(&mut ravi, None).await.1.len(), 20);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s10_the_waits_of_a_write_do_not_add_up(pool: PgPool) {
    let mut asha = client_as(&pool, Uuid::from_u128(1));
    add(&mut asha, ZERODHA_EQUITY, manual_trade(0)).await;
    let mut lock = pool.begin().await.unwrap();
    sqlx::query("select from trades.account for update").execute(&mut *lock).await.unwrap();
    // The second write gets the place of the first one shortly before its own time is over.
    let mut waits = Vec::new();
    for delay in [0, 300] {
        let mut asha = asha.clone();
        waits.push(tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(delay)).await;
            let started = std::time::Instant::now();
            assert!(add_with_key(&mut asha, ZERODHA_EQUITY, manual_trade(1), "").await.is_err());
            started.elapsed()
        }));
    }
    for wait in waits {
        let waited = wait.await.unwrap();
        assert!(waited < Duration::from_secs(3), "{waited:?}");
    }
    lock.rollback().await.unwrap();
}
