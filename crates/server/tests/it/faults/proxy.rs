//! A line between two programs that can be spoilt while they use it.

use std::future::pending;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time::sleep;

/// How a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Fine,
    /// What is sent comes 20 to 100 ms later.
    Delayed,
    /// Every connection is reset, at once.
    Reset,
    /// Nothing comes through, and nobody is told. A connection that was open then stays so.
    BlackHole,
    /// Requests come through, replies do not. A connection that was open then stays so.
    HalfOpen,
    /// Each byte comes by itself.
    OneByte,
    /// A connection ends in the middle of what it brings back.
    Truncated,
}

impl Line {
    pub const SPOILT: [Self; 6] =
        [Self::Delayed, Self::Reset, Self::BlackHole, Self::HalfOpen, Self::OneByte, Self::Truncated];

    pub fn name(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Delayed => "delay",
            Self::Reset => "reset",
            Self::BlackHole => "black hole",
            Self::HalfOpen => "half-open",
            Self::OneByte => "one-byte chunks",
            Self::Truncated => "truncated reply",
        }
    }

    /// Whether `way` leads nowhere.
    fn swallows(self, way: Way) -> bool {
        self == Self::BlackHole || self == Self::HalfOpen && way == Way::Back
    }
}

/// Where a line leads.
#[derive(Clone)]
pub enum End {
    Tcp(u16),
    Unix(PathBuf),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    There,
    Back,
}

/// Why a connection ends before its ends end it.
enum Cut {
    Closed,
    Reset,
}

impl From<io::Error> for Cut {
    fn from(_: io::Error) -> Self {
        Self::Closed
    }
}

/// Listens on loopback and passes on what comes, as the line is. It has a thread of its own.
pub struct Proxy {
    port: u16,
    line: watch::Sender<Line>,
    runtime: Option<Runtime>,
}

impl Proxy {
    pub fn to(end: End) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (line, watched) = watch::channel(Line::Fine);
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.spawn(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            for number in 0.. {
                let Ok((client, _)) = listener.accept().await else { continue };
                tokio::spawn(connect(client, end.clone(), watched.clone(), number));
            }
        });
        Self { port, line, runtime: Some(runtime) }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The line is so from now on.
    pub fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // In a test that is a task it must not be waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn connect(mut client: TcpStream, end: End, line: watch::Receiver<Line>, number: usize) {
    let _ = client.set_nodelay(true);
    let now = *line.borrow();
    if now == Line::Reset {
        let _ = client.set_zero_linger();
        return;
    }
    if now == Line::BlackHole {
        while client.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {}
        return;
    }
    let cut = match end {
        End::Tcp(port) => {
            let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
            let _ = server.set_nodelay(true);
            let cut = carry(&mut client, &mut server, line, number).await;
            if matches!(cut, Err(Cut::Reset)) {
                let _ = server.set_zero_linger();
            }
            cut
        }
        End::Unix(path) => {
            let Ok(mut server) = UnixStream::connect(path).await else { return };
            carry(&mut client, &mut server, line, number).await
        }
    };
    if matches!(cut, Err(Cut::Reset)) {
        let _ = client.set_zero_linger();
    }
}

async fn carry<S>(client: &mut TcpStream, server: &mut S, line: watch::Receiver<Line>, number: usize) -> Result<(), Cut>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (from_client, to_client) = split(client);
    let (from_server, to_server) = split(server);
    let there = Pump { line: line.clone(), way: Way::There, number, deaf: false, brought: 0 };
    let back = Pump { line, way: Way::Back, number, deaf: false, brought: 0 };
    tokio::try_join!(there.run(from_client, to_server), back.run(from_server, to_client)).map(drop)
}

/// One way of one connection.
struct Pump {
    line: watch::Receiver<Line>,
    way: Way,
    number: usize,
    /// The line was dead once, and nobody has told the ends.
    deaf: bool,
    /// Bytes, since the line truncates.
    brought: usize,
}

impl Pump {
    async fn run(mut self, mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) -> Result<(), Cut> {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let read = tokio::select! {
                read = from.read(&mut buffer) => read?,
                changed = self.line.changed() => {
                    if changed.is_err() {
                        return Err(Cut::Closed);
                    }
                    self.look()?;
                    continue;
                }
            };
            self.look()?;
            if read == 0 {
                return self.end(to).await;
            }
            if !self.deaf {
                self.pass(&buffer[..read], &mut to).await?;
            }
        }
    }

    /// Does what a line does that changes under a connection.
    fn look(&mut self) -> Result<(), Cut> {
        let line = *self.line.borrow_and_update();
        self.deaf |= line.swallows(self.way);
        if line != Line::Truncated {
            self.brought = 0;
        }
        if line == Line::Reset { Err(Cut::Reset) } else { Ok(()) }
    }

    /// One end has nothing more to say; the other hears of it, unless the line is dead: then once it no longer is.
    async fn end(&mut self, mut to: impl AsyncWrite + Unpin) -> Result<(), Cut> {
        if !self.deaf && *self.line.borrow() != Line::HalfOpen {
            to.shutdown().await?;
            return Ok(());
        }
        let _ = self.line.wait_for(|line| *line == Line::Fine).await;
        Err(Cut::Closed)
    }

    async fn pass(&mut self, bytes: &[u8], to: &mut (impl AsyncWrite + Unpin)) -> Result<(), Cut> {
        let line = *self.line.borrow();
        match line {
            Line::Fine | Line::HalfOpen => to.write_all(bytes).await?,
            Line::Delayed => {
                sleep(Duration::from_millis(20 + (self.number * 7 + bytes.len()) as u64 % 80)).await;
                to.write_all(bytes).await?;
            }
            Line::OneByte => {
                for byte in bytes.chunks(1) {
                    to.write_all(byte).await?;
                    tokio::task::yield_now().await;
                }
            }
            Line::Truncated if self.way == Way::Back => {
                let left = (1 + self.number * 7_919 % 600).saturating_sub(self.brought);
                to.write_all(&bytes[..left.min(bytes.len())]).await?;
                self.brought += bytes.len();
                if left < bytes.len() {
                    return Err(Cut::Closed);
                }
            }
            Line::Truncated => to.write_all(bytes).await?,
            // Both ends these ways before.
            Line::Reset | Line::BlackHole => pending::<()>().await,
        }
        Ok(())
    }
}
