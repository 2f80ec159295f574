//! Listening sockets, TCP or Unix, and the connections that they accept.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::{fs, io, iter};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

/// Address of each peer on a Unix socket: a process on this machine.
const UNIX_PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Listening socket.
#[derive(Debug)]
pub enum Listener {
    /// TCP socket.
    Tcp(TcpListener),
    /// Unix socket with a file.
    Unix(UnixListener),
}

/// Bytes of a connection in both directions.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Accepted connection and the address of its peer.
pub(crate) type Connection = (Box<dyn Stream>, SocketAddr);

impl Listener {
    /// Returns the file of a Unix socket.
    pub fn socket_file(&self) -> Option<PathBuf> {
        let Self::Unix(listener) = self else { return None };
        listener.local_addr().ok()?.as_pathname().map(PathBuf::from)
    }

    pub(crate) async fn accept(&self) -> io::Result<Connection> {
        match self {
            Self::Tcp(listener) => listener.accept().await.map(|(stream, peer)| tcp_connection(stream, peer)),
            Self::Unix(listener) => listener.accept().await.map(|(stream, _)| unix_connection(stream)),
        }
    }

    /// Returns the connections that the kernel has accepted already; dropping them closes the socket. Removes the file of
    /// a Unix socket while the socket is still open, because later the file may be that of the next server.
    pub(crate) fn into_backlog(self) -> io::Result<Box<dyn Iterator<Item = Connection> + Send>> {
        if let Some(file) = self.socket_file() {
            let _ = fs::remove_file(file);
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
            Self::Unix(listener) => {
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
    (Box::new(stream), peer)
}

fn unix_connection(stream: UnixStream) -> Connection {
    (Box::new(stream), UNIX_PEER)
}
