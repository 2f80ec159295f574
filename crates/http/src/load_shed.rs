//! Load shedding: rejects requests above the concurrency limits at once, so that the others stay fast.
//!
//! A rejection must cost next to nothing, because it happens when the server has no capacity left.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{Version, header};
use queue::Busy;

use crate::call_limit::run_limited;
use crate::compression::Compressible;
use crate::drain::discard_received;
use crate::limiter::{Client, HeldPermit, Limiter};
use crate::pending_bodies::hold_permit;
use crate::problem::Problem;
use crate::settings::Timeouts;
use crate::write_timeout::{CHUNK_BYTES, WriteTimeoutBody};

/// Minimum interval between log lines about shed requests.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// Response extension of a shed request, which gets no log line of its own.
#[derive(Clone, Copy)]
pub(crate) struct LoadShedMarker;

/// State of [`apply_load_shed`].
#[derive(Debug)]
pub struct LoadShed {
    limiter: Arc<Limiter>,
    write_timeout: Duration,
    log: LoadShedLog,
}

impl LoadShed {
    /// Creates the state.
    pub fn new(limiter: Arc<Limiter>, timeouts: &Timeouts) -> Arc<Self> {
        Arc::new(Self { limiter, write_timeout: timeouts.write, log: LoadShedLog::default() })
    }
}

/// Response extension of a body in memory that all its responses share, such as a page. Sending it holds nothing.
#[derive(Clone, Copy)]
pub struct SharedBody;

/// Counts shed requests and logs their number at most once per [`LOG_INTERVAL`].
#[derive(Debug, Default)]
struct LoadShedLog {
    unlogged: AtomicU64,
    logged_at: Mutex<Option<Instant>>,
}

impl LoadShedLog {
    fn add(&self) {
        self.unlogged.fetch_add(1, Ordering::Relaxed);
        // Another request that holds the lock logs this one too.
        let Ok(mut logged_at) = self.logged_at.try_lock() else { return };
        if logged_at.is_none_or(|at| at.elapsed() >= LOG_INTERVAL) {
            *logged_at = Some(Instant::now());
            tracing::warn!(requests = self.unlogged.swap(0, Ordering::Relaxed), "requests_shed");
        }
    }
}

/// Middleware that rejects a request with 503 if a concurrency limit is reached. Adds [`Client`] to its extensions.
///
/// A request counts until its response is made. While the response is sent, it counts by its bytes or as a stream.
pub async fn apply_load_shed(State(state): State<Arc<LoadShed>>, mut request: Request, next: Next) -> Response {
    let limiter = &state.limiter;
    // First, because finding the account costs more.
    if limiter.requests.is_full() {
        return reject(&state, request).await;
    }
    let client = limiter.find_client(&request);
    let Ok(permit) = limiter.requests.try_acquire(client) else { return reject(&state, request).await };
    request.extensions_mut().insert(client);
    let is_http2 = request.version() == Version::HTTP_2;
    let request = match hold_permit(limiter, client, request) {
        Ok(request) => request,
        Err(request) => return reject(&state, *request).await,
    };
    // Requests without a token, such as a login, have a queue of their own in the service they call.
    let response = if request.headers().contains_key(header::AUTHORIZATION) {
        run_limited(&limiter.calls, client.account_id, next.run(request)).await
    } else {
        next.run(request).await
    };
    drop(permit);
    match send_limited(&state, client, is_http2, response) {
        Ok(response) => response,
        Err(Busy) => busy_response(&state),
    }
}

/// Takes the permit for sending `response`.
fn send_limited(state: &LoadShed, client: Client, is_http2: bool, mut response: Response) -> Result<Response, Busy> {
    let held_permits = response.extensions_mut().remove::<HeldPermit>();
    let is_compressed = response.extensions().get::<Compressible>().is_some();
    let exact_bytes = response.body().size_hint().exact().filter(|_| !is_compressed);
    let permit = match exact_bytes {
        Some(0) => return Ok(response),
        Some(_) if response.extensions().get::<SharedBody>().is_some() => return Ok(response),
        // hyper takes it whole, and the connection has a write timeout.
        Some(bytes) if bytes <= CHUNK_BYTES as u64 && !is_http2 => return Ok(response),
        Some(bytes) => {
            let kib = usize::try_from(bytes.div_ceil(1024)).unwrap_or(usize::MAX);
            state.limiter.response_kib.try_acquire_many(client, kib)?
        }
        None => state.limiter.streams.try_acquire(client)?,
    };
    Ok(response.map(|body| Body::new(WriteTimeoutBody::new(body, (permit, held_permits), state.write_timeout))))
}

async fn reject(state: &LoadShed, request: Request) -> Response {
    discard_received(request).await;
    busy_response(state)
}

fn busy_response(state: &LoadShed) -> Response {
    state.log.add();
    let mut response = Problem::busy().into_response();
    response.extensions_mut().insert(LoadShedMarker);
    response
}
