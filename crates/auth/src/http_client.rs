//! HTTPS client for a few requests, with one connection per request. Does not follow redirects.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
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

use crate::error::BoxError;

/// Maximum size of a response body, and of a response head.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

const FORM: &str = "application/x-www-form-urlencoded";

/// Body of a request.
struct Body<'a> {
    content_type: &'static str,
    bearer: Option<&'a str>,
    text: String,
}

/// HTTPS client. Allows plain HTTP only to loopback addresses.
pub(crate) struct HttpClient {
    tls: TlsConnector,
    connect_timeout: Duration,
}

pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
}

impl HttpClient {
    pub(crate) fn new(connect_timeout: Duration) -> Result<Self, rustls::Error> {
        let roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { tls: TlsConnector::from(Arc::new(config)), connect_timeout })
    }

    pub(crate) async fn get(&self, url: &str) -> Result<Response, BoxError> {
        self.send(Method::GET, url, Body { content_type: FORM, bearer: None, text: String::new() }).await
    }

    /// Posts an encoded form.
    pub(crate) async fn post(&self, url: &str, form: String) -> Result<Response, BoxError> {
        self.send(Method::POST, url, Body { content_type: FORM, bearer: None, text: form }).await
    }

    /// Posts JSON with a bearer token.
    pub(crate) async fn post_json(&self, url: &str, bearer: &str, json: String) -> Result<Response, BoxError> {
        self.send(Method::POST, url, Body { content_type: "application/json", bearer: Some(bearer), text: json }).await
    }

    async fn send(&self, method: Method, url: &str, body: Body<'_>) -> Result<Response, BoxError> {
        let uri: Uri = url.parse()?;
        let authority = uri.authority().ok_or("URL without a host")?;
        let host = authority.host().trim_matches(['[', ']']);
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, authority.as_str())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, body.content_type);
        if let Some(token) = body.bearer {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Full::from(body.text))?;
        if uri.scheme() == Some(&Scheme::HTTPS) {
            let port = authority.port_u16().unwrap_or(443);
            let name = ServerName::try_from(host.to_owned())?;
            let connecting = timeout(self.connect_timeout, async {
                self.tls.connect(name, TcpStream::connect((host, port)).await?).await
            });
            return send_on(connecting.await??, request).await;
        }
        if !is_loopback(host) {
            return Err("plain HTTP to a remote host".into());
        }
        let connecting = timeout(self.connect_timeout, TcpStream::connect((host, authority.port_u16().unwrap_or(80))));
        send_on(connecting.await??, request).await
    }
}

async fn send_on<C>(connection: C, request: Request<Full<Bytes>>) -> Result<Response, BoxError>
where
    C: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) =
        http1::Builder::new().max_buf_size(MAX_RESPONSE_BYTES).handshake(TokioIo::new(connection)).await?;
    // Dropping the set closes the connection.
    let mut driver = JoinSet::new();
    driver.spawn(connection);
    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await?.to_bytes();
    Ok(Response { status: head.status, body })
}

fn is_loopback(host: &str) -> bool {
    host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn allows_plain_http_only_to_loopback() {
        let client = HttpClient::new(Duration::from_secs(1)).unwrap();
        for url in ["http://192.0.2.1/keys", "http://google.example/keys", "/keys", "ftp://127.0.0.2.example/"] {
            let error = client.get(url).await.err().unwrap().to_string();
            assert!(["plain HTTP to a remote host", "URL without a host"].contains(&&*error), "{error}");
        }
    }
}
