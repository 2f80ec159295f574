//! Faults of each connection between browser, edge, core and Postgres while clients write.

use std::time::Duration;

use sqlx::PgPool;

use super::proxy::{LinkState, Proxy};
use super::stack::Stack;
use super::writers::{Tally, WriteKind, write_during_fault};
use super::{format_recovery, report, rounds, wait_for_readiness};

/// Tests every fault on one connection of the stack.
async fn test_connection(pool: &PgPool, name: &str, proxy_of: impl Fn(&Stack) -> &Proxy, affects_readiness: bool) {
    let stack = Stack::start(pool);
    let client = stack.client();
    for fault in LinkState::FAULTS {
        let (mut tally, mut slowest_recovery) = (Tally::default(), Duration::ZERO);
        for round in 0..rounds(1) {
            let trader = client.register_trader(&format!("{}{round}", fault.name().replace(' ', "-")));
            let (acknowledged_writes, recovery) = write_during_fault(&client, &trader, &WriteKind::ALL, round, || {
                proxy_of(&stack).set_state(fault);
                if affects_readiness && matches!(fault, LinkState::BlackHole | LinkState::HalfOpen) {
                    wait_for_readiness(&stack.edge, false);
                }
                std::thread::sleep(Duration::from_millis(200 + (round as u64 * 53) % 400));
                proxy_of(&stack).set_state(LinkState::Healthy);
            });
            wait_for_readiness(&stack.edge, true);
            tally += acknowledged_writes.check_trades(&client, &trader);
            tally += acknowledged_writes.check_applications(pool, &stack.resumes()).await;
            slowest_recovery = slowest_recovery.max(recovery);
        }
        report(&format!("{name}: {}", fault.name()), rounds(1), &tally, &format_recovery(slowest_recovery));
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn acknowledged_writes_survive_faults_between_browser_and_edge(pool: PgPool) {
    test_connection(&pool, "browser to edge", |stack| &stack.browser_to_edge, false).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn acknowledged_writes_survive_faults_between_edge_and_core(pool: PgPool) {
    test_connection(&pool, "edge to core", |stack| &stack.edge_to_core, true).await;
}

#[sqlx::test(migrations = "../../migrations")]
async fn acknowledged_writes_survive_faults_between_core_and_postgres(pool: PgPool) {
    test_connection(&pool, "core to Postgres", |stack| &stack.core_to_postgres, true).await;
}
