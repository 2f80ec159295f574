//! The core, and Postgres, are killed while clients write.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use pg_cluster::Cluster;
use sqlx::PgPool;

use super::stack::Stack;
use super::writers::{Front, Kind, Tally, write_through};
use super::{await_ready, back_after, report, rounds};
use crate::process::{Process, signal};

#[sqlx::test(migrations = "../../migrations")]
async fn what_was_acknowledged_outlives_a_kill_of_the_core(pool: PgPool) {
    let mut stack = Stack::start(&pool);
    let front = stack.front();
    let (mut tally, mut slowest) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(5) {
        let trader = front.trader(&format!("core{round}"));
        let (ledger, back) = write_through(&front, &trader, &Kind::ALL, round, || {
            stack.core.kill();
            await_ready(&stack.edge, false);
            stack.core.start_again();
        });
        await_ready(&stack.edge, true);
        tally += ledger.settle_trades(&front, &trader);
        tally += ledger.settle_applications(&pool, &stack.resumes()).await;
        slowest = slowest.max(back);
    }
    report("core killed", rounds(5), &tally, &back_after(slowest));
}

/// The server has its own, and starts it again by itself.
#[tokio::test]
async fn what_was_acknowledged_outlives_a_kill_of_postgres() {
    // Open to the account that runs Postgres, which is not ours when we are root.
    let data = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir_in("/tmp").unwrap();
    let server = Process::start_in(data.path());
    let front = Front::at(server.port());
    let url = Cluster::running_url(&data.path().join("postgres"), pg_cluster::DATABASE).unwrap().unwrap();
    let pool = PgPool::connect(&url).await.unwrap();
    let (mut tally, mut slowest) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(2) {
        let trader = front.trader(&format!("postgres{round}"));
        let (ledger, back) = write_through(&front, &trader, &Kind::ALL, round, || {
            let killed = server.children("postgres")[0];
            signal(killed, "KILL");
            // Until the server has noticed.
            while server.children("postgres").contains(&killed) {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        await_ready(&server, true);
        tally += ledger.settle_trades(&front, &trader);
        tally += ledger.settle_applications(&pool, &data.path().join("resumes")).await;
        slowest = slowest.max(back);
    }
    report("Postgres killed", rounds(2), &tally, &back_after(slowest));
}
