//! Rate limiting by the generic cell rate algorithm (GCRA).

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Maximum number of keys that one limiter remembers. When it is reached, new keys are rejected; known keys continue.
const MAX_KEYS: usize = 100_000;
/// Interval at which keys with a full quota are removed.
const CLEANUP_INTERVAL: Duration = Duration::from_mins(1);
/// The same interval when [`MAX_KEYS`] is reached.
const FULL_CLEANUP_INTERVAL: Duration = Duration::from_secs(1);

/// Number of units that a key may use in a period, and at once.
#[derive(Clone, Copy, Debug)]
pub struct Quota {
    /// Units per period.
    pub units: u32,
    /// Period in which the units are refilled, evenly.
    pub period: Duration,
    /// Units that may be used at once.
    pub burst: u32,
}

/// Rate limiter with one quota for each key, such as an address or an account.
///
/// Stores the time at which a key's quota will be full again.
#[derive(Debug)]
pub struct RateLimiter<K> {
    /// Time in which one unit is refilled.
    interval: Duration,
    /// Time in which the whole burst is refilled.
    max_debt: Duration,
    max_keys: usize,
    keys: Mutex<Keys<K>>,
}

#[derive(Debug)]
struct Keys<K> {
    full_at: HashMap<K, Instant>,
    cleaned_up_at: Instant,
}

impl<K: Eq + Hash> RateLimiter<K> {
    /// Creates a limiter that remembers up to 100,000 keys.
    pub fn new(quota: Quota) -> Self {
        Self::with_max_keys(quota, MAX_KEYS)
    }

    fn with_max_keys(Quota { units, period, burst }: Quota, max_keys: usize) -> Self {
        let interval = period / units;
        let keys = Keys { full_at: HashMap::new(), cleaned_up_at: Instant::now() };
        Self { interval, max_debt: interval * burst, max_keys, keys: Mutex::new(keys) }
    }

    /// Takes `units` from the quota of `key`.
    ///
    /// # Errors
    /// The time after which they are available. A rejected attempt takes nothing.
    pub fn take(&self, key: K, units: u32) -> Result<(), Duration> {
        let now = Instant::now();
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.clean_up(now, self.max_keys);
        let full_at = keys.full_at.get(&key).copied();
        if full_at.is_none() && keys.full_at.len() >= self.max_keys {
            return Err(FULL_CLEANUP_INTERVAL);
        }
        let full_at = full_at.map_or(now, |at| at.max(now)) + self.interval * units;
        let debt = full_at - now;
        if debt > self.max_debt {
            return Err(debt - self.max_debt);
        }
        keys.full_at.insert(key, full_at);
        Ok(())
    }
}

impl<K: Eq + Hash> Keys<K> {
    /// Removes the keys whose quota is full, once per interval.
    fn clean_up(&mut self, now: Instant, max_keys: usize) {
        let interval = if self.full_at.len() >= max_keys { FULL_CLEANUP_INTERVAL } else { CLEANUP_INTERVAL };
        if now - self.cleaned_up_at >= interval {
            self.full_at.retain(|_, full_at| *full_at > now);
            self.cleaned_up_at = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[tokio::test(start_paused = true)]
    async fn allows_a_burst_and_then_one_per_interval() {
        let limiter = RateLimiter::new(Quota { units: 60, period: Duration::from_hours(1), burst: 24 });
        for _ in 0..24 {
            limiter.take(1, 1).unwrap();
        }
        assert_eq!(limiter.take(1, 1), Err(MINUTE));
        limiter.take(2, 1).unwrap();
        advance(MINUTE / 2).await;
        assert_eq!(limiter.take(1, 1), Err(MINUTE / 2), "a rejected attempt takes nothing");
        advance(MINUTE / 2).await;
        limiter.take(1, 1).unwrap();
        assert_eq!(limiter.take(1, 1), Err(MINUTE));
        advance(Duration::from_hours(24)).await;
        for _ in 0..24 {
            limiter.take(1, 1).unwrap();
        }
        assert!(limiter.take(1, 1).is_err(), "the burst does not grow while waiting");
    }

    #[tokio::test(start_paused = true)]
    async fn rejects_new_keys_when_full_and_keeps_known_ones() {
        let limiter = RateLimiter::with_max_keys(Quota { units: 10, period: MINUTE, burst: 10 }, 3);
        for key in 0..3 {
            limiter.take(key, 1).unwrap();
        }
        assert!(limiter.take(3, 1).is_err());
        limiter.take(0, 1).unwrap();
        advance(Duration::from_secs(7)).await;
        limiter.take(3, 1).unwrap();
        assert_eq!(limiter.keys.lock().unwrap().full_at.len(), 2, "keys with a full quota are removed");
    }
}
