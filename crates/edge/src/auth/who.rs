//! Who asks, and from where.

use axum::extract::{FromRef, FromRequestParts};
use http::header::{AUTHORIZATION, HOST, USER_AGENT};
use http::request::Parts;
use http::uri::Authority;
use rpc::auth::v1::Device;
use rpc::caller::{Bearer, Refused, bearer};
use rpc::failure::Failure as _;

use crate::Shared;
use crate::address::Address;
use crate::auth::cookies::Cookie;
use crate::call::Context;
use crate::problem::Problem;

/// What a device calls itself is kept up to this many characters.
const LONGEST_USER_AGENT: usize = 256;

/// Who asks, by the access token of a sign-in. Asking for it refuses everybody else.
#[derive(Clone)]
pub(crate) struct Trader {
    pub caller: rpc::caller::Trader,
    /// For the calls made on the trader's behalf.
    pub context: Context,
}

impl Trader {
    /// Refuses an address that is another trader's. None at all is fine: the token says who asks.
    pub fn is(&self, email: Option<&str>) -> Result<(), Problem> {
        match email {
            Some(email) if email.trim().to_lowercase() != self.caller.email.to_lowercase() => {
                tracing::info!(code = "NOT_YOURS", "call_refused");
                Err(Problem::not_yours())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// By a token that `allowed` takes.
    async fn by(
        parts: &mut Parts,
        app: &Shared,
        allowed: fn(Bearer) -> Result<rpc::caller::Trader, Refused>,
    ) -> Result<Self, Problem> {
        let Ok(context) = Context::from_request_parts(parts, app).await;
        let value = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = bearer(value).ok_or(Refused::SignedOut);
        let caller = match token.and_then(|token| allowed(app.verifier.verify(token)?)) {
            Ok(caller) => caller,
            Err(refused) => {
                tracing::info!(code = refused.reason(), "call_refused");
                app.rates.stranger(parts)?;
                return Err(refused.into());
            }
        };
        app.rates.account(parts, caller.account_id)?;
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
        Self::by(parts, &Shared::from_ref(state), Bearer::session).await
    }
}

/// The same for what changes nothing, which the analytics site may ask for too.
pub(crate) struct Reader(pub Trader);

impl<S: Sync> FromRequestParts<S> for Reader
where
    Shared: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        Trader::by(parts, &Shared::from_ref(state), Bearer::reader).await.map(Self)
    }
}

/// Where a sign-in comes from.
pub(crate) struct Source(pub Device);

impl<S: Sync> FromRequestParts<S> for Source
where
    Shared: FromRef<S>,
{
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let app = Shared::from_ref(state);
        let user_agent = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let user_agent = user_agent.chars().take(LONGEST_USER_AGENT).collect();
        let address = Address::in_request(parts).client.map(|address| address.to_string()).unwrap_or_default();
        let device_token = app.cookies.find(Cookie::Device, &parts.headers).unwrap_or_default();
        Ok(Self(Device { user_agent, address, device_token }))
    }
}

/// Where the browser reaches this server, such as `https://tradebahi.example`.
///
/// The setting says it. Without one the server is reached from its own machine alone, by the name that was typed.
pub(crate) struct Site(pub String);

impl<S: Sync> FromRequestParts<S> for Site
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
        let host = host.ok_or_else(|| Problem::malformed("The request does not say which host it is for."))?;
        Ok(Self(format!("http://{host}")))
    }
}
