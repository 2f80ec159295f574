//! Bounded queues: limits on concurrent jobs, with a bounded number of further jobs that wait.
//!
//! A job takes a [`Place`] in the queue first, at once or never, so that a rejected request costs nothing. With its place
//! it waits for a [`RunPermit`]. Jobs run in the order in which they begin to wait. Places and permits are owned, so a
//! task or a blocking thread can keep them after its caller has disconnected, and are released when they are dropped.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

mod keyed;
mod shared;

pub use crate::keyed::KeyedQueue;
pub use crate::shared::{SharedLimit, SharedPermit};

/// Error of a full queue, and of a job that waited too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busy;

impl fmt::Display for Busy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the queue is full, or the job waited too long")
    }
}

impl Error for Busy {}

/// Limits the jobs that run and the jobs that wait. Clones share their limits.
#[derive(Clone, Debug)]
pub struct JobQueue {
    /// A permit for each job that runs or waits.
    places: Arc<Semaphore>,
    /// A permit for each job that runs.
    running: Arc<Semaphore>,
}

impl JobQueue {
    /// Creates a queue for `running` concurrent jobs and `waiting` further ones.
    ///
    /// With `waiting` = 0 it is a plain limit: whoever has a place may run.
    pub fn new(running: usize, waiting: usize) -> Self {
        let places = running.saturating_add(waiting).min(Semaphore::MAX_PERMITS);
        Self {
            places: Arc::new(Semaphore::new(places)),
            running: Arc::new(Semaphore::new(running.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Takes a place.
    ///
    /// # Errors
    /// [`Busy`] if all places are taken.
    pub fn try_enqueue(&self) -> Result<Place, Busy> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| Busy)?;
        Ok(Place { place: Box::new(place), running: Arc::clone(&self.running) })
    }

    /// Takes a place and waits at most `max_wait` for the permit to run.
    ///
    /// # Errors
    /// [`Busy`] if all places are taken, or after `max_wait`.
    pub async fn acquire(&self, max_wait: Duration) -> Result<RunPermit, Busy> {
        self.try_enqueue()?.run_permit(max_wait).await
    }
}

/// Place in a [`JobQueue`] or a [`KeyedQueue`].
#[derive(Debug)]
pub struct Place {
    place: Box<dyn Any + Send + Sync>,
    running: Arc<Semaphore>,
}

impl Place {
    /// Waits at most `max_wait` for the permit to run.
    ///
    /// # Errors
    /// [`Busy`] after `max_wait`. The place is released.
    pub async fn run_permit(self, max_wait: Duration) -> Result<RunPermit, Busy> {
        let running = timeout(max_wait, self.running.acquire_owned()).await;
        Ok(RunPermit { _running: running.map_err(|_| Busy)?.map_err(|_| Busy)?, _place: self.place })
    }

    /// Waits like [`Self::run_permit`], and lets every job that waits there go first.
    ///
    /// # Errors
    /// As [`Self::run_permit`].
    pub async fn run_permit_with_low_priority(self, max_wait: Duration) -> Result<RunPermit, Busy> {
        let waiting = async {
            loop {
                // A waiting job gets a permit as soon as it is dropped. Otherwise it is free to be taken again.
                drop(Arc::clone(&self.running).acquire_owned().await);
                if let Ok(running) = Arc::clone(&self.running).try_acquire_owned() {
                    return running;
                }
            }
        };
        let running = timeout(max_wait, waiting).await.map_err(|_| Busy)?;
        Ok(RunPermit { _running: running, _place: self.place })
    }
}

/// Permit to run. Contains the job's place.
#[derive(Debug)]
pub struct RunPermit {
    _running: OwnedSemaphorePermit,
    _place: Box<dyn Any + Send + Sync>,
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn rejects_a_job_when_all_places_are_taken() {
        let queue = JobQueue::new(1, 1);
        let running = queue.acquire(SECOND).await.unwrap();
        let waiting = queue.try_enqueue().unwrap();
        assert_eq!(queue.try_enqueue().unwrap_err(), Busy);
        drop(running);
        assert!(waiting.run_permit(SECOND).await.is_ok());
    }

    #[tokio::test]
    async fn a_queue_without_waiting_jobs_is_a_plain_limit() {
        let limit = JobQueue::new(2, 0);
        let places = (limit.try_enqueue().unwrap(), limit.clone().try_enqueue().unwrap());
        assert_eq!(limit.try_enqueue().unwrap_err(), Busy);
        drop(places.0);
        assert!(limit.try_enqueue().is_ok());
        assert_eq!(JobQueue::new(0, 0).try_enqueue().unwrap_err(), Busy);
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_that_waits_too_long_releases_its_place() {
        let queue = JobQueue::new(1, 1);
        let running = queue.acquire(SECOND).await.unwrap();
        assert_eq!(queue.acquire(SECOND).await.unwrap_err(), Busy);
        let place = queue.try_enqueue().unwrap();
        assert_eq!(place.run_permit_with_low_priority(SECOND).await.unwrap_err(), Busy);
        drop(running);
        assert!(queue.acquire(Duration::ZERO).await.is_ok());
    }

    #[tokio::test]
    async fn accepts_unlimited_waiting_jobs() {
        let queue = JobQueue::new(1, usize::MAX);
        assert!(queue.acquire(Duration::MAX).await.is_ok());
    }

    #[tokio::test]
    async fn a_job_with_low_priority_lets_waiting_jobs_go_first() {
        let queue = JobQueue::new(1, 3);
        let running = queue.acquire(SECOND).await.unwrap();
        let mut low = pin!(queue.try_enqueue().unwrap().run_permit_with_low_priority(SECOND));
        let [mut first, mut second] = [(); 2].map(|()| Box::pin(queue.acquire(SECOND)));
        let mut context = Context::from_waker(Waker::noop());
        assert!(low.as_mut().poll(&mut context).is_pending());
        assert!(first.as_mut().poll(&mut context).is_pending());
        assert!(second.as_mut().poll(&mut context).is_pending());
        drop(running);
        assert!(low.as_mut().poll(&mut context).is_pending());
        drop(first.await.unwrap());
        assert!(low.as_mut().poll(&mut context).is_pending());
        drop(second.await.unwrap());
        assert!(low.await.is_ok());
        assert!(queue.try_enqueue().unwrap().run_permit_with_low_priority(SECOND).await.is_ok());
    }
}
