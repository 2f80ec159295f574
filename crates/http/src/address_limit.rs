//! Per-address concurrency limit.

use std::net::IpAddr;

use queue::{Busy, KeyedQueue, Place};

use crate::client_address::limit_key;
use crate::network::Network;

/// Limits the concurrent uses of a resource per client address (IPv6: per /64).
#[derive(Debug)]
pub struct AddressLimit {
    exempt: Vec<Network>,
    addresses: KeyedQueue<IpAddr>,
}

impl AddressLimit {
    /// Allows `max` concurrent uses per address. Loopback addresses and those in `exempt` are not counted.
    pub fn new(max: usize, exempt: Vec<Network>) -> Self {
        Self { exempt, addresses: KeyedQueue::new(max, 0) }
    }

    /// Returns a place for one more use by `address`, or `None` if the address is not counted.
    ///
    /// # Errors
    /// [`Busy`] if the address has reached the limit.
    pub fn try_enqueue(&self, address: IpAddr) -> Result<Option<Place>, Busy> {
        if address.is_loopback() || self.exempt.iter().any(|network| network.contains(address)) {
            return Ok(None);
        }
        self.addresses.try_enqueue(limit_key(address)).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gets_at_most_max_places_at_once() {
        let limit = AddressLimit::new(2, vec!["10.0.0.0/8".parse().unwrap()]);
        let enqueue = |address: &str| limit.try_enqueue(address.parse().unwrap());
        let first = enqueue("203.0.113.9");
        let _second = enqueue("203.0.113.9");
        assert!(first.is_ok() && enqueue("203.0.113.9").is_err());
        assert!(enqueue("203.0.113.10").is_ok());
        drop(first);
        assert!(enqueue("203.0.113.9").is_ok());
        let _six = [enqueue("2001:db8::1"), enqueue("2001:db8::2")];
        assert!(enqueue("2001:db8::3").is_err() && enqueue("2001:db8:0:1::3").is_ok());
        let all: Vec<_> = (0..9).flat_map(|_| [enqueue("127.0.0.1"), enqueue("10.1.1.1")]).collect();
        assert!(all.iter().all(Result::is_ok));
    }
}
