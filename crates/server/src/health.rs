//! `tradebahi health`: checks whether the local server is ready. The container image has no other program for it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::transport::Endpoint;
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use crate::config::{Addresses, Role};

/// Timeout of the check. The server's own readiness check times out after half a second.
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// Checks the server by REST, or by gRPC if its role is core. Fails if it is not ready.
pub async fn run(addresses: &Addresses) -> anyhow::Result<()> {
    let (address, outcome) = match addresses.role {
        Role::All | Role::Edge => {
            let address = addresses.listen;
            (address, timeout(CHECK_TIMEOUT, check_rest(local_address(address))).await)
        }
        Role::Core => {
            let address = addresses.grpc_listen;
            (address, timeout(CHECK_TIMEOUT, check_grpc(local_address(address))).await)
        }
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

async fn check_rest(address: SocketAddr) -> anyhow::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /readyz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    stream.take(4096).read_to_string(&mut response).await?;
    ensure!(response.starts_with("HTTP/1.1 200 "), "{}", response.lines().next().unwrap_or("connection closed"));
    Ok(())
}

async fn check_grpc(address: SocketAddr) -> anyhow::Result<()> {
    let channel = Endpoint::from_shared(format!("http://{address}"))?.connect().await?;
    let response = HealthClient::new(channel).check(HealthCheckRequest::default()).await?;
    let status = response.into_inner().status;
    ensure!(status == ServingStatus::Serving as i32, "health status {status}");
    Ok(())
}
