//! The core and Postgres are killed while clients write.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use pg_cluster::Cluster;
use sqlx::PgPool;

use super::stack::Stack;
use super::writers::{Client, Tally, WriteKind, write_during_fault};
use super::{format_recovery, report, rounds, wait_for_readiness};
use crate::process::{Process, send_signal};

#[sqlx::test(migrations = "../../migrations")]
async fn acknowledged_writes_survive_a_kill_of_the_core(pool: PgPool) {
    let mut stack = Stack::start(&pool);
    let client = stack.client();
    let (mut tally, mut slowest_recovery) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(5) {
        let trader = client.register_trader(&format!("core{round}"));
        let (acknowledged_writes, recovery) = write_during_fault(&client, &trader, &WriteKind::ALL, round, || {
            stack.core.kill();
            wait_for_readiness(&stack.edge, false);
            stack.core.restart();
        });
        wait_for_readiness(&stack.edge, true);
        tally += acknowledged_writes.check_trades(&client, &trader);
        tally += acknowledged_writes.check_applications(&pool, &stack.resumes()).await;
        slowest_recovery = slowest_recovery.max(recovery);
    }
    report("core killed", rounds(5), &tally, &format_recovery(slowest_recovery));
}

/// The server has its own Postgres and restarts it.
#[tokio::test]
async fn acknowledged_writes_survive_a_kill_of_postgres() {
    // Postgres runs as another user if the test runs as root, and must be able to enter.
    let data = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir_in("/tmp").unwrap();
    let server = Process::start_private(data.path());
    let client = Client::new(server.port());
    let url = Cluster::running_url(&data.path().join("postgres"), pg_cluster::DATABASE).unwrap().unwrap();
    let pool = PgPool::connect(&url).await.unwrap();
    let (mut tally, mut slowest_recovery) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(2) {
        let trader = client.register_trader(&format!("postgres{round}"));
        let (acknowledged_writes, recovery) = write_during_fault(&client, &trader, &WriteKind::ALL, round, || {
            let killed = server.find_children("postgres")[0];
            send_signal(killed, "KILL");
            // Wait until the server has noticed.
            while server.find_children("postgres").contains(&killed) {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        wait_for_readiness(&server, true);
        tally += acknowledged_writes.check_trades(&client, &trader);
        tally += acknowledged_writes.check_applications(&pool, &data.path().join("resumes")).await;
        slowest_recovery = slowest_recovery.max(recovery);
    }
    report("Postgres killed", rounds(2), &tally, &format_recovery(slowest_recovery));
}
