//! Refusing what would be one too many, rather than let all become slow.
//!
//! A refusal must cost next to nothing: whoever has too much to do has no time for it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header;

use crate::layers::Compressible;
use crate::linger::discard;
use crate::problem::Problem;
use crate::stall::Patient;
use crate::turn::by_turns;
use crate::{App, Shared};

/// How often the log tells of it.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// Marks the answer to a request that was shed, which has no line of its own in the log.
#[derive(Clone, Copy)]
pub(crate) struct Shed;

/// How many were shed since the log told of it.
#[derive(Debug, Default)]
pub(crate) struct Untold {
    requests: AtomicU64,
    told: Mutex<Option<Instant>>,
}

impl Untold {
    /// Counts one more, and tells of all when that is due.
    fn note(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        // Whoever holds it tells.
        let Ok(mut told) = self.told.try_lock() else { return };
        if told.is_none_or(|told| told.elapsed() >= TELL_EVERY) {
            *told = Some(Instant::now());
            tracing::warn!(requests = self.requests.swap(0, Ordering::Relaxed), "requests_shed");
        }
    }
}

/// Answers as many requests as there is room for, and refuses the others at once.
///
/// What is small, or in memory whether it is sent or not, is done once it is made: a client that does not take it costs
/// nothing. A list of trades counts until it was sent, or the client has not taken any of it for a while.
pub(crate) async fn shed(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let Ok(permit) = Arc::clone(&app.in_flight).try_acquire_owned() else { return too_busy(&app, request).await };
    let Some(arrival) = app.arrivals.enter(&request) else { return too_busy(&app, request).await };
    let request = arrival.hold(request);
    // Signing in has a queue of its own, for it takes long.
    let response = if request.headers().contains_key(header::AUTHORIZATION) {
        by_turns(&app.calling, next.run(request)).await
    } else {
        next.run(request).await
    };
    let listed = response.extensions().get::<Compressible>().is_some();
    if !listed && response.body().size_hint().exact().is_some() {
        return response;
    }
    response.map(|body| Body::new(Patient::new(body, permit, app.settings.times.write_stall)))
}

async fn too_busy(app: &App, request: Request) -> Response {
    app.untold.note();
    discard(request).await;
    let mut response = Problem::busy().into_response();
    response.extensions_mut().insert(Shed);
    response
}
