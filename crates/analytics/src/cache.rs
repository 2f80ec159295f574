//! Cache of analyses, limited in size and time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::analysis::Analysis;

/// Trades of all accounts in the cache. An analysis takes about half a kilobyte per trade.
const MAX_CACHED_TRADES: usize = 400_000;
/// Time after which an unused analysis is removed.
const IDLE_TTL: Duration = Duration::from_hours(1);

/// Versions of an account in the trade log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    pub trades: i64,
    /// Version of the settings of the accounts with brokers.
    pub broker_accounts: i64,
}

/// Analysis and the versions from which it was made.
#[derive(Clone)]
pub struct CachedAnalysis {
    pub versions: Versions,
    pub analysis: Arc<Analysis>,
}

/// Cached analysis of one account. A request that computes it holds the lock, so that it is computed once.
pub type Slot = Arc<tokio::sync::Mutex<Option<CachedAnalysis>>>;

/// Analyses of recently used accounts.
#[derive(Default)]
pub struct Cache {
    slots: Mutex<HashMap<Uuid, Entry>>,
}

struct Entry {
    slot: Slot,
    used_at: Instant,
    trade_count: usize,
}

impl Cache {
    /// Returns the slot of an account, which is empty if the account is not in the cache.
    pub fn slot(&self, account_id: Uuid) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|_, entry| entry.used_at.elapsed() < IDLE_TTL);
        let used_at = Instant::now();
        let entry = slots.entry(account_id).or_insert_with(|| Entry { slot: Slot::default(), used_at, trade_count: 0 });
        entry.used_at = used_at;
        entry.slot.clone()
    }

    /// Records the size of an account's analysis, and removes the least recently used other accounts while the cache is
    /// too large.
    pub fn record_size(&self, account_id: Uuid, trade_count: usize) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = slots.get_mut(&account_id) {
            // An account without trades takes some memory too.
            entry.trade_count = trade_count.max(100);
        }
        while slots.values().map(|entry| entry.trade_count).sum::<usize>() > MAX_CACHED_TRADES {
            let others = slots.iter().filter(|(id, _)| **id != account_id);
            let Some(oldest) = others.min_by_key(|(_, entry)| entry.used_at).map(|(id, _)| *id) else { return };
            slots.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_the_least_recently_used_account_when_full() {
        let cache = Cache::default();
        let [first, second, third] = [1, 2, 3].map(Uuid::from_u128);
        let slots = [first, second].map(|account_id| {
            let slot = cache.slot(account_id);
            cache.record_size(account_id, MAX_CACHED_TRADES / 2);
            slot
        });
        let again = cache.slot(first);
        assert!(Arc::ptr_eq(&again, &slots[0]));
        cache.slot(third);
        cache.record_size(third, 1);
        assert!(Arc::ptr_eq(&cache.slot(first), &slots[0]), "recently used");
        assert!(!Arc::ptr_eq(&cache.slot(second), &slots[1]), "removed");
        // An account above the limit is kept until another account is used.
        cache.record_size(third, 2 * MAX_CACHED_TRADES);
        assert_eq!(cache.slots.lock().unwrap().len(), 1);
    }
}
