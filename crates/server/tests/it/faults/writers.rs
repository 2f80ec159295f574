//! Clients that write and retry until the write is acknowledged, as the pages do, and the check of what is stored.

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

use super::{RECOVERY_TIMEOUT, applying};
use crate::app::{PASSWORD, Upload, registration};
use crate::broker_files::{Fill, hex_sha256, zerodha_csv};
use crate::careers::ApplicationForm;
use crate::process;
use crate::resumes::pdf_with_size;

/// Number of trades in a replaced book.
const TRADES_PER_BOOK: usize = 120;
/// Number of fills in an imported file.
const FILLS_PER_FILE: usize = 40;
/// Read and write timeout of a client. Shorter than that of the pages, so that clients retry more often.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(3);

/// HTTP client of the product.
pub struct Client {
    port: u16,
    /// True if the client disconnects in the middle of every second request.
    disconnects: bool,
    request_count: AtomicUsize,
    disk_full_replies: AtomicUsize,
}

/// Logged-in trader.
pub struct Trader {
    pub bearer: String,
    /// Part of the marks of this trader's writes.
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteKind {
    /// A buy and a sell, by two adds.
    Pair,
    /// A replaced book.
    Replace,
    /// A file, previewed and then imported.
    Import,
    /// A job application with its resume.
    Application,
}

impl WriteKind {
    pub const ALL: [Self; 4] = [Self::Pair, Self::Replace, Self::Import, Self::Application];
}

/// Acknowledged write.
#[derive(Debug)]
struct AcknowledgedWrite {
    kind: WriteKind,
    /// Symbol of all its trades; for an application, its email address.
    mark: String,
    /// SHA-256 hash of the resume; empty for trades.
    sha256: String,
}

/// Acknowledged writes, in order.
#[derive(Default)]
pub struct AcknowledgedWrites(Mutex<Vec<AcknowledgedWrite>>);

/// Number of acknowledged writes, and of those that are lost, duplicated or partial.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub acknowledged: usize,
    pub lost: usize,
    pub duplicated: usize,
    pub partial: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.acknowledged += other.acknowledged;
        self.lost += other.lost;
        self.duplicated += other.duplicated;
        self.partial += other.partial;
    }
}

impl Tally {
    /// Counts a write of `expected` rows, of which `stored` are there.
    pub fn count_write(&mut self, stored: usize, expected: usize) {
        self.acknowledged += 1;
        self.lost += usize::from(stored == 0);
        self.partial += usize::from(stored > 0 && stored < expected);
        self.duplicated += usize::from(stored > expected);
    }
}

impl Client {
    pub fn new(port: u16) -> Self {
        Self { port, disconnects: false, request_count: AtomicUsize::new(0), disk_full_replies: AtomicUsize::new(0) }
    }

    /// Returns the same client, which disconnects in the middle of every second request.
    pub fn disconnecting(self) -> Self {
        Self { disconnects: true, ..self }
    }

    /// Returns how often adding a trade failed because the disk was full.
    pub fn disk_full_count(&self) -> usize {
        self.disk_full_replies.load(Ordering::Relaxed)
    }

    /// Sends a request once.
    pub fn send_once(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<(u16, Value)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(CLIENT_TIMEOUT))?;
        stream.set_write_timeout(Some(CLIENT_TIMEOUT))?;
        let request = [process::request_head(method, path, headers, body.len()).as_bytes(), body].concat();
        let number = self.request_count.fetch_add(1, Ordering::Relaxed);
        if self.disconnects && number.is_multiple_of(2) {
            return disconnect(&mut stream, &request, number / 2);
        }
        stream.write_all(&request)?;
        let mut reply = process::read_reply_head(stream)?;
        let mut body = Vec::new();
        reply.reader.read_to_end(&mut body)?;
        Ok((reply.status, serde_json::from_slice(&body).unwrap_or_default()))
    }

    /// Repeats a request until it succeeds.
    pub fn send_until_done(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Value {
        let started = Instant::now();
        loop {
            let result = self.send_once(method, path, headers, body);
            if path == "/trades/add" && matches!(result, Ok((507, _))) {
                self.disk_full_replies.fetch_add(1, Ordering::Relaxed);
            }
            match result {
                Ok((200 | 201, reply)) => return reply,
                // An earlier attempt registered the account, but its reply was lost.
                Ok((409, reply)) if reply["code"] == "email_taken" => return reply,
                // The server is overloaded or cannot do it now. Nothing is acknowledged.
                Ok((408 | 409 | 500 | 502 | 503 | 504 | 507, _)) | Err(_) => {}
                Ok((status, reply)) => panic!("{method} {path}: {status} {reply:#}"),
            }
            assert!(started.elapsed() < 4 * RECOVERY_TIMEOUT, "{method} {path} did not succeed: {result:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Registers a trader and logs in.
    pub fn register_trader(&self, name: &str) -> Trader {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let (email, phone) = (format!("{name}@example.in"), format!("98{number:08}"));
        let json = [("content-type", "application/json")];
        let body = registration("Asha Rao", &email, &phone).to_string();
        self.send_until_done("POST", "/auth/register", &json, body.as_bytes());
        let body = json!({ "email": email, "password": PASSWORD }).to_string();
        let reply = self.send_until_done("POST", "/auth/login", &json, body.as_bytes());
        Trader { bearer: format!("Bearer {}", reply["data"]["token"].as_str().unwrap()), name: name.to_owned() }
    }

    /// Waits until an ordinary request succeeds. Returns the time it took.
    pub fn wait_for_recovery(&self, trader: &Trader) -> Duration {
        let started = Instant::now();
        let headers = [("authorization", trader.bearer.as_str())];
        while !matches!(self.send_once("GET", "/trades/client?limit=1", &headers, b""), Ok((200, _))) {
            assert!(started.elapsed() < RECOVERY_TIMEOUT, "an ordinary request still fails");
            std::thread::sleep(Duration::from_millis(20));
        }
        started.elapsed()
    }
}

/// Disconnects within the request, after it, or within the reply.
fn disconnect(stream: &mut TcpStream, request: &[u8], number: usize) -> io::Result<(u16, Value)> {
    if number.is_multiple_of(2) {
        stream.write_all(&request[..number * 7_919 % request.len()])?;
    } else {
        stream.write_all(request)?;
        let mut some = vec![0; number % 3 * 40];
        let _ = stream.read(&mut some)?;
    }
    Err(io::ErrorKind::ConnectionAborted.into())
}

/// Lets `trader` write all `kinds`, runs `fault` once a write of each kind is acknowledged, and stops after the recovery.
/// Returns the acknowledged writes and the recovery time. `number` varies the moment of the fault.
pub fn write_during_fault(
    client: &Client,
    trader: &Trader,
    kinds: &[WriteKind],
    number: usize,
    fault: impl FnOnce(),
) -> (AcknowledgedWrites, Duration) {
    let (acknowledged_writes, stop) = (AcknowledgedWrites::default(), AtomicBool::new(false));
    let recovery = std::thread::scope(|scope| {
        // Stops the writers also after a panic.
        let _stop = StopOnDrop(&stop);
        for kind in kinds {
            scope.spawn(|| write_repeatedly(client, trader, *kind, &acknowledged_writes, &stop));
        }
        let started = Instant::now();
        while kinds.iter().any(|kind| !acknowledged_writes.0.lock().unwrap().iter().any(|write| write.kind == *kind)) {
            assert!(started.elapsed() < RECOVERY_TIMEOUT, "not all kinds of writes were acknowledged");
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(5 + (number as u64 * 37) % 180));
        fault();
        client.wait_for_recovery(trader)
    });
    (acknowledged_writes, recovery)
}

struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Writes repeatedly until `stop` is set. A write that has begun is retried until it is acknowledged.
fn write_repeatedly(
    client: &Client,
    trader: &Trader,
    kind: WriteKind,
    acknowledged_writes: &AcknowledgedWrites,
    stop: &AtomicBool,
) {
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        // In upper case, as imports store symbols.
        let mark = format!("{kind:?}{number}-{}", trader.name).to_ascii_uppercase();
        let (mark, sha256) = match kind {
            WriteKind::Pair => (add_pair(client, trader, mark), String::new()),
            WriteKind::Replace => (replace_book(client, trader, mark), String::new()),
            WriteKind::Import => (import_file(client, trader, mark, number), String::new()),
            WriteKind::Application => apply(client, &format!("{mark}@example.in").to_ascii_lowercase(), number),
        };
        acknowledged_writes.0.lock().unwrap().push(AcknowledgedWrite { kind, mark, sha256 });
    }
}

pub fn trade_json(mark: &str, side: &str, minute: usize) -> Value {
    let timestamp = format!("2026-03-{:02}T{:02}:{:02}:00+05:30", 1 + minute / 300, 9 + minute / 60 % 5, minute % 60);
    json!({ "symbol": mark, "price": 82.1, "quantity": 10, "timestamp": timestamp, "type": side })
}

pub fn post_json(client: &Client, trader: &Trader, path: &str, key: &str, body: &Value) {
    let headers = [
        ("authorization", trader.bearer.as_str()),
        ("content-type", "application/json"),
        ("prefer", "return=minimal"),
        ("idempotency-key", key),
    ];
    client.send_until_done("POST", path, &headers, body.to_string().as_bytes());
}

fn add_pair(client: &Client, trader: &Trader, mark: String) -> String {
    let pair_id = Uuid::new_v4();
    for side in ["buy", "sell"] {
        let mut trade = trade_json(&mark, side, 0);
        trade["pairId"] = json!(pair_id);
        let body = json!({ "broker": "groww", "tradetype": "fno", "trade": trade });
        post_json(client, trader, "/trades/add", &Uuid::new_v4().to_string(), &body);
    }
    mark
}

fn replace_book(client: &Client, trader: &Trader, mark: String) -> String {
    let trades: Vec<Value> = (0..TRADES_PER_BOOK).map(|minute| trade_json(&mark, "sell", minute)).collect();
    let body = json!({ "broker": "groww", "tradetype": "equity", "trades": trades });
    post_json(client, trader, "/trades/replace", &Uuid::new_v4().to_string(), &body);
    mark
}

fn import_file(client: &Client, trader: &Trader, mark: String, number: usize) -> String {
    let form = create_preview(client, trader, &mark, number);
    client.send_until_done("POST", "/uploadexcel", &upload_headers(trader), &form);
    mark
}

pub fn upload_headers(trader: &Trader) -> [(&str, &str); 3] {
    [("authorization", trader.bearer.as_str()), ("content-type", Upload::CONTENT_TYPE), ("prefer", "return=minimal")]
}

/// Creates a preview of a file. Returns the form that commits it.
pub fn create_preview(client: &Client, trader: &Trader, mark: &str, number: usize) -> Vec<u8> {
    // Every fifth fill has the same symbol.
    let fills: Vec<Fill> = (0..FILLS_PER_FILE).map(|n| Fill::nth(5 * (number * FILLS_PER_FILE + n) as u64)).collect();
    let file = String::from_utf8(zerodha_csv(&fills)).unwrap().replace(fills[0].symbol, mark);
    let upload = Upload::new("t.csv", file.as_bytes(), "zerodha");
    let preview = client.send_until_done("POST", "/uploadexcel/preview", &upload_headers(trader), &upload.form());
    let field = |name: &str, value: &Value| {
        let value = value.as_str().unwrap();
        format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    (field("previewId", &preview["id"]) + &field("state", &preview["state"]) + "--x--\r\n").into_bytes()
}

fn apply(client: &Client, email: &str, number: usize) -> (String, String) {
    let resume = pdf_with_size(4_000 + number * 7_919 % 60_000);
    let form = ApplicationForm::new("resume.pdf", &resume).with("email", email).form();
    client.send_until_done(
        "POST",
        "/api/apply/FE101",
        &[("content-type", ApplicationForm::CONTENT_TYPE), ("idempotency-key", email)],
        &form,
    );
    (email.to_owned(), hex_sha256(&resume))
}

impl AcknowledgedWrites {
    /// Compares the trader's log with the acknowledged writes.
    pub fn check_trades(&self, client: &Client, trader: &Trader) -> Tally {
        let log = client.send_until_done("GET", "/trades/client", &[("authorization", &trader.bearer)], b"");
        let mut stored_counts: HashMap<(&str, &str), usize> = HashMap::new();
        for trade in log["trades"].as_array().unwrap() {
            let text = |field: &str| trade[field].as_str().unwrap();
            *stored_counts.entry((text("symbol"), text("type"))).or_default() += 1;
        }
        let count = |mark: &str| {
            let count_side = |side| stored_counts.get(&(mark, side)).copied().unwrap_or_default();
            (count_side("buy"), count_side("sell"))
        };
        let mut tally = Tally::default();
        let writes = self.0.lock().unwrap();
        let last_replace = writes.iter().rfind(|write| write.kind == WriteKind::Replace).map(|write| &write.mark);
        let mut acknowledged_marks = BTreeSet::new();
        for write in writes.iter() {
            let (buys, sells) = count(&write.mark);
            acknowledged_marks.insert(write.mark.as_str());
            match write.kind {
                WriteKind::Pair if buys > 1 || sells > 1 => tally.count_write(3, 2),
                WriteKind::Pair => tally.count_write(buys + sells, 2),
                WriteKind::Import => tally.count_write(buys + sells, FILLS_PER_FILE),
                WriteKind::Replace if Some(&write.mark) == last_replace => tally.count_write(sells, TRADES_PER_BOOK),
                // It is stored next to the book that replaced it.
                WriteKind::Replace if sells > 0 => tally.count_write(TRADES_PER_BOOK + 1, TRADES_PER_BOOK),
                WriteKind::Replace => tally.acknowledged += 1,
                WriteKind::Application => {}
            }
        }
        // Trades of no acknowledged write: of a write that was stored twice, under two symbols.
        let strays: BTreeSet<&str> =
            stored_counts.keys().map(|(symbol, _)| *symbol).filter(|s| !acknowledged_marks.contains(s)).collect();
        tally.duplicated += strays.len();
        tally
    }

    /// Compares the applications in the database and their resumes with the receipts.
    pub async fn check_applications(&self, pool: &PgPool, resumes: &Path) -> Tally {
        let rows = applying::read_applications(pool).await;
        let mut tally = Tally::default();
        for write in self.0.lock().unwrap().iter().filter(|write| write.kind == WriteKind::Application) {
            let stored = rows.get(&write.mark).map_or(&[][..], Vec::as_slice);
            tally.count_write(stored.len(), 1);
            let is_complete = |(_, resume_id, sha256): &(String, Uuid, String)| {
                let file = std::fs::read(resumes.join(resume_id.to_string()));
                *sha256 == write.sha256 && file.is_ok_and(|file| hex_sha256(&file) == write.sha256)
            };
            tally.partial += usize::from(!stored.iter().all(is_complete));
        }
        tally
    }
}
