//! Limits and timeouts of the HTTP server. The defaults suit one server.

use std::time::Duration;

use crate::network::Network;

/// Settings of [`crate::serve::serve`].
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Proxies whose `X-Forwarded-For` is trusted; their connections are not limited per address.
    pub trusted_proxies: Vec<Network>,
    /// Concurrency limits.
    pub limits: Limits,
    /// Timeouts.
    pub timeouts: Timeouts,
}

/// Capacity of a limit and the shares of it.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// Capacity for all clients together.
    pub total: usize,
    /// Share of an IPv4 address or an IPv6 /64 network; a /48 network has twice as much. Loopback addresses are not
    /// counted.
    pub per_address: usize,
    /// Share of an account, whatever its addresses.
    pub per_account: usize,
}

impl Shares {
    const fn new(total: usize, per_address: usize, per_account: usize) -> Self {
        Self { total, per_address, per_account }
    }
}

/// Concurrency limits; [`crate::limiter`] explains them. Requests above a limit are rejected, not queued, unless stated
/// otherwise. The defaults are for all clients, an address and an account.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Open connections; those of trusted proxies are not counted per address. Default: 2,000; 256; they have no account.
    pub connections: Shares,
    /// Requests without a response yet. Default: 256; 64; 32.
    pub requests: Shares,
    /// Requests whose body has not arrived, among them. Default: 128; 16; 16.
    pub bodies: Shares,
    /// Further ones with a small body, which must arrive within 3 s. Default: 32; 4; 4.
    pub small_bodies: Shares,
    /// Uploads among the requests. Default: 32; 8; 4.
    pub uploads: Shares,
    /// Applications among the uploads. Default: 16; 4; 4, as a logged-in trader may apply too.
    pub applications: Shares,
    /// Inspections of files, which need no account, among the uploads. Default: 5; 2; 2.
    pub inspections: Shares,
    /// Requests with a token that call other services; others wait up to one second. Default: 24; not counted; 8.
    pub calls: Shares,
    /// Exports: files made of all or many trades. Default: 64; 16; 2.
    pub exports: Shares,
    /// Responses that are made while they are sent. Default: 128; 32; 8.
    pub streams: Shares,
    /// KiB of responses in memory that are being sent. Default: 64 MiB; 16 MiB; 8 MiB.
    pub response_kib: Shares,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: Shares::new(2_000, 256, 0),
            requests: Shares::new(256, 64, 32),
            bodies: Shares::new(128, 16, 16),
            small_bodies: Shares::new(32, 4, 4),
            uploads: Shares::new(32, 8, 4),
            applications: Shares::new(16, 4, 4),
            inspections: Shares::new(5, 2, 2),
            calls: Shares::new(24, 0, 8),
            exports: Shares::new(64, 16, 2),
            streams: Shares::new(128, 32, 8),
            response_kib: Shares::new(64 * 1024, 16 * 1024, 8 * 1024),
        }
    }
}

/// Timeouts of connections, requests and responses.
#[derive(Clone, Debug)]
pub struct Timeouts {
    /// Time to receive the head of a request. Default: 5 s.
    pub header_read: Duration,
    /// Pause between two frames of a body. Default: 5 s.
    pub body_idle: Duration,
    /// Time to receive a whole body. Default: 10 s.
    pub body: Duration,
    /// Time to respond, counted from the end of the body. Default: 10 s.
    pub response: Duration,
    /// Pause between two frames of an upload. Default: 10 s.
    pub upload_idle: Duration,
    /// Time to receive a whole upload. Default: 10 min.
    pub upload: Duration,
    /// Time to respond to an upload, counted from its end. Default: 60 s.
    pub upload_response: Duration,
    /// Time in which a client must read at least one chunk of what is written to it. Default: 20 s.
    pub write: Duration,
    /// Age of a connection after which it takes no further request. Default: 300 s.
    pub connection_age: Duration,
    /// Time between reporting "not ready" and accepting no more connections. Default: 250 ms.
    pub shutdown_notice: Duration,
    /// Time for requests in flight when the server stops. Default: 20 s.
    pub shutdown_drain: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            header_read: Duration::from_secs(5),
            body_idle: Duration::from_secs(5),
            body: Duration::from_secs(10),
            response: Duration::from_secs(10),
            upload_idle: Duration::from_secs(10),
            upload: Duration::from_mins(10),
            upload_response: Duration::from_mins(1),
            write: Duration::from_secs(20),
            connection_age: Duration::from_mins(5),
            shutdown_notice: Duration::from_millis(250),
            shutdown_drain: Duration::from_secs(20),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_shorter_than_those_around_it() {
        let timeouts = Timeouts::default();
        // The web app waits 15 s and 75 s from the end of the body.
        assert!(timeouts.response < Duration::from_secs(15));
        assert!(timeouts.upload_response < Duration::from_secs(75));
        assert!(timeouts.body_idle < timeouts.body && timeouts.upload_idle < timeouts.upload);
        assert!(timeouts.shutdown_notice < timeouts.shutdown_drain);
    }
}
