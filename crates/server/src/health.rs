//! `tradebahi health`: checks whether the local server is ready. The container image has no other program for it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tonic::transport::Endpoint;
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use crate::config::{Addresses, ListenAddress, Role};
use crate::tls::{GrpcTls, health_check_https_client};

/// Timeout of the check. The server's own readiness check times out after half a second.
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// Checks the server by REST, or by gRPC if its role is core. Fails if it is not ready.
pub async fn run(addresses: &Addresses) -> anyhow::Result<()> {
    let (address, outcome) = match addresses.role {
        Role::All | Role::Edge => (&addresses.listen, timeout(CHECK_TIMEOUT, check_rest(addresses)).await),
        Role::Core => (&addresses.grpc_listen, timeout(CHECK_TIMEOUT, check_grpc(addresses)).await),
    };
    let outcome = outcome.context("no response in time").flatten();
    outcome.with_context(|| format!("the server at {address} is not ready"))
}

/// Returns the address at which this machine reaches a server that listens on `address`.
fn local_address(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

async fn check_rest(addresses: &Addresses) -> anyhow::Result<()> {
    let address = match &addresses.listen {
        ListenAddress::Unix(path) => return request_readiness(UnixStream::connect(path).await?, "localhost").await,
        ListenAddress::Tcp(address) => local_address(*address),
    };
    let (stream, host) = (TcpStream::connect(address).await?, address.to_string());
    let Some(cert_file) = &addresses.tls_cert_file else { return request_readiness(stream, &host).await };
    let tls = TlsConnector::from(Arc::new(health_check_https_client(cert_file)?));
    request_readiness(tls.connect(address.ip().into(), stream).await?, &host).await
}

async fn request_readiness(mut stream: impl AsyncRead + AsyncWrite + Unpin, host: &str) -> anyhow::Result<()> {
    let request = format!("GET /readyz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    stream.take(4096).read_to_string(&mut response).await?;
    ensure!(response.starts_with("HTTP/1.1 200 "), "{}", response.lines().next().unwrap_or("connection closed"));
    Ok(())
}

async fn check_grpc(addresses: &Addresses) -> anyhow::Result<()> {
    let endpoint = match (&addresses.grpc_listen, GrpcTls::read(addresses)?) {
        (ListenAddress::Unix(_), _) => Endpoint::from_shared(addresses.grpc_listen.to_string())?,
        (ListenAddress::Tcp(address), None) => Endpoint::from_shared(format!("http://{}", local_address(*address)))?,
        (ListenAddress::Tcp(address), Some(tls)) => {
            let (tls, verifier) = tls.health_check_client()?;
            let endpoint = Endpoint::from_shared(format!("https://{}", local_address(*address)))?;
            endpoint.tls_config_with_verifier(tls, verifier)?
        }
    };
    let channel = endpoint.connect().await?;
    let response = HealthClient::new(channel).check(HealthCheckRequest::default()).await?;
    let status = response.into_inner().status;
    ensure!(status == ServingStatus::Serving as i32, "health status {status}");
    Ok(())
}
