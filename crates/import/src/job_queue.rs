//! Queue of files to read: limits files read at the same time, and reads one file per account at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, Notify, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore, TryAcquireError};
use uuid::Uuid;

use crate::error::Error;
use crate::settings::Settings;

/// Waiting files of one account. The trade log imports them one after the other anyway.
const MAX_WAITING_PER_ACCOUNT: usize = 3;

/// Waiting files of all callers without an account, together.
const MAX_WAITING_ANONYMOUS: usize = 1;

/// Files that are read or wait to be read.
#[derive(Clone)]
pub(crate) struct JobQueue {
    accounts: AccountQueues,
    /// A permit for each file that is read or waits.
    capacity: Arc<Semaphore>,
    /// A permit for each file that is read.
    running: Arc<Semaphore>,
    /// Notified when a file was read.
    job_finished: Arc<Notify>,
    timeout: Duration,
}

/// Permit to read a file, until it is dropped. Fields are dropped in their order.
pub(crate) struct JobPermit {
    _running: OwnedSemaphorePermit,
    /// Dropped after `_running`, so that the notified task finds a free permit.
    _finished: NotifyOnDrop,
    _account_lock: OwnedMutexGuard<()>,
    _capacity: OwnedSemaphorePermit,
    /// Dropped last: removes the account's queue after its last file.
    _queued: QueuedJob,
}

impl JobQueue {
    pub fn new(settings: &Settings) -> Self {
        Self {
            accounts: AccountQueues::default(),
            capacity: Arc::new(Semaphore::new(settings.parallel.saturating_add(settings.queue))),
            running: Arc::new(Semaphore::new(settings.parallel)),
            job_finished: Arc::default(),
            timeout: settings.queue_timeout,
        }
    }

    /// Waits until a file of `account` may be read.
    ///
    /// A file that waits for another file of its account holds no `running` permit, so the files of one trader do not
    /// block those of others.
    ///
    /// # Errors
    /// [`Error::Busy`] if too many files wait already, or after the timeout.
    pub async fn acquire(&self, account: Uuid) -> Result<JobPermit, Error> {
        let running = async || Arc::clone(&self.running).acquire_owned().await.ok();
        self.acquire_in_order(self.accounts.enqueue(Some(account), MAX_WAITING_PER_ACCOUNT)?, running).await
    }

    /// Waits until a file of a caller without an account may be read.
    ///
    /// One such file is read at a time, one more may wait, and every waiting trader goes first.
    ///
    /// # Errors
    /// As [`Self::acquire`].
    pub async fn acquire_anonymous(&self) -> Result<JobPermit, Error> {
        let running = async || loop {
            // Fails while a trader waits: the semaphore gives free permits to waiting tasks first.
            match Arc::clone(&self.running).try_acquire_owned() {
                Ok(permit) => return Some(permit),
                Err(TryAcquireError::Closed) => return None,
                Err(TryAcquireError::NoPermits) => self.job_finished.notified().await,
            }
        };
        self.acquire_in_order(self.accounts.enqueue(None, MAX_WAITING_ANONYMOUS)?, running).await
    }

    /// Acquires the account's lock, then a `running` permit from `acquire_running`.
    async fn acquire_in_order(
        &self,
        queued: QueuedJob,
        acquire_running: impl AsyncFnOnce() -> Option<OwnedSemaphorePermit>,
    ) -> Result<JobPermit, Error> {
        let capacity = Arc::clone(&self.capacity).try_acquire_owned().map_err(|_| Error::Busy)?;
        let both = async {
            let account_lock = Arc::clone(&queued.lock).lock_owned().await;
            acquire_running().await.map(|running| (account_lock, running))
        };
        match tokio::time::timeout(self.timeout, both).await {
            Ok(Some((account_lock, running))) => Ok(JobPermit {
                _running: running,
                _finished: NotifyOnDrop(Arc::clone(&self.job_finished)),
                _account_lock: account_lock,
                _capacity: capacity,
                _queued: queued,
            }),
            Ok(None) | Err(_) => Err(Error::Busy),
        }
    }
}

/// Wakes one waiting task when dropped.
struct NotifyOnDrop(Arc<Notify>);

impl Drop for NotifyOnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Queues of the accounts with a file that is read or waits.
#[derive(Clone, Default)]
struct AccountQueues {
    /// The key `None` is for all callers without an account.
    queues: Arc<Mutex<HashMap<Option<Uuid>, AccountQueue>>>,
}

#[derive(Default)]
struct AccountQueue {
    /// Files that are read or wait.
    files: usize,
    /// Held while a file of the account is read.
    lock: Arc<AsyncMutex<()>>,
}

impl AccountQueues {
    fn enqueue(&self, account: Option<Uuid>, max_waiting: usize) -> Result<QueuedJob, Error> {
        let mut queues = self.lock();
        let queue = queues.entry(account).or_default();
        if queue.files > max_waiting {
            return Err(Error::Busy);
        }
        queue.files += 1;
        Ok(QueuedJob { accounts: self.clone(), account, lock: Arc::clone(&queue.lock) })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Option<Uuid>, AccountQueue>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Entry of a file in its account's queue, removed when dropped.
struct QueuedJob {
    accounts: AccountQueues,
    account: Option<Uuid>,
    lock: Arc<AsyncMutex<()>>,
}

impl Drop for QueuedJob {
    fn drop(&mut self) {
        let mut queues = self.accounts.lock();
        if let Some(queue) = queues.get_mut(&self.account) {
            queue.files -= 1;
            if queue.files == 0 {
                queues.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_waits_for_other_files_of_its_account_only() {
        let short = Duration::from_millis(50);
        let queue = JobQueue::new(&Settings { parallel: 2, queue_timeout: short, ..Settings::default() });
        let (asha, ravi) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let first = queue.acquire(asha).await.unwrap();
        let waiting = || queue.acquire(asha);
        let (a, b, c, d, ravis) = tokio::join!(waiting(), waiting(), waiting(), waiting(), queue.acquire(ravi));
        assert!([a, b, c, d].iter().all(|permit| matches!(permit, Err(Error::Busy))));
        assert!(ravis.is_ok());
        drop(first);
        assert!(queue.acquire(asha).await.is_ok());
    }

    #[tokio::test]
    async fn anonymous_files_wait_for_each_other_and_for_every_trader() {
        let queue = JobQueue::new(&Settings { parallel: 1, ..Settings::default() });
        let running = queue.acquire_anonymous().await.unwrap();
        let mut anonymous = std::pin::pin!(queue.acquire_anonymous());
        let mut trader = std::pin::pin!(queue.acquire(Uuid::from_u128(1)));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(anonymous.as_mut().poll(&mut context).is_pending());
        assert!(trader.as_mut().poll(&mut context).is_pending());
        assert!(matches!(queue.acquire_anonymous().await, Err(Error::Busy)));
        drop(running);
        assert!(anonymous.as_mut().poll(&mut context).is_pending());
        drop(trader.await.unwrap());
        assert!(anonymous.await.is_ok());
    }

    #[tokio::test]
    async fn removes_the_queue_of_an_account_without_files() {
        let queue = JobQueue::new(&Settings { queue_timeout: Duration::from_millis(10), ..Settings::default() });
        let account = Uuid::from_u128(1);
        let permit = queue.acquire(account).await.unwrap();
        assert!(queue.acquire(account).await.is_err());
        assert_eq!(queue.accounts.lock().len(), 1);
        drop(permit);
        assert!(queue.accounts.lock().is_empty());
    }
}
