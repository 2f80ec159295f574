//! Overload: five times as many requests as the server can process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio::runtime::Builder;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval};

use super::load::{AcknowledgedTrades, AddTrade, Connection};
use super::writers::{Client, Tally, Trader};
use super::{report, rounds};
use crate::process::Process;

/// Number of traders; so many that parallel requests seldom have the same trader and wait for each other.
const TRADERS: usize = 96;
/// Number of clients that saturate the server; more clients get no more done.
const SATURATING_CLIENTS: usize = 24;
/// Offered load, as a multiple of the capacity.
const OVERLOAD_FACTOR: f64 = 5.0;
/// Duration of each measurement.
const MEASUREMENT_TIME: Duration = Duration::from_secs(3);

/// Clients of the server, and their results.
struct LoadClients {
    port: u16,
    traders: Vec<Trader>,
    acknowledged: AcknowledgedTrades,
    rejected: AtomicUsize,
    /// Time of the last acknowledged trade.
    last_done: Mutex<Instant>,
    /// Idle connections.
    idle: Mutex<Vec<Connection>>,
}

impl LoadClients {
    /// Returns a trade for the trader with this number.
    fn next_trade(&self, number: usize) -> AddTrade {
        AddTrade::new(&self.traders[number % TRADERS])
    }

    /// Adds a trade. A 503 reply must have a `Retry-After` header.
    async fn add(&self, add: AddTrade) {
        let idle = self.idle.lock().await.pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => Connection::open(self.port).await.unwrap(),
        };
        let reply = connection.send(&add).await.unwrap();
        match reply.status {
            200 => {
                self.acknowledged.record(&add);
                *self.last_done.lock().await = Instant::now();
            }
            503 => {
                assert!(reply.has_retry_after, "a 503 reply has no Retry-After");
                self.rejected.fetch_add(1, Ordering::Relaxed);
            }
            // The request waited too long for another write of the same trader.
            409 => {}
            status => panic!("{status} under load"),
        }
        if !reply.is_last {
            self.idle.lock().await.push(connection);
        }
    }

    /// Returns the trades added per second by clients that each wait for their reply.
    async fn measure_capacity(self: &Arc<Self>) -> f64 {
        // The server closes connections that were idle for seconds.
        self.idle.lock().await.clear();
        let before = self.acknowledged.count();
        let end = Instant::now() + MEASUREMENT_TIME;
        let mut clients = JoinSet::new();
        for client in 0..SATURATING_CLIENTS {
            let load_clients = Arc::clone(self);
            clients.spawn(async move {
                while Instant::now() < end {
                    load_clients.add(load_clients.next_trade(client)).await;
                }
            });
        }
        clients.join_all().await;
        self.throughput_since(before, end - MEASUREMENT_TIME).await
    }

    /// Returns the trades added per second since `started`, when `before` were acknowledged.
    async fn throughput_since(&self, before: usize, started: Instant) -> f64 {
        let elapsed = self.last_done.lock().await.duration_since(started);
        (self.acknowledged.count() - before) as f64 / elapsed.as_secs_f64()
    }

    /// Offers `rate` trades per second without waiting for replies. Returns the trades added and offered per second.
    async fn measure_goodput(self: &Arc<Self>, rate: f64) -> (f64, f64) {
        self.idle.lock().await.clear();
        // Created before the measurement, because the server would lack that CPU time.
        let count = (rate * MEASUREMENT_TIME.as_secs_f64()) as usize;
        let mut pending: Vec<AddTrade> = (0..count).map(|number| self.next_trade(number)).collect();
        let before = self.acknowledged.count();
        let started = Instant::now();
        let mut ticks = interval(Duration::from_millis(2));
        let mut requests = JoinSet::new();
        while !pending.is_empty() {
            ticks.tick().await;
            let due = started.elapsed().as_secs_f64() * rate;
            for add in pending.drain(count.saturating_sub(due as usize).min(pending.len())..) {
                let load_clients = Arc::clone(self);
                requests.spawn(async move { load_clients.add(add).await });
            }
            while requests.try_join_next().is_some() {}
        }
        let offered = count as f64 / started.elapsed().as_secs_f64();
        requests.join_all().await;
        (self.throughput_since(before, started).await, offered)
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn rejects_excess_requests_and_keeps_goodput_high(pool: PgPool) {
    let server = Process::start(&pool);
    let client = Client::new(server.port());
    let traders = (0..TRADERS).map(|number| client.register_trader(&format!("overload{number}"))).collect();
    let load_clients = Arc::new(LoadClients {
        port: server.port(),
        traders,
        acknowledged: AcknowledgedTrades::default(),
        rejected: AtomicUsize::new(0),
        last_done: Mutex::new(Instant::now()),
        idle: Mutex::default(),
    });
    let runs = rounds(1).min(5);
    let load = Arc::clone(&load_clients);
    let (capacity, goodput, offered) = std::thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (mut capacity, mut goodput, mut offered) = (0.0, 0.0, 0.0);
            for _ in 0..runs {
                let run_capacity = load.measure_capacity().await;
                capacity += run_capacity;
                let (run_goodput, run_offered) = load.measure_goodput(OVERLOAD_FACTOR * run_capacity).await;
                goodput += run_goodput;
                offered += run_offered;
            }
            (capacity / runs as f64, goodput / runs as f64, offered / runs as f64)
        })
    })
    .join()
    .unwrap();
    let tally: Tally = load_clients.acknowledged.check_logs(&client, &load_clients.traders);
    let share = 100.0 * goodput / capacity;
    let rejected = load_clients.rejected.load(Ordering::Relaxed);
    let factor = offered / capacity;
    let recovery = format!("goodput {share:.0} % of {capacity:.0} per second, {factor:.1}× offered, {rejected} shed");
    report("overload at 5×", runs, &tally, &recovery);
    assert!(rejected > 0, "no request was shed");
    // The figures are only meaningful without other load: `just faults` runs this test alone.
    if std::env::var_os("FAULT_ROUNDS").is_some() {
        assert!(factor >= 0.9 * OVERLOAD_FACTOR, "{factor:.1}× offered");
        assert!(share >= 80.0, "goodput {share:.0} %");
    }
}
