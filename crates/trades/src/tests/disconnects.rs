//! Callers that disconnect before the response.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

/// Polls `call` up to `polls` times and drops it; returns true if it completed.
async fn call_and_drop<T>(call: impl Future<Output = T>, polls: usize) -> bool {
    let mut call = pin!(call);
    for _ in 0..polls {
        if poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx).is_ready())).await {
            return true;
        }
        tokio::task::yield_now().await;
    }
    false
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_write_of_a_disconnected_caller_is_complete_or_absent_and_the_next_write_is_stored(pool: PgPool) {
    // With a single connection, the next call uses the connection of the dropped one.
    let one = pool.options().clone().max_connections(1).test_before_acquire(false);
    let one = one.connect_lazy_with(pool.connect_options().as_ref().clone());
    let (mut client, mut watcher) = (client_as(&one, Uuid::from_u128(1)), client_as(&pool, Uuid::from_u128(1)));
    for polls in 0..80 {
        let n = i64::try_from(polls).unwrap();
        let named_trade = |prefix: &str| wire::NewTrade { symbol: format!("{prefix}{polls}"), ..manual_trade(n) };
        let mut disconnecting = client.clone();
        let completed = if polls % 2 == 0 {
            call_and_drop(add_with_key(&mut disconnecting, ZERODHA_EQUITY, named_trade("ADD"), ""), polls).await
        } else {
            call_and_drop(replace(&mut disconnecting, GROWW_EQUITY, &[named_trade("R"), named_trade("S")]), polls).await
        };
        let next = add(&mut client, ZERODHA_FNO, named_trade("NEXT")).await;
        let (head, trades) = list(&mut watcher, None).await;
        assert_eq!(head.total, i64::try_from(trades.len()).unwrap());
        assert!(next.head.unwrap().version <= head.version);
        let mut symbols: BTreeMap<&str, usize> = BTreeMap::new();
        trades.iter().for_each(|trade| *symbols.entry(&trade.symbol).or_default() += 1);
        let count = |symbol: String| symbols.get(symbol.as_str()).copied().unwrap_or(0);
        assert_eq!(count(format!("NEXT{polls}")), 1, "after {polls} polls");
        let written = count(format!("ADD{polls}")) + count(format!("R{polls}"));
        assert!(written == 1 || (written == 0 && !completed), "after {polls} polls");
        assert_eq!(count(format!("R{polls}")), count(format!("S{polls}")));
    }
}
