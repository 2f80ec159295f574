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
use http::header;
use queue::JobQueue;
use tokio::sync::Semaphore;

use crate::compression::Compressible;
use crate::concurrency_limit::run_limited;
use crate::drain::discard_received;
use crate::pending_bodies::PendingBodies;
use crate::problem::Problem;
use crate::settings::{Limits, Timeouts};
use crate::write_timeout::WriteTimeoutBody;

/// Minimum interval between log lines about shed requests.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// Response extension of a shed request, which gets no log line of its own.
#[derive(Clone, Copy)]
pub(crate) struct LoadShedMarker;

/// State of [`apply_load_shed`].
#[derive(Debug)]
pub struct LoadShed {
    requests_in_flight: JobQueue,
    concurrent_calls: Arc<Semaphore>,
    pending_bodies: PendingBodies,
    write_timeout: Duration,
    log: LoadShedLog,
}

impl LoadShed {
    /// Creates the state with full capacity.
    pub fn new(limits: &Limits, timeouts: &Timeouts) -> Arc<Self> {
        Arc::new(Self {
            requests_in_flight: JobQueue::new(limits.requests_in_flight, 0),
            concurrent_calls: Arc::new(Semaphore::new(limits.concurrent_calls)),
            pending_bodies: PendingBodies::new(limits),
            write_timeout: timeouts.write,
            log: LoadShedLog::default(),
        })
    }
}

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

/// Middleware that rejects a request with 503 if a concurrency limit is reached.
///
/// A request counts until its response is made, if the response is small or in memory anyway: a client that does not
/// read it costs nothing. A streamed or compressed response counts until it is sent or the client stops reading it.
pub async fn apply_load_shed(State(state): State<Arc<LoadShed>>, request: Request, next: Next) -> Response {
    let Ok(place) = state.requests_in_flight.try_enqueue() else { return reject(&state, request).await };
    let Ok(body_permit) = state.pending_bodies.try_acquire(&request) else { return reject(&state, request).await };
    let request = body_permit.attach_to(request);
    // Requests without a token, such as a login, have a queue of their own in the service they call.
    let response = if request.headers().contains_key(header::AUTHORIZATION) {
        run_limited(&state.concurrent_calls, next.run(request)).await
    } else {
        next.run(request).await
    };
    let is_compressed = response.extensions().get::<Compressible>().is_some();
    if !is_compressed && response.body().size_hint().exact().is_some() {
        return response;
    }
    response.map(|body| Body::new(WriteTimeoutBody::new(body, place, state.write_timeout)))
}

async fn reject(state: &LoadShed, request: Request) -> Response {
    state.log.add();
    discard_received(request).await;
    let mut response = Problem::busy().into_response();
    response.extensions_mut().insert(LoadShedMarker);
    response
}
