//! Clients that hang up at any moment, and clients that send a byte now and then.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use sqlx::PgPool;

use super::writers::{Front, Kind, Tally, write_through};
use super::{RECOVERY, back_after, report, rounds};
use crate::process::{Process, head};

#[sqlx::test(migrations = "../../migrations")]
async fn what_was_acknowledged_is_there_once_however_often_clients_hang_up(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start_with(&pool, data.path(), |command| command);
    let (front, rude) = (Front::at(server.port()), Front::at(server.port()).hanging_up());
    let mut tally = Tally::default();
    for round in 0..rounds(2) {
        let trader = front.trader(&format!("rude{round}"));
        let (ledger, _) =
            write_through(&rude, &trader, &Kind::ALL, round, || std::thread::sleep(Duration::from_millis(500)));
        tally += ledger.settle_trades(&front, &trader);
        tally += ledger.settle_applications(&pool, &data.path().join("resumes")).await;
    }
    report("clients hang up", rounds(2), &tally, "every second request");
}

const HEADS: usize = 1_000;
const BODIES: usize = 100;

/// A thousand heads and a hundred bodies that come byte by byte.
fn slow_clients(port: u16) -> Vec<TcpStream> {
    let body = head("POST", "/auth/login", &[("content-type", "application/json")], 4_000);
    let begin = |number| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let beginning = if number < HEADS { "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: " } else { body.as_str() };
        stream.write_all(beginning.as_bytes()).unwrap();
        stream.set_nonblocking(true).unwrap();
        stream
    };
    (0..HEADS + BODIES).map(begin).collect()
}

/// Sends a byte on each now and then until the server has ended all; how many it never does.
fn trickle(mut streams: Vec<TcpStream>) -> usize {
    let started = Instant::now();
    while !streams.is_empty() && started.elapsed() < RECOVERY {
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
async fn a_thousand_slow_heads_and_a_hundred_slow_bodies_keep_nobody_from_writing(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let server = Process::start_with(&pool, data.path(), |command| command);
    let front = Front::at(server.port());
    let (mut tally, mut slowest) = (Tally::default(), Duration::ZERO);
    for round in 0..rounds(1) {
        let trader = front.trader(&format!("slow{round}"));
        let streams = slow_clients(server.port());
        let left = std::thread::scope(|scope| {
            let trickling = scope.spawn(|| trickle(streams));
            let (ledger, back) =
                write_through(&front, &trader, &Kind::ALL, round, || std::thread::sleep(Duration::from_secs(1)));
            tally += ledger.settle_trades(&front, &trader);
            slowest = slowest.max(back);
            trickling.join().unwrap()
        });
        assert_eq!(left, 0, "slow clients hold their connections for ever");
    }
    report("1,000 slow heads, 100 slow bodies", rounds(1), &tally, &back_after(slowest));
}
