//! The shipped rsyslog configuration sends the log of a server to another machine over TLS. Skipped without rsyslog.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry, File};
use std::io;
use std::net::SocketAddr;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::certificates::{create_certificate, server_config};
use crate::process::Process;

const CONFIGURATION: &str = include_str!("../../rsyslog.conf");
/// Name of the other machine in the configuration.
const RECEIVER: &str = "logs.example";
/// Longer than two pauses between attempts to connect.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(15);

/// Running rsyslog; killed on drop.
struct Rsyslog {
    child: Child,
    socket: UnixDatagram,
}

impl Rsyslog {
    /// Starts rsyslog in `folder` with the shipped configuration; the receiver is at `port` of this machine.
    fn start(program: &Path, folder: &Path, port: u16, certificate: &Path) -> Self {
        let mut shipped = CONFIGURATION.to_owned();
        for (setting, replacement) in [
            (r#" target="logs.example""#, r#" target="127.0.0.1""#.to_owned()),
            (r#" port="6514""#, format!(r#" port="{port}""#)),
            (
                r#" streamDriver.caFile="/etc/ssl/certs/logs-ca.pem""#,
                format!(r#" streamDriver.caFile="{}""#, certificate.display()),
            ),
        ] {
            assert_eq!(shipped.matches(setting).count(), 1, "{setting}");
            shipped = shipped.replace(setting, &replacement);
        }
        fs::write(folder.join("tradebahi.conf"), shipped).unwrap();
        let folder_name = folder.display();
        let main = format!(
            r#"global(workDirectory="{folder_name}")
module(load="imuxsock" SysSock.Name="{folder_name}/log.socket" SysSock.UsePIDFromSystem="off")
include(file="{folder_name}/tradebahi.conf")
"#
        );
        fs::write(folder.join("main.conf"), main).unwrap();
        let arguments = ["-n", "-i", "NONE", "-f"];
        let child = Command::new(program).args(arguments).arg(folder.join("main.conf")).spawn().unwrap();
        let socket = UnixDatagram::unbound().unwrap();
        while socket.connect(folder.join("log.socket")).is_err() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { child, socket }
    }

    /// Forwards a line of the server as journald does.
    fn forward(&self, line: &str) {
        self.socket.send(format!("<30>Nov 25 12:00:00 tradebahi[7]: {line}").as_bytes()).unwrap();
    }
}

impl Drop for Rsyslog {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Receives syslog over TLS at one address, with interruptions.
struct Receiver {
    address: SocketAddr,
    tls: TlsAcceptor,
    /// Bytes with the port of their connection; rsyslog uses two at a time, for the lines in memory and on disk.
    received: (mpsc::UnboundedSender<(u16, Vec<u8>)>, mpsc::UnboundedReceiver<(u16, Vec<u8>)>),
    text: BTreeMap<u16, String>,
}

impl Receiver {
    /// Listens until the returned tasks are dropped.
    async fn listen(&self) -> JoinSet<()> {
        let listener = TcpListener::bind(self.address).await.unwrap();
        let (tls, received) = (self.tls.clone(), self.received.0.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.spawn(receive(stream, tls.clone(), received.clone()));
            }
        });
        tasks
    }

    /// Waits until each of `lines` has arrived.
    async fn wait_for(&mut self, lines: &[String]) {
        let mut missing: Vec<&String> = lines.iter().collect();
        let arrival = async {
            while !missing.is_empty() {
                let (port, bytes) = self.received.1.recv().await.unwrap();
                let text = self.text.entry(port).or_default();
                text.push_str(&String::from_utf8(bytes).unwrap());
                missing.retain(|line| !text.contains(*line));
            }
        };
        if timeout(ARRIVAL_TIMEOUT, arrival).await.is_err() {
            panic!("{} of {} lines are missing, such as {}", missing.len(), lines.len(), missing[0]);
        }
    }
}

async fn receive(stream: TcpStream, tls: TlsAcceptor, received: mpsc::UnboundedSender<(u16, Vec<u8>)>) {
    let port = stream.peer_addr().unwrap().port();
    let Ok(mut stream) = tls.accept(stream).await else { return };
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = stream.read(&mut bytes).await {
        received.send((port, bytes[..count].to_vec())).unwrap();
    }
}

fn find_rsyslog() -> Option<PathBuf> {
    let folders = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin";
    folders.split(':').map(|folder| Path::new(folder).join("rsyslogd")).find(|program| program.exists())
}

#[sqlx::test(migrations = "../../migrations")]
async fn s13_the_log_arrives_at_another_machine_also_after_it_was_away(pool: PgPool) {
    let Some(program) = find_rsyslog() else {
        eprintln!("skipped, because rsyslog is not installed");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = create_certificate(folder.path(), RECEIVER);
    let mut receiver = Receiver {
        address: TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap(),
        tls: TlsAcceptor::from(Arc::new(server_config(&certificate, &key))),
        received: mpsc::unbounded_channel(),
        text: BTreeMap::new(),
    };
    let running_receiver = receiver.listen().await;
    let rsyslog = Rsyslog::start(&program, folder.path(), receiver.address.port(), &certificate);

    let log = folder.path().join("log");
    let server =
        Process::start_with(&pool, &folder.path().join("data"), |command| command.stdout(File::create(&log).unwrap()));
    let read_log = || -> Vec<String> {
        let text = fs::read_to_string(&log).unwrap();
        text.lines().map(str::to_owned).filter(|line| line.starts_with('{') && line.ends_with('}')).collect()
    };
    assert_eq!(server.send("GET", "/api/v1/openings", &[], b"").status, 404);
    let before = read_log();
    assert!(before.len() > 1, "{before:?}");
    before.iter().for_each(|line| rsyslog.forward(line));
    receiver.wait_for(&before).await;

    drop(running_receiver);
    // The end of the connection reaches rsyslog first.
    sleep(Duration::from_millis(500)).await;
    // More than the queue keeps in memory.
    for _ in 0..20 {
        server.send("GET", "/api/v1/openings", &[], b"");
    }
    let all = read_log();
    let while_away = &all[before.len()..];
    assert!(while_away.len() >= 20, "{while_away:?}");
    let numbered: Vec<String> = while_away
        .iter()
        .cycle()
        .take(1_000)
        .zip(0..)
        .map(|(line, number)| format!(r#"{{"number":{number},{}"#, &line[1..]))
        .collect();
    numbered.iter().for_each(|line| rsyslog.forward(line));
    let is_queue =
        |entry: io::Result<DirEntry>| entry.unwrap().file_name().to_string_lossy().starts_with("tradebahi.0");
    let spooling = async {
        while !fs::read_dir(folder.path()).unwrap().any(is_queue) {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(ARRIVAL_TIMEOUT, spooling).await.unwrap();
    let _running_receiver = receiver.listen().await;
    receiver.wait_for(&numbered).await;
}
