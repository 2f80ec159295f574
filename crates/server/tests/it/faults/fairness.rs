//! Clients that take more than their share: slow readers, trickled bodies, one account with heavy requests, and floods of
//! requests that need no account. Other users must not get an error. Their response times are printed.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::PgPool;
use tokio::runtime::Builder;

use super::load::{AcknowledgedTrades, AddTrade, Connection};
use super::report;
use super::writers::{Client, Trader, create_preview, post_json, trade_json};
use crate::process::{Process, request_head};

/// Trades that the other user adds to measure response times.
const MEASURED_TRADES: usize = 60;
/// Pause between them.
const PAUSE: Duration = Duration::from_millis(20);
/// Unread responses.
const SLOW_READERS: usize = 300;
/// Unread responses per connection, and bodies that do not arrive per address.
const STREAMS_PER_CONNECTION: usize = 32;
/// Addresses of the clients with bodies that do not arrive.
const TRICKLING_ADDRESSES: usize = 4;
/// Clients of a flood.
const FLOOD_CLIENTS: usize = 40;
/// Niceness of the threads that send a flood: the lowest priority.
const ATTACK_NICENESS: i32 = 19;

/// Number of replies by status.
#[derive(Default)]
struct Statuses(Mutex<BTreeMap<u16, usize>>);

impl Statuses {
    fn count(&self, status: u16) {
        *self.0.lock().unwrap().entry(status).or_default() += 1;
    }

    fn text(&self) -> String {
        let counts = self.0.lock().unwrap();
        let counts: Vec<_> = counts.iter().map(|(status, count)| format!("{count} × {status}")).collect();
        if counts.is_empty() { "none read".to_owned() } else { counts.join(", ") }
    }
}

/// Server that takes the addresses of clients from a proxy, and its users.
struct Site {
    server: Process,
    client: Client,
    attacker: Trader,
    user: Trader,
    acknowledged: AcknowledgedTrades,
}

impl Site {
    fn start(pool: &PgPool, data: &std::path::Path) -> Self {
        let server = Process::start_with(pool, data, |command| {
            command.args(["--trusted-proxies", "127.0.0.1", "--rate-limits", "off"])
        });
        let client = Client::new(server.port());
        let (attacker, user) = (client.register_trader("attacker"), client.register_trader("user"));
        Self { server, client, attacker, user, acknowledged: AcknowledgedTrades::default() }
    }

    /// Adds trades one after the other and counts the statuses. Returns the 99th percentile of the response times.
    fn measure(&self, statuses: &Statuses) -> Duration {
        let add_trades = async {
            let mut connection = Connection::open(self.server.port()).await.unwrap();
            let mut times = Vec::new();
            for _ in 0..MEASURED_TRADES {
                let add = AddTrade::new(&self.user);
                let started = Instant::now();
                let reply = connection.send(&add).await.unwrap();
                times.push(started.elapsed());
                statuses.count(reply.status);
                if reply.status == 200 {
                    self.acknowledged.record(&add);
                }
                if reply.is_last {
                    connection = Connection::open(self.server.port()).await.unwrap();
                }
                tokio::time::sleep(PAUSE).await;
            }
            times
        };
        // On a thread of its own, because the test itself runs on a runtime.
        let run = || Builder::new_current_thread().enable_all().build().unwrap().block_on(add_trades);
        let mut times = thread::scope(|scope| scope.spawn(run).join().unwrap());
        times.sort();
        times[times.len() * 99 / 100]
    }

    /// Measures without load and during `attack`, which runs until the flag is set and counts the statuses that it gets,
    /// and adds a row to the table. The other user must not get an error.
    fn measure_during(&self, fault: &str, attack: impl Fn(&AtomicBool, &Statuses) + Sync) {
        let [user_statuses, attacker_statuses] = [Statuses::default(), Statuses::default()];
        let idle = self.measure(&Statuses::default());
        let stop = AtomicBool::new(false);
        let attacked = thread::scope(|scope| {
            let _stop = StopOnDrop(&stop);
            scope.spawn(|| attack(&stop, &attacker_statuses));
            thread::sleep(Duration::from_millis(500));
            self.measure(&user_statuses)
        });
        let tally = self.acknowledged.check_logs(&self.client, std::slice::from_ref(&self.user));
        let recovery = format!(
            "p99 of another user {} ms, idle {} ms, replies {}; replies of the attack: {}",
            attacked.as_millis(),
            idle.as_millis(),
            user_statuses.text(),
            attacker_statuses.text()
        );
        report(fault, 1, &tally, &recovery);
        assert_eq!(user_statuses.text(), format!("{MEASURED_TRADES} × 200"), "another user noticed");
    }
}

struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns a frame of HTTP/2 (RFC 9113, section 4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Opens an HTTP/2 connection that accepts no bytes of responses, and sends `count` requests on it. Each has a body that
/// never arrives if `has_body` is true.
fn open_streams(port: u16, count: usize, has_body: bool, headers: &[(&str, &str)]) -> TcpStream {
    const SETTINGS: u8 = 4;
    const HEADERS: u8 = 1;
    const END_STREAM: u8 = 1;
    const END_HEADERS: u8 = 4;
    // SETTINGS_INITIAL_WINDOW_SIZE = 0.
    let mut bytes = [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0])].concat();
    // Literal fields without indexing (RFC 7541, section 6.2.2).
    let mut block = Vec::new();
    for (name, value) in headers {
        block.extend([0, u8::try_from(name.len()).unwrap()]);
        block.extend(name.as_bytes());
        // A length of 127 or more continues in further bytes.
        match value.len() {
            length @ 0..127 => block.push(length as u8),
            length @ 127..255 => block.extend([127, (length - 127) as u8]),
            length => block.extend([127, ((length - 127) % 128) as u8 | 128, ((length - 127) / 128) as u8]),
        }
        block.extend(value.as_bytes());
    }
    let end_stream = if has_body { 0 } else { END_STREAM };
    for number in 0..u32::try_from(count).unwrap() {
        bytes.extend(frame(HEADERS, END_HEADERS | end_stream, 2 * number + 1, &block));
    }
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(&bytes).unwrap();
    stream
}

/// Keeps `SLOW_READERS` unread responses to `GET path` open, from many addresses, until `stop` is set.
fn read_slowly(port: u16, path: &str, bearer: &str, stop: &AtomicBool) {
    let connections: Vec<_> = (0..SLOW_READERS.div_ceil(STREAMS_PER_CONNECTION))
        .map(|number| {
            let address = format!("203.0.113.{}", number + 1);
            let headers = [
                (":method", "GET"),
                (":scheme", "http"),
                (":authority", "localhost"),
                (":path", path),
                ("accept-encoding", "gzip"),
                ("x-forwarded-for", &address),
                ("authorization", bearer),
            ];
            let count = if bearer.is_empty() { headers.len() - 1 } else { headers.len() };
            open_streams(port, STREAMS_PER_CONNECTION, false, &headers[..count])
        })
        .collect();
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(PAUSE);
    }
    drop(connections);
}

#[sqlx::test(migrations = "../../migrations")]
async fn s1_slow_readers_do_not_stop_others(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let site = Site::start(&pool, data.path());
    let port = site.server.port();
    site.measure_during("300 slow readers of a file", |stop, _| read_slowly(port, "/api/openapi.yaml", "", stop));
    let trades: Vec<_> = (0..2_000).map(|minute| trade_json("SLOW", "sell", minute)).collect();
    let book = json!({ "broker": "groww", "tradetype": "equity", "trades": trades });
    post_json(&site.client, &site.attacker, "/trades/replace", "slow", &book);
    let bearer = &site.attacker.bearer;
    site.measure_during("300 slow readers of a list", |stop, _| read_slowly(port, "/trades/client", bearer, stop));
}

#[sqlx::test(migrations = "../../migrations")]
async fn s7_bodies_that_do_not_arrive_do_not_stop_others(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let site = Site::start(&pool, data.path());
    site.measure_during("128 trickled bodies from 4 addresses", |stop, _| {
        let connections: Vec<_> = (0..TRICKLING_ADDRESSES)
            .map(|number| {
                let address = format!("203.0.113.{}", number + 1);
                let headers = [
                    (":method", "POST"),
                    (":scheme", "http"),
                    (":authority", "localhost"),
                    (":path", "/auth/login"),
                    ("content-type", "application/json"),
                    ("content-length", "1000"),
                    ("x-forwarded-for", &address),
                ];
                open_streams(site.server.port(), STREAMS_PER_CONNECTION, true, &headers)
            })
            .collect();
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(PAUSE);
        }
        drop(connections);
    });
}

/// Sends requests from `FLOOD_CLIENTS` clients until `stop` is set. Each must get one of the `expected` statuses.
fn flood(port: u16, requests: &[(String, &str)], expected: &[u16], stop: &AtomicBool, statuses: &Statuses) {
    thread::scope(|scope| {
        for number in 0..FLOOD_CLIENTS {
            let (head, body) = &requests[number % requests.len()];
            scope.spawn(move || {
                // The attack comes from other machines, so its threads leave the processor to the server.
                rustix::process::nice(ATTACK_NICENESS).unwrap();
                while !stop.load(Ordering::Relaxed) {
                    let status = send_once(port, head, body).unwrap();
                    assert!(expected.contains(&status), "{status}: {head}");
                    statuses.count(status);
                    thread::sleep(Duration::from_millis(1));
                }
            });
        }
    });
    assert!(!statuses.0.lock().unwrap().is_empty());
}

fn send_once(port: u16, head: &str, body: &str) -> io::Result<u16> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply)?;
    let status = String::from_utf8_lossy(&reply).split(' ').nth(1).and_then(|status| status.parse().ok());
    status.ok_or(io::ErrorKind::UnexpectedEof.into())
}

#[sqlx::test(migrations = "../../migrations")]
async fn s2_one_account_that_repeats_a_heavy_preview_does_not_stop_others(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let site = Site::start(&pool, data.path());
    let form = create_preview(&site.client, &site.attacker, "HEAVY", 0);
    let form = String::from_utf8(form).unwrap();
    let preview_id = form.split("\r\n\r\n").nth(1).unwrap().lines().next().unwrap();
    // Makes every request compare the file again, and read many rows.
    let repeat = "insert into trades.preview_trade
                  select (jsonb_populate_record(t, jsonb_build_object(
                      'place', t.place + 1000 * n, 'source_key', t.source_key || '-' || n))).*
                  from trades.preview_trade t, generate_series(1, 500) n";
    sqlx::query(repeat).execute(&pool).await.unwrap();
    sqlx::query("update trades.preview set trades = 20040, saved_response = null").execute(&pool).await.unwrap();
    let bearer = [("authorization", site.attacker.bearer.as_str())];
    let path = format!("/uploadexcel/preview/{preview_id}");
    let requests = [(request_head("GET", &path, &bearer, 0), "")];
    site.measure_during("40 clients repeat a heavy preview", |stop, statuses| {
        thread::scope(|scope| {
            scope.spawn(|| flood(site.server.port(), &requests, &[200, 503], stop, statuses));
            let mut number = 0;
            while !stop.load(Ordering::Relaxed) {
                number += 1;
                let book = json!({ "broker": "groww", "tradetype": "equity",
                                   "trade": trade_json("X", "buy", number % 1_000) });
                post_json(&site.client, &site.attacker, "/trades/add", &format!("heavy{number}"), &book);
                thread::sleep(Duration::from_millis(100));
            }
        });
    });
}

#[sqlx::test(migrations = "../../migrations")]
async fn s2_one_account_that_repeats_heavy_exports_and_analytics_does_not_stop_others(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let site = Site::start(&pool, data.path());
    let trades: Vec<_> = (0..20_000).map(|minute| trade_json("HEAVY", "buy", minute % 1_000)).collect();
    let book = json!({ "broker": "groww", "tradetype": "equity", "trades": trades });
    post_json(&site.client, &site.attacker, "/trades/replace", "heavy", &book);
    let bearer = [("authorization", site.attacker.bearer.as_str())];
    let paths = ["/trades/export?format=xlsx", "/trades/export", "/analytics/overview", "/analytics/groups?by=symbol"];
    let requests = paths.map(|path| (request_head("GET", path, &bearer, 0), ""));
    site.measure_during("40 clients repeat exports and analytics", |stop, statuses| {
        flood(site.server.port(), &requests, &[200, 503, 504], stop, statuses);
    });
}

#[sqlx::test(migrations = "../../migrations")]
async fn s6_floods_without_an_account_do_not_stop_others(pool: PgPool) {
    let data = tempfile::tempdir().unwrap();
    let site = Site::start(&pool, data.path());
    let json = [("content-type", "application/json"), ("x-forwarded-for", "203.0.113.1")];
    let token = r#"{"token":"eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSIsImtpZCI6IngifQ.eyJqdGkiOiJ4In0.x","confirm":true}"#;
    let requests = [
        (request_head("GET", "/.well-known/jwks.json", &json[1..], 0), ""),
        (request_head("POST", "/auth/exchange", &json, token.len()), token),
    ];
    site.measure_during("floods on the key set and token exchange", |stop, statuses| {
        flood(site.server.port(), &requests, &[200, 401, 503], stop, statuses);
    });
}
