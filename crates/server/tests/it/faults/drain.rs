//! SIGTERM while clients write: the server replies to every request that it has read.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio::runtime::Builder;
use tokio::task::JoinSet;

use super::load::{AcknowledgedTrades, AddTrade, Connection};
use super::writers::{Client, Tally, Trader};
use super::{report, rounds};
use crate::process::Process;

const CLIENTS: usize = 16;

/// Clients that write until the server stops accepting connections.
struct WritingClients {
    port: u16,
    traders: Vec<Trader>,
    acknowledged: AcknowledgedTrades,
    failed: AtomicUsize,
}

impl WritingClients {
    /// Adds trades until connections are refused. Any other error is a failure.
    async fn run_client(&self, number: usize) {
        if let Err(error) = self.add_until_refused(number).await
            && error.kind() != ErrorKind::ConnectionRefused
        {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Adds trades, and keeps each connection as long as the server allows.
    async fn add_until_refused(&self, number: usize) -> io::Result<()> {
        loop {
            let mut connection = Connection::open(self.port).await?;
            loop {
                let add = AddTrade::new(&self.traders[number]);
                let reply = match connection.send(&add).await {
                    // It arrived after the last accepted connection and before the listener closed: as good as refused.
                    Err(error) if !connection.has_replied && is_unread(&error) => {
                        self.acknowledged.record_unread(&add);
                        return Ok(());
                    }
                    reply => reply?,
                };
                assert_eq!(reply.status, 200);
                self.acknowledged.record(&add);
                if reply.is_last {
                    break;
                }
            }
        }
    }
}

/// Returns true if the error means that the server has not read the request.
fn is_unread(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)
}

#[test]
fn an_unaccepted_connection_is_reset_and_one_that_was_read_is_not() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connect = || {
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.write_all(b"x").unwrap();
        client
    };
    let (mut read, mut unread) = (connect(), connect());
    listener.accept().unwrap().0.read_exact(&mut [0]).unwrap();
    drop(listener);
    assert_eq!(read.read(&mut [0]).unwrap(), 0);
    assert!(is_unread(&unread.read(&mut [0]).unwrap_err()));
}

/// Lets all clients write, and stops the server after `delay`.
fn stop_under_load(server: &mut Process, clients: &Arc<WritingClients>, delay: Duration) {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let mut tasks = JoinSet::new();
    for number in 0..CLIENTS {
        let clients = Arc::clone(clients);
        tasks.spawn_on(async move { clients.run_client(number).await }, runtime.handle());
    }
    std::thread::sleep(delay);
    assert!(server.stop(), "the server did not exit successfully");
    // The test's task cannot block on the clients.
    std::thread::spawn(move || runtime.block_on(tasks.join_all())).join().unwrap();
}

#[sqlx::test(migrations = "../../migrations")]
async fn a_stopping_server_replies_to_every_request_it_has_read(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let mut server = Process::start_with(&pool, data.path(), |command| command);
    let (mut tally, mut refused_count) = (Tally::default(), 0);
    for round in 0..rounds(2) {
        let client = Client::new(server.port());
        let traders = (0..CLIENTS).map(|number| client.register_trader(&format!("drain{round}-{number}"))).collect();
        let clients = Arc::new(WritingClients {
            port: server.port(),
            traders,
            acknowledged: AcknowledgedTrades::default(),
            failed: AtomicUsize::new(0),
        });
        stop_under_load(&mut server, &clients, Duration::from_millis(100 + (round as u64 * 37) % 200));
        server.restart();
        assert_eq!(clients.failed.load(Ordering::Relaxed), 0, "requests failed that may have been read");
        tally += clients.acknowledged.check_logs(&client, &clients.traders);
        refused_count += clients.acknowledged.count_unread();
    }
    let recovery = format!("none failed, {refused_count} connections refused unread");
    report("SIGTERM under load", rounds(2), &tally, &recovery);
}
