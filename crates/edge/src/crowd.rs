//! How much of something each address has at once.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::address::network;
use crate::settings::Network;

/// So many places for each address (IPv6: for each /64).
#[derive(Debug)]
pub(crate) struct Crowd {
    limit: usize,
    exempt: Vec<Network>,
    counts: Mutex<HashMap<IpAddr, usize>>,
}

impl Crowd {
    /// Neither loopback nor those in `exempt` are counted.
    pub fn new(limit: usize, exempt: Vec<Network>) -> Arc<Self> {
        Arc::new(Self { limit, exempt, counts: Mutex::default() })
    }

    /// A place for one more, unless there are enough.
    pub fn enter(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        if address.is_loopback() || self.exempt.iter().any(|network| network.contains(address)) {
            return Some(Place { crowd: None, key: address });
        }
        let key = network(address);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key).or_default();
        if *count >= self.limit {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(Place { crowd: Some(Arc::clone(self)), key })
    }
}

/// One of an address. Dropping it leaves.
#[derive(Debug)]
pub(crate) struct Place {
    crowd: Option<Arc<Crowd>>,
    key: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(crowd) = &self.crowd else { return };
        let mut counts = crowd.counts.lock().unwrap_or_else(PoisonError::into_inner);
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
    fn an_address_has_so_many_places_and_no_more() {
        let crowd = Crowd::new(2, vec!["10.0.0.0/8".parse().unwrap()]);
        let enter = |address: &str| crowd.enter(address.parse().unwrap());
        let first = enter("203.0.113.9");
        let _second = enter("203.0.113.9");
        assert!(first.is_some() && enter("203.0.113.9").is_none());
        assert!(enter("203.0.113.10").is_some());
        drop(first);
        assert!(enter("203.0.113.9").is_some());
        let _six = [enter("2001:db8::1"), enter("2001:db8::2")];
        assert!(enter("2001:db8::3").is_none() && enter("2001:db8:0:1::3").is_some());
        let all: Vec<_> = (0..9).flat_map(|_| [enter("127.0.0.1"), enter("10.1.1.1")]).collect();
        assert!(all.iter().all(Option::is_some));
    }

    #[test]
    fn who_left_is_forgotten() {
        let crowd = Crowd::new(2, Vec::new());
        drop(crowd.enter("203.0.113.9".parse().unwrap()));
        assert!(crowd.counts.lock().unwrap().is_empty());
    }
}
