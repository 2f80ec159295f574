//! The server is told to stop while clients write: whom it has read it answers.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
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
}

impl Crowd {
    /// Adds trades until nobody listens any more. Whatever else goes wrong is a failure.
    async fn add(&self, number: usize) {
        if let Err(error) = self.add_until_refused(number).await
            && error.kind() != ErrorKind::ConnectionRefused
        {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Adds trades, each connection kept as long as the server wants to.
    async fn add_until_refused(&self, number: usize) -> io::Result<()> {
        loop {
            let mut connection = Connection::open(self.port).await?;
            loop {
                let add = Add::by(&self.traders[number]);
                let answer = match connection.ask(&add).await {
                    // It came between the last that were taken and the end of the listener: as good as refused.
                    Err(error) if !connection.answered && is_unread(&error) => {
                        self.acknowledged.note_unread(&add);
                        return Ok(());
                    }
                    answer => answer?,
                };
                assert_eq!(answer.status, 200);
                self.acknowledged.note(&add);
                if answer.is_last {
                    break;
                }
            }
        }
    }
}

/// Whether the system says that nobody has read what was sent.
fn is_unread(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)
}

#[test]
fn a_connection_that_nobody_took_is_reset_and_one_that_was_read_is_not() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let ask = || {
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.write_all(b"x").unwrap();
        client
    };
    let (mut read, mut unread) = (ask(), ask());
    listener.accept().unwrap().0.read_exact(&mut [0]).unwrap();
    drop(listener);
    assert_eq!(read.read(&mut [0]).unwrap(), 0);
    assert!(is_unread(&unread.read(&mut [0]).unwrap_err()));
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
async fn a_server_that_stops_answers_everybody_it_has_read(pool: PgPool) {
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
        });
        stop_under_load(&mut server, &crowd, Duration::from_millis(100 + (round as u64 * 37) % 200));
        server.start_again();
        assert_eq!(crowd.failed.load(Ordering::Relaxed), 0, "requests failed that may have been read");
        tally += crowd.acknowledged.settle(&front, &crowd.traders);
        turned_away += crowd.acknowledged.count_unread();
    }
    let beside = format!("none failed, {turned_away} turned away unread");
    report("SIGTERM under load", rounds(2), &tally, &beside);
}
