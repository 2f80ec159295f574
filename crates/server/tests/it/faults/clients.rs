//! Clients that disconnect at any moment, and clients that send one byte at a time.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use sqlx::PgPool;

use super::writers::{Client, Tally, WriteKind, write_during_fault};
use super::{RECOVERY_TIMEOUT, format_recovery, report, rounds};
use crate::process::{Process, request_head};

#[sqlx::test(migrations = "../../migrations")]
async fn acknowledged_writes_are_stored_once_when_clients_disconnect(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start_with(&pool, data.path(), |command| command);
    let (client, disconnecting_client) = (Client::new(server.port()), Client::new(server.port()).disconnecting());
    let mut tally = Tally::default();
    for round in 0..rounds(2) {
        let trader = client.register_trader(&format!("rude{round}"));
        let (acknowledged_writes, _) =
            write_during_fault(&disconnecting_client, &trader, &WriteKind::ALL, round, || {
                std::thread::sleep(Duration::from_millis(500));
            });
        tally += acknowledged_writes.check_trades(&client, &trader);
        tally += acknowledged_writes.check_applications(&pool, &data.path().join("resumes")).await;
    }
    report("clients hang up", rounds(2), &tally, "every second request was cut");
}

/// Connections that send the head of a request byte by byte.
const SLOW_HEADS: usize = 1_000;
/// Connections that send the body of a request byte by byte.
const SLOW_BODIES: usize = 100;

/// Opens connections with the beginnings of slow heads and bodies.
fn open_slow_connections(port: u16) -> Vec<TcpStream> {
    let body = request_head("POST", "/auth/login", &[("content-type", "application/json")], 4_000);
    let begin = |number| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let beginning = if number < SLOW_HEADS { "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: " } else { body.as_str() };
        stream.write_all(beginning.as_bytes()).unwrap();
        stream.set_nonblocking(true).unwrap();
        stream
    };
    (0..SLOW_HEADS + SLOW_BODIES).map(begin).collect()
}

/// Sends a byte on each connection five times a second until the server has closed all of them. Returns the number still
/// open after the timeout.
fn send_slowly(mut streams: Vec<TcpStream>) -> usize {
    let started = Instant::now();
    while !streams.is_empty() && started.elapsed() < RECOVERY_TIMEOUT {
        streams.retain_mut(|stream| {
            let open = match stream.read(&mut [0; 1024]) {
                Ok(read) => read > 0,
                Err(error) => error.kind() == io::ErrorKind::WouldBlock,
            };
            open && stream.write_all(b"x").is_ok()
        });
        std::thread::sleep(Duration::from_millis(200));
    }
    streams.len()
}

#[sqlx::test(migrations = "../../migrations")]
async fn slow_clients_do_not_prevent_writes(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start_with(&pool, data.path(), |command| command);
    let client = Client::new(server.port());
    let (mut tally, mut slowest_recovery) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(1) {
        let trader = client.register_trader(&format!("slow{round}"));
        let streams = open_slow_connections(server.port());
        let still_open = std::thread::scope(|scope| {
            let sender = scope.spawn(|| send_slowly(streams));
            let (acknowledged_writes, recovery) = write_during_fault(&client, &trader, &WriteKind::ALL, round, || {
                std::thread::sleep(Duration::from_secs(1));
            });
            tally += acknowledged_writes.check_trades(&client, &trader);
            slowest_recovery = slowest_recovery.max(recovery);
            sender.join().unwrap()
        });
        assert_eq!(still_open, 0, "the server did not close the connections of slow clients");
    }
    report("1,000 slow heads, 100 slow bodies", rounds(1), &tally, &format_recovery(slowest_recovery));
}
