//! `tradebahi health`: whether the server at this machine can serve. An image needs no other program for it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::transport::Endpoint;
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use crate::config::{Addresses, Role};

/// How long the answer may take. Readiness itself gives up after half a second.
const PATIENCE: Duration = Duration::from_secs(3);

/// Asks by the way that the role has: REST, or gRPC where there is only a core. Fails when the server is not ready.
pub async fn run(at: &Addresses) -> anyhow::Result<()> {
    let (address, asked) = match at.role {
        Role::All | Role::Edge => (at.listen, tokio::time::timeout(PATIENCE, ask_rest(near(at.listen))).await),
        Role::Core => (at.grpc_listen, tokio::time::timeout(PATIENCE, ask_grpc(near(at.grpc_listen))).await),
    };
    let ready = asked.context("no answer in time").flatten();
    ready.with_context(|| format!("the server at {address} is not ready"))
}

/// Where this machine reaches what listens at `address`.
fn near(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

async fn ask_rest(address: SocketAddr) -> anyhow::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /readyz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut head = String::new();
    stream.take(4096).read_to_string(&mut head).await?;
    ensure!(head.starts_with("HTTP/1.1 200 "), "{}", head.lines().next().unwrap_or("it closed the connection"));
    Ok(())
}

async fn ask_grpc(address: SocketAddr) -> anyhow::Result<()> {
    let channel = Endpoint::from_shared(format!("http://{address}"))?.connect().await?;
    let answer = HealthClient::new(channel).check(HealthCheckRequest::default()).await?;
    let status = answer.into_inner().status;
    ensure!(status == ServingStatus::Serving as i32, "it says {status}");
    Ok(())
}
