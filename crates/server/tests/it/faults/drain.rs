//! The server is told to stop while clients write: whom it has taken it answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio::runtime::Builder;
use tokio::task::JoinSet;

use super::load::{Acknowledged, Add, Connection};
use super::writers::{Front, Tally, Trader};
use super::{report, rounds};
use crate::process::Process;

const CLIENTS: usize = 16;

/// Those who write until the server takes nobody any more.
struct Crowd {
    port: u16,
    traders: Vec<Trader>,
    acknowledged: Acknowledged,
    failed: AtomicUsize,
    turned_away: AtomicUsize,
}

impl Crowd {
    /// Adds trades, each connection kept as long as the server wants to.
    async fn add(&self, number: usize) {
        while let Ok(mut connection) = Connection::open(self.port).await {
            loop {
                let add = Add::by(&self.traders[number]);
                match connection.ask(&add).await {
                    Ok(answer) => {
                        assert_eq!(answer.status, 200);
                        self.acknowledged.note(number, &add);
                        if answer.is_last {
                            break;
                        }
                    }
                    // Nobody has taken this connection: it is as if it had been refused.
                    Err(_) if !connection.answered => {
                        self.turned_away.fetch_add(1, Ordering::Relaxed);
                        return;
                    }
                    Err(_) => {
                        self.failed.fetch_add(1, Ordering::Relaxed);
                        return;
                    }
                }
            }
        }
    }
}

/// Lets all write, and tells the server to stop.
fn stop_under_load(server: &mut Process, crowd: &Arc<Crowd>, moment: Duration) {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let crowd = Arc::clone(crowd);
        clients.spawn_on(async move { crowd.add(number).await }, runtime.handle());
    }
    std::thread::sleep(moment);
    assert!(server.stop(), "the server did not end well");
    // In the test's own task nothing can be waited for.
    std::thread::spawn(move || runtime.block_on(clients.join_all())).join().unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_server_that_stops_answers_everybody_it_has_taken(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let mut server = Process::start_with(&pool, data.path(), |command| command);
    let (mut tally, mut turned_away) = (Tally::default(), 0);
    for round in 0..rounds(2) {
        let front = Front::at(server.port());
        let traders = (0..CLIENTS).map(|number| front.trader(&format!("drain{round}-{number}"))).collect();
        let crowd = Arc::new(Crowd {
            port: server.port(),
            traders,
            acknowledged: Acknowledged::default(),
            failed: AtomicUsize::new(0),
            turned_away: AtomicUsize::new(0),
        });
        stop_under_load(&mut server, &crowd, Duration::from_millis(100 + (round as u64 * 37) % 200));
        server.start_again();
        assert_eq!(crowd.failed.load(Ordering::Relaxed), 0, "requests of connections that were taken failed");
        tally += crowd.acknowledged.settle(&front, &crowd.traders);
        turned_away += crowd.turned_away.load(Ordering::Relaxed);
    }
    let beside = format!("none failed, {turned_away} turned away unread");
    report("SIGTERM under load", rounds(2), &tally, &beside);
}
