//! Five times as much is asked as can be done.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio::runtime::Builder;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval};

use super::load::{Acknowledged, Add, Connection};
use super::writers::{Front, Tally, Trader};
use super::{report, rounds};
use crate::process::Process;

/// So many that those who are answered at once seldom are the same, who would wait for each other.
const TRADERS: usize = 96;
/// So many clients keep the server busy without more of them getting more done.
const ENOUGH: usize = 24;
const TIMES: f64 = 5.0;
const LONG: Duration = Duration::from_secs(3);

/// Those who ask.
struct Crowd {
    port: u16,
    traders: Vec<Trader>,
    acknowledged: Acknowledged,
    shed: AtomicUsize,
    last_done: Mutex<Instant>,
    /// Connections that nobody uses now.
    idle: Mutex<Vec<Connection>>,
}

impl Crowd {
    /// A trade for the trader of that number to add.
    fn next(&self, number: usize) -> Add {
        Add::by(&self.traders[number % TRADERS])
    }

    /// Adds a trade. Refused is refused at once, with a word on when to come back.
    async fn add(&self, add: Add) {
        let idle = self.idle.lock().await.pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => Connection::open(self.port).await.unwrap(),
        };
        let answer = connection.ask(&add).await.unwrap();
        match answer.status {
            200 => {
                self.acknowledged.note(&add);
                *self.last_done.lock().await = Instant::now();
            }
            503 => {
                assert!(answer.has_retry_after, "a refusal does not say when to come back");
                self.shed.fetch_add(1, Ordering::Relaxed);
            }
            // It has waited too long for another write of the same trader.
            409 => {}
            status => panic!("{status} under load"),
        }
        if !answer.is_last {
            self.idle.lock().await.push(connection);
        }
    }

    /// How many are added in a second by so many clients, each of which waits for its answer.
    async fn capacity(self: &Arc<Self>) -> f64 {
        // What nobody used for seconds, the server closes.
        self.idle.lock().await.clear();
        let before = self.acknowledged.count();
        let end = Instant::now() + LONG;
        let mut clients = JoinSet::new();
        for client in 0..ENOUGH {
            let crowd = Arc::clone(self);
            clients.spawn(async move {
                while Instant::now() < end {
                    crowd.add(crowd.next(client)).await;
                }
            });
        }
        clients.join_all().await;
        self.pace(before, end - LONG).await
    }

    /// How many were added in a second since `started`, when there were `before`.
    async fn pace(&self, before: usize, started: Instant) -> f64 {
        let took = self.last_done.lock().await.duration_since(started);
        (self.acknowledged.count() - before) as f64 / took.as_secs_f64()
    }

    /// How many are added in a second when `rate` are asked for, whether they are answered or not; and how many were
    /// asked for.
    async fn goodput(self: &Arc<Self>, rate: f64) -> (f64, f64) {
        self.idle.lock().await.clear();
        // Made before, for the time that it takes would be the server's.
        let many = (rate * LONG.as_secs_f64()) as usize;
        let mut adds: Vec<Add> = (0..many).map(|number| self.next(number)).collect();
        let before = self.acknowledged.count();
        let started = Instant::now();
        let mut ticks = interval(Duration::from_millis(2));
        let mut asking = JoinSet::new();
        while !adds.is_empty() {
            ticks.tick().await;
            let due = started.elapsed().as_secs_f64() * rate;
            for add in adds.drain(many.saturating_sub(due as usize).min(adds.len())..) {
                let crowd = Arc::clone(self);
                asking.spawn(async move { crowd.add(add).await });
            }
            while asking.try_join_next().is_some() {}
        }
        let asked = many as f64 / started.elapsed().as_secs_f64();
        asking.join_all().await;
        (self.pace(before, started).await, asked)
    }
}

#[sqlx::test(migrations = "../../migrations")]
async fn five_times_too_much_is_shed_and_what_can_be_done_is_done(pool: PgPool) {
    let server = Process::start(&pool);
    let front = Front::at(server.port());
    let traders = (0..TRADERS).map(|number| front.trader(&format!("overload{number}"))).collect();
    let crowd = Arc::new(Crowd {
        port: server.port(),
        traders,
        acknowledged: Acknowledged::default(),
        shed: AtomicUsize::new(0),
        last_done: Mutex::new(Instant::now()),
        idle: Mutex::default(),
    });
    let runs = rounds(1).min(5);
    let asking = Arc::clone(&crowd);
    let (capacity, goodput, asked) = std::thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (mut capacity, mut goodput, mut asked) = (0.0, 0.0, 0.0);
            for _ in 0..runs {
                let alone = asking.capacity().await;
                capacity += alone;
                let (done, offered) = asking.goodput(TIMES * alone).await;
                goodput += done;
                asked += offered;
            }
            (capacity / runs as f64, goodput / runs as f64, asked / runs as f64)
        })
    })
    .join()
    .unwrap();
    let tally: Tally = crowd.acknowledged.settle(&front, &crowd.traders);
    let share = 100.0 * goodput / capacity;
    let shed = crowd.shed.load(Ordering::Relaxed);
    let times = asked / capacity;
    let beside = format!("goodput {share:.0} % of {capacity:.0} a second, {times:.1}× asked for, {shed} shed");
    report("overload at 5×", runs, &tally, &beside);
    assert!(shed > 0, "it was not too much");
    // Figures are only of use on a machine that does nothing else: `just faults` runs this alone.
    if std::env::var_os("FAULT_ROUNDS").is_some() {
        assert!(times >= 0.9 * TIMES, "{times:.1}× asked for");
        assert!(share >= 80.0, "goodput {share:.0} %");
    }
}
