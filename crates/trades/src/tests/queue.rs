//! Writes of one account that wait for each other.

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

#[sqlx::test(migrations = "../../migrations")]
async fn an_account_that_waits_for_itself_keeps_no_other_waiting(pool: PgPool) {
    let few = pool.options().clone().max_connections(2).acquire_timeout(Duration::from_millis(500));
    let few = few.connect_lazy_with(pool.connect_options().as_ref().clone());
    let (mut asha, mut ravi) = (client_of(&few, Uuid::from_u128(1)), client_of(&few, Uuid::from_u128(2)));
    let first = add(&mut asha, ZERODHA_EQUITY, entry(0)).await;
    // As a large file that is being imported, by another core.
    let mut import = pool.begin().await.unwrap();
    sqlx::query("select from trades.account for update").execute(&mut *import).await.unwrap();
    let waiting: Vec<_> = (0..8)
        .map(|n| {
            let mut asha = asha.clone();
            tokio::spawn(async move {
                match n % 4 {
                    0 => undo(&mut asha, first.change_id, 0).await.map(drop),
                    1 => delete(&mut asha, 1, false).await.map(drop),
                    2 => send_replacement(&mut asha, replacement(GROWW_EQUITY, &[entry(1)], "")).await.map(drop),
                    _ => add_keyed(&mut asha, GROWW_EQUITY, entry(2), "").await.map(drop),
                }
            })
        })
        .collect();
    while few.num_idle() + 1 > few.size() as usize {
        tokio::task::yield_now().await;
    }
    for n in 0..20 {
        add(&mut ravi, ZERODHA_EQUITY, entry(n)).await;
        assert_eq!(list(&mut asha, None).await.0.total, 1);
    }
    import.rollback().await.unwrap();
    for write in waiting {
        let _ = write.await.unwrap();
    }
    assert_eq!(list(&mut ravi, None).await.1.len(), 20);
}
