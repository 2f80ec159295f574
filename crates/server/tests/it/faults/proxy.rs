//! Proxy between two programs that can cause connection faults while they use it.

use std::future::pending;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time::sleep;

/// State of a connection between two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    Healthy,
    /// Data arrives 20 to 100 ms later.
    Delayed,
    /// Every connection is reset at once.
    Reset,
    /// No data gets through, without an error. A connection that is open then stays dead.
    BlackHole,
    /// Requests get through, replies do not. A connection that is open then stays dead.
    HalfOpen,
    /// Each byte is sent separately.
    OneByte,
    /// A connection ends in the middle of a reply.
    Truncated,
}

impl LinkState {
    pub const FAULTS: [Self; 6] =
        [Self::Delayed, Self::Reset, Self::BlackHole, Self::HalfOpen, Self::OneByte, Self::Truncated];

    pub fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Delayed => "delay",
            Self::Reset => "reset",
            Self::BlackHole => "black hole",
            Self::HalfOpen => "half-open",
            Self::OneByte => "one-byte chunks",
            Self::Truncated => "truncated reply",
        }
    }

    /// Returns true if no data gets through in this direction.
    fn blocks(self, direction: Direction) -> bool {
        self == Self::BlackHole || self == Self::HalfOpen && direction == Direction::ToClient
    }
}

/// Address of the program behind the proxy.
#[derive(Clone)]
pub enum Target {
    Tcp(u16),
    Unix(PathBuf),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    ToServer,
    ToClient,
}

/// Reason why the proxy ends a connection.
enum CloseReason {
    Closed,
    Reset,
}

impl From<io::Error> for CloseReason {
    fn from(_: io::Error) -> Self {
        Self::Closed
    }
}

/// Listens on loopback and forwards data according to the link state. Runs on its own thread.
pub struct Proxy {
    port: u16,
    state: watch::Sender<LinkState>,
    runtime: Option<Runtime>,
}

impl Proxy {
    pub fn start(target: Target) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (state, state_receiver) = watch::channel(LinkState::Healthy);
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.spawn(async move {
            let listener = TcpListener::from_std(listener).unwrap();
            for number in 0.. {
                let Ok((client, _)) = listener.accept().await else { continue };
                tokio::spawn(serve_connection(client, target.clone(), state_receiver.clone(), number));
            }
        });
        Self { port, state, runtime: Some(runtime) }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Changes the state of the link, also for open connections.
    pub fn set_state(&self, state: LinkState) {
        self.state.send_replace(state);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // An asynchronous test must not block on the shutdown.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn serve_connection(mut client: TcpStream, target: Target, state: watch::Receiver<LinkState>, number: usize) {
    let _ = client.set_nodelay(true);
    let initial_state = *state.borrow();
    if initial_state == LinkState::Reset {
        let _ = client.set_zero_linger();
        return;
    }
    if initial_state == LinkState::BlackHole {
        while client.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {}
        return;
    }
    let result = match target {
        Target::Tcp(port) => {
            let Ok(mut server) = TcpStream::connect(("127.0.0.1", port)).await else { return };
            let _ = server.set_nodelay(true);
            let result = forward(&mut client, &mut server, state, number).await;
            if matches!(result, Err(CloseReason::Reset)) {
                let _ = server.set_zero_linger();
            }
            result
        }
        Target::Unix(path) => {
            let Ok(mut server) = UnixStream::connect(path).await else { return };
            forward(&mut client, &mut server, state, number).await
        }
    };
    if matches!(result, Err(CloseReason::Reset)) {
        let _ = client.set_zero_linger();
    }
}

async fn forward<S>(
    client: &mut TcpStream,
    server: &mut S,
    state: watch::Receiver<LinkState>,
    number: usize,
) -> Result<(), CloseReason>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (from_client, to_client) = split(client);
    let (from_server, to_server) = split(server);
    let to_server_forwarder =
        Forwarder { state: state.clone(), direction: Direction::ToServer, number, is_dead: false, received: 0 };
    let to_client_forwarder = Forwarder { state, direction: Direction::ToClient, number, is_dead: false, received: 0 };
    tokio::try_join!(to_server_forwarder.run(from_client, to_server), to_client_forwarder.run(from_server, to_client))
        .map(drop)
}

/// Forwards one direction of a connection.
struct Forwarder {
    state: watch::Receiver<LinkState>,
    direction: Direction,
    number: usize,
    /// True once the link was dead; the programs were not told.
    is_dead: bool,
    /// Bytes received since the truncation began.
    received: usize,
}

impl Forwarder {
    async fn run(
        mut self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
    ) -> Result<(), CloseReason> {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let read = tokio::select! {
                read = from.read(&mut buffer) => read?,
                changed = self.state.changed() => {
                    if changed.is_err() {
                        return Err(CloseReason::Closed);
                    }
                    self.apply_state()?;
                    continue;
                }
            };
            self.apply_state()?;
            if read == 0 {
                return self.close(to).await;
            }
            if !self.is_dead {
                self.forward_bytes(&buffer[..read], &mut to).await?;
            }
        }
    }

    /// Applies a changed state of the link to the open connection.
    fn apply_state(&mut self) -> Result<(), CloseReason> {
        let state = *self.state.borrow_and_update();
        self.is_dead |= state.blocks(self.direction);
        if state != LinkState::Truncated {
            self.received = 0;
        }
        if state == LinkState::Reset { Err(CloseReason::Reset) } else { Ok(()) }
    }

    /// Passes on the end of the stream. On a dead link, waits until the link is healthy and then closes the connection.
    async fn close(&mut self, mut to: impl AsyncWrite + Unpin) -> Result<(), CloseReason> {
        if !self.is_dead && *self.state.borrow() != LinkState::HalfOpen {
            to.shutdown().await?;
            return Ok(());
        }
        let _ = self.state.wait_for(|state| *state == LinkState::Healthy).await;
        Err(CloseReason::Closed)
    }

    async fn forward_bytes(&mut self, bytes: &[u8], to: &mut (impl AsyncWrite + Unpin)) -> Result<(), CloseReason> {
        let state = *self.state.borrow();
        match state {
            LinkState::Healthy | LinkState::HalfOpen => to.write_all(bytes).await?,
            LinkState::Delayed => {
                sleep(Duration::from_millis(20 + (self.number * 7 + bytes.len()) as u64 % 80)).await;
                to.write_all(bytes).await?;
            }
            LinkState::OneByte => {
                for byte in bytes.chunks(1) {
                    to.write_all(byte).await?;
                    tokio::task::yield_now().await;
                }
            }
            LinkState::Truncated if self.direction == Direction::ToClient => {
                let left = (1 + self.number * 7_919 % 600).saturating_sub(self.received);
                to.write_all(&bytes[..left.min(bytes.len())]).await?;
                self.received += bytes.len();
                if left < bytes.len() {
                    return Err(CloseReason::Closed);
                }
            }
            LinkState::Truncated => to.write_all(bytes).await?,
            // Not reached: a reset ends and a black hole blocks this direction earlier.
            LinkState::Reset | LinkState::BlackHole => pending::<()>().await,
        }
        Ok(())
    }
}
