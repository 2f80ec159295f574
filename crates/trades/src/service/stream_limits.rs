//! Limits of a stream of trades, and the stream that applies its timeouts.

use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use rpc::failure::Violation;
use tokio::time::{Instant, timeout_at};

use crate::error::Error;

/// Limits of a stream, which holds one of few connections and the lock of its account.
#[derive(Clone, Copy, Debug)]
pub struct StreamLimits {
    /// Time to wait for other writes of the account.
    pub queue_timeout: Duration,
    /// Time to wait for the next part.
    pub part_timeout: Duration,
    /// Time until the last part must have arrived. A statement in progress then has its own timeout.
    pub stream_timeout: Duration,
    /// Maximum number of trades of an import.
    pub max_import_trades: i64,
    /// Maximum number of trades of a replacement.
    pub max_replace_trades: i64,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            queue_timeout: Duration::from_secs(25),
            part_timeout: Duration::from_secs(20),
            stream_timeout: Duration::from_secs(50),
            max_import_trades: 500_000,
            max_replace_trades: 100_000,
        }
    }
}

impl StreamLimits {
    /// Applies the timeouts to `stream`; its time begins now.
    pub(super) fn apply_to<S: Stream>(self, stream: Pin<&mut S>) -> TimedStream<'_, S> {
        TimedStream { stream, deadline: Instant::now() + self.stream_timeout, part_timeout: self.part_timeout }
    }
}

/// Stream with the timeouts of [`StreamLimits`].
pub(super) struct TimedStream<'a, S> {
    stream: Pin<&'a mut S>,
    deadline: Instant,
    part_timeout: Duration,
}

impl<S: Stream> TimedStream<'_, S> {
    /// Returns the next part, or `None` if it does not arrive in time.
    ///
    /// The timeouts apply only here, between statements. A timeout around a statement could cut off a commit that the
    /// database completes.
    pub(super) async fn next(&mut self) -> Option<S::Item> {
        let now = Instant::now();
        if now >= self.deadline {
            return None;
        }
        timeout_at(self.deadline.min(now + self.part_timeout), self.stream.next()).await.ok().flatten()
    }
}

/// Returns `received + more`.
///
/// # Errors
/// [`Error::Invalid`] if the sum exceeds `max`.
pub(super) fn add_to_count(received: i64, more: usize, max: i64) -> Result<i64, Error> {
    let sum = i64::try_from(more).unwrap_or(i64::MAX).saturating_add(received);
    if sum <= max { Ok(sum) } else { Err(Violation::new("trades", "TOO_MANY").with("max", max).into()) }
}
