//! Calls to the core: metadata, timeouts, retries and errors.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http_server::call_limit::acquire_permit;
use http_server::problem::Problem;
use http_server::request_id::RequestId;
use tokio::time::{sleep, timeout};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Code, Response, Status};
use tracing::Instrument;

use crate::status::problem_from_status;

/// Maximum number of retries of a read.
const MAX_RETRIES: u32 = 2;
/// Maximum delay before a retry, in milliseconds. The delay is random, and at least a fifth of this.
const MAX_RETRY_DELAY_MS: u32 = 250;
const MIN_RETRY_DELAY_MS: u32 = MAX_RETRY_DELAY_MS / 5;

/// Metadata of every call made for one request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    request_id: Option<MetadataValue<Ascii>>,
    authorization: Option<MetadataValue<Ascii>>,
}

impl Context {
    /// Adds the `Authorization` header of a verified token.
    pub fn with_authorization(self, value: &str) -> Self {
        Self { authorization: value.parse().ok(), ..self }
    }

    /// Creates a request with the metadata and a deadline. An in-process transport ignores the deadline; [`read`] and
    /// [`write`] enforce it.
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

/// Retry budget, which limits retries to about a tenth of the reads: each read adds a tenth of a retry, and each retry
/// takes a whole one.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    /// Remaining budget, in tenths of a retry.
    tenths: AtomicU32,
}

impl RetryBudget {
    /// Maximum budget, in tenths of a retry.
    const MAX_TENTHS: u32 = 1000;

    fn add_tenth(&self) {
        let _ = self.tenths.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |tenths| {
            (tenths < Self::MAX_TENTHS).then_some(tenths + 1)
        });
    }

    /// Takes a retry from the budget; returns false if less than one is left.
    fn take_retry(&self) -> bool {
        self.tenths.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |tenths| tenths.checked_sub(10)).is_ok()
    }
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self { tenths: AtomicU32::new(100) }
    }
}

/// Makes a call that changes nothing, and retries it within `deadline` if the core is unavailable.
pub(crate) async fn read<T, F, A>(deadline: Duration, budget: &RetryBudget, call: F) -> Result<T, Problem>
where
    F: Fn() -> A,
    A: Future<Output = Result<Response<T>, Status>>,
{
    acquire_permit().await?;
    budget.add_tenth();
    let response = async {
        let mut retries = 0;
        loop {
            match call().await {
                Ok(response) => return Ok(response.into_inner()),
                Err(status) if status.code() == Code::Unavailable && retries < MAX_RETRIES && budget.take_retry() => {
                    retries += 1;
                    sleep(retry_delay()).await;
                }
                Err(status) => return Err(problem_from_status(status)),
            }
        }
    };
    timeout(deadline, response).await.unwrap_or_else(|_| Err(Problem::timeout()))
}

/// Makes a call that changes data, without retries. The call continues if the client disconnects.
pub(crate) async fn write<T: Send + 'static>(
    deadline: Duration,
    change: impl Future<Output = Result<Response<T>, Status>> + Send + 'static,
) -> Result<T, Problem> {
    acquire_permit().await?;
    let change = tokio::spawn(timeout(deadline, change).in_current_span());
    match change.await {
        Ok(Ok(Ok(response))) => Ok(response.into_inner()),
        Ok(Ok(Err(status))) => Err(problem_from_status(status)),
        Ok(Err(_elapsed)) => Err(Problem::timeout()),
        Err(error) => {
            tracing::error!(%error, "a call to the core panicked");
            Err(Problem::internal())
        }
    }
}

fn retry_delay() -> Duration {
    let random = getrandom::u32().unwrap_or_default();
    Duration::from_millis((MIN_RETRY_DELAY_MS + random % (MAX_RETRY_DELAY_MS - MIN_RETRY_DELAY_MS + 1)).into())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Returns the number of calls that a read makes if each call fails with `code`.
    async fn count_calls(code: Code, budget: &RetryBudget) -> u32 {
        let count = Cell::new(0);
        let result: Result<(), Problem> = read(Duration::from_secs(8), budget, || {
            count.set(count.get() + 1);
            async move { Err(Status::new(code, "no")) }
        })
        .await;
        assert!(result.is_err());
        count.get()
    }

    #[tokio::test(start_paused = true)]
    async fn retries_a_read_only_if_the_core_is_unavailable() {
        let budget = RetryBudget::default();
        assert_eq!(count_calls(Code::Unavailable, &budget).await, 3);
        assert_eq!(count_calls(Code::Internal, &budget).await, 1);
        assert_eq!(count_calls(Code::ResourceExhausted, &budget).await, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn does_not_retry_when_the_budget_is_spent() {
        let budget = RetryBudget::default();
        let mut calls = 0;
        for _ in 0..1000 {
            calls += count_calls(Code::Unavailable, &budget).await;
        }
        assert!((1000..=1120).contains(&calls), "{calls}");
    }

    #[tokio::test(start_paused = true)]
    async fn read_times_out_at_its_deadline() {
        let result: Result<(), Problem> =
            read(Duration::from_secs(8), &RetryBudget::default(), std::future::pending).await;
        assert_eq!(result.unwrap_err().status(), http::StatusCode::GATEWAY_TIMEOUT);
    }

    #[tokio::test]
    async fn write_continues_when_its_caller_is_dropped() {
        let (end_sender, end_receiver) = tokio::sync::oneshot::channel();
        let (start_sender, start_receiver) = tokio::sync::oneshot::channel::<()>();
        let mut change = Box::pin(write(Duration::from_secs(8), async move {
            let _ = start_receiver.await;
            let _ = end_sender.send(());
            Ok(Response::new(()))
        }));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(change.as_mut().poll(&mut context).is_pending());
        drop(change);
        start_sender.send(()).unwrap();
        end_receiver.await.unwrap();
    }
}
