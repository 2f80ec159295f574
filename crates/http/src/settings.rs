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

/// Concurrency limits. Requests above a limit are rejected, not queued, unless stated otherwise.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Requests in flight. Default: 256.
    pub requests_in_flight: usize,
    /// Uploads among them. Default: 32.
    pub uploads: usize,
    /// Requests with a token that call other services, among them; others wait up to one second. Default: 24.
    pub concurrent_calls: usize,
    /// Requests whose body has not arrived, among them. Default: 128.
    pub pending_bodies: usize,
    /// Requests of one address (IPv6: /64) whose body has not arrived; loopback is not counted. Default: 32.
    pub pending_bodies_per_address: usize,
    /// Open connections. Default: 2,000.
    pub connections: usize,
    /// Open connections of one address (IPv6: /64); loopback and trusted proxies are not counted. Default: 256.
    pub connections_per_address: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests_in_flight: 256,
            uploads: 32,
            concurrent_calls: 24,
            pending_bodies: 128,
            pending_bodies_per_address: 32,
            connections: 2000,
            connections_per_address: 256,
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
