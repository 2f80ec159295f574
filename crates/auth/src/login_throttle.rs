//! Throttling of failed logins: failures are counted per login and per source of the attempt.

use std::net::{IpAddr, Ipv6Addr};

use uuid::Uuid;

use crate::account::Login;
use crate::session::Device;
use crate::token::TokenHash;

/// Text that is neither an email address nor a phone number is counted by its first characters.
const MAX_LOGIN_CHARS: usize = 254;

/// Key under which failed attempts are counted, even if no account has this login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoginAttempt {
    pub(crate) login: String,
    /// Network, known device or session that the attempt comes from.
    pub(crate) source: String,
    /// True if the attempt comes from a loopback address.
    pub(crate) is_loopback: bool,
}

impl LoginAttempt {
    /// Creates an attempt on `login` as typed. A known device, which has logged in to the account before, is counted
    /// apart from its network.
    pub(crate) fn from_device(login: &str, device: &Device, known_device: Option<&TokenHash>) -> Self {
        let source = match known_device {
            Some(hash) => ["device ".to_owned(), hex::encode(hash.as_bytes())].concat(),
            None => network_of(&device.address),
        };
        Self { login: normalize(login), source, is_loopback: is_loopback(&device.address) }
    }

    /// Creates an attempt of a session that was last seen at `address`. Sessions are counted apart from their network,
    /// so that strangers in the same network cannot throttle a logged-in owner.
    pub(crate) fn from_session(session_id: Uuid, login: &str, address: &str) -> Self {
        Self { login: normalize(login), source: format!("sign-in {session_id}"), is_loopback: is_loopback(address) }
    }
}

fn normalize(login: &str) -> String {
    Login::parse(login).map_or_else(
        || login.trim().chars().filter(|c| !c.is_control()).take(MAX_LOGIN_CHARS).collect::<String>().to_lowercase(),
        |login| login.as_str().to_owned(),
    )
}

/// Returns the IPv4 /24 or IPv6 /64 network of an address. Providers assign at least a /64 to a customer.
fn network_of(address: &str) -> String {
    match address.parse().map(|address: IpAddr| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        Ok(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        Err(_) => "unknown".to_owned(),
    }
}

fn is_loopback(address: &str) -> bool {
    address.parse().is_ok_and(|address: IpAddr| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_by_login_and_network() {
        for (login, address, want) in [
            (" Asha@Example.in", "203.0.113.77", ("email:asha@example.in", "203.0.113.0/24")),
            ("+91 98200-41537", "::ffff:203.0.113.9", ("phone:9820041537", "203.0.113.0/24")),
            (" Asha\u{0} RAO", "2001:db8:1:2:3::4", ("asha rao", "2001:db8:1:2::/64")),
            ("", "", ("", "unknown")),
        ] {
            let attempt = LoginAttempt::from_device(login, &Device::new("", address), None);
            assert_eq!((attempt.login.as_str(), attempt.source.as_str()), want);
        }
        let long = LoginAttempt::from_device(&"é".repeat(1000), &Device::default(), None);
        assert_eq!(long.login.chars().count(), 254);
    }

    #[test]
    fn each_known_device_is_a_source_of_its_own() {
        let device = Device::new("", "203.0.113.77");
        let source = |token: &str| LoginAttempt::from_device("", &device, Some(&TokenHash::from_token(token))).source;
        assert_eq!(source("one"), source("one"));
        assert_ne!(source("one"), source("another"));
    }

    #[test]
    fn recognizes_loopback_addresses() {
        for (address, want) in
            [("127.0.0.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("10.0.0.1", false), ("", false)]
        {
            let device = Device::new("", address);
            assert_eq!(LoginAttempt::from_device("", &device, None).is_loopback, want, "{address}");
            assert_eq!(LoginAttempt::from_session(Uuid::nil(), "", address).is_loopback, want, "{address}");
        }
    }
}
