//! Ranges of IP addresses.

use std::net::IpAddr;
use std::str::FromStr;

/// Range of IP addresses, such as `10.0.0.0/8`, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u32,
}

impl Network {
    /// Returns true if `address` lies in the range.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let mask = u32::MAX.checked_shl(32 - self.prefix).unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - self.prefix).unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// Error of parsing a [`Network`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an address or a range such as 10.0.0.0/8")]
pub struct InvalidNetwork;

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse().map_err(|_| InvalidNetwork)?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| InvalidNetwork)?;
        let max_prefix = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.unwrap_or(max_prefix);
        if prefix > max_prefix {
            return Err(InvalidNetwork);
        }
        Ok(Self { address, prefix })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_contains_exactly_the_addresses_with_its_prefix() {
        let check =
            |network: &str, address: &str| network.parse::<Network>().unwrap().contains(address.parse().unwrap());
        assert!(check("10.0.0.0/8", "10.200.3.4"));
        assert!(check("10.0.0.0/8", "::ffff:10.1.2.3"));
        assert!(!check("10.0.0.0/8", "11.0.0.1"));
        assert!(check("127.0.0.1", "127.0.0.1"));
        assert!(!check("127.0.0.1", "127.0.0.2"));
        assert!(check("0.0.0.0/0", "203.0.113.9"));
        assert!(check("2001:db8::/32", "2001:db8:1::9"));
        assert!(!check("::/0", "203.0.113.9"));
    }

    #[test]
    fn rejects_text_that_is_no_network() {
        for bad in ["", "10.0.0.0/33", "10.0.0/8", "a/8", "::1/129", "10.0.0.0/-1"] {
            assert_eq!(bad.parse::<Network>(), Err(InvalidNetwork), "{bad}");
        }
    }
}
