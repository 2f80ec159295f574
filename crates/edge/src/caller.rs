//! Extractors for the caller: trader of an access token, device of a login, origin of the site.

use std::net::IpAddr;

use axum::extract::{FromRef, FromRequestParts};
use http::StatusCode;
use http::header::{AUTHORIZATION, HOST, USER_AGENT};
use http::request::Parts;
use http::uri::Authority;
use http_server::client_address::ClientAddress;
use http_server::problem::Problem;
use rpc::auth::v1::Device;
use rpc::caller::{AuthError, Bearer, parse_bearer_token};
use rpc::failure::Failure as _;

use crate::call::Context;
use crate::cookies::Cookie;
use crate::error_texts::{error_text, problem};
use crate::state::Shared;
use crate::status::problem_from_refusal;

/// Maximum length of a stored `User-Agent`; longer ones are truncated.
const MAX_USER_AGENT_CHARS: usize = 256;

/// Trader with the access token of a session. The extractor rejects requests without a valid one.
#[derive(Clone)]
pub(crate) struct Trader {
    pub caller: rpc::caller::Trader,
    /// Context of core calls on behalf of the trader.
    pub context: Context,
}

impl Trader {
    /// Rejects an email address other than the trader's. It is optional, because the token identifies the trader.
    pub fn check_email(&self, email: Option<&str>) -> Result<(), Problem> {
        match email {
            Some(email) if !email.trim().eq_ignore_ascii_case(&self.caller.email) => {
                tracing::info!(code = "EMAIL_MISMATCH", "call_rejected");
                Err(problem(StatusCode::FORBIDDEN, "edge", "email_mismatch"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Verifies the access token of a request; `check_scope` returns the trader if the scope of the token suffices.
    async fn from_token(
        parts: &mut Parts,
        app: &Shared,
        check_scope: fn(Bearer) -> Result<rpc::caller::Trader, AuthError>,
    ) -> Result<Self, Problem> {
        let Ok(context) = Context::from_request_parts(parts, app).await;
        let value = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = parse_bearer_token(value).ok_or(AuthError::Unauthenticated);
        let caller = match token.and_then(|token| check_scope(app.verifier.verify(token)?)) {
            Ok(caller) => caller,
            Err(error) => {
                tracing::info!(code = error.reason(), "call_rejected");
                app.rate_limits.count_unauthenticated(parts)?;
                return Err(problem_from_refusal(error));
            }
        };
        app.rate_limits.count_account(parts, caller.account_id)?;
        tracing::Span::current().record("account_id", tracing::field::display(caller.account_id));
        Ok(Self { caller, context: context.with_authorization(value) })
    }
}

impl<S: Sync> FromRequestParts<S> for Trader
where
    Shared: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        Self::from_token(parts, &Shared::from_ref(state), Bearer::require_session).await
    }
}

/// Trader with a token that allows at least reading, such as the read-only token of the analytics site.
pub(crate) struct Reader(pub Trader);

impl<S: Sync> FromRequestParts<S> for Reader
where
    Shared: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        Trader::from_token(parts, &Shared::from_ref(state), Bearer::require_reader).await.map(Self)
    }
}

/// Device from which a login or refresh comes: `User-Agent`, address and device cookie.
pub(crate) struct LoginDevice(pub Device);

impl<S: Sync> FromRequestParts<S> for LoginDevice
where
    Shared: FromRef<S>,
{
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let app = Shared::from_ref(state);
        let user_agent = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let user_agent = user_agent.chars().take(MAX_USER_AGENT_CHARS).collect();
        let address = ClientAddress::from_parts(parts).ip.map(|address| address.to_string()).unwrap_or_default();
        let device_token = app.cookies.find(Cookie::Device, &parts.headers).unwrap_or_default();
        Ok(Self(Device { user_agent, address, device_token }))
    }
}

/// Origin under which browsers reach this server, such as `https://tradebahi.example`.
///
/// Comes from the settings. Without the setting, only clients on the same machine can reach the server: the origin is
/// `http://` with the host of the request, which must be a name of this machine. Any other host would let an attacker
/// choose the address that a token is sent to.
pub(crate) struct SiteOrigin(pub String);

impl<S: Sync> FromRequestParts<S> for SiteOrigin
where
    Shared: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        if let Some(origin) = &Shared::from_ref(state).origin {
            return Ok(Self(origin.text.clone()));
        }
        let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok());
        let host = parts.uri.authority().map(Authority::as_str).or(host);
        let host = host.and_then(|host| host.parse::<Authority>().ok());
        let host = host.filter(is_loopback);
        let host = host.ok_or_else(|| Problem::malformed(error_text("edge", "MALFORMED.HOST", &[])))?;
        Ok(Self(format!("http://{host}")))
    }
}

/// Returns true for the names and addresses of this machine.
fn is_loopback(host: &Authority) -> bool {
    let name = host.host();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.as_str().find('@').is_none()
        && (name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s11_only_names_of_this_machine_are_reflected() {
        for (host, expected) in [
            ("localhost:8080", true),
            ("127.0.0.1:8080", true),
            ("[::1]:8080", true),
            ("evil.example", false),
            ("localhost.evil.example", false),
            ("127.0.0.1@evil.example", false),
            ("evil.example@127.0.0.1", false),
        ] {
            assert_eq!(is_loopback(&host.parse().unwrap()), expected, "{host}");
        }
    }
}
