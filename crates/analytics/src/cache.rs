//! What was worked out, for as long as there is room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use time::Date;
use uuid::Uuid;

use crate::adjustment::Adjustment;
use crate::analysis::Analysis;

/// Trades of all accounts together whose analysis is kept. Each takes about half a kilobyte.
const MOST_TRADES: usize = 400_000;

/// An analysis, and what it is of.
#[derive(Clone)]
pub struct Known {
    pub version: i64,
    /// What expires depends on the day.
    pub today: Date,
    pub adjustments: Arc<Vec<Adjustment>>,
    pub analysis: Arc<Analysis>,
}

/// What is known of one account. Whoever works it out holds the lock, so that it is done once.
pub type Slot = Arc<tokio::sync::Mutex<Option<Known>>>;

/// The accounts that were asked for lately.
#[derive(Default)]
pub struct Cache {
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    slots: HashMap<Uuid, Entry>,
    /// Counts up with every use.
    clock: u64,
}

struct Entry {
    slot: Slot,
    used: u64,
    trades: usize,
}

impl Cache {
    /// The slot of an account, as good as empty where it is new.
    pub fn slot(&self, account_id: Uuid) -> Slot {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.clock += 1;
        let used = entries.clock;
        let entry = entries.slots.entry(account_id).or_insert_with(|| Entry { slot: Slot::default(), used, trades: 0 });
        entry.used = used;
        entry.slot.clone()
    }

    /// Notes how much an account's slot holds now, and forgets those that were used longest ago while there is too much.
    /// The account's own stays.
    pub fn filled(&self, account_id: Uuid, trades: usize) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.slots.get_mut(&account_id) {
            // An account without trades takes some room too.
            entry.trades = trades.max(100);
        }
        while entries.slots.values().map(|entry| entry.trades).sum::<usize>() > MOST_TRADES {
            let others = entries.slots.iter().filter(|(id, _)| **id != account_id);
            let Some(oldest) = others.min_by_key(|(_, entry)| entry.used).map(|(id, _)| *id) else { return };
            entries.slots.remove(&oldest);
        }
    }
}
