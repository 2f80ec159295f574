//! Per-address concurrency limit.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::client_address::limit_key;
use crate::network::Network;

/// Limits the concurrent uses of a resource per client address (IPv6: per /64).
#[derive(Debug)]
pub struct AddressLimit {
    max: usize,
    exempt: Vec<Network>,
    counts: Mutex<HashMap<IpAddr, usize>>,
}

impl AddressLimit {
    /// Allows `max` concurrent uses per address. Loopback addresses and those in `exempt` are not counted.
    pub fn new(max: usize, exempt: Vec<Network>) -> Arc<Self> {
        Arc::new(Self { max, exempt, counts: Mutex::default() })
    }

    /// Returns a permit for one more use by `address`, or `None` if it has reached the limit.
    pub fn try_acquire(self: &Arc<Self>, address: IpAddr) -> Option<AddressPermit> {
        if address.is_loopback() || self.exempt.iter().any(|network| network.contains(address)) {
            return Some(AddressPermit { limit: None, key: address });
        }
        let key = limit_key(address);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key).or_default();
        if *count >= self.max {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(AddressPermit { limit: Some(Arc::clone(self)), key })
    }
}

/// Permit for one use by an address; released on drop.
#[derive(Debug)]
pub struct AddressPermit {
    /// `None` if the address is not counted.
    limit: Option<Arc<AddressLimit>>,
    key: IpAddr,
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        let Some(limit) = &self.limit else { return };
        let mut counts = limit.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.key) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gets_at_most_max_permits_at_once() {
        let limit = AddressLimit::new(2, vec!["10.0.0.0/8".parse().unwrap()]);
        let acquire = |address: &str| limit.try_acquire(address.parse().unwrap());
        let first = acquire("203.0.113.9");
        let _second = acquire("203.0.113.9");
        assert!(first.is_some() && acquire("203.0.113.9").is_none());
        assert!(acquire("203.0.113.10").is_some());
        drop(first);
        assert!(acquire("203.0.113.9").is_some());
        let _six = [acquire("2001:db8::1"), acquire("2001:db8::2")];
        assert!(acquire("2001:db8::3").is_none() && acquire("2001:db8:0:1::3").is_some());
        let all: Vec<_> = (0..9).flat_map(|_| [acquire("127.0.0.1"), acquire("10.1.1.1")]).collect();
        assert!(all.iter().all(Option::is_some));
    }

    #[test]
    fn an_address_without_permits_is_forgotten() {
        let limit = AddressLimit::new(2, Vec::new());
        drop(limit.try_acquire("203.0.113.9".parse().unwrap()));
        assert!(limit.counts.lock().unwrap().is_empty());
    }
}
