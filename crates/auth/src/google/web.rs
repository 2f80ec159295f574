//! A few questions over https, one connection each. Redirects are answers like any other: nothing follows them.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST};
use http::uri::Scheme;
use http::{Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

use crate::error::Cause;

/// The longest answer that is read, and the longest head.
const LONGEST: usize = 64 * 1024;

/// Asks over https; over http only this very machine, where nobody listens in.
pub(super) struct Web {
    tls: TlsConnector,
    connect_within: Duration,
}

pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Bytes,
}

impl Web {
    pub(super) fn new(connect_within: Duration) -> Result<Self, rustls::Error> {
        let roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { tls: TlsConnector::from(Arc::new(config)), connect_within })
    }

    pub(super) async fn get(&self, address: &str) -> Result<Answer, Cause> {
        self.send(Method::GET, address, String::new()).await
    }

    /// Sends a form.
    pub(super) async fn post(&self, address: &str, form: String) -> Result<Answer, Cause> {
        self.send(Method::POST, address, form).await
    }

    async fn send(&self, method: Method, address: &str, form: String) -> Result<Answer, Cause> {
        let uri: Uri = address.parse()?;
        let authority = uri.authority().ok_or("an address without a host")?;
        let host = authority.host().trim_matches(['[', ']']);
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, authority.as_str())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Full::from(form))?;
        if uri.scheme() == Some(&Scheme::HTTPS) {
            let port = authority.port_u16().unwrap_or(443);
            let name = ServerName::try_from(host.to_owned())?;
            let connected = timeout(self.connect_within, async {
                self.tls.connect(name, TcpStream::connect((host, port)).await?).await
            });
            return ask(connected.await??, request).await;
        }
        if !is_loopback(host) {
            return Err("plain http to another machine".into());
        }
        let connected = timeout(self.connect_within, TcpStream::connect((host, authority.port_u16().unwrap_or(80))));
        ask(connected.await??, request).await
    }
}

async fn ask<C>(connection: C, request: Request<Full<Bytes>>) -> Result<Answer, Cause>
where
    C: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) =
        http1::Builder::new().max_buf_size(LONGEST).handshake(TokioIo::new(connection)).await?;
    // Whenever this ends, the connection ends with it.
    let mut driver = JoinSet::new();
    driver.spawn(connection);
    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = Limited::new(body, LONGEST).collect().await?.to_bytes();
    Ok(Answer { status: head.status, body })
}

fn is_loopback(host: &str) -> bool {
    host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_this_machine_is_asked_without_tls() {
        let web = Web::new(Duration::from_secs(1)).unwrap();
        for address in ["http://192.0.2.1/keys", "http://google.example/keys", "/keys", "ftp://127.0.0.2.example/"] {
            let refused = web.get(address).await.err().unwrap().to_string();
            assert!(["plain http to another machine", "an address without a host"].contains(&&*refused), "{refused}");
        }
    }
}
