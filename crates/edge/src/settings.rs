//! Settings of the edge. The defaults suit one server.

use std::path::PathBuf;
use std::time::Duration;

use http_server::network::Network;
use http_server::settings::{Limits, Timeouts};
use url::{Host, Url};

/// Settings of the edge.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Public URL of this server, such as `https://tradebahi.example`. With https, cookies are `__Host-` and `Secure`;
    /// http is accepted for loopback addresses only. Default: none, as on a first run.
    pub public_url: Option<Url>,
    /// Folder of the built site. Default: none; then there is only the API.
    pub web_dir: Option<PathBuf>,
    /// Folder for temporary files with long bodies and workbooks. Default: that of the system.
    pub spool_dir: Option<PathBuf>,
    /// Proxies in front of this server whose `X-Forwarded-For` is trusted. Default: none.
    pub trusted_proxies: Vec<Network>,
    /// Allows everybody to read `/metrics`. Default: local processes only.
    pub open_metrics: bool,
    /// URL of the analytics site, to which traders are sent with a token in the query. Default: `/analytics` of this site.
    pub analytics_url: Option<Url>,
    /// Disables the rate limits, for load tests. Default: enabled.
    pub no_rate_limits: bool,
    /// Concurrency limits of the HTTP server.
    pub limits: Limits,
    /// Timeouts of the HTTP server.
    pub timeouts: Timeouts,
    /// Timeouts of calls to the core.
    pub core_timeouts: CoreTimeouts,
}

/// Timeouts of calls to the core. Each is shorter than the HTTP timeout around it.
#[derive(Clone, Debug)]
pub struct CoreTimeouts {
    /// Time to respond to a call, retries included. Default: 8 s.
    pub call: Duration,
    /// Time to respond to an upload, counted from its end. Default: 50 s.
    pub upload: Duration,
    /// Time to respond to a health check. Default: 1 s.
    pub health_check: Duration,
}

impl Default for CoreTimeouts {
    fn default() -> Self {
        Self { call: Duration::from_secs(8), upload: Duration::from_secs(50), health_check: Duration::from_secs(1) }
    }
}

/// Error of the settings or of the site.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The public URL is neither `http://…` nor `https://…`, or has a path.
    #[error("public URL {0} is not of the form https://host")]
    PublicUrl(Url),
    /// The public URL would send logins unencrypted.
    #[error("public URL {0} is plain http on an address that is not loopback")]
    PlainHttp(Url),
    /// The analytics URL is invalid, or would send tokens unencrypted.
    #[error("analytics URL {0} is not of the form https://host/path")]
    AnalyticsUrl(Url),
    /// The built site cannot be read.
    #[error("the site in {} cannot be read", .0.display())]
    Site(PathBuf, #[source] std::io::Error),
    /// The built site is too large to be held in memory.
    #[error("the site in {} is too large to be held in memory", .0.display())]
    SiteTooLarge(PathBuf),
}

/// Public origin of the server.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// Origin as a browser sends it: lower case, without a default port.
    pub text: String,
    /// The scheme is https.
    pub secure: bool,
}

impl Settings {
    /// Returns the public origin, if it is set.
    pub(crate) fn origin(&self) -> Result<Option<Origin>, Error> {
        let Some(url) = &self.public_url else { return Ok(None) };
        let text = url.origin().ascii_serialization();
        let secure = url.scheme() == "https";
        // Anything beyond the origin, such as a path or a password, would be ignored.
        if !matches!(url.scheme(), "http" | "https") || url.as_str() != format!("{text}/") {
            return Err(Error::PublicUrl(url.clone()));
        }
        if !secure && !is_loopback(url) {
            return Err(Error::PlainHttp(url.clone()));
        }
        Ok(Some(Origin { text, secure }))
    }

    /// Rejects an analytics URL to which a token must not be sent.
    pub(crate) fn check_analytics_url(&self) -> Result<(), Error> {
        let Some(url) = &self.analytics_url else { return Ok(()) };
        match url.scheme() {
            "https" => Ok(()),
            "http" if is_loopback(url) => Ok(()),
            _ => Err(Error::AnalyticsUrl(url.clone())),
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_shorter_than_those_around_it() {
        let (http, core) = (Timeouts::default(), CoreTimeouts::default());
        assert!(core.call < http.response);
        assert!(core.upload + core.call <= http.upload_response);
        assert!(core.health_check < core.call);
        assert!(core.call < http.write);
    }

    #[test]
    fn the_public_origin_is_validated_and_normalized() {
        let origin = |url: &str| {
            Settings { public_url: Some(url.parse().unwrap()), ..Settings::default() }
                .origin()
                .map(|origin| origin.map(|origin| (origin.text, origin.secure)))
        };
        assert_eq!(origin("https://TradeBahi.example:443/").unwrap(), Some(("https://tradebahi.example".into(), true)));
        assert_eq!(origin("http://127.0.0.1:8080").unwrap(), Some(("http://127.0.0.1:8080".into(), false)));
        assert_eq!(origin("http://[::1]:8080").unwrap(), Some(("http://[::1]:8080".into(), false)));
        assert!(matches!(origin("http://tradebahi.example"), Err(Error::PlainHttp(_))));
        assert!(matches!(origin("https://tradebahi.example/app"), Err(Error::PublicUrl(_))));
        assert!(matches!(origin("https://tradebahi.example/#app"), Err(Error::PublicUrl(_))));
        assert!(matches!(origin("https://user:password@tradebahi.example"), Err(Error::PublicUrl(_))));
        assert!(matches!(origin("ftp://tradebahi.example"), Err(Error::PublicUrl(_))));
    }

    #[test]
    fn accepts_an_analytics_url_with_https_or_on_this_machine() {
        for (url, fine) in [
            ("https://charts.example/in", true),
            ("http://127.0.0.1:3000/analytics", true),
            ("http://charts.example", false),
            ("file:///analytics", false),
            ("ftp://charts.example", false),
        ] {
            let settings = Settings { analytics_url: Some(url.parse().unwrap()), ..Settings::default() };
            assert_eq!(settings.check_analytics_url().is_ok(), fine, "{url}");
        }
    }
}
