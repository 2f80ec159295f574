//! Whose file is read next: a few at a time, of each account one at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as TurnLock, Notify, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore, TryAcquireError};
use uuid::Uuid;

use crate::error::Error;
use crate::settings::Settings;

/// Files of one account, beside the one that is read. The trade log takes them one after the other anyway.
const MOST_WAITING: usize = 3;

/// The same of all those who are not signed in, together.
const MOST_STRANGERS_WAITING: usize = 1;

/// The files that are read, and those that wait.
#[derive(Clone)]
pub(crate) struct Turns {
    accounts: Accounts,
    /// One for each file that is read or waits.
    places: Arc<Semaphore>,
    /// One for each file that is read.
    turns: Arc<Semaphore>,
    /// Told when a turn ends.
    ended: Arc<Notify>,
    longest_wait: Duration,
}

/// The right to read a file, until this is dropped.
pub(crate) struct Turn {
    _turn: OwnedSemaphorePermit,
    /// Given up after the turn itself, so that who is told finds it.
    _ended: Ended,
    _first: OwnedMutexGuard<()>,
    _place: OwnedSemaphorePermit,
    /// Given up last: the account's queue goes with its last file.
    _queued: Queued,
}

impl Turns {
    pub fn new(settings: &Settings) -> Self {
        Self {
            accounts: Accounts::default(),
            places: Arc::new(Semaphore::new(settings.parallel.saturating_add(settings.queue))),
            turns: Arc::new(Semaphore::new(settings.parallel)),
            ended: Arc::default(),
            longest_wait: settings.wait,
        }
    }

    /// Waits for the turn of a file of `account`, unless too many wait already. A file that waits for another of its
    /// account holds no turn, so no trader's files keep those of others from being read.
    pub async fn take(&self, account: Uuid) -> Result<Turn, Error> {
        let turn = async || Arc::clone(&self.turns).acquire_owned().await.ok();
        self.take_after(self.accounts.queue(Some(account), MOST_WAITING)?, turn).await
    }

    /// The same for a file of somebody who is not signed in. One such file is read at a time, one more may wait, and
    /// every trader who waits goes first.
    pub async fn take_for_stranger(&self) -> Result<Turn, Error> {
        let turn = async || loop {
            // None is left for this while somebody waits for it.
            match Arc::clone(&self.turns).try_acquire_owned() {
                Ok(turn) => return Some(turn),
                Err(TryAcquireError::Closed) => return None,
                Err(TryAcquireError::NoPermits) => self.ended.notified().await,
            }
        };
        self.take_after(self.accounts.queue(None, MOST_STRANGERS_WAITING)?, turn).await
    }

    async fn take_after(
        &self,
        queued: Queued,
        turn: impl AsyncFnOnce() -> Option<OwnedSemaphorePermit>,
    ) -> Result<Turn, Error> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| Error::Busy)?;
        let both = async {
            let first = Arc::clone(&queued.lock).lock_owned().await;
            turn().await.map(|turn| (first, turn))
        };
        match tokio::time::timeout(self.longest_wait, both).await {
            Ok(Some((first, turn))) => {
                let ended = Ended(Arc::clone(&self.ended));
                Ok(Turn { _turn: turn, _ended: ended, _first: first, _place: place, _queued: queued })
            }
            Ok(None) | Err(_) => Err(Error::Busy),
        }
    }
}

/// Says that a turn has ended.
struct Ended(Arc<Notify>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// The accounts with a file that is read or waits.
#[derive(Clone, Default)]
struct Accounts {
    /// None: of all who are not signed in.
    queues: Arc<Mutex<HashMap<Option<Uuid>, Queue>>>,
}

#[derive(Default)]
struct Queue {
    files: usize,
    /// Held by the file that is read.
    lock: Arc<TurnLock<()>>,
}

impl Accounts {
    fn queue(&self, account: Option<Uuid>, most_waiting: usize) -> Result<Queued, Error> {
        let mut queues = self.queues();
        let queue = queues.entry(account).or_default();
        if queue.files > most_waiting {
            return Err(Error::Busy);
        }
        queue.files += 1;
        Ok(Queued { accounts: self.clone(), account, lock: Arc::clone(&queue.lock) })
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<Option<Uuid>, Queue>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file in its account's queue.
struct Queued {
    accounts: Accounts,
    account: Option<Uuid>,
    lock: Arc<TurnLock<()>>,
}

impl Drop for Queued {
    fn drop(&mut self) {
        let mut queues = self.accounts.queues();
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
    async fn a_trader_waits_for_the_own_file_and_others_do_not() {
        let soon = Duration::from_millis(50);
        let turns = Turns::new(&Settings { parallel: 2, wait: soon, ..Settings::default() });
        let (asha, ravi) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let first = turns.take(asha).await.unwrap();
        let waiting = || turns.take(asha);
        let (a, b, c, d, ravis) = tokio::join!(waiting(), waiting(), waiting(), waiting(), turns.take(ravi));
        assert!([a, b, c, d].iter().all(|turn| matches!(turn, Err(Error::Busy))));
        assert!(ravis.is_ok());
        drop(first);
        assert!(turns.take(asha).await.is_ok());
    }

    #[tokio::test]
    async fn strangers_wait_for_each_other_and_for_every_trader() {
        let turns = Turns::new(&Settings { parallel: 1, ..Settings::default() });
        let read = turns.take_for_stranger().await.unwrap();
        let mut stranger = std::pin::pin!(turns.take_for_stranger());
        let mut trader = std::pin::pin!(turns.take(Uuid::from_u128(1)));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(stranger.as_mut().poll(&mut context).is_pending());
        assert!(trader.as_mut().poll(&mut context).is_pending());
        assert!(matches!(turns.take_for_stranger().await, Err(Error::Busy)));
        drop(read);
        assert!(stranger.as_mut().poll(&mut context).is_pending());
        drop(trader.await.unwrap());
        assert!(stranger.await.is_ok());
    }

    #[tokio::test]
    async fn nothing_is_kept_of_an_account_without_files() {
        let turns = Turns::new(&Settings { wait: Duration::from_millis(10), ..Settings::default() });
        let account = Uuid::from_u128(1);
        let turn = turns.take(account).await.unwrap();
        assert!(turns.take(account).await.is_err());
        assert_eq!(turns.accounts.queues().len(), 1);
        drop(turn);
        assert!(turns.accounts.queues().is_empty());
    }
}
