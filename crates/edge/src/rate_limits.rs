//! Rate limits of the operations, per address, account or key.
//!
//! A college or a mobile carrier may share one address, so limits per address are generous. Pages and files are not
//! counted: they are in memory, and cost no more than a rejection.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::HttpBody as _;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::{Extensions, HeaderMap, Method, StatusCode};
use http_server::client_address::{ClientAddress, limit_key, network_key};
use http_server::problem::Problem;
use http_server::rate_limit::{Quota, RateLimiter};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::error_texts::problem;
use crate::limits::{MAX_APPLICATION_FORM_BYTES, MAX_SCREENSHOT_FORM_BYTES, MAX_UPLOAD_FORM_BYTES};

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// Operations that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    LogIn,
    Register,
    /// Requests that send an email or use a link of one.
    Email,
    Refresh,
    /// Refreshes with the same cookie.
    Cookie,
    /// File inspections without an account.
    Inspect,
    /// Policy violations reported by browsers.
    Report,
    Apply,
    /// Requests of a candidate about the own application, or with an invalid key.
    Candidate,
    Other,
    /// New journals of visitors without an account.
    NewJournal,
    /// Requests to an existing journal.
    Journal,
    Handoff,
    Read,
    Write,
    Replace,
    /// Previews of imports; counted apart, because the import follows.
    Preview,
    Upload,
    /// Readings of a table while the trader names its columns, of layouts, and of ledgers, each to review and to import it.
    MapColumns,
    /// Reports that are compared with the trade log.
    Reconcile,
    /// Uploads of screenshots.
    AddScreenshot,
    /// Uses of the same tax link, and of all links of an account.
    TaxLink,
    /// Downloads by all tax links of an account.
    TaxLinkExport,
    /// Downloads of screenshots and their thumbnails, of which a page shows many.
    ShowScreenshot,
}

impl Rule {
    /// Returns the rule of an operation; `None` for pages, files and unknown paths.
    fn from_request(method: &Method, extensions: &Extensions) -> Option<Self> {
        let route = extensions.get::<MatchedPath>()?.as_str();
        let route = route.strip_prefix("/api/v1").unwrap_or(route);
        let needs_account = ["/trades", "/account", "/analytics/", "/journal/", "/uploadexcel"]
            .iter()
            .any(|base| route.starts_with(base));
        Some(match (method.as_str(), route) {
            (
                "POST",
                "/auth/login" | "/auth/login/second-factor" | "/auth/login/passkey-options" | "/auth/google/link",
            )
            | ("GET", "/auth/google/callback") => Self::LogIn,
            ("POST", "/auth/register" | "/auth/google/register") => Self::Register,
            ("POST", "/auth/forgot-password" | "/auth/reset-password" | "/auth/confirm-email")
            | ("PUT", "/api/application/email")
            | ("POST", "/api/application/link" | "/api/application/links") => Self::Email,
            ("POST", "/auth/refresh") => Self::Refresh,
            // The token of a hand-off or of a tax link does not tell its account before the core has verified it.
            ("POST", "/analytics/session" | "/analytics/tax/shared" | "/analytics/tax/shared/export") => Self::Other,
            ("POST", "/auth/handoff") => Self::Handoff,
            ("POST", "/uploadexcel/preview") => Self::Preview,
            ("POST", "/uploadexcel/columns" | "/uploadexcel/layout" | "/uploadexcel/ledger") => Self::MapColumns,
            ("POST", "/uploadexcel") => Self::Upload,
            ("POST", "/analytics/reconcile") => Self::Reconcile,
            ("POST", "/journal/screenshots") => Self::AddScreenshot,
            ("GET" | "HEAD", "/journal/screenshots/{id}") => Self::ShowScreenshot,
            ("POST", "/upload") => Self::Inspect,
            ("POST", "/trades/replace") => Self::Replace,
            ("POST", "/api/csp-report") => Self::Report,
            ("POST", "/api/apply/{jobid}") => Self::Apply,
            (_, route) if route.starts_with("/api/application") => Self::Candidate,
            // Visitors without an account are counted by their journal key, too, once it is known.
            (_, "/trades" | "/trades/intraday" | "/trades/equity") => Self::Other,
            ("GET" | "HEAD", _) if needs_account => Self::Read,
            (_, _) if needs_account => Self::Write,
            (_, _) => Self::Other,
        })
    }

    /// Returns true if requests are counted by account; otherwise they are counted by address.
    fn is_by_account(self) -> bool {
        matches!(
            self,
            Self::Handoff
                | Self::Read
                | Self::Write
                | Self::Replace
                | Self::Preview
                | Self::Upload
                | Self::MapColumns
                | Self::Reconcile
                | Self::AddScreenshot
                | Self::ShowScreenshot
        )
    }

    fn quota(self) -> Quota {
        let (units, period, burst) = match self {
            Self::LogIn | Self::Register | Self::Email | Self::NewJournal | Self::Apply => (300, HOUR, 300),
            Self::Refresh => (600, MINUTE, 600),
            Self::Cookie | Self::TaxLink => (30, MINUTE, 30),
            Self::Inspect | Self::Reconcile => (60, HOUR, 24),
            // Contract notes of a year, each with shares and contracts.
            Self::Preview | Self::Upload => (800, HOUR, 800),
            Self::MapColumns | Self::AddScreenshot => (240, HOUR, 60),
            Self::ShowScreenshot => (600, MINUTE, 300),
            Self::Report | Self::Handoff | Self::Replace | Self::TaxLinkExport => (10, MINUTE, 10),
            Self::Other => (300, MINUTE, 300),
            Self::Journal => (60, MINUTE, 60),
            Self::Read => (120, MINUTE, 60),
            Self::Write | Self::Candidate => (120, MINUTE, 120),
        };
        Quota { units, period, burst }
    }
}

const RULES: [Rule; 24] = [
    Rule::LogIn,
    Rule::Register,
    Rule::Email,
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
    Rule::MapColumns,
    Rule::Reconcile,
    Rule::AddScreenshot,
    Rule::ShowScreenshot,
    Rule::TaxLink,
    Rule::TaxLinkExport,
];

/// KiB that an account may upload per day.
const MAX_UPLOADED_KIB: Quota = Quota { units: 500 * 1024, period: DAY, burst: 500 * 1024 };

/// KiB of applications that a network may send at any time, even if others have used up [`MAX_COMMON_APPLICATION_KIB`].
const MAX_RESERVED_APPLICATION_KIB: Quota = daily_mib(8);
/// KiB of applications that a network may send beyond its reserve. A college may be one network.
///
/// A full quota and a day's refill are twice this: a quarter of the bytes that the core accepts per day.
const MAX_APPLICATION_KIB: Quota = daily_mib(256);
/// KiB of applications that all networks together may send beyond their reserves. With a day's refill, it leaves a
/// quarter of the bytes that the core accepts per day to the reserves.
const MAX_COMMON_APPLICATION_KIB: Quota = daily_mib(768);

/// Returns a quota in KiB per day that may be used at once.
const fn daily_mib(mib: u32) -> Quota {
    Quota { units: mib * 1024, period: DAY, burst: mib * 1024 }
}

/// Key that requests are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Address(IpAddr),
    Account(Uuid),
    /// SHA-256 of a secret, valid or not.
    Secret([u8; 32]),
}

impl Key {
    fn from_secret(secret: &str) -> Self {
        Self::Secret(Sha256::digest(secret).into())
    }
}

/// Rate limiters of all rules.
#[derive(Debug)]
pub(crate) struct RateLimits {
    is_enabled: bool,
    /// Browsers reach this server from anywhere by HTTPS, so that loopback clients are counted like others.
    is_public: bool,
    limiters: Vec<(Rule, RateLimiter<Key>)>,
    uploaded_kib: RateLimiter<Key>,
    applications: ApplicationBytes,
}

/// Limits of the bytes of applications, so that one network cannot use up the bytes that the core accepts per day.
#[derive(Debug)]
struct ApplicationBytes {
    reserved_kib: RateLimiter<Key>,
    network_kib: RateLimiter<Key>,
    common_kib: RateLimiter<()>,
}

impl ApplicationBytes {
    fn new() -> Self {
        Self {
            reserved_kib: RateLimiter::new(MAX_RESERVED_APPLICATION_KIB),
            network_kib: RateLimiter::new(MAX_APPLICATION_KIB),
            common_kib: RateLimiter::new(MAX_COMMON_APPLICATION_KIB),
        }
    }

    fn take(&self, network: IpAddr, kib: u32) -> Result<(), Problem> {
        let key = Key::Address(network);
        if self.reserved_kib.take(key, kib).is_ok() {
            return Ok(());
        }
        // The network comes first: attempts above its limit must not use up what all networks share.
        self.network_kib.take(key, kib).map_err(|wait| {
            tracing::info!(limit = "network_application_bytes", "limit_reached");
            problem(StatusCode::TOO_MANY_REQUESTS, "edge", "network_limit_reached").with_retry_after(wait)
        })?;
        self.common_kib.take((), kib).map_err(|wait| {
            tracing::info!(limit = "application_bytes", "limit_reached");
            problem(StatusCode::SERVICE_UNAVAILABLE, "careers", "daily_limit_reached").with_retry_after(wait)
        })
    }
}

impl RateLimits {
    pub fn new(is_enabled: bool, is_public: bool) -> Self {
        let limiters = RULES.map(|rule| (rule, RateLimiter::new(rule.quota()))).into();
        let (uploaded_kib, applications) = (RateLimiter::new(MAX_UPLOADED_KIB), ApplicationBytes::new());
        Self { is_enabled, is_public, limiters, uploaded_kib, applications }
    }

    /// Counts a request of an account, and the size of its upload.
    pub fn count_account(&self, parts: &Parts, account_id: Uuid) -> Result<(), Problem> {
        let rule = Rule::from_request(&parts.method, &parts.extensions).filter(|rule| rule.is_by_account());
        let Some(rule) = rule.filter(|_| self.is_counted(ClientAddress::from_parts(parts).ip)) else { return Ok(()) };
        let key = Key::Account(account_id);
        self.take(rule, key)?;
        let max_form_bytes = match rule {
            Rule::Preview | Rule::Upload | Rule::MapColumns | Rule::Replace | Rule::Reconcile => {
                Some(MAX_UPLOAD_FORM_BYTES)
            }
            Rule::AddScreenshot => Some(MAX_SCREENSHOT_FORM_BYTES),
            _ => None,
        };
        if let Some(max_form_bytes) = max_form_bytes {
            let kib = body_kib(content_length(&parts.headers), max_form_bytes);
            self.uploaded_kib.take(key, kib).map_err(Problem::too_many_requests)?;
        }
        Ok(())
    }

    /// Counts a refresh by its cookie, in addition to the address, which many clients may share.
    pub fn count_refresh(&self, parts: &Parts, refresh_token: &str) -> Result<(), Problem> {
        if self.is_counted(ClientAddress::from_parts(parts).ip) {
            self.take(Rule::Cookie, Key::from_secret(refresh_token))
        } else {
            Ok(())
        }
    }

    /// Counts a request with an invalid access token.
    pub fn count_unauthenticated(&self, parts: &Parts) -> Result<(), Problem> {
        self.count_address(Rule::Other, ClientAddress::from_parts(parts))
    }

    /// Counts a request to a journal, by its key or by the account.
    pub fn count_journal(&self, address: ClientAddress, key: &str, account_id: Option<Uuid>) -> Result<(), Problem> {
        let key = match account_id {
            _ if !key.is_empty() => Key::from_secret(key),
            Some(account_id) => Key::Account(account_id),
            None => return Ok(()),
        };
        if self.is_counted(address.ip) { self.take(Rule::Journal, key) } else { Ok(()) }
    }

    /// Counts a use of a tax link, valid or not.
    pub fn count_tax_link(&self, parts: &Parts, token: &str) -> Result<(), Problem> {
        if self.is_counted(ClientAddress::from_parts(parts).ip) {
            self.take(Rule::TaxLink, Key::from_secret(token))
        } else {
            Ok(())
        }
    }

    /// Counts a use of any tax link of an account, so that its links together cannot slow the account.
    pub fn count_tax_links(&self, parts: &Parts, account_id: Uuid, is_export: bool) -> Result<(), Problem> {
        if !self.is_counted(ClientAddress::from_parts(parts).ip) {
            return Ok(());
        }
        self.take(if is_export { Rule::TaxLinkExport } else { Rule::TaxLink }, Key::Account(account_id))
    }

    /// Counts a new journal of a visitor without an account.
    pub fn count_new_journal(&self, address: ClientAddress) -> Result<(), Problem> {
        self.count_address(Rule::NewJournal, address)
    }

    fn count_address(&self, rule: Rule, address: ClientAddress) -> Result<(), Problem> {
        match address.ip.filter(|_| self.is_counted(address.ip)) {
            Some(ip) => self.take(rule, Key::Address(limit_key(ip))),
            None => Ok(()),
        }
    }

    /// Counts the size of an application by the network of the client.
    fn count_application(&self, address: ClientAddress, request: &Request) -> Result<(), Problem> {
        let Some(ip) = address.ip.filter(|_| self.is_counted(address.ip)) else { return Ok(()) };
        let length = content_length(request.headers()).or_else(|| request.body().size_hint().exact());
        self.applications.take(network_key(ip), body_kib(length, MAX_APPLICATION_FORM_BYTES))
    }

    fn take(&self, rule: Rule, key: Key) -> Result<(), Problem> {
        let limiter = self.limiters.iter().find(|(limited, _)| *limited == rule).map(|(_, limiter)| limiter);
        limiter.map_or(Ok(()), |limiter| limiter.take(key, 1)).map_err(|wait| {
            tracing::info!(?rule, "limit_reached");
            Problem::too_many_requests(wait)
        })
    }

    /// Returns false for local clients of a server that is not public.
    fn is_counted(&self, ip: Option<IpAddr>) -> bool {
        self.is_enabled && (self.is_public || ip.is_some_and(|ip| !ip.is_loopback()))
    }
}

/// Returns the size of a body in KiB, at most `max_bytes`. A body without a length counts as the longest.
fn body_kib(length: Option<u64>, max_bytes: usize) -> u32 {
    let max_bytes = u64::try_from(max_bytes).unwrap_or(u64::MAX);
    u32::try_from(length.unwrap_or(max_bytes).min(max_bytes).div_ceil(1024)).unwrap_or(u32::MAX)
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok())
}

/// Middleware that counts a request by its address, before its body is read. Requests that are counted by account are
/// counted when the account is known.
pub(crate) async fn limit_rate(State(limits): State<Arc<RateLimits>>, request: Request, next: Next) -> Response {
    let address = request.extensions().get().copied().unwrap_or_default();
    let rule = Rule::from_request(request.method(), request.extensions()).filter(|rule| !rule.is_by_account());
    let counted = rule.map_or(Ok(()), |rule| limits.count_address(rule, address)).and_then(|()| match rule {
        Some(Rule::Apply) => limits.count_application(address, &request),
        Some(_) | None => Ok(()),
    });
    match counted {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}
