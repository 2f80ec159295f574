//! A call to the core: who asks, how long it may take, and what happens when it fails.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use tokio::time::{sleep, timeout};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Code, Response, Status};
use tracing::Instrument;

use crate::layers::RequestId;
use crate::problem::Problem;
use crate::turn;

/// A read is tried at most this often again.
const RETRIES: u32 = 2;
/// The longest wait before another try, in milliseconds; the shortest is a fifth of it.
const JITTER: u32 = 250;

/// What travels with every call made for one request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    request_id: Option<MetadataValue<Ascii>>,
    authorization: Option<MetadataValue<Ascii>>,
}

impl Context {
    /// On behalf of the bearer of a token that was verified.
    pub fn with_authorization(self, value: &str) -> Self {
        Self { authorization: value.parse().ok(), ..self }
    }

    /// `message` with its deadline. A local transport does not act on the deadline; [`read`] and [`write`] do.
    pub fn request<T>(&self, message: T, deadline: Duration) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        request.set_timeout(deadline);
        let metadata = request.metadata_mut();
        if let Some(id) = &self.request_id {
            metadata.insert("x-request-id", id.clone());
        }
        if let Some(authorization) = &self.authorization {
            metadata.insert("authorization", authorization.clone());
        }
        request
    }
}

impl<S: Sync> FromRequestParts<S> for Context {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let request_id = parts.extensions.get::<RequestId>().and_then(|id| id.as_str().parse().ok());
        Ok(Self { request_id, authorization: None })
    }
}

/// Retries that the reads of late have earned: one for ten.
#[derive(Debug)]
pub(crate) struct Budget {
    tenths: AtomicU32,
}

impl Budget {
    const MOST: u32 = 1000;

    fn earn(&self) {
        let _ = self
            .tenths
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |tenths| (tenths < Self::MOST).then_some(tenths + 1));
    }

    fn spend(&self) -> bool {
        self.tenths.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |tenths| tenths.checked_sub(10)).is_ok()
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self { tenths: AtomicU32::new(100) }
    }
}

/// Asks for something, again when the core could not be reached, all within `deadline`.
pub(crate) async fn read<T, F, A>(deadline: Duration, budget: &Budget, ask: F) -> Result<T, Problem>
where
    F: Fn() -> A,
    A: Future<Output = Result<Response<T>, Status>>,
{
    turn::come().await?;
    budget.earn();
    let answer = async {
        let mut tries = 0;
        loop {
            match ask().await {
                Ok(answer) => return Ok(answer.into_inner()),
                Err(status) if status.code() == Code::Unavailable && tries < RETRIES && budget.spend() => {
                    tries += 1;
                    sleep(jitter()).await;
                }
                Err(status) => return Err(Problem::from(status)),
            }
        }
    };
    timeout(deadline, answer).await.unwrap_or_else(|_| Err(Problem::timeout()))
}

/// Changes something, once. The change goes on when the client hangs up.
pub(crate) async fn write<T: Send + 'static>(
    deadline: Duration,
    change: impl Future<Output = Result<Response<T>, Status>> + Send + 'static,
) -> Result<T, Problem> {
    turn::come().await?;
    let change = tokio::spawn(timeout(deadline, change).in_current_span());
    match change.await {
        Ok(Ok(Ok(answer))) => Ok(answer.into_inner()),
        Ok(Ok(Err(status))) => Err(Problem::from(status)),
        Ok(Err(_elapsed)) => Err(Problem::timeout()),
        Err(error) => {
            tracing::error!(%error, "a call ended early");
            Err(Problem::internal())
        }
    }
}

fn jitter() -> Duration {
    let random = getrandom::u32().unwrap_or_default();
    Duration::from_millis((JITTER / 5 + random % (JITTER - JITTER / 5 + 1)).into())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// How often `ask` runs when it always answers `code`.
    async fn tries(code: Code, budget: &Budget) -> u32 {
        let count = Cell::new(0);
        let answer: Result<(), Problem> = read(Duration::from_secs(8), budget, || {
            count.set(count.get() + 1);
            async move { Err(Status::new(code, "no")) }
        })
        .await;
        assert!(answer.is_err());
        count.get()
    }

    #[tokio::test(start_paused = true)]
    async fn reads_are_tried_again_only_when_the_core_was_not_reached() {
        let budget = Budget::default();
        assert_eq!(tries(Code::Unavailable, &budget).await, 3);
        assert_eq!(tries(Code::Internal, &budget).await, 1);
        assert_eq!(tries(Code::ResourceExhausted, &budget).await, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn retries_end_when_the_budget_is_spent() {
        let budget = Budget::default();
        let mut all = 0;
        for _ in 0..1000 {
            all += tries(Code::Unavailable, &budget).await;
        }
        assert!((1000..=1120).contains(&all), "{all}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_read_ends_at_its_deadline() {
        let answer: Result<(), Problem> = read(Duration::from_secs(8), &Budget::default(), std::future::pending).await;
        assert_eq!(answer.unwrap_err().status(), http::StatusCode::GATEWAY_TIMEOUT);
    }

    #[tokio::test]
    async fn a_write_goes_on_when_nobody_waits() {
        let (done, finished) = tokio::sync::oneshot::channel();
        let (begin, begun) = tokio::sync::oneshot::channel::<()>();
        let mut change = Box::pin(write(Duration::from_secs(8), async move {
            let _ = begun.await;
            let _ = done.send(());
            Ok(Response::new(()))
        }));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(change.as_mut().poll(&mut context).is_pending());
        drop(change);
        begin.send(()).unwrap();
        finished.await.unwrap();
    }
}
