//! All concurrency limits of the HTTP server: in total, per client address and per account.
//!
//! | Limit | Held | Above it |
//! |---|---|---|
//! | connections | while a connection is open | closed |
//! | requests | until the head of the response is made | 503 |
//! | bodies | until the body of a request has arrived | small bodies use their reserve; otherwise 503 |
//! | small bodies | the same, for at most [`SMALL_BODY_TIMEOUT`] | 503 |
//! | uploads, applications, inspections | while the request is handled | 503 |
//! | exports | from the request until its response is sent | 503 |
//! | calls | from the first call to the core to the head of the response | waits, then 503 |
//! | streams | while a response that is made bit by bit is sent | 503 |
//! | response bytes | while a response that is complete in memory is sent | 503 |
//!
//! A share is smaller than the whole, so that one client cannot take everything. Files of the site are shared memory and
//! hold nothing while they are sent. Health checks are not limited at all. Slow clients lose what they hold: bodies
//! have a minimum rate in both directions ([`crate::transfer_rate`], [`crate::write_timeout`]).

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use http::{Extensions, HeaderMap};
use queue::{Busy, SharedLimit, SharedPermit};
use uuid::Uuid;

use crate::call_limit::CallLimit;
use crate::client_address::{ClientAddress, limit_key, network_key};
use crate::settings::{Limits, Shares};

/// Maximum declared size of a small body.
pub(crate) const MAX_SMALL_BODY_BYTES: u64 = 16 * 1024;
/// Time in which a body of the reserve must arrive.
pub(crate) const SMALL_BODY_TIMEOUT: Duration = Duration::from_secs(3);
/// Factor of the share of an IPv6 /48 network, which a client may have, in relation to that of an address.
const NETWORK_SHARE: usize = 2;

/// Client whose share a request is counted in. [`crate::load_shed`] adds it to the extensions of each request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Client {
    /// Address; `None` if it is not counted, as of this machine.
    address: Option<IpAddr>,
    /// Account of the verified token.
    pub account_id: Option<Uuid>,
}

impl Client {
    /// Returns the client of an address. Loopback addresses are not counted: a proxy on this machine that is not in the
    /// settings has one, and all its clients with it.
    pub fn from_address(address: Option<IpAddr>) -> Self {
        Self { address: address.filter(|address| !address.is_loopback()), account_id: None }
    }

    /// Returns the client that [`crate::load_shed`] added to the request.
    pub fn from_request(request: &Request) -> Self {
        request.extensions().get().copied().unwrap_or_default()
    }

    pub(crate) fn from_extensions(extensions: &Extensions) -> Self {
        let address: ClientAddress = extensions.get().copied().unwrap_or_default();
        Self::from_address(address.ip)
    }
}

/// Owner of a share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// IPv4 address or IPv6 /64 network.
    Address(IpAddr),
    /// IPv6 /48 network.
    Network(IpAddr),
    Account(Uuid),
}

/// Permit of a [`Limit`], given back when it is dropped.
#[derive(Debug)]
pub struct Permit {
    _permit: SharedPermit<Key>,
}

/// Extension of a response that holds a permit until it is sent.
#[derive(Clone, Debug)]
pub struct HeldPermit {
    _permit: Arc<Permit>,
}

impl From<Permit> for HeldPermit {
    fn from(permit: Permit) -> Self {
        Self { _permit: Arc::new(permit) }
    }
}

/// Limit of one resource.
#[derive(Clone, Debug)]
pub struct Limit {
    shares: Shares,
    used: SharedLimit<Key>,
}

impl Limit {
    /// Creates a limit with full capacity.
    pub fn new(shares: Shares) -> Self {
        Self { shares, used: SharedLimit::new(shares.total) }
    }

    /// Takes one unit for `client`.
    ///
    /// # Errors
    /// [`Busy`] if nothing is left, or the share of the address, network or account is used up.
    pub fn try_acquire(&self, client: Client) -> Result<Permit, Busy> {
        self.try_acquire_many(client, 1)
    }

    /// Takes `amount` units for `client`.
    ///
    /// # Errors
    /// As [`Self::try_acquire`].
    pub fn try_acquire_many(&self, client: Client, amount: usize) -> Result<Permit, Busy> {
        let mut shares = Vec::with_capacity(3);
        if let Some(address) = client.address {
            shares.push((Key::Address(limit_key(address)), self.shares.per_address));
            if address.is_ipv6() {
                shares.push((Key::Network(network_key(address)), self.shares.per_address * NETWORK_SHARE));
            }
        }
        shares.extend(client.account_id.map(|account_id| (Key::Account(account_id), self.shares.per_account)));
        Ok(Permit { _permit: self.used.try_acquire(amount, &shares)? })
    }

    /// Returns true if nothing is left for anyone.
    pub fn is_full(&self) -> bool {
        self.used.is_full()
    }
}

/// Returns the account of a request's token, if the token is valid.
pub type FindAccount = Arc<dyn Fn(&HeaderMap) -> Option<Uuid> + Send + Sync>;

/// Limits of all requests.
#[expect(missing_docs, reason = "explained by the table of the module and in the settings")]
pub struct Limiter {
    pub requests: Limit,
    pub bodies: Limit,
    pub small_bodies: Limit,
    pub uploads: Limit,
    pub applications: Limit,
    pub inspections: Limit,
    pub exports: Limit,
    pub calls: CallLimit,
    pub streams: Limit,
    pub response_kib: Limit,
    find_account: FindAccount,
}

impl Limiter {
    /// Creates the limits with full capacity.
    pub fn new(limits: &Limits, find_account: FindAccount) -> Self {
        Self {
            requests: Limit::new(limits.requests),
            bodies: Limit::new(limits.bodies),
            small_bodies: Limit::new(limits.small_bodies),
            uploads: Limit::new(limits.uploads),
            applications: Limit::new(limits.applications),
            inspections: Limit::new(limits.inspections),
            exports: Limit::new(limits.exports),
            calls: CallLimit::new(limits.calls),
            streams: Limit::new(limits.streams),
            response_kib: Limit::new(limits.response_kib),
            find_account,
        }
    }

    /// Returns the client of a request.
    pub(crate) fn find_client(&self, request: &Request) -> Client {
        let account_id = (self.find_account)(request.headers());
        Client { account_id, ..Client::from_extensions(request.extensions()) }
    }
}

impl fmt::Debug for Limiter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Limiter").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(address: &str) -> Client {
        Client::from_address(Some(address.parse().unwrap()))
    }

    #[test]
    fn s7_an_address_a_network_and_an_account_have_a_share() {
        let limit = Limit::new(Shares { total: 20, per_address: 2, per_account: 3 });
        let mut permits = Vec::new();
        let mut take = |client: Client| limit.try_acquire(client).map(|permit| permits.push(permit)).is_ok();
        assert!(take(client("203.0.113.9")) && take(client("203.0.113.9")) && !take(client("203.0.113.9")));
        assert!(take(client("203.0.113.10")));
        // Two /64 networks of a /48 get their share; the third gets nothing.
        assert!(take(client("2001:db8::1")) && take(client("2001:db8::2")) && !take(client("2001:db8::3")));
        assert!(take(client("2001:db8:0:1::1")) && take(client("2001:db8:0:1::2")));
        assert!(!take(client("2001:db8:0:2::1")) && take(client("2001:db8:1::1")));
        let account = |address: &str| Client { account_id: Some(Uuid::nil()), ..client(address) };
        assert!(["198.51.100.1", "198.51.100.2", "198.51.100.3"].map(account).into_iter().all(&mut take));
        assert!(!take(account("198.51.100.4")));
        assert!((0..9).all(|_| take(client("127.0.0.1"))) && limit.is_full() && !take(client("198.51.100.9")));
    }

    #[test]
    fn s7_every_default_share_is_smaller_than_the_whole() {
        let limits = Limits::default();
        for shares in [
            limits.connections,
            limits.requests,
            limits.bodies,
            limits.small_bodies,
            limits.uploads,
            limits.applications,
            limits.inspections,
            limits.exports,
            limits.calls,
            limits.streams,
            limits.response_kib,
        ] {
            assert!(shares.per_address * NETWORK_SHARE < shares.total, "{shares:?}");
            assert!(shares.per_account < shares.total, "{shares:?}");
        }
        assert!(limits.bodies.total + limits.small_bodies.total < limits.requests.total);
    }
}
