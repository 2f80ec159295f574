//! Each line between two of browser, edge, core and Postgres is spoilt in each way, while clients write.

use std::time::Duration;

use sqlx::PgPool;

use super::proxy::{Line, Proxy};
use super::stack::Stack;
use super::writers::{Kind, Tally, write_through};
use super::{await_ready, back_after, report, rounds};

/// Spoils one line of the stack in every way.
async fn spoil(pool: &PgPool, name: &str, between: impl Fn(&Stack) -> &Proxy, has_core_behind: bool) {
    let stack = Stack::start(pool);
    let front = stack.front();
    for line in Line::SPOILT {
        let (mut tally, mut slowest) = (Tally::default(), Duration::ZERO);
        for round in 0..rounds(1) {
            let trader = front.trader(&format!("{}{round}", line.name().replace(' ', "-")));
            let (ledger, back) = write_through(&front, &trader, &Kind::ALL, round, || {
                between(&stack).set(line);
                if has_core_behind && matches!(line, Line::BlackHole | Line::HalfOpen) {
                    await_ready(&stack.edge, false);
                }
                std::thread::sleep(Duration::from_millis(200 + (round as u64 * 53) % 400));
                between(&stack).set(Line::Fine);
            });
            await_ready(&stack.edge, true);
            tally += ledger.settle_trades(&front, &trader);
            tally += ledger.settle_applications(pool, &stack.resumes()).await;
            slowest = slowest.max(back);
        }
        report(&format!("{name}: {}", line.name()), rounds(1), &tally, &back_after(slowest));
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn nothing_is_lost_on_the_way_from_a_browser_to_the_edge(pool: PgPool) {
    spoil(&pool, "browser – edge", |stack| &stack.browsers, false).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn nothing_is_lost_on_the_way_from_the_edge_to_the_core(pool: PgPool) {
    spoil(&pool, "edge – core", |stack| &stack.calls, true).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn nothing_is_lost_on_the_way_from_the_core_to_postgres(pool: PgPool) {
    spoil(&pool, "core – Postgres", |stack| &stack.queries, true).await;
}
