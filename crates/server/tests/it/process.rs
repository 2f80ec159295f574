//! Runs the server as a separate process and sends requests over a socket.

use std::fs::Permissions;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sqlx::{ConnectOptions as _, PgPool};

/// Running server; killed on drop.
pub struct Process {
    child: Child,
    /// Command that started the server.
    command: Command,
    port: u16,
    grpc_port: u16,
    _data: Option<tempfile::TempDir>,
}

/// Head of an HTTP/1.1 reply, and a reader of its body.
pub struct StreamedReply {
    pub status: u16,
    /// Headers with lower-case names.
    pub headers: Vec<(String, String)>,
    pub reader: Box<dyn io::Read>,
}

/// Creates a data folder for servers with their own Postgres. Other users may enter it, because Postgres does not run as
/// root: without access, a server started by root would store the database elsewhere and leave it behind.
pub fn create_data_folder() -> tempfile::TempDir {
    tempfile::Builder::new().permissions(Permissions::from_mode(0o711)).tempdir().unwrap()
}

impl Process {
    /// Starts a server on the database of `pool`.
    pub fn start(pool: &PgPool) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut process = Self::start_with(pool, data.path(), |command| command);
        process._data = Some(data);
        process
    }

    /// Starts a server on the database of `pool`; `configure` may change the command.
    pub fn start_with(pool: &PgPool, data: &Path, configure: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let url = pool.connect_options().to_url_lossy();
        Self::launch(data, |command| configure(command.env("DATABASE_URL", url.as_str())))
    }

    /// Starts a server with its own Postgres in `data`: a [`create_data_folder`], or a folder in one. It outlives the server.
    pub fn start_private(data: &Path) -> Self {
        Self::start_private_with(data, |command| command)
    }

    /// Like [`start_private`](Self::start_private); `configure` may change the command.
    pub fn start_private_with(data: &Path, configure: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        Self::launch(data, |command| configure(command.env_remove("DATABASE_URL")))
    }

    /// Starts a core on the database at `url`. It allows 16 parallel imports, because each dead connection blocks one for a
    /// while, and the fault tests break connections repeatedly.
    pub fn start_core(url: &str, data: &Path) -> Self {
        let arguments = ["--role", "core", "--import-parallel", "16"];
        Self::launch(data, |command| command.args(arguments).env("DATABASE_URL", url))
    }

    /// Starts an edge whose core serves gRPC on `core_port`.
    pub fn start_edge(core_port: u16, data: &Path) -> Self {
        Self::start_edge_with(core_port, data, |command| command)
    }

    /// Like [`start_edge`](Self::start_edge); `configure` may change the command.
    pub fn start_edge_with(core_port: u16, data: &Path, configure: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let core = format!("http://127.0.0.1:{core_port}");
        Self::launch(data, |command| {
            configure(command.args(["--role", "edge", "--core", &core]).env_remove("DATABASE_URL"))
        })
    }

    fn launch(data: &Path, configure: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let (port, grpc_port) = (free_port(), free_port());
        // `just faults` tests the release build.
        let program = std::env::var_os("FAULT_SERVER").unwrap_or_else(|| env!("CARGO_BIN_EXE_tradebahi").into());
        let mut command = Command::new(program);
        command
            .args(["serve", "--web-dir", "../../web/build/client", "--log-format", "json"])
            .args(["--listen", &format!("127.0.0.1:{port}"), "--grpc-listen", &format!("127.0.0.1:{grpc_port}")])
            .arg("--data-dir")
            .arg(data)
            .stdout(Stdio::null());
        configure(&mut command);
        let child = command.spawn().unwrap();
        let process = Self { child, command, port, grpc_port, _data: None };
        process.wait_until_listening();
        process
    }

    /// Waits until the server listens: a core for gRPC, any other for HTTP.
    fn wait_until_listening(&self) {
        let is_core = self.command.get_args().any(|argument| argument == "core");
        let port = if is_core { self.grpc_port } else { self.port };
        let deadline = Instant::now() + Duration::from_mins(1);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "the server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Starts the killed server again with the same command.
    pub fn restart(&mut self) {
        self.child.wait().unwrap();
        self.child = self.command.spawn().unwrap();
        self.wait_until_listening();
    }

    /// Returns the HTTP port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the gRPC port.
    pub fn grpc_port(&self) -> u16 {
        self.grpc_port
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills the server with SIGKILL.
    pub fn kill(&self) {
        send_signal(self.id(), "KILL");
    }

    /// Sends SIGTERM and waits for the end. Returns true if the server exited successfully.
    pub fn stop(&mut self) -> bool {
        send_signal(self.id(), "TERM");
        self.child.wait().unwrap().success()
    }

    /// Returns the ids of the child processes that run the program `name`.
    #[cfg(target_os = "linux")]
    pub fn find_children(&self, name: &str) -> Vec<u32> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.id())).unwrap();
        let child_ids = tasks
            .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok())
            .flat_map(|ids| ids.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>());
        let program = |id: &u32| std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
        child_ids.filter(|id| program(id).trim_end() == name).collect()
    }

    /// Sends a request and reads the head of the reply.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> StreamedReply {
        send(self.port, method, path, headers, body).unwrap()
    }

    pub fn send_json(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> (u16, serde_json::Value) {
        send_json(self.port, method, path, headers, body).unwrap()
    }

    /// Registers a trader, logs in, and returns the value of the Authorization header.
    pub fn register_trader(&self) -> String {
        let json = [("content-type", "application/json")];
        let registration = crate::app::registration("Asha Rao", "asha@example.in", "9820041537").to_string();
        assert_eq!(self.send_json("POST", "/auth/register", &json, registration.as_bytes()).0, 201);
        let login = serde_json::json!({ "email": "asha@example.in", "password": crate::app::PASSWORD }).to_string();
        let (_, reply) = self.send_json("POST", "/auth/login", &json, login.as_bytes());
        format!("Bearer {}", reply["data"]["token"].as_str().unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends the signal `name`, such as `KILL`, to the process `id`.
pub fn send_signal(id: u32, name: &str) {
    let status = Command::new("kill").args(["-s", name, &id.to_string()]).status();
    assert!(status.unwrap().success());
}

/// Sends a request and reads the head of the reply. Fails if the server dies meanwhile.
pub fn send(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<StreamedReply> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.write_all(request_head(method, path, headers, body.len()).as_bytes())?;
    stream.write_all(body)?;
    read_reply_head(stream)
}

/// Returns the head of a request with a body of `length` bytes, on a connection that closes after the reply.
pub fn request_head(method: &str, path: &str, headers: &[(&str, &str)], length: usize) -> String {
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head + &format!("content-length: {length}\r\n\r\n")
}

/// Reads the head of the reply on `stream`.
pub fn read_reply_head(stream: TcpStream) -> io::Result<StreamedReply> {
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
        _ if chunked => Box::new(ChunkedBody { reader, left: Some(0) }),
        Some(length) => Box::new(FixedLengthBody { reader, left: length }),
        None => Box::new(reader),
    };
    Ok(StreamedReply { status, headers, reader })
}

/// Like [`send`], and reads the body as JSON; null if it is not JSON.
pub fn send_json(
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

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Body with a content length. Ending early is an error, as in a browser.
struct FixedLengthBody<R> {
    reader: R,
    left: usize,
}

impl<R: io::Read> io::Read for FixedLengthBody<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let max = buffer.len().min(self.left);
        let read = self.reader.read(&mut buffer[..max])?;
        self.left -= read;
        if read == 0 && max > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(read)
    }
}

/// Body in chunks. Ending early is an error, as in a browser.
struct ChunkedBody<R> {
    reader: R,
    /// Remaining bytes of the current chunk; `None` after the last chunk.
    left: Option<usize>,
}

impl<R: io::BufRead> io::Read for ChunkedBody<R> {
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
        let max = buffer.len().min(left);
        let read = self.reader.read(&mut buffer[..max])?;
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
