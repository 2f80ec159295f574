//! Clients that write, and write the same again until it is acknowledged, as the pages do; and what has become of it.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::ops::AddAssign;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{RECOVERY, applying};
use crate::app::{PASSWORD, Upload, registration};
use crate::careers::Applying;
use crate::files::{Fill, hex_sha256, zerodha_csv};
use crate::process;
use crate::resumes::pdf_with_size;

/// Trades of one replace, and of one file.
const LEGS: usize = 120;
const FILLS: usize = 40;
/// How long a client waits for the next byte. The pages wait longer; who waits less asks again more often.
const PATIENCE: Duration = Duration::from_secs(3);

/// Where the clients find the product.
pub struct Front {
    port: u16,
    /// Whether clients hang up in the middle of every second request.
    hangs_up: bool,
    asked: AtomicUsize,
    unstored: AtomicUsize,
}

/// Somebody who is signed in.
pub struct Trader {
    pub bearer: String,
    /// Stands in everything that comes of this one's writes.
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A buy and a sell, by two adds.
    Pair,
    /// A book, all at once.
    Replace,
    /// A file, looked at and then taken.
    Import,
    /// An application with its resume.
    Application,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Pair, Self::Replace, Self::Import, Self::Application];
}

/// A write that was acknowledged.
#[derive(Debug)]
struct Write {
    kind: Kind,
    /// The symbol of every trade that came of it; of an application its e-mail address.
    mark: String,
    /// Of the resume.
    sha256: String,
}

/// What was acknowledged, in its order.
#[derive(Default)]
pub struct Ledger(Mutex<Vec<Write>>);

/// What has become of what was acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub acknowledged: usize,
    pub lost: usize,
    pub doubled: usize,
    pub half: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.acknowledged += other.acknowledged;
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.half += other.half;
    }
}

impl Tally {
    /// Judges a write of `whole` rows, of which `found` are there.
    pub fn judge(&mut self, found: usize, whole: usize) {
        self.acknowledged += 1;
        self.lost += usize::from(found == 0);
        self.half += usize::from(found > 0 && found < whole);
        self.doubled += usize::from(found > whole);
    }
}

impl Front {
    pub fn at(port: u16) -> Self {
        Self { port, hangs_up: false, asked: AtomicUsize::new(0), unstored: AtomicUsize::new(0) }
    }

    /// The same, for clients that hang up in the middle of every second request.
    pub fn hanging_up(self) -> Self {
        Self { hangs_up: true, ..self }
    }

    /// How often a trade could not be added for want of room.
    pub fn unstored(&self) -> usize {
        self.unstored.load(Ordering::Relaxed)
    }

    /// Asks once.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<(u16, Value)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let request = [process::head(method, path, headers, body.len()).as_bytes(), body].concat();
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        if self.hangs_up && number.is_multiple_of(2) {
            return hang_up(&mut stream, &request, number / 2);
        }
        stream.write_all(&request)?;
        let mut reply = process::receive(stream)?;
        let mut body = Vec::new();
        reply.reader.read_to_end(&mut body)?;
        Ok((reply.status, serde_json::from_slice(&body).unwrap_or_default()))
    }

    /// Asks the same again until it is done.
    pub fn insist(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Value {
        let started = Instant::now();
        loop {
            let answer = self.ask(method, path, headers, body);
            if path == "/trades/add" && matches!(answer, Ok((507, _))) {
                self.unstored.fetch_add(1, Ordering::Relaxed);
            }
            match answer {
                Ok((200 | 201, reply)) => return reply,
                // An earlier try has registered, and was not heard of.
                Ok((409, reply)) if reply["code"] == "email_taken" => return reply,
                // What a server says that has too much to do or cannot do it now. It promises nothing.
                Ok((408 | 409 | 500 | 502 | 503 | 504 | 507, _)) | Err(_) => {}
                Ok((status, reply)) => panic!("{method} {path}: {status} {reply:#}"),
            }
            assert!(started.elapsed() < 4 * RECOVERY, "{method} {path} is never done: {answer:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Registers somebody and signs in.
    pub fn trader(&self, name: &str) -> Trader {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let (email, phone) = (format!("{name}@example.in"), format!("98{number:08}"));
        let json = [("content-type", "application/json")];
        let body = registration("Asha Rao", &email, &phone).to_string();
        self.insist("POST", "/auth/register", &json, body.as_bytes());
        let body = json!({ "email": email, "password": PASSWORD }).to_string();
        let reply = self.insist("POST", "/auth/login", &json, body.as_bytes());
        Trader { bearer: format!("Bearer {}", reply["data"]["token"].as_str().unwrap()), name: name.to_owned() }
    }

    /// Waits until an ordinary request is fine again, and says how long that took.
    pub fn recovery(&self, trader: &Trader) -> Duration {
        let started = Instant::now();
        let headers = [("authorization", trader.bearer.as_str())];
        while !matches!(self.ask("GET", "/trades/client?limit=1", &headers, b""), Ok((200, _))) {
            assert!(started.elapsed() < RECOVERY, "an ordinary request still fails");
            std::thread::sleep(Duration::from_millis(20));
        }
        started.elapsed()
    }
}

/// Hangs up within the request, or once it is sent, or within the reply.
fn hang_up(stream: &mut TcpStream, request: &[u8], number: usize) -> io::Result<(u16, Value)> {
    if number.is_multiple_of(2) {
        stream.write_all(&request[..number * 7_919 % request.len()])?;
    } else {
        stream.write_all(request)?;
        let mut some = vec![0; number % 3 * 40];
        let _ = stream.read(&mut some)?;
    }
    Err(io::ErrorKind::ConnectionAborted.into())
}

/// Lets `trader` write as `kinds` say, runs `fault` once each has been acknowledged one, and goes on until `front` is
/// fine again. `number` chooses the moment.
pub fn write_through(
    front: &Front,
    trader: &Trader,
    kinds: &[Kind],
    number: usize,
    fault: impl FnOnce(),
) -> (Ledger, Duration) {
    let (ledger, stop) = (Ledger::default(), AtomicBool::new(false));
    let slowest = std::thread::scope(|scope| {
        // Also when this ends by a panic.
        let _stop = Stop(&stop);
        for kind in kinds {
            scope.spawn(|| write_until(front, trader, *kind, &ledger, &stop));
        }
        let started = Instant::now();
        while kinds.iter().any(|kind| !ledger.0.lock().unwrap().iter().any(|write| write.kind == *kind)) {
            assert!(started.elapsed() < RECOVERY, "nobody can write");
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(5 + (number as u64 * 37) % 180));
        fault();
        front.recovery(trader)
    });
    (ledger, slowest)
}

struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Writes one after the other. Who has begun goes on until it is acknowledged.
fn write_until(front: &Front, trader: &Trader, kind: Kind, ledger: &Ledger, stop: &AtomicBool) {
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        // As an import writes a symbol.
        let mark = format!("{kind:?}{number}-{}", trader.name).to_ascii_uppercase();
        let (mark, sha256) = match kind {
            Kind::Pair => (add_pair(front, trader, mark), String::new()),
            Kind::Replace => (replace(front, trader, mark), String::new()),
            Kind::Import => (import(front, trader, mark, number), String::new()),
            Kind::Application => apply(front, &format!("{mark}@example.in").to_ascii_lowercase(), number),
        };
        ledger.0.lock().unwrap().push(Write { kind, mark, sha256 });
    }
}

pub fn leg(mark: &str, side: &str, minute: usize) -> Value {
    let timestamp = format!("2026-03-{:02}T{:02}:{:02}:00+05:30", 1 + minute / 300, 9 + minute / 60 % 5, minute % 60);
    json!({ "symbol": mark, "price": 82.1, "quantity": 10, "timestamp": timestamp, "type": side })
}

pub fn write_json(front: &Front, trader: &Trader, path: &str, key: &str, body: &Value) {
    let headers = [
        ("authorization", trader.bearer.as_str()),
        ("content-type", "application/json"),
        ("prefer", "return=minimal"),
        ("idempotency-key", key),
    ];
    front.insist("POST", path, &headers, body.to_string().as_bytes());
}

fn add_pair(front: &Front, trader: &Trader, mark: String) -> String {
    let pair_id = Uuid::new_v4();
    for side in ["buy", "sell"] {
        let mut trade = leg(&mark, side, 0);
        trade["pairId"] = json!(pair_id);
        let body = json!({ "broker": "groww", "tradetype": "fno", "trade": trade });
        write_json(front, trader, "/trades/add", &Uuid::new_v4().to_string(), &body);
    }
    mark
}

fn replace(front: &Front, trader: &Trader, mark: String) -> String {
    let trades: Vec<Value> = (0..LEGS).map(|minute| leg(&mark, "sell", minute)).collect();
    let body = json!({ "broker": "groww", "tradetype": "equity", "trades": trades });
    write_json(front, trader, "/trades/replace", &Uuid::new_v4().to_string(), &body);
    mark
}

fn import(front: &Front, trader: &Trader, mark: String, number: usize) -> String {
    let form = preview(front, trader, &mark, number);
    front.insist("POST", "/uploadexcel", &upload_headers(trader), &form);
    mark
}

pub fn upload_headers(trader: &Trader) -> [(&str, &str); 3] {
    [("authorization", trader.bearer.as_str()), ("content-type", Upload::TYPE), ("prefer", "return=minimal")]
}

/// Has a file looked at; what takes it then.
pub fn preview(front: &Front, trader: &Trader, mark: &str, number: usize) -> Vec<u8> {
    // Every fifth has the same symbol.
    let fills: Vec<Fill> = (0..FILLS).map(|n| Fill::nth(5 * (number * FILLS + n) as u64)).collect();
    let file = String::from_utf8(zerodha_csv(&fills)).unwrap().replace(fills[0].symbol, mark);
    let upload = Upload::new("t.csv", file.as_bytes(), "zerodha");
    let preview = front.insist("POST", "/uploadexcel/preview", &upload_headers(trader), &upload.form());
    let field = |name: &str, value: &Value| {
        let value = value.as_str().unwrap();
        format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    (field("previewId", &preview["id"]) + &field("state", &preview["state"]) + "--x--\r\n").into_bytes()
}

fn apply(front: &Front, email: &str, number: usize) -> (String, String) {
    let resume = pdf_with_size(4_000 + number * 7_919 % 60_000);
    let form = Applying::new("resume.pdf", &resume).with("email", email).form();
    front.insist("POST", "/api/apply/FE101", &[("content-type", Applying::TYPE), ("idempotency-key", email)], &form);
    (email.to_owned(), hex_sha256(&resume))
}

impl Ledger {
    /// Holds the trader's log against what was acknowledged.
    pub fn settle_trades(&self, front: &Front, trader: &Trader) -> Tally {
        let log = front.insist("GET", "/trades/client", &[("authorization", &trader.bearer)], b"");
        let mut found: HashMap<(&str, &str), usize> = HashMap::new();
        for trade in log["trades"].as_array().unwrap() {
            let text = |field: &str| trade[field].as_str().unwrap();
            *found.entry((text("symbol"), text("type"))).or_default() += 1;
        }
        let count = |mark: &str| {
            let of = |side| found.get(&(mark, side)).copied().unwrap_or_default();
            (of("buy"), of("sell"))
        };
        let mut tally = Tally::default();
        let writes = self.0.lock().unwrap();
        let last_replace = writes.iter().rfind(|write| write.kind == Kind::Replace).map(|write| &write.mark);
        let mut standing = BTreeSet::new();
        for write in writes.iter() {
            let (buys, sells) = count(&write.mark);
            standing.insert(write.mark.as_str());
            match write.kind {
                Kind::Pair if buys > 1 || sells > 1 => tally.judge(3, 2),
                Kind::Pair => tally.judge(buys + sells, 2),
                Kind::Import => tally.judge(buys + sells, FILLS),
                Kind::Replace if Some(&write.mark) == last_replace => tally.judge(sells, LEGS),
                // It stands beside the one that replaced it.
                Kind::Replace if sells > 0 => tally.judge(LEGS + 1, LEGS),
                Kind::Replace => tally.acknowledged += 1,
                Kind::Application => {}
            }
        }
        // What nobody asked for, or was asked for and taken twice under two names.
        let strays: BTreeSet<&str> =
            found.keys().map(|(symbol, _)| *symbol).filter(|s| !standing.contains(s)).collect();
        tally.doubled += strays.len();
        tally
    }

    /// Holds the applications in the database, and their resumes, against the receipts.
    pub async fn settle_applications(&self, pool: &PgPool, resumes: &Path) -> Tally {
        let rows = applying::rows(pool).await;
        let mut tally = Tally::default();
        for write in self.0.lock().unwrap().iter().filter(|write| write.kind == Kind::Application) {
            let stored = rows.get(&write.mark).map_or(&[][..], Vec::as_slice);
            tally.judge(stored.len(), 1);
            let whole = |(_, resume_id, sha256): &(String, Uuid, String)| {
                let file = std::fs::read(resumes.join(resume_id.to_string()));
                *sha256 == write.sha256 && file.is_ok_and(|file| hex_sha256(&file) == write.sha256)
            };
            tally.half += usize::from(!stored.iter().all(whole));
        }
        tally
    }
}
