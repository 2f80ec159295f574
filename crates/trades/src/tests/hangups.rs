//! Callers that hang up before they are answered.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use sqlx::PgPool;
use uuid::Uuid;

use super::*;

/// Polls `call` so many times and drops it; whether it was answered by then.
async fn hang_up<T>(call: impl Future<Output = T>, polls: usize) -> bool {
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
async fn a_write_whose_caller_hangs_up_is_done_or_not_and_the_next_one_is_there(pool: PgPool) {
    // One connection, so that whatever the hung up call left on it meets the next one.
    let one = pool.options().clone().max_connections(1).test_before_acquire(false);
    let one = one.connect_lazy_with(pool.connect_options().as_ref().clone());
    let (mut client, mut watcher) = (client_of(&one, Uuid::from_u128(1)), client_of(&pool, Uuid::from_u128(1)));
    for polls in 0..80 {
        let n = i64::try_from(polls).unwrap();
        let marked = |what: &str| wire::NewTrade { symbol: format!("{what}{polls}"), ..entry(n) };
        let mut hasty = client.clone();
        let answered = if polls % 2 == 0 {
            hang_up(add_keyed(&mut hasty, ZERODHA_EQUITY, marked("ADD"), ""), polls).await
        } else {
            hang_up(replace(&mut hasty, GROWW_EQUITY, &[marked("R"), marked("S")]), polls).await
        };
        let next = add(&mut client, ZERODHA_FNO, marked("NEXT")).await;
        let (head, trades) = list(&mut watcher, None).await;
        assert_eq!(head.total, i64::try_from(trades.len()).unwrap());
        assert!(next.head.unwrap().version <= head.version);
        let mut symbols: BTreeMap<&str, usize> = BTreeMap::new();
        trades.iter().for_each(|trade| *symbols.entry(&trade.symbol).or_default() += 1);
        let count = |symbol: String| symbols.get(symbol.as_str()).copied().unwrap_or(0);
        assert_eq!(count(format!("NEXT{polls}")), 1, "after {polls} polls");
        let written = count(format!("ADD{polls}")) + count(format!("R{polls}"));
        assert!(written == 1 || (written == 0 && !answered), "after {polls} polls");
        assert_eq!(count(format!("R{polls}")), count(format!("S{polls}")));
    }
}
