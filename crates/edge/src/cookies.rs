//! Cookies of the product. All are `HttpOnly`.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::header::{COOKIE, HeaderName, SET_COOKIE};
use http::{HeaderMap, HeaderValue};
use http_server::problem::Problem;
use rpc::auth::v1::Tokens;
use serde_json::json;
use time::OffsetDateTime;

use crate::error_texts::error_text;

/// Lifetime of the device cookie in seconds; a device without it counts as unknown.
const DEVICE_COOKIE_TTL_SECS: i64 = 365 * 86_400;

/// Response header that clears the storage and the HTTP cache of the site in the browser. The cache may hold the trade
/// log, which the next user of the browser must not find.
pub(crate) const CLEAR_SITE_DATA: (HeaderName, &str) =
    (HeaderName::from_static("clear-site-data"), "\"cache\", \"storage\"");

/// Cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cookie {
    /// Refresh token of the session.
    Refresh,
    /// Token of a device that has logged in before.
    Device,
    /// State of a login with Google.
    Flow,
    /// Challenge of a login that waits for its second factor.
    Challenge,
    /// Key of the journal of a visitor without an account.
    Journal,
}

impl Cookie {
    fn name(self) -> &'static str {
        match self {
            Self::Refresh => "rt",
            Self::Device => "device",
            Self::Flow => "oauth",
            Self::Challenge => "second-factor",
            Self::Journal => "journal",
        }
    }

    fn same_site(self) -> &'static str {
        match self {
            Self::Refresh | Self::Device | Self::Challenge => "Strict",
            // Needed for navigation from other sites: the redirect from Google, and links to the journal.
            Self::Flow | Self::Journal => "Lax",
        }
    }
}

/// Reads and writes cookies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cookies {
    /// Sets `Secure` and the `__Host-` prefix, which browsers accept only over HTTPS.
    secure: bool,
}

impl Cookies {
    pub fn new(secure: bool) -> Self {
        Self { secure }
    }

    fn prefix(self) -> &'static str {
        if self.secure { "__Host-" } else { "" }
    }

    /// Returns the value of `cookie` in a request; `None` if it is missing or empty.
    pub fn find(self, cookie: Cookie, headers: &HeaderMap) -> Option<String> {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs
            .filter(|(name, _)| name.strip_prefix(self.prefix()) == Some(cookie.name()))
            .map(|(_, value)| value.to_owned());
        values.find(|value| !value.is_empty())
    }

    /// Returns the `Set-Cookie` value that sets `cookie`, with its `Max-Age` in seconds.
    pub fn set(self, cookie: Cookie, value: &str, max_age: i64) -> Result<HeaderValue, Problem> {
        let secure = if self.secure { "; Secure" } else { "" };
        let (prefix, name, same_site) = (self.prefix(), cookie.name(), cookie.same_site());
        let line = format!("{prefix}{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite={same_site}{secure}");
        let line = Some(line).filter(|_| value.bytes().all(is_cookie_byte));
        line.and_then(|line| HeaderValue::from_str(&line).ok()).ok_or_else(|| {
            tracing::error!(name, "invalid cookie value");
            Problem::internal()
        })
    }

    /// Returns the `Set-Cookie` value that deletes `cookie`.
    pub fn remove(self, cookie: Cookie) -> Result<HeaderValue, Problem> {
        self.set(cookie, "", 0)
    }

    /// Returns the response to a login or refresh: the access token in the body and the refresh token in a cookie.
    ///
    /// The cookie expires with the refresh token.
    pub fn logged_in_response(self, tokens: Option<Tokens>) -> Result<Response, Problem> {
        let tokens = tokens.ok_or_else(|| {
            tracing::error!("response of auth without tokens");
            Problem::internal()
        })?;
        let expires_at = tokens.refresh_expires_at.map_or(0, |at| at.seconds);
        let max_age = (expires_at - OffsetDateTime::now_utc().unix_timestamp()).max(0);
        let body = json!({ "success": true, "data": { "token": tokens.access_token } });
        let mut response = Json(body).into_response();
        let headers = response.headers_mut();
        headers.append(SET_COOKIE, self.set(Cookie::Refresh, &tokens.refresh_token, max_age)?);
        if !tokens.device_token.is_empty() {
            headers.append(SET_COOKIE, self.set(Cookie::Device, &tokens.device_token, DEVICE_COOKIE_TTL_SECS)?);
        }
        Ok(response)
    }

    /// Completes the response to a login with Google or by a login token: deletes [`Cookie::Flow`].
    pub fn flow_finished_response(self, mut response: Response) -> Result<Response, Problem> {
        response.headers_mut().append(SET_COOKIE, self.remove(Cookie::Flow)?);
        Ok(response)
    }

    /// Returns `problem` with the code `session_ended`, and deletes the refresh cookie.
    pub fn session_ended_response(self, problem: Problem) -> Result<Response, Problem> {
        let problem = problem.with_detail("session_ended", error_text("auth", "SESSION_ENDED", &[]));
        Ok(([(SET_COOKIE, self.remove(Cookie::Refresh)?)], problem).into_response())
    }
}

/// Returns true for a `cookie-octet` of RFC 6265.
fn is_cookie_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b',' | b';' | b'\\')
}
