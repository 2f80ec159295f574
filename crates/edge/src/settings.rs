//! What can be set about the edge. Every figure has a default that suits one server.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use http::Uri;

/// How the edge listens, answers and defends itself.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Where browsers reach this server, such as `https://tradebahi.example`. With https, cookies are `__Host-` and
    /// `Secure`. Plain http is taken for loopback addresses alone. Default: none, as on a first run.
    pub public_url: Option<Uri>,
    /// The built site. Default: none; then only the API answers.
    pub web_dir: Option<PathBuf>,
    /// Folder where a long body lies, without a name, while it is read. Default: the system's for such files.
    pub spool_dir: Option<PathBuf>,
    /// Proxies in front of this server, whose `X-Forwarded-For` is believed. Default: none.
    pub trusted_proxies: Vec<Network>,
    /// Whether `/metrics` answers to anybody. Default: to loopback peers alone.
    pub open_metrics: bool,
    /// The site that shows analytics; it is sent there with a token in the query. Default: `/analytics` of this one.
    pub analytics_url: Option<Uri>,
    /// Answers as often as it is asked: for tests of what many requests do. Default: limits hold.
    pub no_rates: bool,
    /// How much at once.
    pub limits: Limits,
    /// How long.
    pub times: Times,
}

/// How much the edge takes at once. What exceeds it is refused, not queued.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Requests being answered. Default: 256.
    pub in_flight: usize,
    /// Uploads among them. Default: 32.
    pub uploads: usize,
    /// Requests with a token that use the core, among them; the others wait for it, a second at most. Default: 24.
    pub calling: usize,
    /// Requests among them whose body has not arrived. Default: 128.
    pub arriving: usize,
    /// Those of one address (IPv6: of one /64); loopback is not counted. Default: 32.
    pub arriving_per_address: usize,
    /// Open connections. Default: 2,000.
    pub connections: usize,
    /// Open connections of one address (IPv6: of one /64); loopback and trusted proxies are not counted.
    /// Default: 256.
    pub connections_per_address: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            in_flight: 256,
            uploads: 32,
            calling: 24,
            arriving: 128,
            arriving_per_address: 32,
            connections: 2000,
            connections_per_address: 256,
        }
    }
}

/// How long the edge waits for a request, for the core and for the client. Each hop is shorter than the one around it.
#[derive(Clone, Debug)]
pub struct Times {
    /// The head of a request. Default: 5 s.
    pub head: Duration,
    /// A silence within a body. Default: 5 s.
    pub body_idle: Duration,
    /// A whole body. Default: 10 s.
    pub body: Duration,
    /// The core's answer, retries included. Default: 8 s.
    pub core: Duration,
    /// The edge's answer, counted from the end of the body. Default: 10 s.
    pub answer: Duration,
    /// A silence within an upload. Default: 10 s.
    pub upload_idle: Duration,
    /// A whole upload. Default: 10 min.
    pub upload: Duration,
    /// The core's answer to an upload, counted from its end. Default: 50 s.
    pub core_upload: Duration,
    /// The edge's answer to an upload, counted from its end. Default: 60 s.
    pub answer_upload: Duration,
    /// The core's word on its health. Default: 1 s.
    pub health: Duration,
    /// A client that does not take what is written to it, or nothing of an answer. Longer than `core`. Default: 20 s.
    pub write_stall: Duration,
    /// A connection, after which it takes no further request. Default: 300 s.
    pub connection: Duration,
    /// Between saying "not ready" and taking no more connections. Default: 250 ms.
    pub notice: Duration,
    /// For requests under way when the server stops. Default: 20 s.
    pub drain: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(5),
            body_idle: Duration::from_secs(5),
            body: Duration::from_secs(10),
            core: Duration::from_secs(8),
            answer: Duration::from_secs(10),
            upload_idle: Duration::from_secs(10),
            upload: Duration::from_mins(10),
            core_upload: Duration::from_secs(50),
            answer_upload: Duration::from_mins(1),
            health: Duration::from_secs(1),
            write_stall: Duration::from_secs(20),
            connection: Duration::from_mins(5),
            notice: Duration::from_millis(250),
            drain: Duration::from_secs(20),
        }
    }
}

/// Why the edge cannot be put together.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Neither `http://…` nor `https://…`, or with a path.
    #[error("public URL {0} is not of the form https://host")]
    PublicUrl(Uri),
    /// Sign-ins would travel in the clear.
    #[error("public URL {0} is plain http on an address that is not loopback")]
    PlainHttp(Uri),
    /// Not an address, or tokens would travel to it in the clear.
    #[error("analytics URL {0} is not of the form https://host/path")]
    AnalyticsUrl(Uri),
    /// The built site cannot be read.
    #[error("the site in {} cannot be read", .0.display())]
    Site(PathBuf, #[source] std::io::Error),
    /// The built site would fill the memory.
    #[error("the site in {} is too large to be held in memory", .0.display())]
    SiteTooLarge(PathBuf),
}

/// The public address, once checked.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// As a browser sends it: lower case, without a default port.
    pub text: String,
    /// Whether it is https.
    pub secure: bool,
}

impl Settings {
    pub(crate) fn origin(&self) -> Result<Option<Origin>, Error> {
        let Some(url) = &self.public_url else { return Ok(None) };
        let refused = || Error::PublicUrl(url.clone());
        let host = url.host().ok_or_else(refused)?.to_ascii_lowercase();
        if !matches!(url.path(), "" | "/") || url.query().is_some() {
            return Err(refused());
        }
        let (secure, default_port) = match url.scheme_str() {
            Some("https") => (true, 443),
            Some("http") => (false, 80),
            Some(_) | None => return Err(refused()),
        };
        if !secure && !is_loopback(&host) {
            return Err(Error::PlainHttp(url.clone()));
        }
        let scheme = if secure { "https" } else { "http" };
        let text = match url.port_u16().filter(|port| *port != default_port) {
            Some(port) => format!("{scheme}://{host}:{port}"),
            None => format!("{scheme}://{host}"),
        };
        Ok(Some(Origin { text, secure }))
    }
}

impl Settings {
    /// Refuses an address of the analytics site that a token must not be sent to.
    pub(crate) fn check_analytics(&self) -> Result<(), Error> {
        let Some(url) = &self.analytics_url else { return Ok(()) };
        match (url.scheme_str(), url.host()) {
            (Some("https"), Some(_)) => Ok(()),
            (Some("http"), Some(host)) if is_loopback(&host.to_ascii_lowercase()) => Ok(()),
            (_, _) => Err(Error::AnalyticsUrl(url.clone())),
        }
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A range of addresses, such as `10.0.0.0/8`, or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u32,
}

impl Network {
    /// Whether `address` lies within.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let mask = u32::MAX.checked_shl(32 - self.prefix).unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - self.prefix).unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// The text is no [`Network`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an address or a range such as 10.0.0.0/8")]
pub struct NotANetwork;

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse().map_err(|_| NotANetwork)?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NotANetwork)?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.unwrap_or(longest);
        if prefix > longest {
            return Err(NotANetwork);
        }
        Ok(Self { address, prefix })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hop_is_shorter_than_the_one_around_it() {
        let times = Times::default();
        // A browser waits 15 s and 75 s from the end of the body.
        assert!(times.core < times.answer && times.answer < Duration::from_secs(15));
        assert!(times.core_upload + times.core <= times.answer_upload);
        assert!(times.answer_upload < Duration::from_secs(75));
        assert!(times.body_idle < times.body && times.upload_idle < times.upload);
        assert!(times.notice < times.drain && times.health < times.core);
        assert!(times.core < times.write_stall);
    }

    #[test]
    fn networks_hold_what_they_say() {
        let check =
            |network: &str, address: &str| network.parse::<Network>().unwrap().contains(address.parse().unwrap());
        assert!(check("10.0.0.0/8", "10.200.3.4"));
        assert!(check("10.0.0.0/8", "::ffff:10.1.2.3"));
        assert!(!check("10.0.0.0/8", "11.0.0.1"));
        assert!(check("127.0.0.1", "127.0.0.1"));
        assert!(!check("127.0.0.1", "127.0.0.2"));
        assert!(check("0.0.0.0/0", "203.0.113.9"));
        assert!(check("2001:db8::/32", "2001:db8:1::9"));
        assert!(!check("::/0", "203.0.113.9"));
        for bad in ["", "10.0.0.0/33", "10.0.0/8", "a/8", "::1/129", "10.0.0.0/-1"] {
            assert_eq!(bad.parse::<Network>(), Err(NotANetwork), "{bad}");
        }
    }

    #[test]
    fn the_public_address_is_checked_and_written_as_browsers_do() {
        let origin = |url: &'static str| {
            Settings { public_url: Some(Uri::from_static(url)), ..Settings::default() }
                .origin()
                .map(|origin| origin.map(|origin| (origin.text, origin.secure)))
        };
        assert_eq!(origin("https://TradeBahi.example:443/").unwrap(), Some(("https://tradebahi.example".into(), true)));
        assert_eq!(origin("http://127.0.0.1:8080").unwrap(), Some(("http://127.0.0.1:8080".into(), false)));
        assert_eq!(origin("http://[::1]:8080").unwrap(), Some(("http://[::1]:8080".into(), false)));
        assert!(matches!(origin("http://tradebahi.example"), Err(Error::PlainHttp(_))));
        assert!(matches!(origin("https://tradebahi.example/app"), Err(Error::PublicUrl(_))));
        assert!(matches!(origin("/app"), Err(Error::PublicUrl(_))));
        assert!(matches!(origin("ftp://tradebahi.example"), Err(Error::PublicUrl(_))));
    }

    #[test]
    fn tokens_are_sent_to_an_analytics_site_with_https_or_on_this_machine() {
        for (url, fine) in [
            ("https://charts.example/in", true),
            ("http://127.0.0.1:3000/analytics", true),
            ("http://charts.example", false),
            ("/analytics", false),
            ("ftp://charts.example", false),
        ] {
            let settings = Settings { analytics_url: Some(Uri::from_static(url)), ..Settings::default() };
            assert_eq!(settings.check_analytics().is_ok(), fine, "{url}");
        }
    }
}
