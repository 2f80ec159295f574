//! Address of the client behind trusted proxies.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::ConnectInfo;
use http::request::Parts;
use http::{Extensions, HeaderMap};

use crate::listener::Peer;
use crate::network::Network;

/// Address of a request's client. [`crate::trace`] adds it to the extensions of each request.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClientAddress {
    /// IP address of the client; `None` for requests without a socket, as in tests.
    ///
    /// Taken from the socket, or from `X-Forwarded-For` as far as trusted proxies wrote it, so that clients cannot forge
    /// it.
    pub ip: Option<IpAddr>,
    /// The client is a process on this machine, not a proxy that forwards somebody else's request. False for Unix
    /// sockets: the proxy behind one may add no forwarding header.
    pub is_local: bool,
}

impl ClientAddress {
    /// Determines the client's address from the socket and the forwarding headers that `proxies` wrote.
    pub fn from_request(extensions: &Extensions, headers: &HeaderMap, proxies: &[Network]) -> Self {
        let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical());
        let Some(peer) = peer else { return Self::default() };
        let is_unix = extensions.get() == Some(&Peer::Unix);
        let is_local = peer.is_loopback() && !is_unix && !is_forwarded(headers);
        Self { ip: Some(client_ip(peer, headers, proxies)), is_local }
    }

    /// Returns the peer of a request that says it was forwarded, if the peer is not one of `proxies`. All clients behind
    /// such a proxy have its address.
    pub fn find_untrusted_proxy(extensions: &Extensions, headers: &HeaderMap, proxies: &[Network]) -> Option<IpAddr> {
        let peer = extensions.get::<ConnectInfo<SocketAddr>>()?.0.ip().to_canonical();
        let is_trusted = proxies.iter().any(|network| network.contains(peer));
        (is_forwarded(headers) && !is_trusted).then_some(peer)
    }

    /// Returns the address that [`crate::trace`] added to the request.
    pub fn from_parts(parts: &Parts) -> Self {
        parts.extensions.get().copied().unwrap_or_default()
    }
}

fn is_forwarded(headers: &HeaderMap) -> bool {
    headers.contains_key("x-forwarded-for") || headers.contains_key("forwarded")
}

/// Returns the address that limits are counted by: an IPv4 address, or the /64 network of an IPv6 address, because a
/// client with one IPv6 address usually has the whole /64.
pub fn limit_key(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
    }
}

/// Returns the /48 network of an IPv6 address, which a provider may give to one client; an IPv4 address unchanged.
pub fn network_key(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 80 << 80).into(),
    }
}

/// Returns the rightmost hop that is not a trusted proxy. Hops to the left of it may be forged.
fn client_ip(peer: IpAddr, headers: &HeaderMap, proxies: &[Network]) -> IpAddr {
    let trusted = |address: IpAddr| proxies.iter().any(|network| network.contains(address));
    let lines: Vec<&str> = headers.get_all("x-forwarded-for").iter().filter_map(|line| line.to_str().ok()).collect();
    let hops = lines.iter().rev().flat_map(|line| line.rsplit(','));
    let mut client = peer;
    for hop in hops {
        if !trusted(client) {
            break;
        }
        // A trusted proxy wrote a hop that is not an address: hops to its left cannot be attributed.
        let Some(address) = parse_hop(hop.trim()) else { break };
        client = address;
    }
    client
}

fn parse_hop(hop: &str) -> Option<IpAddr> {
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
        let client = client_ip(peer.parse().unwrap(), &headers, &proxies);
        assert_eq!(client, expected.parse::<IpAddr>().unwrap(), "{peer} {forwarded:?}");
    }

    #[test]
    fn s11_recognizes_a_proxy_that_is_not_in_the_settings() {
        let find = |forwarded: bool, proxies: &[Network]| {
            let (mut extensions, mut headers) = (Extensions::new(), HeaderMap::new());
            extensions.insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 4711))));
            if forwarded {
                headers.insert("x-forwarded-for", http::HeaderValue::from_static("198.51.100.1"));
            }
            ClientAddress::find_untrusted_proxy(&extensions, &headers, proxies)
        };
        assert_eq!(find(true, &[]), Some(IpAddr::from([127, 0, 0, 1])));
        assert_eq!(find(true, &["127.0.0.1".parse().unwrap()]), None);
        assert_eq!(find(false, &[]), None);
    }

    #[test]
    fn s11_peers_of_unix_sockets_are_not_local() {
        let is_local = |peer: Peer, forwarded: bool| {
            let (mut extensions, mut headers) = (Extensions::new(), HeaderMap::new());
            extensions.insert(ConnectInfo(peer.address()));
            extensions.insert(peer);
            if forwarded {
                headers.insert("x-forwarded-for", http::HeaderValue::from_static("127.0.0.1"));
            }
            ClientAddress::from_request(&extensions, &headers, &[]).is_local
        };
        let tcp = |address: [u8; 4]| Peer::Tcp(SocketAddr::from((address, 4711)));
        assert!(is_local(tcp([127, 0, 0, 1]), false) && !is_local(tcp([127, 0, 0, 1]), true));
        assert!(!is_local(tcp([198, 51, 100, 1]), false));
        assert!(!is_local(Peer::Unix, false) && !is_local(Peer::Unix, true));
    }

    #[test]
    fn believes_only_hops_written_by_trusted_proxies() {
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
