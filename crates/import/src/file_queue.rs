//! Queue of files to read: limits files read at the same time, and reads one file per account at a time.

use std::time::Duration;

use queue::{JobQueue, KeyedQueue, RunPermit};
use tokio::time::timeout;
use uuid::Uuid;

use crate::error::Error;
use crate::settings::Settings;

/// Waiting files of one account. The trade log imports them one after the other anyway.
const MAX_WAITING_PER_ACCOUNT: usize = 3;

/// Waiting files of all callers without an account, together.
const MAX_WAITING_ANONYMOUS: usize = 1;

/// Files that are read or wait to be read.
#[derive(Clone)]
pub(crate) struct FileQueue {
    files: JobQueue,
    accounts: KeyedQueue<Uuid>,
    anonymous: JobQueue,
    timeout: Duration,
}

/// Permit to read a file, until it is dropped: among all files, and among those of the account.
pub(crate) type FilePermit = (RunPermit, RunPermit);

impl FileQueue {
    pub fn new(settings: &Settings) -> Self {
        Self {
            files: JobQueue::new(settings.parallel, settings.queue),
            accounts: KeyedQueue::new(1, MAX_WAITING_PER_ACCOUNT),
            anonymous: JobQueue::new(1, MAX_WAITING_ANONYMOUS),
            timeout: settings.queue_timeout,
        }
    }

    /// Waits until a file of `account` may be read.
    ///
    /// A file waits for the other files of its account first, so the files of one trader do not block those of others.
    ///
    /// # Errors
    /// [`Error::Busy`] if too many files wait already, or after the timeout.
    pub async fn acquire(&self, account: Uuid) -> Result<FilePermit, Error> {
        let (account, file) = (self.accounts.try_enqueue(account)?, self.files.try_enqueue()?);
        let both = async {
            let account = account.run_permit(self.timeout).await?;
            Ok((file.run_permit(self.timeout).await?, account))
        };
        timeout(self.timeout, both).await.unwrap_or(Err(Error::Busy))
    }

    /// Waits until a file of a caller without an account may be read.
    ///
    /// One such file is read at a time, one more may wait, and every waiting trader goes first.
    ///
    /// # Errors
    /// As [`Self::acquire`].
    pub async fn acquire_anonymous(&self) -> Result<FilePermit, Error> {
        let (anonymous, file) = (self.anonymous.try_enqueue()?, self.files.try_enqueue()?);
        let both = async {
            let anonymous = anonymous.run_permit(self.timeout).await?;
            Ok((file.run_permit_with_low_priority(self.timeout).await?, anonymous))
        };
        timeout(self.timeout, both).await.unwrap_or(Err(Error::Busy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_waits_for_other_files_of_its_account_only() {
        let short = Duration::from_millis(50);
        let queue = FileQueue::new(&Settings { parallel: 2, queue_timeout: short, ..Settings::default() });
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
        let queue = FileQueue::new(&Settings { parallel: 1, ..Settings::default() });
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
}
