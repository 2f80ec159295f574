//! Limits that are shared by all, with a smaller share for each key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Busy;

/// Limits a resource in total and by key, such as one per client address. Clones share their limit.
///
/// Only keys that use the resource take memory.
#[derive(Clone, Debug)]
pub struct SharedLimit<K> {
    capacity: usize,
    used: Arc<Mutex<Used<K>>>,
}

#[derive(Debug)]
struct Used<K> {
    total: usize,
    by_key: HashMap<K, usize>,
}

impl<K: Clone + Eq + Hash> SharedLimit<K> {
    /// Creates a limit of `capacity` in total.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, used: Arc::new(Mutex::new(Used { total: 0, by_key: HashMap::new() })) }
    }

    /// Takes `amount`, which counts for each of `shares`: a key and the maximum amount of that key.
    ///
    /// # Errors
    /// [`Busy`] if the whole limit or one of the shares is exceeded; nothing is taken then.
    pub fn try_acquire(&self, amount: usize, shares: &[(K, usize)]) -> Result<SharedPermit<K>, Busy> {
        let mut used = lock(&self.used);
        let fits = |taken: usize, max: usize| taken.saturating_add(amount) <= max;
        let taken = |key| used.by_key.get(key).copied().unwrap_or(0);
        if !fits(used.total, self.capacity) || shares.iter().any(|(key, max)| !fits(taken(key), *max)) {
            return Err(Busy);
        }
        used.total += amount;
        for (key, _) in shares {
            *used.by_key.entry(key.clone()).or_default() += amount;
        }
        let keys = shares.iter().map(|(key, _)| key.clone()).collect();
        Ok(SharedPermit { used: Arc::clone(&self.used), amount, keys })
    }

    /// Returns true if nothing is left for anyone.
    pub fn is_full(&self) -> bool {
        lock(&self.used).total >= self.capacity
    }
}

fn lock<K>(used: &Mutex<Used<K>>) -> MutexGuard<'_, Used<K>> {
    used.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Part of a [`SharedLimit`], given back when it is dropped.
#[derive(Debug)]
pub struct SharedPermit<K: Eq + Hash> {
    used: Arc<Mutex<Used<K>>>,
    amount: usize,
    keys: Vec<K>,
}

impl<K: Eq + Hash> Drop for SharedPermit<K> {
    fn drop(&mut self) {
        let mut used = lock(&self.used);
        used.total -= self.amount;
        for key in &self.keys {
            if let Some(taken) = used.by_key.get_mut(key) {
                *taken -= self.amount;
                if *taken == 0 {
                    used.by_key.remove(key);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_gets_no_more_than_its_share() {
        let limit = SharedLimit::new(5);
        let acquire = |amount, shares: &[(&'static str, usize)]| limit.try_acquire(amount, shares);
        let first = acquire(2, &[("asha", 3), ("office", 4)]).unwrap();
        assert_eq!(acquire(2, &[("asha", 3)]).unwrap_err(), Busy);
        assert_eq!(acquire(3, &[("ravi", 3), ("office", 4)]).unwrap_err(), Busy);
        let second = acquire(3, &[("ravi", 3)]).unwrap();
        assert!(limit.is_full() && acquire(1, &[]).is_err());
        drop((first, second));
        assert!(!limit.is_full() && lock(&limit.used).by_key.is_empty());
        assert!(acquire(5, &[]).is_ok());
    }
}
