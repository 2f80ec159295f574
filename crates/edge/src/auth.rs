//! `/auth/…`: signing in and out. The access token goes into the answer, the refresh token into a cookie.

use axum::extract::{FromRef, FromRequestParts, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::header::{AUTHORIZATION, COOKIE, HeaderName, SET_COOKIE, USER_AGENT};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use rpc::auth::v1::{
    Device, GetVerificationRequest, LogInRequest, LogOutRequest, RefreshRequest, RegisterRequest, Tokens,
    VerificationKey,
};
use rpc::caller::{Caller, Refused, bearer};
use serde_json::json;
use time::OffsetDateTime;

use crate::Shared;
use crate::address::Address;
use crate::call::{self, Context};
use crate::input::{Input, NoBody};
use crate::problem::Problem;

/// What a device calls itself is kept up to this many characters.
const LONGEST_USER_AGENT: usize = 256;
/// Characters of what somebody logs in with: an e-mail address or a phone number, and a password.
const LONGEST_LOGIN: usize = 254;
const LONGEST_PASSWORD: usize = 1024;

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/auth/register", post(register))
        .route("/auth/login", post(log_in))
        .route("/auth/refresh", post(refresh))
        .route("/auth/logout", post(log_out))
}

/// `/.well-known/…`, which stands at the root alone.
pub(crate) fn well_known() -> Router<Shared> {
    Router::new().route("/.well-known/jwks.json", get(keys))
}

/// Who asks, by a verified access token. Asking for it refuses everybody else.
pub(crate) struct Trader {
    pub caller: Caller,
    /// For the calls made on the trader's behalf.
    pub context: Context,
}

impl Trader {
    /// Refuses an address that is another trader's. None at all is fine: the token says who asks.
    pub fn is(&self, email: Option<&str>) -> Result<(), Problem> {
        match email {
            Some(email) if email.trim().to_lowercase() != self.caller.email.to_lowercase() => Err(Problem::not_yours()),
            Some(_) | None => Ok(()),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Trader
where
    Shared: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let app = Shared::from_ref(state);
        let Ok(context) = Context::from_request_parts(parts, state).await;
        let value = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let value = value.ok_or(Refused::SignedOut)?;
        let caller = app.verifier.verify(bearer(value).ok_or(Refused::SignedOut)?)?;
        tracing::Span::current().record("account", tracing::field::display(caller.account_id));
        Ok(Self { caller, context: context.with_authorization(value) })
    }
}

/// Where a sign-in comes from.
struct Source(Device);

impl<S: Sync> FromRequestParts<S> for Source {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let user_agent = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let user_agent = user_agent.chars().take(LONGEST_USER_AGENT).collect();
        let address = Address::in_request(parts).client.map(|address| address.to_string()).unwrap_or_default();
        Ok(Self(Device { user_agent, address }))
    }
}

async fn register(State(app): State<Shared>, context: Context, mut input: Input) -> Result<Response, Problem> {
    let message = RegisterRequest {
        name: input.text("name"),
        email: input.text("email"),
        phone: input.text("phone"),
        password: input.text("password"),
        confirm_password: input.text("confirmPassword"),
    };
    input.finish()?;
    let deadline = app.settings.times.core;
    let request = context.request(message, deadline);
    let mut auth = app.clients.auth.clone();
    call::write(deadline, async move { auth.register(request).await }).await?;
    Ok((StatusCode::CREATED, Json(json!({ "success": true }))).into_response())
}

async fn log_in(
    State(app): State<Shared>,
    context: Context,
    Source(device): Source,
    mut input: Input,
) -> Result<Response, Problem> {
    let (login, password) = (input.short("email", LONGEST_LOGIN), input.short("password", LONGEST_PASSWORD));
    input.finish()?;
    let deadline = app.settings.times.core;
    let request = context.request(LogInRequest { login, password, device: Some(device) }, deadline);
    let mut auth = app.clients.auth.clone();
    let answer = call::write(deadline, async move { auth.log_in(request).await }).await?;
    app.cookie.signed_in(answer.tokens)
}

async fn refresh(
    State(app): State<Shared>,
    context: Context,
    Source(device): Source,
    headers: HeaderMap,
    _: NoBody,
) -> Result<Response, Problem> {
    let Some(refresh_token) = app.cookie.find(&headers) else {
        return Ok(app.cookie.ended(Problem::of_status(StatusCode::UNAUTHORIZED)));
    };
    let deadline = app.settings.times.core;
    let request = context.request(RefreshRequest { refresh_token, device: Some(device) }, deadline);
    let mut auth = app.clients.auth.clone();
    match call::write(deadline, async move { auth.refresh(request).await }).await {
        Ok(answer) => app.cookie.signed_in(answer.tokens),
        Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => Ok(app.cookie.ended(problem)),
        Err(problem) => Err(problem),
    }
}

async fn log_out(State(app): State<Shared>, parts: Parts, _: NoBody) -> Result<Response, Problem> {
    let refresh_token = app.cookie.find(&parts.headers).unwrap_or_default();
    let (mut parts, state) = (parts, app.clone());
    let Ok(nobody) = Context::from_request_parts(&mut parts, &state).await;
    // An access token that is not good any more ends nothing, but must not keep anybody from leaving. One that cannot
    // be checked now may be of a sign-in that still stands.
    let by_token = match Trader::from_request_parts(&mut parts, &state).await {
        Ok(trader) => Some(trader.context),
        Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => None,
        Err(problem) => return Err(problem),
    };
    let by_cookie = (!refresh_token.is_empty()).then_some(nobody);
    let deadline = app.settings.times.core;
    // The core does not look at a cookie that comes with a bad token, so the cookie is tried by itself after that.
    for context in by_token.into_iter().chain(by_cookie) {
        let request = context.request(LogOutRequest { refresh_token: refresh_token.clone() }, deadline);
        let mut auth = app.clients.auth.clone();
        match call::write(deadline, async move { auth.log_out(request).await }).await {
            Ok(_) => break,
            Err(problem) if problem.status() == StatusCode::UNAUTHORIZED => {}
            // The sign-in still stands. The cookie stays, so that leaving can be tried again.
            Err(problem) => return Err(problem),
        }
    }
    let clear = (HeaderName::from_static("clear-site-data"), "\"storage\"");
    Ok((StatusCode::NO_CONTENT, [clear], [(SET_COOKIE, app.cookie.removed())]).into_response())
}

/// `GET /.well-known/jwks.json`
async fn keys(State(app): State<Shared>, context: Context) -> Result<Response, Problem> {
    let deadline = app.settings.times.core;
    let answer = call::read(deadline, &app.retries, || {
        let mut auth = app.clients.auth.clone();
        let request = context.request(GetVerificationRequest {}, deadline);
        async move { auth.get_verification(request).await }
    });
    let keys: Vec<_> = answer.await?.keys.into_iter().map(jwk).collect();
    Ok(Json(json!({ "keys": keys })).into_response())
}

fn jwk(key: VerificationKey) -> serde_json::Value {
    json!({ "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": key.kid, "x": key.x })
}

/// The cookie that holds the refresh token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefreshCookie {
    /// Browsers take a `__Host-` cookie over https alone.
    secure: bool,
}

impl RefreshCookie {
    pub fn new(secure: bool) -> Self {
        Self { secure }
    }

    fn name(self) -> &'static str {
        if self.secure { "__Host-rt" } else { "rt" }
    }

    fn find(self, headers: &HeaderMap) -> Option<String> {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(name, value)| *name == self.name() && !value.is_empty()).map(|(_, value)| value.to_owned())
    }

    fn with(self, value: &str, max_age: i64) -> String {
        let secure = if self.secure { "; Secure" } else { "" };
        format!("{}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Strict{secure}", self.name())
    }

    fn removed(self) -> String {
        self.with("", 0)
    }

    /// Signed in, with a cookie that lives as long as the sign-in may rest.
    fn signed_in(self, tokens: Option<Tokens>) -> Result<Response, Problem> {
        let tokens = tokens.filter(|tokens| tokens.refresh_token.bytes().all(is_cookie_byte)).ok_or_else(|| {
            tracing::error!("auth gave no tokens that can be sent");
            Problem::internal()
        })?;
        let expires_at = tokens.refresh_expires_at.map_or(0, |at| at.seconds);
        let max_age = (expires_at - OffsetDateTime::now_utc().unix_timestamp()).max(0);
        let cookie =
            HeaderValue::from_str(&self.with(&tokens.refresh_token, max_age)).map_err(|_| Problem::internal())?;
        let body = json!({ "success": true, "data": { "token": tokens.access_token } });
        Ok(([(SET_COOKIE, cookie)], Json(body)).into_response())
    }

    /// Signed out: the cookie is worth nothing any more.
    fn ended(self, problem: Problem) -> Response {
        let problem = problem.saying("session_ended", "Your sign-in has ended. Log in again.");
        ([(SET_COOKIE, self.removed())], problem).into_response()
    }
}

/// RFC 6265, `cookie-octet`.
fn is_cookie_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b',' | b';' | b'\\')
}
