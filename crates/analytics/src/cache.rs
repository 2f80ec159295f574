//! What was worked out, for as long as there is room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::analysis::Analysis;

/// Trades of all accounts together whose analysis is kept. Each takes about half a kilobyte.
const MOST_TRADES: usize = 400_000;
/// What nobody asked for that long is forgotten.
const IDLE: Duration = Duration::from_hours(1);

/// An analysis, and what it is of.
#[derive(Clone)]
pub struct Known {
    /// Of the trades.
    pub version: i64,
    pub analysis: Arc<Analysis>,
}

/// What is known of one account. Whoever works it out holds the lock, so that it is done once.
pub type Slot = Arc<tokio::sync::Mutex<Option<Known>>>;

/// The accounts that were asked for lately.
#[derive(Default)]
pub struct Cache {
    slots: Mutex<HashMap<Uuid, Entry>>,
}

struct Entry {
    slot: Slot,
    used: Instant,
    trades: usize,
}

impl Cache {
    /// The slot of an account, as good as empty where it is new.
    pub fn slot(&self, account_id: Uuid) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|_, entry| entry.used.elapsed() < IDLE);
        let used = Instant::now();
        let entry = slots.entry(account_id).or_insert_with(|| Entry { slot: Slot::default(), used, trades: 0 });
        entry.used = used;
        entry.slot.clone()
    }

    /// Notes how much an account's slot holds now, and forgets those that were used longest ago while there is too much.
    /// The account's own stays.
    pub fn filled(&self, account_id: Uuid, trades: usize) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = slots.get_mut(&account_id) {
            // An account without trades takes some room too.
            entry.trades = trades.max(100);
        }
        while slots.values().map(|entry| entry.trades).sum::<usize>() > MOST_TRADES {
            let others = slots.iter().filter(|(id, _)| **id != account_id);
            let Some(oldest) = others.min_by_key(|(_, entry)| entry.used).map(|(id, _)| *id) else { return };
            slots.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_that_was_used_longest_ago_makes_room() {
        let cache = Cache::default();
        let [first, second, third] = [1, 2, 3].map(Uuid::from_u128);
        let slots = [first, second].map(|account_id| {
            let slot = cache.slot(account_id);
            cache.filled(account_id, MOST_TRADES / 2);
            slot
        });
        let again = cache.slot(first);
        assert!(Arc::ptr_eq(&again, &slots[0]));
        cache.slot(third);
        cache.filled(third, 1);
        assert!(Arc::ptr_eq(&cache.slot(first), &slots[0]), "used since");
        assert!(!Arc::ptr_eq(&cache.slot(second), &slots[1]), "forgotten");
        // One that is too large by itself is kept as long as no other comes.
        cache.filled(third, 2 * MOST_TRADES);
        assert_eq!(cache.slots.lock().unwrap().len(), 1);
    }
}
