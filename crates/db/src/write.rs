//! Writes that outlive their caller.

use std::future::Future;
use std::io::ErrorKind;
use std::time::Duration;

use tokio::task::JoinError;
use tokio::time::timeout;
use tracing::Instrument as _;

/// Default limit of a write whose caller may be gone. Every statement has its own timeout in the database; this limit
/// covers a database that stopped answering, which nothing else would detect.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(20);

/// Runs `write` until it commits or fails, even if the caller is dropped; gives up after `limit`.
///
/// A transaction dropped halfway would return its connection to the pool inside that transaction.
///
/// # Errors
/// The error of `write`; a timed-out I/O error after `limit`; a `JoinError` if `write` panicked.
pub async fn run_to_completion<T, E>(
    limit: Duration,
    write: impl Future<Output = Result<T, E>> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<sqlx::Error> + From<JoinError> + Send + 'static,
{
    let task = tokio::spawn(timeout(limit, write.in_current_span()));
    let timed_out = |_| Err(sqlx::Error::from(std::io::Error::from(ErrorKind::TimedOut)).into());
    task.await?.unwrap_or_else(timed_out)
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[derive(Debug)]
    enum Error {
        Sql(sqlx::Error),
        Join,
    }

    impl From<sqlx::Error> for Error {
        fn from(error: sqlx::Error) -> Self {
            Self::Sql(error)
        }
    }

    impl From<JoinError> for Error {
        fn from(_: JoinError) -> Self {
            Self::Join
        }
    }

    #[tokio::test]
    async fn a_write_completes_after_its_caller_is_gone() {
        let (started, start) = oneshot::channel();
        let (go, wait) = oneshot::channel::<()>();
        let (done, completed) = oneshot::channel();
        let caller = tokio::spawn(run_to_completion(WRITE_TIMEOUT, async move {
            started.send(()).unwrap();
            wait.await.unwrap();
            done.send(()).unwrap();
            Ok::<_, Error>(())
        }));
        start.await.unwrap();
        caller.abort();
        assert!(caller.await.unwrap_err().is_cancelled());
        go.send(()).unwrap();
        completed.await.unwrap();
    }

    #[tokio::test]
    async fn a_write_above_the_limit_times_out_and_a_panic_is_an_error() {
        let endless = run_to_completion(Duration::from_millis(5), std::future::pending::<Result<(), Error>>());
        let Err(Error::Sql(sqlx::Error::Io(error))) = endless.await else { panic!("expected a timeout") };
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        let panicking = run_to_completion(WRITE_TIMEOUT, async {
            if true {
                panic!("expected")
            }
            Ok::<_, Error>(())
        });
        assert!(matches!(panicking.await, Err(Error::Join)));
    }
}
