//! Accepted gRPC connections: their number, and the time of their TLS handshakes.
//!
//! Connections are accepted here because tonic's own loop has no limit of connections, and repeats a failed accept at
//! once.

use std::convert::Infallible;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use edge::{Client, Limit, Listener, Peer, Permit, Shares, Stream as ByteStream, TlsConfig};
use futures_util::stream::{Stream, unfold};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tonic::transport::server::{Connected, TcpConnectInfo};

use crate::tls::HANDSHAKE_TIMEOUT;

/// Limits of gRPC connections.
pub(crate) struct GrpcLimits {
    /// Connections, with those whose handshake is not complete. An edge needs one to each core. Default: 256; 32 of an
    /// address; they have no account.
    connections: Shares,
    /// Time of a TLS handshake.
    handshake: Duration,
}

impl Default for GrpcLimits {
    fn default() -> Self {
        Self { connections: Shares { total: 256, per_address: 32, per_account: 0 }, handshake: HANDSHAKE_TIMEOUT }
    }
}

/// Accepts connections within the limits.
pub(crate) struct Incoming {
    listener: Listener,
    tls: Option<TlsAcceptor>,
    limit: Limit,
    handshake_timeout: Duration,
    handshakes: JoinSet<io::Result<Connection>>,
}

impl Incoming {
    /// Accepts connections of `listener`. With `tls`, all connections must use it.
    pub(crate) fn new(listener: Listener, tls: Option<TlsConfig>, limits: &GrpcLimits) -> Self {
        Self {
            listener,
            tls: tls.map(TlsAcceptor::from),
            limit: Limit::new(limits.connections),
            handshake_timeout: limits.handshake,
            handshakes: JoinSet::new(),
        }
    }

    /// Returns the connections as a stream without end. Dropping it closes the socket and ends pending handshakes.
    pub(crate) fn into_stream(self) -> impl Stream<Item = Result<Connection, Infallible>> {
        unfold(self, |mut incoming| async {
            let connection = incoming.next().await;
            Some((Ok(connection), incoming))
        })
    }

    /// Returns the next connection that may send requests. Closes connections above a limit at once, so that they hold
    /// no file descriptor.
    async fn next(&mut self) -> Connection {
        loop {
            tokio::select! {
                (stream, peer) = self.listener.accept() => {
                    let Some(permit) = self.admit(peer) else {
                        tracing::debug!(?peer, "too many gRPC connections");
                        continue;
                    };
                    let connection = Connection { stream, peer, _permit: permit };
                    let Some(tls) = self.tls.clone() else { return connection };
                    let handshake = timeout(self.handshake_timeout, connection.accept_tls(tls));
                    self.handshakes.spawn(async { handshake.await.unwrap_or_else(|timeout| Err(timeout.into())) });
                }
                Some(handshake) = self.handshakes.join_next() => match handshake.map_err(io::Error::from).flatten() {
                    Ok(connection) => return connection,
                    // At debug level only, because anybody can cause it.
                    Err(error) => tracing::debug!(%error, "a TLS handshake failed"),
                },
            }
        }
    }

    /// Returns `None` if there are too many connections, in total or of the address of `peer`. Peers on this machine
    /// have no share.
    fn admit(&self, peer: Peer) -> Option<Permit> {
        self.limit.try_acquire(Client::from_address(Some(peer.address().ip().to_canonical()))).ok()
    }
}

/// Connection that counts in the limits until it is dropped.
pub(crate) struct Connection {
    stream: Box<dyn ByteStream>,
    peer: Peer,
    _permit: Permit,
}

impl Connection {
    async fn accept_tls(self, tls: TlsAcceptor) -> io::Result<Self> {
        Ok(Self { stream: Box::new(tls.accept(self.stream).await?), ..self })
    }
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        let remote_addr = match self.peer {
            Peer::Tcp(address) => Some(address),
            Peer::Unix => None,
        };
        TcpConnectInfo { local_addr: None::<SocketAddr>, remote_addr }
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use futures_util::StreamExt as _;
    use rcgen::{CertificateParams, KeyPair};
    use tokio::io::AsyncReadExt as _;
    use tokio::net::{TcpListener, TcpStream};
    use tokio_rustls::TlsConnector;
    use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;
    use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};

    use super::*;

    /// Returns the TLS settings of a server for `localhost` that accepts any client, and those of a client.
    fn tls() -> (TlsConfig, TlsConnector) {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
        let provider = Arc::new(default_provider());
        let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
            .unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(certificate.der().clone()).unwrap();
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        (Arc::new(server), Arc::new(client).into())
    }

    #[tokio::test]
    async fn handshakes_without_end_are_closed_and_give_their_places_back() {
        let connections = Shares { total: 2, per_address: 1, per_account: 0 };
        let limits = GrpcLimits { connections, handshake: Duration::from_secs(1) };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (server, client) = tls();
        let incoming = Incoming::new(Listener::Tcp(listener), Some(server), &limits);
        let (sender, mut accepted) = tokio::sync::mpsc::unbounded_channel();
        tokio::spawn(incoming.into_stream().for_each(move |connection| {
            let _ = sender.send(connection);
            std::future::ready(())
        }));
        let connect = async || {
            let stream = TcpStream::connect(address).await.unwrap();
            client.connect("localhost".try_into().unwrap(), stream).await
        };

        let start = Instant::now();
        let mut silent = [TcpStream::connect(address).await.unwrap(), TcpStream::connect(address).await.unwrap()];
        // Above the limit: closed at once.
        assert!(connect().await.is_err());
        assert!(start.elapsed() < limits.handshake, "waited for a place");
        for stream in &mut silent {
            assert_eq!(stream.read(&mut [0]).await.unwrap_or(0), 0);
        }
        let elapsed = start.elapsed();
        assert!(elapsed >= limits.handshake && elapsed < Duration::from_secs(20), "{elapsed:?}");

        // Complete connections hold their places until they end.
        let first = (connect().await.unwrap(), accepted.recv().await.unwrap());
        let second = (connect().await.unwrap(), accepted.recv().await.unwrap());
        assert!(connect().await.is_err());
        drop(first);
        assert!(connect().await.is_ok());
        drop(second);
    }

    #[tokio::test]
    async fn an_address_has_a_share_and_this_machine_has_none() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let connections = Shares { total: 6, per_address: 2, per_account: 0 };
        let limits = GrpcLimits { connections, ..GrpcLimits::default() };
        let incoming = Incoming::new(Listener::Tcp(listener), None, &limits);
        let mut permits = Vec::new();
        let mut is_admitted = |peer| incoming.admit(peer).map(|permit| permits.push(permit)).is_some();
        let tcp = |address: &str| Peer::Tcp(address.parse().unwrap());
        assert!(is_admitted(tcp("203.0.113.9:1")) && is_admitted(tcp("[::ffff:203.0.113.9]:2")));
        assert!(!is_admitted(tcp("203.0.113.9:3")) && is_admitted(tcp("203.0.113.10:1")));
        assert!(is_admitted(Peer::Unix) && is_admitted(Peer::Unix) && is_admitted(Peer::Unix));
        assert!(!is_admitted(tcp("127.0.0.1:1")) && !is_admitted(tcp("198.51.100.1:1")));
    }
}
