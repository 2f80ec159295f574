//! How often one may ask: so many requests of an address, or of an account once it is known who asks.
//!
//! A whole college, or a carrier, may share one address, so limits of addresses are generous. Pages and files are not
//! counted: they are in memory, and cost no more than the refusal would.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::{Extensions, Method};
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use uuid::Uuid;

use crate::Shared;
use crate::address::{Address, network};
use crate::form;
use crate::problem::Problem;

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// Addresses and accounts that one rule remembers. When it remembers as many that asked lately, one more is refused;
/// those that it knows go on as before.
const MOST_KEYS: usize = 100_000;
/// How often what is of no more use is forgotten: as a rule, and when there is no room.
const SWEEP_EVERY: Duration = MINUTE;
const SWEEP_FULL_EVERY: Duration = Duration::from_secs(1);

/// What is counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    LogIn,
    Register,
    Letter,
    Refresh,
    Cookie,
    Inspect,
    Report,
    Apply,
    /// What a candidate does with the own application, or with a key that opens none.
    Candidate,
    Other,
    /// A journal that somebody without an account begins.
    NewJournal,
    /// A journal that is there.
    Journal,
    Handoff,
    Read,
    Write,
    Replace,
    /// A look at what an import would do. Counted apart: the import follows it.
    Preview,
    Upload,
    /// A report that is compared with the log.
    Reconcile,
}

impl Rule {
    /// The rule for an operation; none for what is a page, a file, or nothing.
    fn of(method: &Method, extensions: &Extensions) -> Option<Self> {
        let route = extensions.get::<MatchedPath>()?.as_str();
        let route = route.strip_prefix("/api/v1").unwrap_or(route);
        let own = ["/trades", "/account", "/analytics/", "/uploadexcel"].iter().any(|base| route.starts_with(base));
        Some(match (method.as_str(), route) {
            ("POST", "/auth/login" | "/auth/google/link") | ("GET", "/auth/google/callback") => Self::LogIn,
            ("POST", "/auth/register") => Self::Register,
            ("POST", "/auth/forgot-password" | "/auth/reset-password" | "/auth/confirm-email") => Self::Letter,
            ("POST", "/auth/refresh") => Self::Refresh,
            // Whoever brings a hand-off is not known yet.
            ("POST", "/analytics/session") => Self::Other,
            ("POST", "/auth/handoff") => Self::Handoff,
            ("POST", "/uploadexcel/preview") => Self::Preview,
            ("POST", "/uploadexcel") => Self::Upload,
            ("POST", "/analytics/reconcile") => Self::Reconcile,
            ("POST", "/upload") => Self::Inspect,
            ("POST", "/trades/replace") => Self::Replace,
            ("POST", "/api/csp-report") => Self::Report,
            ("POST", "/api/apply/{jobid}") => Self::Apply,
            (_, route) if route.starts_with("/api/application") => Self::Candidate,
            // Who asks need not be a trader; what is counted beside the address is counted where that is known.
            (_, "/trades" | "/trades/intraday" | "/trades/equity") => Self::Other,
            ("GET" | "HEAD", _) if own => Self::Read,
            (_, _) if own => Self::Write,
            (_, _) => Self::Other,
        })
    }

    /// Whether it counts for the account that asks, and not for its address.
    fn of_account(self) -> bool {
        matches!(
            self,
            Self::Handoff | Self::Read | Self::Write | Self::Replace | Self::Preview | Self::Upload | Self::Reconcile
        )
    }

    /// So many in such a time, and so many at once.
    fn quota(self) -> (u32, Duration, u32) {
        match self {
            Self::LogIn | Self::Register | Self::Letter | Self::NewJournal | Self::Apply => (300, HOUR, 300),
            Self::Refresh => (600, MINUTE, 600),
            Self::Cookie => (30, MINUTE, 30),
            Self::Inspect | Self::Preview | Self::Upload | Self::Reconcile => (60, HOUR, 24),
            Self::Report | Self::Handoff | Self::Replace => (10, MINUTE, 10),
            Self::Other => (300, MINUTE, 300),
            Self::Journal => (60, MINUTE, 60),
            Self::Read => (120, MINUTE, 60),
            Self::Write | Self::Candidate => (120, MINUTE, 120),
        }
    }
}

const RULES: [Rule; 19] = [
    Rule::LogIn,
    Rule::Register,
    Rule::Letter,
    Rule::Refresh,
    Rule::Cookie,
    Rule::Inspect,
    Rule::Report,
    Rule::Apply,
    Rule::Candidate,
    Rule::Other,
    Rule::NewJournal,
    Rule::Journal,
    Rule::Handoff,
    Rule::Read,
    Rule::Write,
    Rule::Replace,
    Rule::Preview,
    Rule::Upload,
    Rule::Reconcile,
];

/// KiB that an account may upload in a day.
const UPLOADED: (u32, Duration, u32) = (500 * 1024, DAY, 500 * 1024);

/// Who is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Network(IpAddr),
    Account(Uuid),
    /// By the hash of what is to open something, whether or not it does.
    Shown([u8; 32]),
}

/// All limits.
#[derive(Debug)]
pub(crate) struct Rates {
    on: bool,
    /// Browsers reach this server by https, from anywhere: then a loopback peer is one like any other.
    public: bool,
    limiters: Vec<(Rule, Limiter)>,
    uploaded: Limiter,
}

impl Rates {
    pub fn new(on: bool, public: bool) -> Self {
        let limiters = RULES.map(|rule| (rule, Limiter::new(rule.quota()))).into();
        Self { on, public, limiters, uploaded: Limiter::new(UPLOADED) }
    }

    /// Counts an operation that an account asks for.
    pub fn account(&self, parts: &Parts, account_id: Uuid) -> Result<(), Problem> {
        let rule = Rule::of(&parts.method, &parts.extensions).filter(|rule| rule.of_account());
        let Some(rule) = rule.filter(|_| self.counts(Address::in_request(parts).client)) else { return Ok(()) };
        let key = Key::Account(account_id);
        self.take(rule, key)?;
        if matches!(rule, Rule::Preview | Rule::Upload | Rule::Replace | Rule::Reconcile) {
            let length = parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
            // What does not say how long it is counts as the longest.
            let bytes = length.unwrap_or(form::LARGEST_FORM).min(form::LARGEST_FORM);
            let kib = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
            self.uploaded.take(key, kib, MOST_KEYS).map_err(Problem::too_many)?;
        }
        Ok(())
    }

    /// Counts a renewal by its cookie, too: the address may be that of many.
    pub fn renewal(&self, parts: &Parts, refresh_token: &str) -> Result<(), Problem> {
        let key = Key::Shown(Sha256::digest(refresh_token).into());
        if self.counts(Address::in_request(parts).client) { self.take(Rule::Cookie, key) } else { Ok(()) }
    }

    /// Counts a request by somebody who says to be a trader and is not.
    pub fn stranger(&self, parts: &Parts) -> Result<(), Problem> {
        self.address(Rule::Other, Address::in_request(parts))
    }

    /// Counts a request for a journal: the one that `key` would open, or the account's.
    pub fn journal(&self, address: Address, key: &str, account_id: Option<Uuid>) -> Result<(), Problem> {
        let key = match account_id {
            _ if !key.is_empty() => Key::Shown(Sha256::digest(key).into()),
            Some(account_id) => Key::Account(account_id),
            None => return Ok(()),
        };
        if self.counts(address.client) { self.take(Rule::Journal, key) } else { Ok(()) }
    }

    /// Counts a journal that somebody without an account begins.
    pub fn new_journal(&self, address: Address) -> Result<(), Problem> {
        self.address(Rule::NewJournal, address)
    }

    fn address(&self, rule: Rule, address: Address) -> Result<(), Problem> {
        match address.client.filter(|_| self.counts(address.client)) {
            Some(client) => self.take(rule, Key::Network(network(client))),
            None => Ok(()),
        }
    }

    fn take(&self, rule: Rule, key: Key) -> Result<(), Problem> {
        let limiter = self.limiters.iter().find(|(of, _)| *of == rule).map(|(_, limiter)| limiter);
        let taken = limiter.map_or(Ok(()), |limiter| limiter.take(key, 1, MOST_KEYS));
        taken.map_err(|wait| {
            tracing::info!(?rule, "limit_reached");
            Problem::too_many(wait)
        })
    }

    /// On the machine itself nobody is counted, as long as the server is not for others.
    fn counts(&self, client: Option<IpAddr>) -> bool {
        self.on && (self.public || client.is_some_and(|client| !client.is_loopback()))
    }
}

/// Counts a request for its address, before anything of its body is read. What counts for an account is counted where
/// the account becomes known.
pub(crate) async fn limit(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let address = request.extensions().get().copied().unwrap_or_default();
    let rule = Rule::of(request.method(), request.extensions()).filter(|rule| !rule.of_account());
    match rule.map_or(Ok(()), |rule| app.rates.address(rule, address)) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// The generic cell rate algorithm: of each key, the time at which all of its quota will be there again.
#[derive(Debug)]
struct Limiter {
    /// What one costs.
    interval: Duration,
    /// What may be owed.
    most: Duration,
    keys: Mutex<Keys>,
}

#[derive(Debug)]
struct Keys {
    free_at: HashMap<Key, Instant>,
    swept_at: Instant,
}

impl Limiter {
    fn new((count, period, burst): (u32, Duration, u32)) -> Self {
        let interval = period / count;
        let keys = Keys { free_at: HashMap::new(), swept_at: Instant::now() };
        Self { interval, most: interval * burst, keys: Mutex::new(keys) }
    }

    /// Takes `count` for `key`, or says how long to wait for them.
    fn take(&self, key: Key, count: u32, most_keys: usize) -> Result<(), Duration> {
        let now = Instant::now();
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.sweep(now, most_keys);
        let known = keys.free_at.get(&key).copied();
        if known.is_none() && keys.free_at.len() >= most_keys {
            return Err(SWEEP_FULL_EVERY);
        }
        let free_at = known.map_or(now, |at| at.max(now)) + self.interval * count;
        let owed = free_at - now;
        if owed > self.most {
            return Err(owed - self.most);
        }
        keys.free_at.insert(key, free_at);
        Ok(())
    }
}

impl Keys {
    /// Forgets those that have all of their quota.
    fn sweep(&mut self, now: Instant, most_keys: usize) {
        let full = self.free_at.len() >= most_keys;
        if now - self.swept_at >= if full { SWEEP_FULL_EVERY } else { SWEEP_EVERY } {
            self.free_at.retain(|_, free_at| *free_at > now);
            self.swept_at = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn key(number: u128) -> Key {
        Key::Account(Uuid::from_u128(number))
    }

    #[tokio::test(start_paused = true)]
    async fn so_many_at_once_and_then_one_by_one() {
        let limiter = Limiter::new((60, HOUR, 24));
        for _ in 0..24 {
            limiter.take(key(1), 1, 9).unwrap();
        }
        assert_eq!(limiter.take(key(1), 1, 9), Err(MINUTE));
        limiter.take(key(2), 1, 9).unwrap();
        advance(MINUTE / 2).await;
        assert_eq!(limiter.take(key(1), 1, 9), Err(MINUTE / 2), "a refusal costs nothing");
        advance(MINUTE / 2).await;
        limiter.take(key(1), 1, 9).unwrap();
        assert_eq!(limiter.take(key(1), 1, 9), Err(MINUTE));
        advance(DAY).await;
        for _ in 0..24 {
            limiter.take(key(1), 1, 9).unwrap();
        }
        assert!(limiter.take(key(1), 1, 9).is_err(), "who waits longer has no more at once");
    }

    #[tokio::test(start_paused = true)]
    async fn when_it_remembers_as_many_as_it_may_a_new_one_waits_and_the_others_do_not() {
        let limiter = Limiter::new((10, MINUTE, 10));
        for number in 0..3 {
            limiter.take(key(number), 1, 3).unwrap();
        }
        assert!(limiter.take(key(3), 1, 3).is_err());
        limiter.take(key(0), 1, 3).unwrap();
        advance(Duration::from_secs(7)).await;
        limiter.take(key(3), 1, 3).unwrap();
        assert_eq!(limiter.keys.lock().unwrap().free_at.len(), 2, "those who asked once are forgotten");
    }
}
