//! What was acknowledged is there after a crash, whole and once; what was not is there whole, or not at all.
//!
//! `CRASH_ROUNDS` says how often the core is killed (Postgres: a quarter of it); 5 unless told.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::app::PASSWORD;
use crate::process::{self, Process};

/// Trades of one replace.
const LEGS: usize = 1_500;
/// A server that was killed is started this often at least.
const ROUNDS: usize = 5;

pub fn rounds() -> usize {
    std::env::var("CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS)
}

/// What a client asked for, and whether it heard that it was done.
#[derive(Debug)]
struct Asked {
    /// Stands in the symbol of every trade that came of it.
    mark: String,
    key: String,
    body: Vec<u8>,
    acknowledged: bool,
}

/// What the clients of one trader did so far.
#[derive(Default)]
struct Ledger {
    adds: Mutex<Vec<Asked>>,
    replaces: Mutex<Vec<Asked>>,
}

fn leg(mark: &str, side: &str, minute: usize) -> Value {
    let timestamp =
        format!("2026-03-{:02}T{:02}:{:02}:00+05:30", 1 + minute / 300 % 28, 9 + minute / 60 % 5, minute % 60);
    json!({ "symbol": mark, "price": 82.1, "quantity": 10, "timestamp": timestamp, "type": side })
}

fn bearer(server: &Process) -> String {
    let login = json!({ "email": "asha@example.in", "password": PASSWORD }).to_string();
    let (status, reply) = server.json("POST", "/auth/login", &[("content-type", "application/json")], login.as_bytes());
    assert_eq!(status, 200, "{reply:#}");
    format!("Bearer {}", reply["data"]["token"].as_str().unwrap())
}

fn post(port: u16, path: &str, bearer: &str, asked: &Asked) -> std::io::Result<(u16, Value)> {
    let headers = [
        ("authorization", bearer),
        ("content-type", "application/json"),
        ("prefer", "return=minimal"),
        ("idempotency-key", asked.key.as_str()),
    ];
    process::json(port, "POST", path, &headers, &asked.body)
}

/// Adds trades one after the other until the server is gone.
fn add(port: u16, bearer: &str, prefix: &str, ledger: &Ledger) {
    for number in 0.. {
        let mark = format!("{prefix}-{number}");
        let body = json!({ "broker": "zerodha", "tradetype": "equity", "trade": leg(&mark, "buy", number) });
        let mut asked = Asked { key: mark.clone(), mark, body: body.to_string().into_bytes(), acknowledged: false };
        let answer = post(port, "/trades/add", bearer, &asked);
        let gone = answer.is_err();
        asked.acknowledged = acknowledged(answer);
        ledger.adds.lock().unwrap().push(asked);
        if gone {
            return;
        }
    }
}

/// Replaces a book again and again until the server is gone.
fn replace(port: u16, bearer: &str, prefix: &str, ledger: &Ledger) {
    for number in 0.. {
        let mark = format!("{prefix}-{number}");
        let trades: Vec<Value> = (0..LEGS).map(|minute| leg(&mark, "sell", minute)).collect();
        let body = json!({ "broker": "groww", "tradetype": "equity", "trades": trades });
        let mut asked = Asked { key: mark.clone(), mark, body: body.to_string().into_bytes(), acknowledged: false };
        let answer = post(port, "/trades/replace", bearer, &asked);
        let gone = answer.is_err();
        asked.acknowledged = acknowledged(answer);
        ledger.replaces.lock().unwrap().push(asked);
        if gone {
            return;
        }
    }
}

/// Whether the server said that it was done. While it loses its database it may refuse, which promises nothing.
fn acknowledged(answer: std::io::Result<(u16, Value)>) -> bool {
    match answer {
        Ok((200, _)) => true,
        Ok((status, reply)) => {
            assert!(matches!(status, 500 | 503 | 504 | 409), "{status} {reply:#}");
            false
        }
        Err(_) => false,
    }
}

/// Lets three clients write for a while, then runs `kill`.
fn write_until(server: &Process, round: usize, ledger: &Ledger, kill: impl FnOnce()) {
    let (port, bearer) = (server.port(), bearer(server));
    std::thread::scope(|scope| {
        for client in 0..2 {
            let (bearer, prefix) = (&bearer, format!("A{round}-{client}"));
            scope.spawn(move || add(port, bearer, &prefix, ledger));
        }
        scope.spawn(|| replace(port, &bearer, &format!("R{round}"), ledger));
        // Another moment in each round, from the first request on.
        std::thread::sleep(Duration::from_millis(20 + (round as u64 * 37) % 280));
        kill();
    });
}

/// Holds what the server has against what its clients heard.
fn settle(server: &Process, ledger: &Ledger) {
    let bearer = bearer(server);
    let log = || server.json("GET", "/trades/client", &[("authorization", bearer.as_str())], b"").1;
    let count = |log: &Value, mark: &str| {
        log["trades"].as_array().unwrap().iter().filter(|trade| trade["symbol"] == mark).count()
    };

    let before = log();
    let adds = ledger.adds.lock().unwrap();
    for asked in adds.iter() {
        let found = count(&before, &asked.mark);
        assert!(found <= 1 && (found == 1 || !asked.acknowledged), "{found} × {asked:?}");
    }
    // The book is what one replace left: the last that was acknowledged, or one that was sent after it.
    let mut replaces = ledger.replaces.lock().unwrap();
    let last = replaces.iter().rposition(|asked| asked.acknowledged).unwrap_or(0);
    let standing: Vec<usize> = replaces
        .iter()
        .map(|asked| count(&before, &asked.mark))
        .enumerate()
        .filter(|(_, n)| *n > 0)
        .map(|(at, _)| at)
        .collect();
    assert!(standing.len() <= 1, "two replaces stand side by side: {standing:?}");
    if let Some(at) = standing.first() {
        assert!(*at >= last, "an acknowledged replace is gone");
        assert_eq!(count(&before, &replaces[*at].mark), LEGS, "half a replace");
    } else {
        assert!(!replaces.iter().any(|asked| asked.acknowledged), "an acknowledged replace is gone");
    }

    // Asked once more with the same key, everything is done, and once.
    for asked in adds.iter() {
        let (status, reply) = post(server.port(), "/trades/add", &bearer, asked).unwrap();
        assert_eq!(status, 200, "{reply:#}");
    }
    drop(adds);
    if let Some(asked) = replaces.last() {
        let (status, reply) = post(server.port(), "/trades/replace", &bearer, asked).unwrap();
        assert_eq!(status, 200, "{reply:#}");
        assert_eq!(count(&log(), &asked.mark), LEGS);
    }
    let mut adds = ledger.adds.lock().unwrap();
    let after = log();
    for asked in adds.iter() {
        assert_eq!(count(&after, &asked.mark), 1, "{}", asked.mark);
    }
    let books = server.json("GET", "/trades/books", &[("authorization", bearer.as_str())], b"").1;
    let counted: u64 = books["books"].as_array().unwrap().iter().map(|book| book["trades"].as_u64().unwrap()).sum();
    assert_eq!(counted, after["trades"].as_array().unwrap().len() as u64);
    assert_eq!(after["total"], counted);

    // What is settled stays settled; the next rounds look at their own.
    adds.clear();
    if let Some(asked) = replaces.last_mut() {
        asked.acknowledged = true;
    }
    let keep = replaces.len().saturating_sub(1);
    replaces.drain(..keep);
}

#[sqlx::test(migrations = "../../migrations")]
async fn what_was_acknowledged_outlives_a_kill_of_the_core(pool: PgPool) {
    let ledger = Ledger::default();
    let mut server = Process::start(&pool);
    server.trader();
    for round in 0..rounds() {
        write_until(&server, round, &ledger, || server.kill());
        server = Process::start(&pool);
        settle(&server, &ledger);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_acknowledged_outlives_a_kill_of_postgres() {
    // Open to the account that runs Postgres, which is not ours when we are root.
    let data = tempfile::Builder::new().permissions(Permissions::from_mode(0o755)).tempdir_in("/tmp").unwrap();
    let ledger = Ledger::default();
    let mut server = Process::start_in(data.path());
    server.trader();
    for round in 0..rounds().div_ceil(4) {
        let id = server.children("postgres")[0];
        write_until(&server, round, &ledger, || {
            kill(id);
            // Long enough for a write to meet the dead database, then the server goes as well.
            std::thread::sleep(Duration::from_millis(50));
            server.kill();
        });
        server = Process::start_in(data.path());
        settle(&server, &ledger);
    }
}

#[cfg(target_os = "linux")]
fn kill(id: u32) {
    assert!(std::process::Command::new("kill").args(["-9", &id.to_string()]).status().unwrap().success());
}
