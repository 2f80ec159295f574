//! Many clients that add trades over connections that they keep.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use uuid::Uuid;

use super::writers::{Front, Tally, Trader};

/// A connection that is kept.
pub struct Connection {
    stream: BufReader<TcpStream>,
    /// Whether the server has answered on it.
    pub answered: bool,
}

/// What a request came to.
pub struct Answer {
    pub status: u16,
    pub has_retry_after: bool,
    /// The server wants the next request on another connection.
    pub is_last: bool,
}

/// A trade to be added, and the request that does.
pub struct Add {
    pub mark: String,
    request: Vec<u8>,
}

impl Add {
    /// By `trader`, with a key of its own.
    pub fn by(trader: &Trader) -> Self {
        // As the log writes a symbol.
        let mark = Uuid::new_v4().simple().to_string().to_ascii_uppercase();
        let trade = json!({
            "symbol": mark, "price": 82.1, "quantity": 10, "timestamp": "2026-03-02T10:00:00+05:30", "type": "buy"
        });
        let body = json!({ "broker": "zerodha", "tradetype": "equity", "trade": trade }).to_string();
        let request = format!(
            "POST /trades/add HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: {}\r\ncontent-type: application/json\r\n\
             prefer: return=minimal\r\nidempotency-key: {mark}\r\ncontent-length: {}\r\n\r\n{body}",
            trader.bearer,
            body.len()
        );
        Self { mark, request: request.into_bytes() }
    }
}

impl Connection {
    pub async fn open(port: u16) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), answered: false })
    }

    pub async fn ask(&mut self, add: &Add) -> io::Result<Answer> {
        self.stream.get_mut().write_all(&add.request).await?;
        let (mut line, mut length) = (String::new(), 0);
        if self.stream.read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.answered = true;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
        let mut answer = Answer { status, has_retry_after: false, is_last: false };
        loop {
            line.clear();
            if self.stream.read_line(&mut line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            answer.has_retry_after |= line.starts_with("retry-after:");
            answer.is_last |= line == "connection: close";
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(|_| io::ErrorKind::InvalidData)?;
            }
            if line.is_empty() {
                break;
            }
        }
        self.stream.read_exact(&mut vec![0; length]).await?;
        Ok(answer)
    }
}

/// The marks of what was acknowledged, and of what nobody has read.
#[derive(Default)]
pub struct Acknowledged {
    done: Mutex<Vec<String>>,
    unread: Mutex<Vec<String>>,
}

impl Acknowledged {
    pub fn note(&self, add: &Add) {
        self.done.lock().unwrap().push(add.mark.clone());
    }

    pub fn note_unread(&self, add: &Add) {
        self.unread.lock().unwrap().push(add.mark.clone());
    }

    pub fn count(&self) -> usize {
        self.done.lock().unwrap().len()
    }

    pub fn count_unread(&self) -> usize {
        self.unread.lock().unwrap().len()
    }

    /// Holds the logs of all against it.
    pub fn settle(&self, front: &Front, traders: &[Trader]) -> Tally {
        let mut found: HashMap<String, usize> = HashMap::new();
        for trader in traders {
            let log = front.insist("GET", "/trades/client", &[("authorization", &trader.bearer)], b"");
            for trade in log["trades"].as_array().unwrap() {
                let Value::String(symbol) = &trade["symbol"] else { panic!("{trade:#}") };
                *found.entry(symbol.clone()).or_default() += 1;
            }
        }
        for mark in self.unread.lock().unwrap().iter() {
            assert!(!found.contains_key(mark), "{mark} was read after all");
        }
        let mut tally = Tally::default();
        for mark in self.done.lock().unwrap().iter() {
            tally.judge(found.remove(mark).unwrap_or_default(), 1);
        }
        // What nobody heard of may be there, but once.
        tally.doubled += found.values().filter(|count| **count > 1).count();
        tally
    }
}
