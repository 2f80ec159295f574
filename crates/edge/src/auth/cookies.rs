//! The cookies that a browser holds for us. No script reads any of them.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::header::{COOKIE, HeaderName, SET_COOKIE};
use http::{HeaderMap, HeaderValue};
use rpc::auth::v1::Tokens;
use serde_json::json;
use time::OffsetDateTime;

use crate::problem::Problem;

/// Until a device is a stranger again.
const DEVICE_AGE: i64 = 365 * 86_400;

/// Empties what the pages keep in this browser.
pub(crate) const CLEAR_STORAGE: (HeaderName, &str) = (HeaderName::from_static("clear-site-data"), "\"storage\"");

/// Which cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cookie {
    /// The refresh token of the sign-in.
    Refresh,
    /// What tells a device that signed in before from one that did not.
    Device,
    /// What this browser must remember of a sign-in that goes on elsewhere.
    Flow,
    /// What opens the journal that somebody without an account writes in this browser.
    Journal,
}

impl Cookie {
    fn name(self) -> &'static str {
        match self {
            Self::Refresh => "rt",
            Self::Device => "device",
            Self::Flow => "oauth",
            Self::Journal => "journal",
        }
    }

    fn same_site(self) -> &'static str {
        match self {
            Self::Refresh | Self::Device => "Strict",
            // The way back from Google begins on another site; so may the way to one's journal.
            Self::Flow | Self::Journal => "Lax",
        }
    }
}

/// Reads and writes cookies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cookies {
    /// Browsers take a `__Host-` cookie over https alone.
    secure: bool,
}

impl Cookies {
    pub fn new(secure: bool) -> Self {
        Self { secure }
    }

    fn prefix(self) -> &'static str {
        if self.secure { "__Host-" } else { "" }
    }

    pub fn find(self, cookie: Cookie, headers: &HeaderMap) -> Option<String> {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs
            .filter(|(name, _)| name.strip_prefix(self.prefix()) == Some(cookie.name()))
            .map(|(_, value)| value.to_owned());
        values.find(|value| !value.is_empty())
    }

    /// The line that sets `cookie` for so many seconds.
    pub fn set(self, cookie: Cookie, value: &str, max_age: i64) -> Result<HeaderValue, Problem> {
        let secure = if self.secure { "; Secure" } else { "" };
        let (prefix, name, same_site) = (self.prefix(), cookie.name(), cookie.same_site());
        let line = format!("{prefix}{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite={same_site}{secure}");
        let line = Some(line).filter(|_| value.bytes().all(is_cookie_byte));
        line.and_then(|line| HeaderValue::from_str(&line).ok()).ok_or_else(|| {
            tracing::error!(name, "a value that no cookie can hold");
            Problem::internal()
        })
    }

    pub fn removed(self, cookie: Cookie) -> Result<HeaderValue, Problem> {
        self.set(cookie, "", 0)
    }

    /// Signed in, with a cookie that lives as long as the sign-in may rest. What led here is over.
    pub fn signed_in(self, tokens: Option<Tokens>) -> Result<Response, Problem> {
        let tokens = tokens.ok_or_else(|| {
            tracing::error!("auth gave no tokens");
            Problem::internal()
        })?;
        let expires_at = tokens.refresh_expires_at.map_or(0, |at| at.seconds);
        let max_age = (expires_at - OffsetDateTime::now_utc().unix_timestamp()).max(0);
        let body = json!({ "success": true, "data": { "token": tokens.access_token } });
        let mut response = Json(body).into_response();
        let headers = response.headers_mut();
        headers.append(SET_COOKIE, self.set(Cookie::Refresh, &tokens.refresh_token, max_age)?);
        if !tokens.device_token.is_empty() {
            headers.append(SET_COOKIE, self.set(Cookie::Device, &tokens.device_token, DEVICE_AGE)?);
        }
        Ok(response)
    }

    /// The same at the end of a way that led through another site.
    pub fn arrived(self, tokens: Option<Tokens>) -> Result<Response, Problem> {
        let mut response = self.signed_in(tokens)?;
        response.headers_mut().append(SET_COOKIE, self.removed(Cookie::Flow)?);
        Ok(response)
    }

    /// Signed out: the refresh cookie is worth nothing any more.
    pub fn ended(self, problem: Problem) -> Result<Response, Problem> {
        let problem = problem.saying("session_ended", "Your sign-in has ended. Log in again.");
        Ok(([(SET_COOKIE, self.removed(Cookie::Refresh)?)], problem).into_response())
    }
}

/// RFC 6265, `cookie-octet`.
fn is_cookie_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b',' | b';' | b'\\')
}
