//! Listening sockets, TCP or Unix, and the connections that they accept.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io, iter};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::time::sleep;

/// Address of each peer on a Unix socket: a process on this machine.
const UNIX_PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
/// Pause after a failed accept, which usually means that file descriptors are exhausted.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Listening socket.
#[derive(Debug)]
pub enum Listener {
    /// TCP socket.
    Tcp(TcpListener),
    /// Unix socket and its file.
    Unix(UnixListener, SocketFile),
}

/// File of a Unix socket.
#[derive(Clone, Debug)]
pub struct SocketFile {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl SocketFile {
    /// Remembers the file at `path`.
    ///
    /// # Errors
    /// If there is none.
    pub fn new(path: &Path) -> io::Result<Self> {
        let metadata = fs::symlink_metadata(path)?;
        Ok(Self { path: path.to_owned(), device: metadata.dev(), inode: metadata.ino() })
    }

    /// Removes the file, unless another server has replaced it. To be called while the socket is open, because otherwise
    /// the next server may get the same inode.
    pub fn remove(&self) {
        if Self::new(&self.path).is_ok_and(|file| (file.device, file.inode) == (self.device, self.inode)) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Bytes of a connection in both directions.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Accepted connection and its peer.
pub type Connection = (Box<dyn Stream>, Peer);

/// Peer of a connection. [`crate::serve`] adds it to the extensions of each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Program at an address.
    Tcp(SocketAddr),
    /// Program on this machine, connected by a Unix socket; a proxy.
    Unix,
}

impl Peer {
    /// Returns the address; 127.0.0.1 for Unix sockets.
    pub fn address(self) -> SocketAddr {
        match self {
            Self::Tcp(address) => address,
            Self::Unix => UNIX_PEER,
        }
    }
}

impl Listener {
    /// Returns the file of a Unix socket.
    pub fn socket_file(&self) -> Option<&SocketFile> {
        match self {
            Self::Tcp(_) => None,
            Self::Unix(_, file) => Some(file),
        }
    }

    /// Returns the next connection. Logs failures, and pauses after each. Loses no connection if it is cancelled.
    pub async fn accept(&self) -> Connection {
        match self {
            Self::Tcp(listener) => {
                let (stream, peer) = retry(|| listener.accept()).await;
                tcp_connection(stream, peer)
            }
            Self::Unix(listener, _) => unix_connection(retry(|| listener.accept()).await.0),
        }
    }

    /// Returns the connections that the kernel has accepted already; dropping them closes the socket. Removes the file of
    /// a Unix socket while the socket is still open, because later the file may be that of the next server.
    pub(crate) fn into_backlog(self) -> io::Result<Box<dyn Iterator<Item = Connection> + Send>> {
        if let Some(file) = self.socket_file() {
            file.remove();
        }
        Ok(match self {
            Self::Tcp(listener) => {
                let listener = listener.into_std()?;
                Box::new(iter::from_fn(move || {
                    let (stream, peer) = listener.accept().ok()?;
                    stream.set_nonblocking(true).ok()?;
                    Some(tcp_connection(TcpStream::from_std(stream).ok()?, peer))
                }))
            }
            Self::Unix(listener, _) => {
                let listener = listener.into_std()?;
                Box::new(iter::from_fn(move || {
                    let (stream, _) = listener.accept().ok()?;
                    stream.set_nonblocking(true).ok()?;
                    Some(unix_connection(UnixStream::from_std(stream).ok()?))
                }))
            }
        })
    }
}

fn tcp_connection(stream: TcpStream, peer: SocketAddr) -> Connection {
    // Without it, Nagle's algorithm and delayed acknowledgements delay a streamed response by 40 ms. Fails only if the
    // connection is closed already.
    let _ = stream.set_nodelay(true);
    (Box::new(stream), Peer::Tcp(peer))
}

fn unix_connection(stream: UnixStream) -> Connection {
    (Box::new(stream), Peer::Unix)
}

/// Repeats `accept` until it succeeds.
async fn retry<T, F: Future<Output = io::Result<T>>>(accept: impl Fn() -> F) -> T {
    loop {
        match accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::ready;

    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn pauses_after_a_failed_accept() {
        let (attempts, start) = (Cell::new(0), Instant::now());
        let accept = || {
            attempts.set(attempts.get() + 1);
            let too_many_files = 24;
            let failed = attempts.get() < 4;
            ready(if failed { Err(io::Error::from_raw_os_error(too_many_files)) } else { Ok(attempts.get()) })
        };
        assert_eq!(retry(accept).await, 4);
        assert!(start.elapsed() >= 3 * ACCEPT_RETRY_DELAY, "{:?}", start.elapsed());
    }
}
