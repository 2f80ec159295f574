//! Tests of the accept loop over real connections.

use std::time::Duration;

use futures_util::future::join_all;
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::core::trade;
use super::*;
use crate::{Listener, Timeouts, serve};

struct Server {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    done: JoinHandle<std::io::Result<()>>,
}

async fn start(edge: &Edge, timeouts: Timeouts) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let (router, ready) = (edge.router.clone(), edge.ready.clone());
    let settings = Settings { timeouts, ..Settings::default() };
    let done = tokio::spawn(async move {
        serve(Listener::Tcp(listener), None, router, &settings, ready, async {
            let _ = stopped.await;
        })
        .await
    });
    Server { address, stop, done }
}

fn short_timeouts() -> Timeouts {
    Timeouts {
        header_read: Duration::from_millis(200),
        shutdown_notice: Duration::from_millis(20),
        ..Timeouts::default()
    }
}

/// Reads until the server closes the connection.
async fn read_to_close(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    let read = timeout(Duration::from_secs(5), stream.read_to_end(&mut all)).await;
    assert!(read.is_ok(), "the connection stayed open");
    String::from_utf8_lossy(&all).into_owned()
}

async fn write(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn closes_a_connection_without_complete_request_headers() {
    let edge = Edge::new().await;
    let server = start(&edge, short_timeouts()).await;
    // No bytes; half of the HTTP/2 preface; headers without an end.
    for beginning in ["", "PRI * HT", "GET /livez HTTP/1.1\r\nhost: a\r\n"] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        write(&mut stream, beginning).await;
        let response = read_to_close(&mut stream).await;
        assert!(!response.contains(" 200 "), "{response}");
    }
}

#[tokio::test]
async fn response_has_security_headers_and_no_server_header() {
    let edge = Edge::new().await;
    let server = start(&edge, short_timeouts()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    write(&mut stream, "GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await;
    let response = read_to_close(&mut stream).await.to_lowercase();
    assert!(response.starts_with("http/1.1 200 ok\r\n") && response.ends_with("\r\n\r\nok"), "{response}");
    assert!(
        response.contains("\r\nx-content-type-options: nosniff\r\n") && !response.contains("\r\nserver:"),
        "{response}"
    );
}

#[tokio::test]
async fn shutdown_waits_for_requests_in_flight() {
    let edge = Edge::new().await;
    *edge.core.0.pages.lock().unwrap() = vec![Ok(vec![trade(1)])];
    *edge.core.0.blocked.lock().unwrap() = true;
    let server = start(&edge, Timeouts { shutdown_notice: Duration::from_millis(200), ..Timeouts::default() }).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let token = edge.core.token();
    write(&mut stream, &format!("GET /trades/client HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\n\r\n"))
        .await;
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    server.stop.send(()).unwrap();
    // During the shutdown notice the server is not ready but still answers.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let mut probe = TcpStream::connect(server.address).await.unwrap();
    write(&mut probe, "GET /readyz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await;
    assert!(read_to_close(&mut probe).await.starts_with("HTTP/1.1 503"));
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!server.done.is_finished());
    assert!(TcpStream::connect(server.address).await.is_err(), "new connections are refused");
    edge.core.0.unblock.notify_one();
    assert!(read_to_close(&mut stream).await.ends_with("]}\r\n0\r\n\r\n"));
    timeout(Duration::from_secs(5), server.done).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn shutdown_closes_keep_alive_connections() {
    let edge = Edge::new().await;
    let server = start(&edge, Timeouts { shutdown_notice: Duration::from_secs(5), ..Timeouts::default() }).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let mut send_requests = async || {
        write(&mut stream, "GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n").await;
        let mut response = Vec::new();
        while !response.ends_with(b"ready") && stream.read_buf(&mut response).await.unwrap() > 0 {}
        String::from_utf8(response).unwrap()
    };
    for _ in 0..2 {
        let response = send_requests().await;
        assert!(response.starts_with("HTTP/1.1 200") && !response.contains("\r\nconnection: close"), "{response}");
    }
    server.stop.send(()).unwrap();
    let response = async {
        loop {
            let response = send_requests().await;
            if response.starts_with("HTTP/1.1 503") {
                return response;
            }
        }
    };
    let response = timeout(Duration::from_secs(5), response).await.unwrap();
    assert!(response.contains("\r\nconnection: close\r\n"), "{response}");
}

#[tokio::test]
async fn aborted_list_has_no_final_chunk() {
    let edge = Edge::new().await;
    *edge.core.0.pages.lock().unwrap() = vec![Ok(vec![trade(2)]), Err(tonic::Status::internal("gone"))];
    *edge.core.0.blocked.lock().unwrap() = true;
    let server = start(&edge, short_timeouts()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let token = edge.core.token();
    write(&mut stream, &format!("GET /trades/client HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\n\r\n"))
        .await;
    let mut first = vec![0; 4096];
    let read = stream.read(&mut first).await.unwrap();
    assert!(String::from_utf8_lossy(&first[..read]).contains("transfer-encoding: chunked"));
    for _ in 0..2 {
        edge.core.0.unblock.notify_one();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let response = read_to_close(&mut stream).await;
    assert!(response.contains("\"_id\":\"2\"") && !response.ends_with("0\r\n\r\n"), "{response}");
}

#[tokio::test]
async fn closes_a_connection_at_its_maximum_age() {
    let edge = Edge::new().await;
    let timeouts = Timeouts { connection_age: Duration::from_millis(300), ..Timeouts::default() };
    let timeouts = Timeouts { header_read: Duration::from_millis(200), ..timeouts };
    let server = start(&edge, timeouts).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    write(&mut stream, "GET /livez HTTP/1.1\r\nhost: a\r\n\r\n").await;
    assert!(read_to_close(&mut stream).await.ends_with("ok"));
}

#[tokio::test]
async fn client_receives_the_error_while_it_sends_a_large_body() {
    let edge = Edge::new().await;
    let server = start(&edge, short_timeouts()).await;
    for (path, length, expected) in [("/uploadexcel", 8 << 20, " 401 "), ("/auth/login", 1 << 20, " 413 ")] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        );
        write(&mut stream, &head).await;
        // Like many clients, this one reads only after it has sent everything.
        stream.write_all(&vec![b'x'; length]).await.unwrap();
        let response = read_to_close(&mut stream).await;
        assert!(response.contains(expected) && response.ends_with('}'), "{response}");
    }
}

#[tokio::test]
async fn connection_stays_open_after_load_shedding() {
    let limits = crate::Limits { requests: shares(0), ..Default::default() };
    let edge = Edge::with(Settings { limits, ..Settings::default() }).await;
    let server = start(&edge, short_timeouts()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let post = "POST /auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 12\r\n";
    write(&mut stream, &format!("{post}\r\n{}", r#"{"email":""}"#)).await;
    write(&mut stream, &format!("{post}expect: 100-continue\r\n\r\n")).await;
    let responses = read_to_close(&mut stream).await;
    assert_eq!(responses.matches("HTTP/1.1 503 ").count(), 2, "{responses}");
    assert!(!responses.contains("HTTP/1.1 100 "), "{responses}");
}

/// Connects an HTTP/2 client that accepts no response bytes but answers pings.
async fn connect_with_zero_window(server: &Server) -> SendRequest<Body> {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(0);
    let (client, connection) = builder.handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Sends `count` requests and returns their responses without reading the bodies.
async fn send_requests(
    client: &SendRequest<Body>,
    count: usize,
    path: &str,
    token: &str,
) -> Vec<http::Response<Incoming>> {
    let responses = (0..count).map(|_| {
        let request = Request::get(format!("http://a{path}")).header("authorization", format!("Bearer {token}"));
        client.clone().send_request(request.body(Body::empty()).unwrap())
    });
    join_all(responses).await.into_iter().map(Result::unwrap).collect()
}

#[tokio::test]
async fn unread_pages_hold_no_request_slot() {
    let site = tempfile::tempdir().unwrap();
    std::fs::write(site.path().join("index.html"), "x".repeat(200_000)).unwrap();
    let web_dir = Some(site.path().to_owned());
    let edge = Edge::with(Settings { web_dir, limits: small_limits(), ..Settings::default() }).await;
    let server = start(&edge, Timeouts::default()).await;
    let (first, second) = (connect_with_zero_window(&server).await, connect_with_zero_window(&server).await);
    let mut unread = Vec::new();
    for client in [&first, &second] {
        for (path, status) in [("/", 200), ("/api/x", 404), ("/.well-known/jwks.json", 200)] {
            let responses = send_requests(client, 3, path, "").await;
            assert!(responses.iter().all(|response| response.status() == status), "{path}: {responses:?}");
            unread.push(responses);
        }
    }
    assert_eq!(edge.get("/").await.status, 200);
}

#[tokio::test]
async fn unread_lists_release_their_request_slot_after_the_write_timeout() {
    let timeouts = Timeouts { write: Duration::from_secs(1), ..Timeouts::default() };
    let edge = Edge::with(Settings { timeouts: timeouts.clone(), limits: small_limits(), ..Settings::default() }).await;
    *edge.core.0.pages.lock().unwrap() = vec![Ok(vec![trade(1)])];
    let server = start(&edge, timeouts).await;
    let client = connect_with_zero_window(&server).await;
    // The whole list, and a page of it.
    for path in ["/trades/client", "/trades/client?limit=2"] {
        let mut responses = send_requests(&client, 3, path, &edge.core.token()).await;
        assert!(responses.iter().all(|response| response.status() == 200), "{path}: {responses:?}");
        edge.get(path).await.assert_problem(503, "busy");
        let slot_freed = async {
            while edge.get(path).await.status != 200 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        assert!(
            timeout(Duration::from_secs(5), slot_freed).await.is_ok(),
            "{path}: the request slots were not released"
        );
        let silence = timeout(Duration::from_millis(50), responses.remove(0).into_body().collect()).await;
        assert!(silence.is_err(), "something was sent");
        drop(responses);
    }
}

/// Starts `count` POST requests without a body, from `address` according to the proxy.
async fn begin_posts(server: &Server, address: &str, count: usize) -> Vec<JoinHandle<StatusCode>> {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let (client, connection) = http2::Builder::new(TokioExecutor::new()).handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let posts = (0..count).map(|_| {
        let never = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        let request = Request::post("http://a/auth/login").header("x-forwarded-for", address);
        let request = request.header("content-type", "application/json").body(never).unwrap();
        let mut client = client.clone();
        tokio::spawn(async move { client.send_request(request).await.unwrap().status() })
    });
    posts.collect()
}

#[tokio::test]
async fn pending_bodies_leave_request_slots_for_others() {
    let trusted_proxies = vec!["127.0.0.1".parse().unwrap()];
    let bodies = crate::Shares { per_address: 2, ..shares(6) };
    let limits = crate::Limits { requests: shares(8), bodies, ..Default::default() };
    let edge = Edge::with(Settings { trusted_proxies, limits, ..Settings::default() }).await;
    let server = start(&edge, Timeouts::default()).await;
    let mut pending = Vec::new();
    let mut refused = 0;
    for address in ["203.0.113.1", "203.0.113.2", "2001:db8::1", "2001:db8::2", "203.0.113.3"] {
        // Requests above the limit are answered; the others wait for their body.
        for mut post in begin_posts(&server, address, 3).await {
            match timeout(Duration::from_millis(300), &mut post).await {
                Ok(status) => refused += u32::from(status.unwrap() == 503),
                Err(_) => pending.push(post),
            }
        }
    }
    assert_eq!((pending.len(), refused), (6, 9));
    // A request without a body is still accepted.
    assert_eq!(edge.get("/account").await.status, 200);
    for post in pending {
        post.abort();
    }
    let slot_freed = async {
        while edge.post("/auth/login", &serde_json::json!({ "email": "a", "password": "b" })).await.status != 200 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    assert!(timeout(Duration::from_secs(5), slot_freed).await.is_ok(), "the request slots were not released");
}

fn small_limits() -> crate::Limits {
    crate::Limits { requests: shares(3), streams: shares(3), ..Default::default() }
}
