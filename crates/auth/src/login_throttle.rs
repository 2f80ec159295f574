//! Throttling of failed logins: failures are counted per account and per source of the attempt, and per account over all
//! networks.

use std::net::{IpAddr, Ipv6Addr};

use uuid::Uuid;

use crate::account::Login;
use crate::session::Device;
use crate::token::TokenHash;

/// Text that is neither an email address nor a phone number is counted by its first characters.
const MAX_LOGIN_CHARS: usize = 254;

/// Source under which the failures of all networks are counted.
pub(crate) const ALL_NETWORKS: &str = "all networks";

/// Key under which failed attempts are counted, even if no account has this login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoginAttempt {
    /// Account, so that its email address and its phone number count together, or the login if no account has it.
    pub(crate) login: String,
    /// Network, known device or session that the attempt comes from.
    pub(crate) source: String,
    /// True if the attempt also counts for all networks together: that of an unknown device. Known devices and sessions
    /// are exempt, so that attackers cannot lock an owner out.
    pub(crate) counts_for_all_networks: bool,
    /// True if the attempt comes from a loopback address.
    pub(crate) is_loopback: bool,
}

impl LoginAttempt {
    /// Creates an attempt on `login` as typed, which belongs to the account `account_id` if there is one. A known device,
    /// which has logged in to the account before, is counted apart from its network.
    pub(crate) fn from_device(
        login: &str,
        account_id: Option<Uuid>,
        device: &Device,
        known_device: Option<&TokenHash>,
    ) -> Self {
        let login = account_id.map_or_else(|| normalize(login), account_key);
        let source = match known_device {
            Some(hash) => ["device ".to_owned(), hex::encode(hash.as_bytes())].concat(),
            None => network_of(&device.address),
        };
        let counts_for_all_networks = known_device.is_none();
        Self { login, source, counts_for_all_networks, is_loopback: is_loopback(&device.address) }
    }

    /// Creates an attempt of a session that was last seen at `address`. Sessions are counted apart from their network,
    /// so that strangers in the same network cannot throttle a logged-in owner.
    pub(crate) fn from_session(session_id: Uuid, account_id: Uuid, address: &str) -> Self {
        let source = format!("sign-in {session_id}");
        let is_loopback = is_loopback(address);
        Self { login: account_key(account_id), source, counts_for_all_networks: false, is_loopback }
    }

    /// Creates an attempt on the second factor. All sources count together: who gets this far knows the password, and
    /// a code has six digits only.
    pub(crate) fn from_second_factor(account_id: Uuid, address: &str) -> Self {
        let (login, source) = (account_key(account_id), "second factor".to_owned());
        Self { login, source, counts_for_all_networks: false, is_loopback: is_loopback(address) }
    }
}

/// Returns the key under which failures of an account are counted.
pub(crate) fn account_key(account_id: Uuid) -> String {
    format!("account:{account_id}")
}

fn normalize(login: &str) -> String {
    Login::parse(login).map_or_else(
        || login.trim().chars().filter(|c| !c.is_control()).take(MAX_LOGIN_CHARS).collect::<String>().to_lowercase(),
        |login| login.as_str().to_owned(),
    )
}

/// Returns the IPv4 /24 or IPv6 /48 network of an address. Providers assign up to a /48 to one customer.
fn network_of(address: &str) -> String {
    match address.parse().map(|address: IpAddr| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        Ok(IpAddr::V6(address)) => {
            let [a, b, c, ..] = address.segments();
            format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
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
            (" Asha\u{0} RAO", "2001:db8:1:2:3::4", ("asha rao", "2001:db8:1::/48")),
            ("", "", ("", "unknown")),
        ] {
            let attempt = LoginAttempt::from_device(login, None, &Device::new("", address), None);
            assert_eq!((attempt.login.as_str(), attempt.source.as_str()), want);
        }
        let long = LoginAttempt::from_device(&"é".repeat(1000), None, &Device::default(), None);
        assert_eq!(long.login.chars().count(), 254);
    }

    #[test]
    fn s5_failures_of_an_account_count_together_whatever_login_was_typed() {
        let (device, account_id) = (Device::new("", "203.0.113.77"), Uuid::from_u128(7));
        let key = |login: &str| LoginAttempt::from_device(login, Some(account_id), &device, None).login;
        assert_eq!(key("asha@example.in"), key("9820041537"));
        assert_eq!(key("asha@example.in"), LoginAttempt::from_session(Uuid::nil(), account_id, "").login);
        let known_device = TokenHash::from_token("known");
        assert!(LoginAttempt::from_device("", None, &device, None).counts_for_all_networks);
        assert!(!LoginAttempt::from_device("", None, &device, Some(&known_device)).counts_for_all_networks);
    }

    #[test]
    fn each_known_device_is_a_source_of_its_own() {
        let device = Device::new("", "203.0.113.77");
        let source =
            |token: &str| LoginAttempt::from_device("", None, &device, Some(&TokenHash::from_token(token))).source;
        assert_eq!(source("one"), source("one"));
        assert_ne!(source("one"), source("another"));
    }

    #[test]
    fn recognizes_loopback_addresses() {
        for (address, want) in
            [("127.0.0.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("10.0.0.1", false), ("", false)]
        {
            let device = Device::new("", address);
            assert_eq!(LoginAttempt::from_device("", None, &device, None).is_loopback, want, "{address}");
            assert_eq!(LoginAttempt::from_session(Uuid::nil(), Uuid::nil(), address).is_loopback, want, "{address}");
        }
    }
}
