//! The product as a process of its own, reached over a socket.

use std::fs::Permissions;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sqlx::{ConnectOptions as _, PgPool};

/// A running server. Dropped, it is killed.
pub struct Process {
    child: Child,
    /// What started it.
    command: Command,
    port: u16,
    grpc_port: u16,
    _data: Option<tempfile::TempDir>,
}

/// The head of an HTTP/1.1 reply, with its body still to be read.
pub struct Incoming {
    pub status: u16,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    pub reader: Box<dyn io::Read>,
}

/// A folder for servers with a Postgres of their own. Who runs that may enter: where root starts it, the database would
/// else be kept elsewhere, and stay when the folder goes.
pub fn folder() -> tempfile::TempDir {
    tempfile::Builder::new().permissions(Permissions::from_mode(0o711)).tempdir().unwrap()
}

impl Process {
    /// Starts it on the database of `pool`.
    pub fn start(pool: &PgPool) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut process = Self::start_with(pool, data.path(), |command| command);
        process._data = Some(data);
        process
    }

    /// Starts it on the database of `pool`, with what `set` says besides.
    pub fn start_with(pool: &PgPool, data: &Path, set: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let url = pool.connect_options().to_url_lossy();
        Self::launch(data, |command| set(command.env("DATABASE_URL", url.as_str())))
    }

    /// Starts it on a Postgres of its own in `data`, which outlives it: a [`folder`], or one in it.
    pub fn start_in(data: &Path) -> Self {
        Self::start_in_with(data, |command| command)
    }

    /// As [`start_in`](Self::start_in), with what `set` says besides.
    pub fn start_in_with(data: &Path, set: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        Self::launch(data, |command| set(command.env_remove("DATABASE_URL")))
    }

    /// Starts a core alone, on the database at `url`. A dead line holds the connection of an import for a while: there
    /// are enough of them for many such lines, one after the other.
    pub fn start_core(url: &str, data: &Path) -> Self {
        let set = ["--role", "core", "--import-parallel", "16"];
        Self::launch(data, |command| command.args(set).env("DATABASE_URL", url))
    }

    /// Starts an edge alone, of the core whose gRPC is on the port `core`.
    pub fn start_edge(core: u16, data: &Path) -> Self {
        let core = format!("http://127.0.0.1:{core}");
        Self::launch(data, |command| command.args(["--role", "edge", "--core", &core]).env_remove("DATABASE_URL"))
    }

    fn launch(data: &Path, set: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let (port, grpc_port) = (free_port(), free_port());
        // `just faults` wants the program as it is released.
        let program = std::env::var_os("FAULT_SERVER").unwrap_or_else(|| env!("CARGO_BIN_EXE_tradebahi").into());
        let mut command = Command::new(program);
        command
            .args(["serve", "--web-dir", "../../web/build/client", "--log-format", "json"])
            .args(["--listen", &format!("127.0.0.1:{port}"), "--grpc-listen", &format!("127.0.0.1:{grpc_port}")])
            .arg("--data-dir")
            .arg(data)
            .stdout(Stdio::null());
        set(&mut command);
        let child = command.spawn().unwrap();
        let process = Self { child, command, port, grpc_port, _data: None };
        process.await_listening();
        process
    }

    /// Waits until it listens: a core to gRPC, any other to HTTP.
    fn await_listening(&self) {
        let is_core = self.command.get_args().any(|argument| argument == "core");
        let port = if is_core { self.grpc_port } else { self.port };
        let deadline = Instant::now() + Duration::from_mins(1);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Starts it once more, as it was, after it was killed.
    pub fn start_again(&mut self) {
        self.child.wait().unwrap();
        self.child = self.command.spawn().unwrap();
        self.await_listening();
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where its gRPC listens.
    pub fn grpc_port(&self) -> u16 {
        self.grpc_port
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it without a warning.
    pub fn kill(&self) {
        signal(self.id(), "KILL");
    }

    /// Tells it to stop, and waits until it has; whether it ended well.
    pub fn stop(&mut self) -> bool {
        signal(self.id(), "TERM");
        self.child.wait().unwrap().success()
    }

    /// The processes that it started and that run the program `name`.
    #[cfg(target_os = "linux")]
    pub fn children(&self, name: &str) -> Vec<u32> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.id())).unwrap();
        let children = tasks
            .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok())
            .flat_map(|ids| ids.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>());
        let program = |id: &u32| std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
        children.filter(|id| program(id).trim_end() == name).collect()
    }

    /// Sends a request and reads the head of the reply.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Incoming {
        send(self.port, method, path, headers, body).unwrap()
    }

    pub fn json(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, serde_json::Value) {
        json(self.port, method, path, headers, body).unwrap()
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

/// Sends `name`, such as `KILL`, to the process `id`.
pub fn signal(id: u32, name: &str) {
    let status = Command::new("kill").args(["-s", name, &id.to_string()]).status();
    assert!(status.unwrap().success());
}

/// Sends a request to a server that may die meanwhile, and reads the head of the reply.
pub fn send(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<Incoming> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.write_all(head(method, path, headers, body.len()).as_bytes())?;
    stream.write_all(body)?;
    receive(stream)
}

/// The head of a request with a body of so many bytes, on a connection that ends with the reply.
pub fn head(method: &str, path: &str, headers: &[(&str, &str)], length: usize) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head + &format!("content-length: {length}\r\n\r\n")
}

/// Reads the head of the reply to what was sent on `stream`.
pub fn receive(stream: TcpStream) -> io::Result<Incoming> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or(io::ErrorKind::UnexpectedEof)?;
    let (mut chunked, mut length, mut headers) = (false, None, Vec::new());
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let lower = line.to_ascii_lowercase();
        chunked |= lower == "transfer-encoding: chunked\r\n";
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse::<usize>().ok();
        }
        if line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let reader: Box<dyn io::Read> = match length {
        _ if chunked => Box::new(Chunked { reader, left: Some(0) }),
        Some(length) => Box::new(Whole { reader, left: length }),
        None => Box::new(reader),
    };
    Ok(Incoming { status, headers, reader })
}

/// As [`send`], with the body of the reply; null where it has none.
pub fn json(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<(u16, serde_json::Value)> {
    let mut reply = send(port, method, path, headers, body)?;
    let mut body = Vec::new();
    reply.reader.read_to_end(&mut body)?;
    Ok((reply.status, serde_json::from_slice(&body).unwrap_or_default()))
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The body of a reply that said how long it is. One that breaks off is an error, as it is for a browser.
struct Whole<R> {
    reader: R,
    left: usize,
}

impl<R: io::Read> io::Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.left);
        let read = self.reader.read(&mut buffer[..most])?;
        self.left -= read;
        if read == 0 && most > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(read)
    }
}

/// The body of a reply in chunks. A body that breaks off is an error, as it is for a browser.
struct Chunked<R> {
    reader: R,
    /// Bytes of the present chunk that are still to come; none after the last chunk.
    left: Option<usize>,
}

impl<R: io::BufRead> io::Read for Chunked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = match self.left {
            None => return Ok(0),
            Some(0) => {
                let mut size = String::new();
                self.reader.read_line(&mut size)?;
                usize::from_str_radix(size.trim(), 16).map_err(|_| io::ErrorKind::UnexpectedEof)?
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
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if read == left {
            self.reader.read_exact(&mut [0; 2])?;
        }
        self.left = Some(left - read);
        Ok(read)
    }
}
