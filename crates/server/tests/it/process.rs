//! The product as a process of its own, reached over a socket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sqlx::{ConnectOptions as _, PgPool};

/// A running server. Dropped, it is killed.
pub struct Process {
    child: Child,
    port: u16,
    _data: tempfile::TempDir,
}

/// The head of an HTTP/1.1 reply, with its body still to be read.
pub struct Incoming {
    pub status: u16,
    pub reader: Box<dyn std::io::Read>,
}

impl Process {
    pub fn start(pool: &PgPool) -> Self {
        let data = tempfile::tempdir().unwrap();
        let (port, grpc_port) = (free_port(), free_port());
        let child = Command::new(env!("CARGO_BIN_EXE_tradebahi"))
            .args(["serve", "--web-dir", "../../web/build/client", "--log-format", "json"])
            .args(["--listen", &format!("127.0.0.1:{port}"), "--grpc-listen", &format!("127.0.0.1:{grpc_port}")])
            .arg("--data-dir")
            .arg(data.path())
            .env("DATABASE_URL", pool.connect_options().to_url_lossy().as_str())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let process = Self { child, port, _data: data };
        let deadline = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        process
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request and reads the head of the reply.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Incoming {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\n", self.port);
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("content-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut chunked = false;
        loop {
            line.clear();
            reader.read_line(&mut line).unwrap();
            chunked |= line.eq_ignore_ascii_case("transfer-encoding: chunked\r\n");
            if line == "\r\n" {
                break;
            }
        }
        let reader: Box<dyn std::io::Read> =
            if chunked { Box::new(Chunked { reader, left: Some(0) }) } else { Box::new(reader) };
        Incoming { status, reader }
    }

    pub fn json(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, serde_json::Value) {
        let mut reply = self.send(method, path, headers, body);
        let mut body = Vec::new();
        reply.reader.read_to_end(&mut body).unwrap();
        (reply.status, serde_json::from_slice(&body).unwrap_or_default())
    }

    /// Registers a trader and signs in; the value of the Authorization header.
    pub fn trader(&self) -> String {
        let json = [("content-type", "application/json")];
        let registration = crate::app::registration("Asha Rao", "asha@example.in", "9820041537").to_string();
        assert_eq!(self.json("POST", "/auth/register", &json, registration.as_bytes()).0, 201);
        let login = serde_json::json!({ "email": "asha@example.in", "password": crate::app::PASSWORD }).to_string();
        let (_, reply) = self.json("POST", "/auth/login", &json, login.as_bytes());
        format!("Bearer {}", reply["data"]["token"].as_str().unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The body of a reply in chunks. A body that breaks off is an error, as it is for a browser.
struct Chunked<R> {
    reader: R,
    /// Bytes of the present chunk that are still to come; none after the last chunk.
    left: Option<usize>,
}

impl<R: std::io::BufRead> std::io::Read for Chunked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let left = match self.left {
            None => return Ok(0),
            Some(0) => {
                let mut size = String::new();
                self.reader.read_line(&mut size)?;
                usize::from_str_radix(size.trim(), 16).map_err(|_| std::io::ErrorKind::UnexpectedEof)?
            }
            Some(left) => left,
        };
        if left == 0 {
            self.left = None;
            return Ok(0);
        }
        let most = buffer.len().min(left);
        let read = self.reader.read(&mut buffer[..most])?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if read == left {
            self.reader.read_exact(&mut [0; 2])?;
        }
        self.left = Some(left - read);
        Ok(read)
    }
}
