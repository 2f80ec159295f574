//! Who is held back after wrong passwords: the name that was typed, together with where it was typed.

use std::net::{IpAddr, Ipv6Addr};

use uuid::Uuid;

use crate::account::Login;
use crate::sign_in::Device;
use crate::token::TokenHash;

/// What is no login at all is counted by this many characters of it.
const LONGEST_LOGIN: usize = 254;

/// What the failures are counted by, whether or not there is such an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    pub(crate) login: String,
    /// The network, the known device, or the sign-in.
    pub(crate) place: String,
    /// Whether it is made on this very machine.
    pub(crate) is_near: bool,
}

impl Attempt {
    /// An attempt on `login` as typed. A device that signed in to the account before answers for itself alone.
    pub(crate) fn new(login: &str, device: &Device, known: Option<&TokenHash>) -> Self {
        let place = match known {
            Some(hash) => ["device ".to_owned(), hex(hash.as_bytes())].concat(),
            None => network(&device.address),
        };
        Self { login: normal(login), place, is_near: is_loopback(&device.address) }
    }

    /// An attempt of somebody who is signed in, last seen at `address`. A sign-in answers for itself alone, too:
    /// strangers in the same network hold no owner who is in.
    pub(crate) fn within(sign_in_id: Uuid, login: &str, address: &str) -> Self {
        Self { login: normal(login), place: format!("sign-in {sign_in_id}"), is_near: is_loopback(address) }
    }
}

fn normal(login: &str) -> String {
    Login::parse(login).map_or_else(
        || login.trim().chars().filter(|c| !c.is_control()).take(LONGEST_LOGIN).collect::<String>().to_lowercase(),
        |login| login.as_str().to_owned(),
    )
}

/// An IPv4 /24 or an IPv6 /64: what one customer of a provider has, at least.
fn network(address: &str) -> String {
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_by_name_and_network() {
        for (login, address, want) in [
            (" Asha@Example.in", "203.0.113.77", ("email:asha@example.in", "203.0.113.0/24")),
            ("+91 98200-41537", "::ffff:203.0.113.9", ("phone:9820041537", "203.0.113.0/24")),
            (" Asha\u{0} RAO", "2001:db8:1:2:3::4", ("asha rao", "2001:db8:1:2::/64")),
            ("", "", ("", "unknown")),
        ] {
            let attempt = Attempt::new(login, &Device::new("", address), None);
            assert_eq!((attempt.login.as_str(), attempt.place.as_str()), want);
        }
        assert_eq!(Attempt::new(&"é".repeat(1000), &Device::default(), None).login.chars().count(), 254);
    }

    #[test]
    fn each_known_device_answers_for_itself() {
        let device = Device::new("", "203.0.113.77");
        let place = |token: &str| Attempt::new("", &device, Some(&TokenHash::of(token))).place;
        assert_eq!(place("one"), place("one"));
        assert_ne!(place("one"), place("another"));
    }

    #[test]
    fn this_machine_is_known_by_its_address() {
        for (address, want) in
            [("127.0.0.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("10.0.0.1", false), ("", false)]
        {
            assert_eq!(Attempt::new("", &Device::new("", address), None).is_near, want, "{address}");
            assert_eq!(Attempt::within(Uuid::nil(), "", address).is_near, want, "{address}");
        }
    }
}
