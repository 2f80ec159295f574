//! Floor of the benchmarks: axum without middleware. `bare_axum PORT` serves `GET /livez`.

use axum::serve::ListenerExt as _;
use axum::{Router, routing::get};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port: u16 = std::env::args().nth(1).ok_or("missing port")?.parse()?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?.tap_io(|tcp| {
        let _ = tcp.set_nodelay(true);
    });
    axum::serve(listener, Router::new().route("/livez", get(|| async { "ok" }))).await?;
    Ok(())
}
