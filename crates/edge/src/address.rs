//! Where a request comes from.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::ConnectInfo;
use http::request::Parts;
use http::{Extensions, HeaderMap};

use crate::settings::Network;

/// The two ends of a request's way that we know of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Address {
    /// Who asks, as far as it cannot be forged. Absent where there is no socket.
    pub client: Option<IpAddr>,
    /// Who asks is a process on this machine, and not a proxy for somebody else.
    pub local: bool,
}

impl Address {
    pub fn of(extensions: &Extensions, headers: &HeaderMap, proxies: &[Network]) -> Self {
        let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical());
        let Some(peer) = peer else { return Self::default() };
        let forwarded = headers.contains_key("x-forwarded-for") || headers.contains_key("forwarded");
        Self { client: Some(client(peer, headers, proxies)), local: peer.is_loopback() && !forwarded }
    }

    pub fn in_request(parts: &Parts) -> Self {
        parts.extensions.get().copied().unwrap_or_default()
    }
}

/// What an address is counted as: who has one IPv6 address has 2⁶⁴ of them.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
    }
}

/// The rightmost hop that is not a proxy of ours. What stands left of it was written by whoever it is.
fn client(peer: IpAddr, headers: &HeaderMap, proxies: &[Network]) -> IpAddr {
    let trusted = |address: IpAddr| proxies.iter().any(|network| network.contains(address));
    let lines: Vec<&str> = headers.get_all("x-forwarded-for").iter().filter_map(|line| line.to_str().ok()).collect();
    let hops = lines.iter().rev().flat_map(|line| line.rsplit(','));
    let mut client = peer;
    for hop in hops {
        if !trusted(client) {
            break;
        }
        // A proxy of ours wrote something else than an address: nothing to the left of it means anything.
        let Some(address) = parse(hop.trim()) else { break };
        client = address;
    }
    client
}

fn parse(hop: &str) -> Option<IpAddr> {
    let bare = hop.trim_matches(['[', ']']).parse().ok();
    bare.or_else(|| hop.parse::<SocketAddr>().ok().map(|socket| socket.ip())).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peer: &str, forwarded: &[&'static str], expected: &str) {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", http::HeaderValue::from_static(line));
        }
        let proxies = ["10.0.0.0/8".parse().unwrap(), "127.0.0.1".parse().unwrap()];
        let found = client(peer.parse().unwrap(), &headers, &proxies);
        assert_eq!(found, expected.parse::<IpAddr>().unwrap(), "{peer} {forwarded:?}");
    }

    #[test]
    fn only_what_our_proxies_say_is_believed() {
        check("203.0.113.5", &[], "203.0.113.5");
        check("203.0.113.5", &["198.51.100.1"], "203.0.113.5");
        check("10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["1.2.3.4, 198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["1.2.3.4, 198.51.100.1, 10.0.0.2"], "198.51.100.1");
        check("10.0.0.1", &["1.2.3.4", "198.51.100.1", "10.0.0.2"], "198.51.100.1");
        check("127.0.0.1", &["198.51.100.1:4711"], "198.51.100.1");
        check("127.0.0.1", &["[2001:db8::7]:4711"], "2001:db8::7");
        check("127.0.0.1", &["2001:db8::7"], "2001:db8::7");
        check("10.0.0.1", &["198.51.100.1, unknown"], "10.0.0.1");
        check("10.0.0.1", &["unknown, 198.51.100.1"], "198.51.100.1");
        check("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3");
    }
}
