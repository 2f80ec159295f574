//! Clients that add trades over persistent connections.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use uuid::Uuid;

use super::writers::{Client, Tally, Trader};

/// Persistent connection to the server.
pub struct Connection {
    stream: BufReader<TcpStream>,
    /// True after the first reply.
    pub has_replied: bool,
}

/// Head of a reply.
pub struct Reply {
    pub status: u16,
    pub has_retry_after: bool,
    /// True if the server closes the connection after this reply.
    pub is_last: bool,
}

/// Trade with a unique symbol, and the request that adds it.
pub struct AddTrade {
    pub mark: String,
    request: Vec<u8>,
}

impl AddTrade {
    /// Creates a request of `trader` with a new idempotency key.
    pub fn new(trader: &Trader) -> Self {
        // In upper case, as the log stores symbols.
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
        Ok(Self { stream: BufReader::new(stream), has_replied: false })
    }

    pub async fn send(&mut self, add: &AddTrade) -> io::Result<Reply> {
        self.stream.get_mut().write_all(&add.request).await?;
        let (mut line, mut length) = (String::new(), 0);
        if self.stream.read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.has_replied = true;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
        let mut reply = Reply { status, has_retry_after: false, is_last: false };
        loop {
            line.clear();
            if self.stream.read_line(&mut line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            reply.has_retry_after |= line.starts_with("retry-after:");
            reply.is_last |= line == "connection: close";
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(|_| io::ErrorKind::InvalidData)?;
            }
            if line.is_empty() {
                break;
            }
        }
        self.stream.read_exact(&mut vec![0; length]).await?;
        Ok(reply)
    }
}

/// Marks of the trades that were acknowledged, and of those that the server has not read.
#[derive(Default)]
pub struct AcknowledgedTrades {
    acknowledged: Mutex<Vec<String>>,
    unread: Mutex<Vec<String>>,
}

impl AcknowledgedTrades {
    pub fn record(&self, add: &AddTrade) {
        self.acknowledged.lock().unwrap().push(add.mark.clone());
    }

    pub fn record_unread(&self, add: &AddTrade) {
        self.unread.lock().unwrap().push(add.mark.clone());
    }

    pub fn count(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }

    pub fn count_unread(&self) -> usize {
        self.unread.lock().unwrap().len()
    }

    /// Compares the logs of all traders with the acknowledged trades.
    pub fn check_logs(&self, client: &Client, traders: &[Trader]) -> Tally {
        let mut stored_counts: HashMap<String, usize> = HashMap::new();
        for trader in traders {
            let log = client.send_until_done("GET", "/trades/client", &[("authorization", &trader.bearer)], b"");
            for trade in log["trades"].as_array().unwrap() {
                let Value::String(symbol) = &trade["symbol"] else { panic!("{trade:#}") };
                *stored_counts.entry(symbol.clone()).or_default() += 1;
            }
        }
        for mark in self.unread.lock().unwrap().iter() {
            assert!(!stored_counts.contains_key(mark), "{mark} is stored although the server has not read it");
        }
        let mut tally = Tally::default();
        for mark in self.acknowledged.lock().unwrap().iter() {
            tally.count_write(stored_counts.remove(mark).unwrap_or_default(), 1);
        }
        // Unacknowledged trades may be stored, but only once.
        tally.duplicated += stored_counts.values().filter(|count| **count > 1).count();
        tally
    }
}
