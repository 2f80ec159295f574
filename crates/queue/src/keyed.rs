//! Queues by key, such as one per account.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::{Busy, Place, RunPermit};

/// Limits the jobs of each key that run and that wait. Clones share their limits.
///
/// Only keys that have jobs take memory.
#[derive(Clone, Debug)]
pub struct KeyedQueue<K> {
    running: usize,
    /// Jobs of a key that run or wait.
    places: usize,
    entries: Entries<K>,
}

type Entries<K> = Arc<Mutex<HashMap<K, Entry>>>;

/// Queue of a key.
#[derive(Debug)]
struct Entry {
    /// Jobs that run or wait.
    jobs: usize,
    running: Arc<Semaphore>,
}

impl<K: Clone + Eq + Hash + Send + Sync + 'static> KeyedQueue<K> {
    /// Creates a queue for `running` concurrent jobs and `waiting` further ones of each key.
    pub fn new(running: usize, waiting: usize) -> Self {
        let running = running.min(Semaphore::MAX_PERMITS);
        Self { running, places: running.saturating_add(waiting), entries: Arc::default() }
    }

    /// Takes a place of `key`.
    ///
    /// # Errors
    /// [`Busy`] if all places of the key are taken.
    pub fn try_enqueue(&self, key: K) -> Result<Place, Busy> {
        let mut entries = lock(&self.entries);
        if entries.get(&key).map_or(0, |entry| entry.jobs) >= self.places {
            return Err(Busy);
        }
        let new_entry = || Entry { jobs: 0, running: Arc::new(Semaphore::new(self.running)) };
        let entry = entries.entry(key.clone()).or_insert_with(new_entry);
        entry.jobs += 1;
        let running = Arc::clone(&entry.running);
        Ok(Place { place: Box::new(KeyedPlace { entries: Arc::clone(&self.entries), key }), running })
    }

    /// Takes a place of `key` and waits at most `max_wait` for the permit to run.
    ///
    /// # Errors
    /// [`Busy`] if all places of the key are taken, or after `max_wait`.
    pub async fn acquire(&self, key: K, max_wait: Duration) -> Result<RunPermit, Busy> {
        self.try_enqueue(key)?.run_permit(max_wait).await
    }
}

fn lock<K>(entries: &Entries<K>) -> MutexGuard<'_, HashMap<K, Entry>> {
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Job of a key. Removes the key's queue when its last job ends.
struct KeyedPlace<K: Eq + Hash> {
    entries: Entries<K>,
    key: K,
}

impl<K: Eq + Hash> Drop for KeyedPlace<K> {
    fn drop(&mut self) {
        let mut entries = lock(&self.entries);
        if let Some(entry) = entries.get_mut(&self.key) {
            entry.jobs -= 1;
            if entry.jobs == 0 {
                entries.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn limits_the_jobs_of_each_key() {
        let queue = KeyedQueue::new(1, 1);
        let running = queue.acquire("asha", SECOND).await.unwrap();
        let waiting = queue.try_enqueue("asha").unwrap();
        assert_eq!(queue.try_enqueue("asha").unwrap_err(), Busy);
        assert!(queue.acquire("ravi", SECOND).await.is_ok());
        assert_eq!(waiting.run_permit(SECOND).await.unwrap_err(), Busy);
        drop(running);
        assert!(queue.acquire("asha", SECOND).await.is_ok());
        assert_eq!(KeyedQueue::new(0, 0).try_enqueue("asha").unwrap_err(), Busy);
    }

    #[tokio::test(start_paused = true)]
    async fn removes_the_queue_of_a_key_without_jobs() {
        let queue = KeyedQueue::new(1, 1);
        let running = queue.acquire("asha", SECOND).await.unwrap();
        assert!(queue.acquire("asha", SECOND).await.is_err());
        assert_eq!(lock(&queue.entries).len(), 1);
        drop(running);
        assert!(lock(&queue.entries).is_empty());
    }
}
