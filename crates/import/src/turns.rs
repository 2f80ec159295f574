//! Whose file is read next: a few at a time, of each account one at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as TurnLock, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::error::Error;
use crate::settings::Settings;

/// Files of one account, beside the one that is read. The trade log takes them one after the other anyway.
const MOST_WAITING: usize = 3;

/// The files that are read, and those that wait.
#[derive(Clone)]
pub(crate) struct Turns {
    accounts: Accounts,
    /// One for each file that is read or waits.
    places: Arc<Semaphore>,
    /// One for each file that is read.
    turns: Arc<Semaphore>,
    longest_wait: Duration,
}

/// The right to read a file, until this is dropped.
pub(crate) struct Turn {
    _turn: OwnedSemaphorePermit,
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
            longest_wait: settings.wait,
        }
    }

    /// Waits for the turn of a file of `account`, unless too many wait already. A file that waits for another of its
    /// account holds no turn, so no trader's files keep those of others from being read.
    pub async fn take(&self, account: Uuid) -> Result<Turn, Error> {
        let queued = self.accounts.queue(account)?;
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| Error::Busy)?;
        let both = async {
            let first = Arc::clone(&queued.lock).lock_owned().await;
            let turn = Arc::clone(&self.turns).acquire_owned().await;
            turn.map(|turn| (first, turn))
        };
        match tokio::time::timeout(self.longest_wait, both).await {
            Ok(Ok((first, turn))) => Ok(Turn { _turn: turn, _first: first, _place: place, _queued: queued }),
            Ok(Err(_)) | Err(_) => Err(Error::Busy),
        }
    }
}

/// The accounts with a file that is read or waits.
#[derive(Clone, Default)]
struct Accounts {
    queues: Arc<Mutex<HashMap<Uuid, Queue>>>,
}

#[derive(Default)]
struct Queue {
    files: usize,
    /// Held by the file that is read.
    lock: Arc<TurnLock<()>>,
}

impl Accounts {
    fn queue(&self, account: Uuid) -> Result<Queued, Error> {
        let mut queues = self.queues();
        let queue = queues.entry(account).or_default();
        if queue.files > MOST_WAITING {
            return Err(Error::Busy);
        }
        queue.files += 1;
        Ok(Queued { accounts: self.clone(), account, lock: Arc::clone(&queue.lock) })
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<Uuid, Queue>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file in its account's queue.
struct Queued {
    accounts: Accounts,
    account: Uuid,
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
